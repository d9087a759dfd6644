"""The exact value of 2048 on 2x2, of the best player and of one that picks any legal move.

Trusts the published values. They take moves, rewards, drop law and start law together: an error in any of them shows.
"""

from functools import cache

import pytest
from shapes import RULES, engine

from tdl.game.rules import DROP

RULES_2X2 = RULES["2x2"]


def best(values):
    return max(values)


def mean(values):
    return sum(values) / len(values)


def after_drop(board, law):
    """(next board, probability): the cell uniform over the empty ones, the tile by `law`."""
    places = [RULES_2X2.bits * cell for cell in range(RULES_2X2.cells)]
    empty = [place for place in places if not board >> place & RULES_2X2.largest]
    return [(board | tile << place, p / len(empty)) for place in empty for tile, p in law]


@cache
def value(board, player):
    """Expected score from a board on which the player is to move; a lost position is worth 0."""
    moves = engine(RULES_2X2).afterstates(board)
    if not moves:
        return 0.0
    worth = [
        reward + sum(p * value(following, player) for following, p in after_drop(after, RULES_2X2.drop))
        for _, after, reward in moves
    ]
    return player(worth)


def value_of_start(player, board=0, law=RULES_2X2.start):
    """Expected score of a game: the start law's tiles are placed one after the other."""
    if not law:
        return value(board, player)
    tiles = RULES_2X2.drop if law[0] == DROP else ((law[0], 1.0),)
    return sum(p * value_of_start(player, following, law[1:]) for following, p in after_drop(board, tiles))


@pytest.mark.parametrize(("player", "expected"), [(best, 66.9641495), (mean, 19.6565402)], ids=["optimal", "random"])
def test_value(player, expected):
    assert value_of_start(player) == pytest.approx(expected, abs=1e-6)
