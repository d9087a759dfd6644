"""Features beyond tuples: by hand, every instruction set against the reference implementation, what is refused.

Trusts indices worked out by hand, and `tdl.network.network_reference`, which is checked against the same ones.
"""

import numpy as np
import pytest
from support.shapes import RULES, SHARE, Repeated, drawn, each_rules, small_tuples, telling_boards

from tdl.errors import ConfigError
from tdl.game.boards import pack
from tdl.network.network_reference import ReferenceNetwork, count_index, order_index
from tdl.network.ntuple import NTupleNetwork
from tdl.network.tuples import TupleSet, count_features, features, order_features

each_instructions = pytest.mark.parametrize("instructions", NTupleNetwork.instruction_sets())

TWO_LINES = ((0, 1, 2, 3), (4, 5, 6, 7))
ROWS = (TWO_LINES, ((4, 5, 6, 7), (8, 9, 10, 11)))
SMALL, LARGE = tuple(range(8)), tuple(range(8, 16))


def assert_entries_of_the_reference(network, boards):
    """The entries of boards are those of the reference implementation, in its order, with every instruction set."""
    reference = ReferenceNetwork(network.rules, network.tuples)
    tables = [table for table, _ in network.features + network.orders + network.counts]
    for board in boards:
        active = reference.active(board)
        assert [table for table, _ in active] == tables
        assert all(0 <= index < network.layout.size(table) for table, index in active)
        expected = [network.layout.map(table, np.array([index], np.uint32)).item() for table, index in active]
        for instructions in NTupleNetwork.instruction_sets():
            network.use_instructions(instructions)
            assert network.entries(pack(board, network.rules)).tolist() == expected, (instructions, board)


# Pairs of a line 0 1 2 are (0,1) (0,2) (1,2): bits 0 1 2 where the first is smaller, 3 4 5 where it is larger.
@pytest.mark.parametrize(
    ("board", "index"),
    [
        ("2 4 8 / . . .", 0b000_111),
        ("8 4 2 / . . .", 0b111_000),
        ("4 4 4 / . . .", 0),
        (". . . / 2 2 2", 0b111_111),
        (". . 2 / 2 2 2", 0b001_111),  # empty is less than any tile; both empty: both bits
        ("2 . 2 / 2 2 2", 0b001_100),
        ("8 2 8 / 2 2 2", 0b001_100),
        ("32768 4 16384 / 2 2 2", 0b011_100),
    ],
)
@each_instructions
def test_order_feature_by_hand(board, index, instructions):
    rules = RULES["2x3"]
    tuples = TupleSet(((0,),), symmetries=False, orders=(((0, 1, 2),),))
    board = drawn(board, rules)
    assert order_index(board, ((0, 1), (0, 2), (1, 2))) == index
    network = NTupleNetwork(rules, tuples)
    network.use_instructions(instructions)
    network.set_table(1, np.arange(64))
    assert network.value(pack(board, rules)) == index


@pytest.mark.parametrize(
    ("board", "tiles", "cap", "index"),
    [
        ("2 4 2 / . 2 .", (1, 2, 0), 7, 3 + 8 * 1 + 64 * 2),
        ("2 4 2 / . 2 .", (0, 2, 1), 7, 2 + 8 * 1 + 64 * 3),
        ("2 4 2 / . 2 .", (1, 2, 0), 2, 2 + 3 * 1 + 9 * 2),
        ("2 4 2 / . 2 .", (1, 2, 0), 1, 1 + 2 * 1 + 4 * 1),
        ("2 2 2 / 2 2 2", (2, 1, 3), 16, 17 * 6),
        (". . . / . . .", (0,), 16, 6),  # of this board, not of the 16 cells a packed board has room for
        ("32768 4 32768 / . 2 .", (15,), 4, 2),
    ],
)
@each_instructions
def test_count_feature_by_hand(board, tiles, cap, index, instructions):
    rules = RULES["2x3"]
    tuples = TupleSet(((0,),), counts=(tiles,), count_cap=cap)
    board = drawn(board, rules)
    assert count_index(board, tiles, cap) == index
    network = NTupleNetwork(rules, tuples)
    network.use_instructions(instructions)
    network.set_table(1, np.arange((cap + 1) ** len(tiles)))
    assert network.value(pack(board, rules)) == index


