"""The exact values of 2048 and 2584 on 2x2, of the best player and of one that picks any legal move.

Trusts the published values. They take moves, rewards, drop law and start law together: an error in any of them shows.
"""

from functools import cache

import pytest
from shapes import RULES, each_engine, engine

from tdl.game.rules import DROP

SQUARE = RULES["2x2"]


def best(values):
    return max(values)


def mean(values):
    return sum(values) / len(values)


def after_drop(board, law, rules=SQUARE):
    """(next board, probability): the cell uniform over the empty ones, the tile by `law`."""
    places = [rules.bits * cell for cell in range(rules.cells)]
    empty = [place for place in places if not board >> place & rules.cell_mask]
    return [(board | tile << place, p / len(empty)) for place in empty for tile, p in law]


@cache
def value(board, player, rules=SQUARE, kind="bits"):
    """Expected score from a board on which the player is to move; a lost position is worth 0."""
    moves = engine(rules, kind).afterstates(board)
    if not moves:
        return 0.0
    worth = [
        reward
        + sum(p * value(following, player, rules, kind) for following, p in after_drop(after, rules.drop, rules))
        for _, after, reward in moves
    ]
    return player(worth)


def value_of_start(player, rules=SQUARE, kind="bits", board=0, placed=0):
    """Expected score of a game: the start law's tiles are placed one after the other."""
    if placed == len(rules.start):
        return value(board, player, rules, kind)
    item = rules.start[placed]
    tiles = rules.drop if item == DROP else ((item, 1.0),)
    return sum(
        p * value_of_start(player, rules, kind, following, placed + 1)
        for following, p in after_drop(board, tiles, rules)
    )


@each_engine
@pytest.mark.parametrize(
    ("rules", "player", "expected"),
    [
        (SQUARE, best, 66.9641495),
        (SQUARE, mean, 19.6565402),
        (RULES["fib-2x2"], best, 116.741288),
        (RULES["fib-2x2"], mean, 22.9602775),
    ],
    ids=["2048 optimal", "2048 random", "2584 optimal", "2584 random"],
)
def test_value(rules, player, expected, kind):
    assert value_of_start(player, rules, kind) == pytest.approx(expected, abs=1e-6)


def reachable(rules):
    """The boards that a game can meet before a move, and after one."""
    before = {0}
    for item in rules.start:
        tiles = rules.drop if item == DROP else ((item, 1.0),)
        before = {following for board in before for following, _ in after_drop(board, tiles, rules)}
    todo, after = list(before), set()
    while todo:
        for _, slid, _ in engine(rules).afterstates(todo.pop()):
            if slid in after:
                continue
            after.add(slid)
            new = {following for following, _ in after_drop(slid, rules.drop, rules)} - before
            before |= new
            todo += new
    return before, after


@pytest.mark.parametrize(
    ("rules", "numbers", "largest"),
    [(SQUARE, (662, 464), 32), (RULES["fib-2x2"], (2219, 1452), 34)],
    ids=["2048", "2584"],
)
def test_reachable_boards(rules, numbers, largest):
    before, after = reachable(rules)
    assert (len(before), len(after)) == numbers
    assert max(engine(rules).max_tile(board) for board in before) == largest
