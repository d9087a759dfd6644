"""Figures of the experiments, made of their csv files: `python -m experiments.tools.figures [EXPERIMENT ...]`.

Scores and learning curves of results.csv, as those of a sweep; figures of their own of the files in `OWN`, or in
`FIGURES` of analyse.py. A figure's title is that of index.yaml; its caption goes to the page that asks for it.
"""

import math
import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd

from experiments.tools import EXPERIMENTS, curve, own_steps, variants
from experiments.tools.index import entry_of, folders
from experiments.tools.pages import is_shown, write_caption
from experiments.tools.tables import matching, read_table, setting_keys, settings, training_means, word
from tdl.results.design import ordered, setting_of
from tdl.results.frames import SCORE, SCORE_BOUNDS
from tdl.results.style import save
from tdl.results.sweep_figure import sweep_figure
from tdl.statistics.intervals import mean_interval
from tdl.storage.run_folder import FINISHED

NAMES = {"expected": "expected score after training", "greedy_mean": "mean score after training",
         "gap": "optimum minus expected score"}  # fmt: skip
"""Columns that may have scores, as they are called; without the first two the last block's mean has."""

ROW = ""  # the column with the names that index.yaml has for settings; it needs no name itself
SOURCES = {"published": ("source", "*"), "peers": ("program", "D")}  # whose figures a file has, and what marks them
TEXTS = {"*": "Stars: published by {}.", "D": "Diamonds: means of {} over its seeds, with 95% intervals."}
OWN = {"best.csv": ("figure.png", own_steps.draw), "power.csv": ("figure.png", variants.draw)}
"""The file by which a figure is known, the figure, and what draws it; `FIGURES` of analyse.py has more."""


def draw_results(folder: Path, home: Path = EXPERIMENTS) -> str:
    """Scores and learning curves of the rows of results.csv, each of which is a run, into figure.png; its caption."""
    entry = entry_of(folder.name, home)
    rows, keys = _runs(folder, entry)
    along = entry.get("curves", "episodes")
    column, name = _score(rows, entry.get("scores", "points"))
    columns = list(dict.fromkeys([*keys, "run", "seed", "status", "error", "episodes"]))
    scores = {SCORE: column, SCORE_BOUNDS[0]: f"{column}_low", SCORE_BOUNDS[1]: f"{column}_high"}
    table = rows[columns].assign(**{ours: rows[theirs] for ours, theirs in scores.items() if theirs in rows})
    marks = others(rows.assign(setting=setting_of(rows, keys)), folder, entry, column, along)
    drawn = sweep_figure(table, _blocks(rows, along), keys, title=entry.get("title", ""), score=name, along=along,
                         marks=marks)  # fmt: skip
    if drawn is None:
        raise ValueError(f"{folder}: no scores and no curves")
    figure, caption = drawn
    for marker, names in marks.groupby("marker")["source"].unique().items():
        caption += " " + TEXTS[marker].format(" and ".join(names))
    save(figure, folder / "figure.png", caption)
    return caption


def _runs(folder: Path, entry: dict[str, Any]) -> tuple[pd.DataFrame, list[str]]:
    """The runs of results.csv, and the keys of their figure: those that differ, or the names that index.yaml has."""
    rows = read_table(folder / "results.csv").copy()  # of one piece, as pandas wants it
    keys = [key for key in setting_keys(rows) if rows[key].nunique(dropna=False) > 1]
    status = rows.get("status", pd.Series(FINISHED, rows.index))
    new = {"run": [f"row {i}" for i in rows.index], "status": status, "episodes": rows.get("episodes")}
    rows = rows.assign(**new, error=status.map({"failed": "learning diverged"}))  # no other failures are collected
    if named := entry.get("rows"):
        names = {run: row["name"] for row in named for run in matching(rows, row["setting"].split())["run"]}
        rows[ROW] = pd.Categorical(rows["run"].map(names), [row["name"] for row in named])
        return rows, [*entry.get("axis", "").split(), ROW]
    return rows, ordered(rows, keys)


