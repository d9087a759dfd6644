"""Networks of several stages: the stage of a board, and weights that are promoted from the stage before.

`tdl.network.stages` says in Python what a stage is, with the sources.
"""

from libc.stdint cimport int64_t, uint32_t

from tdl.game.board cimport board_t, cell_at

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


cdef inline int stage_of(const StageLaw *law, const board_t *board) noexcept nogil:
    """The number of thresholds that a board has reached."""
    cdef int64_t measure = 0, value
    cdef int cell, stage = 0
    for cell in range(law.cells):
        value = law.value[cell_at(board, cell)]
        if law.by_sum:
            measure += value
        else:
            measure = max(measure, value)
    while stage < law.count - 1 and measure >= law.threshold[stage]:
        stage += 1
    return stage


cdef inline float promoted(const float *weights, uint32_t entry, uint32_t stride) noexcept nogil:
    """An entry's weight; that of the stages before where it has none of its own (nan), as promotion wants it."""
    cdef float weight = weights[entry]
    while weight != weight and entry >= stride:
        entry -= stride
        weight = weights[entry]
    return weight


cdef inline float total_promoted(const float *weights, const uint32_t *entry, int m, uint32_t stride) noexcept nogil:
    """`total` of a network of stages, in the same order of summation."""
    cdef float part[4]
    cdef int f
    for f in range(4):
        part[f] = promoted(weights, entry[f], stride) if m >= 4 else 0
    for f in range(4 if m >= 4 else 0, m):
        part[f & 3] += promoted(weights, entry[f], stride)
    return (part[0] + part[1]) + (part[2] + part[3])


cdef inline void settle(float *weights, const uint32_t *entry, int m, uint32_t stride) noexcept nogil:
    """Give entries that have none a weight of their own, before they are moved."""
    cdef int f
    for f in range(m):
        weights[entry[f]] = promoted(weights, entry[f], stride)
