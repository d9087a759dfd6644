"""Boards that no game comes to are refused, those that games come to never.

Trusts the enumeration of small games.
"""

import pytest
from support.shapes import P50_50, P75_25, RULES

from tdl.errors import ConfigError
from tdl.game.boards import cells_needed, check_possible
from tdl.game.engine import EVALUATION, Engine, Stream
from tdl.game.rules import Rules
from tdl.solver.enumeration import reachable

SMALL = [
    Rules(rows=2, cols=2),
    Rules(rows=2, cols=2, drop=((1, 0.8), (2, 0.2)), start=(1, 1)),
    Rules(rows=2, cols=2, start=(5,)),
    Rules("2584", 2, 2),
    Rules("2584", 2, 2, drop=P75_25),
    Rules("2584", 2, 3),
    Rules("threes_law", 2, 2, drop=P50_50),
]


@pytest.mark.parametrize("rules", SMALL, ids=lambda rules: f"{rules.game}-{rules.rows}x{rules.cols}-{rules.start}")
def test_every_board_that_games_come_to_passes(rules):
    states = reachable(rules).states.boards.tolist()
    assert len(states) > 100
    for board in states[:: 1 + len(states) // 20_000]:
        check_possible(board, rules)


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES.keys())
def test_boards_of_games_pass(rules):
    engine, drops = Engine(rules), Stream(3, EVALUATION, 0)
    board = engine.start(drops)
    while moves := engine.afterstates(board):
        check_possible(board, rules)
        board = engine.place(moves[0][1], drops)
    check_possible(board, rules)


def test_the_largest_tiles_are_the_known_ones():
    assert max(cells_needed(Rules(rows=2, cols=2))) == 5  # 32
    assert max(cells_needed(Rules(rows=3, cols=3))) == 10  # 1024
    assert max(cells_needed(Rules(rows=5, cols=5))) == 26  # 2^26, as `GAMES` says


@pytest.mark.parametrize(
    ("rows", "telling"),
    [
        ([[0] * 4] * 4, "0 tiles"),
        ([[2, 0, 0, 0]] + [[0] * 4] * 3, "1 tiles"),
        ([[8, 8, 0, 0]] + [[0] * 4] * 3, "the last drop is missing, which is one of 2, 4"),
        ([[32768] * 4] * 3 + [[32768, 32768, 32768, 2]], "too few cells"),
    ],
)
def test_a_board_that_cannot_be_is_refused(rows, telling):
    with pytest.raises(ConfigError, match=telling):
        check_possible(Engine(Rules()).board(rows), Rules())


def test_a_tile_too_large_for_the_board_is_refused():
    rules = Rules(rows=2, cols=2)
    with pytest.raises(ConfigError, match="64 cannot be made on 4 cells"):
        check_possible(Engine(rules).board([[64, 2], [0, 0]]), rules)
