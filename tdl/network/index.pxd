"""From boards to active entries: the plans of index.h and extra_features.h, and the functions that follow them."""

from libc.stdint cimport int32_t, uint32_t, uint64_t

from tdl.game.board cimport board_t, kind_of

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


cdef list plan_tuples(tdl_index_plan *plan, features, layout, int cells)
cdef list plan_extras(tdl_index_plan *plan, tdl_extras *extras, network)


cdef inline void activate_all(const tdl_index_plan *plan, const board_t *boards, int n, uint32_t *out) noexcept nogil:
    """The active entries of `n` boards, `plan.padded` apart: those of the tuples, then all others."""
    activate_tuples(plan, boards, n, out)
    if plan.extras:
        plan.extras.fill[kind_of(boards)](plan.extras, boards, n, out)


cdef inline void activate_tuples(const tdl_index_plan *plan, const board_t *boards, int n,
                                 uint32_t *out) noexcept nogil:
    """Those of the tuples alone."""
    plan.activate[kind_of(boards)](plan, boards, n, out)
