"""Boards are read and actions known without being told, whatever a program shows and in whatever order.

Trusts the compiled batch to play; slides in NumPy are compared with it.
"""

import numpy as np
import pytest
from support.shapes import each_rules

from tdl.conformance.directions import directions_of, find_reading
from tdl.conformance.shown_boards import UNREADABLE
from tdl.conformance.slides import slid_boards
from tdl.errors import ConfigError
from tdl.game.batch import Batch
from tdl.game.rules import Rules

RULES = Rules(rows=3, cols=4)
TURNS, LANES = 60, 8


def games(rules=RULES):
    """Boards before and after random moves, and the moves: shapes (n, cells), (n,), (n, cells)."""
    batch, rng, rows = Batch(rules, LANES), np.random.default_rng(1), []
    batch.start(None, 1, 0, np.arange(LANES))
    for turn in range(TURNS):
        if batch.over.any():
            over = np.flatnonzero(batch.over)
            batch.start(over, 1, 0, LANES * (turn + 1) + over)
        actions = (rng.random((LANES, 4)) * batch.legal).argmax(axis=1)
        before = batch.tiles.copy()
        batch.step(actions)
        rows.append((before, actions, batch.tiles.copy()))
    return [np.concatenate(column) for column in zip(*rows, strict=True)]


BEFORE, MOVES, AFTER = games()
ALL = np.concatenate([BEFORE, AFTER])
PAIRS = np.column_stack([np.arange(len(MOVES)), MOVES, np.arange(len(MOVES)) + len(MOVES)])
VALUES = np.where(ALL > 0, 2.0**ALL, 0)
HOT = np.eye(13)[ALL]

FORMS = {
    "tile values": VALUES.astype(np.int32),
    "exponents": ALL,
    "tile values / 2048": (VALUES / 2048).astype(np.float32).reshape(-1, 3, 4),
    "exponents / 11": (ALL / 11).astype(np.float32).reshape(-1, 3, 4, 1),
    "one-hot, planes last, one for empty cells": HOT.reshape(-1, 3, 4, 13),
    "one-hot, planes last, none for empty cells": HOT[..., 1:].reshape(-1, 3, 4, 12).astype(bool),
    "one-hot, planes first, one for empty cells": HOT.transpose(0, 2, 1).reshape(-1, 13, 3, 4),
    "one-hot, planes first, none for empty cells": HOT[..., 1:].transpose(0, 2, 1).astype(np.uint8),
}


@pytest.mark.parametrize("text", FORMS)
def test_boards_are_read_in_every_form(text):
    other = np.random.default_rng(0).random((len(ALL), 12))
    reading, directions = find_reading({"observation.other": other, "observation.board": FORMS[text]}, PAIRS, 4, RULES)
    assert (reading.path, reading.text) == ("observation.board", text)
    assert np.array_equal(reading.boards({"observation.board": FORMS[text]}), ALL)
    assert directions.tolist() == [0, 1, 2, 3]


def test_what_is_no_tile_is_told():
    reading, _ = find_reading({"observation": VALUES}, PAIRS, 4, RULES)
    (board,) = reading.boards({"observation": np.array([[3, np.nan, -2, 1e9, 2, 0, 4, 8, 16, 32, 64, 128]])})
    assert board.tolist() == [UNREADABLE] * 4 + [1, 0, 2, 3, 4, 5, 6, 7]


def test_no_board_is_one_line():
    noise = np.random.default_rng(0).random((len(ALL), 12))
    with pytest.raises(ConfigError, match=r"no board of 2048 3x4 is seen in observation float64\[12\]; expected"):
        find_reading({"observation": noise}, PAIRS, 4, RULES)


@pytest.mark.parametrize("order", [(3, 0, 1, 2), (0, 2, 3, 1)])
def test_the_order_of_actions_is_found_also_where_moves_are_wrong(order):
    actions = np.array(order).argsort()[MOVES]
    after = AFTER.copy()
    after[::3] = after[::3, ::-1]  # a third of all moves leads anywhere
    directions, share = directions_of(BEFORE, actions, after, 5, RULES)
    assert directions.tolist() == [*order, -1]
    assert 0.6 < share < 0.75


@each_rules
def test_slides_are_those_of_the_engine(rules):
    batch = Batch(rules, 32)
    batch.start(None, 3, 0, np.arange(32))
    for _ in range(40):
        slides = slid_boards(batch.tiles, rules)
        assert np.array_equal(slides.legal, batch.legal)
        assert np.array_equal(slides.after, batch.afterstates())
        assert np.array_equal(slides.gained, batch.rewards)
        going = np.flatnonzero(~batch.over)
        batch.step(batch.legal.argmax(axis=1)[going], going)
