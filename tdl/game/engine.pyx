"""A compiled engine of one game for Python, one call at a time: moves, drops and tiles of boards given as ints."""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from tdl.base.checks import check_choice, check_instance, check_whole, without_numpy
from tdl.errors import refuse
from tdl.game.board cimport (FIVES, NIBBLES, board64, board128, board_array, board_t, empty_cells,
                             first_board, kind_for, legal_afterstates, max_tile, place)
from tdl.game.boards import action_of, actions_of, packed_boards, read_board, unpack
from tdl.game.packing cimport as_int, taken
from tdl.game.lines cimport LineTables
from tdl.game.lines import tables_of
from tdl.game.rules import checked_rules
from tdl.game.stream cimport Stream as StreamState, draw, stream_of

ENGINES = ("bits", "array")

# Roles of streams: the same seed and episode give unrelated streams for unrelated purposes, so that evaluating more
# often cannot change training.
TRAINING, EXPLORATION, EVALUATION, LOGGED = 0, 1, 2, 3     # LOGGED: greedy games in the middle of training


def grid_text(grid):
    """Tile values, an array of shape (rows, cols), as text, one line a row; `.` is an empty cell."""
    width = max(4, len(str(grid.max())))
    return "\n".join(" ".join(f"{value or '.':>{width}}" for value in row) for row in grid.tolist())


cdef class Stream:
    """The random sequence of one (seed, role, episode); its reference implementation is
    `tdl.game.game_reference.Stream`.

    Parameters
    ----------
    seed, role, episode : non-negative ints below 2^64; `tdl.game.engine` names the roles.
    """
    cdef StreamState state
    cdef uint64_t seed, role, episode

    def __cinit__(self, seed=None, role=None, episode=None):
        numbers = {"seed": seed, "role": role, "episode": episode}
        for key, number in numbers.items():
            check_whole(key, without_numpy(number), 0, 2**64)
        self.seed, self.role, self.episode = seed, role, episode
        self.state = stream_of(self.seed, self.role, self.episode)

    def __repr__(self):
        return f"Stream(seed={self.seed}, role={self.role}, episode={self.episode})"

    def next(self):
        """The next number, 0 to 2^64 - 1."""
        return draw(&self.state)

    def __reduce__(self):
        return type(self), (self.seed, self.role, self.episode), self.state

    def __setstate__(self, state):
        self.state = state


# What an engine does with boards of its type. The pointer only names the type in the functions' own declarations.
ctypedef list (*afterstates_fn)(LineTables tables, object board, const void *kind)
ctypedef int (*afterstates_of_fn)(LineTables tables, const void *kind, const uint64_t[::1] packed,
                                  uint64_t[:, ::1] after, int32_t[:, ::1] reward, uint8_t[:, ::1] legal) except -1
ctypedef int (*empty_fn)(LineTables tables, object board, const void *kind) except -1
ctypedef object (*place_fn)(LineTables tables, object board, const void *kind, Stream stream, int tile)
ctypedef object (*start_fn)(LineTables tables, const void *kind, Stream stream)
ctypedef object (*max_tile_fn)(LineTables tables, object board, const void *kind)

cdef struct Functions:
    afterstates_fn afterstates
    afterstates_of_fn afterstates_of
    empty_fn empty
    place_fn place
    start_fn start
    max_tile_fn max_tile


