"""Makes results.csv, seconds.csv and figure.png of agents with equal budgets, from the folders of their runs.

    python -m experiments.baselines.analyse MOVES SECONDS [into=FOLDER]

MOVES has the runs of an equal number of moves (results.csv), SECONDS those of an equal time (seconds.csv).
"""

import sys
from pathlib import Path

import pandas as pd

import tdl.results
from experiments.tools import arguments, write
from experiments.tools.drawing import draw_means, in_words, panels
from experiments.tools.runs import GREEDY

TITLES = {"random": "random", "greedy": "greedy on reward", "dqn": "DQN, published", "dqn_modern": "DQN, modern",
          "td": "TD, 4x6", "tc": "TC, 4x6"}  # fmt: skip
"""The title of each agent or learner in the figure, the weakest first."""


def rows_of(folder: str) -> pd.DataFrame:
    """A row for each run: the player (an agent, or the learner of its tables), the seed and the figures."""
    runs = tdl.results.runs(folder).rename(columns=GREEDY)
    players = runs["agent"].where(runs["agent"] != "ntuple", runs.get("learner"))
    runs["player"] = pd.Categorical(players, list(TITLES), ordered=True)
    columns = ["player", "seed", "episodes", "moves", "seconds", *GREEDY.values()]
    return runs.sort_values(["player", "seed"])[columns].round(dict.fromkeys(columns[4:], 1))


def draw(folder: Path) -> str:
    """Mean scores of results.csv and seconds.csv on a logarithmic axis, into figure.png; returns its caption."""
    tables = {"moves": pd.read_csv(folder / "results.csv"), "seconds": pd.read_csv(folder / "seconds.csv")}
    rows = pd.concat(tables, names=["budget"]).reset_index()
    rows["player"], rows["budget"] = rows["player"].map(TITLES), in_words(rows["budget"], folder)
    with panels(folder / "figure.png", 2.9) as axes:
        draw_means(axes, rows, "player", "budget", dodge=0.4, order=[*TITLES.values()][::-1])
        axes.set(xscale="log", xlabel="mean score after training (logarithmic)")
    return "Points: means over three to five seeds; bars: 95% intervals (Student's t); faint: seeds, 1,000 games each."


FIGURES = {"seconds.csv": ("figure.png", draw)}


def main(*words: str) -> None:
    (moves, seconds), target, _ = arguments("baselines", words)
    write(target, results=rows_of(moves), seconds=rows_of(seconds))
    draw(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
