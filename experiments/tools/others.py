"""Figures of others beside ours: those of published.csv, and the means over the seeds of peers.csv."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pandas as pd

from experiments.tools.tables import matching, read_table, setting_keys, settings, training_means, word
from tdl.statistics.intervals import mean_interval

SOURCES = {"published": ("source", "*"), "peers": ("program", "D")}
"""The files with figures of others: the columns that say whose they are, and what marks them."""

TEXTS = {"*": "Stars: published by {}.", "D": "Diamonds: means of {} over its seeds, with 95% intervals."}

NO_FIGURES = ("revision", "command", "seed")
"""Columns of peers.csv."""


def others(rows: pd.DataFrame, folder: Path, entry: dict[str, Any], score: str, along: str) -> pd.DataFrame:
    """What others have beside our runs of one setting: the values of the keys that their file has say of which.

    A published figure is of runs with the setting, too, that index.yaml has for its source. Our rows have their
    `setting`, `score` is the column of scores, `along` what learning curves go by. The rows are `marks` as of
    `tdl.results.sweep_figure.sweep_figure`, with their `source`.
    """
    found, keys = [], setting_keys(read_table(folder / "results.csv"))
    stated = {verdict["source"]: verdict.get("setting", "").split() for verdict in entry.get("verdicts", [])}
    for file, (source, marker) in SOURCES.items():
        if not (folder / f"{file}.csv").exists():
            continue
        table = read_table(folder / f"{file}.csv")
        shared = [key for key in keys if key in table]
        for (name, *values), part in settings(table, [source, *shared]):
            words = [f"{key}={word(value)}" for key, value in zip(shared, values, strict=True)]
            runs = matching(rows, [*words, *stated.get(name, [])])
            if runs["setting"].nunique() != 1:
                continue
            means = part.drop(columns=[*NO_FIGURES, *shared], errors="ignore").select_dtypes("number")
            for column in means.dropna(axis="columns", how="all"):
                scores = means[column].dropna().to_numpy(float)
                figure = (name, marker, runs["run"].iloc[0], scores.mean(), *mean_interval(scores))
                found += [(*figure, place) for place in _places(means, column, score, along)]
    return pd.DataFrame(found, columns=["source", "marker", "run", "value", "low", "high", "at"])


def _places(means: pd.DataFrame, column: str, score: str, along: str) -> list[float]:
    """Where a figure is drawn: nan among the scores; a block on the axis of curves, but not by seconds of others."""
    places, moves = [math.nan] if column == score else [], column.replace("mean", "moves")
    if column in training_means(means) and along == "episodes":
        places.append(float(training_means(means)[column]))
    if column in training_means(means) and along == "moves" and moves in means:
        places.append(means[moves].mean())
    return places