cdef class Engine:
    """Plays by `rules`, one call at a time.

    A board is an int with cell 0 in its lowest bits (`rules.bits` bits a cell, rows one after the other).

    Parameters
    ----------
    rules : `Rules`; None: 2048 on 4x4.
    engine : what boards are while they are played with, "bits" (packed) or "array" (a byte a cell). Both give the same
        games; the ints that go in and out are the same too.
    """
    cdef readonly LineTables tables
    cdef str _boards
    cdef Functions on

    def __cinit__(self, rules=None, engine="bits"):
        check_choice("engine", engine, ENGINES)
        self.tables, self._boards = tables_of(checked_rules(rules)), engine
        cdef int kind = kind_for(engine == "array", self.tables.bits)
        self.on = (functions_of(<board64 *> NULL) if kind == NIBBLES else
                   functions_of(<board128 *> NULL) if kind == FIVES else functions_of(<board_array *> NULL))

    def __repr__(self):
        return f"Engine({self.tables.rules.name})"

    def __reduce__(self):
        return type(self), (self.rules, self._boards), getattr(self, "__dict__", None)

    @property
    def rules(self):
        """The `Rules` played by."""
        return self.tables.rules

    def board(self, board):
        """Pack a board.

        Parameters
        ----------
        board : an int (returned as it is, checked); rows of tile *values*, shape (rows, cols), 0 = empty; or a text
            (`tdl.game.board_text`).

        Raises
        ------
        ConfigError : a wrong shape, or a number that is no tile of this game. All methods that take a board raise it.
        """
        return read_board(board, self.tables.rules)

    def array(self, board):
        """The tile values of a board: int64 array of shape (rows, cols)."""
        rules = self.tables.rules
        board = self.board(board)
        cells = [rules.value(tile) for tile in unpack(board, rules)]
        return np.array(cells, np.int64).reshape(rules.rows, rules.cols)

    def show(self, board):
        """The board as text, one line a row."""
        return grid_text(self.array(board))

    def afterstates(self, board):
        """The legal moves of a board: list of (action, afterstate, reward), actions ascending."""
        board = self.board(board)
        return self.on.afterstates(self.tables, board, NULL)

    def afterstates_of(self, boards):
        """The moves of many boards of at most 64 bits.

        Parameters
        ----------
        boards : packed boards, an array of shape (n,); or a list of boards.

        Returns
        -------
        afterstates, uint64 (n, 4), of up, right, down, left, the board itself where illegal; rewards, int32 (n, 4), 0
        where illegal; and whether each is legal, bool (n, 4).

        Raises
        ------
        ConfigError : the boards of these rules need more than 64 bits, or one is no board of them.
        """
        cdef const uint64_t[::1] numbers = packed_boards(boards, self.tables.rules)
        after = np.repeat(np.asarray(numbers), 4).reshape(-1, 4)
        rewards, legal = np.zeros(after.shape, np.int32), np.zeros(after.shape, np.uint8)
        self.on.afterstates_of(self.tables, NULL, numbers, after, rewards, legal)
        return after, rewards, legal.view(np.bool_)

    def legal(self, board):
        """The legal actions, ascending; empty when the game is over."""
        return [action for action, _, _ in self.afterstates(board)]

    def move(self, board, action):
        """(afterstate, reward) of an action.

        Raises
        ------
        ConfigError : there is no such action, or it is not legal on this board.
        """
        action = action_of(action)
        for legal, after, reward in self.afterstates(board):
            if legal == action:
                return after, reward
        raise refuse("action", action, f"one of the legal actions {self.legal(board)}")

    def terminal(self, board):
        """Whether the game is over."""
        return not self.afterstates(board)

    def empty(self, board):
        """Number of empty cells."""
        board = self.board(board)
        return self.on.empty(self.tables, board, NULL)

    def place(self, board, stream, tile=0):
        """Drop a tile (index `tile`; 0: by the drop law) on a random empty cell of an afterstate.

        Raises
        ------
        ConfigError : the board is full, or there is no such tile.
        """
        board, tile = self.board(board), without_numpy(tile)
        check_instance("stream", stream, Stream, "as tdl.Stream(seed, role, episode)")
        if type(tile) is not int or not 0 <= tile <= self.tables.rules.largest:
            raise refuse("tile", tile, f"a tile index from 1 to {self.tables.rules.largest}, or 0")
        if not self.empty(board):
            raise self._full(board)
        return self.on.place(self.tables, board, NULL, stream, tile)

    def drops(self, after):
        """What a drop makes of an afterstate: list of (board, probability), whose probabilities sum to 1.

        They are in the order of the cells, and on each cell in that of the tiles in `rules.drop`.

        Raises
        ------
        ConfigError : the board is full.
        """
        after, rules = self.board(after), self.tables.rules
        shifts = [rules.bits * cell for cell, tile in enumerate(unpack(after, rules)) if not tile]
        if not shifts:
            raise self._full(after)
        return [(after | tile << shift, share / len(shifts)) for shift in shifts for tile, share in rules.drop]

    def drops_of(self, afters):
        """The drops of many afterstates of at most 64 bits, one after the other, each in the order of `drops`.

        Parameters
        ----------
        afters : packed boards, an array of shape (n,); or a list of boards.

        Returns
        -------
        boards, uint64 (m,); probabilities, float64 (m,); and which afterstate each is of, int64 (m,), ascending. So
        `np.bincount(which, probabilities * values, minlength=n)` are the means of values of these boards.

        Raises
        ------
        ConfigError : the boards of these rules need more than 64 bits, one is no board of them, or full.
        """
        rules, packed = self.tables.rules, packed_boards(afters, self.tables.rules)
        tiles, shares = np.array([tile for tile, _ in rules.drop], np.uint64), np.array([p for _, p in rules.drop])
        empty = np.array(unpack(packed, rules)).T == 0
        cells = empty.sum(1)
        if not cells.all():
            raise self._full(packed[cells.argmin()], f"boards[{cells.argmin()}]")
        number, cell = np.nonzero(empty)
        boards = packed[number, None] | tiles << (np.uint64(rules.bits) * cell.astype(np.uint64))[:, None]
        return boards.ravel(), (shares / cells[number, None]).ravel(), np.repeat(number, len(tiles))

    def step(self, board, action, chance):
        """Play an action and let a tile drop: (board, reward).

        Parameters
        ----------
        chance : a `Stream`, from which the drop is drawn as by `place`; or its number in `drops` of the afterstate.

        Raises
        ------
        ConfigError : the action is not legal on this board, or there is no such drop.
        """
        after, reward = self.move(board, action)
        if isinstance(chance, Stream):
            return self.place(after, chance), reward
        drops, number = self.drops(after), without_numpy(chance)
        if type(number) is not int or not 0 <= number < len(drops):
            raise refuse("chance", chance, f"a tdl.Stream, or the number of a drop, 0 to {len(drops) - 1}")
        return drops[number][0], reward

    def step_of(self, boards, actions, chance):
        """`step` of many boards of at most 64 bits.

        Parameters
        ----------
        boards : packed boards, an array of shape (n,); or a list of boards.
        actions : one for each board.
        chance : a `Stream`, from which the drops are drawn in the order of the boards; or their numbers, shape (n,).

        Returns
        -------
        boards, uint64 (n,), and rewards, int32 (n,).

        Raises
        ------
        ConfigError : the boards of these rules need more than 64 bits, or one has not this action or drop.
        """
        after, rewards, legal = self.afterstates_of(boards)
        cdef int64_t i, n = len(after)
        moves = np.arange(n), actions_of(actions, n)
        if not legal[moves].all():
            i = legal[moves].argmin()
            allowed = f"one of the legal actions {np.flatnonzero(legal[i]).tolist()}"
            raise refuse(f"action of board {i}", int(moves[1][i]), allowed)
        cdef uint64_t[::1] following = after[moves]
        if isinstance(chance, Stream):
            for i in range(n):
                following[i] = self.on.place(self.tables, following[i], NULL, chance, 0)
            return following.base, rewards[moves]
        dropped, _, number = self.drops_of(following.base)
        drops, numbers = np.bincount(number, minlength=n), numbers_of_drops(chance, n)
        for i in np.flatnonzero((numbers < 0) | (numbers >= drops)):
            raise refuse(f"chance of board {i}", int(numbers[i]), f"the number of a drop, 0 to {drops[i] - 1}")
        return dropped[drops.cumsum() - drops + numbers.astype(np.int64)], rewards[moves]

    def _full(self, board, key="board"):
        """Why nothing can drop."""
        return refuse(key, self.show(board), "a board with an empty cell")

    def start(self, stream):
        """The first board of a game."""
        check_instance("stream", stream, Stream, "as tdl.Stream(seed, role, episode)")
        return self.on.start(self.tables, NULL, stream)

    def max_tile(self, board):
        """Value of the largest tile."""
        board = self.board(board)
        return self.on.max_tile(self.tables, board, NULL)


