"""Tables of an experiment's csv files: means with intervals over runs, and figures of others beside ours."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from experiments.tools.contrasts import shown
from tdl.statistics.intervals import Z95, contrast_interval, mean_interval, share_interval
from tdl.storage.titles import value_text

REACH = "reach_"
SHARES = (REACH, "gain")
"""Columns whose names begin so hold shares of games, or changes by a share."""

SIGNED = ("gain", "bias", "start_bias", "value_bias", "difference", "regret")
"""Columns whose names begin so may be below zero, and so may those that are."""

GREEDY, TRAINING_MEAN = "greedy_mean", re.compile(r"mean_\d+k")
"""The mean score of the games after training, and the names of means of training games."""

GAMES = 1000
"""Training games of a block, and so behind a figure as `reach_2048_10k`."""

PLAYED = ("greedy_games", "games")
"""Columns that may hold the number of games after training."""

COUNTS: dict[str, Any] = {
    "runs": lambda part: str(len(part)),
    "finished": lambda part: f"{(part['status'] == 'finished').sum()} of {len(part)}",
}
"""Columns that no file has: how to make them of the rows of a setting."""

INSIDE, WITHIN = "inside", "within a run"
NOT_REACHED = "no run came so far"
"""Beside a published figure: it lies in our interval, or in that of a further run of ours; all runs of the setting
diverged before."""


class TableError(Exception):
    """A table that cannot be made."""


def table(frame: pd.DataFrame, keys: Sequence[str], columns: Sequence[str]) -> list[list[str]]:
    """A row for each setting of the keys, with means over its runs; the first row is the head."""
    shown = [name for name in columns if name in COUNTS or frame[name].notna().any()]
    rows = [[*keys, *shown]]
    for values, part in settings(frame, keys):
        cells = [COUNTS[name](part) if name in COUNTS else figure(part, name) for name in shown]
        rows.append([*map(_text, values), *cells])
    return rows


def beside(
    frame: pd.DataFrame, published: pd.DataFrame, keys: Sequence[str], across: Sequence[str]
) -> list[list[str]]:
    """A row for each published figure, with ours in a column for each value of the keys across."""
    ours = dict(settings(frame, [*keys, *across]))
    shown = sorted({values[len(keys) :] for values in ours}, key=lambda values: [*map(str, values)])
    heads = [
        "ours" + "".join(f", {key}={_text(v)}" for key, v in zip(across, values, strict=True)) for values in shown
    ]
    rows = [["source", *keys, "figure", "published", *heads]]
    for _, row in published.iterrows():
        setting = tuple(row[key] for key in keys)
        for name in published.columns.drop(["source", *keys]):
            if pd.isna(row[name]):
                continue
            cells = [_against(ours.get((*setting, *values)), name, row[name]) for values in shown]
            if any(cells):
                rows.append([str(row["source"]), *map(_text, setting), name, number(name, row[name]), *cells])
    return rows


def compared(ours: pd.DataFrame, theirs: pd.DataFrame, keys: Sequence[str], names: Sequence[str]) -> list[list[str]]:
    """A row for each figure of a setting of another program, a run a row as ours; the first row is the head."""
    (program,), known = theirs["program"].unique(), dict(settings(ours, keys))
    rows = [[*keys, "figure", program, "seeds", "ours", "seeds", "difference", "can show"]]
    for values, part in settings(theirs, keys):
        for name in names:
            if values in known and part[name].notna().any():
                rows.append([*map(_text, values), name, *compare(known[values], part, name)])
    return rows


def compare(ours: pd.DataFrame, theirs: pd.DataFrame, name: str) -> list[str]:
    """Theirs and ours, each with its seeds; ours less theirs (`less`); and `contrasts.shown`."""
    means = [cell for part in (theirs, ours) for cell in (figure(part, name), str(part[name].notna().sum()))]
    least = _signed(name, shown([part[name].dropna().to_numpy(float) for part in (ours, theirs)])).lstrip("+")
    return [*means, less(ours, theirs, name), least + (_unit(name) if least else "")]


def less(ours: pd.DataFrame, theirs: pd.DataFrame, name: str) -> str:
    """The mean of a column less that of other runs, with Welch's 95% interval; of single runs by their games."""
    parts = [part[part[name].notna()] for part in (ours, theirs)]
    samples, errors = [part[name].to_numpy(float) for part in parts], [errors_of(part, name) for part in parts]
    total, *bounds = contrast_interval(samples, [1.0, -1.0], errors)
    if all(len(part) == 1 for part in parts):
        half = Z95 * float(np.hypot(*(each[0] for each in errors)))
        bounds = [total - half, total + half]
    low, high = (_signed(name, bound) for bound in bounds)
    return _signed(name, total) + (f" [{low}, {high}]" if low else "") + _unit(name)


