"""Where entries lie: the layout is one-to-one, and every instruction set computes it.

Trusts three indices worked out by hand, which pin the order of weights in files, and `Packed16.map`, checked here to
be a bijection and then the twin of the compiled index functions.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shapes import RULES, many, random_boards

from tdl.errors import ConfigError
from tdl.game.reference import pack
from tdl.network.layout import LINE, Packed16
from tdl.network.ntuple import NTupleNetwork
from tdl.network.tuples import TupleSet

LAYOUT = Packed16()


def indices(numbers):
    return np.array(numbers, np.uint32)


@pytest.mark.parametrize(
    ("tiles", "memory"),
    [
        # The first cell of a pair goes to bits 0,1,4,5 of its byte, the second to bits 2,3,6,7, a lone one to 0,1,2,3.
        # 6 = 01|10 -> 0b0001_0010, 9 = 10|01 -> 0b1000_0100, together 150; 13 alone in byte 1.
        ((6, 9, 13), 150 + 13 * 256),
        # 12 = 11|00 -> bits 6,7 of byte 1: 3 << 14. Its fold, 3 << 2, lies in the cache line and is not xor-ed.
        ((0, 0, 0, 12), 3 << 14),
        # 15 alone in byte 2: 15 << 16, folded 12 bits down onto bits 4..7.
        ((0, 0, 0, 0, 15), (15 << 16) + (15 << 4)),
        ((5,), 5),
    ],
)
def test_map_by_hand(tiles, memory):
    natural = sum(tile * 16**cell for cell, tile in enumerate(tiles))
    assert LAYOUT.map(indices([natural]), len(tiles)).tolist() == [memory]


@pytest.mark.parametrize("length", range(1, 6))
def test_map_is_a_bijection(length):
    natural = np.arange(LAYOUT.size(length), dtype=np.uint32)
    memory = LAYOUT.map(natural, length)
    assert memory.dtype == np.uint32
    assert np.array_equal(np.sort(memory), natural)
    assert np.array_equal(LAYOUT.inverse(memory, length), natural)


@pytest.mark.parametrize("length", [6, 7])
def test_map_and_inverse_of_long_tuples(length):
    sample = np.random.default_rng(length).integers(0, LAYOUT.size(length), 200_000).astype(np.uint32)
    there, back = LAYOUT.map(sample, length), LAYOUT.inverse(sample, length)
    assert max(there.max(), back.max()) < LAYOUT.size(length)
    assert np.array_equal(LAYOUT.inverse(there, length), sample)
    assert np.array_equal(LAYOUT.map(back, length), sample)


@many
@given(st.lists(st.integers(0, 15), min_size=6, max_size=7))
def test_map_and_inverse_of_any_long_index(tiles):
    natural = indices([sum(tile * 16**cell for cell, tile in enumerate(tiles))])
    for one, other in ((LAYOUT.map, LAYOUT.inverse), (LAYOUT.inverse, LAYOUT.map)):
        image = one(natural, len(tiles))
        assert image[0] < LAYOUT.size(len(tiles))
        assert other(image, len(tiles)) == natural


@pytest.mark.parametrize("lengths", [(4,), (1, 1, 1), (2, 5, 1, 4), (6, 6, 6, 6), (7, 7)])
def test_tables_do_not_overlap(lengths):
    starts, entries = LAYOUT.starts(lengths)
    ends = [start + LAYOUT.size(length) for start, length in zip(starts, lengths, strict=True)]
    assert starts[0] == 0
    assert all(end <= start for end, start in zip(ends, [*starts[1:], entries], strict=True))
    assert [start % LINE for start in starts] == [0] * len(lengths)


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
    "17 features": (RULES["4x4"], TupleSet(tuple((cell, 15 - cell) for cell in range(16)) + ((0, 1, 5),), False)),
    "64 features": (RULES["4x4"], TupleSet(tuple((cell, cell + 1, cell + 4) for cell in range(8)))),
    "2x2": (RULES["2x2"], TupleSet(((0, 1), (0, 1, 2, 3)))),
    "2x3": (RULES["2x3"], TupleSet(((0, 1, 2), (0, 3), (4,)))),
    "4x3": (RULES["4x3"], TupleSet(((0, 3, 6, 9), (1, 4, 7)))),
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
        natural = sum(boards[:, cell] << np.uint32(4 * digit) for digit, cell in enumerate(cells))
        expected.append(LAYOUT.map(natural, len(cells)) + network.starts[table])
    found = [network.entries(pack(board, rules)) for board in boards.tolist()]
    assert np.array_equal(np.array(found).T, np.array(expected))


@each_network
def test_weights_of_a_network_begin_on_cache_lines(rules, tuples):
    network = NTupleNetwork(rules, tuples)
    assert [(network.weights.ctypes.data + 4 * start) % 64 for start in network.starts] == [0] * len(network.starts)
    assert len(network.weights) == LAYOUT.starts(network.lengths)[1]


def test_the_fastest_instruction_set_is_the_default(monkeypatch):
    tuples = TupleSet(((0, 1),))
    monkeypatch.delenv("TDL_INSTRUCTIONS", raising=False)
    assert NTupleNetwork(RULES["2x2"], tuples).instructions == NTupleNetwork.instruction_sets()[-1]
    monkeypatch.setenv("TDL_INSTRUCTIONS", "portable")
    assert NTupleNetwork(RULES["2x2"], tuples).instructions == "portable"
    monkeypatch.setenv("TDL_INSTRUCTIONS", "mmx")
    with pytest.raises(ConfigError, match=r"TDL_INSTRUCTIONS: 'mmx' is not allowed; expected one of \['portable'"):
        NTupleNetwork(RULES["2x2"], tuples)
