"""Many boards of one game, played side by side in compiled code; NumPy arrays go in and out."""

from functools import partial

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from tdl.base.checks import check_choice, check_whole
from tdl.base.machine import require_memory
from tdl.errors import ConfigError, refuse
from tdl.game.board cimport (FIVES, NIBBLES, afterstates, board64, board128, board_array, board_t, first_board,
                             kind_for, place, same, size_of, unpack)
from tdl.game.boards import action_of, actions_of
from tdl.game.engine import ENGINES
from tdl.game.lines cimport LineTables
from tdl.game.lines import tables_of
from tdl.game.rules import checked_rules
from tdl.game.stream cimport Stream, stream_of


cdef object WHOLE = np.dtype(np.int64)

BYTES = 96     # of a board's figures and its stream

MANY = 1 << 16     # boards, for which memory is asked for: that takes longer than to make a few

cdef class Batch

# What a batch does with boards of its type.
ctypedef void (*start_fn)(Batch batch, void *board, const int64_t *which, const uint64_t *seed, int role,
                          const int64_t *episode, int64_t n) noexcept nogil
ctypedef void (*step_fn)(Batch batch, void *board, const int64_t *which, const int64_t *action, int64_t n,
                         int32_t *gained) noexcept nogil
ctypedef void (*unpack_fn)(const void *board, int64_t n, int cells, uint8_t *tiles) noexcept nogil

cdef struct Functions:
    start_fn start
    step_fn step
    unpack_fn unpack


