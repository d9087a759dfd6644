"""Tile downgrading: a board with large tiles as one with smaller ones, of which a network knows more.

All tiles above a gap, an index that no tile on the board has, lose one index. That is done only at a gap where the
same tiles merge afterwards as before; it is the largest such gap, again and again until no tile is above the limit. So
the same moves stay legal. The reference implementation is `tdl.game.game_reference.downgraded`.

Source: tile-downgrading, in Guei, Chen and Wu (2021), Optimistic Temporal Difference Learning for 2048, IEEE
Transactions on Games.
"""

from libc.stdint cimport uint32_t

from tdl.game.board cimport board_t, cell_at, put, take_off


cdef struct Merging:
    # Which tiles merge, on boards of how many cells.
    int cells
    uint32_t mates[32]      # of each tile index: a bit for each that it merges with


cdef inline Merging merging_of(rules):
    """The tiles that merge by these `Rules`."""
    cdef Merging merging
    cdef int a, b
    merging.cells = rules.cells
    for a in range(32):
        merging.mates[a] = 0
        for b in range(1, rules.largest + 1):
            if a <= rules.largest and rules.merge(a, b):
                merging.mates[a] |= <uint32_t> 1 << b
    return merging


cdef inline bint downgrade(const Merging *merging, board_t *board, int limit) noexcept nogil:
    """Downgrade a board until its largest tile index is `limit`, or as far as it goes; whether it changed."""
    cdef int cell, tile, gap
    cdef uint32_t there
    cdef bint changed = False
    while True:
        there = 0
        for cell in range(merging.cells):
            there |= <uint32_t> 1 << cell_at(board, cell)
        if there >> 1 >> limit == 0:
            return changed
        gap = 31
        while (there >> 1) >> gap == 0:
            gap -= 1
        while gap and (there >> gap & 1 or not merges_stay(merging, there, gap)):
            gap -= 1
        if gap == 0:
            return changed
        for cell in range(merging.cells):
            tile = cell_at(board, cell)
            if tile > gap:
                take_off(board, cell)
                put(board, cell, tile - 1)
        changed = True


cdef inline bint merges_stay(const Merging *merging, uint32_t there, int gap) noexcept nogil:
    """Whether the same tiles merge when all above `gap` lose one index."""
    cdef uint32_t high = there >> (gap + 1) << (gap + 1)
    cdef int a
    for a in range(1, 32):
        if there >> a & 1 and (merging.mates[a] & high) != (merging.mates[a - (a > gap)] & (high >> 1)) << 1:
            return False
    return True
