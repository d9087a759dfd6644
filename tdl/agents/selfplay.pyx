"""The episode loop: choose, observe, update, place. Python calls it for a block of episodes; no Python runs inside."""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memset

from tdl.agents.records import RECORD
from tdl.errors import ConfigError, DivergenceError, refuse
from tdl.game.reference import EXPLORATION
from tdl.learning.choices import STARTS, Learning, history_of
from tdl.learning.memory import COUNTS, ENTERED, SPREAD, SUMS, cover_of, digit_shares, holders_of
from tdl.network.tuples import unturned
from tdl.agents.starts cimport CAROUSEL, EMPTY, RESTART, any_entered, enter
from tdl.game.board cimport board64, first_board, legal_afterstates, max_tile, place
from tdl.game.lines cimport LineTables
from tdl.game.stream cimport draw, stream_of
from tdl.learning.backward cimport REPLAY_ROWS, forget, remember, remember_choice, replay_backward
from tdl.learning.expectation cimport expected, fetch_expected
from tdl.learning.forward cimport DELAYED, History, N_STEP, TRACE, finish, observe
from tdl.learning.stepsize cimport COHERENT, FIXED, Sums, fetch_step
from tdl.learning.td cimport BOUND, Learner, look_up, look_up_to_learn, update, value_of
from tdl.network.ntuple cimport NTupleNetwork, is_rich, stage_of, width32, width64, width_any, width_rich, width_t

cdef extern from "<stdlib.h>" nogil:
    void *aligned_alloc(size_t alignment, size_t size)

cdef extern from *:
    """
    #define tdl_take(next) __atomic_fetch_add((next), 1, __ATOMIC_RELAXED)
    """
    int64_t take "tdl_take"(int64_t *) noexcept nogil

ORDERS = ("none", "forward", "backward", "delayed")

MAX_LANES = 64

cdef int EXPLORING = EXPLORATION


cdef void *own_lines(size_t size) noexcept nogil:
    """Zeroed memory on cache lines of its own: the index function stores whole lines, and threads that write to one
    line wait for each other."""
    cdef size_t whole = (max(size, <size_t> 1) + 127) & ~<size_t> 127
    cdef void *memory = aligned_alloc(128, whole)
    if memory != NULL:
        memset(memory, 0, whole)
    return memory


