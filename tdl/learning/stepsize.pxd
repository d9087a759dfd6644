"""How far an error moves the active entries."""

from libc.stdint cimport uint32_t

from tdl.network.ntuple cimport shift, width_t

cdef struct Step:
    float rate     # of one active entry: the total step size alpha divided by the number of features


cdef inline void learn(const Step *step, float *weights, const uint32_t *entry, width_t m, float error) noexcept nogil:
    """Move V of one afterstate towards its target: fixed step size."""
    shift(weights, entry, m, step.rate * error)
