"""The figure of a run: its learning curve and reach rates, with the games after training beside them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from tdl.results import captions
from tdl.results.comparison import REACH
from tdl.results.frames import load, read, row_of
from tdl.results.palette import BLUE, GREY, VERMILION, tile_colour
from tdl.results.style import THOUSANDS, WIDTH, caption, from_zero, new_figure, save, style
from tdl.statistics.intervals import share_interval
from tdl.storage.run_folder import RunFolder

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_TILES = 6
"""The most reach rates that are drawn, those of the largest tiles."""

BESIDE = 1.04
"""Where the games after training stand, in episodes of the training."""


def save_curve(folder: Path) -> None:
    """Write `curve.png` of a run: score and reach rates against episodes, and those of the games after training."""
    place = RunFolder(folder)
    save(curve(load(folder), row_of(str(folder), read(place.result))), place.curve)


def curve(frame: pd.DataFrame, run: dict[str, Any] | None = None) -> Figure:
    """Learning curve of one run, whose rows of `tdl.results.load` the frame has.

    `run` is its row of `tdl.results.runs`: with games after training these are marked beside the curve, too.
    """
    run = run if run is not None and _has(run, "eval_mean") else None
    with style():
        figure = new_figure(WIDTH, 3.2)
        score, reached = figure.subplots(1, 2)
        _draw_scores(score, frame, run)
        _draw_reach(reached, frame, run)
        last = float(frame["episode"].max())
        for axes in (score, reached):
            axes.set_xlabel("episodes")
            axes.set_xlim(0, last * (BESIDE + 0.04 if run else 1.02))
            axes.xaxis.set_major_formatter(THOUSANDS)
            if run:
                axes.axvline(last * (1 + BESIDE) / 2, color=GREY, linewidth=0.6, linestyle=":")
        caption(figure, _text(frame, run))
    return figure


def _text(frame: pd.DataFrame, run: dict[str, Any] | None) -> str:
    """What is seen, of which run."""
    words = [captions.held_fixed(frame), f"seed {frame['seed'].iloc[0]}"]
    text = f"{', '.join(word for word in words if word)}. Lines: the games of training, a point per block."
    if run is None:
        return text
    games = f"{run['evaluate.episodes']:,.0f} " if _has(run, "evaluate.episodes") else ""
    return f"{text} Points at the end: {games}games without learning, with 95% intervals over these games."


def _has(run: dict[str, Any], key: str) -> bool:
    return key in run and pd.notna(run[key])


def _draw_scores(axes: Axes, frame: pd.DataFrame, run: dict[str, Any] | None) -> None:
    marker = "o" if len(frame) == 1 else ""
    axes.plot(frame["episode"], frame["max"], color=GREY, linewidth=0.8, marker=marker, markersize=4, label="best")
    axes.plot(frame["episode"], frame["mean"], color=BLUE, marker=marker, markersize=4, label="mean")
    if run:
        bars = [[run["eval_mean"] - run["eval_low"]], [run["eval_high"] - run["eval_mean"]]]
        axes.errorbar([BESIDE * frame["episode"].max()], [run["eval_mean"]], np.nan_to_num(bars), color=VERMILION,
                      marker="D", markersize=4, capsize=2, elinewidth=1.1, linestyle="none",
                      label="after training")  # fmt: skip
    axes.set_ylabel("score")
    from_zero(axes)
    axes.set_title("score of a block of games", pad=22)
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, columnspacing=1.2, handlelength=1.6)


def _draw_reach(axes: Axes, frame: pd.DataFrame, run: dict[str, Any] | None) -> None:
    columns = [name for name in frame.columns if name.startswith("reach_") and frame[name].max() > 0]
    marker = "o" if len(frame) == 1 else ""
    for name in columns[-MAX_TILES:]:
        tile = int(name.removeprefix("reach_"))
        axes.plot(frame["episode"], frame[name], color=tile_colour(tile), marker=marker, markersize=4, label=str(tile))
        if run and _has(run, f"{REACH}{tile}"):
            _mark_rate(axes, BESIDE * frame["episode"].max(), run, tile)
    axes.set_ylabel("games that reached the tile")
    axes.set_ylim(0, 1.02)
    axes.yaxis.set_major_formatter(PercentFormatter(1))
    axes.set_title("reach rates", pad=22)
    handles, labels = axes.get_legend_handles_labels()
    axes.legend(handles[::-1], labels[::-1], title="tile", loc="center left", bbox_to_anchor=(1, 0.5))


def _mark_rate(axes: Axes, place: float, run: dict[str, Any], tile: int) -> None:
    """The share of the games after training that reached a tile, with its interval."""
    rate, games = run[f"{REACH}{tile}"], run.get("evaluate.episodes")
    bounds = share_interval(round(rate * games), int(games)) if games else (rate, rate)
    bars = [[max(0.0, rate - bounds[0])], [max(0.0, bounds[1] - rate)]]
    axes.errorbar([place], [rate], bars, color=tile_colour(tile), marker="D", markersize=3, capsize=1.5,
                  elinewidth=0.9, linestyle="none")  # fmt: skip
