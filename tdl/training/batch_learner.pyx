"""The batch learner: many games in step, all by the same weights, and then one move of each entry that was hit.

`batch_step.h` says what is learned, `batch_lanes.h` how threads share a step; here are the games.
"""

import threading

import numpy as np

from libc.math cimport fabsf, rintf
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy

from tdl.errors import DivergenceError, refuse
from tdl.game.engine import TRAINING
from tdl.learning.options import ACCUMULATORS, STEP_ARRAYS
from tdl.storage.records import RECORD
from tdl.training.lane_state import DIVERGED, lane_type, law_of, room_for_hits
from tdl.training.options import batch_lanes
from tdl.game.board cimport board64, board128, drawn_tile, empty_board, legal_afterstates, max_tile, put, random_empty
from tdl.game.lines cimport LineTables
from tdl.game.stream cimport stream_of
from tdl.learning.td cimport BOUND, Learner, look_up, point_to
from tdl.network.aligned cimport own_lines
from tdl.network.index cimport activate_all, tdl_check
from tdl.network.ntuple cimport NTupleNetwork
from tdl.network.stages cimport stage_indices
from tdl.network.weights cimport loop_full
from tdl.training.selfplay cimport Record
from tdl.training.starts cimport MILESTONE, total_of

cdef extern from "batch_lanes.h" nogil:
    ctypedef struct Words "tdl_words":
        uint64_t low, high
    ctypedef struct Lane "tdl_lane":
        Words board
        uint64_t random
        int64_t score
        int32_t moves, game
    ctypedef struct Law "tdl_batch_law":
        int32_t start, reach
        float gamma
        uint32_t stride
    ctypedef struct Due "tdl_due":
        int32_t t
        float error
    ctypedef struct Team "tdl_team":
        int size, waiting, round
    ctypedef struct Rows "tdl_rows":
        int64_t n
        uint32_t *entry
        int64_t *error
    ctypedef struct Hits "tdl_hits":
        void *place
        uint32_t *filled
    int UNIT "TDL_UNIT"
    Words *path_of "tdl_path"(Lane *lane)
    uint64_t draw "tdl_draw"(Lane *lane)
    void observe "tdl_observe"(const Law *law, Lane *lane, float error)
    bint next_due "tdl_next_due"(const Law *law, Lane *lane, bint over, Due *due)
    void note_move "tdl_moved"(const Law *law, Lane *lane, Words after, int32_t reward, int64_t total)
    const Words *next_start "tdl_next_start"(const Law *law, Lane *lane)
    void begin "tdl_begin"(Lane *lane, bint first)
    int64_t active "tdl_active"(int64_t lanes, int64_t moves_per_lane, int64_t moves)
    float value_of "tdl_value"(const float *weights, const uint32_t *entry, int m)
    float value_promoted "tdl_value_promoted"(const Law *law, const float *weights, const uint32_t *entry, int m)
    void form "tdl_form"(Team *team)
    bint gather "tdl_gather"(Team *team)
    void complete "tdl_complete"(Team *team, int size)
    void meet "tdl_meet"(Team *team)
    int64_t take_many "tdl_take_many"(int64_t *next, int64_t many)
    bint grow_rows "tdl_grow_rows"(Rows *rows, int padded)
    bint collect "tdl_collect"(Hits *hits, const Rows *rows, int padded, int first, int end, uint32_t part,
                               uint32_t parts)
    void move_hits "tdl_move_hits"(const Law *law, bint capped, Hits *hits, float *weights, float *sums)

cdef enum:
    AHEAD = 8               # lanes whose entries are on their way while others play
    BOARDS = 5              # of a lane that are looked up: four afterstates, and the one before
    TAKEN = 32              # lanes that a thread takes at once
    SLICE = 1 << 19         # moves between two calls of `on_progress`

# Boards of engine=bits.
ctypedef fused packed_t:
    board64
    board128


