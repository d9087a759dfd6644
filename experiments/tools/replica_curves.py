"""Makes curves.csv, scores.csv, differences.csv and figure.png of an experiment with replicas.

    python -m experiments.tools.replica_curves EXPERIMENT FOLDER [FOLDER ...] [into=FOLDER]

Replicas play side by side, so the time of training goes by the moves that *each* of them plays: those of a block
divided by the replicas that play in it. curves.csv: the mean score of blocks of 1,000 games, and the moves of each
replica until then, in millions. scores.csv: these moves until a block first has a mean of 30,000, 60,000, ... points.
differences.csv, of the results.csv that `experiments.tools.collect` has made: how much more the merged network scores
than the one of a single replica, with a 95% interval over seeds and a p value corrected for all rows.
"""

import sys
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

import tdl.results
from experiments.tools import contrasts, split_options, target_of
from experiments.tools.tables import errors_of
from tdl.learning.rounds import ReplicaOptions
from tdl.results.palette import colours
from tdl.results.style import THOUSANDS, WIDTH, caption, new_figure, save, style
from tdl.statistics.intervals import mean_interval

EPISODES = [1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 45_000, 70_000, 95_000]
"""Points of the curves: none is the last block of a run, on 4x6 a round of its own, played nearer to a merge."""

SCORES = [30_000, 60_000, 100_000, 120_000]

POINTS = ["difference", "difference_low", "difference_high"]
"""Columns of differences.csv that are told in whole points."""

PANEL = ["tuples", "learner"]
KEYS = [*PANEL, "replicas", "seed"]


def blocks_of(folders: list[str]) -> pd.DataFrame:
    """The blocks of the runs without the last of each, with the moves of each replica so far, in millions."""
    blocks = tdl.results.load(folders)
    begins = blocks.groupby("run")["episode"].shift(fill_value=0)
    playing = [
        ReplicaOptions(replicas).active(first) for replicas, first in zip(blocks["replicas"], begins, strict=True)
    ]
    each = blocks["moves"] / playing / 1e6
    blocks = blocks.assign(moves_of_each=each.groupby(blocks["run"]).cumsum().round(2))
    last = blocks.groupby("run")["episode"].transform("max")
    return blocks[blocks["episode"] < last].sort_values([*KEYS, "episode"])


def scores(blocks: pd.DataFrame) -> pd.DataFrame:
    """The rows of scores.csv; empty where a score was not reached."""
    table = blocks[KEYS].drop_duplicates().set_index(KEYS)
    for score in SCORES:
        table[f"to_{score // 1000}k"] = blocks[blocks["mean"] >= score].groupby(KEYS)["moves_of_each"].min()
    return table.reset_index()


def differences(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of differences.csv, of those of results.csv; `p` is corrected by Holm for all of them."""
    settings = {tuple(key): part for key, part in rows.groupby([*PANEL, "replicas"])}
    several = [key for key in settings if key[-1] != 1]
    names = {key: " ".join(map(str, key)) for key in settings}
    table = contrasts.differences(
        {names[key]: part["greedy_mean"].to_numpy() for key, part in settings.items()},
        [(names[key], names[*key[:-1], 1]) for key in several],
        errors={names[key]: errors_of(part, "greedy_mean") for key, part in settings.items()},
    )
    keys = pd.DataFrame(several, columns=[*PANEL, "replicas"])
    return keys.join(table.drop(columns=["setting", "less", "interval"]).round(dict.fromkeys(POINTS, 0)))


def draw(folder: Path) -> None:
    """Draw curves.csv: scores against the games of all replicas, and against the moves of each."""
    rows = pd.read_csv(folder / "curves.csv")
    keys = [*PANEL, "replicas", "episode"]
    groups = rows.groupby(keys, as_index=False, sort=False)
    points = groups[["mean", "moves_of_each"]].mean()
    points[["low", "high"]] = [mean_interval(part["mean"].to_numpy()) for _, part in groups]
    less = pd.read_csv(folder / "differences.csv")
    panels = list(points.groupby(PANEL, sort=False))
    colour = colours(sorted(points["replicas"].unique()), numbers=True)
    with style():
        figure = new_figure(WIDTH, 6.2)
        grid = figure.subplots(3, len(panels), squeeze=False, sharex="row", sharey="row")
        for column, ((tuples, learner), panel) in zip(grid.T, panels, strict=True):
            for replicas, part in panel.groupby("replicas"):
                for axes, along in zip(column[:2], ("episode", "moves_of_each"), strict=True):
                    axes.plot(part[along], part["mean"], color=colour[replicas], marker=".")
                    axes.fill_between(
                        part[along], part["low"], part["high"], color=colour[replicas], alpha=0.15, linewidth=0
                    )
            column[0].set(title=f"{tuples}, {learner}", xlabel="games of all replicas", xscale="log")
            column[1].set(xlabel="million moves of each", xscale="log")
            column[0].xaxis.set_major_formatter(THOUSANDS)
            column[1].xaxis.set_major_formatter("{x:g}")
            _differences(column[2], less[(less[PANEL] == [tuples, learner]).all(axis=1)], colour)
            for axes in column[:2]:
                axes.yaxis.set_major_formatter(THOUSANDS)
        for axes in grid[:2, 0]:
            axes.set_ylabel("mean score in training")
            axes.set_ylim(bottom=0)  # of all panels of its row, so after the last of them
        grid[2, 0].set_ylabel("points more\nthan one replica")
        lines = [Line2D([], [], color=each, marker=".", label=str(number)) for number, each in colour.items()]
        grid[0, -1].legend(handles=lines, title="replicas", loc="upper left", bbox_to_anchor=(1, 1))
        seeds = rows.groupby([*PANEL, "replicas"])["seed"].nunique()
        told = f"{seeds.min()} to {seeds.max()}" if seeds.nunique() > 1 else seeds.max()
        time = "Moves of each replica are the time of its core, without merges and waiting."
        bars = "Bands and bars: 95% intervals over these (Student's t, Welch). Below: games after training."
        caption(figure, f"Blocks of 1,000 games, mean over {told} seeds. {bars} {time}")
    save(figure, folder / "figure.png")


def _differences(axes: Axes, less: pd.DataFrame, colour: dict[Any, str]) -> None:
    """What merged networks score more than that of one replica, with intervals."""
    axes.axhline(0, color="#444444", linewidth=0.8)
    for place, row in enumerate(less.itertuples()):
        bars = [[row.difference - row.difference_low], [row.difference_high - row.difference]]
        axes.errorbar([place], [row.difference], bars, color=colour[row.replicas], marker="o", markersize=4, capsize=2)
    axes.set_xticks(range(len(less)), [f"{number:g}" for number in less["replicas"]])
    axes.set(xlabel="replicas", xlim=(-0.6, len(less) - 0.4))
    axes.yaxis.set_major_formatter(lambda value, _: f"{value / 1000:g}k")


def main(experiment: str, *words: str) -> None:
    """Write the four files."""
    folders, options = split_options(words, "into")
    target = target_of(options, experiment)
    blocks = blocks_of(folders)
    points = blocks[blocks["episode"].isin(EPISODES)]
    points[[*KEYS, "episode", "mean", "moves_of_each"]].to_csv(target / "curves.csv", index=False)
    scores(blocks).to_csv(target / "scores.csv", index=False)
    differences(pd.read_csv(target / "results.csv")).to_csv(target / "differences.csv", index=False)
    draw(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
