"""Networks of several stages: a board's entries in its stage, and weights that are promoted from the stage before.

`tdl.network.stages` says in Python what a stage is, with the sources.
"""

from libc.stdint cimport int64_t, uint32_t

from tdl.game.board cimport board_t, cell_at
from tdl.game.downgrade cimport Merging, downgrade
from tdl.network.index cimport activate_all, tdl_check, tdl_index_plan

cdef enum:
    MAX_STAGES = 16


cdef struct StageLaw:
    # Which of several copies of the tables a board is valued by.
    int count                       # stages
    bint by_sum                     # of tile values, else by the largest tile's value
    int64_t threshold[MAX_STAGES]
    int64_t value[32]               # of each tile index
    int cells
    uint32_t stride                 # entries from one copy to the next
    float share                     # of the stage before's weight, which an entry without one is worth
    int largest                     # tile index that later stages read boards with; 0: any
    Merging merging                 # where `largest` says one


cdef inline int64_t measure_of(const StageLaw *law, const board_t *board) noexcept nogil:
    """What decides a board's stage: the sum of its tiles' values, or the value of its largest tile."""
    cdef int64_t total = 0
    cdef int cell, largest = 0
    for cell in range(law.cells):
        if law.by_sum:
            total += law.value[cell_at(board, cell)]
        else:
            largest = max(largest, cell_at(board, cell))
    return total if law.by_sum else law.value[largest]


cdef inline int stage_of(const StageLaw *law, const board_t *board) noexcept nogil:
    """The number of thresholds that a board has reached."""
    cdef int64_t measure = measure_of(law, board)
    cdef int stage = 0
    while stage < law.count - 1 and measure >= law.threshold[stage]:
        stage += 1
    return stage


cdef inline bint stays_first(const StageLaw *law, const board_t *board, int moves, int64_t drop) noexcept nogil:
    """Whether all is of the first stage that so many moves, each with a drop of at most this value, make of a board.

    No tile may be worth more than the two that it was made of.
    """
    cdef int64_t measure = measure_of(law, board)
    if law.by_sum:
        return measure + moves * drop < law.threshold[0]
    return max(measure, drop) << moves < law.threshold[0]


cdef inline void stage_indices(const StageLaw *law, const tdl_index_plan *plan, const board_t *board, uint32_t *entry,
                               int m) noexcept nogil:
    """Make a board's entries in the first stage those in its own, which may read it as one of smaller tiles."""
    cdef uint32_t rise = stage_of(law, board) * law.stride
    cdef board_t low
    cdef int f
    if rise == 0:
        return
    if law.largest:
        low = board[0]
        if downgrade(&law.merging, &low, law.largest):
            activate_all(plan, &low, 1, entry)
            tdl_check(plan, entry, 1)
    for f in range(m):
        entry[f] += rise


cdef inline bint is_later(const StageLaw *law, const uint32_t *entry) noexcept nogil:
    """Whether a board's entries are those of a later stage; in the first one every entry has a weight of its own."""
    return entry[0] >= law.stride


cdef inline float promoted_weight(const StageLaw *law, const float *weights, uint32_t entry) noexcept nogil:
    """An entry's weight; by promotion a share of the stage before's where it has none of its own (nan)."""
    cdef float weight = weights[entry]
    cdef int _step, steps = 0
    while weight != weight and entry >= law.stride:
        entry -= law.stride
        weight = weights[entry]
        steps += 1
    for _step in range(steps):
        weight = law.share * weight
    return weight


cdef inline float total_promoted(const StageLaw *law, const float *weights, const uint32_t *entry,
                                 int m) noexcept nogil:
    """`total` of a board in a later stage, in the same order of summation."""
    cdef float part[4]
    cdef int f
    for f in range(4):
        part[f] = promoted_weight(law, weights, entry[f]) if m >= 4 else 0
    for f in range(4 if m >= 4 else 0, m):
        part[f & 3] += promoted_weight(law, weights, entry[f])
    return (part[0] + part[1]) + (part[2] + part[3])


cdef inline void promote(const StageLaw *law, float *weights, const uint32_t *entry, int m) noexcept nogil:
    """Give entries that have none a weight of their own, before they are moved."""
    cdef int f
    for f in range(m):
        weights[entry[f]] = promoted_weight(law, weights, entry[f])
