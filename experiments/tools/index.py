"""The index of the experiments, index.yaml, and the rows it gives to the tables of README.md and docs/results.md.

In an experiment's `result` the text `{COLUMN KEY=VALUE ...}` stands for the mean of a column of its results.csv over
the runs of a setting, `{FILE:COLUMN ...}` for that of another file, and `{inside KEY=VALUE ...}` for how many of the
figures in its published.csv lie in the intervals of our means.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from experiments.tools import EXPERIMENTS
from experiments.tools.tables import (
    INSIDE,
    TableError,
    compare,
    figure,
    less,
    number,
    position,
    read_table,
    unseen,
)
from tdl.storage.titles import value_text

Index = dict[str, dict[str, dict[str, Any]]]
"""Chapters, experiments of a chapter, entries of an experiment, whose names are those of `ENTRIES`."""

ENTRIES: dict[str, Sequence[str]] = {
    **dict.fromkeys(("question", "result", "time", "published", "peers", "verdicts", "rows", "axis"), ()),
    "scores": ("points", "moves_per_second", "training", "gap"),
    "curves": ("episodes", "moves", "seconds", "none", "budgets"),
    **dict.fromkeys(("title", "title_growth", "title_reach", "names"), ()),
}
"""What an experiment may have in index.yaml, with the words allowed there, of which the first is usual."""

IN_TRAINING = re.compile(r"_\d+k$")
"""How the names of figures of training games end, as `mean_10k`."""


def read_index(home: Path = EXPERIMENTS) -> Index:
    """The chapters and experiments of index.yaml.

    Raises
    ------
    TableError : an experiment has something that none may have.
    """
    index: Index = yaml.safe_load((home / "index.yaml").read_text())
    for name, entry in (item for chapter in index.values() for item in chapter.items()):
        for key, value in entry.items():
            if key not in ENTRIES:
                raise TableError(f"index.yaml: {name}: {key} is not allowed: {', '.join(ENTRIES)}")
            if ENTRIES[key] and value not in ENTRIES[key]:
                raise TableError(f"index.yaml: {name}: {key}: {value} is not allowed: {', '.join(ENTRIES[key])}")
    return index


def entry_of(name: str, home: Path = EXPERIMENTS) -> dict[str, Any]:
    """The entries of an experiment; none of one that the index lacks."""
    return next((chapter[name] for chapter in read_index(home).values() if name in chapter), {})


def names(home: Path = EXPERIMENTS) -> list[str]:
    """All experiments, in the order of the index."""
    return [name for chapter in read_index(home).values() for name in chapter]


def index_rows(chapter: str, home: Path = EXPERIMENTS) -> list[list[str]]:
    """A row for each experiment of a chapter; the first row is the head."""
    rows = [["experiment", "question", "result", "seeds", "time"]]
    for name, entry in read_index(home)[chapter].items():
        results = home / name / "results.csv"
        seeds = _seeds(read_table(results)) if results.exists() else ""
        result = filled(home / name, entry["result"])
        rows.append([f"[{name}]({name}/README.md)", entry["question"], result, seeds, entry["time"]])
    return rows


def published_rows(chapters: Sequence[str], home: Path = EXPERIMENTS) -> list[list[str]]:
    """A row for each published figure that the index names in the chapters, with ours; the first row is the head."""
    rows = [["experiment", "published by", "figure", "published", "ours", "ours less it", "unseen", "figures inside"]]
    index = read_index(home)
    for name, entry in (item for chapter in chapters for item in index[chapter].items()):
        for comparison in entry.get("published", []):
            column, source, setting = comparison["figure"], comparison["source"], comparison.get("setting", "").split()
            ours, theirs = (read_table(home / name / file) for file in ("results.csv", "published.csv"))
            ours, theirs = select(ours, setting), select(theirs[theirs["source"] == source], setting)
            value = theirs[column].dropna().iloc[0]
            where = position(ours, column, value), unseen(ours, column)
            cells = [number(column, value), figure(ours, column), *where, _inside(ours, theirs)]
            rows.append([f"[{name}](../experiments/{name}/README.md)", source, column, *cells])
    return rows


def compared_rows(chapters: Sequence[str], home: Path = EXPERIMENTS) -> list[list[str]]:
    """A row for each figure under `peers` in the index: another program's, ours, the difference; first the head."""
    rows: list[list[str]] = []
    index = read_index(home)
    for name, entry in (item for chapter in chapters for item in index[chapter].items()):
        for pair in entry.get("peers", []):
            words = pair.get("setting", "").split()
            ours, theirs = (select(read_table(home / name / file), words) for file in ("results.csv", "peers.csv"))
            head = [
                "experiment",
                "setting",
                "figure",
                theirs["program"].iloc[0],
                "seeds",
                "ours",
                "difference",
                "moves",
            ]
            rows = rows or [head]
            their_mean, seeds, our_mean, _, difference, _ = compare(ours, theirs, pair["figure"])
            link = f"[{name}](../experiments/{name}/README.md)"
            cells = [their_mean, seeds, our_mean, difference, _moves(ours, theirs, pair["figure"])]
            rows.append([link, " ".join(words), pair["figure"], *cells])
    return rows if any(row[-1] for row in rows[1:]) else [row[:-1] for row in rows]


