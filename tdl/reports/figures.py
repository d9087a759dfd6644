"""The figures of a report, each with what is seen in it, in words."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pandas as pd

from tdl.reports.page import Section
from tdl.reports.svg import Drawing, drawing
from tdl.results import plots
from tdl.results.comparison import REACH, SCORE, factors, means, reach_columns
from tdl.results.design import ordered
from tdl.results.frames import games
from tdl.statistics.intervals import interval_text
from tdl.storage.titles import title as title_of

Draw = Callable[..., object]

Panel = tuple[str, Draw, pd.DataFrame, str]
"""A figure to be drawn: its title, what draws it, its data, and what is seen."""


@dataclass(frozen=True)
class Runs:
    """What figures are drawn from.

    Attributes
    ----------
    begun : rows of `tdl.results.runs` for the runs that have played.
    played : those of them with a score.
    blocks : rows of `tdl.results.load`.
    failed : rows of runs that failed after they began, as learning diverged.
    """

    begun: pd.DataFrame
    played: pd.DataFrame
    blocks: pd.DataFrame
    failed: pd.DataFrame = field(default_factory=pd.DataFrame)

    @cached_property
    def keys(self) -> list[str]:
        """What the runs differ in, in the order of the axes."""
        return ordered(self.begun, factors(self.begun)) if len(self.begun) else []


def figures(runs: Runs) -> list[Section]:
    """All figures that there is something for."""
    panels = [_scores, _curves, _reach, _distributions, _heat, _speed]
    return [_section(panel, runs.keys) for find in panels for panel in find(runs)]


def distributions(runs: Runs, title: str) -> list[Section]:
    """The score distributions alone, under another title."""
    return [_section((title, draw, data, seen), runs.keys) for _, draw, data, seen in _distributions(runs)]


def _section(panel: Panel, keys: Sequence[str]) -> Section:
    title, draw, data, seen = panel
    return Section(title, drawing=_drawn(draw, data, keys, title, seen))


def _drawn(draw: Draw, data: pd.DataFrame, keys: Sequence[str], title: str, seen: str) -> Drawing:
    """The one place that knows how functions of `tdl.results.plots` are called."""
    return drawing(f"figure-{title.lower().replace(' ', '-')}", title, seen, lambda axes: draw(axes, data, keys))


def _scores(runs: Runs) -> Iterator[Panel]:
    if len(runs.played) > 1:
        scores = means(runs.played, runs.keys).sort_values("mean", ascending=False).to_dict("records")
        told = [(_name(row, runs.keys), interval_text(row["mean"], row["low"], row["high"])) for row in scores]
        seen = _ends(f"Mean score{_by(runs.keys)}", told, "best", "lowest")
        told_failed = f" {len(runs.failed)} runs {plots.failed_word(runs.failed)}." if len(runs.failed) else ""
        yield "Scores", plots.draw_scores, pd.concat([runs.played, runs.failed]), seen + told_failed


def _curves(runs: Runs) -> Iterator[Panel]:
    if runs.blocks.empty or runs.blocks.groupby("run").size().max() < 2:
        return
    last = runs.blocks.sort_values("episode").groupby("run").tail(1)
    first = runs.blocks.sort_values("episode").groupby("run").head(1)
    start = f"Mean score of a block of games against episodes, up to {last['episode'].max():,}{_by(runs.keys)}"
    if runs.keys:
        seen = _ends(start, _by_mean(last, runs.keys, "mean"), "highest in the last block", "lowest")
    else:
        seen = f"{start}: from {first['mean'].mean():,.0f} to {last['mean'].mean():,.0f}."
    yield "Learning curves", plots.draw_curves, runs.blocks, seen


def _reach(runs: Runs) -> Iterator[Panel]:
    names = reach_columns(runs.played)
    if not names:
        return
    tile = max(names, key=lambda name: runs.played[name].std() if len(runs.played) > 1 else 0.0)  # the most telling
    told = _by_mean(runs.played, runs.keys, tile, "{:.1%}")
    start = f"Share of games that reached each tile{_by(runs.keys)}; tile {tile.removeprefix(REACH)}"
    yield "Reach rates", plots.draw_reach, runs.played, _ends(start, told, "most often", "least often")


def _distributions(runs: Runs) -> Iterator[Panel]:
    if runs.played.empty:
        return
    data = games(runs.played["run"]).merge(runs.played[["run", *runs.keys]], on="run")
    if len(data):
        told = _by_median(data, runs.keys)
        start = f"Scores of {len(data):,} games{_by(runs.keys)}, up to {data['score'].max():,}; median"
        yield "Score distributions", plots.draw_distributions, data, _ends(start, told, "highest", "lowest")


def _heat(runs: Runs) -> Iterator[Panel]:
    if len(runs.keys) > 1 and len(runs.played):
        keys = runs.keys[:2]
        told = _by_mean(runs.played, keys, SCORE)
        yield "Heat map", plots.draw_heat, runs.played, _ends(f"Mean score{_by(keys)}", told, "highest", "lowest")


def _speed(runs: Runs) -> Iterator[Panel]:
    if len(runs.begun) > 1 and runs.begun["moves_per_second"].notna().any():
        told = _by_mean(runs.begun, runs.keys, "moves_per_second")
        start = f"Moves per second of training{_by(runs.keys)}"
        yield "Speed", plots.draw_speed, runs.begun, _ends(start, told, "fastest", "slowest")


Told = list[tuple[str, str]]
"""Settings with a figure as text, the highest first."""


def _by_mean(table: pd.DataFrame, keys: Sequence[str], column: str, form: str = "{:,.0f}") -> Told:
    return _told(table, keys, column, "mean", form)


def _by_median(table: pd.DataFrame, keys: Sequence[str]) -> Told:
    return _told(table, keys, "score", "median", "{:,.0f}")


def _told(table: pd.DataFrame, keys: Sequence[str], column: str, of: str, form: str) -> Told:
    if not keys:
        return [("", form.format(table[column].agg(of)))]
    values = table.groupby(list(keys), dropna=False, observed=True)[column].agg(of).dropna()
    rows = values.reset_index().sort_values(column, ascending=False, kind="stable")
    return [(_name(row, keys), form.format(row[column])) for row in rows.to_dict("records")]


def _name(row: Mapping[Hashable, Any], keys: Sequence[str]) -> str:
    return title_of({str(key): row[key] for key in keys})


def _by(keys: Sequence[str]) -> str:
    return f" by {' and '.join(filter(None, [', '.join(keys[:-1]), *keys[-1:]]))}" if keys else ""


def _ends(start: str, told: Told, high: str, low: str) -> str:
    """A sentence with the highest and the lowest of some settings."""
    (first, most), (last, least) = told[0], told[-1]
    if len(told) == 1:
        return f"{start}: {f'{first}, ' if first else ''}{most}."
    return f"{start}: {high} {first}, {most}; {low} {last}, {least}."
