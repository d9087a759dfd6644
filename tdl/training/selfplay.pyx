"""Self-play for Python: its memory, its blocks. The episode loop, in which no Python runs, is in episode_loop.pxi."""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memset

from tdl.training.options import lane_count
from tdl.errors import DivergenceError, refuse
from tdl.game.engine import EXPLORATION
from tdl.learning.options import ACCUMULATORS, CLEARED, STARTS, STEP_ARRAYS, STEPS, history_of
from tdl.learning.state import (COUNTS, DROP_TABLE, ENTERED, MOVED, digit_shares, feature_masks, features_of_cell,
                                marked_fours)
from tdl.network.tuples import identity_features
from tdl.storage.records import RECORD
from tdl.training.starts cimport CAROUSEL, EMPTY, MILESTONE, RESTART, enter, last_milestone, take_entered
from tdl.game.board cimport (FIVES, NIBBLES, board64, board128, board_array, board_t, first_board, kind_for,
                             legal_afterstates, max_tile, place, size_of)
from tdl.game.lines cimport LineTables
from tdl.game.stream cimport draw, stream_of
from tdl.learning.backward cimport (LAST_STATE, NOTHING, REPLAY_ROWS, Cleared, forget, remember, remember_choice,
                                    replay_backward)
from tdl.learning.expectation cimport expected, fetch_expected
from tdl.learning.forward cimport DELAYED, History, N_STEP, TRACE, finish, observe
from tdl.learning.stepsize cimport StepKind, Sums, fetch_step
from tdl.learning.td cimport BOUND, Learner, look_up, look_up_to_learn, point_to, update, value_of
from tdl.network.aligned cimport own_lines
from tdl.network.ntuple cimport NTupleNetwork
from tdl.network.stages cimport stage_of
from tdl.network.weights cimport is_full, loop_32, loop_64, loop_any, loop_full, loop_t
from tdl.search.adversary cimport ADVERSARY_ROWS, place_worst
from tdl.search.expectimax cimport Expectimax

cdef extern from *:
    """
    #define tdl_take(next) __atomic_fetch_add((next), 1, __ATOMIC_RELAXED)
    """
    int64_t take "tdl_take"(int64_t *) noexcept nogil

cdef int EXPLORING = EXPLORATION