def test_tiles_are_compared_and_counted_as_they_are_whatever_the_radix():
    rules = RULES["2x2"]
    network = NTupleNetwork(rules, TupleSet(((0,),), symmetries=False, radix=3, orders=(((0, 1),),), counts=((9,),)))
    network.set_table(1, [0, 10, 20, 30])
    network.set_table(2, np.arange(8) * 100)
    assert network.value(pack([9, 8, 9, 9], rules)) == 20 + 300


WIDE = {
    "two lines": TupleSet(((0, 1),), orders=ROWS),
    "all tiles": TupleSet(((0, 1),), counts=(SMALL, LARGE)),
    "both": TupleSet(((0, 1, 2), (4, 5)), orders=ROWS, counts=(SMALL, LARGE)),
    "both, radix 5": TupleSet(((0, 1, 2), (4, 5)), radix=5, orders=ROWS[:1], counts=(LARGE[:4], (0,))),
    "16 tiles, at most 1": TupleSet(((0,),), counts=(tuple(range(15, -1, -1)),), count_cap=1),
    "5 tiles, at most 16": TupleSet(((0,),), counts=((0, 1, 2, 14, 15),), count_cap=16),
    "unshared": TupleSet(((0,),), share=False, orders=(((0, 1, 2), (4, 5, 6)),), counts=((3,), (0, 1))),
    "crossing": TupleSet(((0,),), orders=(((0, 1, 2, 3), (0, 4, 8, 12)), ((0, 5, 10, 15),))),
}


