"""Backward order: the learned boards of a finished game are moved last to first.

Every target uses V(b_{t+1}) as it is after its own update: the boards are visited once, and returns need no trace.
"""

from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.stdlib cimport free, realloc

from tdl.game.board cimport board_t, legal_afterstates
from tdl.game.lines cimport LineTables
from tdl.learning.moved cimport mark_all
from tdl.learning.td cimport BOUND, Learner, correct, look_up, look_up_to_learn, note, value_of
from tdl.network.weights cimport features_of, is_full, loop_t

cdef enum:
    REPLAY = 8              # boards looked up at once in a backward pass
    REPLAY_ROWS = 2 * REPLAY + 4
    FIRST_PATH = 4096       # boards a path has room for at first


cdef enum Cleared:
    # The board whose entries are set to 0 in place of an update of the last afterstate.
    NOTHING
    LAST_AFTERSTATE
    LAST_STATE              # the board that was to move on last


cdef struct Variants:
    # The variants of the backward pass in published programs.
    bint stored_value       # V(b_t) of the error is that of when the move was chosen
    bint running_value      # V(b_{t+1}) of the target is what an update adds up while it moves the entries
    bint rechoose           # the next action is chosen again, by the weights as they are now
    Cleared cleared


cdef struct Path:
    # The learned boards of one game, with the reward that led to each.
    int64_t n
    int64_t capacity
    int64_t variant_capacity
    void *board             # of the type the game is played with
    int32_t *reward
    float *stored           # V as it was when the move was chosen   } kept only where
    void *state             # the board that was to move on          } a variant asks for it


cdef inline bint grow(void **memory, int64_t size) noexcept nogil:
    cdef void *moved = realloc(memory[0], size)
    if moved != NULL:
        memory[0] = moved
    return moved != NULL


cdef inline bint remember(Path *path, const board_t *board, int32_t reward) noexcept nogil:
    """Append a board; False when there is no memory for it."""
    cdef int64_t capacity
    if path.n == path.capacity:
        capacity = 2 * path.capacity if path.capacity else FIRST_PATH
        if not (grow(&path.board, capacity * sizeof(board_t))
                and grow(<void **> &path.reward, capacity * sizeof(int32_t))):
            return False
        path.capacity = capacity
    (<board_t *> path.board)[path.n] = board[0]
    path.reward[path.n] = reward
    path.n += 1
    return True


cdef inline bint remember_choice(Path *path, const board_t *state, float value) noexcept nogil:
    """Beside the board appended last, what the variants want to know of it; False when there is no memory for it."""
    if path.variant_capacity != path.capacity:
        if not (grow(<void **> &path.stored, path.capacity * sizeof(float))
                and grow(&path.state, path.capacity * sizeof(board_t))):
            return False
        path.variant_capacity = path.capacity
    path.stored[path.n - 1] = value
    (<board_t *> path.state)[path.n - 1] = state[0]
    return True


cdef inline void forget(Path *path) noexcept nogil:
    free(path.board)
    free(path.reward)
    free(path.stored)
    free(path.state)


cdef inline float n_step_target(const Path *path, int64_t t, int n, const float *last_values, float gamma,
                                float final) noexcept nogil:
    """The target of board t: n rewards, then V of board t + n as it was after its own update."""
    cdef int64_t i = t + n
    cdef float target
    if i < path.n:
        target = last_values[i % n]
    else:
        i, target = path.n - 1, final
    while i > t:
        target = <float> path.reward[i] + gamma * target
        i -= 1
    return target


cdef inline float rechosen(Learner *learner, LineTables tables, const board_t *state, uint32_t *entry,
                           loop_t m) noexcept nogil:
    """The largest r + gamma V(s') of a board, by the weights as they are now (the variant `rechoose`)."""
    cdef board_t after[4]
    cdef int32_t reward[4]
    cdef int action[4]
    cdef int k, n = legal_afterstates(tables, state, after, reward, action)
    cdef float q, best = -<float> BOUND
    look_up(learner, after, n, entry, m)
    for k in range(n):
        q = <float> reward[k] + learner.gamma * value_of(learner, entry + k * learner.plan.padded, m)
        best = max(best, q)
    return best


