"""TD(lambda) on afterstates: errors, and the two orders of updates.

    V(s'_t)  +=  alpha * (G_t - V(s'_t)),     G_t = r_{t+1} + gamma ((1 - lambda) V(s'_{t+1}) + lambda G_{t+1}),

and G_t = 0 after the last move. lambda = 0 is TD(0), lambda = 1 Monte Carlo.

Sources: Sutton and Barto (2018), sections 6.1, 6.8 and 12.1 (the lambda-return); Szubert and Jaskowski (2014),
"Temporal Difference Learning of N-Tuple Networks for the Game 2048", section III. The twin is
`tdl.learning.reference`.
"""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from tdl.game.board cimport board64
from tdl.learning.stepsize cimport Step, fetch_step, learn
from tdl.network.ntuple cimport activate_all, fetch, tdl_check, tdl_index_fn, tdl_index_plan, total, width_t

cdef enum:
    REPLAY = 8      # afterstates looked up at once in a backward pass


cdef enum:
    BOUND = 1000000000      # points; no game of the family comes near, a diverging network passes it at once


cdef struct Tally:
    double abs_error
    int64_t updates
    bint diverged       # an error left +-BOUND or was not a number


cdef struct Learner:
    # What learning needs of a network, as plain values.
    float *weights
    const tdl_index_plan *plan
    tdl_index_fn activate
    Step step
    float gamma
    float td_lambda
    Tally tally


cdef inline void update(Learner *learner, const uint32_t *entry, width_t m, float target) noexcept nogil:
    """One TD update. V is read here, not taken from when the move was chosen: several games learn at once, and a
    prototype that used the stale value diverged from blank at 16 lanes, with alpha .5 even at one."""
    cdef float error = target - total(learner.weights, entry, m)
    cdef float size = error if error >= 0 else -error
    learn(&learner.step, learner.weights, entry, m, error)
    learner.tally.abs_error += size
    learner.tally.updates += 1
    if not size < BOUND:     # true of nan too
        learner.tally.diverged = True


cdef inline void look_up(const Learner *learner, const board64 *boards, int n, uint32_t *entry,
                         width_t m) noexcept nogil:
    """The entries of `n` boards, `plan.padded` apart, and a request for their cache lines."""
    cdef int i
    activate_all(learner.plan, learner.activate, <const uint64_t *> boards, n, entry)
    tdl_check(learner.plan, entry, n)
    for i in range(n):
        fetch(learner.weights, entry + i * learner.plan.padded, m)


cdef inline void look_up_to_learn(const Learner *learner, const board64 *boards, int n, uint32_t *entry,
                                  width_t m) noexcept nogil:
    """The same of boards whose values will be moved."""
    cdef int i
    look_up(learner, boards, n, entry, m)
    for i in range(n):
        fetch_step(&learner.step, entry + i * learner.plan.padded, m)


cdef inline void replay_backward(Learner *learner, const board64 *path, const int32_t *reward, int64_t n,
                                 uint32_t *entry, width_t m) noexcept nogil:
    """Update the `n` afterstates of a finished game, last to first; `reward[t]` led to `path[t]`.

    Every target uses V(s'_{t+1}) as it is after its own update: the afterstates are visited once, and lambda-returns
    need no trace. While one batch of afterstates is updated, the entries of the batch before it are on their way;
    `entry` has room for two batches.
    """
    cdef int64_t low, lower, t
    cdef int bank = 0, padded = learner.plan.padded
    cdef uint32_t *row
    cdef float target = 0, bootstrap = 1 - learner.td_lambda
    low = max(n - REPLAY, 0)
    look_up_to_learn(learner, path + low, <int> (n - low), entry, m)
    while n > 0:
        lower = max(low - REPLAY, 0)
        look_up_to_learn(learner, path + lower, <int> (low - lower), entry + (1 - bank) * REPLAY * padded, m)
        for t in range(n - 1, low - 1, -1):
            row = entry + (bank * REPLAY + t - low) * padded
            update(learner, row, m, target)
            target = bootstrap * total(learner.weights, row, m) + learner.td_lambda * target
            target = <float> reward[t] + learner.gamma * target
        n, low, bank = low, lower, 1 - bank
