"""The three types of a board, and all operations on them: cells of 4 bits in 64, of 5 bits in 128, bytes in an array.

The first two (board64.pxd, board128.pxd) are what `engine=bits` plays with, by the rules' `bits`; in Python they are
ints, cell 0 in the lowest bits. The array is for `engine=array`, and holds any game. All are values: free functions
over the fused type `board_t`, with the shape in a `LineTables`. Nothing here allocates.
"""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from tdl.game.board64 cimport afterstates44, board64, empty_nibbles, nth_nibble
from tdl.game.board128 cimport (afterstates45, board128, dense_fives, empty_fives, nth_five, popcount,
                                tdl_moves_of_fives)
from tdl.game.lines cimport LineTables, Slide, slide_both_ways
from tdl.game.stream cimport Stream, draw

cdef extern from "board.h" nogil:
    ctypedef struct board_array "tdl_board_array":
        unsigned char cell[32]
    int tdl_nth_bit(uint32_t marks, uint64_t draw32)
    bint TDL_SQUARES
    int NIBBLES "TDL_NIBBLES"
    int FIVES "TDL_FIVES"
    int BYTES "TDL_BYTES"

cdef extern from "board_array.h" nogil:
    bint tdl_same_arrays(const board_array *a, const board_array *b)
    uint32_t tdl_empty_bytes(const board_array *board, int cells)
    void tdl_array_moves(const Slide *slides, const uint64_t *nibble_rows, const board_array *board, int bits,
                         board_array *after, int32_t *reward)
    int tdl_random_empty_byte(const board_array *board, int cells, uint64_t draw32)
    void tdl_drop_byte(board_array *board, int cell, int tile)

# The base types that board64.pxd and board128.pxd name differ on purpose: Cython tells the two apart by them, the C
# compiler by the header.
ctypedef fused board_t:
    board64
    board128
    board_array


cdef inline int kind_of(const board_t *board) noexcept nogil:
    """The number by which C names the type of a board."""
    if board_t is board64:
        return NIBBLES
    elif board_t is board128:
        return FIVES
    else:
        return BYTES


cdef inline int kind_for(bint array, int bits) noexcept nogil:
    """The number of the type that an engine plays with: an array of bytes, or packed cells of `bits` bits."""
    return BYTES if array else NIBBLES if bits == 4 else FIVES


cdef inline size_t size_of(int kind) noexcept nogil:
    """Bytes of a board of the type with the number `kind`."""
    return sizeof(board64) if kind == NIBBLES else sizeof(board128) if kind == FIVES else sizeof(board_array)


cdef inline int cell_at(const board_t *board, int cell) noexcept nogil:
    """The tile index in a cell."""
    if board_t is board64:
        return <int> (board[0] >> (4 * cell)) & 15
    elif board_t is board128:
        return <int> (board[0] >> (5 * cell)) & 31
    else:
        return board.cell[cell]


cdef inline void put(board_t *board, int cell, int tile) noexcept nogil:
    """Put a tile on an empty cell."""
    if board_t is board64:
        board[0] |= <board64> tile << (4 * cell)
    elif board_t is board128:
        board[0] |= <board128> tile << (5 * cell)
    else:
        board.cell[cell] = tile


cdef inline void take_off(board_t *board, int cell) noexcept nogil:
    """Empty a cell."""
    if board_t is board64:
        board[0] &= ~(<board64> 15 << (4 * cell))
    elif board_t is board128:
        board[0] &= ~(<board128> 31 << (5 * cell))
    else:
        board.cell[cell] = 0


cdef inline bint same(const board_t *a, const board_t *b) noexcept nogil:
    """Whether two boards are equal."""
    if board_t is board_array:
        return tdl_same_arrays(a, b)
    else:
        return a[0] == b[0]


cdef inline board_t empty_board(const board_t *kind) noexcept nogil:
    """A board without tiles, of the type of `kind`, which is not read."""
    cdef board_t board
    cdef int i
    if board_t is board_array:
        for i in range(32):
            board.cell[i] = 0
    else:
        board = 0
    return board


cdef inline void slide_lines(LineTables tables, const Slide *slides, const board_t *board, int n, int length,
                             int line_step, int cell_step, int bits, board_t *to_start, board_t *to_end,
                             int32_t *start_reward, int32_t *end_reward) noexcept nogil:
    """Slide `n` lines of `length` cells both ways; steps are in cells. Any shape, any game."""
    cdef int line, cell, at, largest = (1 << bits) - 1
    cdef uint32_t key
    cdef Slide slid
    to_start[0] = to_end[0] = empty_board(board)
    start_reward[0] = end_reward[0] = 0
    for line in range(n):
        key = 0
        for cell in range(length):
            key |= <uint32_t> cell_at(board, line * line_step + cell * cell_step) << (bits * cell)
        slid = slide_both_ways(tables, slides, key, length)
        start_reward[0] += slid.start_reward
        end_reward[0] += slid.end_reward
        for cell in range(length):
            at = line * line_step + cell * cell_step
            put(to_start, at, (slid.to_start >> (bits * cell)) & largest)
            put(to_end, at, (slid.to_end >> (bits * cell)) & largest)


