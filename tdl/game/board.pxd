"""A board is a value: 4-bit cells in 64 bits, 5-bit cells in 128 bits, or a byte a cell in an array.

The first two are what `engine=bits` plays with, by the rules' `bits`; in Python they are ints, cell 0 in the lowest
bits. The array is for `engine=array`, and holds any game. Free functions over the fused type `board_t`; the shape
comes in as a `LineTables`. Nothing here allocates.
"""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from tdl.game.lines cimport LineTables, Slide, slide_both_ways
from tdl.game.stream cimport Stream, draw

cdef extern from "board.h" nogil:
    # The base types named here differ on purpose: Cython tells the two apart by them, the C compiler by the header.
    ctypedef unsigned long board64 "tdl_board64"
    ctypedef unsigned long long board128 "tdl_board128"
    ctypedef struct board_array "tdl_board_array":
        unsigned char cell[32]
    bint tdl_same_arrays(const board_array *a, const board_array *b)
    uint32_t tdl_empty_bytes(const board_array *board, int cells)
    bint TDL_SQUARES
    void tdl_array_moves(const Slide *slides, const uint64_t *nibble_rows, const board_array *board, int bits,
                         board_array *after, int32_t *reward)
    void tdl_moves_of_fives(const Slide *slides, const board128 *board, board128 *after, int32_t *reward)
    int tdl_random_empty_byte(const board_array *board, int cells, uint64_t draw32)
    void tdl_drop_byte(board_array *board, int cell, int tile)
    int popcount "__builtin_popcountll"(uint64_t)
    int tdl_nth_bit(uint32_t marks, uint64_t draw32)
    int NIBBLES "TDL_NIBBLES"
    int FIVES "TDL_FIVES"
    int BYTES "TDL_BYTES"

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
    """The number of the type that an engine plays with: of bytes, or of packed cells of so many bits."""
    return BYTES if array else NIBBLES if bits == 4 else FIVES


cdef inline size_t size_of(int kind) noexcept nogil:
    """Bytes of a board of a type, given by its number."""
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


cdef inline board128 transpose45(board128 b) noexcept nogil:
    """Rows become columns on a 4x4 board of 5-bit cells."""
    cdef board128 t = (b ^ (b >> 15)) & ((<board128> 0x7C1F << 45) | 0xF83E0)      # cells 9, 11 and 1, 3
    b ^= t ^ (t << 15)
    t = (b ^ (b >> 30)) & (<board128> 0xFFC00FFC00)     # cells 2, 3, 6 and 7
    return b ^ t ^ (t << 30)


cdef inline board128 rows45(uint64_t a, uint64_t b, uint64_t c, uint64_t d) noexcept nogil:
    """A 4x4 board of 5-bit cells of its rows."""
    return (<board128> (d >> 4) << 64) | (a | (b << 20) | (c << 40) | (d << 60))


cdef inline void slide_rows45(const Slide *slides, board128 board, board128 *to_start, board128 *to_end,
                              int32_t *start_reward, int32_t *end_reward) noexcept nogil:
    """Slide the rows of a 4x4 board of 5-bit cells both ways."""
    cdef uint64_t low = <uint64_t> board, last = <uint64_t> (board >> 60)
    cdef const Slide *a = &slides[low & 0xFFFFF]
    cdef const Slide *b = &slides[(low >> 20) & 0xFFFFF]
    cdef const Slide *c = &slides[(low >> 40) & 0xFFFFF]
    cdef const Slide *d = &slides[last & 0xFFFFF]
    to_start[0] = rows45(a.to_start, b.to_start, c.to_start, d.to_start)
    to_end[0] = rows45(a.to_end, b.to_end, c.to_end, d.to_end)
    start_reward[0] = a.start_reward + b.start_reward + c.start_reward + d.start_reward
    end_reward[0] = a.end_reward + b.end_reward + c.end_reward + d.end_reward


