"""Which parts of a replica's tables have moved since the last merge, so that a merge looks at no others.

A part is a *chunk* of 64 entries. With a mark for each line of 16, 4x6 trained at 0.90 of the speed without; with
one for 64 entries at 0.96. Two tables that share their lines (`tdl.network.layout`) share their chunks, and one mark.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

from tdl.network.weights cimport features_of, loop_t, two

cdef enum:
    CHUNK = 64      # entries; `tdl.learning.state` has the same for Python


cdef struct Moved:
    uint8_t *chunk          # 1 where an entry has moved; NULL: nobody asks
    const int32_t *four     # first features of the fours to mark: all others lie in the chunks of these
    int fours


cdef inline void mark(const Moved *moved, const uint32_t *entry, loop_t m) noexcept nogil:
    """Mark the chunks of a board's active entries."""
    cdef int i, f
    cdef uint64_t low, high
    for i in range(moved.fours):
        f = moved.four[i]
        low, high = two(entry + f), two(entry + f + 2)
        moved.chunk[<uint32_t> low // CHUNK] = 1
        moved.chunk[(low >> 32) // CHUNK] = 1
        moved.chunk[<uint32_t> high // CHUNK] = 1
        moved.chunk[(high >> 32) // CHUNK] = 1
    for f in range(features_of(m) & ~3, features_of(m)):
        moved.chunk[entry[f] // CHUNK] = 1


cdef inline void mark_all(const Moved *moved, const uint32_t *entry, int m) noexcept nogil:
    """The same of entries that are not all those of a board."""
    cdef int f
    for f in range(m):
        moved.chunk[entry[f] // CHUNK] = 1