cdef class SelfPlay:
    """Plays blocks of episodes with an n-tuple network, learning or not.

    A block is the episodes *started* in it. `begin` starts one, `advance` plays on, `records` are its results, in the
    order of the episodes' numbers. Episode k draws from the stream (seed, role, k): what it meets depends on neither
    lanes nor threads nor blocks nor on other games.

    Parameters
    ----------
    network : the `NTupleNetwork` that chooses the moves (first of the largest backups) and learns.
    order : "none" (no learning), "forward", "backward" or "delayed".
    alpha : step size, see `set_step`.
    memory : what the learner keeps beside the weights, arrays by name, as `tdl.learning.memory.new_memory` makes them.
    seed, role : of the random streams.
    lanes : games played in turn, 1 to 64. 1 is the textbook algorithm move for move.
    choices : those of `Learning`.
    """

    def __cinit__(self, NTupleNetwork network not None, LineTables tables not None, *, str order="none",
                  float alpha=0.0, memory=None, int64_t seed=0, int role=0, int lanes=1, **choices):
        if order not in ORDERS:
            raise refuse("order", order, f"one of {sorted(ORDERS)}")
        if not 1 <= lanes <= MAX_LANES:
            raise refuse("lanes", lanes, f"1 to {MAX_LANES}")
        if tables.rules != network.rules:
            raise refuse("tables", tables.rules, f"those of the network's rules {network.rules}")
        if order != "none" and not network.weights.flags.writeable:
            raise ConfigError("network: its weights are read-only, as those of a loaded player are; it cannot learn")
        learning = Learning(order="backward" if order == "none" else order, **choices)
        learning.check(stages=network.stages.count, extras=network.extras)
        self.network, self.tables, self.lanes, self.learning = network, tables, lanes, learning
        if order == "none":
            self.order = NO_LEARNING
        elif order == "backward":
            self.order = BACKWARD
        else:
            self.order = HISTORY if learning.td_lambda or learning.n_step > 1 else FORWARD
        self.of_states, self.reward_shift = learning.target == "state", learning.reward_shift
        self.start = STARTS.index(learning.start) if order != "none" else EMPTY
        self.restart_at, self.restart_moves = learning.restart_at, learning.restart_moves
        self.explores = round(learning.epsilon * 2**32) if order != "none" else 0
        self.quirks.stored_value, self.quirks.rechoose = learning.stored_value, learning.rechoose
        self.quirks.clear_last = learning.clear_last
        self.keeps_choices = self.order == BACKWARD and (learning.stored_value or learning.rechoose)
        self.learner.weights = network.w
        self.learner.plan = &network.plan
        self.learner.activate = network.activate
        self.learner.stages = &network.law if network.stages.count > 1 else NULL
        self.learner.gamma, self.learner.td_lambda = learning.gamma, learning.td_lambda
        self.learner.n_step = learning.n_step
        self._take_memory({} if memory is None else memory)
        self.set_step(alpha, "coherent" if self.learner.step.sums != NULL else "fixed")
        self.rich = (
            self.of_states or self.explores != 0 or self.start != EMPTY or self.order == HISTORY
            or self.learner.stages != NULL or self.learner.some != NULL
            or self.quirks.stored_value or self.quirks.rechoose or self.quirks.clear_last)
        self.block.seed, self.block.role = seed, role
        cdef int padded = network.plan.padded
        self.lane = <Lane *> own_lines(lanes * sizeof(Lane))
        self.boards = <board64 *> own_lines(lanes * sizeof(board64))
        self.after = <board64 *> own_lines(lanes * 8 * sizeof(board64))
        self.last_values = <float *> own_lines(learning.n_step * sizeof(float))
        self.entry = <uint32_t *> own_lines(lanes * 8 * padded * sizeof(uint32_t))
        self.of_state = <uint32_t *> own_lines(lanes * 2 * padded * sizeof(uint32_t))
        self.replay = <uint32_t *> own_lines(REPLAY_ROWS * padded * sizeof(uint32_t))
        if not (self.lane and self.boards and self.after and self.last_values and self.entry and self.of_state
                and self.replay):
            raise MemoryError("self-play: no memory for the lanes")
        if self.order == HISTORY:
            self._make_histories()

    cdef _take_memory(self, memory):
        """Point the learner to what it keeps beside the weights."""
        cdef float[:, ::1] sums
        cdef float[::1] spread
        cdef uint64_t[:, ::1] entered
        cdef int64_t[::1] counts
        cdef uint64_t[::1] cover
        cdef int32_t[:, ::1] holders
        cdef int32_t[::1] some
        cdef int i
        network = self.network
        self._memory = [memory]
        for name, shape, dtype in (
            (SUMS, (len(network.weights), 2), np.float32), (SPREAD, (len(network.weights),), np.float32)
        ):
            if name in memory and (memory[name].shape != shape or memory[name].dtype != dtype):
                raise refuse(name, f"{memory[name].shape} {memory[name].dtype}", f"{shape} {np.dtype(dtype)}")
        if SUMS in memory:
            sums = memory[SUMS]
            self.learner.step.sums = <Sums *> &sums[0, 0]
        if SPREAD in memory and self.of_states:
            spread, cover, holders = memory[SPREAD], cover_of(network), holders_of(network)
            self._memory += [cover, holders]
            self.drops.spread, self.drops.cover, self.drops.holders = &spread[0], &cover[0], &holders[0, 0]
            self.drops.room = <uint32_t *> own_lines(16 * network.plan.padded * sizeof(uint32_t))
            if self.drops.room == NULL:
                raise MemoryError("self-play: no memory for the drop table's rows")
            self.drops.cells, self.drops.m = network.rules.cells, network.m
            for i, share in enumerate(digit_shares(network)):
                self.drops.share[i] = share
            for i in range(network.rules.cells):
                self.drops.marks |= <uint64_t> 1 << (4 * i)
            self.learner.drops = &self.drops
        if self.start == CAROUSEL:
            entered, counts = memory[ENTERED], memory[COUNTS]
            self.carousel.stages, self.carousel.room = network.stages.count, entered.shape[1]
            self.carousel.board, self.carousel.count = <board64 *> &entered[0, 0], &counts[0]
        if not self.learning.update_symmetries:
            some = np.array(unturned(network.tuples, network.rules.rows, network.rules.cols), np.int32)
            self._memory.append(some)
            self.learner.some, self.learner.some_n = &some[0], len(some)

    cdef _make_histories(self):
        """A ring for each lane, of the boards that its returns reach over."""
        cdef int i, padded = self.network.plan.padded
        cdef History *history
        reach = self.learning.n_step if self.learning.n_step > 1 else history_of(self.learning.td_lambda)
        for i in range(self.lanes):
            history = &self.lane[i].history
            history.look = TRACE if self.learning.order == "forward" else DELAYED
            if self.learning.n_step > 1:
                history.look = N_STEP
            history.reach, history.capacity = reach, reach + 1
            history.board = <board64 *> own_lines(history.capacity * sizeof(board64))
            history.reward = <int32_t *> own_lines(history.capacity * sizeof(int32_t))
            history.error = <float *> own_lines(history.capacity * sizeof(float))
            history.entry = <uint32_t *> own_lines(history.capacity * padded * sizeof(uint32_t))
            if not (history.board and history.reward and history.error and history.entry):
                raise MemoryError("self-play: no memory for the lanes' histories")

    def __dealloc__(self):
        cdef int i
        if self.lane:
            for i in range(self.lanes):
                forget(&self.lane[i].path)
                free(self.lane[i].history.board)
                free(self.lane[i].history.reward)
                free(self.lane[i].history.error)
                free(self.lane[i].history.entry)
        free(self.lane)
        free(self.boards)
        free(self.after)
        free(self.last_values)
        free(self.entry)
        free(self.of_state)
        free(self.replay)
        free(self.drops.room)

    def set_step(self, float alpha, str kind):
        """The step size from now on.

        Parameters
        ----------
        alpha : total step size (each active entry moves by alpha / m times the error), or, with alpha_per="entry",
            that of one entry.
        kind : "fixed" or "coherent"; the latter needs the memory `sums`.
        """
        if kind == "coherent" and self.learner.step.sums == NULL:
            raise refuse("step", kind, "fixed where there is no memory for sums")
        cdef int moved = self.learner.some_n if self.learner.some != NULL else self.network.m
        self.learner.step.kind = COHERENT if kind == "coherent" else FIXED
        self.learner.step.rate = alpha if self.learning.alpha_per == "entry" else <float> alpha / <float> moved

    def begin(self, int64_t first, int64_t episodes, SelfPlay leader=None):
        """Start the block of `episodes` episodes from number `first` on.

        Parameters
        ----------
        leader : where several threads share a block, the one that began it; its `records` are those of all.
        """
        cdef int i
        if leader is None:
            self._records = np.zeros(episodes, RECORD)
            self.block.own_next = first
            leader = self
        else:
            self._records = leader._records
        self._leader = None if leader is self else leader     # keeps the shared counter alive
        cdef Record[::1] view = self._records
        self.block.records = &view[0] if episodes else NULL
        self.block.next_episode = &leader.block.own_next
        self.block.first = first
        self.block.end = first + episodes
        self.block.moves = 0
        self.block.live = 0
        self.block.finished = 0
        self.learner.tally.abs_error = 0
        self.learner.tally.updates = 0
        self.learner.tally.diverged = False
        for i in range(self.lanes):
            if self.rich:
                start_episode(self, <width_rich> self.network.m, i)
            else:
                start_episode(self, <width_any> self.network.m, i)

    def advance(self, int64_t moves):
        """Play on for about `moves` moves; True when the block is done.

        Raises
        ------
        DivergenceError : a value is not finite or beyond 1e9 points.
        MemoryError : a game's path does not fit into memory.
        """
        cdef Outcome outcome
        cdef int m = self.network.m
        cdef int64_t until = self.block.moves + moves
        with nogil:
            if self.rich:
                outcome = run(self, <width_rich> m, until)
            elif m == 32:
                outcome = run(self, <width32> 0, until)
            elif m == 64:
                outcome = run(self, <width64> 0, until)
            else:
                outcome = run(self, <width_any> m, until)
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
        """Moves played in the block so far, also in games that follow the one on record."""
        return self.block.moves

    @property
    def finished(self):
        """Episodes of the block that this thread brought to an end."""
        return self.block.finished

    @property
    def errors(self):
        """The block's TD errors: (sum of absolute values in points, number)."""
        return self.learner.tally.abs_error, self.learner.tally.updates

    @property
    def mean_abs_error(self):
        """Mean of the absolute TD errors of the block, in points; nan before the first update."""
        if not self.learner.tally.updates:
            return float("nan")
        return self.learner.tally.abs_error / self.learner.tally.updates


