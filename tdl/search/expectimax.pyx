"""Expectimax for Python, its memory, and the recursion. What it computes stands in expectimax.pxd."""

import numpy as np

from libc.math cimport INFINITY, NAN
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport free

from tdl.base.checks import check_choice
from tdl.learning.options import TARGETS
from tdl.base.machine import require_memory
from tdl.search.options import RADIX, PlacerOptions
from tdl.game.board cimport (FIVES, NIBBLES, board64, board128, board_array, board_t, empty_cells, kind_for,
                             legal_afterstates, size_of)
from tdl.game.boards import read_board
from tdl.game.downgrade cimport downgrade, merging_of
from tdl.game.packing cimport taken
from tdl.game.lines cimport LineTables
from tdl.learning.expectation cimport SUCCESSORS
from tdl.learning.td cimport point_to
from tdl.network.aligned cimport own_lines
from tdl.network.ntuple cimport NTupleNetwork
from tdl.network.stages cimport stays_first
from tdl.search.leaves cimport GROUP, prefetch_leaves, value_all, value_prefetched
from tdl.search.successors cimport Level, best_move, expand, free_level, make_level
from tdl.search.transposition cimport MAX_STAMPS, Mark, Table, find, keep, slot_of

cdef extern from *:
    """
    #include <time.h>
    static inline int64_t tdl_now(void)
    {
        struct timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
    }
    """
    int64_t now "tdl_now"() noexcept nogil

