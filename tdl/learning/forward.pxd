"""Forward orders that look further back than one board: n-step returns, TD(lambda) with a truncated history, and
delayed TD(lambda).

    forward TD(lambda)   every error moves the last h boards, the board k steps back by (gamma lambda)^k of it
    delayed TD(lambda)   every board is moved once, h steps later, by the sum of (gamma lambda)^k of the errors since
    forward n-step       every board is moved once, n steps later

with h = max(1, ceil(log_lambda 0.1)). The delayed form does h times fewer updates; with temporal coherence the sum is
what E and A accumulate.

Sources: Sutton and Barto (2018), sections 7.1 and 12.2; Jaskowski (2018), "Mastering 2048 with Delayed Temporal
Coherence Learning", section on delayed TC(lambda). The reference implementation is
`tdl.learning.learning_reference`.
"""

from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.string cimport memcpy

from tdl.game.board cimport board_t
from tdl.learning.stepsize cimport fetch_step
from tdl.learning.td cimport Learner, correct, note, update, value_of
from tdl.network.weights cimport loop_t

cdef enum Look:
    N_STEP
    TRACE
    DELAYED


cdef struct History:
    # The last boards of a game, in a ring; board t lies at t % capacity.
    Look look
    int reach               # boards a return reaches over: n, or h
    int capacity            # reach + 1
    int64_t n               # boards seen in this game
    void *board             # of the type the game is played with
    uint32_t *entry         # [capacity][padded]
    float *error            # of each board, against the next
    int32_t *reward         # that led to each board


cdef inline uint32_t *row_of(const Learner *learner, const History *history, int64_t t) noexcept nogil:
    return history.entry + (t % history.capacity) * learner.plan.padded


cdef inline const board_t *board_at(const History *history, const board_t *kind, int64_t t) noexcept nogil:
    """Board t, of the type of `kind`, which is not read."""
    return <const board_t *> history.board + t % history.capacity


cdef inline void observe(Learner *learner, History *history, const board_t *board, int32_t reward,
                         const uint32_t *entry, loop_t m) noexcept nogil:
    """The next learned board of a game, and all updates that it allows."""
    cdef int64_t t = history.n
    cdef int64_t at = t % history.capacity
    (<board_t *> history.board)[at], history.reward[at] = board[0], reward
    memcpy(row_of(learner, history, t), entry, learner.plan.padded * sizeof(uint32_t))
    history.n += 1
    if history.look == N_STEP:
        if t >= history.reach:
            update_n_step(learner, history, board, t - history.reach, t, value_of(learner, entry, m), m)
    elif t > 0:
        spread_error(learner, history, board, t, <float> reward + learner.gamma * value_of(learner, entry, m), m)
    fetch_step(&learner.step, entry, m)


cdef inline void finish(Learner *learner, History *history, const board_t *kind, float final,
                        loop_t m) noexcept nogil:
    """The end of a game: the updates that are still to come. `kind` names the boards' type and is not read."""
    cdef int64_t t, end = history.n
    if end == 0:
        return
    if history.look == N_STEP:
        for t in range(max(0, end - history.reach), end):
            update_n_step(learner, history, kind, t, end - 1, final, m)
    else:
        spread_error(learner, history, kind, end, final, m)
    if history.look == DELAYED:
        for t in range(max(0, end - history.reach + 1), end):
            update_delayed(learner, history, kind, t, end - 1, m)


cdef inline void update_n_step(Learner *learner, History *history, const board_t *kind, int64_t t, int64_t last,
                               float value, loop_t m) noexcept nogil:
    """Board t against the rewards up to board `last` and what that one is worth."""
    cdef int64_t i
    for i in range(last, t, -1):
        value = <float> history.reward[i % history.capacity] + learner.gamma * value
    update(learner, board_at(history, kind, t), row_of(learner, history, t), m, value)


cdef inline void spread_error(Learner *learner, History *history, const board_t *kind, int64_t t, float target,
                              loop_t m) noexcept nogil:
    """The error of board t - 1, and what the last boards learn of it."""
    cdef float error = target - value_of(learner, row_of(learner, history, t - 1), m), decay = 1
    cdef int64_t i, first = max(0, t - history.reach)
    note(learner, error)
    if history.look == DELAYED:
        history.error[(t - 1) % history.capacity] = error
        if t >= history.reach:
            update_delayed(learner, history, kind, first, t - 1, m)
        return
    for i in range(t - 1, first - 1, -1):
        correct(learner, board_at(history, kind, i), row_of(learner, history, i), m, decay * error)
        decay = decay * (learner.gamma * learner.td_lambda)


cdef inline void update_delayed(Learner *learner, History *history, const board_t *kind, int64_t t, int64_t last,
                                loop_t m) noexcept nogil:
    """Board t, by the decayed sum of the errors up to that of board `last`."""
    cdef float total = 0
    cdef int64_t i
    for i in range(last, t - 1, -1):
        total = history.error[i % history.capacity] + (learner.gamma * learner.td_lambda) * total
    correct(learner, board_at(history, kind, t), row_of(learner, history, t), m, total)
