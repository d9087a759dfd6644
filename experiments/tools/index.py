"""What index.yaml has for the experiments: titles and names of their figures, and what is published about them."""

from pathlib import Path
from typing import Any

import yaml

from experiments.tools import EXPERIMENTS
from experiments.tools.tables import TableError

ENTRIES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("title", "title_growth", "title_reach", "names", "rows", "axis", "verdicts"), ()),
    "scores": ("points", "training", "gap"),
    "curves": ("episodes", "moves", "seconds", "none", "budgets"),
}
"""What an experiment may have in index.yaml, with the words allowed there, of which the first is usual."""


def read_index(home: Path = EXPERIMENTS) -> dict[str, dict[str, Any]]:
    """The entries of each experiment of index.yaml. A TableError says what none may have."""
    index: dict[str, dict[str, Any]] = yaml.safe_load((home / "index.yaml").read_text())
    for name, key, value in ((name, *entry) for name, entries in index.items() for entry in entries.items()):
        if key not in ENTRIES or (ENTRIES[key] and value not in ENTRIES[key]):
            allowed = ", ".join(ENTRIES.get(key) or ENTRIES)
            raise TableError(f"index.yaml: {name}: {key}: {value} is not allowed: {allowed}")
    return index


def entry_of(name: str, home: Path = EXPERIMENTS) -> dict[str, Any]:
    """The entries of an experiment; none of one that the index lacks."""
    return read_index(home).get(name, {})


def folders(home: Path = EXPERIMENTS) -> dict[str, Path]:
    """The folder of each experiment, by its name; several may share a page in the folder above."""
    return {path.parent.name: path.parent for path in sorted(home.rglob("results.csv"))}
