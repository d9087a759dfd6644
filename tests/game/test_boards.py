"""Whatever stands for a board becomes the same int, whoever takes it; what stands for none is refused in one line.

Trusts `pack`, which the tests of the engine check, and the enumeration of small games.
"""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from support.shapes import P50_50, P75_25, RULES, each_rules, random_boards

import tdl
from tdl.errors import ConfigError
from tdl.game.boards import (
    action_of,
    actions_of,
    cells_needed,
    check_possible,
    grid,
    pack,
    packed_boards,
    read_board,
)
from tdl.game.engine import EVALUATION
from tdl.game.merge_laws import GAMES
from tdl.search.expectimax import Expectimax
from tdl.search.options import SearchOptions
from tdl.sessions.pictures import rows_of
from tdl.solver.enumeration import reachable
from tdl.solver.solution import solve

RULES_2X2 = RULES["2x2"]

ROWS = [[2, 4], [0, 8]]

PACKED = 0x3021

ALIKE = {
    "rows": ROWS,
    "tuples": ((2, 4), (0, 8)),
    "rows of arrays": [np.array(row) for row in ROWS],
    "numbers of NumPy": [[np.int16(value) for value in row] for row in ROWS],
    "array": np.array(ROWS, np.uint16),
    "whole floats": np.array(ROWS, np.float32),
    "data frame": pd.DataFrame(ROWS),
    "one row": [2, 4, 0, 8],
    "array of all cells": np.array([2, 4, 0, 8]),
    "text": "2 4 / . 8",
    "hexadecimal digits": "1203",
    "JSON": {"board": ROWS},
    "int": PACKED,
    "int of NumPy": np.uint64(PACKED),
    "array of one int": np.array(PACKED),
}

NONE = {
    "of another size": [[2, 4, 0], [0, 8, 0]],
    "unequal rows": [[2, 4], [0]],
    "cells missing": [2, 4, 0],
    "empty": [],
    "empty rows": [[], []],
    "no tile": [[2, 3], [0, 8]],
    "part of a tile": [[2, 4.5], [0, 8]],
    "a text for a tile": [[2, "4"], [0, 8]],
    "a truth value": [[True, 4], [0, 8]],
    "None": None,
    "a word": "board",
    "text of another size": "2 4 0",
    "text with no tile": "2 4 0 3",
    "too large an int": 1 << 16,
    "below 0": -1,
    "a float": 1.0,
}


@pytest.fixture(scope="module")
def takers():
    """All that take one board, by name."""
    network = tdl.NTupleNetwork(RULES_2X2, [[0, 1, 2], [0, 3]])
    network.weights[:] = np.random.default_rng(1).integers(0, 100, len(network.weights))
    player, engine, solution = tdl.Player(network), tdl.Engine(RULES_2X2), solve(RULES_2X2)
    drops = [tdl.Stream(1, 0, 0) for _ in range(2 * len(ALIKE) + len(NONE))]
    methods = ("board", "array", "show", "afterstates", "legal", "terminal", "empty", "max_tile", "drops")
    return {
        **{f"Engine.{name}": getattr(engine, name) for name in methods},
        "Engine.move": lambda board: engine.move(board, 2),
        "Engine.step": lambda board: engine.step(board, 2, 0),
        "Engine.drops_of": lambda board: engine.drops_of([board])[0],
        "Engine.place": lambda board: engine.place(board, drops.pop()),
        "NTupleNetwork.value": network.value,
        "NTupleNetwork.entries": network.entries,
        "NTupleNetwork.values": lambda board: network.values([board]),
        "Player.value": player.value,
        "Player.values": player.values,
        "Player.values, 2 plies": lambda board: player.values(board, 2),
        "Player.best": player.best,
        "Expectimax": Expectimax(network, SearchOptions(2)).values,
        "Solution.value": solution.value,
        "Solution.value_after": solution.value_after,
        "Solution.best": solution.best,
        "tdl.picture.svg": lambda board: tdl.picture.svg(board, RULES_2X2),
        "tdl.picture.text": lambda board: tdl.picture.text(board, RULES_2X2),
    }


@pytest.mark.parametrize("name", ALIKE)
def test_all_take_what_stands_for_a_board(takers, name):
    for taker, take in takers.items():
        np.testing.assert_array_equal(take(ALIKE[name]), take(PACKED), err_msg=taker)


@pytest.mark.parametrize("name", NONE)
def test_all_refuse_in_one_line_what_stands_for_none(takers, name):
    messages = set()
    for take in takers.values():
        with pytest.raises(ConfigError, match="board") as caught:
            take(NONE[name])
        messages.add(str(caught.value).removeprefix("boards[0]: "))
    assert len(messages) == 1
    assert "\n" not in messages.pop()


