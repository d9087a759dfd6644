"""Lowering: a board with large tiles as one with smaller ones, of which a network knows more.

All tiles above a hole, an index that no tile on the board has, are lowered by one index. That is done only at a hole
where the same tiles merge afterwards as before; it is the largest such hole, again and again until no tile is above
the limit. So the same moves stay legal. The twin is `tdl.search.downgrade_reference.lowered`.

Source: tile-downgrading, in Guei, Chen and Wu (2021), Optimistic Temporal Difference Learning for 2048, IEEE
Transactions on Games.
"""

from libc.stdint cimport uint32_t

from tdl.game.board cimport board_t, cell_at, put, take_off
from tdl.game.lines cimport LineTables


cdef inline bint lower(LineTables tables, board_t *board, int limit) noexcept nogil:
    """Lower a board until its largest tile index is `limit`, or as far as it goes; whether it changed."""
    cdef int cell, tile, hole
    cdef uint32_t there
    cdef bint changed = False
    while True:
        there = 0
        for cell in range(tables.cells):
            there |= <uint32_t> 1 << cell_at(board, cell)
        if there >> 1 >> limit == 0:
            return changed
        hole = 31
        while (there >> 1) >> hole == 0:
            hole -= 1
        while hole and (there >> hole & 1 or not merges_stay(tables, there, hole)):
            hole -= 1
        if hole == 0:
            return changed
        for cell in range(tables.cells):
            tile = cell_at(board, cell)
            if tile > hole:
                take_off(board, cell)
                put(board, cell, tile - 1)
        changed = True


cdef inline bint merges_stay(LineTables tables, uint32_t there, int hole) noexcept nogil:
    """Whether the same tiles merge when all above `hole` are lowered by one index."""
    cdef int a, b
    for a in range(1, 32):
        if not there >> a & 1:
            continue
        for b in range(hole + 1, 32):
            if there >> b & 1 and (
                    (tables.law.merged[a][b] == 0) != (tables.law.merged[a - (a > hole)][b - 1] == 0)):
                return False
    return True
