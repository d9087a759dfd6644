"""The compiled merge of replicas against its reference implementation."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tdl.errors import ConfigError
from tdl.learning.learning_reference import merged
from tdl.learning.merge import Merge
from tdl.learning.state import CHUNK


def replicas_of(weights, sums, n, rng, share):
    """Replicas that have each moved a share of the entries, some of them by nothing that can be seen in A."""
    replicas = []
    for _ in range(n):
        own, own_sums = weights.copy(), None if sums is None else sums.copy()
        moved = rng.random(len(weights)) < share
        own[moved] = np.where(np.isnan(own[moved]), 0, own[moved]) + rng.normal(0, 100, moved.sum()).astype(np.float32)
        if own_sums is not None:
            step = rng.normal(0, 50, moved.sum()).astype(np.float32)
            own_sums[moved, 0] += step
            own_sums[moved, 1] += np.abs(step) * (rng.random(moved.sum()) < 0.8).astype(np.float32)
        marks = np.zeros(-(-len(weights) // CHUNK), np.uint8)
        marks[np.flatnonzero(moved) // CHUNK] = 1
        replicas.append((own, own_sums, marks))
    return replicas


@given(
    entries=st.integers(1, 700),
    n=st.integers(1, 5),
    share=st.sampled_from([0.0, 0.02, 0.5, 1.0]),
    coherent=st.booleans(),
    unpromoted=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
    parts=st.lists(st.integers(0, 12), max_size=3),
)
def test_equal_the_reference(entries, n, share, coherent, unpromoted, seed, parts):
    rng = np.random.default_rng(seed)
    weights = rng.normal(0, 1000, entries).astype(np.float32)
    if unpromoted:
        weights[rng.random(entries) < 0.3] = np.nan
    sums = None
    if coherent:
        sums = rng.normal(0, 500, (entries, 2)).astype(np.float32)
        sums[:, 1] = np.abs(sums[:, 0]) * 2
    replicas = replicas_of(weights, sums, n, rng, share)
    expected, expected_sums = merged(weights, sums, [each[:2] for each in replicas])
    merge = Merge(weights, sums, replicas)
    borders = sorted({0, merge.chunks, *(min(part, merge.chunks) for part in parts)})
    for first, last in itertools.pairwise(borders):
        merge.chunks_between(first, last)
    for own, own_sums, marks in [(weights, sums, np.zeros(1)), *replicas]:
        assert own.tobytes() == expected.tobytes()
        assert coherent == (own_sums is not None)
        assert own_sums is None or own_sums.tobytes() == expected_sums.tobytes()
        assert not marks.any()


def test_weighs_by_what_was_learned():
    weights, sums = np.array([10, 10, 10], np.float32), np.array([[0, 4], [0, 4], [0, 4]], np.float32)
    one = np.array([20, 10, 12], np.float32), np.array([[3, 7], [0, 4], [1, 5]], np.float32), np.ones(1, np.uint8)
    two = np.array([40, 16, 10], np.float32), np.array([[1, 5], [2, 6], [0, 4]], np.float32), np.ones(1, np.uint8)
    assert Merge(weights, sums, [one, two]).chunks_between(0, 1) == 1
    np.testing.assert_array_equal(weights, [10 + 1.5 * (3 * 10 + 1 * 30) / 4, 16, 12])
    np.testing.assert_array_equal(sums, [[4, 8], [2, 6], [1, 5]])


def test_an_entry_first_moved_by_several_has_their_mean():
    weights, sums = np.array([np.nan, 100], np.float32), np.array([[0, 0], [0, 0]], np.float32)
    one = np.array([110, 110], np.float32), np.array([[10, 10], [10, 10]], np.float32), np.ones(1, np.uint8)
    two = np.array([130, 130], np.float32), np.array([[30, 30], [30, 30]], np.float32), np.ones(1, np.uint8)
    Merge(weights, sums, [one, two]).chunks_between(0, 1)
    np.testing.assert_array_equal(weights, [125, 100 + 1.5 * 25])
    np.testing.assert_array_equal(sums, [[40, 40], [40, 40]])


def test_without_sums_is_the_mean_of_those_that_moved():
    weights = np.array([10, 10, 10], np.float32)
    replicas = [(np.array(own, np.float32), None, np.ones(1, np.uint8)) for own in ([12, 10, 10], [18, 11, 10])]
    Merge(weights, None, replicas).chunks_between(0, 1)
    np.testing.assert_array_equal(weights, [15, 11, 10])


def test_arrays_of_other_shapes_are_refused():
    weights = np.zeros(3, np.float32)
    with pytest.raises(ConfigError, match="replica 0"):
        Merge(weights, None, [(np.zeros(4, np.float32), None, np.zeros(1, np.uint8))])
    with pytest.raises(ConfigError, match="replica 0"):
        Merge(weights, None, [(weights.copy(), np.zeros((3, 2), np.float32), np.zeros(1, np.uint8))])
    with pytest.raises(ConfigError, match="chunks"):
        Merge(weights, None, []).chunks_between(0, 2)
