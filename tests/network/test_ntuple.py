"""The n-tuple network: values by hand, symmetry, tables in natural order, memory, and equality with its reference.

Trusts the values worked out by hand, and `ReferenceNetwork`, which is checked against the same ones. Where weights are
small whole numbers, sums are exact in any order.
"""

import numpy as np
import pytest
from support.shapes import RULES, drawn, each_rules, each_set, random_boards, small_tuples, telling_boards

from tdl.base import machine
from tdl.errors import ConfigError
from tdl.game.boards import pack
from tdl.network.layout import entries_of
from tdl.network.network_reference import ReferenceNetwork
from tdl.network.ntuple import NTupleNetwork
from tdl.network.tuples import TupleSet, symmetries, tuple_set


def bits(value):
    """The bits of a float32: equality that also tells 0 from -0."""
    return np.float32(value).tobytes()


def whole_numbers(network, seed=0):
    """Fill a network with random small whole numbers."""
    rng = np.random.default_rng(seed)
    for table in range(len(network.lengths)):
        network.set_table(table, rng.integers(-1000, 1000, network.layout.size(table)))
    return network


def reference_of(network):
    """A `ReferenceNetwork` of the same weights."""
    reference = ReferenceNetwork(network.rules, network.tuples)
    for table in range(len(network.lengths)):
        reference.tables[table] = dict(enumerate(network.table(table)))
    return reference


TOY = "2 4 8 / . 16 32"  # tile indices 1 2 3 / 0 4 5


@pytest.mark.parametrize(
    ("flags", "factors", "value"),
    [
        # A table holds factor * index; an index is first tile + 16 * second tile.
        # (0,1) reads 1 2 -> 33; (0,3) reads 1 0 -> 1
        ({"symmetries": False}, [1, 1000], 33 + 1000 * 1),
        # (0,1) in its images 0 1, 2 1, 3 4, 5 4 reads 1 2, 3 2, 0 4, 5 4 -> 33 + 35 + 64 + 69
        # (0,3) in its images 0 3, 2 5, 3 0, 5 2 reads 1 0, 3 5, 0 1, 5 3 ->  1 + 83 + 16 + 53
        ({}, [1, 1000], (33 + 35 + 64 + 69) + 1000 * (1 + 83 + 16 + 53)),
        # the same reads, each from a table of its own
        ({"share": False}, [1, 2, 3, 4, 1000, 0, 0, 5], (33 + 2 * 35 + 3 * 64 + 4 * 69) + 1000 * 1 + 5 * 53),
    ],
    ids=["one image", "shared", "unshared"],
)
def test_value_of_a_toy_by_hand(flags, factors, value):
    network = NTupleNetwork(RULES["2x3"], TupleSet(((0, 1), (0, 3)), **flags))
    assert len(network.lengths) == len(factors)
    for table, factor in enumerate(factors):
        network.set_table(table, factor * np.arange(256))
    board = drawn(TOY, network.rules)
    assert network.value(pack(board, network.rules)) == value
    assert reference_of(network).value(board) == value


@each_rules
@pytest.mark.parametrize("set_name", ["even", "odd", "mixed", "orders", "orders and counts"])
def test_all_images_of_a_board_have_one_value(rules, set_name):
    network = whole_numbers(NTupleNetwork(rules, small_tuples(rules)[set_name]))
    mapped = symmetries(rules.rows, rules.cols)
    for board in telling_boards(rules, 20):
        images = [pack([board[cell] for cell in image], rules) for image in mapped]
        assert len({network.value(image) for image in images}) == 1, board


@each_rules
@pytest.mark.parametrize("set_name", ["one image", "unshared"])
def test_without_shared_images_they_differ(rules, set_name):
    network = whole_numbers(NTupleNetwork(rules, small_tuples(rules)[set_name]))
    board = [cell % 15 for cell in range(rules.cells)]
    images = [pack([board[cell] for cell in image], rules) for image in symmetries(rules.rows, rules.cols)]
    assert len({network.value(image) for image in images}) == len(images)


