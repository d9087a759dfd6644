"""What docs/theory.md and docs/choices.md say of step sizes: where one board becomes unstable, what E and A add up.

Trusts the reference learner, which the kernels are tested against, and `NTupleNetwork.entries`.
"""

import itertools

import numpy as np
import pytest

from tdl.config.tuple_sets import tuple_set
from tdl.game.boards import unpack
from tdl.game.engine import Engine
from tdl.game.rules import Rules
from tdl.learning.learning_reference import Game, ReferenceLearner
from tdl.learning.options import LearnerOptions
from tdl.network.network_reference import ReferenceNetwork
from tdl.network.ntuple import NTupleNetwork
from tdl.network.tuples import TupleSet
from tdl.training.trainer import Trainer

RULES = Rules()
CORNER = 3
"""The board whose only tile, 8, lies in the first corner."""


def steps_of(network, board):
    """By how many alpha times the error V of the board moves: the sum of k^2 over its different entries, by m."""
    _, k = np.unique(network.entries(board), return_counts=True)
    return (k**2).sum() / network.m


def first_afterstates():
    """The afterstates of the first moves of all games."""
    engine, tiles = Engine(RULES), (1, 2)
    for (i, j), a, b in itertools.product(itertools.combinations(range(16), 2), tiles, tiles):
        yield from (after for _, after, _ in engine.afterstates(a << 4 * i | b << 4 * j))


def test_the_corner_tile_is_the_most_repeated_of_the_first_afterstates():
    network = NTupleNetwork(RULES, TupleSet(tuple_set("4x6").cells, radix=4))
    assert steps_of(network, 0) == 8  # all images of a tuple read one entry: no board has more
    assert steps_of(network, CORNER) == 6 == max(map(steps_of, itertools.repeat(network), set(first_afterstates())))


@pytest.mark.parametrize(("alpha", "stable"), [(0.33, True), (0.34, False)])
def test_its_value_is_stable_up_to_a_third(alpha, stable):
    learner = ReferenceLearner(ReferenceNetwork(RULES, tuple_set("4x6")), alpha)
    board = unpack(CORNER, RULES)
    for _ in range(60):
        learner.update(board, np.float32(100))
    errors = learner.errors
    assert errors[-1] / errors[0] == pytest.approx(abs(1 - 6 * alpha) ** 59, rel=0.01)
    assert (errors[-1] < errors[0]) == stable


def test_coherent_steps_above_2_need_not_diverge():
    learner = ReferenceLearner(
        ReferenceNetwork(RULES, TupleSet(((0, 1, 2),), symmetries=False)), 3.0, LearnerOptions(step="coherent")
    )
    for _ in range(10):
        learner.update(unpack(CORNER, RULES), np.float32(100))
    assert [round(float(error)) for error in learner.errors[:4]] == [100, 200, 400, 0]
    assert learner.errors[-1] < 1e-3


def test_e_and_a_hold_moves_in_the_alpha_of_their_time():
    network = NTupleNetwork(Rules(rows=2, cols=3), TupleSet(((0, 1, 2), (1, 4))))
    trainer = Trainer(network, step="coherent", alpha=0.8, schedule=["0:0.8", "1:0.1"], seed=3)
    asked = []
    for alpha in (0.8, 0.1):
        records = trainer.train(1)
        asked.append(alpha * trainer.mean_abs_error * records["moves"].sum())
        assert trainer.state["sums"][:, 1].sum() == pytest.approx(sum(asked), rel=1e-4)


@pytest.mark.parametrize("order", ["forward", "delayed"])
def test_what_e_and_a_are_given_of_an_error(order, monkeypatch):
    """Forward each decayed part by itself; delayed one weighted sum for each board."""
    learner = ReferenceLearner(
        ReferenceNetwork(RULES, TupleSet(((0, 1),))), 1.0, LearnerOptions(order=order, step="coherent", td_lambda=0.5)
    )
    given = []
    monkeypatch.setattr(learner, "correct", lambda board, error: given.append((board[0], float(error))))
    game = Game(unpack(0, RULES), 0)
    for first, reward in ((1, 0), (2, 8), (3, 0)):  # V stays 0, so the rewards are the errors
        game.path.append(([first] + [0] * 15, reward))
        learner.observe(game)
    learner.finish(game, np.float32(4))
    if order == "forward":
        assert given == [(1, 8.0), (2, 0.0), (1, 0.0), (3, 4.0), (2, 2.0), (1, 1.0)]
    else:
        assert given == [(1, 9.0), (2, 2.0), (3, 4.0)]