def _unit(name: str) -> str:
    """What stands after a difference of two values of the column."""
    return " points" if name.startswith(SHARES) else ""


def settings(frame: pd.DataFrame, keys: Sequence[str]) -> list[tuple[tuple[Any, ...], pd.DataFrame]]:
    """The values of the keys and the rows of each setting, in the order of the file."""
    if not keys:
        return [((), frame)]
    return [(values, part) for values, part in frame.groupby(list(keys), sort=False, dropna=False)]


def _text(value: object) -> str:
    """A value of a key; no other key than the game has a game's name for a value.

    Where some values of a key are names, the csv file has the others, true and false, as words.
    """
    return value_text("game", {"True": True, "False": False}.get(str(value), value))


def figure(part: pd.DataFrame, name: str) -> str:
    """The mean of a column with its 95% interval; a column of words as it is."""
    if not pd.api.types.is_numeric_dtype(part[name]):
        return ", ".join(part[name].dropna().astype(str).unique())
    mean, low, high = interval(part, name)
    if np.isnan(mean):
        return ""
    return number(name, mean) + ("" if np.isnan(low) else f" [{number(name, low)}, {number(name, high)}]")


def number(name: str, value: float) -> str:
    """A value of the column `name` as text."""
    if name.startswith(SHARES):
        return f"{value:.1%}"
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"


def _signed(name: str, value: float) -> str:
    """A difference of two values of the column `name` as text, of shares in points; nothing for nan."""
    value = 100 * value if name.startswith(SHARES) else value
    return "" if np.isnan(value) else f"{value:+,.{0 if abs(value) >= 100 else 1}f}"


def position(part: pd.DataFrame, name: str, published: float) -> str:
    """Where a published figure lies: inside the interval of our mean, or by how much ours is above (+) or below (-).

    `within a run` says that it lies in the interval of a single further run of ours, whose variance is that of the
    mean times runs + 1.
    """
    mean, low, high = interval(part, name)
    if low <= published <= high:
        return INSIDE
    share = name.startswith(SHARES)
    difference = 100 * (mean - published) if share else 100 * (mean / published - 1)
    within = abs(published - mean) <= _half_width_of_a_run(part, name)
    return f"{difference:+.1f}{' points' if share else '%'}{', ' + WITHIN if within else ''}"


def unseen(part: pd.DataFrame, name: str) -> str:
    """How far a figure of one run may lie from our mean without a difference to be seen, as `position` says it."""
    mean, half = part[name].mean(), _half_width_of_a_run(part, name)
    if np.isnan(half):
        return ""
    return f"{100 * half:.1f} points" if name.startswith(SHARES) else f"{half / mean:.1%}"


def tells_little(part: pd.DataFrame, name: str) -> bool:
    """Whether `unseen` is more than half of our mean, and of shares more than ten points, too."""
    half = _half_width_of_a_run(part, name)
    return bool(half > 0.5 * part[name].mean() and half > (0.1 if name.startswith(SHARES) else 0))


