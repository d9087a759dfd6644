"""The drop-expectation table: the expectation of V over all drops on an afterstate, at the cost of two values.

The target `state` chooses by the mean of V over all 2e boards that a drop can make of an afterstate with e empty
cells. A drop changes only the entries of tuples that hold its cell, so with w the weights and i an entry's index,

    E[V(s'')]  =  sum over f of w[i_f]  +  1/e * sum over f of drop_values[i_f],
    drop_values[i]  =  sum over the empty cells c of i, and the tiles t of the drop law, of p_t (w[i + t at c] - w[i]):

a second table, read like the first, that depends on the weights alone. It follows them, up to rounding: an entry j
that moves by d moves `drop_values[j]` by -d for each of its empty cells, and for each of its cells c with a tile t of
the drop law `drop_values[j - t at c]` by p_t d. Evaluating every successor costs 2e values for each move instead.

Where an index is not made of cells (order and count features), or a drop may lead to another stage, each successor is
evaluated: `expected_direct` in `tdl.learning.expectation`.
"""

from libc.stdint cimport int32_t, uint32_t, uint64_t

from tdl.game.board cimport board_t, cell_at, empty_marks, popcount, take_off
from tdl.game.board64 cimport board64, empty_nibbles
from tdl.game.lines cimport MAX_CELLS
from tdl.network.index cimport activate_tuples, tdl_index_plan

cdef struct DropTable:
    float *drop_values               # of each entry, in the order of the weights
    const uint64_t *feature_masks    # [m]: the cells of each feature, as `marks_of` marks them
    const int32_t *features_of_cell  # [cells][m]: the features that hold a cell, ended by -1
    float share[32]                  # of each tile index: probability of the drops that read as the same symbol
    int cells
    int m
    uint32_t *buffer                 # [cells][padded]


cdef inline uint64_t marks_of(int cells, const board_t *board) noexcept nogil:
    """A bit for each empty cell: bit 4 * cell of a board of 4-bit cells, bit `cell` of others."""
    if board_t is board64:
        return empty_nibbles(cells, board[0])
    else:
        return empty_marks(cells, board)


cdef inline void follow(DropTable *drops, const tdl_index_plan *plan, const board_t *board, const uint32_t *entry,
                        const float *moved, int m) noexcept nogil:
    """Keep the table right after the entries of `board` moved by `moved`."""
    cdef uint64_t empty = marks_of(drops.cells, board)
    cdef board_t lighter[MAX_CELLS]         # the boards that one drop less would have left,
    cdef int cell_of[MAX_CELLS]             # the cell of that drop,
    cdef float share_of[MAX_CELLS]          # and its probability
    cdef int f, i, cell, n = 0
    cdef float share
    cdef const int32_t *holder
    cdef const uint32_t *row
    for cell in range(drops.cells):
        share = drops.share[cell_at(board, cell)]
        lighter[n] = board[0]
        take_off(&lighter[n], cell)
        cell_of[n], share_of[n] = cell, share
        n += share > 0              # 0 of an empty cell
    activate_tuples(plan, <const board_t *> lighter, n, drops.buffer)
    for f in range(m):
        drops.drop_values[entry[f]] -= <float> popcount(empty & drops.feature_masks[f]) * moved[f]
    for i in range(n):
        row, holder = drops.buffer + i * plan.padded, drops.features_of_cell + cell_of[i] * (drops.m + 1)
        while holder[0] >= 0:
            drops.drop_values[row[holder[0]]] += share_of[i] * moved[holder[0]]
            holder += 1