@each_rules
def test_many_boards(rules):
    tiles = random_boards(rules, 50)
    numbers = [pack(board, rules) for board in tiles]
    rows = [[rules.value(tile) for tile in board] for board in tiles]
    grids = np.array(rows).reshape(50, rules.rows, rules.cols)
    if rules.bits * rules.cells > 64:
        with pytest.raises(ConfigError, match=r"boards: '\d+ bits' is not allowed; expected boards of at most"):
            packed_boards(numbers, rules)
        return
    array = np.array(numbers, np.uint64)
    signed = [] if max(numbers) >= 1 << 63 else [array.astype(np.int64)]
    for boards in (numbers, array, np.array(numbers, object), *signed, grids, list(grids), iter(numbers)):
        found = packed_boards(boards, rules)
        assert (found.dtype, found.tolist()) == (np.uint64, numbers)
    assert packed_boards([], rules).shape == (0,)


@pytest.mark.parametrize(
    ("boards", "message"),
    [
        (np.array([1, 1 << 16], np.uint64), "boards[1]: board: 65536 is not allowed; expected an int of 16 bits"),
        (np.array([1, -1]), "boards[1]: board: -1 is not allowed; expected an int of 16 bits"),
        (ROWS, "boards[0]: board: 2 cells; expected 4 cells in 2 rows of 2"),
        ([ROWS, [[2, 3], [0, 0]]], "boards[1]: board cell 1 (row 1, column 2): 3 is not allowed; expected a tile"),
        (5, "boards: 5 is not allowed; expected a list of boards, or an array of them"),
    ],
    ids=repr,
)
def test_of_many_boards_the_wrong_one_is_named(boards, message):
    with pytest.raises(ConfigError) as caught:
        tdl.NTupleNetwork(RULES_2X2, [[0, 1]]).values(boards)
    assert str(caught.value).startswith(message)


def test_a_tile_that_the_game_has_not_is_found_in_an_array(monkeypatch):
    monkeypatch.setitem(GAMES, "six_tiles", replace(GAMES["2048"], name="six_tiles", largest=6))
    rules = tdl.Rules("six_tiles", 2, 2)
    assert packed_boards(np.array([0x6000]), rules).tolist() == [0x6000]
    with pytest.raises(ConfigError, match=r"boards\[1\]: board: 'tile index 7' is not allowed; expected at most 6"):
        packed_boards(np.array([0, 0x7000]), rules)


def test_rows_without_rules():
    assert grid(((3, 0, 5.0),)).tolist() == rows_of(np.array([[3, 0, 5]])).tolist() == [[3, 0, 5]]


def test_an_action_in_itself_is_none():
    action = []
    action.append(action)
    with pytest.raises(ConfigError, match="action: "):
        action_of(action)


@pytest.mark.parametrize(
    "action", [2, 2.0, np.int32(2), np.float64(2), np.array(2), np.array([2]), [[2]], "down", ["down"]], ids=repr
)
def test_an_action(action):
    assert action_of(action) == 2
    assert type(action_of(action)) is int


@pytest.mark.parametrize(
    "actions", [[0, 3], (0, 3), np.array([0, 3], np.int8), [0.0, 3.0], [[0], [3]], ["up", "left"]], ids=repr
)
def test_actions(actions):
    found = actions_of(actions, 2)
    assert (found.dtype, found.tolist()) == (np.int64, [0, 3])


def test_a_packed_board_is_returned_as_it_is():
    assert read_board(PACKED, RULES_2X2) == PACKED


SMALL = [
    tdl.Rules(rows=2, cols=2),
    tdl.Rules(rows=2, cols=2, drop=((1, 0.8), (2, 0.2)), start=(1, 1)),
    tdl.Rules(rows=2, cols=2, start=(5,)),
    tdl.Rules("2584", 2, 2),
    tdl.Rules("2584", 2, 2, drop=P75_25),
    tdl.Rules("2584", 2, 3),
    tdl.Rules("threes_law", 2, 2, drop=P50_50),
]


@pytest.mark.parametrize("rules", SMALL, ids=lambda rules: f"{rules.game}-{rules.rows}x{rules.cols}-{rules.start}")
def test_every_board_that_games_come_to_passes(rules):
    states = reachable(rules).states.boards.tolist()
    assert len(states) > 100
    for board in states[:: 1 + len(states) // 20_000]:
        check_possible(board, rules)


@each_rules
def test_boards_of_games_pass(rules):
    engine, drops = tdl.Engine(rules), tdl.Stream(3, EVALUATION, 0)
    board = engine.start(drops)
    while moves := engine.afterstates(board):
        check_possible(board, rules)
        board = engine.place(moves[0][1], drops)
    check_possible(board, rules)


def test_the_largest_tiles_are_the_known_ones():
    assert max(cells_needed(tdl.Rules(rows=2, cols=2))) == 5  # 32
    assert max(cells_needed(tdl.Rules(rows=3, cols=3))) == 10  # 1024
    assert max(cells_needed(tdl.Rules(rows=5, cols=5))) == 26  # 2^26, as `GAMES` says


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
        check_possible(tdl.Engine(tdl.Rules()).board(rows), tdl.Rules())


def test_a_tile_too_large_for_the_board_is_refused():
    rules = tdl.Rules(rows=2, cols=2)
    with pytest.raises(ConfigError, match="64 cannot be made on 4 cells"):
        check_possible(tdl.Engine(rules).board([[64, 2], [0, 0]]), rules)
