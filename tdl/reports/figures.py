"""The figures of a report, each with what is seen in it, in words."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from tdl.reports.page import Section
from tdl.reports.svg import drawing
from tdl.results import plots
from tdl.results.comparison import REACH, factors, means, reach_columns
from tdl.results.design import ordered
from tdl.results.frames import games
from tdl.results.labels import label
from tdl.results.style import new_figure, style
from tdl.results.sweep_figure import sweep_figure
from tdl.statistics.intervals import interval_text
from tdl.storage.titles import title as title_of

SIZE = (7.0, 3.9)
"""Inches; a page scales it."""


@dataclass(frozen=True)
class Runs:
    """What figures are drawn from.

    Attributes
    ----------
    table : rows of `tdl.results.runs` for all runs.
    begun : those that have played, without keys of one value.
    played : those of them with a score.
    blocks : rows of `tdl.results.load`.
    """

    table: pd.DataFrame
    begun: pd.DataFrame
    played: pd.DataFrame
    blocks: pd.DataFrame

    @cached_property
    def keys(self) -> list[str]:
        """What the runs differ in, in the order of the axes."""
        return ordered(self.begun, factors(self.begun)) if len(self.begun) else []


def figures(runs: Runs) -> list[Section]:
    """All figures that there is something for."""
    return [*_sweep(runs), *_reach(runs), *distributions(runs)]


def _sweep(runs: Runs) -> Iterator[Section]:
    """The figure of a sweep with its caption, as `tdl sweep` draws it."""
    several = runs.blocks.groupby("run").size().max() > 1 if len(runs.blocks) else False
    drawn = sweep_figure(runs.table, runs.blocks) if several or len(runs.played) > 1 else None
    if drawn:
        figure, caption = drawn
        seen = [*_scores(runs), *(_curves(runs) if several else []), caption]
        yield _section("Scores and learning curves", figure, " ".join(seen))


def _scores(runs: Runs) -> Iterator[str]:
    if len(runs.played):
        scores = means(runs.played, runs.keys).sort_values("mean", ascending=False).to_dict("records")
        told = [(_name(row, runs.keys), interval_text(row["mean"], row["low"], row["high"])) for row in scores]
        yield _ends(f"Mean score{_by(runs.keys)}", told, "best", "lowest")


def _curves(runs: Runs) -> Iterator[str]:
    blocks = runs.blocks[runs.blocks["run"].isin(runs.begun["run"])].sort_values("episode")
    if len(blocks):
        first, last = blocks.groupby("run").head(1), blocks.groupby("run").tail(1)
        start = f"Mean score of a block of games, up to episode {last['episode'].max():,}{_by(runs.keys)}"
        if runs.keys:
            yield _ends(start, _told(last, runs.keys, "mean", "mean"), "highest in the last block", "lowest")
        else:
            yield f"{start}: from {first['mean'].mean():,.0f} to {last['mean'].mean():,.0f}."


def _reach(runs: Runs) -> Iterator[Section]:
    names = reach_columns(runs.played)
    if names:
        # The tile in which runs differ most.
        tile = max(names, key=lambda name: runs.played[name].std() if len(runs.played) > 1 else 0.0)
        told = _told(runs.played, runs.keys, tile, "mean", "{:.1%}")
        start = f"Share of games that reached each tile{_by(runs.keys)}; tile {tile.removeprefix(REACH)}"
        seen = _ends(start, told, "most often", "least often")
        yield _section("Reach rates", _drawn(plots.draw_reach, runs.played, runs.keys), seen)


def distributions(runs: Runs, title: str = "Score distributions") -> Iterator[Section]:
    """The scores of single games."""
    if runs.played.empty:
        return
    data = games(runs.played["run"]).merge(runs.played[["run", *runs.keys]], on="run")
    if len(data):
        told = _told(data, runs.keys, "score", "median")
        start = f"Scores of {len(data):,} games{_by(runs.keys)}, up to {data['score'].max():,}; median"
        seen = _ends(start, told, "highest", "lowest")
        yield _section(title, _drawn(plots.draw_distributions, data, runs.keys), seen)


def _drawn(draw: Callable[..., object], data: pd.DataFrame, keys: Sequence[str]) -> Figure:
    with style():
        figure = new_figure(*SIZE)
        draw(figure.subplots(), data, keys)
    return figure


def _section(title: str, figure: Figure, seen: str) -> Section:
    return Section(title, drawing=drawing(f"figure-{title.lower().replace(' ', '-')}", title, seen, figure))


def _told(
    table: pd.DataFrame, keys: Sequence[str], column: str, of: str, form: str = "{:,.0f}"
) -> list[tuple[str, str]]:
    """Settings with a figure as text, the highest first."""
    if not keys:
        return [("", form.format(table[column].agg(of)))]
    values = table.groupby(list(keys), dropna=False, observed=True)[column].agg(of).dropna()
    rows = values.reset_index().sort_values(column, ascending=False, kind="stable")
    return [(_name(row, keys), form.format(row[column])) for row in rows.to_dict("records")]


def _name(row: Mapping[Hashable, Any], keys: Sequence[str]) -> str:
    return title_of({str(key): row[key] for key in keys})


def _by(keys: Sequence[str]) -> str:
    names = [label(key) for key in keys]
    return f" by {' and '.join(filter(None, [', '.join(names[:-1]), *names[-1:]]))}" if keys else ""


def _ends(start: str, told: list[tuple[str, str]], high: str, low: str) -> str:
    """A sentence with the highest and the lowest of some settings."""
    (first, most), (last, least) = told[0], told[-1]
    if len(told) == 1:
        return f"{start}: {f'{first}, ' if first else ''}{most}."
    return f"{start}: {high} {first}, {most}; {low} {last}, {least}."
