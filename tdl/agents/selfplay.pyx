"""The episode loop: choose, observe, update, place. Python calls it for a block of episodes; no Python runs inside."""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memset

from tdl.agents.records import RECORD
from tdl.errors import ConfigError, DivergenceError, refuse
from tdl.game.lines cimport LineTables
from tdl.game.board cimport board64, first_board, legal_afterstates, max_tile, place
from tdl.game.stream cimport stream_of
from tdl.learning.stepsize cimport COHERENT, FIXED, Sums, fetch_step
from tdl.learning.td cimport BOUND, REPLAY, Learner, look_up, replay_backward, update
from tdl.network.ntuple cimport NTupleNetwork, total, width32, width64, width_any, width_t

cdef extern from "<stdlib.h>" nogil:
    void *aligned_alloc(size_t alignment, size_t size)

ORDERS = {"none": NO_LEARNING, "forward": FORWARD, "backward": BACKWARD}

MAX_LANES = 64

cdef enum:
    FIRST_PATH = 4096       # afterstates a path has room for at first


cdef class SelfPlay:
    """Plays blocks of episodes with an n-tuple network, learning or not.

    A block is the episodes *started* in it. `begin` starts one, `advance` plays on, `records` are its results, in the
    order of the episodes' numbers. Episode k draws from the stream (seed, role, k): what it meets depends on neither
    lanes nor blocks nor on other games.

    Parameters
    ----------
    network : the `NTupleNetwork` that chooses the moves (argmax of reward + gamma * V, first of equals) and learns.
    order : "none", "forward" or "backward".
    alpha : total step size; each of the m active entries moves by alpha / m times the error.
    gamma : discount of the next value, 0 to 1.
    td_lambda : share of the return that is not bootstrapped, 0 to 1; only backward.
    sums : float32 array of shape (entries, 2) for temporal coherence, E and A of each entry; None: a fixed step size.
    seed, role : of the random streams.
    lanes : games played in turn, 1 to 64. 1 is the textbook algorithm move for move.
    """

    def __cinit__(self, NTupleNetwork network not None, LineTables tables not None, *, str order="none",
                  float alpha=0.0, float gamma=1.0, float td_lambda=0.0, sums=None, int64_t seed=0, int role=0,
                  int lanes=1):
        if order not in ORDERS:
            raise refuse("order", order, f"one of {sorted(ORDERS)}")
        if not 1 <= lanes <= MAX_LANES:
            raise refuse("lanes", lanes, f"1 to {MAX_LANES}")
        if tables.rules != network.rules:
            raise refuse("tables", tables.rules, f"those of the network's rules {network.rules}")
        if td_lambda and order == "forward":
            raise refuse("td_lambda", td_lambda, "0 in forward order")
        if order != "none" and not network.weights.flags.writeable:
            raise ConfigError("network: its weights are read-only, as those of a loaded player are; it cannot learn")
        self.network, self.tables, self.lanes = network, tables, lanes
        self.order = ORDERS[order]
        self.learner.weights = network.w
        self.learner.plan = &network.plan
        self.learner.activate = network.activate
        self.learner.step.rate = <float> alpha / <float> network.m
        self.learner.step.kind = FIXED
        if sums is not None:
            if sums.shape != (len(network.weights), 2) or sums.dtype != np.float32:
                raise refuse("sums", f"{sums.shape} {sums.dtype}", f"({len(network.weights)}, 2) float32")
            self._sums, self.learner.step.kind = sums, COHERENT
            self.learner.step.sums = sums_of(sums)
        self.learner.gamma, self.learner.td_lambda = gamma, td_lambda
        self.block.seed, self.block.role = seed, role
        cdef int padded = network.plan.padded
        self.lane = <Lane *> calloc(lanes, sizeof(Lane))
        self.boards = calloc(lanes, sizeof(board64))
        self.after = calloc(lanes * 8, sizeof(board64))
        self.path = <void **> calloc(lanes, sizeof(void *))
        # On cache lines: the index function stores whole lines.
        self.entry = <uint32_t *> aligned_alloc(64, lanes * 8 * padded * sizeof(uint32_t))
        self.replay = <uint32_t *> aligned_alloc(64, 2 * REPLAY * padded * sizeof(uint32_t))
        if not (self.lane and self.boards and self.after and self.path and self.entry and self.replay):
            raise MemoryError("self-play: no memory for the lanes")

    def __dealloc__(self):
        cdef int i
        if self.lane and self.path:
            for i in range(self.lanes):
                free(self.path[i])
                free(self.lane[i].path_reward)
        free(self.lane)
        free(self.boards)
        free(self.after)
        free(self.path)
        free(self.entry)
        free(self.replay)

    def begin(self, int64_t first, int64_t episodes):
        """Start the block of `episodes` episodes from number `first` on."""
        cdef int i
        self._records = np.zeros(episodes, RECORD)
        cdef Record[::1] view = self._records
        self.block.records = &view[0] if episodes else NULL
        self.block.first = self.block.next_episode = first
        self.block.end = first + episodes
        self.block.moves = 0
        self.block.live = 0
        self.learner.tally.abs_error = 0
        self.learner.tally.updates = 0
        self.learner.tally.diverged = False
        for i in range(self.lanes):
            start_game(self, <board64 *> self.boards, <width_any> self.network.m, i)

    def advance(self, int64_t moves):
        """Play on for about `moves` moves; True when the block is done.

        Raises
        ------
        DivergenceError : a value is not finite or beyond 1e9 points.
        MemoryError : a game's path does not fit into memory.
        """
        cdef Outcome outcome
        cdef board64 *boards = <board64 *> self.boards
        cdef int m = self.network.m
        cdef int64_t until = self.block.moves + moves
        with nogil:
            if m == 32:
                outcome = run(self, boards, <width32> 0, until)
            elif m == 64:
                outcome = run(self, boards, <width64> 0, until)
            else:
                outcome = run(self, boards, <width_any> m, until)
        if outcome == DIVERGED:
            raise DivergenceError(
                f"learning diverged: a value left +-{float(BOUND):g} or is not a number; a smaller alpha is needed")
        if outcome == NO_MEMORY:
            raise MemoryError("self-play: a game's path does not fit into memory")
        return outcome == DONE

    def play(self, int64_t first, int64_t episodes):
        """Play a whole block: its records."""
        self.begin(first, episodes)
        while not self.advance(1 << 40):
            pass
        return self.records

    @property
    def records(self):
        """The block's episodes: structured array of dtype `RECORD`, shape (episodes,)."""
        return self._records

    @property
    def moves(self):
        """Moves played in the block so far."""
        return self.block.moves

    @property
    def finished(self):
        """Episodes of the block that are over."""
        return self.block.next_episode - self.block.first - self.block.live

    @property
    def mean_abs_error(self):
        """Mean of the absolute TD errors of the block, in points; nan before the first update."""
        if not self.learner.tally.updates:
            return float("nan")
        return self.learner.tally.abs_error / self.learner.tally.updates


