"""The expectation of V over all drops on an afterstate: what moves are chosen by where states are learned."""

from libc.stdint cimport uint32_t, uint64_t

from tdl.game.board cimport board_t, cell_at, popcount, put
from tdl.game.lines cimport LineTables
from tdl.learning.drop_table cimport marks_of
from tdl.learning.td cimport Learner, look_up, value_of
from tdl.network.weights cimport fetch, total, loop_t

cdef enum:
    SUCCESSORS = 16         # boards looked up at once by direct evaluation


cdef inline float expected(const Learner *learner, LineTables tables, const board_t *after, const uint32_t *entry,
                           uint32_t *buffer, loop_t m) noexcept nogil:
    """Mean of V over the boards that a drop can make of `after`, of which there must be one."""
    cdef float drop_values
    if learner.drops == NULL:
        return expected_direct(learner, tables, after, buffer, m)
    drop_values = total(learner.drops.drop_values, entry, m)
    return value_of(learner, entry, m) + drop_values / <float> popcount(marks_of(tables.cells, after))


cdef inline void fetch_expected(const Learner *learner, int n, const uint32_t *entry, loop_t m) noexcept nogil:
    """Ask for what `expected` will read of the entries of `n` afterstates beside their weights."""
    cdef int i
    if learner.drops != NULL:
        for i in range(n):
            fetch(learner.drops.drop_values, entry + i * learner.plan.padded, m)


cdef inline float expected_direct(const Learner *learner, LineTables tables, const board_t *after, uint32_t *buffer,
                                  loop_t m) noexcept nogil:
    """The same by evaluating every successor: cell by cell, at each the tiles of the drop law in their order."""
    cdef board_t successor[SUCCESSORS]
    cdef float share[SUCCESSORS]
    cdef float sum = 0
    cdef uint64_t before
    cdef int cell, i, n = 0, empty = 0
    for cell in range(tables.cells):
        if cell_at(after, cell):
            continue
        empty += 1
        before = 0
        for i in range(tables.drops.n):
            successor[n] = after[0]
            put(&successor[n], cell, tables.drops.tile[i])
            share[n] = <float> (<double> (tables.drops.below[i] - before) / 4294967296.0)
            before = tables.drops.below[i]
            n += 1
            if n == SUCCESSORS:
                sum = add_values(learner, <const board_t *> successor, share, n, sum, buffer, m)
                n = 0
    sum = add_values(learner, <const board_t *> successor, share, n, sum, buffer, m)
    return sum / <float> empty


cdef inline float add_values(const Learner *learner, const board_t *boards, const float *share, int n, float sum,
                             uint32_t *buffer, loop_t m) noexcept nogil:
    cdef int i
    look_up(learner, boards, n, buffer, m)
    for i in range(n):
        sum += share[i] * value_of(learner, buffer + i * learner.plan.padded, m)
    return sum
