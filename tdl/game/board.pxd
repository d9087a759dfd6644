"""A board is a value: an unsigned integer of 64 or 128 bits, cell 0 in the lowest bits.

Free functions over the fused type `board_t`; the shape comes in as a `LineTables`. Nothing here allocates.
"""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from tdl.game.lines cimport LineTables, Slide
from tdl.game.stream cimport Stream, draw

cdef extern from *:
    """
    typedef unsigned long long tdl_board64;
    typedef unsigned __int128 tdl_board128;
    """
    # The base types named here differ on purpose: Cython tells the two apart by them, the C compiler by the above.
    ctypedef unsigned long board64 "tdl_board64"
    ctypedef unsigned long long board128 "tdl_board128"

ctypedef fused board_t:
    board64
    board128


cdef inline int cell_at(board_t board, int shift, int largest) noexcept nogil:
    return <int> (board >> shift) & largest


cdef inline uint64_t transpose44(uint64_t b) noexcept nogil:
    """Rows become columns on a 4x4 board of 4-bit cells: swap single cells, then 2x2 quarters."""
    cdef uint64_t t = (b ^ (b >> 12)) & <uint64_t> 0x0000F0F00000F0F0
    b ^= t ^ (t << 12)
    t = (b ^ (b >> 24)) & <uint64_t> 0x00000000FF00FF00
    return b ^ t ^ (t << 24)


cdef inline void afterstates44(const uint64_t *rows, uint64_t board, uint64_t *after, int32_t *reward) noexcept nogil:
    """All four moves of a 4x4 board of 4-bit cells (`after[action]`, equal to `board` where illegal)."""
    cdef uint64_t across = transpose44(board), left = 0, right = 0, up = 0, down = 0, sides = 0, ends = 0, slid
    cdef int shift
    for shift in range(0, 64, 16):
        slid = rows[(board >> shift) & 0xFFFF]
        left |= (slid & 0xFFFF) << shift
        right |= ((slid >> 16) & 0xFFFF) << shift
        sides += slid >> 32
        slid = rows[(across >> shift) & 0xFFFF]
        up |= (slid & 0xFFFF) << shift
        down |= ((slid >> 16) & 0xFFFF) << shift
        ends += slid >> 32
    after[0], after[1], after[2], after[3] = transpose44(up), right, transpose44(down), left
    reward[0] = reward[2] = <int32_t> ends
    reward[1] = reward[3] = <int32_t> sides


cdef inline void slide_lines(const Slide *slides, board_t board, int n, int length, int line_step, int cell_step,
                             int bits, board_t *to_start, board_t *to_end,
                             int32_t *start_reward, int32_t *end_reward) noexcept nogil:
    """Slide `n` lines of `length` cells both ways; steps are in bits. Any shape, any game."""
    cdef int line, cell, shift, largest = (1 << bits) - 1
    cdef uint32_t key
    cdef const Slide *slid
    to_start[0] = to_end[0] = 0
    start_reward[0] = end_reward[0] = 0
    for line in range(n):
        key = 0
        for cell in range(length):
            shift = line * line_step + cell * cell_step
            key |= <uint32_t> cell_at(board, shift, largest) << (bits * cell)
        slid = &slides[key]
        start_reward[0] += slid.start_reward
        end_reward[0] += slid.end_reward
        for cell in range(length):
            shift = line * line_step + cell * cell_step
            to_start[0] |= <board_t> ((slid.to_start >> (bits * cell)) & largest) << shift
            to_end[0] |= <board_t> ((slid.to_end >> (bits * cell)) & largest) << shift


cdef inline void afterstates(LineTables tables, board_t board, board_t *after, int32_t *reward) noexcept nogil:
    """`after[action]` and `reward[action]` of the four actions; an illegal action leaves the board as it is."""
    cdef int bits = tables.bits, row = tables.bits * tables.cols
    if board_t is board64:
        if tables.nibble_rows != NULL:
            afterstates44(tables.nibble_rows, board, <uint64_t *> after, reward)
            return
    slide_lines(tables.col_slides, board, tables.cols, tables.rows, bits, row, bits,
                &after[0], &after[2], &reward[0], &reward[2])
    slide_lines(tables.row_slides, board, tables.rows, tables.cols, row, bits, bits,
                &after[3], &after[1], &reward[3], &reward[1])


