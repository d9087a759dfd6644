"""Marks in the figures of the experiments: what optimal play earns, and what was published."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.tools.index import matching, setting_keys, word
from experiments.tools.tables import read_table
from tdl.results.design import Scale, colour_key, names_of, values_of
from tdl.results.style import FONT

MEAN, THOUSAND = "mean_", 1000
"""`mean_10k` is the mean of the block that ends at 10,000 episodes."""

RUN_OF_A_PEER = ("program", "revision", "command")
"""Columns of peers.csv that say where a run is from."""

STARS, LINES = "stars", "black lines"

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
    by_seconds : curves go by seconds of training, not by episodes.
    """

    figure: Figure
    rows: pd.DataFrame
    keys: list[str]
    score: str
    scores: list[Panel]
    curves: list[Panel]
    by_seconds: bool

    @classmethod
    def of(
        cls, figure: Figure, rows: pd.DataFrame, keys: list[str], score: str,
        panels: tuple[list[pd.DataFrame], list[pd.DataFrame]], *, by_seconds: bool,
    ) -> Drawn:  # fmt: skip
        """A figure with panels as of `tdl.results.sweep_figure.sweep_panels`."""
        scores, curves = panels
        both = list(zip(figure.axes, [*scores, *curves], strict=True))
        return cls(figure, rows, keys, score, both[: len(scores)], both[len(scores) :], by_seconds)


def mark_optimum(drawn: Drawn) -> None:
    """A line at what optimal play earns, in each panel of scores; each is of one game."""
    for axes, runs in drawn.scores:
        (optimum,) = drawn.rows.loc[drawn.rows["run"].isin(runs["run"]), "optimal"].dropna().unique()
        axes.axhline(optimum, color="black", linestyle="--", linewidth=0.9)
        at = "axes fraction", "data"
        axes.annotate("optimal play", (1, optimum), (-2, 2), at, "offset points", ha="right", size=FONT - 1)
        axes.set_ylim(top=max(axes.get_ylim()[1], 1.1 * optimum))
    for axes, _ in drawn.scores:  # as before: one range for all
        axes.set_ylim(top=max(each.get_ylim()[1] for each, _ in drawn.scores))


def mark_published(drawn: Drawn, folder: Path, entry: dict[str, Any]) -> str:
    """Mark published figures where they belong to one panel; what the text under the figure says of it.

    A figure belongs to the panels that show runs of its setting: the values of the keys that its file has, and the
    setting that index.yaml has for its source.
    """
    kinds, published = set(), _read_published(folder)
    for name, value, runs in _published(drawn.rows, published, folder, entry):
        if name == drawn.score and (panel := _only(drawn.scores, runs)):
            kinds.add(_mark_score(drawn, panel, value))
        if name.startswith(MEAN) and not drawn.by_seconds and (panel := _only(drawn.curves, runs)):
            _star(drawn, panel, int(name.removeprefix(MEAN).removesuffix("k")) * THOUSAND, value)
            _hold(drawn.curves, value)
            kinds.add(STARS)
    told = [kind for kind in (STARS, LINES) if kind in kinds]
    what = " and ".join(published["what"].unique()) if told else ""
    return f"{' and '.join(told).capitalize()}: {what}." if told else ""


def _read_published(folder: Path) -> pd.DataFrame:
    """The rows of published.csv, and the means over the seeds of peers.csv; `what` says which."""
    parts = []
    if (folder / "published.csv").exists():
        parts.append(read_table(folder / "published.csv").assign(what="published figures"))
    if (folder / "peers.csv").exists():
        peers = read_table(folder / "peers.csv")
        keys = [key for key in setting_keys(peers) if key not in RUN_OF_A_PEER]
        means = peers.groupby(["program", *keys], sort=False, dropna=False).mean(numeric_only=True).reset_index()
        means = means.drop(columns="seed").rename(columns={"program": "source"})
        parts.append(means.assign(what="means of " + means["source"] + " over its seeds"))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=["source", "what"])


def _published(
    rows: pd.DataFrame, published: pd.DataFrame, folder: Path, entry: dict[str, Any]
) -> Iterator[tuple[str, float, pd.Series]]:
    """The published figures: column, value and our runs of that setting."""
    ours = read_table(folder / "results.csv")
    settings = {verdict["source"]: verdict.get("setting", "").split() for verdict in entry.get("verdicts", [])}
    keys = [key for key in setting_keys(ours) if key in published]
    for _, row in published.iterrows():
        setting = [f"{key}={word(row[key])}" for key in keys] + settings.get(row["source"], [])
        runs = matching(rows, setting)["run"]
        for name in published.columns.drop(["source", "what", *keys]):
            if pd.notna(row[name]):
                yield name, row[name], runs


def _only(panels: Sequence[Panel], runs: pd.Series) -> Panel | None:
    """The panel that shows some of the runs, with what it shows of them; None where several do."""
    found = [(axes, rows[rows["run"].isin(runs)]) for axes, rows in panels]
    found = [(axes, rows) for axes, rows in found if len(rows)]
    return found[0] if len(found) == 1 else None


def _mark_score(drawn: Drawn, panel: Panel, value: float) -> str:
    """A star above the value of the axis' key; without keys a line. Nothing where the runs have several values."""
    axes, runs = panel
    if not drawn.keys:
        axes.axhline(value, color="black", linewidth=0.9)
        _hold(drawn.scores, value)
        return LINES
    values = values_of(runs[drawn.keys[0]])
    if len(values) > 1:
        return ""
    (name,) = Scale("names", tuple(values)).labels
    places = {text.get_text(): x for text, x in zip(axes.get_xticklabels(), axes.get_xticks(), strict=True)}
    _star(drawn, panel, places[name], value)
    _hold(drawn.scores, value)
    return STARS


def _star(drawn: Drawn, panel: Panel, x: float, y: float) -> None:
    """A star in the colour of its setting; black, where that is several or there are no colours."""
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
    axes.plot([x], [y], "*", color=colour, markeredgecolor="black", markeredgewidth=0.6, markersize=9, zorder=5,
              clip_on=False)  # fmt: skip


def _hold(panels: Sequence[Panel], value: float) -> None:
    """Make the axes, which have one range, hold a value and some room around it."""
    low, high = panels[0][0].get_ylim()
    room = 0.06 * (max(high, value) - min(low, value))
    for axes, _ in panels:
        axes.set_ylim(min(low, max(0, value - room)), max(high, value + room))
