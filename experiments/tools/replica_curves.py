"""Draws what replicas learn into figure.png: scores against the games of all, and against the moves of each core.

    python -m experiments.tools.replica_curves EXPERIMENT [into=FOLDER]

It reads the results.csv of the folder, which `experiments.tools.collect` has made: a panel for each tuple set and
learner.
"""

import sys
from pathlib import Path

import pandas as pd

from experiments.tools import EXPERIMENTS, split_options
from tdl.results.palette import colours
from tdl.results.style import MILLIONS, THOUSANDS, WIDTH, caption, new_figure, save, style

MEAN, MOVES = "mean_", "moves_"
PANEL = ["tuples", "learner"]


def curves(rows: pd.DataFrame) -> pd.DataFrame:
    """Of each number of replicas and number of episodes: the mean score over seeds, and moves for each replica."""
    names = [name.removeprefix(MEAN) for name in rows if name.startswith(MEAN)]
    points = [
        rows[[*PANEL, "replicas"]].assign(
            episode=1000 * int(name.removesuffix("k")),
            score=rows[f"{MEAN}{name}"],
            moves=rows[f"{MOVES}{name}"] / rows["replicas"],
        )
        for name in names
    ]
    keys = [*PANEL, "replicas", "episode"]
    return pd.concat(points).dropna().groupby(keys, as_index=False, sort=False)[["score", "moves"]].mean()


def draw(folder: Path) -> None:
    """Draw results.csv of one thread."""
    rows = pd.read_csv(folder / "results.csv")
    points = curves(rows[rows["threads"] == 1] if "threads" in rows else rows)
    panels = list(points.groupby(PANEL, sort=False))
    colour = colours(sorted(points["replicas"].unique()), numbers=True)
    with style():
        figure = new_figure(WIDTH, 4.4)
        grid = figure.subplots(2, len(panels), squeeze=False, sharex="row", sharey="col")
        for column, ((tuples, learner), panel) in zip(grid.T, panels, strict=True):
            for replicas, part in panel.groupby("replicas"):
                part = part.sort_values("episode")
                for axes, along in zip(column, ("episode", "moves"), strict=True):
                    axes.plot(part[along], part["score"], color=colour[replicas], marker=".", label=str(replicas))
            column[0].set(title=f"{tuples}, {learner}", xlabel="games of all replicas", xscale="log")
            column[1].set(xlabel="moves of each replica", xscale="log")
            for axes, form in zip(column, (THOUSANDS, MILLIONS), strict=True):
                axes.xaxis.set_major_formatter(form)
                axes.yaxis.set_major_formatter(THOUSANDS)
        for axes in grid[:, 0]:
            axes.set_ylabel("mean score of 1,000 games")
        grid[0, -1].legend(title="replicas", loc="upper left", bbox_to_anchor=(1, 1))
        seeds = rows["seed"].nunique()
        caption(figure, f"Games of training, mean over {seeds} seeds. The moves of a replica are the time of its core.")
    save(figure, folder / "figure.png")


def main(experiment: str, *words: str) -> None:
    """Draw figure.png."""
    _, options = split_options(words, "into")
    draw(Path(options.get("into", EXPERIMENTS / experiment)))


if __name__ == "__main__":
    main(*sys.argv[1:])
