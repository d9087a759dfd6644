"""What a drop and a move after an afterstate lead to: the distinct afterstates, and which move leads to which."""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.stdlib cimport free

from tdl.game.board cimport afterstates, board_t, cell_at, put, same
from tdl.game.board64 cimport board64, empty_nibbles, transpose44
from tdl.game.lines cimport MAX_CELLS, MAX_TILES, LineTables
from tdl.network.aligned cimport own_lines

cdef extern from *:
    int lowest "__builtin_ctzll"(uint64_t) noexcept nogil

cdef enum:
    NOWHERE = -1
    BEFORE = 16             # numbers before the first child's value: a whole cache line
    NO_LINE = 0x10000       # none that four nibbles can be


cdef struct Drop:
    # The four moves after a drop.
    int32_t child[4]        # of each action, the afterstate it leads to; NOWHERE: it is not legal
    int32_t reward[4]


cdef struct Level:
    int empty               # cells that a tile can drop on, which they are
    unsigned char cell[MAX_CELLS]
    void *child             # distinct afterstates, those after drops of one tile together
    int first[MAX_TILES + 1]    # of each tile of the drop law, its first child; then how many children there are
    float *value            # of each child; before the first stands that of an illegal move
    Drop *drop              # by index of the tile in the drop law * cells + cell
    uint32_t *row           # [children][padded]: their entries, where they are not looked beyond


cdef inline bint make_level(Level *level, int drops, size_t size, int padded, float gamma) noexcept nogil:
    """Take the memory of a level for so many drops; False where there is none.

    Parameters: bytes of a board; entries of a row (0: no rows); the discount that values are multiplied with.
    """
    cdef int room = 4 * drops + 1       # expand44 writes one too many
    level.child = own_lines(room * size)
    level.drop = <Drop *> own_lines(drops * sizeof(Drop))
    level.value = <float *> own_lines((BEFORE + room) * sizeof(float))
    if padded:
        level.row = <uint32_t *> own_lines(room * padded * sizeof(uint32_t))
    if level.value != NULL:
        level.value += BEFORE
        level.value[NOWHERE] = -INFINITY if gamma > 0 else 0      # never above a legal move's
    return level.child != NULL and level.drop != NULL and level.value != NULL and (level.row != NULL or not padded)


cdef inline void free_level(Level *level) noexcept nogil:
    """Give the memory of a level back."""
    free(level.child)
    free(level.drop)
    free(level.row)
    if level.value != NULL:
        free(level.value - BEFORE)


cdef inline int children(LineTables tables, const Level *level) noexcept nogil:
    """How many children there are."""
    return level.first[tables.drops.n]


cdef struct Slid:
    # A line of a 4x4 board of 4-bit cells, and where it slides.
    uint32_t key
    uint32_t to_start
    uint32_t to_end
    int32_t reward          # first its own, then that of the other lines of its direction
    bint frozen_start       # none of the others moves towards the start
    bint frozen_end


cdef struct Side:
    # What the last drop on a line led to, by a move to its start or to its end.
    uint32_t last
    int child


cdef inline void expand(LineTables tables, const board_t *after, bint first_only, Level *level) noexcept nogil:
    """All moves after all drops on an afterstate (or on its first empty cell only).

    A tile slides past empty cells: wherever it drops between the same two neighbours of a line, a move along that line
    leads to the same board. Such drops follow each other in a line, so that each needs to be compared with the one
    before only. In games two of five boards fall away (docs/dev/performance.md).
    """
    if board_t is board64:
        if tables.nibble_rows != NULL and not first_only:
            expand44(tables, after[0], level)
            return
    expand_any(tables, after, first_only, level)


cdef inline void expand_any(LineTables tables, const board_t *after, bint first_only, Level *level) noexcept nogil:
    """For any board."""
    cdef board_t *child = <board_t *> level.child
    cdef board_t moved[4]
    cdef board_t board
    cdef int32_t reward[4]
    cdef int last[4][5]
    cdef int i, k, cell, action, line, n = 0
    cdef Drop *drop
    level.empty = 0
    for cell in range(tables.cells):
        if cell_at(after, cell) == 0 and not (first_only and level.empty):
            level.cell[level.empty] = cell
            level.empty += 1
    for i in range(tables.drops.n):
        level.first[i] = n
        for action in range(4):
            for line in range(5):
                last[action][line] = NOWHERE
        for k in range(level.empty):
            cell = level.cell[k]
            board = after[0]
            put(&board, cell, tables.drops.tile[i])
            afterstates(tables, &board, moved, reward)
            drop = level.drop + i * tables.cells + cell
            for action in range(4):
                drop.child[action], drop.reward[action] = NOWHERE, 0
                if same(&moved[action], &board):
                    continue
                line = cell // tables.cols if action & 1 else cell % tables.cols
                if last[action][line] == NOWHERE or not same(child + last[action][line], &moved[action]):
                    child[n], last[action][line] = moved[action], n
                    n += 1
                drop.child[action], drop.reward[action] = last[action][line], reward[action]
    level.first[tables.drops.n] = n


cdef inline uint64_t on_line(uint64_t nibbles, int number, bint across) noexcept nogil:
    """Four nibbles as a row of a 4x4 board, or as a column."""
    if across:
        nibbles |= (nibbles << 12) | (nibbles << 24) | (nibbles << 36)
        return (nibbles & <uint64_t> 0x000F000F000F000F) << (4 * number)
    return nibbles << (16 * number)