@pytest.mark.parametrize("tuples", WIDE.values(), ids=WIDE.keys())
def test_extremes(tuples):
    """Boards of one tile only are the largest index of an order and of each count."""
    network = NTupleNetwork(RULES["4x4"], tuples)
    assert_entries_of_the_reference(network, [[tile] * 16 for tile in range(16)])
    others = [[0, 15] * 8, list(range(16)), list(range(16))[::-1], [0] * 8 + [15] * 8]
    assert_entries_of_the_reference(network, others + telling_boards(RULES["4x4"], 80 // SHARE))


@each_rules
@pytest.mark.parametrize("name", [name for name, s in small_tuples(RULES["4x4"]).items() if s.orders or s.counts])
def test_entries_on_every_board(rules, name):
    network = NTupleNetwork(rules, small_tuples(rules)[name])
    assert_entries_of_the_reference(network, telling_boards(rules, 40 // SHARE))


@pytest.mark.parametrize("others", [0, 1, 2, 3, 16, 17])
@pytest.mark.parametrize("tuple_features", [1, 13, 14, 15, 16, 17, 31])
def test_features_fill_rows_of_any_length(tuple_features, others):
    """Rows are padded to 16: one that the tuples fill, one that the others do, and what is between."""
    cells = tuple((f % 6, (f + 1) % 6) for f in range(tuple_features))
    orders = tuple(((f % 6, (f + 2) % 6, (f + 3) % 6),) for f in range(others))
    tuples = Repeated(cells, symmetries=False, orders=orders, counts=((0, 1),))
    network = NTupleNetwork(RULES["2x3"], tuples)
    assert network.m == tuple_features + others + 1
    assert_entries_of_the_reference(network, [[0] * 6, [1, 2, 3, 4, 5, 6], [15, 0, 0, 1, 1, 0]])


def test_features_and_their_tables():
    tuples = TupleSet(((0, 1), (2,)), orders=(((0, 1), (2, 3)), ((0, 2, 3),)), counts=((0,), (4, 5)), count_cap=2)
    network = NTupleNetwork(RULES["2x2"], tuples)
    assert (network.m, network.lengths) == (8 * 4 + 2, (2, 1, 2, 3, 1, 2))
    assert network.extras
    assert [network.layout.size(table) for table in range(6)] == [256, 16, 16, 64, 3, 9]
    assert [table for table, _ in network.orders] == [2] * 8 + [3] * 8
    assert network.orders[0] == (2, ((0, 1), (2, 3)))
    assert network.orders[8] == (3, ((0, 2), (0, 3), (2, 3)))
    assert network.counts == ((4, (0,)), (5, (4, 5)))
    # each image of an order feature is the image of its lines
    assert {pairs for _, pairs in network.orders[:8]} == {
        ((0, 1), (2, 3)), ((1, 0), (3, 2)), ((2, 3), (0, 1)), ((3, 2), (1, 0)),
        ((0, 2), (1, 3)), ((2, 0), (3, 1)), ((1, 3), (0, 2)), ((3, 1), (2, 0)),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("flags", "order_tables", "count_tables"),
    [
        ({}, [1] * 4, [2, 3]),
        ({"share": False}, [4, 5, 6, 7], [8, 9]),
        ({"symmetries": False}, [1], [2, 3]),
        ({"symmetries": False, "share": False}, [1], [2, 3]),
    ],
    ids=["shared", "unshared", "one image", "one image, unshared"],
)
def test_flags_hold_for_orders_and_counts_are_active_once(flags, order_tables, count_tables):
    tuples = TupleSet(((0, 1),), orders=(((0, 3), (1, 4)),), counts=((0,), (1,)), **flags)
    assert [table for table, _ in order_features(tuples, 2, 3)] == order_tables
    assert [table for table, _ in count_features(tuples, 2, 3)] == count_tables
    assert len(features(tuples, 2, 3)) == len(order_tables)


def test_description():
    """What a set does not have is not named: checkpoints from before there were such features fit."""
    with_both = TupleSet(((0,),), orders=[[[0, 1], [2, 3]]], counts=[[0], [4, 5]], count_cap=3)
    values = {"cells": [[0]], "symmetries": True, "share": True, "radix": None}
    assert TupleSet(((0,),), count_cap=3).to_dict() == values
    extra = {"orders": [[[0, 1], [2, 3]]], "counts": [[0], [4, 5]], "count_cap": 3}
    assert with_both.to_dict() == values | extra
    assert TupleSet(**with_both.to_dict()) == with_both
    assert hash(with_both)


LISTS = "expected a list of features, each a list of lines"
LINES = "expected a list of lines, as"
LINE = r"expected a line of at least 2 cells, as \[0,1,2,3\]"


@pytest.mark.parametrize(
    ("orders", "message"),
    [
        ("0123", f"tuples.orders: '0123' is not allowed; {LISTS}"),
        ([[]], rf"tuples.orders: \[\] is not allowed; {LINES}"),
        ([[0, 1, 2, 3]], f"tuples.orders: 0 is not allowed; {LINE}"),
        ([[[0, 1], [2]]], rf"tuples.orders: \[2\] is not allowed; {LINE}"),
        ([[[0, 1.5]]], "tuples.orders: 1.5 is not allowed; expected whole numbers"),
        ([[[0, 1, 0]]], r"tuples.orders: repeated cell 0 in \[0, 1, 0\]; expected each cell once"),
        (
            [[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]],
            r"tuples.orders: '\[\[0, 1, 2, 3\], .* with 13 pairs of cells' is not allowed; expected at most 12 pairs",
        ),
    ],
)
def test_wrong_orders(orders, message):
    with pytest.raises(ConfigError, match=message):
        TupleSet(((0,),), orders=orders)


@pytest.mark.parametrize(
    ("counts", "cap", "message"),
    [
        ("01", 7, "tuples.counts: '01' is not allowed; expected a list of features, each a list of tile indices"),
        ([[]], 7, r"tuples.counts: \[\] is not allowed; expected a list of tile indices"),
        ([[-1]], 7, "tuples.counts: -1 is not allowed; expected a whole number of at least 0"),
        ([[3, 2, 3]], 7, r"tuples.counts: repeated tile 3 in \[3, 2, 3\]; expected each tile once"),
        ([list(range(9))], 7, r"tuples.counts: \[0, .*, 8\] has 8\^9 = 134,217,728 entries; expected at most 16,777,"),
        ([[0]], 0, "tuples.count_cap: 0 is not allowed; expected a whole number from 1 to 16"),
    ],
)  # fmt: skip
def test_wrong_counts(counts, cap, message):
    with pytest.raises(ConfigError, match=message):
        TupleSet(((0,),), counts=counts, count_cap=cap)


def test_what_a_board_cannot_have():
    with pytest.raises(ConfigError, match=r"tuples.orders: cell 6 of \[5, 6\] is not on the board; .* a 2x3 board"):
        TupleSet(((0,),), orders=(((0, 1), (5, 6)),)).check_board(2, 3)
    with pytest.raises(ConfigError, match=r"tuples.counts: 16 is not allowed; expected at most 15, the largest tile"):
        NTupleNetwork(RULES["4x4"], TupleSet(((0,),), counts=((3, 16, 0),)))


def test_too_many_features_are_refused():
    counts = tuple((tile,) for tile in range(16)) * 64
    with pytest.raises(ConfigError, match="tuples: '1025 features' is not allowed; expected at most 1024"):
        NTupleNetwork(RULES["2x2"], TupleSet(((0,),), symmetries=False, counts=counts))
