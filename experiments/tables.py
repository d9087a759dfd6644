"""Tables of the experiments' csv files, as Markdown.

A document asks for one by a line, and the lines up to `<!-- end -->` are replaced:

    <!-- table FILE: KEY KEY | COLUMN COLUMN -->
    <!-- beside FILE PUBLISHED: KEY KEY | KEY -->

`table` has a row for each setting of the keys, with means over the rows of the file (one for each run) and 95%
intervals over them; where a setting has a single row, the interval that the file has for it (`mean_low`, `mean_high`:
over games). `runs` among the columns is their number, `finished` how many did not diverge. `beside` has a row for
each published figure, with ours under the values of the last keys; PUBLISHED names a `source` and has figures in
columns of the same names as FILE.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tdl.results.comparison import text_of
from tdl.statistics.intervals import mean_interval

MARK = re.compile(r"(<!-- (table|beside) ([^:]+): ([^|]*)\|([^>]*)-->\n).*?(<!-- end -->)", re.S)

SHARE = "reach_"
PERCENT = (SHARE, "gain")
"""Columns that hold shares of games, or changes by a share, begin so."""


COUNTS: dict[str, Any] = {
    "runs": lambda part: str(len(part)),
    "finished": lambda part: f"{(part['status'] == 'finished').sum()} of {len(part)}",
}
"""Columns that no file has."""

NONE = "no run came so far"
"""Stands beside a published figure of a setting whose runs all diverged before."""


class TableError(Exception):
    """A table that cannot be made."""


def filled(document: Path) -> str:
    """The text of a document with all of its tables made anew.

    Raises
    ------
    TableError : a file or column that is not there.
    """

    def made(found: re.Match[str]) -> str:
        opening, kind, files, first, second, closing = found.groups()
        frames = [_read(document.parent / name) for name in files.split()]
        try:
            rows = KINDS[kind](*frames, first.split(), second.split())
        except KeyError as error:
            raise TableError(f"{document}: {files}: no column {error}") from None
        return f"{opening}\n{_markdown(rows)}\n\n{closing}"

    text = document.read_text()
    if text.count("<!-- end -->") != len(MARK.findall(text)):
        raise TableError(f"{document}: a table's first or last line is wrong")
    return MARK.sub(made, text)


def table(frame: pd.DataFrame, keys: Sequence[str], columns: Sequence[str]) -> list[list[str]]:
    """A row for each setting; the first row is the head."""
    shown = [name for name in columns if name in COUNTS or frame[name].notna().any()]
    rows = [[*keys, *shown]]
    for values, part in _settings(frame, keys):
        cells = [COUNTS[name](part) if name in COUNTS else figure(part, name) for name in shown]
        rows.append([*map(text_of, values), *cells])
    return rows


def beside(
    frame: pd.DataFrame, published: pd.DataFrame, keys: Sequence[str], across: Sequence[str]
) -> list[list[str]]:
    """A row for each published figure, with ours for each value of the keys across."""
    ours = dict(_settings(frame, [*keys, *across]))
    shown = sorted({values[len(keys) :] for values in ours}, key=lambda values: [*map(str, values)])
    heads = [
        "ours" + "".join(f", {key}={text_of(v)}" for key, v in zip(across, values, strict=True)) for values in shown
    ]
    rows = [["source", *keys, "figure", "published", *heads]]
    for _, row in published.iterrows():
        setting = tuple(row[key] for key in keys)
        for name in published.columns.drop(["source", *keys]):
            if pd.isna(row[name]):
                continue
            cells = [_against(ours.get((*setting, *values)), name, row[name]) for values in shown]
            if any(cells):
                rows.append([str(row["source"]), *map(text_of, setting), name, _number(name, row[name]), *cells])
    return rows


KINDS: dict[str, Any] = {"table": table, "beside": beside}


def figure(part: pd.DataFrame, name: str) -> str:
    """The mean of the rows with its interval; words as they are."""
    if not pd.api.types.is_numeric_dtype(part[name]):
        return ", ".join(part[name].dropna().astype(str).unique())
    mean, low, high = _interval(part, name)
    if np.isnan(mean):
        return ""
    return _number(name, mean) + ("" if np.isnan(low) else f" [{_number(name, low)}, {_number(name, high)}]")


def _interval(part: pd.DataFrame, name: str) -> tuple[float, float, float]:
    values = part[name].dropna().to_numpy(float)
    if not len(values):
        return np.nan, np.nan, np.nan
    if len(part) == 1 and f"{name}_low" in part:
        return values[0], float(part[f"{name}_low"].iloc[0]), float(part[f"{name}_high"].iloc[0])
    low, high = mean_interval(values)
    if name.startswith(SHARE):
        low, high = max(low, 0.0), min(high, 1.0)
    return float(values.mean()), low, high


def _against(part: pd.DataFrame | None, name: str, published: float) -> str:
    """Ours, and where the published figure stands: in the interval of our mean, in that of a run of ours, or outside.

    The second is the interval of a single further run, whose variance is that of the mean times runs + 1.
    """
    if part is None or name not in part:
        return ""
    if part[name].isna().all():
        return NONE
    mean, low, high = _interval(part, name)
    if low <= published <= high:
        return f"{figure(part, name)}, inside"
    by = 100 * (mean - published) if name.startswith(PERCENT) else 100 * (mean / published - 1)
    difference = f"{by:+.1f}{' points' if name.startswith(PERCENT) else '%'}"
    runs = part[name].notna().sum()
    one_run = runs > 1 and abs(published - mean) <= mean_half(part[name]) * (runs + 1) ** 0.5
    return f"{figure(part, name)}, {difference}{', within a run' if one_run else ''}"


def mean_half(column: pd.Series) -> float:
    """Half the width of the interval of the mean."""
    low, high = mean_interval(column.dropna().to_numpy(float))
    return (high - low) / 2


def _settings(frame: pd.DataFrame, keys: Sequence[str]) -> list[tuple[tuple[Any, ...], pd.DataFrame]]:
    """The rows of each setting, in the order of the file."""
    if not keys:
        return [((), frame)]
    return [(values, part) for values, part in frame.groupby(list(keys), sort=False, dropna=False)]


def _number(name: str, value: float) -> str:
    if name.startswith(PERCENT):
        return f"{value:.1%}"
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"


def _read(path: Path) -> pd.DataFrame:
    try:
        return pd.read_csv(path)
    except FileNotFoundError:
        raise TableError(f"{path}: no such file") from None


def _markdown(rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in rows]
    return "\n".join([lines[0], "|---" * len(rows[0]) + "|", *lines[1:]])