cdef struct Turn:
    # A lane that is about to play.
    int64_t lane
    int n                   # legal moves
    int32_t reward[4]


cdef struct Worker:
    # What one thread has of its own.
    Turn turn[AHEAD]
    void *after             # [AHEAD][BOARDS]: afterstates, of the type of the game, and the one before
    uint32_t *entry         # [AHEAD][BOARDS][padded]
    Rows rows
    Hits hits
    int64_t lane, end       # the next of the lanes it took, and where they end
    int64_t moves           # of this step
    int64_t updates
    int64_t abs_error       # sum of one-step errors, in parts of a point
    int64_t abs_moved       # sum of the rows' errors
    bint diverged
    char line[128]          # what a thread writes shares no cache line with another's


cdef class BatchLearner:
    """Thousands of games in step, which learn together.

    Parameters
    ----------
    network : the `NTupleNetwork` that chooses the moves and learns.
    tables : of the network's rules.
    learner : `LearnerOptions` with a `batch_sum`.
    play : `PlayOptions`, of which seed, lanes and threads count; the bits do not depend on the threads.
    state : what the learner keeps beside the weights, as `tdl.learning.state.new_state` makes it.

    Attributes
    ----------
    lanes : the games, a structured array of type `lane_type`; to be written to when a training goes on.
    moves, games : so far, those on record; to be set when a training goes on.
    """

    cdef readonly NTupleNetwork network
    cdef readonly LineTables tables
    cdef readonly object options, lanes
    cdef readonly int threads
    cdef public int64_t moves, games
    cdef object _state, _ended, _records
    cdef Learner learner
    cdef Law law
    cdef bint capped
    cdef float *sums            # E and A; NULL where the step is fixed
    cdef int64_t moves_per_lane
    cdef char *lane             # [lanes], lane_size apart
    cdef int64_t lane_size, lanes_n
    cdef uint8_t *ended         # [lanes]: whether a game on record ended in this step
    cdef Record *record         # [lanes]
    cdef Worker *worker         # [threads]
    cdef int32_t *unit          # [units + 1]: the first features of the tables
    cdef int64_t units, parts
    # Of the steps under way:
    cdef Team team
    cdef int64_t next_lane, next_unit, active_n, until, limit
    cdef bint diverged, no_memory, stops
    cdef Record *finished       # of the games on record that ended
    cdef int64_t finished_n, finished_room
    cdef double abs_error
    cdef int64_t updates

    def __cinit__(self, NTupleNetwork network not None, LineTables tables not None, learner, play, *, state):
        if not learner.batched:
            raise refuse("batch_sum", learner.batch_sum, "mean or capped")
        self.network, self.tables, self.options, self._state = network, tables, learner, state
        self.threads, self.lanes_n = play.threads, batch_lanes(play)
        self.capped, self.moves_per_lane = learner.batch_sum == "capped", learner.moves_per_lane or 0
        point_to(&self.learner, network)
        form(&self.team)
        self._set_law(0)
        self._make_lanes(play.seed)
        self._make_workers()
        self._make_units()

    cdef _set_law(self, float alpha):
        cdef const uint8_t[::1] law = law_of(self.network, self.options, alpha).reshape(1).view(np.uint8)
        memcpy(&self.law, &law[0], sizeof(Law))

    cdef _make_lanes(self, seed):
        """The lanes, each with its first game."""
        cdef uint8_t[::1] lanes, ended
        cdef Record[::1] records
        cdef int64_t i
        cdef Lane *lane
        self.lanes = np.zeros(self.lanes_n, lane_type(self.law.reach, self.options.start))
        self.lane_size = self.lanes.itemsize
        self._ended, self._records = np.zeros(self.lanes_n, np.uint8), np.zeros(self.lanes_n, RECORD)
        lanes, ended, records = self.lanes.view(np.uint8), self._ended, self._records
        self.lane, self.ended, self.record = <char *> &lanes[0], &ended[0], &records[0]
        for i in range(self.lanes_n):
            lane = <Lane *> (self.lane + i * self.lane_size)
            lane.random = stream_of(seed, TRAINING, i).a
            if self.tables.bits == 4:
                start_episode(self, <board64 *> NULL, lane)
            else:
                start_episode(self, <board128 *> NULL, lane)

    cdef _make_workers(self):
        cdef int i, padded = self.network.plan.padded
        cdef Worker *worker
        self.worker = <Worker *> own_lines(self.threads * sizeof(Worker))
        if self.worker == NULL:
            raise MemoryError("batch: no memory for the threads")
        for i in range(self.threads):
            worker = &self.worker[i]
            worker.after = own_lines(AHEAD * BOARDS * sizeof(board128))
            worker.entry = <uint32_t *> own_lines(AHEAD * BOARDS * padded * sizeof(uint32_t))
            if worker.after == NULL or worker.entry == NULL:
                raise MemoryError("batch: no memory for the threads")

    cdef _make_units(self):
        """The features of each table, which threads share by tables; more threads share the entries of a table."""
        cdef int i
        network = self.network
        tables = [table for table, _ in (*network.features, *network.orders, *network.counts)]
        firsts = [f for f in range(network.m) if f == 0 or tables[f] != tables[f - 1]]
        self.units = len(firsts)
        # An entry without a weight takes that of the stage before, which must not move meanwhile.
        self.parts = 1 if network.stride else (self.threads + self.units - 1) // self.units
        self.unit = <int32_t *> own_lines((self.units + 1) * sizeof(int32_t))
        if self.unit == NULL:
            raise MemoryError("batch: no memory for the tables")
        for i, first in enumerate([*firsts, network.m]):
            self.unit[i] = first
        self.limit = room_for_hits(network, self.lanes_n, self.law.reach)[1]

    def __dealloc__(self):
        cdef int i
        if self.worker:
            for i in range(self.threads):
                free(self.worker[i].after)
                free(self.worker[i].entry)
                free(self.worker[i].rows.entry)
                free(self.worker[i].rows.error)
                free(self.worker[i].hits.place)
                free(self.worker[i].hits.filled)
        free(self.worker)
        free(self.unit)
        free(self.finished)

    def __reduce__(self):
        raise TypeError("a BatchLearner has memory that cannot be copied; copy its lanes, weights and state")

    def set_step(self, float alpha, str kind):
        """The step size from now on, as `SelfPlay.set_step`."""
        cdef float[:, ::1] sums
        if not STEP_ARRAYS[kind].keys() <= self._state.keys():
            raise refuse("step", kind, "fixed where there is no memory for another")
        self.sums = NULL
        if kind == "coherent":
            sums = self._state[ACCUMULATORS]
            self.sums = &sums[0, 0]
        self._set_law(alpha)

    @property
    def active(self):
        """How many lanes play in the next step."""
        return active(self.lanes_n, self.moves_per_lane, self.moves)

    def play(self, int64_t moves, on_progress=None):
        """Play steps until so many more moves are made.

        Parameters
        ----------
        on_progress : called now and then with the games on record that ended and the moves made so far.

        Returns
        -------
        the games on record that ended: structured array of dtype `RECORD`, in the order in which they ended.

        Raises
        ------
        DivergenceError : a value is not finite or beyond 1e9 points; the weights are those before that step.
        """
        cdef int64_t first = self.moves, end = self.moves + moves
        self.finished_n = self.abs_error = self.updates = 0
        while self.moves < end:
            self.until = min(end, self.moves + SLICE)
            self._work_together()
            if self.no_memory:
                raise MemoryError("batch: no memory for what lanes have learned")
            if self.diverged:
                raise DivergenceError(DIVERGED)
            if on_progress is not None:
                on_progress(self.finished_n, self.moves - first)
        self.games += self.finished_n
        return self.records

    @property
    def records(self):
        """The games on record that ended in the last call of `play`."""
        cdef Record[::1] view
        records = np.zeros(self.finished_n, RECORD)
        if self.finished_n:
            view = records
            memcpy(&view[0], self.finished, self.finished_n * sizeof(Record))
        return records

    @property
    def errors(self):
        """The TD errors of the last call of `play`: (sum of absolute values in points, number)."""
        return self.abs_error, self.updates

    def _work_together(self):
        """Play until `until`, all threads together; those that cannot be started leave their work to the others."""
        helpers = []
        self.team.size = self.team.waiting = self.team.round = 0
        self.next_lane = 0
        self.active_n = self.active
        try:
            for i in range(1, self.threads):
                helper = threading.Thread(target=self._work, args=(i,), daemon=True)
                try:
                    helper.start()
                except RuntimeError:     # no memory for it, or no process
                    break
                helpers.append(helper)
            complete(&self.team, len(helpers) + 1)
            self._work(0)
        finally:
            if not self.team.size:
                complete(&self.team, -1)
            for helper in helpers:
                helper.join()

    def _work(self, int thread):
        with nogil:
            if gather(&self.team):
                if self.tables.bits == 4:
                    run(self, <board64 *> self.worker[thread].after, thread)
                else:
                    run(self, <board128 *> self.worker[thread].after, thread)


