"""V of the afterstates that a search does not look beyond, many at once."""

from libc.stdint cimport int64_t, uint32_t

from tdl.game.board cimport board_t
from tdl.game.lines cimport LineTables
from tdl.learning.expectation cimport expected, fetch_expected
from tdl.learning.td cimport BOUND, Learner, entries_of, value_of
from tdl.network.ntuple cimport fetch, is_rich, width32, width64, width_any, width_rich, width_t
from tdl.search.successors cimport Level, children

cdef enum:
    GROUP = 16      # boards that are valued together where they are not all children of a level


cdef struct Leaves:
    const Learner *learner  # whose values count
    int m
    bint of_states          # the mean of V over all drops counts
    bint rich               # V is not plainly the sum of a board's entries
    uint32_t *row           # [GROUP][padded]
    uint32_t *room          # [SUCCESSORS][padded], for the mean over all drops
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
        ask_and_value(leaves, tables, &group, NULL, board)
        ask_and_value(leaves, tables, NULL, &group, board)
        first += GROUP


cdef inline void ask_and_value(Leaves *leaves, LineTables tables, Level *next, Level *last,
                               const board_t *kind) noexcept nogil:
    """Ask for the entries of one level's children, and value those of another, which were asked for before.

    By a loop for this number of features. NULL: there is no such level. `kind` tells the type of board.
    """
    if leaves.rich:
        in_turns(leaves, tables, next, last, kind, <width_rich> leaves.m)
    elif leaves.m == 32:
        in_turns(leaves, tables, next, last, kind, <width32> 0)
    elif leaves.m == 64:
        in_turns(leaves, tables, next, last, kind, <width64> 0)
    else:
        in_turns(leaves, tables, next, last, kind, <width_any> leaves.m)


cdef inline void in_turns(Leaves *leaves, LineTables tables, Level *next, Level *last, const board_t *kind,
                          width_t m) noexcept nogil:
    """Child by child of both levels, so that asking for the one does not wait for the sums of the other."""
    cdef const Learner *learner = leaves.learner
    cdef int i, asked = 0, valued = 0, padded = learner.plan.padded
    if next != NULL:
        asked = children(tables, next)
        entries_of(learner, <const board_t *> next.child, asked, next.row, m)
    if last != NULL:
        valued = children(tables, last)
    for i in range(max(asked, valued)):
        if i < asked:
            fetch(learner.weights, next.row + i * padded, m)
            if is_rich(m) and leaves.of_states:
                fetch_expected(learner, 1, next.row + i * padded, m)
        if i < valued:
            last.value[i] = value_one(leaves, tables, <const board_t *> last.child + i, last.row + i * padded, m)
    leaves.count += valued


cdef inline float value_one(Leaves *leaves, LineTables tables, const board_t *board, const uint32_t *entry,
                            width_t m) noexcept nogil:
    """V of a board whose entries are given."""
    cdef float value
    if is_rich(m) and leaves.of_states:
        value = expected(leaves.learner, tables, board, entry, leaves.room, m)
    else:
        value = value_of(leaves.learner, entry, m)
    if not -<float> BOUND < value < <float> BOUND:      # true of nan too
        leaves.broken = True
    return value
