"""Chunks of tables as rows, against the same copied by NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tdl.errors import ConfigError
from tdl.learning.rows import pack, row_width, unpack
from tdl.learning.state import CHUNK


def packed(weights, sums, chunks):
    """The rows of these chunks, slowly."""
    rows = np.zeros((len(chunks), row_width(sums is not None)), np.float32)
    for row, chunk in zip(rows, chunks, strict=True):
        row[:1] = np.array([chunk], np.uint32).view(np.float32)
        own = weights[chunk * CHUNK : (chunk + 1) * CHUNK]
        row[1 : 1 + len(own)] = own
        if sums is not None:
            row[1 + CHUNK : 1 + CHUNK + 2 * len(own)] = sums[chunk * CHUNK : (chunk + 1) * CHUNK].reshape(-1)
    return rows


@given(
    entries=st.integers(1, 500),
    coherent=st.booleans(),
    share=st.sampled_from([0.0, 0.4, 1.0]),
    seed=st.integers(0, 2**32 - 1),
)
def test_equal_the_slow_twin_and_come_back(entries, coherent, share, seed):
    rng = np.random.default_rng(seed)
    weights = rng.normal(0, 1000, entries).astype(np.float32)
    sums = rng.normal(0, 1000, (entries, 2)).astype(np.float32) if coherent else None
    chunks = np.flatnonzero(rng.random(-(-entries // CHUNK)) < share).astype(np.uint32)
    rows = np.full((len(chunks), row_width(coherent)), 7, np.float32)
    pack(weights, sums, chunks, rows)
    assert rows.tobytes() == packed(weights, sums, chunks).tobytes()
    other, other_sums = np.zeros_like(weights), None if sums is None else np.zeros_like(sums)
    unpack(rows, other, other_sums)
    taken = np.isin(np.arange(entries) // CHUNK, chunks)
    assert other.tobytes() == np.where(taken, weights, 0).astype(np.float32).tobytes()
    assert sums is None or other_sums.tobytes() == np.where(taken[:, None], sums, 0).astype(np.float32).tobytes()


def test_what_does_not_fit_is_refused():
    weights, one = np.zeros(CHUNK + 1, np.float32), np.zeros((1, row_width(False)), np.float32)
    with pytest.raises(ConfigError, match="chunks"):
        pack(weights, None, np.array([2], np.uint32), one)
    with pytest.raises(ConfigError, match="chunks"):
        pack(weights, None, np.array([0, 1], np.uint32), one)
    with pytest.raises(ConfigError, match="rows"):
        pack(weights, np.zeros((CHUNK + 1, 2), np.float32), np.array([0], np.uint32), one)
    one[0, :1] = np.array([2], np.uint32).view(np.float32)
    with pytest.raises(ConfigError, match="chunk 2"):
        unpack(one, weights, None)
