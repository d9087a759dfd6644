"""V of the afterstates that a search does not look beyond, many at once."""

from libc.stdint cimport int64_t, uint32_t

from tdl.game.board cimport board_t
from tdl.game.lines cimport LineTables
from tdl.learning.expectation cimport expected, fetch_expected
from tdl.learning.td cimport BOUND, Learner, look_up, value_of
from tdl.network.weights cimport is_full, loop_32, loop_64, loop_any, loop_full, loop_t
from tdl.search.successors cimport Level, children

cdef enum:
    GROUP = 16      # boards that are valued together where they are not all children of a level


cdef struct Leaves:
    const Learner *learner  # whose values count
    int m
    bint values_states      # the mean of V over all drops counts
    bint full_loop          # V is not plainly the sum of a board's entries
    uint32_t *row           # [GROUP][padded]
    uint32_t *buffer        # [SUCCESSORS][padded], for the mean over all drops
    int64_t count           # boards valued so far
    bint broken             # a value was not finite or beyond all bounds


cdef inline void value_all(Leaves *leaves, LineTables tables, const board_t *board, int n,
                           float *value) noexcept nogil:
    """V of boards, group by group."""
    cdef Level group        # they are taken for children of nothing
    cdef int first = 0
    group.row = leaves.row
    while first < n:
        group.child, group.value = <void *> (board + first), value + first
        group.first[tables.drops.n] = min(n - first, GROUP)
        prefetch_leaves(leaves, tables, &group, board)
        value_prefetched(leaves, tables, &group, board)
        first += GROUP


cdef inline void prefetch_leaves(const Leaves *leaves, LineTables tables, Level *level,
                                 const board_t *kind) noexcept nogil:
    """Look up the entries of a level's children, and ask for their cache lines. `kind` tells the type of board."""
    cdef const Learner *learner = leaves.learner
    cdef const board_t *child = <const board_t *> level.child
    cdef int n = children(tables, level)
    if leaves.full_loop:
        look_up(learner, child, n, level.row, <loop_full> leaves.m)
        if leaves.values_states:
            fetch_expected(learner, n, level.row, <loop_full> leaves.m)
    elif leaves.m == 32:
        look_up(learner, child, n, level.row, <loop_32> 0)
    elif leaves.m == 64:
        look_up(learner, child, n, level.row, <loop_64> 0)
    else:
        look_up(learner, child, n, level.row, <loop_any> leaves.m)


cdef inline void value_prefetched(Leaves *leaves, LineTables tables, Level *level, const board_t *kind) noexcept nogil:
    """V of a level's children, which were asked for: by a loop for this number of features."""
    if leaves.full_loop:
        value_children(leaves, tables, level, kind, <loop_full> leaves.m)
    elif leaves.m == 32:
        value_children(leaves, tables, level, kind, <loop_32> 0)
    elif leaves.m == 64:
        value_children(leaves, tables, level, kind, <loop_64> 0)
    else:
        value_children(leaves, tables, level, kind, <loop_any> leaves.m)


cdef inline void value_children(Leaves *leaves, LineTables tables, Level *level, const board_t *kind,
                                loop_t m) noexcept nogil:
    cdef const board_t *child = <const board_t *> level.child
    cdef int i, n = children(tables, level), padded = leaves.learner.plan.padded
    for i in range(n):
        level.value[i] = value_one(leaves, tables, child + i, level.row + i * padded, m)
    leaves.count += n


cdef inline float value_one(Leaves *leaves, LineTables tables, const board_t *board, const uint32_t *entry,
                            loop_t m) noexcept nogil:
    """V of a board whose entries are given."""
    cdef float value
    if is_full(m) and leaves.values_states:
        value = expected(leaves.learner, tables, board, entry, leaves.buffer, m)
    else:
        value = value_of(leaves.learner, entry, m)
    if not -<float> BOUND < value < <float> BOUND:      # true of nan too
        leaves.broken = True
    return value
