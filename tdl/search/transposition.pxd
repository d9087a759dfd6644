"""A table of afterstates that were searched already, of a fixed size: a new one takes the place of the old.

Values that are found are the very bits that searching again would give: the whole board is compared, the plies, what
the weights were, and, where improbable drops are cut off, the probability that the cut-off goes by.
"""

from libc.stdint cimport uint32_t, uint64_t

from tdl.game.board cimport board128, board64, board_t, same

cdef extern from *:
    """
    #include <string.h>
    static inline uint64_t tdl_word(const void *board, int i)
    {
        uint64_t word;
        memcpy(&word, (const char *)board + 8 * i, 8);
        return word;
    }
    """
    uint64_t word "tdl_word"(const void *board, int i) noexcept nogil


cdef struct Mark:
    float value
    uint32_t tag        # what the value was made with: stamp and plies; 0: nothing is here
    float probability


cdef struct Table:
    char *memory        # NULL: there is none
    uint64_t slots
    uint64_t stride     # bytes of a slot: a board, then its mark
    uint32_t stamp      # above 0; rises when the weights may have changed
    bint of_probability


cdef enum:
    PLY_BITS = 4
    MAX_STAMPS = 1 << 28


cdef inline char *slot_of(const Table *table, const board_t *board, int plies) noexcept nogil:
    """Where the value of a board belongs."""
    cdef uint64_t key = <uint64_t> plies * <uint64_t> 0xD6E8FEB86659FD93
    cdef int i
    for i in range(<int> (sizeof(board_t) // 8)):
        key = (key ^ word(board, i)) * <uint64_t> 0x9E3779B97F4A7C15
        key ^= key >> 32
    return table.memory + (((key & <uint64_t> 0xFFFFFFFF) * table.slots) >> 32) * table.stride


cdef inline bint find(const Table *table, const char *slot, const board_t *board, int plies, float probability,
                      float *value) noexcept nogil:
    """Whether a slot has the value of a board, which then is put into `value`."""
    cdef const Mark *mark = <const Mark *> (slot + sizeof(board_t))
    if mark.tag != (table.stamp << PLY_BITS | <uint32_t> plies) or not same(<const board_t *> slot, board):
        return False
    if table.of_probability and mark.probability != probability:
        return False
    value[0] = mark.value
    return True


cdef inline void keep(const Table *table, char *slot, const board_t *board, int plies, float probability,
                      float value) noexcept nogil:
    """Put the value of a board into a slot."""
    cdef Mark *mark = <Mark *> (slot + sizeof(board_t))
    (<board_t *> slot)[0] = board[0]
    mark.tag = table.stamp << PLY_BITS | <uint32_t> plies
    mark.probability = probability
    mark.value = value
