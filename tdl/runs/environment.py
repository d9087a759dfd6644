"""The environment of a run: versions, commit, CPU."""

import platform
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

from tdl import __version__
from tdl.base import machine
from tdl.game.rules import Rules
from tdl.network.ntuple import NTupleNetwork
from tdl.network.tuples import TupleSet

TITLES = {"python": "Python", "numpy": "NumPy", "hydra-core": "Hydra", "omegaconf": "OmegaConf"}
"""The names of what `versions` in `result.json` has, as people write them."""


def describe(instructions: str) -> dict[str, Any]:
    """The part of `result.json` that names commit, versions, CPU and the instruction set that the agent uses."""
    commit, dirty = _commit()
    packages = ["numpy", "hydra-core", "omegaconf", *["torch"] * ("torch" in sys.modules)]  # where an agent needs it
    return {
        "commit": commit,
        "dirty": dirty,
        "versions": {
            "tdl": __version__,
            "python": platform.python_version(),
            **{name: metadata.version(name) for name in packages},
        },
        "cpu": machine.cpu_name(),
        "instructions": instructions,
    }


def version_text() -> str:
    """What `tdl --version` says: tdl and its commit, Python and what else computes, the instruction set."""
    network = NTupleNetwork(Rules(), TupleSet(((0, 1),)))  # which chooses the set as all do
    here = describe(network.instructions)
    changed = ", with changes" if here["dirty"] else ""
    commit = f" (commit {here['commit'][:10]}{changed})" if here["commit"] else ""
    versions = ", ".join(f"{title} {here['versions'][name]}" for name, title in TITLES.items())
    return f"tdl {__version__}{commit}\n{versions}\ninstruction set {here['instructions']}, {here['cpu']}\n"


def _commit() -> tuple[str | None, bool | None]:
    """Commit of the source and whether files differ from it; (None, None) for an installed package."""
    source = Path(__file__).resolve().parents[2]
    if not (source / ".git").exists():
        return None, None

    def git(*words: str) -> str:
        return subprocess.run(["git", "-C", str(source), *words], capture_output=True, text=True, check=True).stdout

    try:
        return git("rev-parse", "HEAD").strip(), bool(git("status", "--porcelain", "--untracked-files=no").strip())
    except (OSError, subprocess.CalledProcessError):
        return None, None