cdef void run(BatchLearner batch, packed_t *after, int thread) noexcept nogil:
    """One thread's part of all steps. What ends them is written by one thread, while the others wait: all must see the
    same, or some would wait for ever."""
    cdef Worker *worker = &batch.worker[thread]
    while True:
        play_lanes(batch, after, worker)
        meet(&batch.team)
        if thread == 0:
            end_step(batch)
        meet(&batch.team)
        if batch.stops:
            return
        learn(batch, worker)
        meet(&batch.team)
        if batch.moves >= batch.until:
            return


cdef void end_step(BatchLearner batch) noexcept nogil:
    """What one thread does for all when all lanes have played: add up, and put games on record."""
    cdef int i
    cdef int64_t k, moved = 0, parts = 0
    cdef Worker *worker
    for i in range(batch.team.size):
        worker = &batch.worker[i]
        batch.moves += worker.moves
        batch.updates += worker.updates
        parts += worker.abs_error
        moved += worker.abs_moved
        batch.diverged |= worker.diverged
    batch.abs_error += <double> parts / UNIT
    batch.diverged |= moved > batch.limit
    for k in range(batch.active_n):
        if batch.ended[k]:
            batch.ended[k] = False
            put_on_record(batch, &batch.record[k])
    batch.stops = batch.diverged or batch.no_memory
    batch.next_lane = batch.next_unit = 0
    batch.active_n = active(batch.lanes_n, batch.moves_per_lane, batch.moves)


