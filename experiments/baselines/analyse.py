"""Makes results.csv, seconds.csv and figure.png of agents with equal budgets, from the folders of their runs.

    python -m experiments.baselines.analyse MOVES SECONDS [into=FOLDER]

MOVES has the runs of an equal number of moves (results.csv), SECONDS those of an equal time (seconds.csv).
"""

import sys
from pathlib import Path

import pandas as pd

import tdl.results
from experiments.tools import split_options, target_of
from experiments.tools.drawing import draw_means, in_words, panels

TITLES = {
    "random": "random",
    "greedy": "greedy on reward",
    "dqn": "DQN, published",
    "dqn_modern": "DQN, modern",
    "td": "TD, 4x6",
    "tc": "TC, 4x6",
}
"""The title of each agent or learner in the figure, the weakest first."""

FILES = {"moves": "results.csv", "seconds": "seconds.csv"}
"""The file of each kind of budget."""

GAMES = ("greedy_mean", "greedy_mean_low", "greedy_mean_high")
"""Figures of the games after training."""


def read(folder: str, budget: str) -> pd.DataFrame:
    """A row for each run: the player (an agent, or the learner of its tables), the seed and the figures."""
    runs = tdl.results.runs(folder)
    runs["player"] = runs["agent"].where(runs["agent"] != "ntuple", runs.get("learner"))
    runs = runs.rename(columns=dict(zip(("eval_mean", "eval_low", "eval_high"), GAMES, strict=True)))
    return runs[["player", "seed", "episodes", "moves", "seconds", *GAMES]].assign(budget=budget)


def draw(folder: Path) -> str:
    """Mean scores of results.csv and seconds.csv on a logarithmic axis, into figure.png; returns its caption."""
    tables = {budget: pd.read_csv(folder / file) for budget, file in FILES.items()}
    rows = pd.concat(tables, names=["budget"]).reset_index()
    rows["player"], rows["budget"] = rows["player"].map(TITLES), in_words(rows["budget"], folder)
    with panels(folder / "figure.png", 2.9) as axes:
        draw_means(axes, rows, "player", "budget", dodge=0.4, order=[*TITLES.values()][::-1])
        axes.set(xscale="log", xlabel="mean score after training (logarithmic)")
    return "Points: means over three to five seeds; bars: 95% intervals (Student's t); faint: seeds, 1,000 games each."


FIGURES = {"seconds.csv": ("figure.png", draw)}
"""The csv file by which a figure is known, the figure, and what draws it."""


def main(*words: str) -> None:
    """Write results.csv, seconds.csv and figure.png."""
    (moves, seconds), options = split_options(words, "into")
    target = target_of(options, "baselines")
    table = pd.concat([read(moves, "moves"), read(seconds, "seconds")])
    table["player"] = pd.Categorical(table["player"], list(TITLES), ordered=True)
    table = table.sort_values(["budget", "player", "seed"])
    for budget, name in FILES.items():
        part = table[table["budget"] == budget].drop(columns="budget")
        part.round({"seconds": 1} | dict.fromkeys(GAMES, 1)).to_csv(target / name, index=False)
    draw(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
