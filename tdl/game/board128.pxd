"""Boards of cells of 5 bits, packed into an unsigned 128-bit number: transposition, moves on 4x4, empty cells.

Cell 0 has the lowest bits. `board.pxd` says what every type of board has in common; board128.h has the moves on 4x4 in
vectors.
"""

from libc.stdint cimport int32_t, uint32_t, uint64_t

from tdl.game.lines cimport Slide

cdef extern from "board.h" nogil:
    ctypedef unsigned long long board128 "tdl_board128"
    int popcount "__builtin_popcountll"(uint64_t)

cdef extern from "board128.h" nogil:
    void tdl_moves_of_fives(const Slide *slides, const board128 *board, board128 *after, int32_t *reward)


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


cdef inline int nth_five(board128 marks, uint64_t draw32) noexcept nogil:
    """A random one of at most 16 marks at bits 5*cell, as `nth_nibble` finds it.

    A tile drops at 2.0 times the speed of a loop over the marks.
    """
    cdef board128 each = (<board128> 0x8421 << 60) | <uint64_t> 0x084210842108421
    cdef board128 upto = marks * each
    cdef uint64_t n = ((<uint64_t> (upto >> 75) & 31) * draw32) >> 32
    cdef board128 beyond = (upto + (15 - n) * each) & (each << 4)     # the highest bit of the numbers above n
    return 16 - popcount(<uint64_t> beyond | <uint64_t> (beyond >> 64) << 1)