cdef void put_on_record(BatchLearner batch, Record *record) noexcept nogil:
    cdef Record *more
    if batch.finished_n == batch.finished_room:
        more = <Record *> realloc(batch.finished, (2 * batch.finished_room + 1024) * sizeof(Record))
        if more == NULL:
            batch.no_memory = True
            return
        batch.finished, batch.finished_room = more, 2 * batch.finished_room + 1024
    record.episode = batch.games + batch.finished_n
    batch.finished[batch.finished_n] = record[0]
    batch.finished_n += 1


cdef void learn(BatchLearner batch, Worker *worker) noexcept nogil:
    """Move the entries that were hit, of one table after the other."""
    cdef int64_t taken, unit
    cdef int i
    while True:
        taken = take_many(&batch.next_unit, 1)
        if taken >= batch.units * batch.parts:
            return
        unit = taken // batch.parts
        for i in range(batch.team.size):
            if not collect(&worker.hits, &batch.worker[i].rows, batch.network.plan.padded, batch.unit[unit],
                           batch.unit[unit + 1], <uint32_t> (taken % batch.parts), <uint32_t> batch.parts):
                batch.no_memory = True
                return
        move_hits(&batch.law, batch.capped, &worker.hits, batch.learner.weights, batch.sums)


cdef void play_lanes(BatchLearner batch, packed_t *after, Worker *worker) noexcept nogil:
    """Let lanes play as long as there are any, each some lanes after its entries were asked for."""
    cdef int64_t lane, looked = 0, played = 0
    worker.rows.n = worker.moves = worker.updates = worker.abs_error = worker.abs_moved = 0
    worker.lane = worker.end = 0
    while True:
        lane = next_lane(batch, worker)
        if lane >= 0:
            worker.turn[looked % AHEAD].lane = lane
            look(batch, after, worker, <int> (looked % AHEAD))
            looked += 1
        elif looked == played:
            return
        if lane < 0 or looked - played == AHEAD:
            play(batch, after, worker, <int> (played % AHEAD))
            played += 1


