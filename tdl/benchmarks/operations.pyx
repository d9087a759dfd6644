"""What is done to a board while games are played, each operation alone and many times over: for `python -m tdl.bench
boards`, which compares the two kinds of boards."""

import numpy as np

from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.string cimport memset

from tdl.checks import check_choice
from tdl.errors import refuse
from tdl.game.engine import ENGINES
from tdl.game.board cimport (FIVES, NIBBLES, afterstates, board64, board128, board_array, board_t, empty_cells,
                             kind_for, legal_afterstates, max_tile, pack, place, random_empty, same, size_of, unpack)
from tdl.game.lines cimport LineTables
from tdl.game.stream cimport Stream, draw, stream_of
from tdl.network.index cimport activate_all
from tdl.network.ntuple cimport NTupleNetwork

cdef extern from *:
    """
    /* What is in memory is read anew after it, and written before it: passes are not merged. */
    #define tdl_barrier() __asm__ volatile("" ::: "memory")
    """
    void barrier "tdl_barrier"() noexcept nogil

cdef enum:
    ROOM = 64     # results are kept of so many boards, few enough for the first-level cache, as those of lanes are
    MOVES = 4

OPERATIONS = ("afterstates", "legal_afterstates", "random_empty", "place", "empty_cells", "max_tile", "same", "copy",
              "activate")

cdef enum Operation:     # in the order of their names
    AFTERSTATES
    LEGAL_AFTERSTATES
    RANDOM_EMPTY
    PLACE
    EMPTY_CELLS
    MAX_TILE
    SAME
    COPY
    ACTIVATE


cdef class Operations:
    """The operations on boards of one engine.

    Parameters
    ----------
    network : the `NTupleNetwork` whose entries `activate` finds; its rules are those of the boards.
    tables : the `LineTables` of these rules.
    before, after : boards to move on and boards after a move, which have an empty cell: tile indices, uint8 arrays of
        the same shape (n, cells).
    engine : "bits" or "array".
    """
    cdef NTupleNetwork network
    cdef LineTables tables
    cdef int kind
    cdef int n
    cdef object _memory
    cdef const void *before     # [n]
    cdef const void *after      # [n]
    cdef void *room             # [ROOM][MOVES]
    cdef size_t room_size
    cdef uint32_t *entry        # [MOVES][padded]
    cdef Stream stream          # goes on from pass to pass: a draw that repeats is one that a CPU learns to predict

    def __cinit__(self, NTupleNetwork network not None, LineTables tables not None, before, after, str engine):
        check_choice("engine", engine, ENGINES)
        self.network, self.tables, self.n = network, tables, len(before)
        for name, boards in (("before", before), ("after", after)):
            if boards.shape != (self.n, network.rules.cells):
                raise refuse(name, boards.shape, f"shape ({self.n}, {network.rules.cells})")
        self.kind = kind_for(engine == "array", tables.bits)
        cdef size_t size = size_of(self.kind)
        self._memory = []
        self.before, self.after = self._packed(before, size), self._packed(after, size)
        self.room_size = ROOM * MOVES * size
        self.room = self._own(self.room_size)
        self.entry = <uint32_t *> self._own(MOVES * network.plan.padded * sizeof(uint32_t))

    cdef void *_own(self, size_t size):
        """Zeroed memory on a page: where it lies tells how often a read waits for a write to another address that is
        equal in its lowest 12 bits, and without this one process dropped tiles at 0.63 of the speed of the next."""
        memory = np.zeros(size + 4096, np.uint8)
        cdef unsigned char[::1] view = memory
        self._memory.append(memory)
        return &view[-<size_t> &view[0] & 4095]

    cdef void *_packed(self, boards, size_t size):
        cdef const unsigned char[:, ::1] tiles = np.ascontiguousarray(boards, np.uint8)
        cdef void *packed = self._own(self.n * size)
        cdef int i, cells = self.tables.cells
        for i in range(self.n):
            if self.kind == NIBBLES:
                pack(&tiles[i, 0], cells, <board64 *> packed + i)
            elif self.kind == FIVES:
                pack(&tiles[i, 0], cells, <board128 *> packed + i)
            else:
                pack(&tiles[i, 0], cells, <board_array *> packed + i)
        return packed

    def run(self, str operation, int passes):
        """Do an operation to every board, `passes` times.

        Returns
        -------
        int : a checksum of the results, the same for both engines, so that no compiler leaves the work out.
        """
        check_choice("operation", operation, OPERATIONS)
        cdef int number = OPERATIONS.index(operation)
        cdef uint64_t checksum
        self.stream = stream_of(1, 0, 0)
        memset(self.room, 0, self.room_size)
        with nogil:
            if self.kind == NIBBLES:
                checksum = repeat(self, number, <const board64 *> self.before, <board64 *> self.room, passes)
            elif self.kind == FIVES:
                checksum = repeat(self, number, <const board128 *> self.before, <board128 *> self.room, passes)
            else:
                checksum = repeat(self, number, <const board_array *> self.before, <board_array *> self.room, passes)
        return checksum


