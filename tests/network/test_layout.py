"""Where entries lie: the layout is one-to-one, and every instruction set computes it.

Trusts indices worked out by hand, which pin the order of weights in files, and the layouts' `map`, checked here to be
a bijection and then the reference of the compiled index functions.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.shapes import RULES, Repeated, many, random_boards

from tdl.errors import ConfigError
from tdl.game.boards import pack
from tdl.network.layout import LINE, layout_for
from tdl.network.ntuple import NTupleNetwork
from tdl.network.tuples import TupleSet


def indices(numbers):
    return np.array(numbers, np.uint32)


def layout_of(*cells, radix=16, **flags):
    return layout_for(TupleSet(cells, **flags), 4, 4, radix)


ALONE = tuple(range(8))  # a tuple without a partner; a shorter one is a part of it
PAIR = ((0, 1, 2), (0, 1, 3))  # cells 0 and 1 shared, 2 and 3 own


def natural_index(tiles):
    return sum(tile * 16**digit for digit, tile in enumerate(tiles))


@pytest.mark.parametrize(
    ("tiles", "memory"),
    [
        # The last cell is the lowest digit: 0b0110_1001, where bits 3 and 4 (1 and 0) change places.
        ((6, 9), 0b0111_0001),
        # 0b0110_1001_1101: bits 3 and 4 are 1 and 1.
        ((6, 9, 13), 0b0110_1001_1101),
        # 12 << 12, folded 10 bits down onto bits 4 and 5; what would fall below bit 4 is dropped.
        ((12, 0, 0, 0), (12 << 12) + (3 << 4)),
        # 15 at bit 16, folded 10 bits down onto bits 6..9.
        ((15, 0, 0, 0, 0), (15 << 16) + (15 << 6)),
        ((5,), 5),
    ],
)
def test_map_alone_by_hand(tiles, memory):
    layout = layout_of(ALONE[: len(tiles)])
    assert layout.map(0, indices([natural_index(tiles)])).tolist() == [memory]


def test_map_of_a_pair_by_hand():
    layout = layout_of(*PAIR, symmetries=False)
    # The own cell's 13 = 0b1101 comes first and leaves bit 3 free: 0b1_.101; then the shared cells from the last: 9,
    # 6. Not folded: the bits above 13 are 0. The second table's entry lies 8 further, in the same line.
    expected = 0b1_0101 + (9 << 5) + (6 << 9)
    natural = indices([natural_index((6, 9, 13))])
    assert layout.map(0, natural).tolist() == [expected]
    assert layout.map(1, natural).tolist() == [expected + LINE // 2]
    assert expected // LINE == (expected + LINE // 2) // LINE


@pytest.mark.parametrize("radix", [16, 7])
def test_tables_beyond_tuples_keep_the_natural_order_by_hand(radix):
    layout = layout_of((0, 1), orders=(((0, 1, 2),),), counts=((4, 5),), count_cap=2, radix=radix)
    assert [layout.size(table) for table in range(3)] == [radix**2, 4**3, 3**2]
    order = 256 + 7936 if radix == 16 else 64 + 7936  # on the cache line after 49
    assert layout.map(1, indices([0, 63])).tolist() == [order, order + 63]
    assert layout.map(2, indices([0, 8])).tolist() == [order + 64 + 7936, order + 64 + 7936 + 8]
    assert layout.entries == order + 64 + 7936 + 9


def test_like_tuples_are_paired_also_in_another_image():
    assert [table.paired for table in layout_of((0, 1, 2, 4), (3, 2, 1, 6)).tables] == [
        True,
        True,
    ]  # mirrored: 0 1 2 5
    assert [table.paired for table in layout_of((0, 1, 2, 4), (3, 2, 1, 6), symmetries=False).tables] == [False, False]
    assert [table.paired for table in layout_of((0, 1, 2), (0, 1), (5,)).tables] == [False] * 3


LAYOUTS = {
    **{f"alone {n}": layout_of(ALONE[:n]) for n in range(1, 6)},
    "pair": layout_of(*PAIR, symmetries=False),
    "pairs and others": layout_of((0, 1, 2, 3), (0, 1, 2, 4, 5), (4, 5, 6, 7), (1, 2, 3), (3,), (0, 1, 2, 5)),
    "unshared": layout_of((0, 1, 2), (1, 2, 3), share=False),
    **{f"radix {radix}": layout_of((0, 1, 2), (3,), (4, 5, 6), radix=radix) for radix in range(2, 33)},
    "long at a small radix": layout_of(ALONE, ALONE[:7], radix=5),
    "beyond tuples": layout_of(*PAIR, (5,), orders=(((0, 1, 2),), ((4, 5),)), counts=((1, 2), (3,)), count_cap=4),
    "beyond tuples, radix 3": layout_of((0, 1), share=False, radix=3, orders=(((4, 5),),), counts=((1, 2), (3,))),
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_tables_are_mapped_one_to_one_and_do_not_overlap(layout):
    taken = np.zeros(layout.entries, bool)
    for table in range(len(layout.tables)):
        natural = np.arange(layout.size(table), dtype=np.uint32)
        memory = layout.map(table, natural)
        assert memory.dtype == np.uint32
        assert np.array_equal(layout.inverse(table, memory), natural)
        assert not taken[memory].any()
        taken[memory] = True
    assert np.count_nonzero(taken) == sum(layout.size(table) for table in range(len(layout.tables)))


LONG = {
    "4x6": layout_of((0, 1, 2, 3, 4, 5), (4, 5, 6, 7, 8, 9), (0, 1, 2, 4, 5, 6), (4, 5, 6, 8, 9, 10)),
    "2x7": layout_of((0, 1, 2, 3, 4, 5, 6), (4, 5, 6, 7, 8, 9, 10)),
    "pair of 7": layout_of((0, 1, 2, 3, 4, 5, 6), (0, 1, 2, 3, 4, 5, 7), symmetries=False),
    **{
        f"{n} at radix {radix}": layout_of(ALONE[:n], ALONE[1:n], radix=radix)
        for radix in range(2, 33)
        for n in range(2, 9)
        if radix**n < 2**31
    },
    "8 at radix 16": layout_of(ALONE),
}


@many
@given(st.sampled_from(list(LONG)), st.integers(0, 3), st.lists(st.integers(0, 31), min_size=8, max_size=8))
def test_long_tuples_are_mapped_one_to_one_within_bounds(name, table, tiles):
    layout = LONG[name]
    table %= len(layout.tables)
    natural = indices([natural_index(tiles) % layout.size(table)])
    memory = layout.map(table, natural)
    assert memory[0] < layout.entries <= 2**32
    assert layout.inverse(table, memory) == natural


@pytest.mark.parametrize("layout", LONG.values(), ids=LONG.keys())
def test_long_tables_do_not_meet(layout):
    rng = np.random.default_rng(1)
    seen = []
    for table in range(len(layout.tables)):
        natural = np.unique(rng.integers(0, layout.size(table), 20_000).astype(np.uint32))
        memory = layout.map(table, natural)
        assert np.array_equal(layout.inverse(table, memory), natural)
        seen.append(memory)
    assert len(np.unique(np.concatenate(seen))) == sum(map(len, seen))


def test_two_tuples_of_8_cells_are_no_pair():
    """Woven, they would need indices of 33 bits."""
    layout = layout_of(ALONE, (*ALONE[:7], 8), symmetries=False)
    assert [table.paired for table in layout.tables] == [False, False]
    assert layout.entries > 2**32  # no network: refused


SETS = {
    # name: (rules, tuples)
    "odd": (RULES["4x4"], TupleSet(((5,), (0, 1, 2), (3, 7, 11, 15, 14)))),
    "even": (RULES["4x4"], TupleSet(((0, 1), (4, 5, 6, 7)))),
    "mixed": (RULES["4x4"], TupleSet(((9,), (15, 0), (2, 1, 0), (12, 3, 0, 15), (8, 9, 10, 13, 12)))),
    "six": (RULES["4x4"], TupleSet(((0, 1, 2, 3, 4, 5), (1, 2)))),
    "seven": (RULES["4x4"], TupleSet(((0, 1, 2, 4, 5, 6, 15), (3,)), symmetries=False)),
    "unshared": (RULES["4x4"], TupleSet(((0, 1), (4, 5, 6)), share=False)),
    "1 feature": (RULES["4x4"], TupleSet(((7, 11, 10),), symmetries=False)),
    "3 features": (RULES["3x4"], TupleSet(((0, 4), (1, 5, 9), (11,)), symmetries=False)),
    "17 features": (RULES["4x4"], Repeated(tuple((cell, 15 - cell) for cell in range(16)) + ((0, 1, 5),), False)),
    "64 features": (RULES["4x4"], Repeated(tuple((cell, cell + 1, cell + 4) for cell in range(8)))),
    "pairs": (RULES["4x4"], TupleSet(((0, 1, 2, 4, 5), (3,), (1, 5, 4, 0, 6), (9, 8, 4, 5), (0, 1, 5, 2)))),
    "2x2": (RULES["2x2"], TupleSet(((0, 1), (0, 1, 2, 3)))),
    "2x3": (RULES["2x3"], TupleSet(((0, 1, 2), (0, 3), (4,)))),
    "4x3": (RULES["4x3"], TupleSet(((0, 3, 6, 9), (1, 4, 7)))),
    **{f"radix {n}": (RULES["4x4"], TupleSet(((0, 1, 2, 3, 4), (5, 6, 9)), radix=n)) for n in range(2, 17)},
    "8 at radix 5": (RULES["4x4"], TupleSet(((0, 1, 2, 3, 4, 5, 6, 9), (5, 6, 9)), radix=5)),
    "3x3 at radix 11": (RULES["3x3"], TupleSet(((0, 1, 2, 3, 4), (8,)), radix=11)),
}
each_network = pytest.mark.parametrize(("rules", "tuples"), SETS.values(), ids=SETS.keys())


@pytest.mark.parametrize("instructions", NTupleNetwork.instruction_sets())
@each_network
def test_entries_of_every_instruction_set(rules, tuples, instructions):
    network = NTupleNetwork(rules, tuples)
    network.use_instructions(instructions)
    assert network.instructions == instructions
    boards = np.array(random_boards(rules, 200), np.uint32)
    expected = []
    for table, cells in network.features:
        radix = network.layout.radix
        natural = sum(
            np.minimum(boards[:, cell], radix - 1) * np.uint32(radix**digit) for digit, cell in enumerate(cells)
        )
        expected.append(network.layout.map(table, natural))
    found = [network.entries(pack(board, rules)) for board in boards.tolist()]
    assert np.array_equal(np.array(found).T, np.array(expected))


@pytest.mark.parametrize("instructions", NTupleNetwork.instruction_sets())
def test_entries_of_8_cells(instructions, tmp_path):
    """All 32 bits of an index: a table of 2^32 entries, in a file that has room only for those in use."""
    weights = np.memmap(tmp_path / "sparse", np.float32, "w+", shape=(2**32,))
    rules, cells = RULES["2x4"], tuple(range(8))
    network = NTupleNetwork(rules, TupleSet((cells,)), weights=weights)
    network.use_instructions(instructions)
    boards = random_boards(rules, 50)
    for board in boards:
        natural = [natural_index([board[cell] for cell in seen]) for _, seen in network.features]
        assert network.entries(pack(board, rules)).tolist() == network.layout.map(0, indices(natural)).tolist()


def test_a_radix_that_a_cell_cannot_hold():
    with pytest.raises(ConfigError, match=r"tuples\.radix: 17 is not allowed; expected at most 16"):
        NTupleNetwork(RULES["4x4"], TupleSet(((0, 1),), radix=17))
    for radix in (1, 33, 2.5, True):
        with pytest.raises(ConfigError, match=r"tuples\.radix: .* expected a whole number from 2 to 32"):
            TupleSet(((0, 1),), radix=radix)


@each_network
def test_regions_of_a_network_begin_on_cache_lines(rules, tuples):
    network = NTupleNetwork(rules, tuples)
    assert network.weights.ctypes.data % 64 == 0
    assert {table.base % LINE for table in network.layout.tables} <= {0, LINE // 2}
    assert len(network.weights) == network.layout.entries


def test_the_fastest_instruction_set_is_the_default(monkeypatch):
    tuples = TupleSet(((0, 1),))
    monkeypatch.delenv("TDL_INSTRUCTIONS", raising=False)
    assert NTupleNetwork(RULES["2x2"], tuples).instructions == NTupleNetwork.instruction_sets()[-1]
    monkeypatch.setenv("TDL_INSTRUCTIONS", "portable")
    assert NTupleNetwork(RULES["2x2"], tuples).instructions == "portable"
    monkeypatch.setenv("TDL_INSTRUCTIONS", "mmx")
    with pytest.raises(ConfigError, match=r"TDL_INSTRUCTIONS: 'mmx' is not allowed; expected one of \['portable'"):
        NTupleNetwork(RULES["2x2"], tuples)
