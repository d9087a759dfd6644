"""The figures of a run and of a sweep, drawn from data frames."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from tdl.game.merge_laws import game_title
from tdl.results import plots
from tdl.results.comparison import factors
from tdl.results.frames import load
from tdl.results.plots import THOUSANDS
from tdl.storage.atomic import new_file
from tdl.storage.run_folder import RunFolder

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Hydra prints what other loggers report: here, that the values of a key look like numbers.
logging.getLogger("matplotlib.category").setLevel(logging.WARNING)

MAX_TILES = 6
"""The most reach rates that are drawn, those of the largest tiles."""


def save_curve(folder: Path) -> None:
    """Write `curve.png` of a run: score and reach rates against episodes, one point per block."""
    with new_file(RunFolder(folder).curve) as file:
        curve(load(folder)).savefig(file, dpi=120, format="png")


def curve(frame: pd.DataFrame) -> Figure:
    """Learning curve of one run, whose rows of `tdl.results.load` the frame has."""
    sns.set_theme(style="whitegrid", context="notebook")
    figure = Figure(figsize=(11, 4.5), layout="constrained")
    score, reached = figure.subplots(1, 2)
    figure.suptitle(_title(frame.iloc[0]), fontsize="medium")
    _draw_scores(score, frame)
    _draw_reach(reached, frame)
    for axes in (score, reached):
        axes.set_xlabel("episodes")
        axes.set_xlim(left=0)
        axes.xaxis.set_major_formatter(THOUSANDS)
    return figure


def _title(run: pd.Series) -> str:
    """A run in a line: its game where that is not the default, network, learner and seed."""
    default = {"game": "pow2", "size": "4x4", "tiles": "p90_10", "placer": "random"}
    words = [game_title(str(run[key])) for key, value in default.items() if key in run and run[key] != value]
    first = [" ".join(words)] if words else []
    if "learner" not in run:  # no n-tuple network
        return ", ".join([*first, str(run["agent"]), f"seed {run['seed']}"])
    learner = f"{run['learner']} {run['learner.order']}, alpha {run['alpha']:g}, seed {run['seed']}"
    return ", ".join([*first, str(run["tuples"]), learner])


def _draw_scores(axes: Axes, frame: pd.DataFrame) -> None:
    named = frame.rename(columns={"max": "best"})
    long = named.melt("episode", ["mean", "best"], var_name="of the block", value_name="score")
    marker = "o" if len(frame) == 1 else None
    sns.lineplot(long, x="episode", y="score", hue="of the block", errorbar=None, marker=marker, ax=axes)
    axes.set_ylabel("score")
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(THOUSANDS)
    axes.set_title("score of a block of games")


def _draw_reach(axes: Axes, frame: pd.DataFrame) -> None:
    columns = [name for name in frame.columns if name.startswith("reach_") and frame[name].max() > 0]
    long = frame.melt("episode", columns[-MAX_TILES:], var_name="tile", value_name="rate")
    long["tile"] = long["tile"].str.removeprefix("reach_")
    marker = "o" if len(frame) == 1 else None
    sns.lineplot(long, x="episode", y="rate", hue="tile", palette="viridis_r", errorbar=None, marker=marker, ax=axes)
    axes.set_ylabel("games that reached the tile")
    axes.set_ylim(0, 1.02)
    axes.yaxis.set_major_formatter(PercentFormatter(1))
    axes.set_title("reach rates")
    axes.legend(title="tile", loc="center left", bbox_to_anchor=(1, 0.5))


def sweep_figure(table: pd.DataFrame, blocks: pd.DataFrame) -> Figure | None:
    """The scores of a sweep's finished runs against its factors, and its learning curves; None where it has neither.

    The table is that of `tdl.results.runs`, the blocks those of `tdl.results.load`, none of evaluations.
    """
    sns.set_theme(style="whitegrid", context="notebook")
    keys = plots.ordered(table, factors(table))
    played = plots.scored(table, blocks)
    panels: list[Callable[[Axes], None]] = []
    if len(played):
        panels.append(lambda axes: plots.draw_scores(axes, played, keys))
    if not blocks.empty and blocks.groupby("run").size().max() > 1:
        panels.append(lambda axes: plots.draw_curves(axes, blocks, keys))
    if not panels:
        return None
    figure = Figure(figsize=(14 if len(panels) > 1 else 7.5, 5.5), layout="constrained")
    for axes, draw in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
        draw(axes)
    return figure
