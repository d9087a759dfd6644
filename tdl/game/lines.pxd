"""The tables of a game: how each line slides, which tiles merge and drop, and what tiles are worth."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

cdef enum:
    MAX_CELLS = 25
    MAX_TILES = 33          # tile indices 0..31, and the one that two of the largest merge into
    MAX_LINE_BITS = 20      # of a line that is tabulated: 2^20 lines take 16 MB


cdef extern from "board.h" nogil:
    ctypedef struct Slide "tdl_slide":
        # One line slid both ways.
        uint32_t to_start      # towards its first cell: left, or up
        uint32_t to_end        # towards its last cell: right, or down
        int32_t start_reward
        int32_t end_reward     # differs from start_reward where merges overlap (2584: the line 1 2 3)


cdef struct MergeLaw:
    int largest
    unsigned char merged[MAX_TILES][MAX_TILES]   # 0: the two do not merge


cdef struct DropLaw:
    int n
    uint64_t below[MAX_TILES]   # thresholds of a 32-bit draw, see Rules.thresholds
    int tile[MAX_TILES]


cdef class LineTables:
    cdef readonly object rules
    cdef readonly int rows, cols, bits, cells
    cdef list _memory                  # the arrays that the pointers below look into
    # By the packed line, first cell in the lowest bits; NULL where a line has more than MAX_LINE_BITS: it is computed.
    cdef const Slide *row_slides
    cdef const Slide *col_slides
    # For 4x4 boards of 4-bit cells whose rewards do not depend on the direction (2048), else NULL: the row slid left
    # in bits 0..15, slid right in bits 16..31, the reward above: one 8-byte load serves both directions of a row.
    cdef const uint64_t *nibble_rows
    cdef MergeLaw law
    cdef DropLaw drops
    cdef int start_n
    cdef int start_tile[MAX_CELLS]     # 0: a tile by the drop law
    cdef int64_t values[MAX_TILES]     # tile value by tile index
    cdef _copy_laws(self)
    cdef const Slide *_slides(self, int length)
    cdef _pack_nibble_rows(self)


cdef inline uint32_t slide_line(const MergeLaw *law, const int64_t *values, uint32_t line, int length, int bits,
                                bint to_end, int32_t *reward) noexcept nogil:
    """A packed line slid towards its first cell, or its last, as `reference.slide` does."""
    cdef uint32_t out = 0
    cdef int i, cell, tile, at = 0, waiting = 0, merged
    reward[0] = 0
    for i in range(length + 1):
        if i < length:
            cell = length - 1 - i if to_end else i
            tile = (line >> (bits * cell)) & ((1 << bits) - 1)
            if tile == 0:
                continue
        else:
            tile = 0     # past the wall: what still waits comes to rest
        if waiting:
            merged = law.merged[waiting][tile]
            if merged:
                reward[0] += <int32_t> values[merged]
                waiting, tile = min(merged, law.largest), 0
            cell = length - 1 - at if to_end else at
            out |= <uint32_t> waiting << (bits * cell)
            at += 1
        waiting = tile
    return out


cdef inline Slide slide_both_ways(LineTables tables, const Slide *slides, uint32_t line, int length) noexcept nogil:
    """A line slid both ways, from its table where there is one."""
    cdef Slide slid
    if slides != NULL:
        return slides[line]
    slid.to_start = slide_line(&tables.law, tables.values, line, length, tables.bits, False, &slid.start_reward)
    slid.to_end = slide_line(&tables.law, tables.values, line, length, tables.bits, True, &slid.end_reward)
    return slid