cdef class Batch:
    """`n` boards of one game, played side by side.

    Each board plays an episode of its own: game `episode` of (seed, role) begins with the board and meets the drops
    that it has in training and evaluation, whatever the batch. A board of which no game was started is empty and over.

    The arrays show the boards as the last `start` or `step` left them. They belong to the batch: read-only, and
    changed by the next call, so copy what you keep. One thread at a time may use a batch; threads with a batch each
    run side by side, without Python's lock.

    Parameters
    ----------
    rules : `Rules`; None: 2048 on 4x4.
    n : number of boards, 1 or more.
    engine : what boards are while they are played with, "bits" (packed) or "array" (a byte a cell): the same games.

    Attributes
    ----------
    rules, n : as given.
    tiles : uint8 array of shape (n, cells), the tile indices of the boards, cells row by row.
    legal : bool array of shape (n, 4), whether an action (up, right, down, left) changes the board.
    rewards : int32 array of shape (n, 4), what each action earns; 0 where it is illegal.
    over : bool array of shape (n,), whether no action is legal.
    score : int64 array of shape (n,), what the game has earned so far.
    moves : int32 array of shape (n,), its moves so far.
    max_tile : int64 array of shape (n,), the value of its largest tile.
    episode : int64 array of shape (n,), its number; -1 before the first.

    Raises
    ------
    ConfigError : a number of boards below 1, or an unknown engine.
    """
    cdef readonly LineTables tables
    cdef readonly int64_t n
    cdef readonly object tiles, legal, rewards, over, score, moves, max_tile, episode
    cdef object _all
    cdef str _engine
    cdef list _memory       # the arrays that the pointers below look into; all that changes
    cdef Functions on       # for boards of the type that the engine plays with
    cdef void *board        # [n]
    cdef void *after        # [n][4]: the afterstates, equal to the board where the action is illegal
    cdef Stream *drops      # [n]
    cdef uint8_t *seen      # [n]: whether `first_wrong` has met the board in this call; else 0
    # The arrays above, as C sees them.
    cdef uint8_t *tile
    cdef uint8_t *can
    cdef int32_t *reward
    cdef uint8_t *ended
    cdef int64_t *total
    cdef int32_t *played
    cdef int64_t *largest
    cdef int64_t *number

    def __cinit__(self, rules=None, n=1, *, engine="bits"):
        check_choice("engine", engine, ENGINES)
        check_whole("n", n, 1, 2**31)
        self.tables = tables_of(checked_rules(rules))
        self.n, self._engine = n, engine
        cdef int kind = kind_for(engine == "array", self.tables.bits)
        self.on = (functions_of(<board64 *> NULL) if kind == NIBBLES else
                   functions_of(<board128 *> NULL) if kind == FIVES else functions_of(<board_array *> NULL))
        if n > MANY:
            require_memory("n", n * (BYTES + self.tables.cells + 5 * size_of(kind)), f"{n:,} boards")
        self._all = np.arange(n)
        self._make_arrays(n, self.tables.cells)
        self._make_boards(n, size_of(kind))

    cdef _make_arrays(self, n, cells):
        cdef uint8_t[:, ::1] tiles = np.zeros((n, cells), np.uint8), can = np.zeros((n, 4), np.uint8)
        cdef int32_t[:, ::1] rewards = np.zeros((n, 4), np.int32)
        cdef uint8_t[::1] over = np.ones(n, np.uint8)
        cdef int64_t[::1] score = np.zeros(n, np.int64), largest = np.zeros(n, np.int64)
        cdef int64_t[::1] episode = np.full(n, -1, np.int64)
        cdef int32_t[::1] moves = np.zeros(n, np.int32)
        self.tile, self.can, self.reward, self.ended = &tiles[0, 0], &can[0, 0], &rewards[0, 0], &over[0]
        self.total, self.played, self.largest, self.number = &score[0], &moves[0], &largest[0], &episode[0]
        self.tiles, self.rewards = read_only(tiles.base), read_only(rewards.base)
        self.legal, self.over = read_only(can.base.view(np.bool_)), read_only(over.base.view(np.bool_))
        self.score, self.moves = read_only(score.base), read_only(moves.base)
        self.max_tile, self.episode = read_only(largest.base), read_only(episode.base)
        self._memory = [tiles.base, can.base, rewards.base, over.base, score.base, moves.base, largest.base,
                        episode.base]

    cdef _make_boards(self, n, size):
        # NumPy's memory of zeros lies on 16 bytes, which boards of 128 bits need.
        cdef uint8_t[:, ::1] board = np.zeros((n, size), np.uint8), after = np.zeros((4 * n, size), np.uint8)
        cdef uint8_t[:, ::1] drops = np.zeros((n, sizeof(Stream)), np.uint8)
        cdef uint8_t[::1] seen = np.zeros(n, np.uint8)
        self.board, self.after, self.seen = &board[0, 0], &after[0, 0], &seen[0]
        self.drops = <Stream *> &drops[0, 0]
        self._memory += [board.base, after.base, drops.base, seen.base]

    def __reduce__(self):
        return partial(type(self), engine=self._engine), (self.rules, self.n), self._memory

    def __setstate__(self, memory):
        for array, content in zip(self._memory, memory, strict=True):
            array[...] = content

    def __repr__(self):
        return f"Batch({self.n} x {self.tables.rules.name})"

    @property
    def rules(self):
        """The `Rules` played by."""
        return self.tables.rules

    def start(self, which, seed, role, episodes):
        """Begin new games.

        Parameters
        ----------
        which : the boards, whole numbers below n, of any number; None: all.
        seed : of the streams, one for all boards or one for each of `which`, whole numbers of at least 0.
        role : of the streams, as `tdl.game.engine` names them.
        episodes : number of the game of each of `which`.

        Raises
        ------
        ConfigError : there is no such board; numbers below 0, no whole numbers, or as many as there should not be.
        """
        check_whole("role", role, 0, 2**31)
        cdef const int64_t[::1] boards = self._boards(which)
        cdef int of_role = role
        cdef int64_t i, n = boards.shape[0]
        cdef const int64_t[::1] numbers = whole_numbers("episodes", episodes, n, np.int64)
        cdef const uint64_t[::1] seeds = whole_numbers("seed", seed, n, np.uint64)
        for i in range(n):
            if not 0 <= boards[i] < self.n:
                raise refuse("which", boards[i], f"boards from 0 to {self.n - 1}")
        if n == 0:
            return
        cdef const int64_t *at = &boards[0]
        cdef const int64_t *number = &numbers[0]
        cdef const uint64_t *key = &seeds[0]
        with nogil:
            self.on.start(self, self.board, at, key, of_role, number, n)

    def step(self, actions, which=None):
        """Play a move on each board, and let a tile drop by the drop law.

        Parameters
        ----------
        actions : the action of each of `which`, as numbers or names; a single one: that of all.
        which : the boards, each at most once; None: all.

        Returns
        -------
        int32 array of shape (len(which),), what the moves earned.

        Raises
        ------
        ConfigError : there is no such board, it stands twice in `which`, its game is over, or the action is illegal.
            Nothing is played then.
        """
        cdef const int64_t[::1] boards = self._boards(which)
        cdef int64_t n = boards.shape[0]
        cdef const int64_t[::1] numbers = numbers_of_actions(actions, n)
        rewards = np.empty(n, np.int32)
        cdef int32_t[::1] gained = rewards
        if n == 0:
            return rewards
        cdef const int64_t *at = &boards[0]
        cdef const int64_t *action = &numbers[0]
        cdef int32_t *reward = &gained[0]
        cdef int64_t wrong = first_wrong(self, at, action, n)
        if wrong < n:
            raise self._refused(at[wrong], action[wrong])
        with nogil:
            self.on.step(self, self.board, at, action, n, reward)
        return rewards

    def afterstates(self):
        """The boards that the actions lead to, before the drop: uint8 array of shape (n, 4, cells), tile indices.

        An illegal action leaves its board as it is. The array is a new one, the caller's own.
        """
        tiles = np.empty((self.n, 4, self.tables.cells), np.uint8)
        cdef uint8_t[:, :, ::1] view = tiles
        cdef uint8_t *out = &view[0, 0, 0]
        with nogil:
            self.on.unpack(self.after, 4 * self.n, self.tables.cells, out)
        return tiles

    cdef _boards(self, which):
        """The numbers of the boards that are meant."""
        if which is None:
            return self._all
        boards = array_of("which", which)
        if boards.ndim != 1 or boards.size and boards.dtype.kind not in "iu":
            raise refuse("which", which, "a list of board numbers, or None")
        return np.ascontiguousarray(boards, np.int64)

    cdef _refused(self, board, action):
        """Why an action cannot be played."""
        if not 0 <= board < self.n:
            return refuse("which", board, f"boards from 0 to {self.n - 1}")
        if self.over[board]:
            reason = "the game is over" if self.episode[board] >= 0 else "no game was started"
            return ConfigError(f"action of board {board}: {action} is not allowed; {reason}")
        legal = np.flatnonzero(self.legal[board]).tolist()
        if action in legal:
            return refuse("which", board, "each board at most once")
        return refuse(f"action of board {board}", action, f"one of the legal actions {legal}")


