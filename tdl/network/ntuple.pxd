"""The n-tuple network: owner of the weights, and the functions that read and move them.

A learner sees active entries, not boards: `activate_all` turns boards into entries, `total` sums them, `shift` adds.
The table base is an argument, so that a network of several stages needs no other code.
"""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from tdl.game.board cimport board_t, cell_at, kind_of

cdef extern from "extra_features.h" nogil:
    ctypedef struct tdl_extras
    ctypedef void (*tdl_extras_fn)(const tdl_extras *x, const void *boards, int n, uint32_t *out) noexcept
    ctypedef struct tdl_extras:
        tdl_extras_fn *fill
        int32_t cells
        int32_t first
        int32_t padded
        int32_t orders
        int32_t added
        int32_t counts
        int32_t cap
        const unsigned char *one
        const unsigned char *other
        const uint32_t *scale
        const uint32_t *base
        const unsigned char *tiles
        const uint32_t *begin
    void tdl_extras_choose(tdl_extras *x, int set) noexcept
    int TDL_ROUNDS

cdef extern from "index.h" nogil:
    ctypedef struct tdl_index_plan
    ctypedef void (*tdl_index_fn)(const tdl_index_plan *plan, const void *boards, int n, uint32_t *out) noexcept
    ctypedef struct tdl_index_plan:
        int32_t padded
        int32_t tuples
        int32_t packs
        const unsigned char *low
        const unsigned char *high
        const uint32_t *rise
        const uint32_t *pack
        const uint32_t *base
        uint64_t entries
        int32_t radix
        int32_t cells
        const tdl_extras *extras
        tdl_index_fn *activate
    bint tdl_index_has(int set) noexcept
    void tdl_index_choose(tdl_index_plan *plan, int set, bint digits) noexcept
    const char **tdl_index_names
    void tdl_check(const tdl_index_plan *plan, const uint32_t *out, int boards) noexcept
    int TDL_INDEX_SETS
    int TDL_SKIP

cdef extern from *:
    """
    #include <string.h>
    /* Into the second-level cache only: the first holds the entries of one lane, not of all (training 8x6: 1.3 times
       the speed of a prefetch into the first, 4x6: 1.05). The empty asm is for gcc, which takes a function that only
       prefetches for one without effect, and drops it. */
    #define tdl_prefetch(p) do { __builtin_prefetch((p), 0, 2); __asm__ volatile(""); } while (0)
    /* Two neighbouring entries in one load, the first in the lower half: loads are what the loop has most of
       (training 4x6: +7%). */
    static inline uint64_t tdl_two(const uint32_t *entry) { uint64_t x; memcpy(&x, entry, 8); return x; }
    """
    void prefetch "tdl_prefetch"(const void *) noexcept nogil
    uint64_t two "tdl_two"(const uint32_t *) noexcept nogil

# The number of features as a type: 32 (4 tuples on a square) and 64 (8 tuples) become compile-time constants, any
# other number goes the general way. `loop_full` is any number, and for learners that want more than a plain TD update
# of afterstates: with their branches in the plain loop it trained 4x6 at 0.90 of its speed.
ctypedef signed char loop_32
ctypedef short loop_64
ctypedef int loop_any
ctypedef long loop_full
ctypedef fused loop_t:
    loop_32
    loop_64
    loop_any
    loop_full


cdef inline void activate_all(const tdl_index_plan *plan, const board_t *boards, int n, uint32_t *out) noexcept nogil:
    """The active entries of `n` boards, `plan.padded` apart: those of the tuples, then all others."""
    activate_tuples(plan, boards, n, out)
    if plan.extras:
        plan.extras.fill[kind_of(boards)](plan.extras, boards, n, out)


cdef inline void activate_tuples(const tdl_index_plan *plan, const board_t *boards, int n,
                                 uint32_t *out) noexcept nogil:
    """Those of the tuples alone."""
    plan.activate[kind_of(boards)](plan, boards, n, out)


