"""Where games of 2048 end: which share of them gets from each chain of largest tiles to the next.

    python -m experiments.tools.chains FOLDER [FOLDER ...] into=FILE.csv

A chain is a tile with some of those next below it, as 8192 4096 2048: all of them must lie there before they merge to
the next tile. Games do not keep their boards, so a chain is told by the score that it takes: t (log2 t - 1) points a
tile t if all drops were 2, and 4 points less for each drop of a 4, of which there is one to 22 points of tiles.
"""

import sys
from itertools import pairwise

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import tdl.results
from experiments.tools import split_options
from tdl.statistics.intervals import share_interval

LARGEST = (2048, 4096, 8192, 16384)  # tiles that chains begin with
LONGEST = 5  # the most tiles of one
FOURS = 0.1 / 2.2  # drops of a 4 to a point of tiles: one in ten, and the mean drop is 2.2


def score_of(chain: tuple[int, ...]) -> float:
    """Mean score of the boards that have these tiles alone."""
    tiles = np.array(chain, float)
    return float((tiles * (np.log2(tiles) - 1 - 4 * FOURS)).sum())


def table(scores: NDArray[np.int64]) -> pd.DataFrame:
    """A row for each chain, by its score: the games that came so far, and their share that came to the next chain."""
    lengths = range(1, LONGEST + 1)
    chains = [tuple(largest >> place for place in range(length)) for largest in LARGEST for length in lengths]
    chains.append((2 * LARGEST[-1],))  # to which the last ones merge
    reached = [(chain, int((scores >= score_of(chain)).sum())) for chain in chains]
    rows = []
    for (chain, games), (_, further) in pairwise(reached):
        share = further / games if games else np.nan
        rows.append((" ".join(map(str, chain)), round(score_of(chain)), games, share, *share_interval(further, games)))
    columns = ["chain", "score", "games", "reach_next", "reach_next_low", "reach_next_high"]
    return pd.DataFrame(rows, columns=columns).round(dict.fromkeys(columns[3:], 4))


def main(*words: str) -> None:
    folders, options = split_options(words, "into")
    table(tdl.results.games(folders)["score"].to_numpy()).to_csv(options["into"], index=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