def _moves(ours: pd.DataFrame, theirs: pd.DataFrame, name: str) -> str:
    """How many times their moves of training ours have until the figure; nothing where a file does not say."""
    moves = f"moves_{name.split('_')[-1]}" if IN_TRAINING.search(name) else "moves"
    if not all(moves in part and part[moves].notna().all() for part in (ours, theirs)):
        return ""
    return f"{ours[moves].mean() / theirs[moves].mean():.2f}x"


def less_rows(folder: Path, columns: Sequence[str], pairs: Sequence[str]) -> list[list[str]]:
    """A row for each column of each pair `RUNS - RUNS`, where runs are `FILE KEY=VALUE ...`, several with ` + `.

    What both of a pair have stands once, under `both`, where all sets of the pair have more than that.
    """
    rows = [["both", "runs", "seeds", "less", "seeds", "figure", "difference"]]
    for names in (pair.strip().split(" - ") for pair in pairs):
        parts = [_runs_of(folder, name.split(" + ")) for name in names]
        both, ours, theirs = _apart(*names)
        for column in columns:
            seeds, others = (str(part[column].notna().sum()) for part in parts)
            rows.append([both, ours, seeds, theirs, others, column, less(parts[0], parts[1], column)])
    return rows if any(row[0] for row in rows[1:]) else [row[1:] for row in rows]


def _apart(*runs: str) -> tuple[str, str, str]:
    """What two sets of runs have in common, KEY=VALUE, and what either has besides; nothing where one has no more."""
    sources = [name.split(" + ") for name in runs]
    first, *rest = (source for each in sources for source in each)
    both = [word for word in first.split() if "=" in word and all(word in other.split() for other in rest)]
    cut = [
        " + ".join(" ".join(word for word in source.split() if word not in both) for source in each)
        for each in sources
    ]
    if any("=" not in source for name in cut for source in name.split(" + ")):
        both, cut = [], list(runs)
    ours, theirs = map(_named, cut)
    return " ".join(both), ours, theirs


def _runs_of(folder: Path, sources: Sequence[str]) -> pd.DataFrame:
    """The rows that all of the sources name together."""
    files = [source.split() for source in sources]
    parts = []
    for file, *words in files:
        table = read_table(folder / file)
        if absent := {word.split("=")[0] for word in words} - {*table}:
            raise TableError(f"{folder.name}: {file} has no column {', '.join(sorted(absent))}")
        parts.append(select(table, words))
    return pd.concat(parts)


def _named(runs: str) -> str:
    """Runs without the files of the page itself."""
    return re.sub(r"(^| )\w+\.csv ", r"\1", runs).replace("../", "").replace("/results.csv", ":")


def filled(folder: Path, text: str) -> str:
    """A text of index.yaml about an experiment, with its figures filled in."""

    def value(match: re.Match[str]) -> str:
        place, *setting = match[1].split()
        file, _, column = place.rpartition(":")
        part = select(read_table(folder / (file or "results.csv")), setting)
        if column == "inside":
            return _inside(part, select(read_table(folder / "published.csv"), setting))
        if column not in part:
            raise TableError(f"{folder.name}: no column {column}")
        return number(column, float(part[column].mean()))

    return re.sub(r"\{([^}]+)\}", value, text)


def select(frame: pd.DataFrame, setting: Sequence[str]) -> pd.DataFrame:
    """The rows of a setting, words KEY=VALUE; there must be one. A key that the table lacks selects nothing."""
    frame = matching(frame, setting)
    if frame.empty:
        raise TableError(f"no row with {' '.join(setting)}")
    return frame


def matching(frame: pd.DataFrame, setting: Sequence[str]) -> pd.DataFrame:
    """The rows of a setting, or none."""
    for key, value in (each.split("=", 1) for each in setting):
        if key in frame:
            frame = frame[frame[key].map(word) == value]
    return frame


def _seeds(rows: pd.DataFrame) -> str:
    """The fewest and the most seeds of its settings."""
    keys = setting_keys(rows)
    counts = rows.groupby(keys, dropna=False)["seed"].nunique() if keys else pd.Series([rows["seed"].nunique()])
    return " to ".join(dict.fromkeys([str(counts.min()), str(counts.max())]))


def setting_keys(frame: pd.DataFrame) -> list[str]:
    """The columns of a results.csv that hold the setting of a run: those before its seed."""
    return list(frame.columns[: list(frame.columns).index("seed")])


def word(value: object) -> str:
    """A value as a word of a setting: without blanks. Where a key has names, too, a csv file's booleans are text."""
    text = value_text("", value).replace(" ", "")
    return {"True": "true", "False": "false"}.get(text, text)


def _inside(ours: pd.DataFrame, published: pd.DataFrame) -> str:
    """How many of the published figures lie in the intervals of our means."""
    keys = [key for key in setting_keys(ours) if key in published]
    inside = []
    for _, row in published.iterrows():
        part = select(ours, [f"{key}={word(row[key])}" for key in keys])
        figures = [name for name in published.columns.drop(["source", *keys]) if name in part and pd.notna(row[name])]
        inside += [position(part, name, row[name]) == INSIDE for name in figures]
    return f"{sum(inside)} of {len(inside)}"
