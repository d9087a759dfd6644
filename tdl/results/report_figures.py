"""The figures of a report, each with what is seen in it, in words."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import pandas as pd
from matplotlib.figure import Figure

from tdl.results import plots
from tdl.results.comparison import REACH, means, reach_columns
from tdl.results.frames import begun_in, games
from tdl.results.labels import label
from tdl.results.report_page import Drawing, Section
from tdl.results.style import new_figure, style, write
from tdl.results.sweep_figure import sweep_figure
from tdl.results.tables import figures_in_words, intervals_in_words
from tdl.storage.titles import title as title_of

SIZE = (7.0, 3.9)
"""Inches; a page scales it."""


def sweep(table: pd.DataFrame, played: pd.DataFrame, blocks: pd.DataFrame, keys: Sequence[str]) -> Iterator[Section]:
    """The figure of a sweep with its caption, as that of `tdl run -m`.

    Parameters
    ----------
    table, played : rows of `tdl.results.runs`: all, and those with a score.
    blocks : rows of `tdl.results.load`.
    keys : what the runs differ in, in the order of the axes.
    """
    several = len(blocks) > 0 and blocks.groupby("run").size().max() > 1
    drawn = sweep_figure(table, blocks) if several or len(played) > 1 else None
    if drawn:
        figure, caption = drawn
        seen = [*_scores(played, keys), *(_curves(begun_in(blocks), keys) if several else []), caption]
        yield _section("Scores and learning curves", figure, " ".join(seen))


def _scores(played: pd.DataFrame, keys: Sequence[str]) -> Iterator[str]:
    if len(played):
        scores = means(played, keys)
        scores = scores.assign(words=intervals_in_words(scores, "mean", "low", "high"))
        yield _ends(f"Mean score{_by(keys)}", scores, keys, "mean", "best", "lowest")


def _curves(blocks: pd.DataFrame, keys: Sequence[str]) -> Iterator[str]:
    if len(blocks):
        ends = blocks.sort_values("episode").groupby("run")["mean"]
        start = f"Mean score of a block of games, up to episode {blocks['episode'].max():,}{_by(keys)}"
        if keys:
            last = _of_settings(blocks.loc[ends.tail(1).index], keys, "mean", "mean")
            yield _ends(start, last, keys, "mean", "highest in the last block", "lowest")
        else:
            yield f"{start}: from {ends.head(1).mean():,.0f} to {ends.tail(1).mean():,.0f}."


def reach_rates(played: pd.DataFrame, keys: Sequence[str]) -> Iterator[Section]:
    """The share of games that reached each tile; in words of the tile in which runs differ most."""
    if names := reach_columns(played):
        tile = max(names, key=lambda name: played[name].std() if len(played) > 1 else 0.0)
        start = f"Share of games that reached each tile{_by(keys)}; tile {tile.removeprefix(REACH)}"
        shares = _of_settings(played, keys, tile, "mean", ".1%")
        seen = _ends(start, shares, keys, tile, "most often", "least often")
        yield _section("Reach rates", _drawn(plots.draw_reach, played, keys), seen)


def distributions(played: pd.DataFrame, keys: Sequence[str], title: str = "Score distributions") -> Iterator[Section]:
    """The scores of the single games of some runs."""
    data = games(played["run"]).merge(played[["run", *keys]], on="run") if len(played) else played
    if len(data):
        start = f"Scores of {len(data):,} games{_by(keys)}, up to {data['score'].max():,}; median"
        seen = _ends(start, _of_settings(data, keys, "score", "median"), keys, "score", "highest", "lowest")
        yield _section(title, _drawn(plots.draw_distributions, data, keys), seen)


def _drawn(draw: Callable[..., object], data: pd.DataFrame, keys: Sequence[str]) -> Figure:
    with style():
        figure = new_figure(*SIZE)
        draw(figure.subplots(), data, keys)
    return figure


def _section(title: str, figure: Figure, seen: str) -> Section:
    """A section with a figure as SVG; all ids in it begin with its own, so that none is that of another figure."""
    file = io.BytesIO()
    write(figure, file, "svg")
    head, _, body = file.getvalue().decode().partition("</defs>")  # which hold a style, for all of the page
    (box,) = re.findall('viewBox="(.*?)"', head)
    name = re.compile(r'(?<= id=")|(?<=href="#)|(?<=url\(#)')
    section = Section(title)
    shapes = re.sub("<[^>]*>", lambda tag: name.sub(f"{section.slug}-", tag[0]), body.rpartition("</svg>")[0])
    return replace(section, drawing=Drawing(box, shapes, seen))


def _of_settings(
    table: pd.DataFrame, keys: Sequence[str], column: str, statistic: str, form: str = ",.0f"
) -> pd.DataFrame:
    """A figure of each setting, and the same in `words`."""
    by = [*keys, "all"]
    rows = table.assign(all=0).groupby(by, dropna=False, observed=True)[column].agg(statistic).dropna().reset_index()
    return rows.assign(words=figures_in_words(rows[column], form))


def _by(keys: Sequence[str]) -> str:
    names = [label(key) for key in keys]
    return f" by {' and '.join(filter(None, [', '.join(names[:-1]), *names[-1:]]))}" if keys else ""


def _ends(start: str, settings: pd.DataFrame, keys: Sequence[str], column: str, high: str, low: str) -> str:
    """A sentence with the settings of the highest and the lowest figure, in their `words`."""
    rows = settings.sort_values(column, ascending=False, kind="stable").to_dict("records")
    first, last = (", ".join(filter(None, (title_of({key: row[key] for key in keys}), row["words"])))
                   for row in (rows[0], rows[-1]))  # fmt: skip
    return f"{start}: {first}." if len(rows) == 1 else f"{start}: {high} {first}; {low} {last}."
