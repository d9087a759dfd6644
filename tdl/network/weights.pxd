"""What is done with the weights of a board's active entries: add them up, move them, fetch their cache lines.

The table's base is an argument, so that a network of several stages, or a second table in the same order, needs no
other code. Weights of half precision only play, and only in `loop_full`.
"""

from libc.stdint cimport uint16_t, uint32_t, uint64_t

cdef extern from "weights.h":
    void prefetch "tdl_prefetch"(const void *) noexcept nogil
    uint64_t two "tdl_two"(const uint32_t *) noexcept nogil
    float total_of_halves "tdl_total_of_halves"(const uint16_t *, const uint32_t *, int) noexcept nogil

# The number of features as a type: 32 (4 tuples on a square) and 64 (8 tuples) become compile-time constants, any
# other number goes the general way. `loop_full` is any number, and for learners that want more than a plain TD update
# of afterstates: with their branches in the plain loop it trained 4x6 at 0.90 of its speed.
ctypedef signed char loop_32
ctypedef short loop_64
ctypedef int loop_any
ctypedef long loop_full
ctypedef fused loop_t:
    loop_32
    loop_64
    loop_any
    loop_full

ctypedef fused weight_t:
    float
    uint16_t


cdef inline int features_of(loop_t m) noexcept nogil:
    if loop_t is loop_32:
        return 32
    elif loop_t is loop_64:
        return 64
    else:
        return <int> m


cdef inline bint is_full(loop_t m) noexcept nogil:
    return loop_t is loop_full


cdef inline float total(const float *weights, const uint32_t *entry, loop_t m) noexcept nogil:
    """The sum of the active entries: four partial sums (feature f goes to sum f % 4), added in pairs.

    One running sum would wait for each addition; this order is the same in every specialisation and in the reference
    implementation.
    """
    cdef float a = 0, b = 0, c = 0, d = 0
    cdef int f = 0, whole = features_of(m) & ~3
    cdef uint64_t low, high
    if whole:
        a, b, c, d = weights[entry[0]], weights[entry[1]], weights[entry[2]], weights[entry[3]]
        f = 4
    while f < whole:
        low, high = two(entry + f), two(entry + f + 2)
        a += weights[<uint32_t> low]
        b += weights[low >> 32]
        c += weights[<uint32_t> high]
        d += weights[high >> 32]
        f += 4
    if loop_t is loop_any or loop_t is loop_full:
        if f < m:
            a += weights[entry[f]]
        if f + 1 < m:
            b += weights[entry[f + 1]]
        if f + 2 < m:
            c += weights[entry[f + 2]]
    return (a + b) + (c + d)


cdef inline void shift(float *weights, const uint32_t *entry, loop_t m, float delta) noexcept nogil:
    """Add `delta` to every active entry (twice to one that is active twice)."""
    cdef int f = 0, whole = features_of(m) & ~3
    cdef uint64_t low, high
    while f < whole:
        low, high = two(entry + f), two(entry + f + 2)
        weights[<uint32_t> low] += delta
        weights[low >> 32] += delta
        weights[<uint32_t> high] += delta
        weights[high >> 32] += delta
        f += 4
    if loop_t is loop_any or loop_t is loop_full:
        while f < m:
            weights[entry[f]] += delta
            f += 1


cdef inline void fetch(const weight_t *weights, const uint32_t *entry, loop_t m) noexcept nogil:
    """Ask for the active entries' cache lines, to be read one round of lanes later. Four at a time: +3%."""
    cdef int f = 0, whole = features_of(m) & ~3
    cdef uint64_t low, high
    while f < whole:
        low, high = two(entry + f), two(entry + f + 2)
        prefetch(&weights[<uint32_t> low])
        prefetch(&weights[low >> 32])
        prefetch(&weights[<uint32_t> high])
        prefetch(&weights[high >> 32])
        f += 4
    if loop_t is loop_any or loop_t is loop_full:
        while f < m:
            prefetch(&weights[entry[f]])
            f += 1
