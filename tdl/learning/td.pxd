"""TD learning of board values: what an error is, and the move of one value by it.

A learner moves V of *learned boards* b_0, b_1, ... of a game: afterstates s'_t, or states s_t (the target `state`).
Each comes with the reward r_t that led to it from the one before, and the last is worth `final`: 0 after the last
afterstate, the last move's reward after the last state. Then

    V(b_t)  +=  alpha * (G_t - V(b_t)),     G_t = r_{t+1} + gamma ((1 - lambda) V(b_{t+1}) + lambda G_{t+1}),

and G of the last is `final`. lambda = 0 is TD(0), lambda = 1 Monte Carlo. n-step returns instead rely on V(b_{t+n}).
`tdl.learning.backward` and `tdl.learning.forward` are the two orders of updates.

Sources: Sutton and Barto (2018), sections 6.1, 7.1, 12.1 and 12.2; Szubert and Jaskowski (2014), "Temporal Difference
Learning of N-Tuple Networks for the Game 2048", section III. The reference implementation is
`tdl.learning.learning_reference`.
"""

from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t

from tdl.game.board cimport board_t
from tdl.learning.drop_table cimport DropTable, follow
from tdl.learning.moved cimport Moved, mark, mark_all
from tdl.learning.stepsize cimport FIXED, Step, fetch_step, learn
from tdl.network.index cimport activate_all, tdl_check, tdl_index_plan
from tdl.network.ntuple cimport MAX_FEATURES, NTupleNetwork
from tdl.network.stages cimport StageLaw, is_later, promote, stage_indices, total_promoted
from tdl.network.weights cimport features_of, fetch, is_full, total, total_of_halves, loop_any, loop_t


cdef enum:
    BOUND = 1000000000      # points; no game of the family comes near, a diverging network passes it at once


cdef struct Tally:
    double abs_error
    int64_t updates
    bint diverged       # an error left +-BOUND or was not a number


cdef struct Learner:
    # What learning needs of a network, as plain values.
    float *weights
    const uint16_t *halves      # in their place: weights of half precision, of a network that only plays; or NULL
    const tdl_index_plan *plan
    const StageLaw *stages      # NULL: one stage
    DropTable *drops            # follows the weights for the target `state`; NULL: not needed
    const int32_t *some         # the features that are moved; NULL: all
    int some_n
    Step step
    Moved moved
    float gamma
    float td_lambda
    int n_step
    Tally tally


cdef inline void point_to(Learner *learner, NTupleNetwork network) noexcept:
    """Take the values of a network, which has to stay alive."""
    learner.weights, learner.halves, learner.plan = network.w, network.halves, &network.plan
    learner.stages = &network.law if network.law.count > 1 else NULL


cdef inline float value_of(const Learner *learner, const uint32_t *entry, loop_t m) noexcept nogil:
    """V of a board, by its entries."""
    if is_full(m) and learner.halves != NULL:
        return total_of_halves(learner.halves, entry, features_of(m))
    cdef float value = total(learner.weights, entry, m)
    if is_full(m) and value != value and learner.stages != NULL and is_later(learner.stages, entry):
        return total_promoted(learner.stages, learner.weights, entry, features_of(m))   # some have no weight yet
    return value


cdef inline void note(Learner *learner, float error) noexcept nogil:
    """Count a TD error, and see whether it is one of a diverging network."""
    cdef float size = error if error >= 0 else -error
    learner.tally.abs_error += size
    learner.tally.updates += 1
    if not size < BOUND:     # true of nan too
        learner.tally.diverged = True


cdef inline void correct(Learner *learner, const board_t *board, const uint32_t *entry, loop_t m,
                         float error) noexcept nogil:
    """Move V of a board, whose entries are `entry`, by a step size's part of an error."""
    cdef float moved[MAX_FEATURES]
    if is_full(m):
        correct_followed(learner, board, entry, features_of(m), error)
    else:
        learn(&learner.step, learner.weights, entry, m, error, moved)
        if learner.moved.chunk != NULL:
            mark(&learner.moved, entry, m)


cdef inline void correct_followed(Learner *learner, const board_t *board, const uint32_t *entry, int m,
                                  float error) noexcept nogil:
    """The same where more than the weights must be kept right."""
    cdef float moved[MAX_FEATURES]
    cdef uint32_t some[MAX_FEATURES]
    cdef int f
    if learner.some != NULL:
        for f in range(learner.some_n):
            some[f] = entry[learner.some[f]]
        entry, m = some, learner.some_n
    if learner.stages != NULL and is_later(learner.stages, entry):
        promote(learner.stages, learner.weights, entry, m)
    learn(&learner.step, learner.weights, entry, <loop_any> m, error, moved)
    if learner.moved.chunk != NULL:
        mark_all(&learner.moved, entry, m)
    if learner.drops != NULL:
        if learner.step.kind == FIXED:
            for f in range(m):
                moved[f] = learner.step.rate * error
        follow(learner.drops, learner.plan, board, entry, moved, m)


cdef inline void update(Learner *learner, const board_t *board, const uint32_t *entry, loop_t m,
                        float target) noexcept nogil:
    """One TD update. V is read here, not taken from when the move was chosen: several games learn at once, and a
    prototype that used the stale value diverged from blank at 16 lanes, with alpha .5 even at one."""
    cdef float error = target - value_of(learner, entry, m)
    correct(learner, board, entry, m, error)
    note(learner, error)


cdef inline void look_up(const Learner *learner, const board_t *boards, int n, uint32_t *entry,
                         loop_t m) noexcept nogil:
    """The entries of `n` boards, `plan.padded` apart, and a request for their cache lines."""
    cdef int i
    activate_all(learner.plan, boards, n, entry)
    tdl_check(learner.plan, entry, n)
    if is_full(m) and learner.stages != NULL:
        for i in range(n):
            stage_indices(learner.stages, learner.plan, boards + i, entry + i * learner.plan.padded, features_of(m))
    for i in range(n):
        if is_full(m) and learner.halves != NULL:
            fetch(learner.halves, entry + i * learner.plan.padded, m)
        else:
            fetch(learner.weights, entry + i * learner.plan.padded, m)


cdef inline void look_up_to_learn(const Learner *learner, const board_t *boards, int n, uint32_t *entry,
                                  loop_t m) noexcept nogil:
    """The same of boards whose values will be moved."""
    cdef int i
    look_up(learner, boards, n, entry, m)
    for i in range(n):
        fetch_step(&learner.step, entry + i * learner.plan.padded, m)
