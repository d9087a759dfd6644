"""The merge of replicas: networks that learned apart for a round become one network, entry by entry.

An entry that no replica moved stays, and one that a single replica moved is from then on what it is there. One that
k of them moved takes their changes in proportion to how much each has learned about it, the growth of temporal
coherence's A; E and A grow by all growths. With d for the change of each replica since the last merge,

    w  =  w0 + g sum(dA dw) / sum(dA),      E  =  E0 + sum(dE),      A  =  A0 + sum(dA),
    g  =  1 + min((k - 1) / 2, 3/2) |sum(dE)| / sum(dA).

The mean (g = 1) is right where each replica has learned all there was to learn; where the errors that all of them saw
have one sign, the value is further off than any came alone. `merge.h` has what was measured. Where steps are fixed, or
no A grew, w is w0 plus the mean of the dw of those that moved it. Sums run over the replicas in their order, in single
precision, so the result depends on neither threads nor processes. A weight that was nan (a stage's, not yet promoted)
counts as w0 = 0, and has g = 1: what replicas have there is their promoted weight and a first change.

The reference implementation is `tdl.learning.learning_reference`.
"""

from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from tdl.errors import refuse
from tdl.learning.moved cimport CHUNK
from tdl.network.weights cimport prefetch

cdef extern from "merge.h" nogil:
    enum: TDL_MERGED, TDL_MOST
    bint tdl_differs(const float *a, const float *b, int n)
    void tdl_copy(float *to, const float *source, int n)
    void tdl_merge(int n, int entries, float *w0, float *s0, const float *const *w, const float *const *s)


cdef struct Part:
    # What is merged of one replica, or of the network that all come from.
    float *weights
    float *sums             # E, A, E, A, ...; NULL where steps are fixed
    uint8_t *moved          # a byte for each chunk; NULL of the network


cdef class Merge:
    """Merges replicas into the network they come from, and gives each the result.

    Parameters
    ----------
    weights, sums : of the network, float32, shape (entries,) and (entries, 2); `sums` is None where steps are fixed.
    replicas : of each replica its weights, its sums and its marks (uint8, shape (chunks,), `tdl.learning.moved`).

    Attributes
    ----------
    chunks : number of chunks.
    """

    cdef readonly int64_t chunks
    cdef int64_t entries
    cdef int n
    cdef Part base
    cdef Part *part         # [n]
    cdef object _owned

    def __cinit__(self, float[::1] weights not None, sums, replicas):
        self._owned = [weights, sums, replicas]
        self.entries, self.n = len(weights), len(replicas)
        self.chunks = (self.entries + CHUNK - 1) // CHUNK
        self._point(&self.base, weights, sums)
        self.part = <Part *> calloc(max(self.n, 1), sizeof(Part))
        if self.part == NULL:
            raise MemoryError("merge: no memory")
        if self.n > TDL_MOST:
            raise refuse("replicas", self.n, f"at most {TDL_MOST}")
        cdef uint8_t[::1] moved
        cdef int i
        for i, (own, own_sums, marks) in enumerate(replicas):
            if len(own) != self.entries or len(marks) != self.chunks or (own_sums is None) != (sums is None):
                raise refuse("replicas", f"arrays of replica {i}", "arrays of the shapes of the network's")
            self._point(&self.part[i], own, own_sums)
            moved = marks
            self.part[i].moved = &moved[0]

    cdef _point(self, Part *part, float[::1] weights, sums):
        cdef float[:, ::1] view
        part.weights = &weights[0]
        if sums is not None:
            view = sums
            part.sums = &view[0, 0]

    def __dealloc__(self):
        free(self.part)

    def __reduce__(self):
        raise TypeError("a Merge points into arrays of others and cannot be copied; copy their Trainer")

    def chunks_between(self, int64_t first, int64_t last):
        """Merge the chunks from `first` up to `last`, and clear their marks: how many had moved.

        Different threads may merge different chunks at once.
        """
        cdef int64_t merged
        if not 0 <= first <= last <= self.chunks:
            raise refuse("chunks", (first, last), f"0 to {self.chunks}")
        with nogil:
            merged = merge_between(self, first, last)
        return merged