def _score(rows: pd.DataFrame, scores: str) -> tuple[str, str]:
    """The column of scores that index.yaml asks for, and what they are."""
    usual = next((name for name in ("expected", "greedy_mean") if name in rows), "training")
    column = usual if scores == "points" else scores
    if column in NAMES:
        return column, NAMES[column]
    last, episode = max(training_means(rows).items(), key=lambda block: block[1])
    return last, f"mean score in training,\ngame {episode:,}"


def _blocks(rows: pd.DataFrame, along: str) -> pd.DataFrame:
    """The columns `mean_10k` and so on as blocks, at the episodes, moves or seconds of training until their end."""
    parts = [rows.assign(episode=0, at=0.0, mean=math.nan)]
    for name, episode in training_means(rows).items() if along != "none" else ():
        at = episode if along == "episodes" else rows.get(name.replace("mean", along), math.nan)
        parts.append(rows.assign(episode=episode, at=at, mean=rows[name]))
    return pd.concat(parts).dropna(subset=["mean", "at"]).sort_values(["run", "at"], ignore_index=True)


def others(rows: pd.DataFrame, folder: Path, entry: dict[str, Any], score: str, along: str) -> pd.DataFrame:
    """What others have beside our runs of one setting: the values of the keys that their file has say of which.

    A published figure is of runs with the setting, too, that index.yaml has for its source. `score` is the column of
    scores, `along` the axis of curves. The rows are `marks` as of `sweep_figure`, with their `source`.
    """
    rows_of_others, keys = [], setting_keys(read_table(folder / "results.csv"))
    stated = {verdict["source"]: verdict.get("setting", "").split() for verdict in entry.get("verdicts", [])}
    for file, (source, marker) in SOURCES.items():
        path = folder / f"{file}.csv"
        table = read_table(path) if path.exists() else pd.DataFrame({source: []})
        shared = [key for key in keys if key in table]
        for (name, *values), part in settings(table, [source, *shared]):
            words = [f"{key}={word(value)}" for key, value in zip(shared, values, strict=True)]
            runs = matching(rows, [*words, *stated.get(name, [])])
            if runs["setting"].nunique() == 1:
                rows_of_others += [(name, marker, runs["run"].iloc[0], *mark) for mark in _marks(part, score, along)]
    return pd.DataFrame(rows_of_others, columns=["source", "marker", "run", "value", "low", "high", "at"])


def _marks(part: pd.DataFrame, score: str, along: str) -> Iterator[tuple[float, ...]]:
    """Means of others, their intervals and places along curves: nan beside scores; none by seconds of others."""
    blocks = _blocks(part.assign(run=0), along if along in ("episodes", "moves") else "none")
    parts = [(block["at"].mean(), block["mean"]) for _, block in blocks.groupby("episode")]
    for at, column in [(math.nan, part.get(score, part.iloc[:0, 0])), *parts]:
        values = column.dropna().to_numpy(float)
        if len(values):
            yield values.mean(), *mean_interval(values), at


def drawers(folder: Path, home: Path = EXPERIMENTS) -> dict[str, Callable[[Path], str]]:
    """What draws each figure of an experiment, and gives its caption."""
    usual = {"figure.png": partial(draw_results, home=home)} if is_shown(folder, "figure.png") else {}
    page = folder.relative_to(home).parts[0]
    analysed = import_module(f"experiments.{page}.analyse") if (home / page / "analyse.py").exists() else None
    drawings = OWN | getattr(analysed, "FIGURES", {})
    extra = {picture: draw for file, (picture, draw) in drawings.items() if (folder / file).exists()}
    budget = {"figure.png": curve.draw} if entry_of(folder.name, home).get("curves") == "budgets" else {}
    return usual | extra | budget


def main(*experiments: str, home: Path = EXPERIMENTS) -> None:
    known = folders(home)
    for folder in [known[name] for name in experiments or known]:
        for file, draw in drawers(folder, home).items():
            write_caption(folder, file, draw(folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
