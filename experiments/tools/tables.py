"""The csv files of experiments: rows of a setting, means of their columns, and intervals of these."""

import re
from collections.abc import Sequence
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tdl.statistics.intervals import Z95, contrast_interval, share_interval
from tdl.storage.titles import value_text

REACH, GREEDY = "reach_", "greedy_mean"  # shares of games, and the mean score of the games after training
TRAINING_MEAN = re.compile(r"mean_(\d+)k")
SHARES = (REACH, "gain")  # columns whose names begin so hold shares of games, or changes by a share
SIGNED = ("gain", "bias", "start_bias", "value_bias", "difference", "regret")  # which may be below 0
GAMES = 1000  # training games of a block, and so behind a figure as `reach_2048_10k`
PLAYED = ("greedy_games", "games")  # columns that may hold the number of games after training


class TableError(Exception):
    """What a page asks for cannot be had."""


def read_table(path: Path) -> pd.DataFrame:
    """The rows of a csv file, with intervals of all training means, of which older rows have none.

    Those are taken to spread, in shares of their mean, like the training games of the same episodes in other rows.
    """
    try:
        return _table(path.read_text())
    except FileNotFoundError:
        raise TableError(f"{path}: no such file") from None


@cache
def _table(text: str) -> pd.DataFrame:
    table = pd.read_csv(StringIO(text), dtype={"game": str})  # a name, though it is a number
    for name in training_means(table):
        low, high = f"{name}_low", f"{name}_high"
        if low in table:
            share = np.sqrt((((table[high] - table[low]) / 2 / table[name]) ** 2).mean())
            table[low] = table[low].fillna(table[name] * (1 - share))
            table[high] = table[high].fillna(table[name] * (1 + share))
    return table


def settings(frame: pd.DataFrame, keys: Sequence[str]) -> list[tuple[tuple[Any, ...], pd.DataFrame]]:
    """The values of the keys and the rows of each setting, in the order of the file."""
    return [*frame.groupby(list(keys), sort=False, dropna=False)] if keys else [((), frame)]


def setting_keys(frame: pd.DataFrame) -> list[str]:
    """The columns of a results.csv that hold the setting of a run: those before its seed."""
    return list(frame.columns[: list(frame.columns).index("seed")])


def training_means(frame: pd.DataFrame) -> dict[str, int]:
    """The columns of means of training games, as `mean_10k`, with the last episode of each."""
    return {name: 1000 * int(match[1]) for name in frame if (match := TRAINING_MEAN.fullmatch(name))}


def matching(frame: pd.DataFrame, where: Sequence[str]) -> pd.DataFrame:
    """The rows with all of the values, words `KEY=VALUE`, `KEY=VALUE,VALUE` or `KEY!=VALUE`; no key left out."""
    for key, sign, value in (re.split("(!?=)", each, maxsplit=1) for each in where):
        if key in frame:
            allowed = {value, *re.split(r",(?![^\[]*\])", value)}
            allowed |= {word(float(each)) for each in allowed if re.fullmatch(r"[\d.]+(e-?\d+)?", each)}
            frame = frame[frame[key].map(word).isin(allowed) == (sign == "=")]
    return frame


def word(value: object) -> str:
    """A value as a word of a setting: without blanks. Where a key has names, too, a csv file's booleans are text."""
    text = value_text("", value).replace(" ", "")
    return {"True": "true", "False": "false"}.get(text, text)


def interval(part: pd.DataFrame, name: str) -> tuple[float, float, float]:
    """Mean and 95% interval over runs; of a single run the interval over its games that the file has."""
    mean, low, high = over_runs(part, name)
    if len(part) == 1 and f"{name}_low" in part:
        return mean, float(part[f"{name}_low"].iloc[0]), float(part[f"{name}_high"].iloc[0])
    if not name.startswith(SIGNED) and part[name].min() >= 0:
        low = max(low, 0.0)
    return mean, low, min(high, 1.0) if name.startswith(REACH) else high


def over_runs(part: pd.DataFrame, name: str) -> tuple[float, float, float]:
    """Mean and interval over runs, not narrower than what their games alone make it."""
    part = part[part[name].notna()]
    return contrast_interval([part[name].to_numpy(float)], [1.0], [errors_of(part, name)])


def errors_of(part: pd.DataFrame, name: str) -> NDArray[np.float64]:
    """The standard error that its games alone give the figure of each run; nan where the file does not have it.

    Of shares by Wilson's interval, so that a tile of no game has one. Training games whose spread the file does not
    have are taken to be as many and to spread, in shares of their mean, like the games after training; a run that has
    none of these, like the other runs.
    """
    low, high = f"{name}_low", f"{name}_high"
    errors = ((part[high] - part[low]) / 2 / Z95).to_numpy(float) if low in part else np.full(len(part), np.nan)
    if TRAINING_MEAN.fullmatch(name) and f"{GREEDY}_low" in part:
        shares = pd.Series(errors_of(part, GREEDY)) / part[GREEDY].to_numpy(float)
        shares = shares.fillna((shares**2).mean() ** 0.5)
        return np.where(np.isnan(errors), shares * part[name].to_numpy(float), errors)
    played = next((part[column] for column in PLAYED if column in part), None)
    games = pd.Series(GAMES, part.index) if name.endswith("k") else played
    if low in part or not name.startswith(REACH) or games is None:
        return errors
    bounds = np.array([share_interval(round(p * n), int(n)) for p, n in zip(part[name], games, strict=True)])
    return (bounds[:, 1] - bounds[:, 0]) / 2 / Z95
