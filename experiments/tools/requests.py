"""What a number on a page asks of a csv file: `222,700<!--= results.csv: greedy_mean | plies=1 -->`.

    <!--= FILE: COLUMN FORM | KEY=VALUE KEY=VALUE -->

FILE lies beside the page; nothing is pairs.csv where a `name` is asked for, else results.csv. The rows are those with
all of the values: `seed=33,34` allows both, `seed!=33` all others. Each is a run, and the text is the mean of their
COLUMN, rounded to what its interval allows (`rounded`). COLUMN may be `-COLUMN`, the negative value, `+COLUMN`, with
its sign, `COLUMN/1e6`, a part of it, and `COLUMN:.1%`, as Python formats it. FORM is a word of `FORMS`; nothing is
`mean`. For `interval`, runs that have none (`has_interval`) are listed, and more than `LISTED` of them are a range. In
a table, where a bar ends a cell, the bar is left out.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from experiments.tools.tables import SHARES, TableError, interval, matching, read_table
from tdl.statistics.intervals import has_interval

COMMENT = re.compile(r"<!--=(.*?)-->(?!`)", re.S)  # a request; one that a page shows between backticks is none
NUMBER = r"(?:[+-]?(?:\d[\d,]*)?\.?\d+%?|\?)"  # or the question mark of an author who leaves it to the command
BOUNDS, LIST, END = rf"\s+\[{NUMBER},\s+{NUMBER}\]", rf"(?:;\s+{NUMBER})+", rf"\s+to\s+{NUMBER}"
FORMS = {
    "mean": NUMBER,
    "interval": f"{NUMBER}(?:{BOUNDS}|{LIST}|{END})?",
    "each": f"{NUMBER}(?:{LIST})?",
    "range": f"{NUMBER}(?:{END})?",
    **dict.fromkeys(("min", "max", "sum", "count"), NUMBER),
}
"""The words that a request may have, and how the text before it looks."""

COLUMN = re.compile(r"(?P<sign>[+-]?)(?P<name>\w+(?:\.\w+)*)(?:/(?P<part>[\de.]+))?(?::(?P<format>\S+))?")
LISTED = 4
DIGITS, MOST_DIGITS, PART_OF_INTERVAL = 3, 4, 20
"""Digits of a number without an interval; of any; the last digit counts at most such a part of half an interval."""


@dataclass(frozen=True)
class Request:
    """A request, or a part of one: the heading and the first cell of a row ask together for a cell."""

    file: str = ""
    column: str = ""
    form: str = "mean"
    where: tuple[str, ...] = ()

    def __or__(self, other: Request) -> Request:
        """What this one asks for, and what the other asks for besides."""
        form = self.form if self.column else other.form
        return Request(self.file or other.file, self.column or other.column, form, (*self.where, *other.where))

    def with_file(self) -> Request:
        """The request of the file that is meant where it names none."""
        usual = "pairs.csv" if any(condition.startswith("name=") for condition in self.where) else "results.csv"
        return self if self.file else replace(self, file=usual)


def parsed(text: str) -> Request:
    """A request of its text between `<!--=` and `-->`.

    >>> parsed("results.csv: greedy_mean interval | plies=1")
    Request(file='results.csv', column='greedy_mean', form='interval', where=('plies=1',))
    >>> parsed("plies=1").where, parsed("results.csv: plies=1").column
    (('plies=1',), '')
    """
    words = text.replace("|", " ").split()
    file = words.pop(0)[:-1] if words and words[0].endswith(":") else ""
    named = [word for word in words if "=" not in word]
    column, form = (*named, "mean", "mean")[:2] if named else ("", "mean")
    if len(named) > 2 or form not in FORMS or (column and not COLUMN.fullmatch(column)):
        forms = ", ".join(FORMS)
        raise TableError(f"{' '.join(text.split())}: not FILE: COLUMN FORM | KEY=VALUE, FORM one of {forms}")
    return Request(file, column, form, tuple(word for word in words if "=" in word))


def answer(request: Request, folder: Path) -> str:
    """The text that a request asks for. A TableError names a file, column or row that is not there."""
    rows, match, form = rows_of(request, folder), COLUMN.fullmatch(request.column), request.form
    assert match
    name = match["name"]
    if form == "count":
        return f"{len(rows):,}"
    if name not in rows or rows[name].isna().all():
        raise TableError(f"{request.file} has no column {name}, or no value of it with {' '.join(request.where)}")
    rows = rows[rows[name].notna()]
    if form == "interval" and len(rows) > 1 and not has_interval(rows[name].to_numpy(float)):
        form = "each" if len(rows) <= LISTED else "range"
    values, half = _values(form, rows, name, (-1 if match["sign"] == "-" else 1) / float(match["part"] or 1))
    texts = [rounded(value, half, name.startswith(SHARES)) for value in values]
    if match["format"]:
        texts = [format(value, match["format"]) for value in values]
    if match["sign"] == "+":
        texts = [f"+{text}" if value > 0 else text for value, text in zip(values, texts, strict=True)]
    if form == "interval" and len(texts) == 3:
        return "{} [{}, {}]".format(*texts)
    return {"each": "; ", "range": " to "}.get(form, "").join(dict.fromkeys(texts) if form == "range" else texts)


def _values(form: str, rows: pd.DataFrame, name: str, factor: float) -> tuple[list[float], float]:
    """The numbers of a form, and half of an interval."""
    if form in ("mean", "interval"):
        mean, *bounds = (factor * value for value in interval(rows, name))
        half = abs(bounds[1] - bounds[0]) / 2
        return [mean] if form == "mean" or math.isnan(half) else [mean, *sorted(bounds)], half
    values = (factor * rows[name]).tolist()
    chosen = {"each": values, "range": [min(values), max(values)], "min": [min(values)], "max": [max(values)]}
    singles = [interval(rows.iloc[[i]], name) for i in range(len(rows))]
    half = max((abs(factor) * (high - low) / 2 for _, low, high in singles if high > low), default=math.nan)
    return chosen.get(form, [math.fsum(values)]), half


def rows_of(request: Request, folder: Path) -> pd.DataFrame:
    """The rows of its file that a request asks for."""
    table = read_table(folder / request.file)
    if absent := {re.split("!?=", word)[0] for word in request.where} - {*table.columns}:
        raise TableError(f"{request.file} has no column {', '.join(sorted(absent))}")
    rows = matching(table, request.where)
    if rows.empty:
        raise TableError(f"{request.file}: no row with {' '.join(request.where)}")
    return rows


def rounded(value: float, half: float = math.nan, share: bool = False) -> str:
    """A number as text, rounded to what half of its interval allows; a share in percent.

    >>> rounded(222735, 12895), rounded(421987765), rounded(0.5123, 0.08, share=True), rounded(0)
    ('222,700', '422,000,000', '51.2%', '0')
    """
    if share:
        return rounded(100 * value, 100 * half) + "%"
    if value == 0:
        return "0"
    first = math.floor(math.log10(abs(value)))
    known = half > 0 and math.isfinite(half)
    place = math.floor(math.log10(half / PART_OF_INTERVAL)) if known else first - DIGITS + 1
    place = max(place, first - MOST_DIGITS + 1)
    if not known and value == int(value) and abs(value) < 10**MOST_DIGITS:
        place = 0
    text = f"{round(value, -place) + 0.0:,.{max(0, -place)}f}"  # 0.0: no -0
    return text if known or "." not in text else text.rstrip("0").rstrip(".")
