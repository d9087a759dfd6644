"""What is done to a board while games are played, each operation alone and many times over, on either kind of board.

`setup.py build_ext --inplace` compiles it: the flags are those of the kernels that it measures, and no wheel has it.
"""

import numpy as np

from libc.stdint cimport int32_t, uint32_t, uint64_t

from tdl.game.board cimport (FIVES, NIBBLES, afterstates, board64, board128, board_array, board_t, empty_cells,
                             kind_for, legal_afterstates, max_tile, place, random_empty, same, size_of, unpack)
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

cpdef enum Operation:
    AFTERSTATES
    LEGAL_AFTERSTATES     # as self-play asks for them
    RANDOM_EMPTY
    PLACE
    EMPTY_CELLS
    MAX_TILE
    SAME                  # every other pair is equal
    COPY
    ACTIVATE              # of four boards at a time, as self-play asks for them

OPERATIONS = tuple(operation.name.lower() for operation in Operation)


def on_page(size):
    """Zeroed bytes on a page: where memory lies tells how often a read waits for a write to another address that is
    equal in its lowest 12 bits, and without this one process dropped tiles at 0.63 of the speed of the next."""
    memory = np.zeros(size + 4096, np.uint8)
    first = -memory.ctypes.data % 4096
    return memory[first : first + size]


def repeat(NTupleNetwork network not None, LineTables tables not None, str engine,
           const unsigned char[::1] before not None, const unsigned char[::1] after not None, str operation,
           int passes):
    """Do an operation to every board, `passes` times.

    Parameters
    ----------
    network : whose entries ACTIVATE finds; its rules are those of the boards.
    before, after : the memory of boards to move on and of as many boards after a move, which have an empty cell.

    Returns
    -------
    int : a checksum of the results, the same for both engines, so that no compiler leaves the work out.
    """
    cdef int kind = kind_for(engine == "array", tables.bits), number = Operation[operation.upper()]
    cdef int n = len(before) // size_of(kind)
    cdef unsigned char[::1] memory = on_page(ROOM * MOVES * size_of(kind))
    cdef unsigned char[::1] entries = on_page(MOVES * network.plan.padded * sizeof(uint32_t))
    cdef void *room = &memory[0]
    cdef uint32_t *entry = <uint32_t *> &entries[0]
    if kind == NIBBLES:
        return passed(number, passes, n, network, tables, <board64 *> &before[0], &after[0], room, entry)
    if kind == FIVES:
        return passed(number, passes, n, network, tables, <board128 *> &before[0], &after[0], room, entry)
    return passed(number, passes, n, network, tables, <board_array *> &before[0], &after[0], room, entry)


cdef uint64_t passed(int operation, int passes, int n, NTupleNetwork network, LineTables tables, const board_t *before,
                     const void *after, void *memory, uint32_t *entry) noexcept nogil:
    """All passes, then what is left of the boards they made."""
    cdef board_t *room = <board_t *> memory
    cdef Stream stream = stream_of(1, 0, 0)     # goes on from pass to pass: a CPU learns to predict draws that repeat
    cdef unsigned char tiles[32]
    cdef uint64_t checksum = 0
    cdef int i, cell
    for _ in range(passes):
        checksum += done(operation, n, network, tables, before, <const board_t *> after, room, entry, &stream)
        barrier()
    for i in range(ROOM * MOVES):
        unpack(room + i, tables.cells, tiles)
        for cell in range(tables.cells):
            checksum = checksum * 31 + tiles[cell]
    return checksum


cdef uint64_t done(int operation, int n, NTupleNetwork network, LineTables tables, const board_t *before,
                   const board_t *after, board_t *room, uint32_t *entry, Stream *next_stream) noexcept nogil:
    """One pass."""
    cdef Stream stream = next_stream[0]
    cdef int32_t reward[4]
    cdef int action[4]
    cdef uint64_t checksum = 0
    cdef int i
    if operation == AFTERSTATES:
        for i in range(n):
            afterstates(tables, before + i, room + MOVES * (i % ROOM), reward)
            checksum += reward[0] + 2 * reward[1]
    elif operation == LEGAL_AFTERSTATES:
        for i in range(n):
            checksum += legal_afterstates(tables, before + i, room + MOVES * (i % ROOM), reward, action)
            checksum += reward[0] + 2 * reward[1]
    elif operation == RANDOM_EMPTY:
        for i in range(n):
            checksum += random_empty(tables, after + i, draw(&stream) >> 32)
    elif operation == PLACE:
        for i in range(n):
            room[i % ROOM] = after[i]
            place(tables, room + i % ROOM, &stream, 0)
    elif operation == EMPTY_CELLS:
        for i in range(n):
            checksum += empty_cells(tables, after + i)
    elif operation == MAX_TILE:
        for i in range(n):
            checksum += max_tile(tables, after + i)
    elif operation == SAME:
        for i in range(n):
            checksum += same(before + i, before + (i & ~1))
    elif operation == COPY:
        for i in range(n):
            room[i % ROOM] = before[i]
    else:
        for i in range(n // MOVES):
            activate_all(&network.plan, after + MOVES * i, MOVES, entry)
            checksum += entry[0] + entry[network.m - 1]
    next_stream[0] = stream
    return checksum
