"""The table accesses of training, replayed without the game; compiled by `setup.py build_ext --inplace` alone."""

from libc.stdint cimport int32_t, int64_t, uint32_t

from tdl.errors import refuse
from tdl.network.ntuple cimport NTupleNetwork
from tdl.network.weights cimport fetch, prefetch, shift, total, loop_32, loop_64, loop_any, loop_t


def replay(NTupleNetwork network not None, const uint32_t[:, ::1] entries not None, const int32_t[::1] counts not None,
           int lanes):
    """Read, update and prefetch as `lanes` interleaved games do; updates add 0.

    Parameters
    ----------
    entries : shape (rows, padded): the active entries of each turn's afterstates, then those that it updates.
    counts : shape (turns,): the rows of each turn.

    Returns
    -------
    float : the sum of all values read, so that no compiler leaves the reading out.
    """
    if entries.shape[1] != network.plan.padded:
        raise refuse("entries", tuple(entries.shape), f"{network.plan.padded} columns")
    cdef int64_t turns = len(counts), padded = network.plan.padded
    if network.m == 32:
        return _replay(network.w, &entries[0, 0], padded, &counts[0], turns, <loop_32> 0, lanes)
    if network.m == 64:
        return _replay(network.w, &entries[0, 0], padded, &counts[0], turns, <loop_64> 0, lanes)
    return _replay(network.w, &entries[0, 0], padded, &counts[0], turns, <loop_any> network.m, lanes)


cdef double _replay(float *weights, const uint32_t *row, int64_t padded, const int32_t *counts, int64_t turns,
                    loop_t m, int lanes) noexcept nogil:
    cdef const uint32_t *ahead = row
    cdef double checksum = 0
    cdef int64_t t, k, _
    for t in range(-lanes, turns):
        if t >= 0:
            for _ in range(counts[t] - 1):
                checksum += total(weights, row, m)
                row += padded
            shift(weights, row, m, 0 * total(weights, row, m))
            row += padded
        if t + lanes < turns:
            for _ in range(counts[t + lanes] - 1):
                fetch(weights, ahead, m)
                ahead += padded
            ahead += padded
            # The recorded entries come from memory, the run's own never do: ask for those of 16 turns on in time
            # (without this the replay of 4x6 is slower than the run).
            for k in range(0, counts[t + lanes] * padded, 16):
                prefetch(ahead + 16 * 5 * padded + k)
    return checksum
