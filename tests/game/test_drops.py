"""Where tiles drop and which: chi-square tests of long series of draws against the laws in `Rules`.

Trusts the chi-square statistic. All seeds are fixed, so a failure is a change of the program and not bad luck; the
critical value of one in a million leaves room for new seeds.
"""

from collections import Counter
from itertools import permutations, product
from math import perm, prod
from statistics import NormalDist

import pytest
from support.shapes import P75_25, RULES, engine

from tdl.game.boards import unpack
from tdl.game.engine import Stream
from tdl.game.rules import Rules

DRAWS = 20_000


def chi_square(counts, law):
    """The statistic of `counts` against the probabilities `law`, both keyed by outcome."""
    assert set(counts) <= set(law), "an outcome that the law does not know"
    n = sum(counts.values())
    return sum((counts[outcome] - n * p) ** 2 / (n * p) for outcome, p in law.items())


def critical(freedom, p=1e-6):
    """What a chi-square of `freedom` degrees exceeds with probability p (Wilson and Hilferty's cube-root formula)."""
    step = 2 / (9 * freedom)
    return freedom * (1 - step + NormalDist().inv_cdf(1 - p) * step**0.5) ** 3


def fits(counts, law):
    """Whether `counts` can have come from `law`."""
    return chi_square(counts, law) < critical(len(law) - 1)


def marginal(counts, key):
    """Counts (or probabilities) of `key(outcome)`."""
    out = Counter()
    for outcome, count in counts.items():
        out[key(outcome)] += count
    return out


def half_full(rules):
    """A board with every second cell empty, and its empty cells.

    .  2  .
    2  .  2
    """
    empty = [cell for cell in range(rules.cells) if (cell // rules.cols + cell % rules.cols) % 2 == 0]
    board = sum(1 << rules.bits * cell for cell in range(rules.cells) if cell not in empty)
    return board, empty


def drops(rules, board):
    """How often each (cell, tile) was dropped on a board: one draw from each of many episodes."""
    dropped = Counter(engine(rules).place(board, Stream(11, 0, episode)) ^ board for episode in range(DRAWS))
    counts = Counter()
    for packed, times in dropped.items():
        counts.update({(cell, tile): times for cell, tile in enumerate(unpack(packed, rules)) if tile})
    return counts


def cell_of(drop):
    return drop[0]


def tile_of(drop):
    return drop[1]


def assert_same_draws(drawn):
    """Both kinds of boards make the same of one stream."""
    for episode in range(1000):
        assert drawn("bits", episode) == drawn("array", episode)


LAWS = {
    **RULES,
    "three tiles": Rules(drop=((1, 0.7), (2, 0.2), (3, 0.1))),
    "tiles 1 and 3": Rules(rows=2, cols=3, drop=P75_25),
}
each_law = pytest.mark.parametrize("rules", LAWS.values(), ids=LAWS.keys())


@each_law
@pytest.mark.parametrize("filled", ["empty", "half full"])
def test_cells_and_tiles_of_drops(rules, filled):
    """With packed boards; those of bytes have the same drops, draw by draw."""
    board, cells = half_full(rules) if filled == "half full" else (0, range(rules.cells))
    counts = drops(rules, board)
    assert_same_draws(lambda kind, episode: engine(rules, kind).place(board, Stream(11, 0, episode)))
    assert sum(counts.values()) == DRAWS
    law = {(cell, tile): p / len(cells) for cell in cells for tile, p in rules.drop}
    assert fits(counts, law)  # jointly: the cell says nothing about the tile
    assert fits(marginal(counts, cell_of), marginal(law, cell_of))
    assert fits(marginal(counts, tile_of), marginal(law, tile_of))


def test_a_wrong_law_is_noticed():
    counts = drops(RULES["4x4"], 0)
    assert not fits(marginal(counts, tile_of), {1: 0.88, 2: 0.12})
    assert not fits(marginal(counts, cell_of), {cell: (1.3 if cell == 3 else 1) / 16.3 for cell in range(16)})
    four = {cell: 0.12 if cell % 2 else 0.08 for cell in range(16)}  # both marginals right, the cell says something
    tied = {(cell, tile): (four[cell] if tile == 2 else 1 - four[cell]) / 16 for cell in range(16) for tile in (1, 2)}
    assert not fits(counts, tied)


@pytest.mark.parametrize("rules", [Rules(rows=2, cols=2), Rules(rows=2, cols=3, start=(3, "drop", 1))])
def test_first_boards_follow_the_law(rules):
    law = Counter()
    for cells in permutations(range(rules.cells), len(rules.start)):
        for tiles in product(*(rules.drop if item == "drop" else ((item, 1.0),) for item in rules.start)):
            board = sum(tile << rules.bits * cell for cell, (tile, _) in zip(cells, tiles, strict=True))
            law[board] += prod(p for _, p in tiles) / perm(rules.cells, len(cells))
    assert fits(Counter(engine(rules).start(Stream(12, 0, episode)) for episode in range(DRAWS)), law)
