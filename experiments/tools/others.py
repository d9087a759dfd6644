"""Figures of others that stand beside ours: those of published.csv, and the means over the seeds of peers.csv."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from experiments.tools.index import matching, setting_keys, word
from experiments.tools.tables import read_table, settings
from tdl.statistics.intervals import mean_interval

MEAN, THOUSAND = "mean_", 1000
"""`mean_10k` is the mean of the block that ends at 10,000 episodes."""

RUN_OF_A_PEER = ("program", "revision", "command")
"""Columns of peers.csv that say where a run is from."""


@dataclass(frozen=True)
class Other:
    """A figure of others.

    Attributes
    ----------
    source : who has it.
    name : its column, as in our results.csv.
    value : a published figure, or the mean over a program's seeds.
    interval : of that mean, 95%; None of a published figure.
    episodes : games of training of the program's runs; None of a published figure.
    runs : our runs of that setting, by `run`.
    moves : of training until then, the mean over a program's seeds; None where they are not known.
    """

    source: str
    name: str
    value: float
    interval: tuple[float, float] | None
    episodes: int | None
    runs: pd.Series
    moves: float | None = None

    @property
    def along(self) -> dict[str, float | None]:
        """Its place on the axis of learning curves, by what they go by; it has none by seconds, of other machines."""
        return {"episodes": self.block, "moves": self.moves}

    @property
    def block(self) -> int:
        """The episode at which the block ends that this is the mean of; 0 of other figures."""
        return int(self.name.removeprefix(MEAN).removesuffix("k")) * THOUSAND if self.name.startswith(MEAN) else 0


def others(rows: pd.DataFrame, folder: Path, entry: dict[str, Any]) -> list[Other]:
    """What others have beside our runs of an experiment: the values of the keys that their file has say of which.

    A published figure is of runs with the setting, too, that index.yaml has for its source.
    """
    ours = setting_keys(read_table(folder / "results.csv"))
    return [*_published(rows, folder / "published.csv", ours, entry), *_peers(rows, folder / "peers.csv", ours)]


def _published(rows: pd.DataFrame, file: Path, ours: list[str], entry: dict[str, Any]) -> Iterator[Other]:
    if not file.exists():
        return
    published = read_table(file)
    places = {verdict["source"]: verdict.get("setting", "").split() for verdict in entry.get("verdicts", [])}
    keys = [key for key in ours if key in published]
    for _, row in published.iterrows():
        runs = matching(rows, [*_words(keys, row[keys]), *places.get(row["source"], [])])["run"]
        for name in published.columns.drop(["source", *keys]):
            if pd.notna(row[name]):
                yield Other(row["source"], name, row[name], None, None, runs)


def _peers(rows: pd.DataFrame, file: Path, ours: list[str]) -> Iterator[Other]:
    if not file.exists():
        return
    peers = read_table(file)
    keys = [key for key in ours if key in peers and key not in RUN_OF_A_PEER]
    for values, part in settings(peers, ["program", *keys]):
        runs = matching(rows, _words(keys, values[1:]))["run"]
        figures = part.select_dtypes("number").columns.drop(["seed", "episodes", *keys], errors="ignore")
        for name in figures:
            scores = part[name].dropna().to_numpy(float)
            if len(scores):
                episodes = int(part["episodes"].max()) if "episodes" in part else None
                moves = f"moves_{name.removeprefix(MEAN)}" if name.startswith(MEAN) else ""
                after = part[moves].mean() if moves in part else None
                yield Other(str(values[0]), name, scores.mean(), mean_interval(scores), episodes, runs, after)


def _words(keys: list[str], values: Any) -> list[str]:
    return [f"{key}={word(value)}" for key, value in zip(keys, values, strict=True)]
