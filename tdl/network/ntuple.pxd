"""The n-tuple network: owner of the weights, of the plan by which boards become entries, and of the law of its stages.

A learner sees active entries, not boards: `activate_all` (index.pxd) turns boards into entries, `total` adds up their
weights, and `shift` moves them (weights.pxd).
"""

from libc.stdint cimport uint16_t

from tdl.network.index cimport tdl_extras, tdl_index_plan
from tdl.network.stages cimport StageLaw

cdef enum:
    MAX_FEATURES = 1024    # of a network; step sizes keep a number for each on the stack


cdef class NTupleNetwork:
    cdef readonly object rules, tuples, layout
    cdef readonly int m                 # features: active entries of a board
    cdef readonly tuple features        # of each feature of a tuple: (table, cells)
    cdef readonly tuple orders          # of each order feature: (table, pairs of cells)
    cdef readonly tuple counts          # of each count feature: (table, tile indices)
    cdef readonly bint extras           # whether there are order or count features
    cdef readonly tuple lengths         # of each table: cells of its tuple, pairs or tiles of its feature
    cdef readonly object weights        # float32 or float16, all tables in memory order
    cdef readonly str instructions      # the instruction set in use
    cdef list _plan_arrays              # keeps what `plan` points into alive
    cdef readonly object stages
    cdef StageLaw law
    cdef tdl_index_plan plan
    cdef tdl_extras plan_of_extras      # what `plan.extras` points to, if there are any
    cdef float *w                       # the weights of 32 bits, or NULL
    cdef uint16_t *halves               # those of 16 bits, or NULL
    cdef _take_weights(self, weights)
    cdef _copy_stages(self)
    cdef _check_table(self, number, stage)
    cdef _new_weights(self, entries, float initial_value)
