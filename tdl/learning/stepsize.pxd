"""Step sizes: how far an error moves the active entries, by a fixed rate or by temporal coherence (TC)."""

from libc.math cimport fabsf
from libc.stdint cimport uint32_t

from tdl.network.weights cimport features_of, prefetch, shift, loop_t

cdef enum StepKind:
    # In the order of `tdl.learning.options.STEPS`.
    FIXED
    COHERENT

cdef extern from "coherence.h" nogil:
    void tdl_shares(const float *sums, const uint32_t *entry, int m, float delta, float *moved)


cdef struct Sums:
    # The accumulators of temporal coherence, for an entry: E, the sum of its scaled errors, and A, of their sizes.
    float signed
    float absolute


cdef struct Step:
    StepKind kind
    float rate     # of one active entry: the total step size alpha divided by the number of features
    float kept     # of E and A, before an error is added: 1, or less where they are to forget
    Sums *sums     # of each entry, in the order of the weights; NULL where the step is fixed


cdef inline void learn(const Step *step, float *weights, const uint32_t *entry, loop_t m, float error,
                       float *moved) noexcept nogil:
    """Move V of one board towards its target. `moved` has room for m numbers: how far each entry moved, where the
    steps are coherent (fixed ones move all alike, by rate * error)."""
    if step.kind == COHERENT:
        shift_coherent(step, weights, entry, m, step.rate * error, moved)
    else:
        shift(weights, entry, m, step.rate * error)


cdef inline void shift_coherent(const Step *step, float *weights, const uint32_t *entry, loop_t m, float delta,
                                float *moved) noexcept nogil:
    """Temporal coherence: each entry moves by its own share |E| / A of `delta`, 1 while A is 0.

    E and A are read for all entries before one of them receives the error (an entry that is active twice has one
    share), and accumulate `delta`, as TDL2048+ does, not the error. A tiny number on both sides makes 0 / 0 the 1 it
    should be, without a branch, and is lost in the rounding of everything else. A share is at most 1 by its
    definition, but not where threads lose each other's additions to A: without the limit networks diverged from blank.

    Sources: Beal and Smith (1999), Temporal Coherence and Prediction Decay in TD Learning; Jaskowski (2018), Mastering
    2048 with Delayed Temporal Coherence Learning.
    """
    cdef int f
    cdef Sums *sums
    tdl_shares(<const float *> step.sums, entry, features_of(m), delta, moved)
    for f in range(features_of(m)):
        sums = &step.sums[entry[f]]
        weights[entry[f]] += moved[f]
        sums.signed = step.kept * sums.signed + delta
        sums.absolute = step.kept * sums.absolute + fabsf(delta)


cdef inline void fetch_step(const Step *step, const uint32_t *entry, loop_t m) noexcept nogil:
    """Ask for what `learn` will read of these entries beside their weights."""
    cdef int f
    if step.kind == COHERENT:
        for f in range(features_of(m)):
            prefetch(&step.sums[entry[f]])
