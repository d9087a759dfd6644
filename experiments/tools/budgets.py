"""Makes results.csv, seconds.csv and figure.png of agents with equal budgets, from the folders of their runs.

    python -m experiments.tools.budgets EXPERIMENT MOVES SECONDS [into=FOLDER]

MOVES has the runs of an equal number of moves (results.csv), SECONDS those of an equal time (seconds.csv).
"""

import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("agg")

import pandas as pd
import seaborn as sns

import tdl.results
from experiments.tools import EXPERIMENTS, split_options

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


def draw(table: pd.DataFrame, path: Path) -> None:
    """Mean scores, a dot for each seed, on a logarithmic axis."""
    sns.set_theme(style="whitegrid")
    figure = mpl.figure.Figure(figsize=(11, 4), layout="constrained")
    for axes, (budget, part) in zip(figure.subplots(1, 2, sharey=True), table.groupby("budget"), strict=True):
        shown = part.assign(player=part["player"].map(TITLES))
        order = [title for title in TITLES.values() if (shown["player"] == title).any()]
        sns.stripplot(shown, x="greedy_mean", y="player", hue="player", order=order, hue_order=list(TITLES.values()),
                      size=7, ax=axes)  # fmt: skip
        axes.set_xscale("log")
        axes.set(xlabel="mean score of 1,000 games, a point for each seed", ylabel="", title=f"equal {budget}")
    figure.savefig(path, dpi=110)


def main(experiment: str, *words: str) -> None:
    """Write results.csv, seconds.csv and figure.png."""
    (moves, seconds), options = split_options(words, "into")
    target = Path(options.get("into", EXPERIMENTS / experiment))
    table = pd.concat([read(moves, "moves"), read(seconds, "seconds")])
    table["player"] = pd.Categorical(table["player"], list(TITLES), ordered=True)
    table = table.sort_values(["budget", "player", "seed"])
    for budget, name in FILES.items():
        part = table[table["budget"] == budget].drop(columns="budget")
        part.round({"seconds": 1} | dict.fromkeys(GAMES, 1)).to_csv(target / name, index=False)
    draw(table, target / "figure.png")


if __name__ == "__main__":
    main(*sys.argv[1:])