cdef inline void expand44(LineTables tables, uint64_t after, Level *level) noexcept nogil:
    """For 4x4 boards of 4-bit cells, whose rows `LineTables.nibble_rows` has.

    All lines are slid once without a drop; a drop changes one line only, and so do the moves after it.
    """
    cdef const uint64_t *rows = tables.nibble_rows
    cdef uint64_t side, slid, to_start, to_end
    cdef uint64_t marks
    cdef uint64_t empty[2]
    cdef int across, i, line, n = 0
    cdef Slid row[2][4]
    cdef Slid *each
    cdef uint64_t moved[2][2]           # rows and columns, to the start and to the end of the line: without a drop
    cdef int unmoved[2][2]              # of these, the lines that stay as they are
    cdef int32_t reward[2]
    for across in range(2):
        side = transpose44(after) if across else after
        to_start = to_end = 0
        reward[across] = unmoved[across][0] = unmoved[across][1] = 0
        for line in range(4):
            each = &row[across][line]
            each.key = <uint32_t> (side >> (16 * line)) & 0xFFFF
            slid = rows[each.key]
            each.to_start, each.to_end = <uint32_t> slid & 0xFFFF, <uint32_t> (slid >> 16) & 0xFFFF
            each.reward = <int32_t> (slid >> 32)
            to_start |= <uint64_t> each.to_start << (16 * line)
            to_end |= <uint64_t> each.to_end << (16 * line)
            reward[across] += each.reward
            unmoved[across][0] |= (each.to_start == each.key) << line
            unmoved[across][1] |= (each.to_end == each.key) << line
        moved[across][0] = transpose44(to_start) if across else to_start
        moved[across][1] = transpose44(to_end) if across else to_end
        for line in range(4):
            each = &row[across][line]
            each.reward = reward[across] - each.reward
            each.frozen_start = (unmoved[across][0] | (1 << line)) == 15
            each.frozen_end = (unmoved[across][1] | (1 << line)) == 15
    empty[0], empty[1] = empty_nibbles(16, after), empty_nibbles(16, transpose44(after))
    level.empty = 0
    marks = empty[0]
    while marks:
        level.cell[level.empty] = lowest(marks) >> 2
        level.empty += 1
        marks &= marks - 1
    for i in range(tables.drops.n):
        level.first[i] = n
        n = drop_on_lines(tables.drops.tile[i], rows, row[0], moved[0], False, empty[0], level, 16 * i, n)
        n = drop_on_lines(tables.drops.tile[i], rows, row[1], moved[1], True, empty[1], level, 16 * i, n)
    level.first[tables.drops.n] = n


cdef inline int drop_on_lines(uint32_t tile, const uint64_t *rows, const Slid *lines, const uint64_t *moved,
                              bint across, uint64_t empty, Level *level, int first, int n) noexcept nogil:
    """The moves along rows, or columns, after drops of a tile; returns how many children there are now."""
    cdef uint64_t *child = <uint64_t *> level.child
    cdef const Slid *line
    cdef uint64_t slid
    cdef uint32_t key, to_start, to_end
    cdef Side start, end
    cdef int at, number, before = -1
    cdef Drop *drop
    start.child = end.child = 0
    while empty:
        at = lowest(empty) >> 2
        empty &= empty - 1
        number = at >> 2
        at &= 3
        line = lines + number
        drop = level.drop + first + (4 * at + number if across else 4 * number + at)
        key = line.key | tile << (4 * at)
        slid = rows[key]
        start.last = start.last if number == before else NO_LINE
        end.last = end.last if number == before else NO_LINE
        before = number
        to_start, to_end = <uint32_t> slid & 0xFFFF, <uint32_t> (slid >> 16) & 0xFFFF
        child[n] = moved[0] ^ on_line(line.to_start ^ to_start, number, across)
        drop.child[0 if across else 3] = lead(&start, key, to_start, line.frozen_start, &n)
        child[n] = moved[1] ^ on_line(line.to_end ^ to_end, number, across)
        drop.child[2 if across else 1] = lead(&end, key, to_end, line.frozen_end, &n)
        drop.reward[0 if across else 3] = drop.reward[2 if across else 1] = line.reward + <int32_t> (slid >> 32)
    return n


cdef inline int lead(Side *side, uint32_t key, uint32_t slid, bint frozen, int *n) noexcept nogil:
    """Which child a move along a line leads to: the new one, number n, that of the drop before, or none.

    Without branches on what is new or legal, which no predictor knows.
    """
    cdef bint legal = (slid != key) | (not frozen)
    cdef bint fresh = legal & (slid != side.last)
    side.child = n[0] if fresh else side.child
    side.last = slid if legal else side.last
    n[0] += fresh
    return side.child if legal else NOWHERE


cdef inline float best_move(const Drop *drop, const float *value, float gamma) noexcept nogil:
    """The largest value of a move after a drop; 0 where the game is over. Without a branch on which move it is."""
    cdef float up, right, down, left
    if drop.child[0] & drop.child[1] & drop.child[2] & drop.child[3] == NOWHERE:
        return 0
    up = <float> drop.reward[0] + gamma * value[drop.child[0]]
    right = <float> drop.reward[1] + gamma * value[drop.child[1]]
    down = <float> drop.reward[2] + gamma * value[drop.child[2]]
    left = <float> drop.reward[3] + gamma * value[drop.child[3]]
    up = up if up > right else right
    down = down if down > left else left
    return up if up > down else down