cdef inline void afterstates(LineTables tables, const board_t *board, board_t *after, int32_t *reward) noexcept nogil:
    """`after[action]` and `reward[action]` of the four actions; an illegal action leaves the board as it is."""
    cdef int bits = tables.bits, rows = tables.rows, cols = tables.cols
    if board_t is board64:
        if tables.nibble_rows != NULL:
            afterstates44(tables.nibble_rows, board[0], <uint64_t *> after, reward)
            return
        bits = 4
    elif board_t is board128:
        if rows == 4 and cols == 4:
            if TDL_SQUARES:
                tdl_moves_of_fives(tables.row_slides, board, after, reward)
                return
            afterstates45(tables.row_slides, board[0], after, reward)
            return
        bits = 5
    elif TDL_SQUARES and rows == 4 and cols == 4:
        tdl_array_moves(tables.row_slides, tables.nibble_rows, board, bits, after, reward)
        return
    slide_lines(tables, tables.col_slides, board, cols, rows, 1, cols, bits,
                &after[0], &after[2], &reward[0], &reward[2])
    slide_lines(tables, tables.row_slides, board, rows, cols, cols, 1, bits,
                &after[3], &after[1], &reward[3], &reward[1])


cdef inline int legal_afterstates(LineTables tables, const board_t *board, board_t *after, int32_t *reward,
                                  int *action) noexcept nogil:
    """The legal afterstates, in the order of their actions, without gaps; returns how many there are."""
    cdef board_t own = board[0]     # not read again after each write to `after`, which could be the same
    cdef board_t all_after[4]
    cdef int32_t all_reward[4]
    cdef int a, n = 0
    afterstates(tables, &own, all_after, all_reward)
    for a in range(4):     # written always, counted when legal: no branch to mispredict
        after[n] = all_after[a]
        reward[n] = all_reward[a]
        action[n] = a
        n += not same(&all_after[a], &own)
    return n


cdef inline uint32_t empty_marks(int cells, const board_t *board) noexcept nogil:
    """One bit, at bit `cell`, for each empty cell of a board that is not of 4-bit cells."""
    if board_t is board_array:
        return tdl_empty_bytes(board, cells)
    elif board_t is board128:
        return dense_fives(empty_fives(cells, board[0]))
    else:
        return 0


cdef inline int empty_cells(LineTables tables, const board_t *board) noexcept nogil:
    """Number of empty cells."""
    cdef board128 marks
    if board_t is board64:
        return popcount(empty_nibbles(tables.cells, board[0]))
    elif board_t is board128:
        marks = empty_fives(tables.cells, board[0])
        return popcount(<uint64_t> marks) + popcount(<uint64_t> (marks >> 64))
    else:
        return popcount(empty_marks(tables.cells, board))


cdef inline int random_empty(LineTables tables, const board_t *board, uint64_t draw32) noexcept nogil:
    """A random empty cell, of which there must be one: number draw32 * (empty cells) / 2^32."""
    if board_t is board64:
        return nth_nibble(empty_nibbles(tables.cells, board[0]), draw32)
    elif board_t is board128:
        if tables.cells <= 16:
            return nth_five(empty_fives(tables.cells, board[0]), draw32)
        return tdl_nth_bit(empty_marks(tables.cells, board), draw32)
    else:
        return tdl_random_empty_byte(board, tables.cells, draw32)


cdef inline void place(LineTables tables, board_t *board, Stream *stream, int tile) noexcept nogil:
    """Put `tile` (0: one by the drop law) on a random empty cell, of which there must be one.

    The upper half of one draw chooses the cell, the lower half the tile; both are exact to 2^-32.
    """
    cdef uint64_t bits = draw(stream)
    if tile == 0:
        tile = drawn_tile(tables, bits)
    if board_t is board_array:
        tdl_drop_byte(board, random_empty(tables, board, bits >> 32), tile)
    else:
        put(board, random_empty(tables, board, bits >> 32), tile)


cdef inline int drawn_tile(LineTables tables, uint64_t bits) noexcept nogil:
    """The tile that the lower half of a draw gives by the drop law."""
    cdef uint64_t low = bits & <uint64_t> 0xFFFFFFFF
    cdef int i = 0
    while low >= tables.drops.below[i]:
        i += 1
    return tables.drops.tile[i]


cdef inline void first_board(LineTables tables, board_t *board, Stream *stream) noexcept nogil:
    """Make `board` the first one of a game, by the start law."""
    cdef int i
    board[0] = empty_board(board)
    for i in range(tables.start_n):
        place(tables, board, stream, tables.start_tile[i])


cdef inline int64_t max_tile(LineTables tables, const board_t *board) noexcept nogil:
    """Value of the largest tile: the merge laws make larger indices of smaller ones."""
    cdef int cell, best = 0
    for cell in range(tables.cells):
        best = max(best, cell_at(board, cell))
    return tables.values[best]


cdef inline void pack(const unsigned char *tiles, int cells, board_t *board) noexcept nogil:
    """Make `board` of a byte for each cell."""
    cdef int cell
    board[0] = empty_board(board)
    for cell in range(cells):
        put(board, cell, tiles[cell])


cdef inline void unpack(const board_t *board, int cells, unsigned char *tiles) noexcept nogil:
    """A byte for each cell of `board`."""
    cdef int cell
    for cell in range(cells):
        tiles[cell] = cell_at(board, cell)
