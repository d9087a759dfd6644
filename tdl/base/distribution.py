"""What pip installs: the name of the package there, its extras, and the command that it brings."""

import shutil
import sys
from pathlib import Path

NAME = "tdl-ntuple"
"""On the package index, where `tdl` is another project; the import is `tdl`."""


def install(extra: str) -> str:
    """The command that installs an extra.

    >>> install("play")
    "pip install 'tdl-ntuple[play]'"
    """
    return f"pip install '{NAME}[{extra}]'"


def command() -> str:
    """How the user starts `tdl` in this shell: by its name where that is found, else as this program was started."""
    script = Path(sys.argv[0])
    if script.name == "tdl" and script.suffix != ".py":
        return _word("tdl", script)
    return f"{_word('python', Path(sys.executable))} -m tdl"


def _word(name: str, path: Path) -> str:
    """The name of a program if a shell finds it in the folder of this file, else the path from here on."""
    program = shutil.which(name)
    if not path.is_absolute() and len(path.parts) == 1:
        return name
    if program is not None and Path(program).absolute().parent == path.absolute().parent:
        return name
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
