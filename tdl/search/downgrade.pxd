"""Tile downgrading: a board with large tiles as one with smaller ones, of which a network knows more.

All tiles above a gap, an index that no tile on the board has, lose one index. That is done only at a gap where the
same tiles merge afterwards as before; it is the largest such gap, again and again until no tile is above the limit. So
the same moves stay legal. The reference implementation is `tdl.search.downgrade_reference.downgraded`.

Source: tile-downgrading, in Guei, Chen and Wu (2021), Optimistic Temporal Difference Learning for 2048, IEEE
Transactions on Games.
"""

from libc.stdint cimport uint32_t

from tdl.game.board cimport board_t, cell_at, put, take_off
from tdl.game.lines cimport LineTables


cdef inline bint downgrade(LineTables tables, board_t *board, int limit) noexcept nogil:
    """Downgrade a board until its largest tile index is `limit`, or as far as it goes; whether it changed."""
    cdef int cell, tile, gap
    cdef uint32_t there
    cdef bint changed = False
    while True:
        there = 0
        for cell in range(tables.cells):
            there |= <uint32_t> 1 << cell_at(board, cell)
        if there >> 1 >> limit == 0:
            return changed
        gap = 31
        while (there >> 1) >> gap == 0:
            gap -= 1
        while gap and (there >> gap & 1 or not merges_stay(tables, there, gap)):
            gap -= 1
        if gap == 0:
            return changed
        for cell in range(tables.cells):
            tile = cell_at(board, cell)
            if tile > gap:
                take_off(board, cell)
                put(board, cell, tile - 1)
        changed = True


cdef inline bint merges_stay(LineTables tables, uint32_t there, int gap) noexcept nogil:
    """Whether the same tiles merge when all above `gap` lose one index."""
    cdef int a, b
    for a in range(1, 32):
        if not there >> a & 1:
            continue
        for b in range(gap + 1, 32):
            if there >> b & 1 and (
                    (tables.law.merged[a][b] == 0) != (tables.law.merged[a - (a > gap)][b - 1] == 0)):
                return False
    return True