cdef inline void clear_last(Learner *learner, const Path *path, const board_t *boards, Cleared cleared,
                            uint32_t *entry, loop_t m) noexcept nogil:
    """Set the entries of a board at the end of a game to 0 (the variant `clear_last`)."""
    if cleared == LAST_STATE:
        look_up(learner, <const board_t *> path.state + path.n - 1, 1, entry, m)
    else:
        look_up(learner, boards + path.n - 1, 1, entry, m)
    clear(learner, entry, features_of(m))


cdef inline void clear(Learner *learner, const uint32_t *entry, int m) noexcept nogil:
    """Set the entries that are moved to 0."""
    cdef int f
    for f in range(learner.some_n if learner.some != NULL else m):
        learner.weights[entry[learner.some[f] if learner.some != NULL else f]] = 0
    if learner.moved.chunk != NULL:
        mark_all(&learner.moved, entry, m)


cdef inline float running_value(const Learner *learner, float before, float after, float error, int m) noexcept nogil:
    """The sum of a board's entries, each taken when it has just been moved (the variant `running_value`).

    An entry w that is active k times and moves by d each time is taken as w + d, w + 2 d, ..., w + k d. Their sum is
    the mean of V before and after the update, k w and k w + k^2 d, and half of what all moves add up to, k d.
    """
    return <float> 0.5 * ((before + <float> m * learner.step.rate * error) + after)


cdef inline void replay_backward(Learner *learner, LineTables tables, const Path *path, const board_t *boards,
                                 float final, float *last_values, Variants variants, uint32_t *entry,
                                 loop_t m) noexcept nogil:
    """Update the boards of a finished game, last to first.

    While one batch of boards is updated, the entries of the batch before it are on their way.

    Parameters
    ----------
    boards : those of the path.
    final : target of the last board.
    last_values : room for n_step numbers.
    entry : room for two batches, and for the four afterstates of a board.
    """
    cdef int64_t low, lower, t, n = path.n
    cdef int bank = 0, padded = learner.plan.padded
    cdef uint32_t *row
    cdef float target = final, bootstrap = 1 - learner.td_lambda, before, after, error
    low = max(n - REPLAY, 0)
    look_up_to_learn(learner, boards + low, <int> (n - low), entry, m)
    while n > 0:
        lower = max(low - REPLAY, 0)
        look_up_to_learn(learner, boards + lower, <int> (low - lower), entry + (1 - bank) * REPLAY * padded, m)
        for t in range(n - 1, low - 1, -1):
            row = entry + (bank * REPLAY + t - low) * padded
            before = value_of(learner, row, m)
            error = target - (path.stored[t] if is_full(m) and variants.stored_value else before)
            if is_full(m) and variants.cleared != NOTHING and t == path.n - 1:
                clear_last(learner, path, boards, variants.cleared, entry + 2 * REPLAY * padded, m)
            else:
                correct(learner, boards + t, row, m, error)
            note(learner, error)
            if is_full(m) and variants.rechoose:
                target = rechosen(learner, tables, <const board_t *> path.state + t, entry + 2 * REPLAY * padded, m)
                continue
            after = value_of(learner, row, m)
            if is_full(m) and variants.running_value:
                after = running_value(learner, before, after, error, features_of(m))
            if learner.n_step > 1:
                last_values[t % learner.n_step] = after
                if t:
                    target = n_step_target(path, t - 1, learner.n_step, last_values, learner.gamma, final)
            else:
                target = <float> path.reward[t] + learner.gamma * (bootstrap * after + learner.td_lambda * target)
        n, low, bank = low, lower, 1 - bank
