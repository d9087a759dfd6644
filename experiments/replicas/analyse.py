"""Makes curves.csv, scores.csv, differences.csv and figure.png of an experiment with replicas.

    python -m experiments.replicas.analyse FOLDER [FOLDER ...] [into=FOLDER]

Replicas play side by side, so time is told by the moves that *each* of them plays: those of a block divided by the
replicas that play in it. curves.csv: the mean score of blocks of 1,000 games, and these moves until then, in millions.
scores.csv: these moves until a block first has a mean of 30,000, 60,000, ... points. differences.csv, of the
results.csv that `experiments.tools.collect` has made: how much more a merged network scores than that of one replica.
"""

import sys
from pathlib import Path

import pandas as pd
import seaborn as sns

import tdl.results
from experiments.tools import arguments, contrasts, write
from experiments.tools.contrasts import DIFFERENCE
from experiments.tools.drawing import BOUNDS, MEANS, panels, with_bounds
from tdl.learning.rounds import ReplicaOptions
from tdl.results.style import GREY, colours
from tdl.statistics.intervals import mean_interval

# Points of the curves: none is the last block of a run, on 4x6 a round of its own, played nearer to a merge.
EPISODES = [1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 45_000, 70_000, 95_000]
SCORES = [30_000, 60_000, 100_000, 120_000]
PANEL = ["tuples", "learner"]
KEYS = [*PANEL, "replicas", "seed"]


def blocks_of(folders: list[str]) -> pd.DataFrame:
    """The blocks of the runs without the last of each, with the moves of each replica so far, in millions."""
    blocks = tdl.results.load(folders)
    begins = blocks.groupby("run")["episode"].shift(fill_value=0)
    playing = [ReplicaOptions(number).active(first) for number, first in zip(blocks["replicas"], begins, strict=True)]
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
    settings = dict([*rows.groupby([*PANEL, "replicas"])])
    several = [key for key in settings if key[-1] != 1]
    table = contrasts.differences(settings, [(key, (*key[:-1], 1)) for key in several])
    keys = pd.DataFrame(several, columns=[*PANEL, "replicas"])
    return keys.join(table[[*DIFFERENCE, "p"]].round(dict.fromkeys(DIFFERENCE, 0)))


def draw(folder: Path) -> str:
    """Scores by the moves of each replica, and what merged networks gain, into figure.png; returns its caption."""
    points, less = pd.read_csv(folder / "curves.csv"), pd.read_csv(folder / "differences.csv")
    points["moves_of_each"] = points.groupby([*PANEL, "replicas", "episode"])["moves_of_each"].transform("mean") * 1e6
    less = with_bounds(less, *DIFFERENCE)
    styles = {"hue": "replicas", "palette": colours(sorted(points["replicas"].unique()), numbers=True)}
    parts = points.groupby(PANEL)
    with panels(folder / "figure.png", 5, 2, len(parts), sharex="row", sharey="row") as grid:
        for (upper, lower), ((tuples, learner), part) in zip(grid.T, parts, strict=True):
            gains = less[(less[PANEL] == [tuples, learner]).all(axis=1)]
            key = upper is grid[0, 1] and "auto"
            sns.lineplot(part, x="moves_of_each", y="mean", **styles, errorbar=mean_interval, legend=key, ax=upper)
            sns.pointplot(gains, x="replicas", y="difference", **styles, **BOUNDS, **MEANS, legend=False, ax=lower)
            lower.axhline(0, color=GREY, linewidth=0.8)
            upper.set(title=f"{learner.upper()} on {tuples}", xscale="log", ylim=(0, None))
            upper.set(xlabel="moves of each replica", ylabel="mean score in training")
            lower.set(ylabel="more than one replica\nafter as many games")
    means = f"Means over {points['seed'].nunique()} seeds with 95% intervals. Above: training games, by moves of each"
    return f"{means} replica. Below: games of the merged network after training, against one replica."


FIGURES = {"curves.csv": ("figure.png", draw)}


def main(*words: str) -> None:
    folders, target, _ = arguments("replicas", words)
    blocks = blocks_of(folders)
    points = blocks.loc[blocks["episode"].isin(EPISODES), [*KEYS, "episode", "mean", "moves_of_each"]]
    write(target, curves=points, scores=scores(blocks), differences=differences(pd.read_csv(target / "results.csv")))
    draw(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
