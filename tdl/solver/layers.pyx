"""Sets of boards for the exact solver: canonical boards, layers of equal sums, and what moves and drops make of them.

A layer is all boards of one kind (states, or afterstates) whose tiles have the same sum. Rules come from
`tdl.game.board` alone; boards are the unsigned 64-bit numbers that a packed board of at most 64 bits is.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint64_t

from tdl.errors import ConfigError
from tdl.game.lines cimport LineTables


cdef class CanonicalBoards:
    """Which boards count as one: each alone, or with its symmetric images the smallest of them as a number.

    Parameters
    ----------
    tables : of the game's rules; a board has at most 64 bits.
    images : for each symmetry of the board but the identity, which cell each cell goes to; empty: each board alone.
    """

    def __cinit__(self, LineTables tables not None, images=()):
        cdef int n = 0
        self.tables, self._images = tables, images
        self.symmetries.images = len(images)
        for number, targets in enumerate(images):
            moves = {}
            for cell, target in enumerate(targets):
                by = (target - cell) * tables.bits
                moves[by] = moves.get(by, 0) | tables.rules.cell_mask << tables.bits * cell
            self.symmetries.first[number] = n
            for by, cells in moves.items():
                self.symmetries.shifts[n] = Shift(cells, max(by, 0), max(-by, 0))
                n += 1
            self.symmetries.first[number + 1] = n

    def __reduce__(self):
        return CanonicalBoards, (self.tables, self._images)

    def apply(self, uint64_t[::1] boards):
        """Put in the place of each board the one that stands for it."""
        cdef int64_t i
        if self.symmetries.images:
            for i in range(len(boards)):
                boards[i] = canonical_board(&self.symmetries, boards[i])

    def count(self, const uint64_t[::1] boards):
        """How many boards these canonical ones stand for: all images of each, divided by how many are equal to it."""
        cdef int64_t i, total = 0
        cdef int number, equal
        for i in range(len(boards)):
            equal = 1
            for number in range(self.symmetries.images):
                equal += image(&self.symmetries, number, boards[i]) == boards[i]
            total += (self.symmetries.images + 1) // equal
        return total


cdef class Layers:
    """Boards in ascending order of the sum of their tile values, within a sum of their packed number.

    Parameters
    ----------
    canonical : which boards count as one, and the tables of the game's rules.
    boards : uint64 array, canonical, in that order, without repetitions.
    sums : int64 array: the sum of the tile values of each layer.
    first : int64 array: the index in `boards` at which each layer begins, and at its end the number of boards.
    """

    def __cinit__(self, CanonicalBoards canonical not None, const uint64_t[::1] boards, const int64_t[::1] sums,
                  const int64_t[::1] first):
        if not len(boards) or len(first) != len(sums) + 1 or first[0] != 0 or first[len(sums)] != len(boards):
            raise ConfigError(f"layers: {len(sums)} layers of {len(boards)} boards do not fit together")
        if np.any(np.diff(np.asarray(first)) <= 0) or np.any(np.diff(np.asarray(sums)) <= 0):
            raise ConfigError("layers: their sums and beginnings must ascend")
        self.canonical, self.tables = canonical, canonical.tables
        self.boards, self.sums, self.first = np.asarray(boards), np.asarray(sums), np.asarray(first)
        self.index = Index(&boards[0], &sums[0], &first[0], len(sums), &canonical.symmetries)

    def __reduce__(self):
        return Layers, (self.canonical, self.boards, self.sums, self.first)

    def __len__(self):
        return len(self.boards)

    def slice_of(self, layer):
        """The slice of `boards` that is a layer."""
        return slice(int(self.first[layer]), int(self.first[layer + 1]))

    def find(self, const uint64_t[::1] boards):
        """Where boards stand: int64 array of the shape of `boards`, -1 where one is not among them.

        A number with bits beyond the board is never among them.
        """
        cdef int used = self.tables.cells * self.tables.bits
        cdef uint64_t beyond = ~((<uint64_t> 1 << used) - 1) if used < 64 else 0
        cdef int64_t i
        places = np.full(len(boards), -1, np.int64)
        cdef int64_t[::1] out = places
        for i in range(len(boards)):
            if not boards[i] & beyond:
                out[i] = find_board(&self.index, find_layer(&self.index, tile_sum(self.tables, boards[i])), boards[i])
        return places


def tile_sums(LineTables tables not None, const uint64_t[::1] boards):
    """The sum of the tile values of each board: int64 array."""
    sums = np.empty(len(boards), np.int64)
    cdef int64_t[::1] out = sums
    cdef int64_t i
    for i in range(len(boards)):
        out[i] = tile_sum(tables, boards[i])
    return sums


def largest_tile(LineTables tables not None, const uint64_t[::1] boards):
    """The value of the largest tile on any of the boards."""
    cdef int64_t i, largest = 0
    for i in range(len(boards)):
        largest = max(largest, max_tile(tables, boards[i]))
    return largest


def moved(LineTables tables not None, const uint64_t[::1] boards):
    """The afterstates of all legal moves of all boards: uint64 array, in no order, with repetitions.

    Raises
    ------
    ConfigError : a move makes a tile larger than a cell can hold.
    """
    afterstates = np.empty(4 * len(boards), np.uint64)
    cdef uint64_t[::1] out = afterstates
    cdef uint64_t after[4]
    cdef int32_t reward[4]
    # Only merges of the largest tiles earn as much: the sum of the board would no longer tell its layer.
    cdef int64_t i, count = 0, too_much = tables.values[tables.law.largest + 1]
    cdef int a
    for i in range(len(boards)):
        for a in range(legal_moves(tables, boards[i], after, reward)):
            if reward[a] >= too_much:
                rules = tables.rules
                raise ConfigError(
                    f"size: a cell holds tiles up to {rules.value(rules.largest)}, and with these rules games come to "
                    "larger ones; the exact solver cannot value such boards"
                )
            out[count] = after[a]
            count += 1
    return afterstates[:count]


def dropped(LineTables tables not None, const uint64_t[::1] boards, int tile):
    """Every board with `tile` on each of its empty cells in turn: uint64 array, in no order, with repetitions."""
    states = np.empty(tables.cells * len(boards), np.uint64)
    cdef uint64_t[::1] out = states
    cdef int shift[MAX_CELLS]
    cdef int64_t i, count = 0
    cdef int k
    for i in range(len(boards)):
        for k in range(empty_shifts(tables, boards[i], shift)):
            out[count] = boards[i] | <uint64_t> tile << shift[k]
            count += 1
    return states[:count]
