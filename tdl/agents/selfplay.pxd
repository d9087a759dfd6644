"""One thread's games: several lanes, played in turn, so that each lane's table entries arrive while others play."""

from libc.stdint cimport int32_t, int64_t, uint32_t

from tdl.game.lines cimport LineTables
from tdl.game.stream cimport Stream
from tdl.learning.td cimport Learner
from tdl.network.ntuple cimport NTupleNetwork

cdef enum Order:
    NO_LEARNING
    FORWARD        # update s'_t as soon as the next move is chosen
    BACKWARD       # update the whole game when it is over, last afterstate first


cdef enum Outcome:
    RUNNING        # the moves granted are used up; lanes keep their games
    DONE           # every episode of the block is over
    DIVERGED       # a value is not finite or out of all bounds
    NO_MEMORY      # a path could not grow


cdef packed struct Record:
    # One finished episode; `RECORD` in records.py is the same for NumPy.
    int64_t episode
    int64_t score
    int32_t moves
    int32_t max_tile


cdef struct Lane:
    bint live
    Stream drops
    Record record
    int bank                # which of the two banks of four rows of entries holds the current moves
    int n                   # legal moves
    int32_t reward[4]
    uint32_t *previous      # entries of the last afterstate, NULL before the first move
    int64_t steps           # afterstates on the path
    int64_t capacity
    int32_t *path_reward


cdef struct Block:
    # The episodes that are being played; each lane takes the next one when its game ends.
    int64_t next_episode
    int64_t end
    int64_t first
    int64_t seed
    int role
    int live                # lanes that play
    int64_t moves           # played so far
    Record *records


cdef class SelfPlay:
    cdef readonly NTupleNetwork network
    cdef readonly LineTables tables
    cdef readonly int lanes
    cdef Order order
    cdef Learner learner
    cdef Block block
    cdef Lane *lane
    cdef void *boards         # [lanes]: the board each lane is to move on
    cdef void *after          # [lanes][2][4]: afterstates, by bank and legal move
    cdef void **path          # [lanes]: afterstates of the current game, when the order needs them
    cdef uint32_t *entry      # [lanes][2][4][padded]: the entries of each afterstate
    cdef uint32_t *replay     # [2][REPLAY][padded]
    cdef object _sums         # keeps what `learner.step.sums` points to alive
    cdef object _records
