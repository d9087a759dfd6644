"""The environment of a run: versions, commit, CPU."""

import platform
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

from tdl import machine


def describe(instructions: str) -> dict[str, Any]:
    """The part of `result.json` that names commit, versions, CPU and the instruction set that the agent uses."""
    commit, dirty = _commit()
    packages = ["numpy", "hydra-core", "omegaconf", *["torch"] * ("torch" in sys.modules)]  # where an agent needs it
    return {
        "commit": commit,
        "dirty": dirty,
        "versions": {
            "tdl": _version(),
            "python": platform.python_version(),
            **{name: metadata.version(name) for name in packages},
        },
        "cpu": machine.cpu_name(),
        "instructions": instructions,
    }


def _version() -> str:
    """The version that is installed; source files that are not say their commit alone."""
    try:
        return metadata.version("tdl")
    except metadata.PackageNotFoundError:
        return "unknown"


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
