"""What index.yaml has for the experiments: titles and names of their figures, and what is published about them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from experiments.tools import EXPERIMENTS
from experiments.tools.tables import TableError

ENTRIES: dict[str, Sequence[str]] = {
    **dict.fromkeys(("title", "title_growth", "title_reach", "names", "rows", "axis", "verdicts"), ()),
    "scores": ("points", "moves_per_second", "training", "gap"),
    "curves": ("episodes", "moves", "seconds", "none", "budgets"),
}
"""What an experiment may have in index.yaml, with the words allowed there, of which the first is usual."""


def read_index(home: Path = EXPERIMENTS) -> dict[str, dict[str, Any]]:
    """The entries of each experiment of index.yaml. A TableError says what none may have."""
    index: dict[str, dict[str, Any]] = yaml.safe_load((home / "index.yaml").read_text())
    entries = [(f"index.yaml: {name}: {key}", key, entry[key]) for name, entry in index.items() for key in entry]
    for place, key, value in entries:
        if key not in ENTRIES:
            raise TableError(f"{place} is not allowed: {', '.join(ENTRIES)}")
        if ENTRIES[key] and value not in ENTRIES[key]:
            raise TableError(f"{place}: {value} is not allowed: {', '.join(ENTRIES[key])}")
    return index


def entry_of(name: str, home: Path = EXPERIMENTS) -> dict[str, Any]:
    """The entries of an experiment; none of one that the index lacks."""
    return read_index(home).get(name, {})


def folders(home: Path = EXPERIMENTS) -> dict[str, Path]:
    """The folder of each experiment, by its name; several may share a page in the folder above."""
    return {path.parent.name: path.parent for path in sorted(home.rglob("results.csv"))}