cdef void start_episode(SelfPlay play, width_t m, int i) noexcept nogil:
    """Give lane i the next episode of the block, or retire it."""
    cdef Lane *lane = &play.lane[i]
    cdef Block *block = &play.block
    cdef int64_t episode = take(block.next_episode)
    lane.live = episode < block.end
    if not lane.live:
        return
    block.live += 1
    memset(&lane.record, 0, sizeof(Record))
    lane.record.episode = episode
    lane.drops = stream_of(block.seed, block.role, episode)
    lane.chance = stream_of(block.seed, EXPLORING, episode)
    lane.game = 0
    lane.stage = 0
    start_game(play, first_board(play.tables, <board64> 0, &lane.drops), m, i)


cdef void start_game(SelfPlay play, board64 board, width_t m, int i) noexcept nogil:
    """Let lane i play from a board on."""
    cdef Lane *lane = &play.lane[i]
    lane.previous = NULL
    lane.path.n = 0
    lane.history.n = 0
    lane.gained = 0
    play.boards[i] = board
    prepare_moves(play, m, i)


cdef inline void prepare_moves(SelfPlay play, width_t m, int i) noexcept nogil:
    """Make lane i's legal moves, and ask for the entries of their afterstates."""
    cdef Lane *lane = &play.lane[i]
    cdef int action[4]
    cdef int row = 8 * i + 4 * lane.bank, padded = play.learner.plan.padded
    lane.n = legal_afterstates(play.tables, play.boards[i], play.after + row, lane.reward, action)
    look_up(&play.learner, play.after + row, lane.n, play.entry + row * padded, m)
    if is_rich(m) and play.of_states:
        fetch_expected(&play.learner, lane.n, play.entry + row * padded, m)
        if play.order != NO_LEARNING:
            look_up_to_learn(&play.learner, &play.boards[i], 1, play.of_state + (2 * i + lane.bank) * padded, m)


