"""The figure of an experiment whose settings have names of their own: a row of scores and a curve for each.

For settings that are no full cross of their keys, so that panels by keys would be empty in part. Their names and keys
are the entry `rows` of index.yaml.
"""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

from experiments.tools.index import matching
from experiments.tools.marks import star
from experiments.tools.others import Other, others
from experiments.tools.tables import interval
from tdl.results.palette import CYCLE
from tdl.results.plots import FAINT, curve_of
from tdl.results.style import THOUSANDS, WIDTH, caption, dress, new_figure, style

WRAPPED = 30
"""The most letters in a line of a name."""

MOST_CURVES = 6

FAR = 8
"""Scores are on a logarithmic axis where the largest is so many times the least."""

Row = tuple[str, str, pd.DataFrame]
"""A setting's name, its colour and its runs."""


def rows_figure(
    table: pd.DataFrame, blocks: pd.DataFrame, entry: dict[str, Any], folder: Path, score: str, label: str
) -> Figure:
    """Scores of settings, a row for each, and their learning curves beside them, if there are any.

    Parameters
    ----------
    table : runs, with the values of their keys and their figures; `score` is that of the rows.
    blocks : those of the runs.
    entry, folder : of the experiment, for its `rows` and for the figures of others.
    label : what scores are of.
    """
    rows = _rows(table, entry)
    beside = others(table, folder, entry)
    curves = len(blocks) > 0 and len(rows) <= MOST_CURVES
    with style():
        height = max(2.6 if curves else 1.2, 0.34 * len(rows) + 0.9)
        figure = new_figure(WIDTH, height + 0.5)
        left, *right = figure.subplots(1, 2 if curves else 1, squeeze=False)[0]
        _draw_scores(left, rows, score, beside)
        left.set_xlabel(label)
        if "optimal" in table:
            (optimum,) = table["optimal"].dropna().unique()
            left.axvline(optimum, color="black", linestyle="--", linewidth=0.9, label="optimal play")
            left.legend(loc="lower right")
        for axes in right:
            _draw_curves(axes, rows, blocks, beside)
        caption(figure, _text(rows, score, beside, curves=curves))
    return figure


def _rows(table: pd.DataFrame, entry: dict[str, Any]) -> list[Row]:
    parts = [(row["name"], matching(table, row["setting"].split())) for row in entry["rows"]]
    shown = [(name, part) for name, part in parts if len(part)]
    few = len(shown) <= MOST_CURVES
    return [(name, CYCLE[place] if few else CYCLE[0], part) for place, (name, part) in enumerate(shown)]


def _draw_scores(axes: Axes, rows: list[Row], score: str, beside: list[Other]) -> None:
    dress(axes)
    values = pd.concat([part[score] for _, _, part in rows]).dropna()
    far = values.min() > 0 and values.max() > FAR * values.min()
    for place, (_, colour, part) in enumerate(rows):
        scores = part[score].dropna()
        if scores.empty:
            continue
        mean, low, high = interval(part.loc[scores.index], score)
        bars = None if np.isnan(low) else [[mean - low], [high - mean]]
        shape: dict[str, Any] = {} if len(scores) > 1 else {"markerfacecolor": "white"}
        axes.errorbar([mean], [place], None, bars, color=colour, marker="o", markersize=4.5, capsize=2,
                      linestyle="none", elinewidth=1.1, zorder=3, **shape)  # fmt: skip
        if len(scores) > 1:
            axes.scatter(scores, [place + 0.2] * len(scores), color=colour, **FAINT)
        for other in _of(beside, part):
            if other.name == score:
                star(axes, other.value, place - 0.25, colour)
    if far:
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 3)))
        axes.minorticks_off()
    elif values.min() < 0.6 * values.max():
        axes.set_xlim(left=0)
    axes.xaxis.set_major_formatter(THOUSANDS)
    axes.set_yticks(range(len(rows)), [textwrap.fill(name, WRAPPED) for name, _, _ in rows])
    axes.set_ylim(len(rows) - 0.5, -0.6)
    axes.grid(visible=False, axis="y")


def _draw_curves(axes: Axes, rows: list[Row], blocks: pd.DataFrame, beside: list[Other]) -> None:
    """The mean over all runs of a setting as far as all go; dashed those that go further."""
    dress(axes)
    for _, colour, part in rows:
        own = blocks[blocks["run"].isin(part["run"])]
        if own.empty:
            continue
        counts = own.groupby("episode")["run"].nunique()
        common = counts.index[counts == counts.max()]
        line = curve_of(own[own["episode"].isin(common)])
        marker = "" if len(line) > MOST_CURVES else "."
        axes.plot(line["episode"], line["mean"], "-" if counts.max() > 1 else "--", color=colour, marker=marker)
        axes.fill_between(line["episode"], line["low"], line["high"], color=colour, alpha=0.15, linewidth=0)
        further = own[own["episode"] >= common.max()]
        for _, run in further.groupby("run"):
            if len(run) > 1:
                axes.plot(run["episode"], run["mean"], "--", color=colour, marker=marker, linewidth=1)
        for other in _of(beside, part):
            if other.block:
                star(axes, other.block, other.value, colour)
    axes.set(xlabel="episodes", ylabel="mean score in training", xlim=(0, None), ylim=(0, None))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(THOUSANDS)


def _of(beside: list[Other], part: pd.DataFrame) -> list[Other]:
    """The figures of others that are of no other runs than these."""
    return [other for other in beside if len(other.runs) and {*other.runs} <= {*part["run"]}]


def _text(rows: list[Row], score: str, beside: list[Other], *, curves: bool) -> str:
    """The text under the figure."""
    counts = [part[score].notna().sum() for _, _, part in rows]
    told = {count for count in counts if count}
    seeds = f"n = {' to '.join(map(str, sorted({min(told), max(told)})))}"
    parts = [f"Points: means over seeds with 95% intervals (Student's t), {seeds}; faint dots: single runs."]
    parts = parts if told != {1} else []
    if 1 in told:
        games = any(f"{score}_low" in part for _, _, part in rows)
        parts.append("Open points: one run" + (", with the interval of its games." if games else "."))
    if 0 in counts:
        parts.append("A row without a point: no run of so many games.")
    if curves:
        parts.append("Curves: games of training, in the colours of the rows, where these are known; means over seeds, "
                     "bands their 95% intervals, dashed single runs.")  # fmt: skip
    shown = {run for _, _, part in rows for run in part["run"]}
    sources = dict.fromkeys(other.source for other in beside if {*other.runs} & shown)
    return " ".join([*parts, *[f"Stars: published by {' and '.join(sources)}."] * bool(sources)])
