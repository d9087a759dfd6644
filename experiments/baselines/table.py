"""From the folders of sweeps of several agents to runs.csv, figure.png and the table: agents at equal budgets.

    python experiments/baselines/table.py MOVES SECONDS

MOVES has the runs at equal numbers of moves, SECONDS those at equal seconds. Means over seeds, with 95% intervals over
them.
"""

import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("agg")

import pandas as pd
import seaborn as sns

import tdl.results
from tdl.statistics import mean_text

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


def read(folder: str, budget: str) -> pd.DataFrame:
    """A row for each run."""
    runs = tdl.results.runs(folder)
    runs["player"] = runs["agent"].where(runs["agent"] != "ntuple", runs.get("learner"))
    columns = ["player", "seed", "episodes", "moves", "seconds", "eval_mean", "eval_low", "eval_high"]
    return runs[columns].assign(budget=budget)


def main(moves: str, seconds: str) -> None:
    """Write the files and print the table."""
    table = pd.concat([read(moves, "moves"), read(seconds, "seconds")])
    table["player"] = pd.Categorical(table["player"], list(NAMES), ordered=True)
    table = table.sort_values(["budget", "player", "seed"])
    table.round({"seconds": 1, "eval_mean": 1, "eval_low": 1, "eval_high": 1}).to_csv(HERE / "runs.csv", index=False)

    for budget, part in table.groupby("budget"):
        print(f"\n{budget}\n\n| player | games | moves | seconds | mean score |\n|---|---|---|---|---|")
        for player, rows in part.groupby("player", observed=True):
            means = (f"{rows[name].mean():,.0f}" for name in ("episodes", "moves", "seconds"))
            print(f"| {NAMES[player]} |", " | ".join(means), "|", mean_text(rows["eval_mean"].to_numpy()), "|")
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
            x="eval_mean",
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
