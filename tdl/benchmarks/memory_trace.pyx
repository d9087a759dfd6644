"""The table accesses of a training run, recorded and replayed without the game: what memory alone allows."""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint32_t

from tdl.agents.selfplay cimport FORWARD, Lane, SelfPlay
from tdl.errors import refuse
from tdl.network.ntuple cimport NTupleNetwork
from tdl.network.weights cimport fetch, prefetch, shift, total, loop_32, loop_64, loop_any, loop_t

cdef enum:
    ROWS = 5     # of a turn: the afterstates of up to four moves, then the one before, which is updated


def record(SelfPlay play not None, int64_t turns):
    """Play on and note which entries are read and updated.

    Parameters
    ----------
    play : a block that has begun, in forward order, so long that it does not end here.
    turns : moves to record.

    Returns
    -------
    entries : uint32 array of shape (turns, 5, padded): the entries of each turn's afterstates, then those updated.
        Where a game begins nothing is updated: its first afterstate stands in.
    counts : int32 array of shape (turns,): how many afterstates; 0 where the turn only ends a game.
    """
    if play.order != FORWARD:
        raise refuse("play", "another order", "one of forward order")
    cdef int padded = play.learner.plan.padded, i, k
    entries = np.zeros((turns, ROWS, padded), np.uint32)
    counts = np.zeros(turns, np.int32)
    cdef uint32_t[:, :, ::1] seen = entries
    cdef int32_t[::1] count = counts
    cdef int64_t t = 0
    cdef Lane *lane
    cdef const uint32_t *row
    while t < turns:
        for i in range(play.lanes):
            lane = &play.lane[i]
            if t == turns or not lane.live:
                continue
            row = play.entry + (8 * i + 4 * lane.bank) * padded
            for k in range(lane.n * padded):
                seen[t, k // padded, k % padded] = row[k]
            for k in range(padded):
                seen[t, ROWS - 1, k] = lane.previous[k] if lane.previous != NULL else row[k]
            count[t] = lane.n
            t += 1
        if play.advance(1):
            raise refuse("turns", turns, "fewer than the moves of the block")
    return entries, counts


def replay(NTupleNetwork network not None, const uint32_t[:, :, ::1] entries not None,
           const int32_t[::1] counts not None, int lanes):
    """Read, update and prefetch as `lanes` interleaved games do; updates add 0.

    Returns
    -------
    float : the sum of all values read, so that no compiler leaves the reading out.
    """
    cdef double checksum
    cdef int64_t turns = len(counts)
    if entries.shape[0] != turns or entries.shape[1] != ROWS or entries.shape[2] != network.plan.padded:
        raise refuse("entries", tuple(entries.shape), f"({turns}, {ROWS}, {network.plan.padded})")
    with nogil:
        if network.m == 32:
            checksum = _replay(network.w, &entries[0, 0, 0], &counts[0], turns, entries.shape[2], <loop_32> 0, lanes)
        elif network.m == 64:
            checksum = _replay(network.w, &entries[0, 0, 0], &counts[0], turns, entries.shape[2], <loop_64> 0, lanes)
        else:
            checksum = _replay(
                network.w, &entries[0, 0, 0], &counts[0], turns, entries.shape[2], <loop_any> network.m, lanes)
    return checksum


cdef double _replay(float *weights, const uint32_t *entries, const int32_t *counts, int64_t turns,
                    int64_t padded, loop_t m, int lanes) noexcept nogil:
    cdef int64_t t
    cdef int k, n
    cdef const uint32_t *row
    cdef double checksum = 0
    for t in range(turns):
        row, n = entries + t * ROWS * padded, counts[t]
        for k in range(n):
            checksum += total(weights, row + k * padded, m)
        row += (ROWS - 1) * padded
        shift(weights, row, m, 0 * total(weights, row, m))
        if t + lanes < turns:
            row, n = entries + (t + lanes) * ROWS * padded, counts[t + lanes]
            for k in range(n):
                fetch(weights, row + k * padded, m)
            # The recorded entries come from memory, the run's own never do: ask for those of 16 turns on in time
            # (without this the replay of 4x6 is slower than the run).
            for k in range(0, ROWS * padded, 16):
                prefetch(row + 16 * ROWS * padded + k)
    return checksum
