"""Expectimax: what a move is worth when the player looks further than it.

With p plies, the player's moves that are looked at, and p - 1 drops between them,

    q(s, a; p)   =  r + gamma W(s', p - 1),                  s' and r the afterstate and the reward of a in s
    W(s', 0)     =  V(s'),  or the mean of V over all drops where states are valued
    W(s', n)     =  the mean over empty cells and tiles of the drop law of best(s' with the tile, n)
    best(s, n)   =  max over the legal moves of r + gamma W(s', n - 1);  0 if there is none

Where an adversary puts the tile, W is the least over the cells (the first empty cell, by the variant) in place of the
mean. Values are float32, a mean is added up in double precision, tile by tile. Of the boards that the drops and moves
after one afterstate lead to, those that must be equal are valued once: see `expand`. The reference implementation is
`tdl.search.expectimax_reference`.

Source: Michie (1966), Game-Playing and Game-Learning Automata.
"""

from libc.stdint cimport int32_t, int64_t

from tdl.game.downgrade cimport Merging
from tdl.game.lines cimport MAX_TILES, LineTables
from tdl.learning.td cimport Learner
from tdl.network.ntuple cimport NTupleNetwork
from tdl.search.leaves cimport Leaves
from tdl.search.successors cimport Level
from tdl.search.transposition cimport Table

cdef enum:
    MAX_PLIES = 12         # as `tdl.search.options` has it
    BANKS = 2               # afterstates whose successors are asked for before the first is added up; 3: 0.96
    MAX_DEPTHS = 26        # of `SearchOptions.by_empty`: one for each number of empty cells


cdef enum Node:
    # Who puts the tile after a move.
    MEAN                    # chance: each empty cell is as likely
    LEAST                   # the cell that leaves the player least, for a tile drawn by the drop law
    LEAST_OF_ALL            # the same of cells and tiles
    FIRST                   # the first empty cell


cdef struct Search:
    Leaves leaves
    Node node
    int plies
    int depths              # pairs (empty cells, plies) for boards with few empty cells
    int depth_empty[MAX_DEPTHS]
    int depth_plies[MAX_DEPTHS]
    float cutoff
    int largest             # tile index that is searched with; 0: any
    Merging merging         # where `largest` says one
    int64_t nanoseconds     # for a move; 0: no limit
    int64_t deadline        # of this move; 0: none
    bint late
    int tiles               # of the drop law
    double share[MAX_TILES]     # the probability of each
    int64_t most_dropped    # largest value of a tile that drops, where there are stages and merges add nothing; or 0
    Table table
    Level level[MAX_PLIES]     # by the plies that follow, where more than one does
    Level last[BANKS]       # before the last one, in turns
    int64_t nodes           # afterstates looked beyond
    int64_t found           # values taken from the table


cdef class Expectimax:
    cdef readonly NTupleNetwork network
    cdef readonly LineTables tables
    cdef readonly object options
    cdef Search search
    cdef Learner own
    cdef int kind
    cdef _set_depths(self)
    cdef _set_drops(self)
    cdef _take_memory(self)
    cdef void forget(self) noexcept nogil
    cdef void look(self, const void *board, const void *after, const int32_t *reward, int n, float *q) noexcept nogil