cdef uint64_t repeat(Operations given, int operation, const board_t *before, board_t *room, int passes) noexcept nogil:
    """All passes, then what is left of the boards they made."""
    cdef const board_t *after = <const board_t *> given.after
    cdef unsigned char tiles[32]
    cdef uint64_t checksum = 0
    cdef int i, _, cell
    for _ in range(passes):
        if operation <= LEGAL_AFTERSTATES:
            checksum += moves(given, operation == LEGAL_AFTERSTATES, before, room)
        elif operation <= PLACE:
            checksum += drops(given, operation == PLACE, after, room)
        elif operation <= MAX_TILE:
            checksum += looks(given, operation == MAX_TILE, after)
        elif operation <= COPY:
            checksum += values(given, operation == COPY, before, room)
        else:
            checksum += entries(given, after)
        barrier()
    for i in range(ROOM * MOVES):
        unpack(room + i, given.tables.cells, tiles)
        for cell in range(given.tables.cells):
            checksum = checksum * 31 + tiles[cell]
    return checksum


cdef uint64_t moves(Operations given, bint legal, const board_t *before, board_t *room) noexcept nogil:
    """All four moves with their rewards; or the legal ones, as self-play asks for them."""
    cdef int32_t reward[4]
    cdef int action[4]
    cdef uint64_t checksum = 0
    cdef int i
    for i in range(given.n):
        if legal:
            checksum += legal_afterstates(given.tables, before + i, room + MOVES * (i % ROOM), reward, action)
        else:
            afterstates(given.tables, before + i, room + MOVES * (i % ROOM), reward)
        checksum += reward[0] + 2 * reward[1]
    return checksum


cdef uint64_t drops(Operations given, bint put, const board_t *after, board_t *room) noexcept nogil:
    """A random empty cell; or a random tile on it."""
    cdef Stream stream = given.stream
    cdef uint64_t checksum = 0
    cdef int i
    for i in range(given.n):
        if put:
            room[i % ROOM] = after[i]
            place(given.tables, room + i % ROOM, &stream, 0)
        else:
            checksum += random_empty(given.tables, after + i, draw(&stream) >> 32)
    given.stream = stream
    return checksum


cdef uint64_t looks(Operations given, bint largest, const board_t *after) noexcept nogil:
    """The number of empty cells; or the largest tile."""
    cdef uint64_t checksum = 0
    cdef int i
    for i in range(given.n):
        checksum += max_tile(given.tables, after + i) if largest else empty_cells(given.tables, after + i)
    return checksum


cdef uint64_t values(Operations given, bint copies, const board_t *before, board_t *room) noexcept nogil:
    """Whether two boards are equal, which every other pair is; or a copy."""
    cdef uint64_t checksum = 0
    cdef int i
    for i in range(given.n):
        if copies:
            room[i % ROOM] = before[i]
        else:
            checksum += same(before + i, before + (i & ~1))
    return checksum


cdef uint64_t entries(Operations given, const board_t *after) noexcept nogil:
    """The entries of four boards at a time, as self-play asks for them."""
    cdef uint64_t checksum = 0
    cdef int i
    for i in range(given.n // MOVES):
        activate_all(&given.network.plan, after + MOVES * i, MOVES, given.entry)
        checksum += given.entry[0] + given.entry[given.network.m - 1]
    return checksum