cdef inline void afterstates45(const Slide *slides, board128 board, board128 *after, int32_t *reward) noexcept nogil:
    """All four moves of a 4x4 board of 5-bit cells."""
    cdef board128 up, down
    slide_rows45(slides, transpose45(board), &up, &down, &reward[0], &reward[2])
    slide_rows45(slides, board, &after[3], &after[1], &reward[3], &reward[1])
    after[0], after[2] = transpose45(up), transpose45(down)


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


cdef inline uint64_t empty_nibbles(int cells, uint64_t board) noexcept nogil:
    """One bit, at bit 4*cell, for each empty cell of a board of 4-bit cells."""
    cdef uint64_t tiles = board | (board >> 2)
    tiles = ~(tiles | (tiles >> 1)) & <uint64_t> 0x1111111111111111
    if cells < 16:
        tiles &= (<uint64_t> 1 << (4 * cells)) - 1
    return tiles


cdef inline int nth_nibble(uint64_t marks, uint64_t draw32) noexcept nogil:
    """A random one of the marked nibbles: number n = draw32 * marks / 2^32.

    Without a loop, whose end no predictor knows (training 4x6: +6%): a product gives every nibble the number of marks
    up to and with it; those with at most n marks lie below the one that is looked for.
    """
    cdef uint64_t each = <uint64_t> 0x0101010101010101, nibble = 15 * each
    cdef uint64_t upto = marks * <uint64_t> 0x1111111111111111, beyond
    if marks == <uint64_t> 0x1111111111111111:     # 16 marks, the one number that does not fit into a nibble
        return <int> ((16 * draw32) >> 32)
    beyond = (127 - (((upto >> 60) * draw32) >> 32)) * each      # added to a byte above n, it sets the highest bit
    beyond = ((((upto & nibble) + beyond) >> 7) & each) + (((((upto >> 4) & nibble) + beyond) >> 7) & each)
    return 16 - <int> ((beyond * each) >> 56)


cdef inline board128 empty_fives(int cells, board128 board) noexcept nogil:
    """One bit, at bit 5*cell, for each empty cell of a board of 5-bit cells."""
    cdef board128 each = (<board128> 0x1084210842108421 << 65) | (<board128> 0x1084210842108421)
    cdef board128 tiles = board | (board >> 2)
    tiles |= (tiles >> 1) | (board >> 4)
    return ~tiles & each & (((<board128> 1) << (5 * cells)) - 1)


cdef inline uint32_t dense_fives(board128 marks) noexcept nogil:
    """Marks at bits 5*cell moved to bits `cell`: first four to a nibble, then the nibbles together."""
    cdef uint64_t few = <uint64_t> marks & (((<uint64_t> 1) << 60) - 1), rest = <uint64_t> (marks >> 60)
    cdef uint64_t nibbles = <uint64_t> 0xF0000F0000F0000F
    few = (few | (few >> 4) | (few >> 8) | (few >> 12)) & nibbles
    rest = (rest | (rest >> 4) | (rest >> 8) | (rest >> 12)) & nibbles
    few = (few | (few >> 16) | (few >> 32)) & 0xFFF
    rest = (rest | (rest >> 16) | (rest >> 32) | (rest >> 48)) & 0x1FFF
    return <uint32_t> (few | (rest << 12))


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


cdef inline int nth_five(board128 marks, uint64_t draw32) noexcept nogil:
    """A random one of at most 16 marks at bits 5*cell, as `nth_nibble` finds it.

    A tile drops at 2.0 times the speed of a loop over the marks.
    """
    cdef board128 each = (<board128> 0x8421 << 60) | <uint64_t> 0x084210842108421
    cdef board128 upto = marks * each
    cdef uint64_t n = ((<uint64_t> (upto >> 75) & 31) * draw32) >> 32
    cdef board128 beyond = (upto + (15 - n) * each) & (each << 4)     # the highest bit of the numbers above n
    return 16 - popcount(<uint64_t> beyond | <uint64_t> (beyond >> 64) << 1)


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
