"""The merge of replicas in NumPy: the reference implementation of `tdl.learning.merge`, without marks."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

GAIN, MOST_GAIN = np.float32(0.5), np.float32(1.5)


def merged(
    weights: Array, sums: Array | None, replicas: Sequence[tuple[Array, Array | None]]
) -> tuple[Array, Array | None]:
    """The weights and sums of the network that replicas become which began with `weights` and `sums`."""
    zero = np.zeros(len(weights), np.float32)
    before = np.where(np.isnan(weights), np.float32(0), weights)
    weighed, total, learned, count = zero.copy(), zero.copy(), zero.copy(), np.zeros(len(weights), np.int32)
    new, new_sums = weights.copy(), None if sums is None else sums.copy()
    grown = None if sums is None else np.zeros_like(sums)
    for own, own_sums in replicas:
        moved = own.view(np.uint32) != weights.view(np.uint32)
        if sums is not None and own_sums is not None and grown is not None and new_sums is not None:
            moved |= (own_sums.view(np.uint32) != sums.view(np.uint32)).any(axis=1)
            grown += own_sums - sums
            new_sums[moved] = own_sums[moved]
            growth = own_sums[:, 1] - sums[:, 1]
        else:
            growth = zero
        change = np.where(moved, own - before, np.float32(0))
        weighed += growth * change
        learned += growth
        total += change
        count += moved
        new[moved] = own[moved]
    several = count > 1
    signed = zero if grown is None else grown[:, 0]
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(learned > 0, weighed / learned, total / count.astype(np.float32))
        agreed = np.where(learned > 0, np.abs(signed) / learned, np.float32(0))
    gain = np.minimum(GAIN * (count - 1).astype(np.float32), MOST_GAIN)
    gain[np.isnan(weights)] = 0  # it would grow the promoted part, too
    new[several] = (before + (1 + gain * agreed) * mean)[several]
    if sums is not None and new_sums is not None:
        new_sums[several] = (sums + grown)[several]
    return new, new_sums