cdef object read_only(array):
    """A view of an array through which it cannot be changed."""
    view = array.view()
    view.flags.writeable = False
    return view


cdef object array_of(str key, values):
    """The values as an array."""
    try:
        return np.asarray(values)
    except ValueError:     # lists of unequal length
        raise refuse(key, values, "a number, or a list of numbers") from None


cdef object numbers_of_actions(actions, int64_t n):
    """Actions, one for each of `n` boards, or one for all, as an array of shape (n,)."""
    numbers = array_of("actions", actions)
    if numbers.dtype is WHOLE and numbers.shape == (n,):     # a step of one board: +14%
        return np.ascontiguousarray(numbers)
    return actions_of(actions if numbers.shape else np.full(n, action_of(actions)), n)


cdef object whole_numbers(str key, values, int64_t n, dtype):
    """Whole numbers of at least 0, one for each of `n` boards, or one for all, as an array of shape (n,)."""
    numbers = array_of(key, values)
    if numbers.size and numbers.dtype.kind not in "iu" or numbers.shape not in ((), (n,)):
        raise refuse(key, f"{numbers.dtype} of shape {numbers.shape}", f"whole numbers, one for each of {n} boards")
    if numbers.size and numbers.min() < 0:
        raise refuse(key, int(numbers.min()), "whole numbers of at least 0")
    return np.ascontiguousarray(numbers if numbers.shape else np.full(n, numbers), dtype)


cdef int64_t first_wrong(Batch batch, const int64_t *which, const int64_t *action, int64_t n) noexcept nogil:
    """The place in `which` of the first move that cannot be played; `n` where all can."""
    cdef int64_t k, wrong = 0
    while wrong < n:
        if not 0 <= which[wrong] < batch.n or batch.seen[which[wrong]]:
            break
        if not 0 <= action[wrong] < 4 or not batch.can[4 * which[wrong] + action[wrong]]:
            break
        batch.seen[which[wrong]] = 1
        wrong += 1
    for k in range(wrong):
        batch.seen[which[k]] = 0
    return wrong


cdef Functions functions_of(const board_t *kind):
    """The functions for the type of `kind`, which is not read."""
    return Functions(<start_fn> start_boards[board_t], <step_fn> step_boards[board_t], <unpack_fn> unpack_all[board_t])


cdef void start_boards(Batch batch, board_t *board, const int64_t *which, const uint64_t *seed, int role,
                       const int64_t *episode, int64_t n) noexcept nogil:
    """Begin games, each with the first tiles of its own stream."""
    cdef int64_t k, i
    for k in range(n):
        i = which[k]
        batch.drops[i] = stream_of(seed[k], role, episode[k])
        batch.number[i], batch.total[i], batch.played[i] = episode[k], 0, 0
        first_board(batch.tables, &board[i], &batch.drops[i])
        look(batch, board, i)


cdef void step_boards(Batch batch, board_t *board, const int64_t *which, const int64_t *action, int64_t n,
                      int32_t *gained) noexcept nogil:
    """Play moves that are known to be legal."""
    cdef int64_t k, i, move
    cdef board_t next_board
    for k in range(n):
        i = which[k]
        move = 4 * i + action[k]
        gained[k] = batch.reward[move]
        batch.total[i] += gained[k]
        batch.played[i] += 1
        next_board = (<const board_t *> batch.after)[move]
        place(batch.tables, &next_board, &batch.drops[i], 0)
        board[i] = next_board
        look(batch, board, i)


cdef inline void look(Batch batch, const board_t *board, int64_t i) noexcept nogil:
    """Compute the afterstates of board i, and the rows of all public arrays."""
    cdef board_t own = board[i]
    cdef board_t *after = <board_t *> batch.after + 4 * i
    cdef uint8_t *can = batch.can + 4 * i
    cdef int action, cell, cells = batch.tables.cells
    cdef uint8_t *tile = batch.tile + cells * i
    cdef uint8_t best = 0
    afterstates(batch.tables, &own, after, batch.reward + 4 * i)
    for action in range(4):
        can[action] = not same(&after[action], &own)
    batch.ended[i] = not (can[0] | can[1] | can[2] | can[3])
    unpack(&own, cells, tile)
    for cell in range(cells):     # over bytes and not cells of the board: a step of 2048 +18%
        best = max(best, tile[cell])
    batch.largest[i] = batch.tables.values[best]


cdef void unpack_all(const board_t *board, int64_t n, int cells, uint8_t *tiles) noexcept nogil:
    """A byte for each cell of `n` boards."""
    cdef int64_t i
    for i in range(n):
        unpack(&board[i], cells, tiles + cells * i)