cdef Outcome run(SelfPlay play, width_t m, int64_t until) noexcept nogil:
    """Let the lanes move in turn until the block is done or `until` moves are played."""
    cdef int i
    cdef Outcome outcome
    while play.block.live:
        if play.block.moves >= until:
            return RUNNING
        for i in range(play.lanes):
            if play.lane[i].live:
                outcome = turn(play, m, i)
                if outcome != RUNNING:
                    return outcome
    return DONE


cdef inline Outcome turn(SelfPlay play, width_t m, int i) noexcept nogil:
    """One move of lane i: choose, observe, update, place; or the end of its game."""
    cdef Lane *lane = &play.lane[i]
    cdef Learner *learner = &play.learner
    cdef int padded = learner.plan.padded, k, best = -1
    cdef int row = 8 * i + 4 * lane.bank
    cdef uint32_t *entry = play.entry + row * padded
    cdef float q[4]
    cdef float best_q = -<float> BOUND
    for k in range(lane.n):
        if is_rich(m) and play.of_states:
            q[k] = expected(learner, play.tables, play.after[row + k], entry + k * padded, play.replay, m)
        else:
            q[k] = value_of(learner, entry + k * padded, m)
        q[k] = <float> lane.reward[k] + learner.gamma * q[k]
        if q[k] > best_q:      # never true of nan
            best, best_q = k, q[k]
    if lane.n == 0:
        return end_game(play, m, i)
    if best < 0 or best_q > BOUND:
        return DIVERGED
    if is_rich(m) and play.explores:
        best = explore(play, lane, best)
        best_q = q[best]
    if is_rich(m):
        if not see(play, m, i, best):
            return NO_MEMORY
    else:
        if play.order == FORWARD and lane.previous != NULL:
            update(learner, 0, lane.previous, m, best_q)
        if play.order == BACKWARD and not remember(&lane.path, play.after[row + best], lane.reward[best]):
            return NO_MEMORY
        lane.previous = entry + best * padded
        if play.order == FORWARD:
            fetch_step(&learner.step, lane.previous, m)
    if learner.tally.diverged:
        return DIVERGED
    lane.record.score += lane.reward[best]
    lane.record.moves += 1
    if is_rich(m):
        lane.gained = lane.reward[best]
    play.block.moves += 1
    play.boards[i] = place(play.tables, play.after[row + best], &lane.drops, 0)
    lane.bank = 1 - lane.bank
    prepare_moves(play, m, i)
    return RUNNING


