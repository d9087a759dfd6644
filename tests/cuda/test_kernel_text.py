"""The text of kernels against the network: which entries a board has, and what is refused."""

import ctypes

import numpy as np
import pytest
from support.plain_device import library, needs_compiler
from support.shapes import RULES, SHARE, telling_boards
from support.shapes import engine as tables_of

from tdl.cuda import kernel_text
from tdl.cuda.kernel_text import constants_of, image_entries, text_with
from tdl.errors import ConfigError
from tdl.game.boards import pack
from tdl.game.rules import Rules
from tdl.network.layout import entries_of
from tdl.network.ntuple import NTupleNetwork
from tdl.network.tuples import TupleSet, tuple_set

BOARDS = kernel_text.FOLDER / "boards.h"

ENTRIES = """
void entries_of(const tdl_words *board, int image, uint32_t *entry)
{
    tdl_entries(tdl_loaded(board), image, entry);
}
"""


def entries_by_text(text, network, board):
    """The entries of a packed board in the order of its features, by the text."""
    words = np.array([board & 2**64 - 1, board >> 64], np.uint64)
    entries = np.zeros((8, image_entries(network)), np.uint32)
    for image, row in enumerate(entries):
        library(text + ENTRIES).entries_of(ctypes.c_void_p(words.ctypes.data), image, ctypes.c_void_p(row.ctypes.data))
    return entries.T.ravel()[: network.m]


@needs_compiler
@pytest.mark.parametrize("set_name", ["4x6", "8x6_order_count", "8x7", "axe_box"][: 4 // SHARE])
def test_entries_of_large_networks(set_name):
    """No weight of them is touched."""
    for game in "2048", "2584":
        rules, tuples = Rules(game), tuple_set(set_name)
        entries = entries_of(tuples, 4, 4, tuples.radix or rules.radix)
        if entries < 2**32:
            network = NTupleNetwork(rules, tuples, weights=np.zeros(entries, np.float32))
            text = text_with(constants_of(network, tables_of(rules).tables), BOARDS)
            for tiles in telling_boards(rules, 60):
                board = pack(tiles, rules)
                assert entries_by_text(text, network, board).tolist() == network.entries(board).tolist()


def test_a_text_has_all_that_it_includes():
    network = NTupleNetwork(RULES["4x4"], TupleSet(((0, 1),)))
    text = text_with(constants_of(network, tables_of(RULES["4x4"]).tables) | {"OWN": 7}, BOARDS)
    assert "#define TDL_OWN 7\n" in text
    assert "#define TDL_KERNEL(" in text
    assert '#include "' not in text


def test_what_is_not_done_is_refused():
    cells = ((0, 1, 2, 3),)
    for name, tuples, message in [
        ("3x3", TupleSet(((0, 1),)), "device=cuda: a board of 3x3 is not done; expected 4x4"),
        ("4x4", TupleSet(cells, share=False), "tuples.share=true"),
        ("4x4", TupleSet(cells, symmetries=False), "tuples.symmetries=true"),
    ]:
        network = NTupleNetwork(RULES[name], tuples)
        with pytest.raises(ConfigError, match=message):
            constants_of(network, tables_of(RULES[name]).tables)
