"""Marks in the figures of the experiments: what optimal play earns, and what was published."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import ScaledTranslation

from experiments.tools.others import Other, others
from tdl.results.design import Scale, colour_key, names_of, values_of
from tdl.results.style import FONT

GAP = "gap"
"""The column of scores that are distances from optimal play."""

STARS, LINES, DIAMONDS, BANDS = "stars", "black lines", "diamonds with bars", "black lines with bands"
"""What marks a published figure and, where a figure has no keys, its score; likewise the mean of a peer's seeds."""

LEFT = "stars, left of means"
"""What marks a published score, and the means of blocks of the same source."""

POINTS = 72
"""To an inch."""

BESIDE = -7
"""Points by which marks stand beside the means of our runs, so that they do not hide them: where no dots are."""

Panel = tuple[Axes, pd.DataFrame]
"""Axes, and the runs or blocks that are drawn there."""


@dataclass(frozen=True)
class Drawn:
    """A figure of runs.

    Attributes
    ----------
    rows : all runs, by `run`, with the values of their keys and their figures.
    keys : those of the axis, of the colours and of the panels.
    score : the column of results.csv that the panels of scores show.
    scores, curves : the panels.
    along : what curves go by: episodes, moves or seconds of training.
    """

    figure: Figure
    rows: pd.DataFrame
    keys: list[str]
    score: str
    scores: list[Panel]
    curves: list[Panel]
    along: str

    @classmethod
    def of(
        cls, figure: Figure, rows: pd.DataFrame, keys: list[str], score: str,
        panels: tuple[list[pd.DataFrame], list[pd.DataFrame]], along: str,
    ) -> Drawn:  # fmt: skip
        """A figure with panels as of `tdl.results.sweep_figure.sweep_panels`."""
        scores, curves = panels
        both = list(zip(figure.axes, [*scores, *curves], strict=True))
        return cls(figure, rows, keys, score, both[: len(scores)], both[len(scores) :], along)


def mark_optimum(drawn: Drawn) -> None:
    """A line at what optimal play earns, in each panel of one game; scores that are distances from it need none."""
    shown = [] if drawn.score == GAP else drawn.scores
    for axes, runs in [*shown, *drawn.curves]:
        optima = drawn.rows.loc[drawn.rows["run"].isin(runs["run"]), "optimal"].dropna().unique()
        if len(optima) != 1:
            continue
        (optimum,) = optima
        axes.axhline(optimum, color="black", linestyle="--", linewidth=0.9)
        at = "axes fraction", "data"
        axes.annotate("optimal play", (1, optimum), (-2, 2), at, "offset points", ha="right", size=FONT - 1)
        axes.set_ylim(top=max(axes.get_ylim()[1], 1.1 * optimum))
    for panels in (shown, drawn.curves):  # as before: one range for all
        for axes, _ in panels:
            axes.set_ylim(top=max(each.get_ylim()[1] for each, _ in panels))


def mark_published(drawn: Drawn, folder: Path, entry: dict[str, Any]) -> str:
    """Mark the figures of `others` where they belong to one panel; what the text under the figure says of it."""
    told: dict[str, list[str]] = {}
    for other in others(drawn.rows, folder, entry):
        if other.name == drawn.score and (panel := _only(drawn.scores, other.runs)):
            _tell(told, _mark_score(drawn, panel, other), other)
        place = other.along.get(drawn.along)
        if place and (panel := _only(drawn.curves, other.runs)):
            _tell(told, _mark(drawn, panel, place, other), other)
            _hold(drawn.curves, other)
    if LEFT in told:
        told[LEFT] = [*dict.fromkeys([*told[LEFT], *told.pop(STARS, [])])]
    by = {STARS: "published by ", LEFT: "published by ", LINES: "published by "}
    return " ".join(f"{kind.capitalize()}: {by.get(kind, '')}{' and '.join(told[kind])}." for kind in sorted(told))


def _tell(told: dict[str, list[str]], kind: str, other: Other) -> None:
    """Say once what a kind of mark stands for."""
    text = other.source
    if other.interval:
        text = f"means of {other.source} over its seeds and their 95% intervals"
        text += f", after {other.episodes:,} games" if kind == BANDS and other.episodes else ""
    if kind and text not in told.setdefault(kind, []):
        told[kind].append(text)


def _only(panels: Sequence[Panel], runs: pd.Series) -> Panel | None:
    """The panel that shows some of the runs, with what it shows of them; None where several do."""
    found = [(axes, rows[rows["run"].isin(runs)]) for axes, rows in panels]
    found = [(axes, rows) for axes, rows in found if len(rows)]
    return found[0] if len(found) == 1 else None


def _mark_score(drawn: Drawn, panel: Panel, other: Other) -> str:
    """A mark beside the means of the value of the axis' key; without keys a line. Nothing where runs have several."""
    axes, runs = panel
    if not drawn.keys:
        axes.axhline(other.value, color="black", linewidth=0.9)
        _hold(drawn.scores, other)
        if other.interval:
            axes.axhspan(*other.interval, color="black", alpha=0.1, linewidth=0)
        return BANDS if other.interval else LINES
    values = values_of(runs[drawn.keys[0]])
    if len(values) > 1:
        return ""
    (name,) = Scale("names", tuple(values)).labels
    places = {text.get_text(): x for text, x in zip(axes.get_xticklabels(), axes.get_xticks(), strict=True)}
    _hold(drawn.scores, other)
    return _mark(drawn, panel, places[name], other, BESIDE)


def _mark(drawn: Drawn, panel: Panel, x: float, other: Other, beside: float = 0) -> str:
    """A star, or an open diamond with its bar, in the colour of its setting; black, where that is several or none."""
    axes, rows = panel
    key = colour_key(drawn.keys)
    values = values_of(rows[key]) if key else []
    colours = [
        line.get_color()
        for legend in drawn.figure.legends
        for text, line in zip(legend.get_texts(), legend.get_lines(), strict=True)
        if [text.get_text()] == names_of(values)
    ]
    colour = colours[0] if colours else "black"
    place = axes.transData + ScaledTranslation(beside / POINTS, 0, drawn.figure.dpi_scale_trans)
    if other.interval is None:
        star(axes, x, other.value, colour, transform=place)
        return LEFT if beside else STARS
    axes.plot([x] * 2, other.interval, "-", color=colour, linewidth=0.8, zorder=4, gid=DIAMONDS, transform=place)
    axes.plot([x], [other.value], "D", color=colour, markerfacecolor="none", markeredgewidth=1, markersize=5.5,
              zorder=5, clip_on=False, transform=place)  # fmt: skip
    return DIAMONDS


def star(axes: Axes, x: float, y: float, colour: str, **more: Any) -> None:
    """The mark of a published figure."""
    axes.plot([x], [y], "*", color=colour, markeredgecolor="black", markeredgewidth=0.6, markersize=9, zorder=5,
              clip_on=False, **more)  # fmt: skip


def _hold(panels: Sequence[Panel], other: Other) -> None:
    """Make the axes, which have one range, hold a figure with its interval and some room around them."""
    low, high = panels[0][0].get_ylim()
    least, most = other.interval or (other.value, other.value)
    room = 0.06 * (max(high, most) - min(low, least))
    for axes, _ in panels:
        axes.set_ylim(min(low, max(0, least - room)), max(high, most + room))
