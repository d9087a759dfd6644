"""One thread's games: several lanes, played in turn, so that each lane's table entries arrive while others play."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from tdl.training.starts cimport Carousel, Start
from tdl.game.lines cimport LineTables
from tdl.game.stream cimport Stream
from tdl.learning.backward cimport Path, Variants
from tdl.learning.drop_table cimport DropTable
from tdl.learning.forward cimport History
from tdl.learning.td cimport Learner
from tdl.network.ntuple cimport NTupleNetwork
from tdl.search.adversary cimport Adversary
from tdl.search.expectimax cimport Expectimax

cdef enum Order:
    NO_LEARNING
    FORWARD        # update a learned board as soon as the next one is known
    BACKWARD       # update the whole game when it is over, last board first
    HISTORY        # forward, with returns that reach over several boards


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
    uint32_t *previous      # entries of the last learned board, NULL before the first move
    Path path
    # What only some learners need:
    Stream chance           # of random moves and of starts
    int32_t gained          # reward of the last move
    int game                # of the episode: 0 is the one on record
    int attempts            # games of the episode from the same milestone
    int stage               # highest stage entered by this game
    History history


cdef struct Block:
    # The episodes that are being played; each lane takes the next one when its game ends.
    int64_t own_next        # the next episode, where this thread is the only one or the first
    int64_t *next_episode
    int64_t end
    int64_t first
    int64_t seed
    int role
    int live                # lanes that play
    int64_t finished        # episodes that are over
    int64_t moves           # played so far
    Record *records


cdef class SelfPlay:
    cdef readonly NTupleNetwork network
    cdef readonly LineTables tables
    cdef readonly int lanes
    cdef readonly object options      # of the learner
    cdef object _owned        # keeps what the learner points to alive
    cdef object _leader
    cdef object _records
    cdef char lines_before[128]   # what a thread writes while it plays shares no cache line with other objects
    cdef Order order
    cdef bint full_loop       # more than plain TD of afterstates: the loop is that of `loop_full`
    cdef bint values_states   # the target is `state`
    cdef bint reward_shift
    cdef bint keeps_choices   # a variant wants to know what the choice knew
    cdef int kind             # of the boards: NIBBLES, FIVES or BYTES
    cdef uint64_t explores    # a random move is made where 32 random bits are below this
    cdef Start start
    cdef float restart_at
    cdef int restart_moves
    cdef int64_t milestone
    cdef int attempts
    cdef Learner learner
    cdef Learner evaluator    # of an adversary with a network of its own
    cdef bint against         # an adversary places the tiles
    cdef Adversary adversary
    cdef bint searches        # the player looks further than at its own move
    cdef readonly Expectimax search
    cdef Variants variants
    cdef DropTable drops
    cdef Carousel carousel
    cdef Block block
    cdef Lane *lane
    # Boards are of the type that `kind` tells.
    cdef void *boards         # [lanes]: the board each lane is to move on
    cdef void *previous       # [lanes]: the last learned board of each
    cdef void *after          # [lanes][2][4]: afterstates, by bank and legal move
    cdef uint32_t *entry      # [lanes][2][4][padded]: the entries of each afterstate
    cdef uint32_t *of_state   # [lanes][2][padded]: the entries of the board itself, where states are learned
    cdef uint32_t *replay     # [REPLAY_ROWS][padded]
    cdef float *last_values   # [n_step]
    cdef char lines_after[128]
    cdef _set_learner(self, bint learns)
    cdef _take_state(self, state, engine)
    cdef _take_drop_table(self, float[::1] drop_values, engine)
    cdef _make_adversary(self, placer, evaluator)
    cdef _make_search(self, play)
    cdef _make_lanes(self)
    cdef _make_histories(self)
