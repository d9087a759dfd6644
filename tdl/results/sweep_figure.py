"""The figure of a sweep: scores and learning curves of its settings, a panel for each value of the keys beyond two."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from tdl.results import captions
from tdl.results.comparison import SCORE
from tdl.results.design import WRAPPED, Looks, Scale, followers, names_of, setting_of, swept, values_of
from tdl.results.plots import (
    MAX_CURVES,
    add_strip,
    draw_curves,
    draw_scores,
    failed_in,
    failed_word,
    has_games,
    mark_failed,
    scored,
)
from tdl.results.style import WIDTH, caption, new_figure, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_FACETS = 9
"""The most panels of scores; of more combinations of keys the best are drawn."""

MAX_PANELS = 12
"""The most panels of curves; with more, each line is that of the best value of the first key."""

ACROSS = 4
"""The most panels in a row, where the values of no key stand in a row."""

MOST_ACROSS = 6

Panel = tuple[str, pd.DataFrame]
"""A title, and the runs or blocks that are drawn there."""


@dataclass
class _Sweep:
    """What a figure shows of a sweep: its runs, those with a score or failed, their blocks, its keys, notes."""

    table: pd.DataFrame
    played: pd.DataFrame
    blocks: pd.DataFrame
    keys: list[str]
    notes: list[str] = field(default_factory=list)

    @property
    def score_name(self) -> str:
        """What scores are of: of the last block of training where no games were played after it."""
        after = SCORE in self.table and self.table[SCORE].notna().any()
        return "mean score after training" if after else "mean score of the last block"

    @property
    def scores(self) -> bool:
        """Whether a run has a score."""
        return SCORE in self.played and bool(self.played[SCORE].notna().any())

    @property
    def curves(self) -> bool:
        """Whether a run has blocks enough for a curve."""
        return not self.blocks.empty and int(self.blocks.groupby("run").size().max()) > 1


def sweep_figure(table: pd.DataFrame, blocks: pd.DataFrame, keys: Sequence[str] | None = None) -> Figure | None:
    """The scores of a sweep's runs against its factors, and its learning curves; None where it has neither.

    The table is that of `tdl.results.runs`, the blocks those of `tdl.results.load`, none of evaluations. A key without
    a place on an axis or in the colours has panels of its own; the text under the figure says what is left out. `keys`
    are those of the axis, of the colours and of the panels; None: all that the runs differ in, as they fit best.
    """
    drawn = _drawn(table, blocks, keys)
    if not drawn.scores and not drawn.curves:
        return None
    looks = Looks(drawn.table, drawn.keys)
    scores, curves = _panels(drawn)
    with style():
        figure, score_axes, curve_axes = _axes(len(scores), len(curves), _columns(drawn, curves))
        scale = Scale.of(drawn.keys[0], drawn.table[drawn.keys[0]]) if drawn.keys else None
        for axes, (title, part) in zip(score_axes, scores, strict=True):
            draw_scores(axes, part, drawn.keys[:2], looks, scale, alone=False)
            axes.set(title=title, ylabel=drawn.score_name)
        for axes, (title, part) in zip(curve_axes, curves, strict=True):
            draw_curves(axes, part, drawn.keys, looks, legend=False)
            axes.set_title(title)
        for group in (score_axes, curve_axes):
            _align(group)
        if scale and len(failed_in(drawn.played)):
            for axes, (_, part) in zip(score_axes, scores, strict=True):
                add_strip(axes)
                mark_failed(axes, part, drawn.keys[:2], looks, scale)
        if _is_grid(drawn, curves):
            _name_grid(curve_axes, drawn, curves)
        _legend(figure, looks, failed_in(drawn.table))
        caption(figure, _text(drawn, table))
    return figure


def sweep_panels(
    table: pd.DataFrame, blocks: pd.DataFrame, keys: Sequence[str] | None = None
) -> tuple[list[pd.DataFrame], list[pd.DataFrame]]:
    """What the axes of `sweep_figure` show, in order: the runs of panels of scores, the blocks of those of curves."""
    drawn = _drawn(table, blocks, keys)
    scores, curves = _panels(drawn)
    return [rows for _, rows in scores], [rows for _, rows in curves]


def _drawn(table: pd.DataFrame, blocks: pd.DataFrame, given: Sequence[str] | None) -> _Sweep:
    """The runs that began, and those of a sweep with too many panels that did best."""
    failed = failed_in(table)
    played = scored(table, blocks)
    begun = table[table["run"].isin({*played["run"], *failed["run"], *(blocks["run"] if len(blocks) else ())})]
    keys = list(given) if given is not None else swept(begun) if len(begun) else []
    played = pd.concat([played, failed.reindex(columns=played.columns)]) if len(failed) else played
    drawn = _Sweep(begun, played, blocks, keys)
    if not keys[2:]:
        return drawn
    facet = setting_of(begun, keys[2:])
    if facet.nunique() > MAX_FACETS:
        by_run = dict(zip(begun["run"], facet.astype(str), strict=True))
        best = played.groupby(played["run"].map(by_run))[SCORE].max().sort_values(ascending=False).index[:MAX_FACETS]
        kept = {run for run, name in by_run.items() if name in best}
        drawn.notes.append(f"Of {facet.nunique()} combinations of {', '.join(keys[2:])} the {MAX_FACETS} best.")
        drawn.table, drawn.played = begun[begun["run"].isin(kept)], played[played["run"].isin(kept)]
        drawn.blocks = blocks[blocks["run"].isin(kept)] if len(blocks) else blocks
    return drawn


def _panels(drawn: _Sweep) -> tuple[list[Panel], list[Panel]]:
    """The panels of scores and those of curves."""
    return _score_panels(drawn) if drawn.scores else [], _curve_panels(drawn) if drawn.curves else []


def _score_panels(drawn: _Sweep) -> list[Panel]:
    """A panel for each combination of the keys beyond the second."""
    return _split(drawn.played, drawn.keys[2:]) if drawn.keys[2:] else [("", drawn.played)]


def _curve_panels(drawn: _Sweep) -> list[Panel]:
    """One panel for up to one key; else one for each value of all keys but that of the colours."""
    keys, blocks = drawn.keys, drawn.blocks
    if len(keys) < 2:
        return [("", _best_lines(drawn))]
    panels = _split(blocks, [*keys[2:], keys[0]])
    if len(panels) <= MAX_PANELS and blocks[keys[0]].nunique(dropna=False) <= MOST_ACROSS:
        return panels
    played = drawn.played[drawn.played[SCORE].notna()]
    if played.empty:  # nothing to choose by
        drawn.notes.append(f"Learning curves of {MAX_PANELS} of {len(panels)} combinations.")
        return panels[:MAX_PANELS]
    means = played.groupby(keys, dropna=False, observed=True)[SCORE].mean()
    best = means.groupby(keys[1:], dropna=False, observed=True).idxmax()
    chosen = played.set_index(keys).index.isin(list(best))
    drawn.notes.append(f"Learning curves: each {keys[1]} at its best {keys[0]}.")
    rows = blocks[blocks["run"].isin(played["run"][chosen])]
    return _split(rows, keys[2:]) if keys[2:] else [("", rows)]


def _best_lines(drawn: _Sweep) -> pd.DataFrame:
    """The blocks of as many settings as one panel has room for: the best."""
    setting = setting_of(drawn.blocks, drawn.keys)
    if setting.nunique() <= MAX_CURVES:
        return drawn.blocks
    last = drawn.blocks.groupby("run").tail(1)
    order = last["mean"].groupby(setting[last.index], observed=True).mean().sort_values(ascending=False).index
    drawn.notes.append(f"Learning curves: the {MAX_CURVES} best of {setting.nunique()} settings.")
    return drawn.blocks[setting.isin(order[:MAX_CURVES])]


def _split(rows: pd.DataFrame, keys: Sequence[str]) -> list[Panel]:
    """The rows of each setting of the keys, in order, each with its title."""
    groups = rows.groupby(setting_of(rows, keys), observed=True)
    return [(_title(part, keys), part) for _, part in groups]


def _title(rows: pd.DataFrame, keys: Sequence[str]) -> str:
    """The title of a panel: the values of keys, which all of its rows have."""
    text = ", ".join(f"{key.rpartition('.')[2]} {names_of(values_of(rows[key]))[0]}" for key in keys)
    return "\n".join(textwrap.wrap(text, WRAPPED))


def _is_grid(drawn: _Sweep, curves: Sequence[Panel]) -> bool:
    """Whether panels of curves have the values of the first key across, and those of the keys beyond two down."""
    if len(drawn.keys) < 3 or not curves:
        return False
    return len(curves) == drawn.blocks[drawn.keys[0]].nunique(dropna=False) * len(_split(drawn.blocks, drawn.keys[2:]))


def _columns(drawn: _Sweep, curves: Sequence[Panel]) -> int:
    """The number of panels of curves in a row."""
    if _is_grid(drawn, curves):
        return int(drawn.blocks[drawn.keys[0]].nunique(dropna=False))
    return _across(len(curves), ACROSS)


def _across(number: int, most: int) -> int:
    """How many of a number of panels stand in a row, so that the last row is as full as may be."""
    rows = -(-number // most)
    return -(-number // rows) if rows else 1


def _name_grid(group: Sequence[Axes], drawn: _Sweep, curves: Sequence[Panel]) -> None:
    """Names of columns above the first row, those of rows beside the first column."""
    columns = _columns(drawn, curves)
    for place, (axes, (_, part)) in enumerate(zip(group, curves, strict=True)):
        axes.set_title(_title(part, drawn.keys[:1]) if place < columns else "")
        if place % columns == 0:
            name = _title(part, drawn.keys[2:])
            axes.set_ylabel(f"{name}\nscore in training")


def _axes(scores: int, curves: int, columns: int) -> tuple[Figure, list[Axes], list[Axes]]:
    """Axes for panels of scores and of curves: side by side if one of each, else one group above the other."""
    if scores <= 1 and curves <= 1:
        figure = new_figure(WIDTH if scores and curves else 0.65 * WIDTH, 3.3)
        axes = list(figure.subplots(1, scores + curves, squeeze=False)[0])
        return figure, axes[:scores], axes[scores:]
    shapes = [_shape(scores, _across(scores, 3)), _shape(curves, columns)]
    heights = [rows * height for (rows, _), height in zip(shapes, (2.3, 1.75), strict=True) if rows]
    figure = new_figure(WIDTH, sum(heights) + 1.0)
    parts = list(figure.subfigures(len(heights), 1, height_ratios=heights, squeeze=False)[:, 0])
    groups: list[list[Axes]] = []
    for number, (rows, across) in zip((scores, curves), shapes, strict=True):
        grid = list(parts.pop(0).subplots(rows, across, squeeze=False).flat) if number else []
        for axes in grid[number:]:
            axes.remove()
        groups.append(grid[:number])
    return figure, groups[0], groups[1]


def _shape(number: int, across: int) -> tuple[int, int]:
    """Rows and columns for a number of panels."""
    return (-(-number // across), across) if number else (0, 0)


def _align(group: Sequence[Axes]) -> None:
    """Axes with the same range, named at the edges only."""
    if len(group) < 2:
        return
    low, high = min(axes.get_ylim()[0] for axes in group), max(axes.get_ylim()[1] for axes in group)
    widest = max(axes.get_xlim()[1] for axes in group)
    columns = group[0].get_gridspec().ncols  # type: ignore[union-attr]
    for axes in group:
        axes.set_ylim(low, high)
        if axes.get_xlabel() == "episodes":
            axes.set_xlim(right=widest)
    for place, axes in enumerate(group):
        if place % columns:
            axes.set_ylabel("")
            axes.tick_params(labelleft=False)
        if place + columns < len(group):
            axes.set_xlabel("")
            axes.tick_params(labelbottom=axes.get_xlim() != group[place + columns].get_xlim())


def _legend(figure: Figure, looks: Looks, failed: pd.DataFrame) -> None:
    """Above all panels: the colours, and the cross of failed runs."""
    names = names_of(looks.values) if looks.key else []
    handles: list[Any] = [
        Line2D([], [], color=looks.colour(value), marker="o", markersize=4.5, label=name)
        for value, name in zip(looks.values, names, strict=bool(looks.key))
    ]
    if len(failed):
        word = failed_word(failed)
        handles.append(Line2D([], [], color="#444444", marker="x", linestyle="none", markeredgewidth=1.5, label=word))
    if handles:
        figure.legend(handles=handles, title=looks.key, loc="outside upper center", ncols=min(8, len(handles)))


def _text(drawn: _Sweep, everything: pd.DataFrame) -> str:
    """The text under the figure."""
    table, keys = drawn.table, drawn.keys
    fixed, games = captions.held_fixed(table, keys), captions.games_of(table)
    shown = [captions.seeds_of(drawn.played[drawn.played[SCORE].notna()] if drawn.scores else table, keys)]
    several = "no intervals" not in shown[0]
    first = f"{'; '.join(text for text in (fixed, games, shown[0]) if text)}."
    parts = [f"Held fixed: {first}" if fixed else first]
    seen = drawn.scores and has_games(drawn.played) and not (keys and several)
    if several:
        what = ["Points are means over seeds, bars their 95% intervals (Student's t), faint dots single runs"]
        what = what if keys else ["Line and band: mean over seeds and its 95% interval (Student's t)"]
        bands = "bands likewise at each block" if drawn.scores else "Bands: 95% intervals over seeds (Student's t)"
        told = [
            *(what if drawn.scores else []),
            *([bands] if drawn.curves else []),
            *(["bars: over games"] if seen else []),
        ]
        parts.append(f"{'; '.join(told)}.")
    elif seen:
        parts.append("Bars: 95% intervals over games.")
    elif drawn.curves and drawn.blocks.groupby([*keys, "episode"], dropna=False, observed=True).size().max() > 1:
        parts.append("Bands: 95% intervals where curves are of several seeds (Student's t).")
    parts += [captions.goes_with(table, followers(table)), captions.failures_of(everything), *drawn.notes]
    return " ".join(part for part in parts if part)
