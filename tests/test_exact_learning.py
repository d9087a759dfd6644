"""What is learned on 2x2 with a full table, against the exact values: every learner must come to the best play.

Trusts the dynamic programming of `test_exact_2x2`, itself held against published values. A learner joins by one line.
"""

from functools import cache

import pytest
from shapes import RULES, engine
from test_exact_2x2 import after_drop, best, value, value_of_start

from tdl.agents.trainer import Trainer
from tdl.network.ntuple import NTupleNetwork
from tdl.network.tuples import TupleSet

SQUARE = RULES["2x2"]

FULL = TupleSet(((0, 1, 2, 3),), symmetries=False)
"""An entry for each board: no two boards share one, none is active twice."""

OPTIMISTIC = 150.0
"""Above every true value. Greedy play that starts below never learns what it does not try, and stays near 50."""

LEARNERS = {
    "td forward": {"order": "forward", "alpha": 0.02},
    "td backward": {"order": "backward", "alpha": 0.02},
    "td(.5) backward": {"order": "backward", "alpha": 0.02, "td_lambda": 0.5},
    "monte carlo": {"order": "backward", "alpha": 0.02, "td_lambda": 1.0},
    "tc forward": {"order": "forward", "alpha": 1.0, "step": "coherent"},
    "tc backward": {"order": "backward", "alpha": 1.0, "step": "coherent"},
    "tc(.5) backward": {"order": "backward", "alpha": 1.0, "step": "coherent", "td_lambda": 0.5},
}


def exact_value(after):
    """Expected score of best play from an afterstate on."""
    return sum(p * value(board, best) for board, p in after_drop(after, SQUARE.drop))


def learned_play(options, initial_value):
    """(expected score of the greedy play that was learned, {afterstates it comes to: value}).

    By enumeration, not by games.
    """
    network = NTupleNetwork(SQUARE, FULL, initial_value=initial_value)
    Trainer(network, seed=1, **options).train(400_000)
    reached = {}

    @cache
    def played(board):
        moves = engine(SQUARE).afterstates(board)
        if not moves:
            return 0.0
        _, after, reward = max(moves, key=lambda move: move[2] + network.value(move[1]))
        reached[after] = network.value(after)
        return reward + sum(p * played(following) for following, p in after_drop(after, SQUARE.drop))

    score = sum(
        p * q * played(second)
        for first, p in after_drop(0, SQUARE.drop)
        for second, q in after_drop(first, SQUARE.drop)
    )
    return score, reached


@pytest.mark.parametrize("options", LEARNERS.values(), ids=LEARNERS)
def test_learns_the_best_play_and_its_values(options):
    score, reached = learned_play(options, OPTIMISTIC)
    assert score == pytest.approx(value_of_start(best), rel=0.01)
    assert score <= value_of_start(best) + 1e-9
    early = [after for after in reached if sum(SQUARE.value(after >> 4 * cell & 15) for cell in range(4)) <= 8]
    assert len(early) > 5
    for after in early:
        assert reached[after] == pytest.approx(exact_value(after), rel=0.1)


@pytest.mark.parametrize("name", ["td backward", "tc backward"])
def test_greedy_learning_from_zero_stays_far_below(name):
    score, _ = learned_play(LEARNERS[name], 0.0)
    assert 40 < score < 60