cdef object numbers_of_drops(chance, int64_t n):
    """The numbers of drops of `n` afterstates as an array of shape (n,)."""
    try:
        numbers = np.asarray(chance)
    except ValueError:     # lists of unequal length
        numbers = np.zeros(0)
    if numbers.shape != (n,) or n and numbers.dtype.kind not in "iu":
        raise refuse("chance", chance, f"a tdl.Stream, or the numbers of {n} drops")
    return numbers


cdef Functions functions_of(const board_t *kind):
    """The functions for the type of `kind`, which is not read."""
    return Functions(<afterstates_fn> _afterstates[board_t], <afterstates_of_fn> _afterstates_of[board_t],
                     <empty_fn> _empty[board_t], <place_fn> _place[board_t], <start_fn> _start[board_t],
                     <max_tile_fn> _max_tile[board_t])


cdef list _afterstates(LineTables tables, object packed, const board_t *kind):
    cdef board_t board = taken(tables, packed, kind)
    cdef board_t after[4]
    cdef int32_t reward[4]
    cdef int action[4]
    cdef int i, n = legal_afterstates(tables, &board, after, reward, action)
    return [(action[i], as_int(tables, &after[i]), reward[i]) for i in range(n)]


cdef int _afterstates_of(LineTables tables, const board_t *kind, const uint64_t[::1] packed, uint64_t[:, ::1] after,
                         int32_t[:, ::1] reward, uint8_t[:, ::1] legal) except -1:
    cdef board_t board
    cdef board_t states[4]
    cdef int32_t rewards[4]
    cdef int actions[4]
    cdef int64_t i
    cdef int j
    for i in range(packed.shape[0]):
        board = taken(tables, packed[i], kind)
        for j in range(legal_afterstates(tables, &board, states, rewards, actions)):
            after[i, actions[j]] = <uint64_t> as_int(tables, &states[j])
            reward[i, actions[j]] = rewards[j]
            legal[i, actions[j]] = True
    return 0


cdef int _empty(LineTables tables, object packed, const board_t *kind) except -1:
    cdef board_t board = taken(tables, packed, kind)
    return empty_cells(tables, &board)


cdef object _place(LineTables tables, object packed, const board_t *kind, Stream stream, int tile):
    cdef board_t board = taken(tables, packed, kind)
    place(tables, &board, &stream.state, tile)
    return as_int(tables, &board)


cdef object _start(LineTables tables, const board_t *kind, Stream stream):
    cdef board_t board
    first_board(tables, &board, &stream.state)
    return as_int(tables, &board)


cdef object _max_tile(LineTables tables, object packed, const board_t *kind):
    cdef board_t board = taken(tables, packed, kind)
    return max_tile(tables, &board)
