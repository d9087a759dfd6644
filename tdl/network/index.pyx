"""Makes the plans of index.h and extra_features.h: arrays that say which cells and tables each feature reads."""

import numpy as np

from libc.stdint cimport uint32_t

from tdl.network.layout import OWN, Paired16

_PAD = 16     # features the widest index function computes at a time
_LANES = 8    # order features the widest one does


cdef list plan_tuples(tdl_index_plan *plan, features, layout, int cells):
    """Fill the plan of the features of tuples; returns the arrays that it points into."""
    cdef int padded = _padded(len(features))
    low = _aligned((padded, 4), np.uint8, TDL_SKIP)
    high = _aligned((padded, 4), np.uint8, TDL_SKIP)
    rise = _aligned((padded,), np.uint32, 0)
    pack = _aligned((padded,), np.uint32, 0)
    base = _aligned((padded,), np.uint32, 0)
    halves = isinstance(layout, Paired16)
    for f, (table, read) in enumerate(features):
        where = layout.tables[table]
        digits = [read[i] for i in where.order]
        first, second = (digits[0::2], digits[1::2]) if halves else (digits[:4], digits[4:])
        rise[f] = ~OWN if where.paired else 0
        pack[f] = 8 if halves and len(read) > 1 and not where.paired else 0
        low[f, : len(first)], high[f, : len(second)] = first, second
        base[f] = where.base
    cdef const unsigned char[:, ::1] low_view = low, high_view = high
    cdef const uint32_t[::1] rise_view = rise, pack_view = pack, base_view = base
    plan.padded, plan.tuples, plan.packs = padded, padded, bool(pack.any())
    plan.low, plan.high = &low_view[0, 0], &high_view[0, 0]
    plan.rise, plan.pack, plan.base = &rise_view[0], &pack_view[0], &base_view[0]
    plan.entries, plan.radix, plan.cells = layout.entries, layout.radix, cells
    return [low, high, rise, pack, base]


cdef list plan_extras(tdl_index_plan *plan, tdl_extras *extras, network):
    """Fill the plan of the order and count features, and make room for them in the tuples' plan.

    Returns the arrays that it points into.
    """
    cdef int orders = len(network.orders), counts = len(network.counts), added = -orders % _LANES
    # One more than there are, so that there is something to point to.
    cells = _aligned((2, TDL_ROUNDS, max(orders + added, 1), 4), np.uint8, TDL_SKIP)
    scale = _aligned((orders + added + 1,), np.uint32, 0)
    base = _aligned((orders + added + 1,), np.uint32, 0)
    tiles = _aligned((counts + 1, 16), np.uint8, TDL_SKIP)
    begin = _aligned((counts + 1,), np.uint32, 0)
    for f, (table, pairs) in enumerate(network.orders):
        for p, pair in enumerate(pairs):
            cells[:, p // 4, f, p % 4] = pair
        scale[f], base[f] = 1 << len(pairs), network.layout.tables[table].base
    for f, (table, counted) in enumerate(network.counts):
        tiles[f, : len(counted)], begin[f] = counted, network.layout.tables[table].base
    cdef const unsigned char[:, :, :, ::1] cells_view = cells
    cdef const unsigned char[:, ::1] tiles_view = tiles
    cdef const uint32_t[::1] scale_view = scale, base_view = base, begin_view = begin
    extras.cells, extras.first, extras.cap = plan.cells, len(network.features), network.tuples.count_cap
    extras.orders, extras.added, extras.counts = orders, added, counts
    extras.padded = plan.padded = _padded(extras.first + max(orders + added, orders + counts))
    extras.one, extras.other = &cells_view[0, 0, 0, 0], &cells_view[1, 0, 0, 0]
    extras.scale, extras.base = &scale_view[0], &base_view[0]
    extras.tiles, extras.begin = &tiles_view[0, 0], &begin_view[0]
    plan.extras = extras
    return [cells, scale, base, tiles, begin]


def _padded(features):
    return -(-features // _PAD) * _PAD


def _aligned(shape, dtype, fill):
    """An array on a cache line: vector loads that straddle two lines cost 2% of training."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    memory = np.empty(size + 64, np.uint8)
    start = -memory.ctypes.data % 64
    array = memory[start : start + size].view(dtype).reshape(shape)
    array[...] = fill
    return array