cdef inline int64_t next_lane(BatchLearner batch, Worker *worker) noexcept nogil:
    """The next lane of this thread; -1: there is none."""
    if worker.lane == worker.end:
        worker.lane = take_many(&batch.next_lane, TAKEN)
        worker.end = min(worker.lane + TAKEN, batch.active_n)
        if worker.lane >= worker.end:
            worker.lane = worker.end
            return -1
    worker.lane += 1
    return worker.lane - 1


cdef inline Lane *lane_of(BatchLearner batch, int64_t number) noexcept nogil:
    return <Lane *> (batch.lane + number * batch.lane_size)


cdef inline packed_t loaded(const Words *words, const packed_t *kind) noexcept nogil:
    """A board of the type of `kind`, which is not read."""
    if packed_t is board64:
        return words.low
    else:
        return (<board128> words.high << 64) | words.low


cdef inline void store(Words *words, const packed_t *board) noexcept nogil:
    if packed_t is board64:
        words.low = board[0]
    else:
        words.low, words.high = <uint64_t> board[0], <uint64_t> (board[0] >> 64)


cdef inline void look(BatchLearner batch, packed_t *after, Worker *worker, int at) noexcept nogil:
    """Make the moves of a lane, and ask for the entries of its afterstates and of the one before."""
    cdef Turn *turn = &worker.turn[at]
    cdef Lane *lane = lane_of(batch, turn.lane)
    cdef packed_t *boards = after + BOARDS * at
    cdef packed_t board = loaded(&lane.board, <const packed_t *> after)
    cdef int action[4]
    cdef int n = legal_afterstates(batch.tables, <const packed_t *> &board, boards, turn.reward, action)
    turn.n = n
    if lane.moves:
        boards[n] = loaded(path_of(lane) + (lane.moves - 1) % batch.law.reach, <const packed_t *> after)
        n += 1
    look_up(&batch.learner, <const packed_t *> boards, n, worker.entry + BOARDS * at * batch.network.plan.padded,
            <loop_full> batch.network.m)


cdef inline float valued(BatchLearner batch, const uint32_t *entry) noexcept nogil:
    """V of a board, by its entries."""
    cdef float value = value_of(batch.learner.weights, entry, batch.network.m)
    if value != value and batch.law.stride:
        return value_promoted(&batch.law, batch.learner.weights, entry, batch.network.m)
    return value


cdef inline void play(BatchLearner batch, packed_t *after, Worker *worker, int at) noexcept nogil:
    """Choose a lane's move, tell what it learns from that, and make it; or end its game."""
    cdef Turn *turn = &worker.turn[at]
    cdef Lane *lane = lane_of(batch, turn.lane)
    cdef int padded = batch.network.plan.padded, k, best = -1
    cdef const uint32_t *entry = worker.entry + BOARDS * at * padded
    cdef float q, best_q = -<float> BOUND
    cdef packed_t *boards = after + BOARDS * at
    for k in range(turn.n):
        q = <float> turn.reward[k] + batch.law.gamma * valued(batch, entry + k * padded)
        if q > best_q:      # never true of nan
            best, best_q = k, q
    if turn.n and (best < 0 or best_q > BOUND):
        worker.diverged = True
        return
    if lane.moves:
        see(batch, after, worker, lane, (best_q if turn.n else 0) - valued(batch, entry + turn.n * padded),
            turn.n == 0)
    if turn.n:
        worker.moves += 1
        move(batch, <const packed_t *> boards + best, lane, turn.reward[best])
    else:
        end_game(batch, <const packed_t *> after, turn.lane)


