"""What games of training were worth along a long run: means of all games of each so many moves.

    python -m experiments.tools.training_means FOLDER [FOLDER ...] every=MOVES [since=MOVES] [until=MOVES] into=FILE

A row for each part of `every` moves of a run, with its last episode and the moves until there, its own alone; the last
part may be shorter. A block of games that passes a multiple of `every` belongs to the next part.
"""

import sys

import pandas as pd

import tdl.results
from experiments.tools import split_options

REACHED = ["reach_8192", "reach_16384", "reach_32768"]


def parts(blocks: pd.DataFrame, every: int) -> pd.DataFrame:
    """Rows of one run, of its blocks as `tdl.results.load` has them."""
    games = blocks["episode"].diff().fillna(blocks["episode"])
    moves = blocks["moves"].cumsum()
    part = ((moves - 1) // every).rename("part")
    made = blocks.reindex(columns=["mean", *REACHED]).fillna(dict.fromkeys(REACHED, 0.0))
    means = made.mul(games, axis=0).groupby(part).sum()
    means = means.div(games.groupby(part).sum(), axis=0)
    ends = blocks.assign(moves=moves).groupby(part)[["seed", "episode", "moves"]].last()
    return ends.join(means)


def main(*words: str) -> None:
    folders, options = split_options(words, "every", "since", "until", "into")
    runs = [parts(blocks, int(options["every"])) for _, blocks in tdl.results.load(folders).groupby("run", sort=False)]
    table = pd.concat(runs, ignore_index=True)
    since, until = int(options.get("since", 0)), int(options.get("until", table["moves"].max()))
    table = table[table["moves"].between(since, until)]
    table.round({"mean": 1} | dict.fromkeys(REACHED, 4)).to_csv(options["into"], index=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