cdef Sums *sums_of(float[:, ::1] sums):
    return <Sums *> &sums[0, 0]


cdef void start_game(SelfPlay play, board64 *boards, width_t m, int i) noexcept nogil:
    """Give lane i the next episode of the block, or retire it."""
    cdef Lane *lane = &play.lane[i]
    cdef Block *block = &play.block
    lane.live = block.next_episode < block.end
    if not lane.live:
        return
    block.live += 1
    memset(&lane.record, 0, sizeof(Record))
    lane.record.episode = block.next_episode
    lane.drops = stream_of(block.seed, block.role, block.next_episode)
    block.next_episode += 1
    lane.previous = NULL
    lane.steps = 0
    boards[i] = first_board(play.tables, <board64> 0, &lane.drops)
    prepare_moves(play, boards, m, i)


cdef inline void prepare_moves(SelfPlay play, board64 *boards, width_t m, int i) noexcept nogil:
    """Make lane i's legal moves, and ask for the entries of their afterstates."""
    cdef Lane *lane = &play.lane[i]
    cdef int action[4]
    cdef int row = 8 * i + 4 * lane.bank
    cdef board64 *after = <board64 *> play.after + row
    lane.n = legal_afterstates(play.tables, boards[i], after, lane.reward, action)
    look_up(&play.learner, after, lane.n, play.entry + row * play.learner.plan.padded, m)