cdef inline int features_of(loop_t m) noexcept nogil:
    if loop_t is loop_32:
        return 32
    elif loop_t is loop_64:
        return 64
    else:
        return <int> m


cdef inline bint is_full(loop_t m) noexcept nogil:
    return loop_t is loop_full


cdef inline float total(const float *weights, const uint32_t *entry, loop_t m) noexcept nogil:
    """The sum of the active entries: four partial sums (feature f goes to sum f % 4), added in pairs.

    One running sum would wait for each addition; this order is the same in every specialisation and in the twin.
    """
    cdef float a = 0, b = 0, c = 0, d = 0
    cdef int f = 0, whole = features_of(m) & ~3
    cdef uint64_t low, high
    if whole:
        a, b, c, d = weights[entry[0]], weights[entry[1]], weights[entry[2]], weights[entry[3]]
        f = 4
    while f < whole:
        low, high = two(entry + f), two(entry + f + 2)
        a += weights[<uint32_t> low]
        b += weights[low >> 32]
        c += weights[<uint32_t> high]
        d += weights[high >> 32]
        f += 4
    if loop_t is loop_any or loop_t is loop_full:
        if f < m:
            a += weights[entry[f]]
        if f + 1 < m:
            b += weights[entry[f + 1]]
        if f + 2 < m:
            c += weights[entry[f + 2]]
    return (a + b) + (c + d)


cdef inline void shift(float *weights, const uint32_t *entry, loop_t m, float delta) noexcept nogil:
    """Add `delta` to every active entry (twice to one that is active twice)."""
    cdef int f = 0, whole = features_of(m) & ~3
    cdef uint64_t low, high
    while f < whole:
        low, high = two(entry + f), two(entry + f + 2)
        weights[<uint32_t> low] += delta
        weights[low >> 32] += delta
        weights[<uint32_t> high] += delta
        weights[high >> 32] += delta
        f += 4
    if loop_t is loop_any or loop_t is loop_full:
        while f < m:
            weights[entry[f]] += delta
            f += 1


cdef inline void fetch(const float *weights, const uint32_t *entry, loop_t m) noexcept nogil:
    """Ask for the active entries' cache lines, to be read one round of lanes later. Four at a time: +3%."""
    cdef int f = 0, whole = features_of(m) & ~3
    cdef uint64_t low, high
    while f < whole:
        low, high = two(entry + f), two(entry + f + 2)
        prefetch(&weights[<uint32_t> low])
        prefetch(&weights[low >> 32])
        prefetch(&weights[<uint32_t> high])
        prefetch(&weights[high >> 32])
        f += 4
    if loop_t is loop_any or loop_t is loop_full:
        while f < m:
            prefetch(&weights[entry[f]])
            f += 1


cdef enum:
    MAX_FEATURES = 1024    # of a network; step sizes keep a number for each on the stack
    MAX_STAGES = 16


cdef struct StageLaw:
    # Which of several copies of the tables a board is valued by. `tdl.network.stages` says it in Python.
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


cdef class NTupleNetwork:
    cdef readonly object rules, tuples, layout
    cdef readonly int m                 # features: active entries of a board
    cdef readonly tuple features        # of each feature of a tuple: (table, cells)
    cdef readonly tuple orders          # of each order feature: (table, pairs of cells)
    cdef readonly tuple counts          # of each count feature: (table, tile indices)
    cdef readonly bint extras           # whether there are order or count features
    cdef readonly tuple lengths         # of each table: cells of its tuple, pairs or tiles of its feature
    cdef readonly object weights        # float32, all tables in memory order
    cdef readonly str instructions      # the instruction set in use
    cdef list _plan_arrays              # keeps what `plan` points into alive
    cdef readonly object stages
    cdef StageLaw law
    cdef tdl_index_plan plan
    cdef tdl_extras plan_of_extras      # what `plan.extras` points to, if there are any
    cdef float *w
    cdef _copy_stages(self)
    cdef _make_plan(self)
    cdef _make_plan_of_extras(self)
