"""From the folders of sweeps of several agents at equal budgets to results.csv, seconds.csv and figure.png.

    python experiments/baselines/table.py MOVES SECONDS

MOVES has the runs at equal numbers of moves (results.csv), SECONDS those at equal seconds (seconds.csv).
"""

import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("agg")

import pandas as pd
import seaborn as sns

import tdl.results

HERE = Path(__file__).parent
NAMES = {
    "random": "random",
    "greedy": "greedy on reward",
    "dqn": "DQN, published",
    "dqn_modern": "DQN, modern",
    "td": "TD, 4x6",
    "tc": "TC, 4x6",
}
"""Rows by agent or learner, from the weakest on."""

GAMES = ("greedy_mean", "greedy_mean_low", "greedy_mean_high")
"""Figures of the games after training."""


def read(folder: str, budget: str) -> pd.DataFrame:
    """A row for each run."""
    runs = tdl.results.runs(folder)
    runs["player"] = runs["agent"].where(runs["agent"] != "ntuple", runs.get("learner"))
    runs = runs.rename(columns=dict(zip(("eval_mean", "eval_low", "eval_high"), GAMES, strict=True)))
    return runs[["player", "seed", "episodes", "moves", "seconds", *GAMES]].assign(budget=budget)


def main(moves: str, seconds: str) -> None:
    """Write the files and print the table."""
    table = pd.concat([read(moves, "moves"), read(seconds, "seconds")])
    table["player"] = pd.Categorical(table["player"], list(NAMES), ordered=True)
    table = table.sort_values(["budget", "player", "seed"])
    for budget, name in {"moves": "results.csv", "seconds": "seconds.csv"}.items():
        part = table[table["budget"] == budget].drop(columns="budget")
        part.round({"seconds": 1} | dict.fromkeys(GAMES, 1)).to_csv(HERE / name, index=False)
    draw(table)


def draw(table: pd.DataFrame) -> None:
    """Means with intervals over the seeds, on a logarithmic axis."""
    sns.set_theme(style="whitegrid")
    figure = mpl.figure.Figure(figsize=(11, 4), layout="constrained")
    for axes, (budget, part) in zip(figure.subplots(1, 2, sharey=True), table.groupby("budget"), strict=True):
        shown = part.assign(player=part["player"].map(NAMES))
        order = [name for name in NAMES.values() if (shown["player"] == name).any()]
        sns.stripplot(
            shown,
            x="greedy_mean",
            y="player",
            hue="player",
            order=order,
            hue_order=list(NAMES.values()),
            size=7,
            ax=axes,
        )
        axes.set_xscale("log")
        axes.set(xlabel="mean score of 1,000 games, a point for each seed", ylabel="", title=f"equal {budget}")
    figure.savefig(HERE / "figure.png", dpi=110)


if __name__ == "__main__":
    main(*sys.argv[1:])
