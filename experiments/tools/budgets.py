"""Makes results.csv, seconds.csv and figure.png of agents with equal budgets, from the folders of their runs.

    python -m experiments.tools.budgets EXPERIMENT MOVES SECONDS [into=FOLDER]

MOVES has the runs of an equal number of moves (results.csv), SECONDS those of an equal time (seconds.csv).
"""

import sys
from pathlib import Path

import pandas as pd

import tdl.results
from experiments.tools import split_options, target_of
from experiments.tools.tables import errors_of
from tdl.results.palette import colours
from tdl.results.style import THOUSANDS, WIDTH, caption, new_figure, save, style
from tdl.statistics.intervals import mean_interval

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


def draw(folder: Path) -> None:
    """Mean scores of the rows of results.csv and seconds.csv on a logarithmic axis, into figure.png."""
    colour = colours(list(TITLES))
    with style():
        figure = new_figure(WIDTH, 2.9)
        for axes, (budget, file) in zip(figure.subplots(1, 2, sharey=True), FILES.items(), strict=True):
            for player, part in pd.read_csv(folder / file).groupby("player"):
                place, scores = list(TITLES).index(str(player)), part["greedy_mean"].to_numpy()
                low, high = mean_interval(scores, errors_of(part, "greedy_mean"))
                mean = scores.mean()
                bars = None if pd.isna(low) else [[mean - low], [high - mean]]
                axes.errorbar([mean], [place], None, bars, color=colour[player], marker="o", markersize=4.5, capsize=2,
                              linestyle="none", elinewidth=1.1)  # fmt: skip
                axes.scatter(scores, [place - 0.22] * len(scores), color=colour[player], s=9, alpha=0.4, linewidths=0)
            axes.set_xscale("log")
            axes.set(xlabel="mean score after training", title=f"equal {budget}")
            axes.xaxis.set_major_formatter(THOUSANDS)
            axes.set_yticks(range(len(TITLES)), list(TITLES.values()))
            axes.grid(visible=False, axis="y")
        caption(figure, "Points are means over seeds of the mean scores of 1,000 games, bars their 95% intervals "
                        "(Student's t), faint dots single seeds. Logarithmic axes.")  # fmt: skip
    save(figure, folder / "figure.png")


def main(experiment: str, *words: str) -> None:
    """Write results.csv, seconds.csv and figure.png."""
    (moves, seconds), options = split_options(words, "into")
    target = target_of(options, experiment)
    table = pd.concat([read(moves, "moves"), read(seconds, "seconds")])
    table["player"] = pd.Categorical(table["player"], list(TITLES), ordered=True)
    table = table.sort_values(["budget", "player", "seed"])
    for budget, name in FILES.items():
        part = table[table["budget"] == budget].drop(columns="budget")
        part.round({"seconds": 1} | dict.fromkeys(GAMES, 1)).to_csv(target / name, index=False)
    draw(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
