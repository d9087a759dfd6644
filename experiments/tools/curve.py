"""Makes results.csv and figure.png of networks that are judged along their training.

    python -m experiments.tools.curve EXPERIMENT FOLDER [FOLDER ...] [into=FOLDER]

The folders hold runs of one game, judged by their games after training, and evaluations of their checkpoints. A row
for each of both has what trained the network, that of `init=` counts, and its games. `budget` is the number of moves,
rounded down to its first digit.
"""

import math
import sys
from pathlib import Path

import pandas as pd
import seaborn as sns

import tdl.results
from experiments.tools import arguments, write
from experiments.tools.drawing import BARS, in_words, panels
from experiments.tools.runs import GREEDY, TRAINED, with_training
from tdl.results.style import BLUE, CYCLE, GREY, VERMILION

NETWORK = ["tuples", "start", "budget", "seed"]
PLAYED = {"evaluate.plies": "plies", "search.downgrade": "downgrade", "evaluate.episodes": "games"}
MAKES = 0.01  # the share of games from which on a network makes a tile
SEVERAL = 3  # networks that it takes to draw a mean
TILES = {"2048": (8192, 16384, 32768), "2584": (2584, 10946, 28657, 75025)}  # whose shares results.csv has, by game


def rows_of(folders: list[str]) -> pd.DataFrame:
    """The rows of results.csv."""
    rows = with_training(tdl.results.runs(folders).query("status == 'finished' and eval_mean.notna()"))
    rows["budget"] = rows["moves"].map(first_digit)
    (game,) = rows["game"].unique()
    reaches = {f"eval_reach_{tile}": f"reach_{tile}" for tile in TILES[game]}
    names = PLAYED | GREEDY | reaches
    rows = rows.reindex(columns=[*NETWORK, *TRAINED, *names]).rename(columns=names)
    rows = rows.fillna({"plies": 1} | dict.fromkeys(reaches.values(), 0.0)).astype({"plies": int, "games": int})
    return rows.sort_values(["tuples", "start", "plies", "budget", "seed"]).round(dict.fromkeys(GREEDY.values(), 1))


def first_digit(moves: int) -> int:
    """A number rounded down to its first digit."""
    size = 10 ** (len(str(int(moves))) - 1)
    return int(moves // size * size)


def draw(folder: Path) -> str:
    """Scores by training moves: networks that search, and means with one ply, into figure.png; returns its caption."""
    rows = pd.read_csv(folder / "results.csv")
    top = [*rows][-1].removeprefix("reach_")
    rows["recipe"] = in_words(rows["tuples"] + " " + rows["start"], folder)
    rows["network"] = (rows[f"reach_{top}"] >= MAKES).map({True: f"makes {top}", False: "does not (yet)"})
    searched = rows[rows["recipe"].isin(rows.loc[rows["plies"] == rows["plies"].max(), "recipe"])]
    unsearched = rows[rows["plies"] == 1]
    makes = {"hue": "network", "palette": {f"makes {top}": VERMILION, "does not (yet)": BLUE}}
    recipes = {"hue": "recipe", "palette": dict(zip(rows["recipe"].unique(), (2 * CYCLE)[2:], strict=False))}
    seeds = {"units": "seed", "estimator": None, "color": GREY, "linewidth": 0.7, "legend": False}
    bars = BARS | {"marker": "o", "estimator": lambda scores: scores.mean() if len(scores) >= SEVERAL else math.nan}
    with panels(folder / "figure.png", 3.4, 1, 2, sharex=True, sharey=True) as (left, right):
        sns.lineplot(searched, x="moves", y="greedy_mean", style="plies", **seeds, ax=left)
        sns.scatterplot(searched, x="moves", y="greedy_mean", style="plies", markers=True, **makes, ax=left)
        if (folder / "peers.csv").exists():
            peers = pd.read_csv(folder / "peers.csv")
            right.plot(peers["moves"], peers["greedy_mean"], "kD", markersize=4, zorder=3, label="TDL2048+, one run")
        sns.scatterplot(unsearched, x="budget", y="greedy_mean", **recipes, alpha=0.4, s=12, legend=False, ax=right)
        sns.lineplot(unsearched, x="budget", y="greedy_mean", **recipes, **bars, ax=right)
        left.set(title=", ".join(searched["recipe"].unique()), ylabel="mean score", xscale="log", ylim=(0, None))
        left.set_xlabel("training moves")
        right.set(title="without search", xlabel="training moves (rounded down)")
    networks = f"Left: each point is a network, which makes the tile in {MAKES:.0%} of its games or more."
    return f"{networks} Right: means of {SEVERAL} or more with 95% intervals (Student's t); faint: single networks."


def main(experiment: str, *words: str) -> None:
    folders, target, _ = arguments(experiment, words)
    write(target, results=rows_of(folders))
    draw(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