cdef inline void see(BatchLearner batch, packed_t *after, Worker *worker, Lane *lane, float error,
                     bint over) noexcept nogil:
    """Take the error of a lane's last afterstate, and write down what is to move."""
    cdef Due due
    cdef packed_t board
    cdef int64_t parts
    cdef uint32_t *row
    cdef int padded = batch.network.plan.padded
    if not fabsf(error) < BOUND:     # true of nan too
        worker.diverged = True
        return
    worker.updates += 1
    worker.abs_error += <int64_t> rintf(fabsf(error) * UNIT)
    observe(&batch.law, lane, error)
    due.t, due.error = lane.moves, 0
    while next_due(&batch.law, lane, over, &due):
        if not grow_rows(&worker.rows, padded):
            batch.no_memory = True
            return
        row = worker.rows.entry + worker.rows.n * padded
        board = loaded(path_of(lane) + due.t % batch.law.reach, <const packed_t *> after)
        activate_all(&batch.network.plan, <const packed_t *> &board, 1, row)
        tdl_check(&batch.network.plan, row, 1)
        if batch.law.stride:
            stage_indices(&batch.network.law, &batch.network.plan, <const packed_t *> &board, row, batch.network.m)
        parts = <int64_t> rintf(due.error * UNIT)
        worker.rows.error[worker.rows.n] = parts
        worker.abs_moved += min(parts if parts > 0 else -parts, batch.limit + 1)    # their sum has room
        worker.rows.n += 1


cdef inline void drop(BatchLearner batch, Lane *lane, packed_t *board, int tile) noexcept nogil:
    """Put a tile, 0: one by the drop law, on a random empty cell, and let the lane move on."""
    cdef uint64_t bits = draw(lane)
    tile = tile if tile else drawn_tile(batch.tables, bits)
    put(board, random_empty(batch.tables, <const packed_t *> board, bits >> 32), tile)
    store(&lane.board, <const packed_t *> board)


cdef inline void move(BatchLearner batch, const packed_t *after, Lane *lane, int32_t reward) noexcept nogil:
    """Make the move that was chosen."""
    cdef packed_t board = after[0]
    cdef int64_t total = total_of(batch.tables, after) if batch.law.start == MILESTONE else 0
    cdef Words words
    words.high = 0
    store(&words, after)
    note_move(&batch.law, lane, words, reward, total)
    drop(batch, lane, &board, 0)


cdef void start_episode(BatchLearner batch, const packed_t *kind, Lane *lane) noexcept nogil:
    """Begin a game by the start law."""
    cdef packed_t board = empty_board(kind)
    cdef int i
    for i in range(batch.tables.start_n):
        drop(batch, lane, &board, batch.tables.start_tile[i])
    begin(lane, True)


cdef void end_game(BatchLearner batch, const packed_t *kind, int64_t number) noexcept nogil:
    """Put a lane's game on record, if it is the first of its episode, and begin the next."""
    cdef Lane *lane = lane_of(batch, number)
    cdef const Words *start
    cdef packed_t board = loaded(&lane.board, kind)
    if lane.game == 0:
        batch.record[number].score, batch.record[number].moves = lane.score, lane.moves
        batch.record[number].max_tile = <int32_t> max_tile(batch.tables, <const packed_t *> &board)
        batch.ended[number] = True
    start = next_start(&batch.law, lane)
    if start == NULL:
        start_episode(batch, kind, lane)
        return
    board = loaded(start, kind)
    drop(batch, lane, &board, 0)
    begin(lane, False)