cdef inline int explore(SelfPlay play, Lane *lane, int best) noexcept nogil:
    """The move chosen, or, with probability epsilon, a random legal one."""
    cdef uint64_t bits = draw(&lane.chance)
    if (bits & <uint64_t> 0xFFFFFFFF) < play.explores:
        best = <int> (((bits >> 32) * <uint64_t> lane.n) >> 32)
    return best


cdef bint see(SelfPlay play, width_t m, int i, int best) noexcept nogil:
    """What lane i learns from its choice, for every learner; False when there is no memory for it."""
    cdef Lane *lane = &play.lane[i]
    cdef Learner *learner = &play.learner
    cdef int padded = learner.plan.padded
    cdef int row = 8 * i + 4 * lane.bank
    cdef uint32_t *entry
    cdef board64 board
    cdef int32_t led            # the reward that led to the learned board
    cdef float value = 0
    if play.of_states:
        board, entry = play.boards[i], play.of_state + (2 * i + lane.bank) * padded
        led = lane.reward[best] if play.reward_shift else lane.gained
    else:
        board, entry = play.after[row + best], play.entry + (row + best) * padded
        led = lane.reward[best]
    if play.start == CAROUSEL:
        note_stage(play, lane, board)
    if play.order == BACKWARD or play.start == RESTART:
        if not remember(&lane.path, board, led):
            return False
    if play.keeps_choices:
        value = value_of(learner, entry, m)
        if not remember_choice(&lane.path, play.boards[i], value):
            return False
    if play.order == HISTORY:
        observe(learner, &lane.history, board, led, entry, m)
    if play.order == FORWARD:
        if lane.previous != NULL:
            update(learner, lane.previous_board, lane.previous, m,
                   <float> led + learner.gamma * value_of(learner, entry, m))
        fetch_step(&learner.step, entry, m)
    lane.previous, lane.previous_board = entry, board
    return True


cdef inline void note_stage(SelfPlay play, Lane *lane, board64 board) noexcept nogil:
    """Keep a board that enters a stage, for games to start there."""
    cdef int stage = stage_of(play.learner.stages, board)
    if stage > lane.stage:
        lane.stage = stage
        enter(&play.carousel, stage, board)


cdef Outcome end_game(SelfPlay play, width_t m, int i) noexcept nogil:
    """Learn what is left to learn of lane i's game, write its record, start the next."""
    cdef Lane *lane = &play.lane[i]
    cdef Learner *learner = &play.learner
    cdef float final = <float> lane.gained if is_rich(m) and play.of_states and not play.reward_shift else 0
    if play.order == FORWARD and lane.previous != NULL:
        update(learner, lane.previous_board, lane.previous, m, final)
    if is_rich(m) and play.order == HISTORY:
        finish(learner, &lane.history, final, m)
    if play.order == BACKWARD:
        replay_backward(learner, play.tables, &lane.path, final, play.last_values, play.quirks, play.replay, m)
    if learner.tally.diverged:
        return DIVERGED
    if lane.game == 0:
        lane.record.max_tile = <int32_t> max_tile(play.tables, play.boards[i])
        play.block.records[lane.record.episode - play.block.first] = lane.record
    if is_rich(m) and play.start != EMPTY and follow_up(play, m, i):
        return RUNNING
    play.block.live -= 1
    play.block.finished += 1
    start_episode(play, m, i)
    return RUNNING


cdef bint follow_up(SelfPlay play, width_t m, int i) noexcept nogil:
    """Start the next game of lane i's episode, by the start rule; False when there is none."""
    cdef Lane *lane = &play.lane[i]
    cdef board64 board
    cdef int64_t at = <int64_t> (<float> (lane.path.n - 1) * play.restart_at)
    lane.game += 1
    if play.start == RESTART:
        if lane.path.n < play.restart_moves or at < 1:      # from the first board on it could go on for ever
            return False
        board = lane.path.board[at]
    else:
        if lane.game >= play.carousel.stages or play.carousel.count[lane.game] == 0:
            return False
        board = any_entered(&play.carousel, lane.game, &lane.chance)
        lane.stage = lane.game
    if not play.of_states:
        board = place(play.tables, board, &lane.drops, 0)
    start_game(play, board, m, i)
    return True
