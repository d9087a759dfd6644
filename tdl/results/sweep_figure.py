"""The figure of a sweep: scores and learning curves of its settings, a row for each value of the keys beyond two."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from tdl.results.answers import finding
from tdl.results.design import is_upright, setting_of, sweep_keys, value_words, with_scores
from tdl.results.frames import SCORE, STOPPED
from tdl.results.labels import caption_of, label
from tdl.results.plots import AFTER, NO_MARKS, draw_curves, draw_scores, palette_of
from tdl.results.style import BLUE, WIDTH, new_figure, style

MAX_FACETS = 6  # the most rows, of the best combinations
HEIGHT, LINE, LETTERS = 2.3, 0.32, 12  # inches of a panel, and of a name there; letters of the title to an inch


def sweep_figure(
    table: pd.DataFrame, blocks: pd.DataFrame, keys: Sequence[str] | None = None, *, title: str | None = None,
    score: str | None = None, along: str | None = None, marks: pd.DataFrame = NO_MARKS,
) -> tuple[Figure, str] | None:  # fmt: skip
    """The scores of a sweep's runs against its factors, its learning curves, and the caption; None without any.

    Parameters
    ----------
    table, blocks : as of `tdl.results.runs` and `tdl.results.load`, none of evaluations.
    keys : those of the axis, of the colours and of rows of panels; None: all that runs differ in, as they fit best.
    title : None: the finding, as of `tdl.results.finding`.
    score : what scores are of; None: games after training, or without these the last block.
    along, marks : as of `tdl.results.plots.draw_curves`; marks without a place are beside scores.
    """
    runs = with_scores(table, blocks)
    keys = sweep_keys(runs) if keys is None else list(keys)
    scores = bool(runs[SCORE].notna().any())
    curves = len(blocks) > 0 and bool(blocks.groupby("run").size().max() > 1)
    if not scores and not curves:
        return None
    facets, left_out = _facets(runs, keys[2:])
    score = score or (AFTER if SCORE in table and table[SCORE].notna().any() else "mean score of the last block")
    palette, upright = palette_of(runs, keys[1:2] or keys), is_upright(runs, keys)
    palette = palette if keys[1:] or curves else dict.fromkeys(palette, BLUE)  # the axis tells them apart
    height = HEIGHT if upright else max(HEIGHT, LINE * runs[keys[0]].nunique(dropna=False))
    with style():
        figure = new_figure(WIDTH if scores and curves else 0.7 * WIDTH, len(facets) * height + 0.8)
        grid = figure.subplots(len(facets), scores + curves, squeeze=False, sharex="col", sharey="col",
                               width_ratios=None if keys or not scores or not curves else [1, 3])  # fmt: skip
        for (facet, part), panels in zip(facets, grid, strict=True):
            if scores:
                draw_scores(panels[0], part, keys[:2], palette, score, marks[marks["at"].isna()])
            if curves:
                rows = blocks[blocks["run"].isin(part["run"])]
                if STOPPED in part:
                    rows = rows.assign(**{STOPPED: rows["run"].map(part.set_index("run")[STOPPED])})
                draw_curves(panels[-1], rows, keys[:2], palette, along, marks.dropna(subset="at"))
            panels[0].set_title(", ".join(filter(None, (facet, panels[0].get_title(loc="left")))))
        _tidy(grid, legend=len(keys) > 1 or upright)
        title = finding(runs, keys) if title is None else title
        figure.suptitle(textwrap.fill(title, int(LETTERS * figure.get_figwidth())), x=0.01, ha="left")
    return figure, caption_of(table, runs, keys, curves=curves) + left_out


def _facets(runs: pd.DataFrame, keys: Sequence[str]) -> tuple[list[tuple[str, pd.DataFrame]], str]:
    """The runs of each combination of keys, under its name; of too many the best, and a note that says so."""
    names = {key: label(key) for key in keys}
    parts = [(", ".join(f"{name} {next(iter(value_words(part[key]).values()))}" for key, name in names.items()), part)
             for _, part in runs.groupby(setting_of(runs, keys), observed=True)]  # fmt: skip
    if len(parts) <= MAX_FACETS:
        return parts, ""
    best = sorted(parts, key=lambda part: part[1][SCORE].max(), reverse=True)[:MAX_FACETS]
    return best, f" Of {len(parts)} combinations of {', '.join(names.values())} the {MAX_FACETS} best."


def _tidy(grid: NDArray[Any], *, legend: bool) -> None:
    """Names of axes below all panels only, and one legend, that of the panel at the right above."""
    for axes in grid.flat:
        if axes.get_legend() and not (legend and axes is grid[0, -1]):
            axes.get_legend().remove()
    for axes in grid[:-1].flat:
        axes.set_xlabel("")