cdef class Expectimax:
    """The values of moves by a look ahead. Not for two threads at once: each has one of its own.

    Parameters
    ----------
    network : `NTupleNetwork`.
    options : `SearchOptions`.
    tables : the game's; None: made anew.
    gamma : discount of values.
    target : what the network values, "afterstate" or "state".
    engine : what boards are while they are searched, "bits" or "array".
    placer : `PlacerOptions`, who puts the tiles; None: the drop law.

    Attributes
    ----------
    options : as given.

    Raises
    ------
    ConfigError : a value out of range.
    """

    def __cinit__(self, NTupleNetwork network not None, options, LineTables tables=None, *, float gamma=1.0,
                  str target="afterstate", str engine="bits", placer=None):
        check_choice("target", target, TARGETS)
        self.network, self.options = network, options
        self.tables = LineTables(network.rules) if tables is None else tables
        self.kind = kind_for(engine == "array", self.tables.bits)
        point_to(&self.own, network)
        self.own.gamma = gamma
        self.search.leaves.learner = &self.own
        self.search.leaves.m, self.search.leaves.values_states = network.m, target == "state"
        always_full = self.search.leaves.values_states or network.halves != NULL
        self.search.leaves.full_loop = always_full or network.stages.count > 1
        if network.stages.count > 1 and not always_full and _merges_add_nothing(network.rules):
            self.search.most_dropped = max(network.rules.value(tile) for tile, _ in network.rules.drop)
        self.search.node = _node(options, PlacerOptions() if placer is None else placer)
        self._set_depths()
        self._set_drops()
        self._take_memory()

    cdef _set_depths(self):
        """How far and how long to look."""
        cdef int i
        options = self.options
        self.search.plies, self.search.cutoff = options.plies, options.cutoff
        self.search.depths = len(options.by_empty)
        for i, (empty, plies) in enumerate(options.by_empty):
            self.search.depth_empty[i], self.search.depth_plies[i] = empty, plies
        if options.downgrade is not None:
            self.search.largest = self.network.layout.radix - 1 if options.downgrade == RADIX else options.downgrade
            self.search.merging = merging_of(self.tables.rules)
        if options.seconds is not None:
            self.search.nanoseconds = max(1, round(min(options.seconds, 1e9) * 1e9))

    cdef _set_drops(self):
        """The tiles of the drop law, each with its probability."""
        cdef int i
        self.search.tiles = self.tables.drops.n
        for i in range(self.search.tiles):
            before = self.tables.drops.below[i - 1] if i else 0
            self.search.share[i] = <double> (self.tables.drops.below[i] - before) / 4294967296.0

    cdef _take_memory(self):
        cdef Search *search = &self.search
        cdef int i, cells = self.tables.cells, padded = self.network.plan.padded, size = size_of(self.kind)
        cdef int drops = cells * search.tiles
        cdef bint got = True
        search.leaves.row = <uint32_t *> own_lines(GROUP * padded * sizeof(uint32_t))
        search.leaves.buffer = <uint32_t *> own_lines(SUCCESSORS * padded * sizeof(uint32_t))
        for i in range(BANKS if self.options.deepest > 1 else 0):
            got = got and make_level(&search.last[i], drops, size, padded, search.leaves.learner.gamma)
        for i in range(2, self.options.deepest):
            got = got and make_level(&search.level[i], drops, size, 0, search.leaves.learner.gamma)
        if self.options.table_bytes:
            require_memory("search.table", self.options.table_bytes, "the values of boards searched before")
            search.table.stride = (size + sizeof(Mark) + 7) // 8 * 8
            search.table.slots = max(1, self.options.table_bytes // search.table.stride)
            search.table.memory = <char *> own_lines(search.table.slots * search.table.stride)
            search.table.stamp, search.table.of_probability = 1, search.cutoff > 0
            got = got and search.table.memory != NULL
        if not got or search.leaves.row == NULL or search.leaves.buffer == NULL:
            raise MemoryError("search: no memory for its table and its boards")

    def __dealloc__(self):
        cdef int i
        for i in range(BANKS):
            free_level(&self.search.last[i])
        for i in range(MAX_PLIES):
            free_level(&self.search.level[i])
        free(self.search.leaves.row)
        free(self.search.leaves.buffer)
        free(self.search.table.memory)

    cdef void forget(self) noexcept nogil:
        """Take nothing more from the table: the weights have changed."""
        cdef Table *table = &self.search.table
        cdef uint64_t i
        table.stamp += 1
        if table.stamp == MAX_STAMPS and table.memory != NULL:     # from here on old stamps would come again
            for i in range(table.slots):
                (<Mark *> (table.memory + i * table.stride + size_of(self.kind))).tag = 0
            table.stamp = 1

    cdef void look(self, const void *board, const void *after, const int32_t *reward, int n,
                   float *q) noexcept nogil:
        """`q` of the `n` legal moves of a board, whose afterstates and rewards are given; nan where a value is not
        finite or beyond all bounds."""
        if self.kind == NIBBLES:
            search_board(&self.search, self.tables, <const board64 *> board, <const board64 *> after, reward, n, q)
        elif self.kind == FIVES:
            search_board(&self.search, self.tables, <const board128 *> board, <const board128 *> after, reward, n, q)
        else:
            search_board(&self.search, self.tables, <const board_array *> board, <const board_array *> after, reward,
                         n, q)

    def values(self, board):
        """Reward + gamma * value of the four moves (up, right, down, left): float64, shape (4,), nan where illegal.

        Parameters
        ----------
        board : packed, or rows of tile values.
        """
        board = read_board(board, self.tables.rules)
        self.forget()
        out = np.full(4, np.nan)
        cdef double[::1] view = out
        if self.kind == NIBBLES:
            _values(self, board, <board64 *> NULL, view)
        elif self.kind == FIVES:
            _values(self, board, <board128 *> NULL, view)
        else:
            _values(self, board, <board_array *> NULL, view)
        return out

    def __reduce__(self):
        raise TypeError("an Expectimax has memory that cannot be copied; copy its Player, which makes one when asked")

    @property
    def counts(self):
        """What has been done so far: boards valued, afterstates looked beyond, values taken from the table."""
        return {"leaves": self.search.leaves.count, "nodes": self.search.nodes, "found": self.search.found}


def _merges_add_nothing(rules):
    """Whether no tile is worth more than the two that it was made of."""
    tiles = range(1, rules.largest + 1)
    return all(rules.value(rules.merge(a, b)) <= rules.value(a) + rules.value(b) for a in tiles for b in tiles)


cdef Node _node(options, placer):
    """Who is taken to put the tiles."""
    if options.against == "random" or (options.against == "placer" and placer.kind == "random"):
        return MEAN
    if placer.first_empty:
        return FIRST
    return LEAST_OF_ALL if placer.tile == "chosen" else LEAST


cdef _values(Expectimax self, packed, const board_t *kind, double[::1] out):
    cdef board_t board = taken(self.tables, packed, kind)
    cdef board_t after[4]
    cdef int32_t reward[4]
    cdef int action[4]
    cdef float q[4]
    cdef int k, n = legal_afterstates(self.tables, &board, after, reward, action)
    with nogil:
        self.look(&board, after, reward, n, q)
    for k in range(n):
        out[action[k]] = q[k]


cdef void search_board(Search *search, LineTables tables, const board_t *board, const board_t *after,
                       const int32_t *reward, int n, float *q) noexcept nogil:
    """`Expectimax.look` for one type of board."""
    cdef board_t smaller = board[0]
    cdef board_t own[4]
    cdef int32_t own_reward[4]
    cdef int action[4]
    cdef int plies = plies_for(search, tables, board), k
    search.leaves.broken = False
    if search.largest and downgrade(&search.merging, &smaller, search.largest):
        legal_afterstates(tables, &smaller, own, own_reward, action)     # as many: the same tiles merge
        after, reward = own, own_reward
    if search.most_dropped:     # most boards are far from the second stage: 1.15 times the speed with three plies
        search.leaves.full_loop = not stays_first(search.leaves.learner.stages, &smaller, plies, search.most_dropped)
    if search.nanoseconds:
        iterative_deepening(search, tables, after, reward, n, plies, q)
    else:
        search.deadline = 0
        search_depth(search, tables, after, reward, n, plies, q)
    if search.leaves.broken:
        for k in range(n):
            q[k] = NAN


cdef inline int plies_for(const Search *search, LineTables tables, const board_t *board) noexcept nogil:
    """How far to look from a board."""
    cdef int i, empty
    if search.depths:
        empty = empty_cells(tables, board)
        for i in range(search.depths):
            if empty <= search.depth_empty[i]:
                return search.depth_plies[i]
    return search.plies


cdef void iterative_deepening(Search *search, LineTables tables, const board_t *after, const int32_t *reward, int n,
                              int plies, float *q) noexcept nogil:
    """Look further and further ahead; what was not finished in time does not count."""
    cdef float deeper[4]
    cdef int depth, k
    search.deadline = 0
    search_depth(search, tables, after, reward, n, 1, q)
    search.deadline, search.late = now() + search.nanoseconds, False
    for depth in range(2, plies + 1):
        search_depth(search, tables, after, reward, n, depth, deeper)
        if search.late:
            return
        for k in range(n):
            q[k] = deeper[k]


cdef void search_depth(Search *search, LineTables tables, const board_t *after, const int32_t *reward, int n,
                       int plies, float *q) noexcept nogil:
    """`q` of moves, so many plies deep."""
    cdef int k
    chance_values(search, tables, after, n, plies - 1, 1.0, q)
    for k in range(n):
        q[k] = <float> reward[k] + search.leaves.learner.gamma * q[k]


cdef void chance_values(Search *search, LineTables tables, const board_t *after, int n, int plies, float probability,
                        float *value) noexcept nogil:
    """W of `n` afterstates. `probability` is that of all drops that led to each of them."""
    cdef int k
    if plies == 0:
        value_all(&search.leaves, tables, after, n, value)
    elif plies == 1:
        afterstate_values_pipelined(search, tables, after, n, probability, value)
    else:
        for k in range(n):
            value[k] = chance_value(search, tables, after + k, plies, probability)


cdef float chance_value(Search *search, LineTables tables, const board_t *after, int plies,
                        float probability) noexcept nogil:
    """W of an afterstate, more than one ply further."""
    cdef Level *level = &search.level[plies]
    cdef char *slot = NULL
    cdef float value
    if remembered(search, after, plies, probability, &slot, &value) or out_of_time(search):
        return value
    search.nodes += 1
    expand(tables, after, search.node == FIRST, level)
    chance_values_of_children(search, tables, level, <const board_t *> level.child, plies, probability)
    value = reduce_chance(search, tables.cells, level)
    if slot != NULL and not search.late:
        keep(&search.table, slot, after, plies, probability, value)
    return value


cdef inline void chance_values_of_children(Search *search, LineTables tables, Level *level, const board_t *child,
                                           int plies, float probability) noexcept nogil:
    """W of what drops and moves lead to, tile by tile: its probability decides whether it is looked beyond."""
    cdef int i, first, n
    cdef float reached
    if search.cutoff <= 0:
        chance_values(search, tables, child, level.first[search.tiles], plies - 1, 1.0, level.value)
        return
    for i in range(search.tiles):
        first, n = level.first[i], level.first[i + 1] - level.first[i]
        reached = probability * <float> search.share[i]
        if search.node == MEAN:
            reached = reached / <float> level.empty
        chance_values(search, tables, child + first, n, 0 if reached < search.cutoff else plies - 1, reached,
                      level.value + first)


cdef void afterstate_values_pipelined(Search *search, LineTables tables, const board_t *after, int n,
                                      float probability, float *value) noexcept nogil:
    """W of afterstates one ply further: while the entries of one's successors arrive, others are added up."""
    cdef int waiting[BANKS]
    cdef char *slot[BANKS]
    cdef char *own = NULL
    cdef int k, asked = 0, done = 0, bank
    for k in range(n):
        if remembered(search, after + k, 1, probability, &own, &value[k]) or out_of_time(search):
            continue
        search.nodes += 1
        bank = asked % BANKS
        waiting[bank], slot[bank] = k, own
        expand(tables, after + k, search.node == FIRST, &search.last[bank])
        prefetch_leaves(&search.leaves, tables, &search.last[bank], after)
        asked += 1
        if asked - done == BANKS:
            finish(search, tables, after, waiting, slot, done, probability, value)
            done += 1
    while done < asked:
        finish(search, tables, after, waiting, slot, done, probability, value)
        done += 1


cdef inline void finish(Search *search, LineTables tables, const board_t *after, const int *waiting, char **slot,
                        int number, float probability, float *value) noexcept nogil:
    """W of the afterstate that was asked for as number `number`."""
    cdef int bank = number % BANKS, k = waiting[bank]
    cdef Level *level = &search.last[bank]
    value_prefetched(&search.leaves, tables, level, after)
    value[k] = reduce_chance(search, tables.cells, level)
    if slot[bank] != NULL:
        keep(&search.table, slot[bank], after + k, 1, probability, value[k])


cdef inline bint remembered(Search *search, const board_t *after, int plies, float probability, char **slot,
                            float *value) noexcept nogil:
    """Whether W is in the table; if not, `slot` is where it belongs, and the value 0."""
    value[0] = 0
    if search.table.memory == NULL:
        return False
    slot[0] = slot_of(&search.table, after, plies)
    if not find(&search.table, slot[0], after, plies, probability, value):
        return False
    search.found += 1
    return True


cdef inline bint out_of_time(Search *search) noexcept nogil:
    """Whether the time for this move is over; then nothing found from here on counts."""
    if search.deadline and not search.late and now() > search.deadline:
        search.late = True
    return search.late


cdef inline float reduce_chance(const Search *search, int cells, const Level *level) noexcept nogil:
    """W of the afterstate that a level was gathered of: best moves, then the mean, or the least, over the drops."""
    cdef int i, k
    cdef float best, least, least_of_all = INFINITY
    cdef double total = 0, of_tile
    for i in range(search.tiles):
        of_tile, least = 0, INFINITY
        for k in range(level.empty):
            best = best_move(level.drop + i * cells + level.cell[k], level.value, search.leaves.learner.gamma)
            of_tile += best
            least = min(least, best)
        least_of_all = min(least_of_all, least)
        if search.node == MEAN or search.node == FIRST:
            total += search.share[i] * (of_tile / level.empty)
        else:
            total += search.share[i] * least
    return least_of_all if search.node == LEAST_OF_ALL else <float> total
