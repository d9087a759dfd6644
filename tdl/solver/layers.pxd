"""Where a board stands among millions: layers of boards with the same sum of tiles, searched by bisection.

A board is one unsigned 64-bit number, 4 or 5 bits a cell, cell 0 in the lowest bits. Nothing here allocates.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t

from tdl.game.board cimport board64, board128, legal_afterstates
from tdl.game.lines cimport LineTables

cdef enum:
    MAX_CELLS = 16        # of a board in 64 bits
    MAX_IMAGES = 7        # of a board, beside itself
    MAX_SHIFTS = 112      # of all images: one for each cell at most

cdef struct Shift:
    # Cells that move by as many bits: to the left, or to the right where that is 0.
    uint64_t cells
    int left, right

cdef struct Symmetries:
    # The symmetric images of a board, each as shifts of its cells; `images` is 0 where each board counts alone.
    int images
    int first[MAX_IMAGES + 1]
    Shift shifts[MAX_SHIFTS]

cdef struct Index:
    # Where boards stand, for code without the GIL.
    const uint64_t *boards
    const int64_t *sums       # of each layer, ascending
    const int64_t *first      # where each layer begins in `boards`, and after the last where it ends
    int64_t layers
    const Symmetries *symmetries


cdef class CanonicalBoards:
    cdef readonly LineTables tables
    cdef object _images
    cdef Symmetries symmetries


cdef class Layers:
    cdef readonly CanonicalBoards canonical
    cdef readonly LineTables tables
    cdef readonly object boards, sums, first
    cdef Index index


cdef inline int tile_at(LineTables tables, uint64_t board, int cell) noexcept nogil:
    """The tile index in a cell."""
    return board >> tables.bits * cell & ((1 << tables.bits) - 1)


cdef inline int64_t tile_sum(LineTables tables, uint64_t board) noexcept nogil:
    """The sum of the tile values of a board."""
    cdef int64_t total = 0
    cdef int cell
    for cell in range(tables.cells):
        total += tables.values[tile_at(tables, board, cell)]
    return total


cdef inline int64_t max_tile(LineTables tables, uint64_t board) noexcept nogil:
    """Value of the largest tile: the merge laws make larger indices of smaller ones."""
    cdef int cell, largest = 0
    for cell in range(tables.cells):
        largest = max(largest, tile_at(tables, board, cell))
    return tables.values[largest]


cdef inline int empty_shifts(LineTables tables, uint64_t board, int *shift) noexcept nogil:
    """How many cells are empty; `shift` gets the number of bits below each of them."""
    cdef int cell, n = 0
    for cell in range(tables.cells):
        shift[n] = tables.bits * cell
        n += tile_at(tables, board, cell) == 0
    return n


cdef inline int legal_moves(LineTables tables, uint64_t board, uint64_t *after, int32_t *reward) noexcept nogil:
    """How many moves are legal; `after` and `reward` get the afterstates and rewards, in the order of the actions."""
    cdef board128 wide = board
    cdef board64 narrow_after[4]
    cdef board128 wide_after[4]
    cdef board64 narrow = board
    cdef int action[4]
    cdef int a, n
    if tables.bits == 4:
        n = legal_afterstates(tables, &narrow, narrow_after, reward, action)
        for a in range(n):
            after[a] = narrow_after[a]
    else:
        n = legal_afterstates(tables, &wide, wide_after, reward, action)
        for a in range(n):
            after[a] = <uint64_t> wide_after[a]
    return n


cdef inline uint64_t image(const Symmetries *symmetries, int number, uint64_t board) noexcept nogil:
    """One of the symmetric images of a board."""
    cdef uint64_t out = 0
    cdef int i
    for i in range(symmetries.first[number], symmetries.first[number + 1]):
        out |= ((board & symmetries.shifts[i].cells) << symmetries.shifts[i].left) >> symmetries.shifts[i].right
    return out


cdef inline uint64_t canonical_board(const Symmetries *symmetries, uint64_t board) noexcept nogil:
    """The smallest of a board and its images as a number: the one that stands for all of them."""
    cdef uint64_t smallest = board
    cdef int number
    for number in range(symmetries.images):
        smallest = min(smallest, image(symmetries, number, board))
    return smallest


cdef inline int64_t find_layer(const Index *index, int64_t total) noexcept nogil:
    """The layer whose sum is `total`, or -1."""
    cdef int64_t low = 0, high = index.layers, middle
    while low < high:
        middle = (low + high) >> 1
        if index.sums[middle] < total:
            low = middle + 1
        else:
            high = middle
    return low if low < index.layers and index.sums[low] == total else -1


cdef inline int64_t find_board(const Index *index, int64_t layer, uint64_t board) noexcept nogil:
    """Where a board stands, given its layer (-1: nowhere), or -1."""
    cdef const uint64_t *base
    cdef int64_t n, half
    if layer < 0:
        return -1
    board = canonical_board(index.symmetries, board)
    base = index.boards + index.first[layer]
    n = index.first[layer + 1] - index.first[layer]
    while n > 1:     # a step without a branch: which way it goes cannot be predicted
        half = n >> 1
        base += half * (base[half] <= board)
        n -= half
    return base - index.boards if base[0] == board else -1
