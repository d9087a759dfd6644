"""The rules, boards and tuple sets that the kernel tests run over.

A new game or board shape is one more line in `RULES`: every test of a kernel against its reference implementation then
runs on it.
"""

import os
from functools import cache

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st

from tdl.game.engine import ENGINES, Engine, Stream
from tdl.game.rules import Rules
from tdl.network.tuples import TupleSet

P75_25 = ((1, 0.75), (3, 0.25))
P50_50 = ((1, 0.5), (2, 0.5))
# Drops that fit each other less often than those of the game: on large boards they end its games before the reference
# implementations, in Python, take minutes.
FOUR_TILES = tuple((tile, 0.25) for tile in (1, 2, 3, 4))
FOUR_APART = tuple((tile, 0.25) for tile in (1, 3, 5, 7))

RULES = {
    "4x4": Rules(),
    "4x4-80-20-two": Rules(drop=((1, 0.8), (2, 0.2)), start=(1, 1)),
    "2x2": Rules(rows=2, cols=2),
    "2x3": Rules(rows=2, cols=3),
    "3x3": Rules(rows=3, cols=3),
    "3x4": Rules(rows=3, cols=4),
    "4x3": Rules(rows=4, cols=3),
    "2x4": Rules(rows=2, cols=4),
    "2x5": Rules(rows=2, cols=5),  # the longest line that is tabulated
    "4x5": Rules(rows=4, cols=5, drop=FOUR_TILES),  # 128 bits; a row's lines are computed, a column's tabulated
    "5x5": Rules(rows=5, cols=5, drop=FOUR_TILES),  # the largest tile is not the largest number of a cell
    "2584-2x2": Rules("2584", 2, 2),
    "2584-2x3": Rules("2584", 2, 3),
    "2584-3x4": Rules("2584", 3, 4),  # the tables of its columns are others than those of its rows
    "2584-4x4-75-25": Rules("2584", drop=P75_25),  # its fast path, and rewards that depend on the direction
    "2584-5x5": Rules("2584", 5, 5, drop=FOUR_APART),  # 125 bits, and every line computed
    "threes_law-3x2": Rules("threes_law", 3, 2, drop=P50_50),
    "threes_law-4x4": Rules("threes_law", drop=P50_50),  # the fast path of 2048 with another merge law
}

each_rules = pytest.mark.parametrize("rules", RULES.values(), ids=RULES.keys())
each_engine = pytest.mark.parametrize("kind", ENGINES)

# The checked builds play a quarter of the examples: they look for what the plain build cannot notice, not for other
# results.
SHARE = 4 if os.environ.get("TDL_FEWER_EXAMPLES") else 1
few = settings(max_examples=20 // SHARE)
some = settings(max_examples=40 // SHARE)
many = settings(max_examples=80 // SHARE)


@cache
def engine(rules, kind="bits"):
    """One engine for each rules and kind of board: its tables are built once."""
    return Engine(rules, kind)


def drawn(text, rules):
    """A board as tile indices, from tile values as a player sees them: rows end with `/` or a line, `.` is empty."""
    index = {rules.value(i): i for i in range(rules.largest, -1, -1)}
    return [0 if word == "." else index[int(word)] for word in text.replace("/", " ").split()]


def boards(rules):
    """Strategy for boards as lists of tile indices: few different tiles, so that lines merge, or any tiles."""
    tile = st.integers(0, rules.largest)
    palette = st.lists(tile, min_size=1, max_size=3, unique=True).flatmap(st.sampled_from)
    alike = st.lists(tile, min_size=1, max_size=3, unique=True).flatmap(lambda few_tiles: _board(rules, few_tiles))
    return st.one_of(alike, st.lists(palette | tile, min_size=rules.cells, max_size=rules.cells))


def _board(rules, tiles):
    return st.lists(st.sampled_from(tiles), min_size=rules.cells, max_size=rules.cells)


def random_boards(rules, n, seed=0):
    """`n` boards, each a list of tile indices, every tile equally likely; always the same ones."""
    return np.random.default_rng(seed).integers(0, rules.largest + 1, (n, rules.cells)).tolist()


def played_boards(rules, n, seed=0):
    """Boards of random play, packed."""
    engine, chance, drops, out = Engine(rules), np.random.default_rng(seed), Stream(seed, 0, 0), []
    while len(out) < n:
        board = engine.start(drops)
        while (moves := engine.afterstates(board)) and len(out) < n:
            out.append(board)
            board = engine.place(moves[chance.integers(len(moves))][1], drops)
    return out


def telling_boards(rules, n):
    """`n` boards, each a list of tile indices, always the same ones: without a tile, full of the largest, of one to
    three different tiles in turn with any tiles.
    """
    rng = np.random.default_rng(n)
    boards = [[0] * rules.cells, [rules.largest] * rules.cells]
    while len(boards) < n:
        few_tiles = rng.integers(0, rules.largest + 1, len(boards) % 6 // 2 + 1)
        tiles = range(rules.largest + 1) if len(boards) % 2 else few_tiles
        boards.append(rng.choice(tiles, rules.cells).tolist())
    return boards


class Repeated(TupleSet):
    """A tuple set that may read the same cells twice: small boards have no other sets of all the widths of kernels."""

    def check_repeats(self, rows, cols):
        pass


def small_tuples(rules):
    """Tuple sets that fit every board of at least 2x2: odd, even and mixed lengths, both flags, orders, counts.

    Their tables are small: tests compare whole networks.
    """
    below = rules.cols
    mixed = ((0, 1), (0,), (below, 0, 1), (0, 1, below, below + 1))
    row = tuple(range(min(rules.cols, 4)))
    orders = ((row,), ((0, below), (below + 1, 1)), ((1, 0, below),))
    counts = ((0,), (1, 3, 0, 2), (5, 15))
    return {
        "even": TupleSet(((0, 1),)),
        "odd": TupleSet(((1, 0, below),)),
        "mixed": TupleSet(mixed),
        "unshared": TupleSet(mixed[:3], share=False),
        "one image": TupleSet(mixed, symmetries=False),
        "radix 4": TupleSet(mixed, radix=4),
        "orders": TupleSet(mixed[:2], orders=orders),
        "counts": TupleSet(mixed[:3], counts=counts, count_cap=4),
        "orders and counts": TupleSet(mixed, orders=orders, counts=counts),
        "unshared, all": TupleSet(mixed[:2], share=False, orders=orders[1:], counts=counts[:2], count_cap=1),
        "one image, all": TupleSet(
            mixed[:3], symmetries=False, radix=3, orders=orders, counts=counts[1:], count_cap=2
        ),
    }


SET_NAMES = tuple(small_tuples(Rules()))
each_set = pytest.mark.parametrize("set_name", SET_NAMES)
