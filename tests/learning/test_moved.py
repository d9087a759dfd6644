"""The chunks that are marked are those of all active entries."""

import numpy as np
import pytest

from tdl.config.tuple_sets import tuple_set
from tdl.game.rules import Rules
from tdl.learning.state import CHUNK, marked_fours
from tdl.network.ntuple import NTupleNetwork


@pytest.mark.parametrize(("name", "fours"), [("4x6", 4), ("8x6", 12), ("2x4", None)])
def test_marked_fours_cover_every_chunk(name, fours):
    network, rng = NTupleNetwork(Rules(), tuple_set(name)), np.random.default_rng(3)
    marked = marked_fours(network)
    leading = np.array(
        [f for first in marked for f in range(first, first + 4)] + list(range(network.m & ~3, network.m))
    )
    assert fours in (None, len(marked))
    for _ in range(500):
        board = sum(int(tile) << 4 * cell for cell, tile in enumerate(rng.integers(0, 16, 16)))
        chunks = network.entries(board) // CHUNK
        assert set(chunks[leading].tolist()) == set(chunks.tolist())