cdef enum:
    LINE = TDL_MERGED
    AHEAD = 64              # chunks that are found before they are merged


cdef int64_t merge_between(Merge merge, int64_t first, int64_t last) noexcept nogil:
    cdef int64_t found[AHEAD]
    cdef int64_t at = first, merged = 0
    cdef int n, i
    while at < last:
        n = 0
        while at < last and n < AHEAD:
            if at % 8 == 0 and at + 8 <= last and none_moved(merge, at):
                at += 8
                continue
            if any_moved(merge, at):
                found[n] = at
                n += 1
            at += 1
        for i in range(n):
            if i + 1 < n:
                fetch_chunk(merge, found[i + 1])
            merge_chunk(merge, found[i])
        merged += n
    return merged


cdef inline bint none_moved(Merge merge, int64_t chunk) noexcept nogil:
    """Whether none of 8 chunks has moved."""
    cdef uint64_t marks = 0, some
    cdef int i
    for i in range(merge.n):
        memcpy(&some, merge.part[i].moved + chunk, 8)
        marks |= some
    return marks == 0


cdef inline bint any_moved(Merge merge, int64_t chunk) noexcept nogil:
    cdef uint8_t marks = 0
    cdef int i
    for i in range(merge.n):
        marks |= merge.part[i].moved[chunk]
    return marks != 0


cdef inline void fetch_chunk(Merge merge, int64_t chunk) noexcept nogil:
    cdef int i
    fetch_part(&merge.base, chunk)
    for i in range(merge.n):
        if merge.part[i].moved[chunk]:
            fetch_part(&merge.part[i], chunk)


cdef inline void fetch_part(const Part *part, int64_t chunk) noexcept nogil:
    cdef int line
    for line in range(CHUNK // LINE):
        prefetch(part.weights + chunk * CHUNK + line * LINE)
        if part.sums != NULL:
            prefetch(part.sums + 2 * (chunk * CHUNK + line * LINE))
            prefetch(part.sums + 2 * (chunk * CHUNK + line * LINE) + LINE)


cdef void merge_chunk(Merge merge, int64_t chunk) noexcept nogil:
    """Merge one chunk, and copy what has changed to all replicas."""
    cdef int marked[TDL_MOST]
    cdef int i, n = 0
    cdef int64_t at = chunk * CHUNK, end = min(at + CHUNK, merge.entries)
    for i in range(merge.n):
        if merge.part[i].moved[chunk]:
            merge.part[i].moved[chunk] = 0
            marked[n] = i
            n += 1
    while at < end:
        merge_line(merge, n, marked, at, <int> min(<int64_t> LINE, end - at))
        at += LINE


cdef inline void merge_line(Merge merge, int n, const int *marked, int64_t at, int here) noexcept nogil:
    """Merge `here` entries from `at` on, which some of the n marked replicas have moved, or none."""
    cdef const float *weights[TDL_MOST]     # of those that have
    cdef const float *sums[TDL_MOST]
    cdef const Part *base = &merge.base
    cdef const Part *part
    cdef int i, movers = 0, mover = -1
    for i in range(n):
        part = &merge.part[marked[i]]
        if differs(part, base, at, here):
            weights[movers] = part.weights + at
            sums[movers] = part.sums + 2 * at if part.sums != NULL else NULL
            movers, mover = movers + 1, marked[i]
    if movers == 0:
        return
    if movers == 1:
        copy(base, &merge.part[mover], at, here)
    else:
        mover = -1
        tdl_merge(movers, here, base.weights + at, base.sums + 2 * at if base.sums != NULL else NULL, weights, sums)
    for i in range(merge.n):
        if i != mover:
            copy(&merge.part[i], base, at, here)


cdef inline bint differs(const Part *part, const Part *base, int64_t at, int n) noexcept nogil:
    if tdl_differs(part.weights + at, base.weights + at, n):
        return True
    return part.sums != NULL and tdl_differs(part.sums + 2 * at, base.sums + 2 * at, 2 * n)


cdef inline void copy(const Part *to, const Part *source, int64_t at, int n) noexcept nogil:
    tdl_copy(to.weights + at, source.weights + at, n)
    if to.sums != NULL:
        tdl_copy(to.sums + 2 * at, source.sums + 2 * at, 2 * n)