cdef Outcome run(SelfPlay play, board64 *boards, width_t m, int64_t until) noexcept nogil:
    """Let the lanes move in turn until the block is done or `until` moves are played."""
    cdef int i
    cdef Outcome outcome
    while play.block.live:
        if play.block.moves >= until:
            return RUNNING
        for i in range(play.lanes):
            if play.lane[i].live:
                outcome = turn(play, boards, m, i)
                if outcome != RUNNING:
                    return outcome
    return DONE


cdef inline Outcome turn(SelfPlay play, board64 *boards, width_t m, int i) noexcept nogil:
    """One move of lane i: choose, observe, update, place; or the end of its game."""
    cdef Lane *lane = &play.lane[i]
    cdef Learner *learner = &play.learner
    cdef int padded = learner.plan.padded, k, best = -1
    cdef int row = 8 * i + 4 * lane.bank
    cdef uint32_t *entry = play.entry + row * padded
    cdef float q, best_q = -<float> BOUND
    for k in range(lane.n):
        q = <float> lane.reward[k] + learner.gamma * total(learner.weights, entry + k * padded, m)
        if q > best_q:      # never true of nan
            best, best_q = k, q
    if lane.n == 0:
        return end_game(play, boards, m, i)
    if best < 0 or best_q > BOUND:
        return DIVERGED
    if play.order == FORWARD and lane.previous != NULL:
        update(learner, lane.previous, m, best_q)
        if learner.tally.diverged:
            return DIVERGED
    if play.order == BACKWARD and not remember(play, i, (<board64 *> play.after)[row + best], lane.reward[best]):
        return NO_MEMORY
    lane.previous = entry + best * padded
    if play.order == FORWARD:
        fetch_step(&learner.step, lane.previous, m)
    lane.record.score += lane.reward[best]
    lane.record.moves += 1
    play.block.moves += 1
    boards[i] = place(play.tables, (<board64 *> play.after)[row + best], &lane.drops, 0)
    lane.bank = 1 - lane.bank
    prepare_moves(play, boards, m, i)
    return RUNNING


cdef Outcome end_game(SelfPlay play, board64 *boards, width_t m, int i) noexcept nogil:
    """Learn what is left to learn of lane i's game, write its record, start the next."""
    cdef Lane *lane = &play.lane[i]
    if play.order == FORWARD and lane.previous != NULL:
        update(&play.learner, lane.previous, m, 0)
    if play.order == BACKWARD:
        replay_backward(&play.learner, <board64 *> play.path[i], lane.path_reward, lane.steps, play.replay, m)
    if play.learner.tally.diverged:
        return DIVERGED
    lane.record.max_tile = <int32_t> max_tile(play.tables, boards[i])
    play.block.records[lane.record.episode - play.block.first] = lane.record
    play.block.live -= 1
    start_game(play, boards, m, i)
    return RUNNING


cdef inline bint remember(SelfPlay play, int i, board64 after, int32_t reward) noexcept nogil:
    """Append an afterstate to lane i's path; False when there is no memory for it."""
    cdef Lane *lane = &play.lane[i]
    cdef int64_t capacity
    cdef void *moved
    if lane.steps == lane.capacity:
        capacity = 2 * lane.capacity if lane.capacity else FIRST_PATH
        moved = realloc(play.path[i], capacity * sizeof(board64))
        if moved == NULL:
            return False
        play.path[i] = moved
        moved = realloc(lane.path_reward, capacity * sizeof(int32_t))
        if moved == NULL:
            return False
        lane.path_reward = <int32_t *> moved
        lane.capacity = capacity
    (<board64 *> play.path[i])[lane.steps] = after
    lane.path_reward[lane.steps] = reward
    lane.steps += 1
    return True