@each_rules
@each_set
def test_tables_round_trip(rules, set_name):
    network = NTupleNetwork(rules, small_tuples(rules)[set_name])
    rng = np.random.default_rng(3)
    tables = [
        rng.standard_normal(network.layout.size(number)).astype(np.float32) for number in range(len(network.lengths))
    ]
    for number, values in enumerate(tables):
        network.set_table(number, values)
    for number, values in enumerate(tables):  # read when all are set: none has overwritten another
        assert network.table(number).tobytes() == values.tobytes()


def test_natural_order_has_the_first_cell_least_significant():
    rules = RULES["2x2"]
    network = NTupleNetwork(rules, TupleSet(((2, 0, 1),), symmetries=False))
    network.set_table(0, np.arange(16**3))
    #  16   2      cell 2 holds index 3, cell 0 index 4, cell 1 index 1
    #   8   .
    assert network.value(pack(drawn("16 2 / 8 .", rules), rules)) == 3 + 16 * 4 + 256 * 1


def test_a_table_is_a_copy_and_weights_are_not():
    network = NTupleNetwork(RULES["2x2"], TupleSet(((0, 1),), symmetries=False))
    network.table(0)[:] = 1
    assert network.value(0) == 0
    network.weights[:] = 1
    assert network.value(0) == 1
    assert network.table(0).tolist() == [1.0] * 256


@pytest.mark.parametrize("shape", [(255,), (257,), (16, 16), ()])
def test_a_table_of_another_size_is_refused(shape):
    network = NTupleNetwork(RULES["2x2"], TupleSet(((0, 1),)))
    with pytest.raises(ConfigError, match=r"table 0: .* is not allowed; expected shape \(256,\)"):
        network.set_table(0, np.zeros(shape))


@each_rules
@each_set
def test_initial_value_is_the_value_of_every_board(rules, set_name):
    boards = random_boards(rules, 10)
    for initial in (0.0, 100.0, 320_000.0, -12.5):
        network = NTupleNetwork(rules, small_tuples(rules)[set_name], initial_value=initial)
        reference = ReferenceNetwork(rules, network.tuples, initial)
        for board in boards:
            value = network.value(pack(board, rules))
            assert abs(value - initial) <= 1e-6 * abs(initial)
            assert bits(value) == bits(reference.value(board))


@each_rules
@each_set
def test_values_equal_the_reference_bit_for_bit(rules, set_name):
    network = NTupleNetwork(rules, small_tuples(rules)[set_name])
    rng = np.random.default_rng(4)
    for table in range(len(network.lengths)):
        scale = 10.0 ** rng.integers(
            -3, 6, network.layout.size(table)
        )  # unlike sizes, so that the order of summation shows
        network.set_table(table, scale * rng.standard_normal(network.layout.size(table)))
    reference = reference_of(network)
    for board in random_boards(rules, 50):
        assert bits(network.value(pack(board, rules))) == bits(reference.value(board))


def test_order_of_summation():
    network = NTupleNetwork(RULES["2x3"], TupleSet(tuple((cell,) for cell in range(5)), symmetries=False))
    for table, weight in enumerate((1e8, 1, -1e8, 1, 3)):
        network.set_table(table, np.full(16, weight))
    # Partial sums 1e8 + 3, 1, -1e8, 1, then (1e8 + 3 + 1) + (-1e8 + 1). Near 1e8 float32 keeps multiples of 8, so
    # all small ones are lost; one running sum would give 4, exact arithmetic 5.
    assert network.value(0) == 0
    assert reference_of(network).value([0] * 6) == 0


def test_more_memory_than_is_free_is_refused(monkeypatch):
    monkeypatch.setattr(machine, "available_memory", lambda: 2**20)
    tuples = TupleSet(((0, 1, 2, 3), (4, 5, 6, 7, 8)))
    entries = 16**4 + 7936 + 16**5
    message = rf"tuples: the network's {entries:,} weights need 0\.0 GiB of memory; 0\.0 GiB are free"
    with pytest.raises(ConfigError, match=message):
        NTupleNetwork(RULES["4x4"], tuples)
    monkeypatch.setattr(machine, "available_memory", lambda: 4 * entries)
    assert len(NTupleNetwork(RULES["4x4"], tuples).weights) == entries


def test_too_many_weights_are_refused(monkeypatch):
    monkeypatch.setattr(machine, "available_memory", lambda: 2**60)
    with pytest.raises(ConfigError, match=r"tuples: '.* weights' is not allowed; expected at most 4,294,967,296"):
        NTupleNetwork(RULES["4x4"], TupleSet(tuple((*range(6), last) for last in range(6, 14)), share=False))


