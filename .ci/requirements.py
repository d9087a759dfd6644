"""Requirements of pyproject.toml, one a line, for pip: `requirements.py WHICH EXTRA...`.

WHICH: lowest (the lowest version that each names), newest (whatever pip takes), or hydra-1.4 (the release candidate,
and the OmegaConf that it needs).
"""

import re
import sys
import tomllib
from pathlib import Path

NEXT = {"hydra-core": "hydra-core==1.4.0rc3", "omegaconf": "omegaconf>=2.4.0rc0"}


def requirements(which: str, extras: list[str]) -> list[str]:
    """The requirements of the package and of some of its extras."""
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
    lines = [*project["dependencies"], *(line for extra in extras for line in project["optional-dependencies"][extra])]
    if which == "lowest":
        return [re.sub(r">=([^,]+).*", r"==\1", line) for line in lines]
    return [NEXT.get(re.split("[<>=]", line)[0], line) if which == "hydra-1.4" else line for line in lines]


print(*requirements(sys.argv[1], sys.argv[2:]), sep="\n")
