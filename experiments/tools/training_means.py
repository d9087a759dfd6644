"""What games of training were worth along a long run: means of all games of each so many moves.

    python -m experiments.tools.training_means FOLDER [FOLDER ...] every=MOVES [since=MOVES] [until=MOVES] into=FILE

A row for each part of `every` moves of a run, with its last episode and the moves until there. A block of games that
passes a multiple of `every` belongs to the next part.
"""

import sys

import pandas as pd

import tdl.results
from experiments.tools import split_options

REACHED = ["reach_8192", "reach_16384", "reach_32768"]


def table(blocks: pd.DataFrame, every: int) -> pd.DataFrame:
    """The rows of runs, of their blocks as `tdl.results.load` has them."""
    by_run = blocks.groupby("run", sort=False)
    games = by_run["episode"].diff().fillna(blocks["episode"])
    blocks = blocks.assign(moves=by_run["moves"].cumsum())
    parts = [blocks["run"], (blocks["moves"] - 1) // every]
    sums = blocks.reindex(columns=["mean", *REACHED]).fillna(dict.fromkeys(REACHED, 0.0)).mul(games, axis=0)
    means = sums.groupby(parts, sort=False).sum().div(games.groupby(parts, sort=False).sum(), axis=0)
    return blocks.groupby(parts, sort=False)[["seed", "episode", "moves"]].last().join(means)


def main(*words: str) -> None:
    folders, options = split_options(words, "every", "since", "until", "into")
    rows = table(tdl.results.load(folders), int(options["every"]))
    rows = rows[rows["moves"].between(float(options.get("since", 0)), float(options.get("until", "inf")))]
    rows = rows.round({"mean": 1} | dict.fromkeys(REACHED, 4))
    rows.to_csv(options["into"], index=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