SAME = TupleSet(((0, 1, 2, 3), (4, 5, 6, 7)))


@pytest.mark.parametrize(
    "tuples",
    [SAME, "2x4", [[0, 1, 2, 3], [4, 5, 6, 7]], SAME.cells, np.arange(8).reshape(2, 4), [np.arange(4), range(4, 8)]],
    ids=["set", "name", "lists", "tuples", "array", "rows"],
)
def test_tuples_are_a_set_a_name_or_cells(tuples):
    assert tuple_set(tuples) == NTupleNetwork(None, tuples).tuples == tuple_set("2x4") == SAME


@pytest.mark.parametrize(
    ("tuples", "message"),
    [
        ("4x9", "tuples: '4x9' is not allowed; expected one of .*; did you mean '4x6' or"),
        ([[0, 16]], r"tuples.cells: cell 16 of \[0, 16\] is not on the board; expected cells 0 to 15 of a 4x4 board"),
        ([[0, 1], [15, 14]], r"tuples.cells: \[15, 14\] is an image of \[0, 1\], so that both learn the same"),
        ([[0, 1], [1, 0]], r"tuples.cells: \[1, 0\] has the same cells as \[0, 1\], so that both learn the same"),
        ("3x4_5x6", "tuples: the cells of 3x4_5x6 are numbered on a 3x4 board, and the rules have 4x4; expected"),
        (RULES["4x4"], "tuples.cells: Rules.* is not allowed; expected at least one list of cells"),
    ],
)
def test_what_are_no_tuples_is_refused(tuples, message):
    with pytest.raises(ConfigError, match=message):
        NTupleNetwork(RULES["4x4"], tuples)


@pytest.mark.parametrize("rules", ["4x4", 3, {}], ids=repr)
def test_a_named_set_for_what_are_no_rules_is_refused(rules):
    with pytest.raises(ConfigError, match=r"rules: .* is not allowed; expected Rules, as tdl.Rules"):
        tuple_set("4x6", rules)


def test_what_is_missing_is_said():
    with pytest.raises(ConfigError, match=r"tuples.cells: None is not allowed; expected at least one list of cells"):
        NTupleNetwork()
    with pytest.raises(ConfigError, match="rules: '4x6' is not allowed; expected Rules"):
        NTupleNetwork("4x6")


def test_images_of_one_another_are_taken_with_weights_and_where_they_are_not_read():
    """A file of another program may have them; without symmetries they learn apart."""
    cells = [[0, 1], [15, 14]]
    assert NTupleNetwork(None, TupleSet(cells, symmetries=False)).m == 2
    assert NTupleNetwork(None, cells, weights=np.zeros(entries_of(TupleSet(cells), 4, 4, 16), np.float32)).m == 16


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rules": "4x4"}, "rules: '4x4' is not allowed; expected Rules"),
        ({"stages": (2048,)}, r"stages: \(2048,\) is not allowed; expected Stages"),
        ({"weights": [0.0] * 256}, "weights: .* is not allowed; expected ndarray"),
        ({"weights": np.zeros(256)}, r"weights: '\(256,\) float64' is not allowed; expected \(256,\) float32"),
    ],
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises(ConfigError, match=message):
        NTupleNetwork(**{"rules": None, "tuples": [[0, 1]], **options})


@pytest.mark.parametrize("number", [-1, 1, 0.0, "0"])
def test_a_table_must_exist(number):
    network = NTupleNetwork(RULES["2x2"], [[0, 1]])
    for call in (network.table, network.table_entries, lambda table: network.set_table(table, np.zeros(256))):
        with pytest.raises(ConfigError, match=r"table: .* is not allowed; expected a whole number from 0 to 0"):
            call(number)


def test_boards_of_more_than_64_bits_have_no_values_at_once():
    network = NTupleNetwork(RULES["2584-5x5"], small_tuples(RULES["2584-5x5"])["odd"])
    with pytest.raises(ConfigError, match="boards: '125 bits' is not allowed; expected boards of at most 64 bits"):
        network.values(np.zeros(1, np.uint64))
