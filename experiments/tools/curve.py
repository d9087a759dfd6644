"""Makes results.csv and figure.png of networks that are judged along their training.

    python -m experiments.tools.curve EXPERIMENT FOLDER [FOLDER ...] [into=FOLDER]

The folders hold runs of one game, judged by their games after training, and evaluations of their checkpoints. A row
for each of both: the run's tuples, start rule and seed, the episodes, moves and core seconds that trained the network,
and its games by the depth of search. What trained the network of `init=` counts. `budget` is the number of moves,
rounded down to its first digit.
"""

import math
import sys
from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import EngFormatter, NullFormatter

import tdl.results
from experiments.tools import split_options, target_of
from experiments.tools.networks import TRAINED, with_training
from experiments.tools.summary import GREEDY
from experiments.tools.tables import interval
from tdl.results.palette import DASHES, colours
from tdl.results.style import THOUSANDS, WIDTH, caption, new_figure, save, style

NETWORK = ["tuples", "start", "budget", "seed"]
PLAYED = {"evaluate.plies": "plies", "search.downgrade": "downgrade", "evaluate.episodes": "games"}
STARTS = {"empty": "", "restart": " from the middle", "milestone": " from milestones", "carousel": " from stages"}
ROOM = 1.3
"""Height of the panels, in best means: the interval of two seeds may be several times as high."""

TILES = {"2048": (8192, 16384, 32768), "2584": (2584, 10946, 28657, 75025)}
"""Tiles by game, of which results.csv has the share of games that made them."""


def rows_of(folders: list[str]) -> pd.DataFrame:
    """The rows of results.csv."""
    judged = tdl.results.runs(folders)
    judged = judged[(judged["status"] == "finished") & judged["eval_mean"].notna()].reset_index(drop=True)
    rows = with_training(judged)
    rows["budget"] = rows["moves"].map(first_digit)
    rows["evaluate.plies"] = rows["evaluate.plies"].fillna(1).astype(int) if "evaluate.plies" in rows else 1
    (game,) = judged["game"].unique()
    reaches = {f"eval_reach_{tile}": f"reach_{tile}" for tile in TILES[game]}
    rows = rows.reindex(columns=[*NETWORK, *TRAINED, *PLAYED, *GREEDY, *reaches]).astype({"evaluate.episodes": int})
    rows = rows.rename(columns=PLAYED | GREEDY | reaches).fillna(dict.fromkeys(reaches.values(), 0.0))
    return rows.sort_values(["tuples", "start", "plies", "budget", "seed"]).round(dict.fromkeys(GREEDY.values(), 1))


def first_digit(moves: float) -> int:
    """A number rounded down to its first digit.

    >>> first_digit(2_182_377_258)
    2000000000
    """
    size = 10 ** int(math.log10(moves))
    return int(moves // size * size)


def draw(folder: Path) -> None:
    """Draw results.csv: mean scores by moves and by core seconds of training."""
    rows = pd.read_csv(folder / "results.csv")
    rows["network"] = rows["tuples"] + rows["start"].map(STARTS)
    colour = colours(sorted(rows["network"].unique()))
    dashes = dict(zip(sorted(rows["plies"].unique()), DASHES, strict=False))
    with style():
        figure = new_figure(WIDTH, 3.2)
        panels = figure.subplots(1, 2, sharey=True)
        for axes, along, label in zip(panels, ("moves", "core_seconds"), ("moves", "core seconds"), strict=True):
            for (network, plies), part in rows.groupby(["network", "plies"]):
                _line(axes, part, along, colour[network], dashes[plies])
            axes.set(xscale="log", xlabel=f"{label} of training")
            axes.xaxis.set_major_formatter(EngFormatter(sep=""))
            axes.xaxis.set_minor_formatter(NullFormatter())  # would label less than a decade on top of each other
            axes.yaxis.set_major_formatter(THOUSANDS)
            axes.set_ylim(0, ROOM * rows["greedy_mean"].max())
        panels[0].set_ylabel("mean score after training")
        kinds = rows[["network", "plies"]].drop_duplicates()
        lines = [Line2D([], [], color=colour[network], linestyle=dashes[plies], marker=".",
                        label=f"{network}, {plies}-ply")
                 for network, plies in kinds.itertuples(index=False)]  # fmt: skip
        figure.legend(handles=lines, loc="outside upper center", ncols=2)
        caption(
            figure,
            "Games after training. Thin lines: single seeds. Points: means over seeds, bars their 95% intervals "
            "(Student's t), cut off where two seeds tell little; open points: one seed, bars over its games. Core "
            "seconds are of several machines beside other work.",
        )
    save(figure, folder / "figure.png")


def _line(axes: Axes, rows: pd.DataFrame, along: str, colour: str, dash: str) -> None:
    """A thin line for each seed; over it the means of the budgets that several have, with bars, and no line.

    A line through means would join those of three seeds to those of one.
    """
    for _, seed in rows.sort_values(along).groupby("seed"):
        axes.plot(seed[along], seed["greedy_mean"], color=colour, linestyle=dash, linewidth=0.9, alpha=0.6)
    for _, part in rows.groupby("budget"):
        mean, low, high = interval(part, "greedy_mean")
        shape = {} if len(part) > 1 else {"markerfacecolor": "white"}
        axes.errorbar([part[along].mean()], [mean], [[mean - low], [high - mean]], color=colour, marker="o",
                      markersize=4, capsize=2, elinewidth=1, **shape)  # fmt: skip


def main(experiment: str, *words: str) -> None:
    """Write results.csv and figure.png."""
    folders, options = split_options(words, "into")
    target = target_of(options, experiment)
    if folders:
        rows_of(folders).to_csv(target / "results.csv", index=False)
    draw(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