cdef class SelfPlay:
    """Plays blocks of episodes with an n-tuple network, learning or not: one thread's games.

    A block is the episodes *started* in it. `begin` starts one, `advance` plays on, `records` are its results, in the
    order of the episodes' numbers. Episode k draws from the stream (seed, role, k): what it meets depends on neither
    lanes nor threads nor blocks nor on other games. `Trainer` and `evaluate` check the options; nothing here does.

    Parameters
    ----------
    network : the `NTupleNetwork` that chooses the moves (first of the largest backups) and learns.
    tables : of the network's rules.
    learner : `LearnerOptions`.
    play : `PlayOptions`.
    role : of the random streams, beside the seed.
    state : what the learner keeps beside the weights, arrays by name, as `tdl.learning.state.new_state` makes them.
    learns : whether the network learns; its step size is 0 until `set_step`. If not, only what `learner` says of
        values counts.
    """

    def __cinit__(self, NTupleNetwork network not None, LineTables tables not None, learner, play, *, int role=0,
                  state=None, bint learns=True):
        self.network, self.tables, self.options = network, tables, learner
        self.lanes = lane_count(play.lanes, network.m)
        self.kind = kind_for(play.engine == "array", tables.bits)
        self.block.seed, self.block.role = play.seed, role
        self._set_learner(learns)
        self._take_state({} if state is None else state, play.engine)
        self._make_adversary(play.placer, play.evaluator)
        self._make_search(play)
        self.full_loop = (
            self.against or self.searches or self.values_states or self.explores != 0
            or self.start != EMPTY or self.order == HISTORY or self.learner.halves != NULL
            or self.learner.stages != NULL or self.learner.some != NULL
            or self.variants.stored_value or self.variants.running_value or self.variants.rechoose
            or self.variants.cleared != NOTHING)
        self._make_lanes()
        if self.order == HISTORY:
            self._make_histories()

    cdef _set_learner(self, bint learns):
        """What is learned, and how."""
        options = self.options
        self.order = NO_LEARNING
        if learns:
            self.order = HISTORY if options.td_lambda or options.n_step > 1 else FORWARD
            self.start = STARTS.index(options.start)
            self.explores = round(options.epsilon * 2**32)
            if options.order == "backward":
                self.order = BACKWARD
        self.values_states, self.reward_shift = options.target == "state", options.reward_shift
        self.restart_at, self.restart_moves = options.restart_at, options.restart_moves
        self.milestone, self.attempts = options.milestone, options.attempts
        self.variants.stored_value, self.variants.running_value = options.stored_value, options.running_value
        self.variants.rechoose = options.rechoose
        self.variants.cleared = <Cleared> <int> ((None, *CLEARED).index(options.cleared))
        self.keeps_choices = self.order == BACKWARD and (
            options.stored_value or options.rechoose or self.variants.cleared == LAST_STATE)
        self.learner.gamma, self.learner.td_lambda = options.gamma, options.td_lambda
        self.learner.n_step = options.n_step
        point_to(&self.learner, self.network)

    cdef _take_state(self, state, engine):
        """Point the learner to what it keeps beside the weights."""
        cdef float[:, ::1] sums
        cdef uint64_t[::1] entered
        cdef int64_t[::1] counts
        cdef int32_t[::1] some
        cdef uint8_t[::1] moved
        cdef int32_t[::1] fours
        network = self.network
        self._owned = [state]
        shapes = {name: (len(network.weights), width) for name, width in STEP_ARRAYS[self.options.step].items()}
        for name, shape in {**shapes, DROP_TABLE: (len(network.weights),)}.items():
            if name in state and (state[name].shape != shape or state[name].dtype != np.float32):
                raise refuse(name, f"{state[name].shape} {state[name].dtype}", f"{shape} float32")
        if ACCUMULATORS in state:
            sums = state[ACCUMULATORS]
            self.learner.step.sums = <Sums *> &sums[0, 0]
        if MOVED in state:
            moved, fours = state[MOVED], marked_fours(network)
            self._owned.append(fours)
            self.learner.moved.chunk = &moved[0]
            self.learner.moved.fours = len(fours)
            self.learner.moved.four = &fours[0] if len(fours) else NULL
        if DROP_TABLE in state and self.values_states:
            self._take_drop_table(state[DROP_TABLE], engine)
        if self.start == CAROUSEL:
            entered, counts = state[ENTERED].reshape(-1), state[COUNTS]
            self.carousel.stages, self.carousel.room = network.stages.count, state[ENTERED].shape[1]
            self.carousel.board, self.carousel.count = &entered[0], &counts[0]
        if not self.options.update_symmetries:
            some = np.array(identity_features(network.tuples, network.rules.rows, network.rules.cols), np.int32)
            self._owned.append(some)
            self.learner.some, self.learner.some_n = &some[0], len(some)

    cdef _take_drop_table(self, float[::1] drop_values, engine):
        """Point the learner to its table of expectations over drops."""
        cdef uint64_t[::1] masks = feature_masks(self.network, engine)
        cdef int32_t[:, ::1] features = features_of_cell(self.network)
        cdef int i, cells = self.network.rules.cells
        self._owned += [masks, features]
        self.drops.drop_values, self.drops.feature_masks = &drop_values[0], &masks[0]
        self.drops.features_of_cell = &features[0, 0]
        self.drops.buffer = <uint32_t *> own_lines(cells * self.network.plan.padded * sizeof(uint32_t))
        if self.drops.buffer == NULL:
            raise MemoryError("self-play: no memory for the drop table's rows")
        self.drops.cells, self.drops.m = cells, self.network.m
        for i, share in enumerate(digit_shares(self.network)):
            self.drops.share[i] = share
        self.learner.drops = &self.drops

    cdef _make_adversary(self, placer, evaluator):
        cdef NTupleNetwork network = self.network
        self.against = placer.kind == "adversary"
        if not self.against:
            return
        self.adversary.evaluator, self.adversary.values_states = &self.learner, self.values_states
        if evaluator is not None:
            network = evaluator.network
            self._owned.append(network)
            point_to(&self.evaluator, network)
            self.evaluator.gamma = evaluator.gamma
            self.adversary.evaluator, self.adversary.values_states = &self.evaluator, evaluator.target == "state"
        self.adversary.m, self.adversary.depth = network.m, placer.depth
        self.adversary.chooses_tile, self.adversary.first_empty = placer.tile == "chosen", placer.first_empty
        self.adversary.buffer = <uint32_t *> own_lines(ADVERSARY_ROWS * network.plan.padded * sizeof(uint32_t))
        if self.adversary.buffer == NULL:
            raise MemoryError("self-play: no memory for the adversary's rows")

    cdef _make_search(self, play):
        self.searches = not play.search.greedy
        if self.searches:
            self.search = Expectimax(self.network, play.search, self.tables, gamma=self.options.gamma,
                                     target=self.options.target, engine=play.engine, placer=play.placer)
            self.search.search.leaves.learner = &self.learner

    cdef _make_lanes(self):
        """Boards and rows of entries."""
        cdef int lanes = self.lanes, padded = self.network.plan.padded, size = size_of(self.kind)
        self.lane = <Lane *> own_lines(lanes * sizeof(Lane))
        self.boards = own_lines(lanes * size)
        self.previous = own_lines(lanes * size)
        self.after = own_lines(lanes * 8 * size)
        self.last_values = <float *> own_lines(self.options.n_step * sizeof(float))
        self.entry = <uint32_t *> own_lines(lanes * 8 * padded * sizeof(uint32_t))
        self.of_state = <uint32_t *> own_lines(lanes * 2 * padded * sizeof(uint32_t))
        self.replay = <uint32_t *> own_lines(REPLAY_ROWS * padded * sizeof(uint32_t))
        if not (self.lane and self.boards and self.previous and self.after and self.last_values and self.entry
                and self.of_state and self.replay):
            raise MemoryError("self-play: no memory for the lanes")

    cdef _make_histories(self):
        """A ring for each lane, of the boards that its returns reach over."""
        cdef int i, padded = self.network.plan.padded
        cdef History *history
        reach = self.options.n_step if self.options.n_step > 1 else history_of(self.options.td_lambda)
        for i in range(self.lanes):
            history = &self.lane[i].history
            history.look = TRACE if self.options.order == "forward" else DELAYED
            if self.options.n_step > 1:
                history.look = N_STEP
            history.reach, history.capacity = reach, reach + 1
            history.board = own_lines(history.capacity * size_of(self.kind))
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
        free(self.previous)
        free(self.after)
        free(self.last_values)
        free(self.entry)
        free(self.of_state)
        free(self.replay)
        free(self.drops.buffer)
        free(self.adversary.buffer)

    def __reduce__(self):
        raise TypeError("a SelfPlay has games under way that cannot be copied; copy its Trainer between two blocks")

    def set_step(self, float alpha, str kind):
        """The step size from now on.

        Parameters
        ----------
        alpha : total step size (each active entry moves by alpha / m times the error), or, with alpha_per="entry",
            that of one entry.
        kind : one of `tdl.learning.options.STEPS`, whose arrays the state must have.
        """
        if not STEP_ARRAYS[kind].keys() <= self._owned[0].keys():
            raise refuse("step", kind, "fixed where there is no memory for another")
        cdef int moved = self.learner.some_n if self.learner.some != NULL else self.network.m
        self.learner.step.kept = self.options.kept
        self.learner.step.kind = <StepKind> <int> STEPS.index(kind)
        self.learner.step.rate = alpha if self.options.alpha_per == "entry" else <float> alpha / <float> moved

    def mark_moved(self, bint on):
        """Whether what moves from now on is marked, in the state's `moved`."""
        cdef uint8_t[::1] moved = self._owned[0][MOVED]
        self.learner.moved.chunk = &moved[0] if on else NULL

    def begin(self, int64_t first, int64_t episodes, SelfPlay leader=None):
        """Start the block of `episodes` episodes from number `first` on.

        Parameters
        ----------
        leader : where several threads share a block, the one that began it; its `records` are those of all.
        """
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
        if self.kind == NIBBLES:
            start_lanes(self, <board64 *> self.boards)
        elif self.kind == FIVES:
            start_lanes(self, <board128 *> self.boards)
        else:
            start_lanes(self, <board_array *> self.boards)

    def advance(self, int64_t moves):
        """Play on for about `moves` moves; True when the block is done.

        Raises
        ------
        DivergenceError : a value is not finite or beyond 1e9 points.
        MemoryError : a game's path does not fit into memory.
        """
        cdef Outcome outcome
        cdef int64_t until = self.block.moves + moves
        with nogil:
            if self.kind == NIBBLES:
                outcome = run_block(self, <board64 *> self.boards, until)
            elif self.kind == FIVES:
                outcome = run_block(self, <board128 *> self.boards, until)
            else:
                outcome = run_block(self, <board_array *> self.boards, until)
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


include "episode_loop.pxi"
