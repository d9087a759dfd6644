"""Boards of up to 16 cells of 4 bits, packed into a uint64: transposition, the moves of 2048, empty cells.

Cell 0 has the lowest bits. `board.pxd` says what every type of board has in common.
"""

from libc.stdint cimport int32_t, uint64_t

cdef extern from "board.h" nogil:
    ctypedef unsigned long board64 "tdl_board64"


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