cdef inline int legal_afterstates(LineTables tables, board_t board, board_t *after, int32_t *reward,
                                  int *action) noexcept nogil:
    """The legal afterstates, in the order of their actions, without gaps; returns how many there are."""
    cdef board_t all_after[4]
    cdef int32_t all_reward[4]
    cdef int a, n = 0
    afterstates(tables, board, all_after, all_reward)
    for a in range(4):     # written always, counted when legal: no branch to mispredict
        after[n] = all_after[a]
        reward[n] = all_reward[a]
        action[n] = a
        n += all_after[a] != board
    return n


cdef inline uint64_t empty_nibbles(LineTables tables, uint64_t board) noexcept nogil:
    """One bit, at bit 4*cell, for each empty cell of a board of 4-bit cells."""
    cdef uint64_t tiles = board | (board >> 2)
    tiles = ~(tiles | (tiles >> 1)) & <uint64_t> 0x1111111111111111
    if tables.cells < 16:
        tiles &= (<uint64_t> 1 << (4 * tables.cells)) - 1
    return tiles


cdef inline int nth_nibble(uint64_t marks, uint64_t draw32) noexcept nogil:
    """Where a random one of the marked nibbles lies, in bits: number n = draw32 * marks / 2^32.

    Without a loop, whose end no predictor knows (training 4x6: +6%): a product gives every nibble the number of marks
    up to and with it; those with at most n marks lie below the one that is looked for.
    """
    cdef uint64_t each = <uint64_t> 0x0101010101010101, nibble = 15 * each
    cdef uint64_t upto = marks * <uint64_t> 0x1111111111111111, beyond
    if marks == <uint64_t> 0x1111111111111111:     # 16 marks, the one number that does not fit into a nibble
        return <int> ((16 * draw32) >> 32) << 2
    beyond = (127 - (((upto >> 60) * draw32) >> 32)) * each      # added to a byte above n, it sets the highest bit
    beyond = ((((upto & nibble) + beyond) >> 7) & each) + (((((upto >> 4) & nibble) + beyond) >> 7) & each)
    return (16 - <int> ((beyond * each) >> 56)) << 2


cdef inline int empty_cells(LineTables tables, board_t board) noexcept nogil:
    """Number of empty cells."""
    cdef int cell, n = 0
    for cell in range(tables.cells):
        n += cell_at(board, cell * tables.bits, (1 << tables.bits) - 1) == 0
    return n


cdef inline int random_empty(LineTables tables, board_t board, uint64_t draw32) noexcept nogil:
    """Where a random empty cell lies in the board, in bits; `draw32` is uniform below 2^32."""
    cdef int cell = 0, left
    if board_t is board64:
        if tables.bits == 4:
            return nth_nibble(empty_nibbles(tables, board), draw32)
    left = <int> ((draw32 * <uint64_t> empty_cells(tables, board)) >> 32)
    for cell in range(tables.cells):
        if cell_at(board, cell * tables.bits, (1 << tables.bits) - 1) == 0:
            if left == 0:
                break
            left -= 1
    return cell * tables.bits


cdef inline board_t place(LineTables tables, board_t board, Stream *stream, int tile) noexcept nogil:
    """Put `tile` (0: one by the drop law) on a random empty cell, of which there must be one.

    The upper half of one draw chooses the cell, the lower half the tile; both are exact to 2^-32.
    """
    cdef uint64_t bits = draw(stream), low = bits & <uint64_t> 0xFFFFFFFF
    cdef int i = 0
    if tile == 0:
        while low >= tables.drops.below[i]:
            i += 1
        tile = tables.drops.tile[i]
    return board | (<board_t> tile << random_empty(tables, board, bits >> 32))


cdef inline board_t first_board(LineTables tables, board_t board, Stream *stream) noexcept nogil:
    """The first board of a game, by the start law; `board` is the empty board (it tells the width)."""
    cdef int i
    for i in range(tables.start_n):
        board = place(tables, board, stream, tables.start_tile[i])
    return board


cdef inline int64_t max_tile(LineTables tables, board_t board) noexcept nogil:
    """Value of the largest tile."""
    cdef int cell, index, best = 0
    for cell in range(tables.cells):
        index = cell_at(board, cell * tables.bits, (1 << tables.bits) - 1)
        best = max(best, index)
    return tables.values[best]
