"""The adversary: it puts each tile where it leaves the player least.

What a board leaves the player is valued by a network, the player's own or another one:

    left(s, 1)   =  max over the legal moves of r + gamma V(s'),  or V(s) where states are valued;  0 if there is none
    left(s, d)   =  max over the legal moves of r + gamma reply(s', d - 1)
    reply(s', d) =  the mean over the tiles of the drop law of the least left(s, d) over the empty cells,
                    or the least over cells and tiles where the adversary chooses the tile as well

The first cell, and the first tile in the law's order, of equals. The reference implementation is
`tdl.search.adversary_reference`.
"""

from libc.stdint cimport int32_t, uint32_t, uint64_t

from tdl.game.board cimport board_t, cell_at, drawn_tile, legal_afterstates, put
from tdl.game.lines cimport MAX_CELLS, LineTables
from tdl.game.stream cimport Stream, draw
from tdl.learning.td cimport Learner, look_up, value_of
from tdl.network.weights cimport loop_full

cdef enum:
    ADVERSARY_ROWS = 4 * MAX_CELLS      # boards looked up at once


cdef struct Adversary:
    const Learner *evaluator    # whose values it uses
    int m                   # features of the evaluator
    bint values_states      # the evaluator values states
    int depth
    bint chooses_tile
    bint first_empty
    uint32_t *buffer        # [ADVERSARY_ROWS][padded]


cdef inline void place_worst(const Adversary *adversary, LineTables tables, board_t *after,
                             Stream *stream) noexcept nogil:
    """Put a tile where it leaves the player least. It takes one draw, as `place` does."""
    cdef int tile = drawn_tile(tables, draw(stream)), cell = 0, worst, i
    cdef float left, least = 0
    if adversary.first_empty:
        while cell_at(after, cell):
            cell += 1
    elif adversary.chooses_tile:
        for i in range(tables.drops.n):
            left = least_left(adversary, tables, after, tables.drops.tile[i], adversary.depth, &worst)
            if i == 0 or left < least:
                least, cell, tile = left, worst, tables.drops.tile[i]
    else:
        least_left(adversary, tables, after, tile, adversary.depth, &cell)
    put(after, cell, tile)


cdef inline float least_left(const Adversary *adversary, LineTables tables, const board_t *after, int tile, int depth,
                             int *worst) noexcept nogil:
    """The least that a tile, on the cell `worst` which this finds, leaves the player."""
    cdef float left[MAX_CELLS]
    cdef float least = 0
    cdef board_t board
    cdef int cell
    if depth == 1:
        evaluate_all(adversary, tables, after, tile, left)
    worst[0] = -1
    for cell in range(tables.cells):
        if cell_at(after, cell):
            continue
        if depth > 1:
            board = after[0]
            put(&board, cell, tile)
            left[cell] = left_after_moves(adversary, tables, &board, depth)
        if worst[0] < 0 or left[cell] < least:
            least, worst[0] = left[cell], cell
    return least


cdef inline float left_after_moves(const Adversary *adversary, LineTables tables, const board_t *board,
                                   int depth) noexcept nogil:
    """What a board leaves the player, who looks further than one move."""
    cdef board_t after[4]
    cdef int32_t reward[4]
    cdef int action[4]
    cdef int k, n = legal_afterstates(tables, board, after, reward, action)
    cdef float left, best = 0
    for k in range(n):
        left = <float> reward[k] + adversary.evaluator.gamma * reply(adversary, tables, &after[k], depth - 1)
        if k == 0 or left > best:
            best = left
    return best


cdef inline float reply(const Adversary *adversary, LineTables tables, const board_t *after,
                        int depth) noexcept nogil:
    """What an afterstate leaves the player when the adversary has put its tile."""
    cdef int i, cell
    cdef float left, least = 0, mean = 0
    cdef uint64_t before = 0
    for i in range(tables.drops.n):
        left = least_left(adversary, tables, after, tables.drops.tile[i], depth, &cell)
        if i == 0 or left < least:
            least = left
        mean += <float> (<double> (tables.drops.below[i] - before) / 4294967296.0) * left
        before = tables.drops.below[i]
    return least if adversary.chooses_tile else mean


cdef inline void evaluate_all(const Adversary *adversary, LineTables tables, const board_t *after, int tile,
                              float *left) noexcept nogil:
    """What a tile on each empty cell leaves the player, one move ahead: all boards are asked for, then read."""
    cdef const Learner *evaluator = adversary.evaluator
    cdef board_t boards[4]
    cdef int32_t reward[MAX_CELLS][4]
    cdef int n[MAX_CELLS]
    cdef int action[4]
    cdef board_t board
    cdef int cell, k, stride = evaluator.plan.padded
    cdef uint32_t *row = adversary.buffer
    cdef float value
    for cell in range(tables.cells):
        if cell_at(after, cell):
            continue
        board = after[0]
        put(&board, cell, tile)
        n[cell] = legal_afterstates(tables, &board, boards, reward[cell], action)
        if adversary.values_states:
            boards[0], reward[cell][0], n[cell] = board, 0, min(n[cell], 1)
        look_up(evaluator, <const board_t *> boards, n[cell], row + 4 * cell * stride, <loop_full> adversary.m)
    for cell in range(tables.cells):
        left[cell] = 0
        if cell_at(after, cell):
            continue
        for k in range(n[cell]):
            value = value_of(evaluator, row + (4 * cell + k) * stride, <loop_full> adversary.m)
            if not adversary.values_states:
                value = <float> reward[cell][k] + evaluator.gamma * value
            if k == 0 or value > left[cell]:
                left[cell] = value
