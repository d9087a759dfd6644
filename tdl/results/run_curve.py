"""The plot of a run: its learning curve and reach rates, with the games after training beside them.

By matplotlib alone: a run does not wait for seaborn.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from tdl.results.design import with_progress
from tdl.results.frames import SCORE, SCORE_BOUNDS, load, read, row_of
from tdl.results.labels import held_fixed
from tdl.results.style import BLUE, GREY, THOUSANDS, WIDTH, new_figure, save, style, tile_colour
from tdl.statistics.intervals import interval_text, share_interval
from tdl.storage.run_folder import RunFolder

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Row = Mapping[str, Any]

MAX_TILES = 6  # the most reach rates, those of the largest tiles
BESIDE = 1.04  # where games after training stand, in lengths of the training


def save_curve(path: Path) -> None:
    """Write `curve.png` of a run: score and reach rates along its training, and those of the games after it."""
    folder = RunFolder(path)
    blocks, run = load(path), row_of(str(path), read(folder.result))
    save(curve(blocks, run), folder.curve, f"{held_fixed(blocks)}, seed {blocks['seed'].iloc[0]}.")


def curve(blocks: pd.DataFrame, run: Row | None = None) -> Figure:
    """Learning curve of one run, whose rows of `tdl.results.load` the blocks are, against what limits it.

    With `run`, its row of `tdl.results.runs`, games after training are marked with their 95% intervals.
    """
    blocks, along = with_progress(blocks)
    run = run if run and pd.notna(run.get(SCORE)) else {}
    title = f"Mean score {blocks['mean'].iloc[-1]:,.0f} in the last block of training"
    if run:
        mean = interval_text(*(float(run[name]) for name in (SCORE, *SCORE_BOUNDS)))
        title = f"Mean score {mean} in {run['evaluate.episodes']:,.0f} games after training"
    tiles = [name for name in blocks.columns if name.startswith("reach_") and blocks[name].max() > 0][-MAX_TILES:]
    with style():
        figure = new_figure(WIDTH, 2.9)
        score, reached = figure.subplots(1, 2)
        _line(score, blocks, "max", GREY, "best", {})
        _line(score, blocks, "mean", BLUE, "mean", run)
        for name in reversed(tiles):
            tile = int(name.removeprefix("reach_"))
            _line(reached, blocks, name, tile_colour(tile), str(tile), run)
        for axes in (score, reached):
            axes.set(xlabel=f"{along} of training", xlim=(0, blocks["at"].max() * (BESIDE + 0.04)))
            axes.xaxis.set_major_formatter(THOUSANDS)
        score.set(ylabel="score of a block of games", ylim=(0, None))
        score.yaxis.set_major_formatter(THOUSANDS)
        score.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3, borderaxespad=0.2)
        reached.set(ylabel="games that reached the tile", ylim=(0, 1.02))
        reached.yaxis.set_major_formatter(PercentFormatter(1))
        if tiles:
            reached.legend(title="tile", loc="center left", bbox_to_anchor=(1, 0.5))
        figure.suptitle(title, x=0.01, ha="left")
    return figure


def _line(axes: Axes, blocks: pd.DataFrame, name: str, colour: str, label: str, run: Row) -> None:
    """A column of the blocks, and the same of the games after training with its interval beside it."""
    axes.plot(blocks["at"], blocks[name], "." if len(blocks) == 1 else "-", color=colour, label=label)
    value = run.get(SCORE if name == "mean" else f"eval_{name}")
    if pd.isna(value):
        return
    games, of_scores = int(run["evaluate.episodes"]), name == "mean"
    bounds = [run[bound] for bound in SCORE_BOUNDS] if of_scores else share_interval(round(value * games), games)
    bars = np.nan_to_num(np.abs(np.reshape(bounds, (2, 1)) - value))
    axes.errorbar([BESIDE * blocks["at"].max()], [value], bars, fmt="D", color=colour, markersize=3.5, capsize=1.5,
                  elinewidth=1, label="after training" if of_scores else None)  # fmt: skip
