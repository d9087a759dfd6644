"""The pass of updates as a linear map, held against the learner itself on the afterstates of a game."""

from pathlib import Path

import numpy as np
import pytest
from support.shapes import RULES, small_tuples

from tdl.agents.played_values import played_values
from tdl.agents.player import Player
from tdl.agents.trainer import Trainer
from tdl.game.packing import unpack
from tdl.learning.options import LearnerOptions
from tdl.learning.reference import Game, ReferenceLearner
from tdl.network.ntuple import NTupleNetwork
from tdl.network.reference import ReferenceNetwork


@pytest.fixture
def stability(monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[2])
    from experiments.tools import stability

    return stability


@pytest.mark.parametrize(("order", "td_lambda"), [("backward", 0), ("backward", 0.6), ("forward", 0)])
@pytest.mark.parametrize(("shape", "alpha"), [("2x3", 0.3), ("3x3", 0.9), ("3x3", 1.2)])
def test_a_pass_is_the_learner_on_one_game(stability, shape, alpha, order, td_lambda):
    rules = RULES[shape]
    tuples = small_tuples(rules)["mixed"]
    network = NTupleNetwork(rules, tuples)
    Trainer(network, alpha=0.2, seed=5).train(20)
    played = played_values(Player(network), 1, 3)
    boards = [tuple(unpack(int(board), rules)) for board in played["afterstate"]]
    rewards = [0, *(-np.diff(played["earned"])).astype(int).tolist()]

    twin = ReferenceNetwork(rules, tuples)
    learner = ReferenceLearner(twin, alpha, LearnerOptions(order=order, td_lambda=td_lambda))

    def after_a_game(values):
        """The values of the boards after the learner's pass: the twin starts from weights that have these values."""
        twin.tables = [dict(table) for table in values]
        game = Game(boards[0], 0)
        for board, reward in zip(boards, rewards, strict=True):
            game.path.append((board, reward))
            if order == "forward":
                learner.observe(game)
        end = learner.finish if order == "forward" else learner.replay_backward
        end(game, np.float32(0))
        return np.array([twin.value(board) for board in boards])

    rng = np.random.default_rng(1)
    first, second = (
        [{entry: np.float32(rng.normal()) for entry in table} for table in tables]
        for tables in [_entries(twin, boards)] * 2
    )
    twin.tables = first
    before = np.array([twin.value(board) for board in boards])
    twin.tables = second
    difference = before - np.array([twin.value(board) for board in boards])
    found = after_a_game(first) - after_a_game(second)
    overlap = stability.overlaps(np.array([network.entries(int(board)) for board in played["afterstate"]]))
    gain = stability.gain_of(overlap, np.full(len(boards), alpha), order, td_lambda)
    errors = gain @ (np.append(difference[1:], 0) - difference)
    assert np.ptp(played["earned"]) > 0
    assert difference + alpha * overlap @ errors == pytest.approx(found, rel=1e-3, abs=1e-3)


def _entries(network, boards):
    """For each table the entries that the boards read."""
    tables = [set() for _ in network.tables]
    for board in boards:
        for table, index in network.active(board):
            tables[table].add(index)
    return [sorted(table) for table in tables]


@pytest.mark.parametrize("alpha", [0.5, 1.5, 2.5])
def test_growth_of_one_board_is_known(stability, alpha):
    """A game of one afterstate with four entries: its error becomes 1 - alpha of itself."""
    game = stability.Met(np.arange(4)[None, :], np.ones((1, 1)))
    rates = np.array([alpha])
    gain = stability.gain_of(game.overlap, rates, "backward")
    assert stability.growth([game], [gain], [rates]) == pytest.approx(abs(1 - alpha))
    assert stability.radius(game, gain, rates) == pytest.approx(abs(1 - alpha))


@pytest.mark.parametrize("order", ["backward", "forward"])
@pytest.mark.parametrize("alpha", [0.4, 1.3, 1.7])
def test_growth_is_the_largest_eigenvalue(stability, alpha, order):
    """Of a game of afterstates that share entries, two of them alike: of the map of the values, but for its 1s."""
    rng = np.random.default_rng(3)
    places = rng.integers(0, 12, (8, 4))
    places[5] = places[2]
    readings = np.zeros((8, 12))
    np.add.at(readings, (np.arange(8)[:, None], places), 1)
    game = stability.Met(places, readings @ readings.T / 4)
    rates = alpha / np.diag(game.overlap)
    gain = stability.gain_of(game.overlap, rates, order)
    ahead = np.eye(8, k=1) - np.eye(8)
    whole = np.linalg.eigvals(np.eye(12) + readings.T @ (rates[:, None] * gain) @ ahead @ readings / 4)
    largest = np.abs(whole[np.abs(whole - 1) > 1e-6]).max()
    assert stability.radius(game, gain, rates) == pytest.approx(largest)
    found = stability.growth([game], [gain], [rates])
    assert found == pytest.approx(largest, rel=0.02) if largest > 1 else found <= 1  # of 600 games little is left then


@pytest.mark.parametrize("alpha", [0.9, 1.1])
def test_an_error_is_carried_back_by_the_step(stability, alpha):
    """An entry for each afterstate: an error at the end comes to the beginning as alpha to the power of the moves."""
    rates = np.full(50, alpha)
    assert stability.gain_of(np.eye(50), rates, "backward")[0, -1] == pytest.approx(alpha**49)
    assert stability.gain_of(np.eye(50), rates, "forward") == pytest.approx(np.eye(50))
    with pytest.raises(ValueError, match="lambda"):
        stability.gain_of(np.eye(50), rates, "forward", 0.5)
