"""Figures of others beside ours: those of published.csv, and the means over the seeds of peers.csv."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pandas as pd

from experiments.tools.tables import matching, read_table, setting_keys, settings, word
from tdl.statistics.intervals import mean_interval

SOURCES = {"published": ("source", "*"), "peers": ("program", "D")}
"""The files with figures of others: the columns that say whose they are, and what marks them."""

TEXTS = {"*": "Stars: published by {}.", "D": "Diamonds: means of {} over its seeds, with 95% intervals."}

RUN_OF_A_PEER = ("revision", "command", "seed")
"""Columns of peers.csv that are no figures."""

BLOCK = r"mean_(\d+)k"
"""Columns of the means of blocks: `mean_10k` is that of the block that ends at 10,000 episodes."""


def others(rows: pd.DataFrame, folder: Path, entry: dict[str, Any], score: str, along: str) -> pd.DataFrame:
    """What others have beside our runs of one setting: the values of the keys that their file has say of which.

    A published figure is of runs with the setting, too, that index.yaml has for its source. Our rows have their
    `setting`, `score` is the column of scores, `along` what learning curves go by.

    Returns
    -------
    `marks` as of `tdl.results.sweep_figure.sweep_figure`, with their `source`.
    """
    found, keys = [], setting_keys(read_table(folder / "results.csv"))
    stated = {verdict["source"]: verdict.get("setting", "").split() for verdict in entry.get("verdicts", [])}
    for file, (source, marker) in SOURCES.items():
        table = read_table(folder / f"{file}.csv") if (folder / f"{file}.csv").exists() else pd.DataFrame({source: []})
        shared = [key for key in keys if key in table]
        for (name, *values), part in settings(table, [source, *shared]):
            words = [f"{key}={word(value)}" for key, value in zip(shared, values, strict=True)]
            runs = matching(rows, [*words, *stated.get(name, [])])
            means = part.drop(columns=[*RUN_OF_A_PEER, *shared], errors="ignore").select_dtypes("number")
            for column in means.dropna(axis="columns", how="all") if runs["setting"].nunique() == 1 else ():
                scores = means[column].dropna().to_numpy(float)
                figure = (name, marker, runs["run"].iloc[0], scores.mean(), *mean_interval(scores))
                found += [
                    (*figure, at) for at in ([math.nan] if column == score else []) + _places(means, column, along)
                ]
    return pd.DataFrame(found, columns=["source", "marker", "run", "value", "low", "high", "at"])


def _places(means: pd.DataFrame, column: str, along: str) -> list[float]:
    """Where a block has its place on the axis of curves, if it has one: by seconds of other machines it has none."""
    block, moves = re.fullmatch(BLOCK, column), column.replace("mean", "moves")
    if block and along == "episodes":
        return [1000.0 * int(block[1])]
    return [means[moves].mean()] if block and along == "moves" and moves in means else []