def markdown(rows: Sequence[Sequence[str]]) -> str:
    """A table of Markdown, whose head is the first row."""
    lines = ["| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in rows]
    return "\n".join([lines[0], "|---" * len(rows[0]) + "|", *lines[1:]])


def read_table(path: Path) -> pd.DataFrame:
    """The rows of a csv file, with intervals of all training means, of which older rows have none.

    Those are taken to spread, in shares of their mean, like the training games of the same episodes in other rows.
    """
    try:
        table = pd.read_csv(path, dtype={"game": str})  # a name, though it is a number
    except FileNotFoundError:
        raise TableError(f"{path}: no such file") from None
    for name in filter(TRAINING_MEAN.fullmatch, table.columns):
        low, high = f"{name}_low", f"{name}_high"
        if low in table and table[low].notna().any():
            share = np.sqrt((((table[high] - table[low]) / 2 / table[name]) ** 2).mean())
            table[low] = table[low].fillna(table[name] * (1 - share))
            table[high] = table[high].fillna(table[name] * (1 + share))
    return table


def interval(part: pd.DataFrame, name: str) -> tuple[float, float, float]:
    """Mean and 95% interval over runs; of a single run the interval over its games that the file has."""
    values = part[name].dropna().to_numpy(float)
    if not len(values):
        return np.nan, np.nan, np.nan
    mean = float(values.mean())
    if len(part) == 1 and f"{name}_low" in part:
        return mean, float(part[f"{name}_low"].iloc[0]), float(part[f"{name}_high"].iloc[0])
    half = _half_width(part, name)
    low, high = mean - half, mean + half
    if not name.startswith(SIGNED) and values.min() >= 0:
        low = max(low, 0.0)
    return mean, low, min(high, 1.0) if name.startswith(REACH) else high


def _half_width(part: pd.DataFrame, name: str) -> float:
    """Half the width of the interval of the mean over runs, not less than what their games alone make it."""
    part = part[part[name].notna()]
    low, high = mean_interval(part[name].to_numpy(float), errors_of(part, name))
    return (high - low) / 2


def errors_of(part: pd.DataFrame, name: str) -> NDArray[np.float64]:
    """The standard error that its games alone give the figure of each run; nan where the file does not tell it.

    Of shares by Wilson's interval, so that a tile that no game made has one, too. Training games whose spread the file
    does not have are taken to be as many and to spread, in shares of their mean, like the games after training; a run
    that has none of these, like the other runs.
    """
    low, high = f"{name}_low", f"{name}_high"
    unknown = np.full(len(part), np.nan)
    errors = ((part[high] - part[low]) / 2 / Z95).to_numpy(float) if low in part else unknown
    if TRAINING_MEAN.fullmatch(name) and f"{GREEDY}_low" in part:
        shares = errors_of(part, GREEDY) / part[GREEDY].to_numpy(float)
        known = shares[~np.isnan(shares)]
        shares[np.isnan(shares)] = np.sqrt(np.mean(known**2)) if len(known) else np.nan
        return np.where(np.isnan(errors), shares * part[name].to_numpy(float), errors)
    if low in part:
        return errors
    played = next((part[column] for column in PLAYED if column in part), None)
    games = pd.Series(GAMES, part.index) if name.endswith("k") else played
    if not name.startswith(REACH) or games is None:
        return unknown
    bounds = [share_interval(round(p * n), int(n)) for p, n in zip(part[name], games, strict=True)]
    return np.array([(most - least) / 2 / Z95 for least, most in bounds])


def _half_width_of_a_run(part: pd.DataFrame, name: str) -> float:
    """The same of a single further run, whose variance is that of the mean times runs + 1; nan below two runs."""
    runs = int(part[name].notna().sum())
    return _half_width(part, name) * (runs + 1) ** 0.5 if runs > 1 else np.nan


def _against(part: pd.DataFrame | None, name: str, published: float) -> str:
    """Ours with its interval, and the position of the published figure; how much could be unseen, where it agrees."""
    if part is None or name not in part:
        return ""
    if part[name].isna().all():
        return NOT_REACHED
    where, power = position(part, name, published), unseen(part, name)
    agrees = power and (where == INSIDE or where.endswith(WITHIN))
    return ", ".join([figure(part, name), where, *[f"{power} unseen"] * bool(agrees)])
