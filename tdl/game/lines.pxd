"""Everything the engine needs to know of a game, tabulated: how each line slides, what drops, what tiles are worth."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

cdef enum:
    MAX_CELLS = 25
    MAX_TILES = 33    # tile indices 0..31, and the doubled largest one


cdef struct Slide:
    # One line slid both ways.
    uint32_t to_start      # towards its first cell: left, or up
    uint32_t to_end        # towards its last cell: right, or down
    int32_t start_reward
    int32_t end_reward     # differs from start_reward where merges overlap (2584: the line 1 2 3)


cdef struct DropLaw:
    int n
    uint64_t below[MAX_TILES]   # thresholds of a 32-bit draw, see Rules.thresholds
    int tile[MAX_TILES]


cdef class LineTables:
    cdef readonly object rules
    cdef readonly int rows, cols, bits, cells
    cdef readonly bint wide            # a board of more than 64 bits
    cdef list _memory                  # the arrays that the pointers below look into
    cdef const Slide *row_slides       # by the packed row, first cell in the lowest bits
    cdef const Slide *col_slides
    # For 4x4 boards of 4-bit cells whose rewards do not depend on the direction (2048), else NULL: the row slid left
    # in bits 0..15, slid right in bits 16..31, the reward above: one 8-byte load serves both directions of a row.
    cdef const uint64_t *nibble_rows
    cdef DropLaw drops
    cdef int start_n
    cdef int start_tile[MAX_CELLS]     # 0: a tile by the drop law
    cdef int64_t values[MAX_TILES]     # tile value by tile index
    cdef _copy_laws(self)
    cdef const Slide *_slides(self, int length) except NULL
    cdef _pack_nibble_rows(self)
