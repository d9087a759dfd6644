"""What is learned on 2x2 with a full table, against the exact values: every learner must come to the best play.

Trusts the solver in plain Python, held against published values in `test_solver`. A learner joins by one line.
"""

import itertools
from functools import cache

import pytest
from support.shapes import RULES, engine

from tdl.game.boards import pack, unpack
from tdl.network.ntuple import NTupleNetwork
from tdl.network.stages import Stages
from tdl.network.tuples import TupleSet
from tdl.players.player import Player
from tdl.solver.solver_reference import Solver, drops
from tdl.training.trainer import Trainer

SQUARE = RULES["2x2"]

BEST = Solver(SQUARE)
"""The exact values of the best play."""

FULL = TupleSet(((0, 1, 2, 3),), symmetries=False)
"""An entry for each board: no two boards share one, none is active twice."""

STAGES = Stages((16,))

OPTIMISTIC = 150.0
"""Above every true value. Greedy play that starts below never learns what it does not try, and stays near 50."""

LEARNERS = {
    "td forward": {"order": "forward", "alpha": 0.02},
    "td backward": {"order": "backward", "alpha": 0.02},
    "td(.5) forward": {"order": "forward", "alpha": 0.02, "td_lambda": 0.5},
    "td(.5) backward": {"order": "backward", "alpha": 0.02, "td_lambda": 0.5},
    "td(.5) delayed": {"order": "delayed", "alpha": 0.02, "td_lambda": 0.5},
    "monte carlo": {"order": "backward", "alpha": 0.02, "td_lambda": 1.0},
    "3 steps forward": {"order": "forward", "alpha": 0.02, "n_step": 3},
    "3 steps backward": {"order": "backward", "alpha": 0.02, "n_step": 3},
    "tc forward": {"order": "forward", "alpha": 1.0, "step": "coherent"},
    "tc backward": {"order": "backward", "alpha": 1.0, "step": "coherent"},
    "tc(.5) forward": {"order": "forward", "alpha": 1.0, "step": "coherent", "td_lambda": 0.5},
    "tc(.5) backward": {"order": "backward", "alpha": 1.0, "step": "coherent", "td_lambda": 0.5},
    "state forward": {"target": "state", "order": "forward", "alpha": 0.02},
    "state backward": {"target": "state", "order": "backward", "alpha": 0.02},
    "state, each successor": {"target": "state", "order": "backward", "alpha": 0.02, "expectation": "direct"},
    "state tc": {"target": "state", "order": "backward", "alpha": 1.0, "step": "coherent"},
    "halving": {"order": "backward", "alpha": 0.2, "schedule": "halving:100000"},
    "restart": {"order": "backward", "alpha": 0.02, "start": "restart"},
    "milestone": {"order": "backward", "alpha": 0.02, "start": "milestone", "milestone": 8},
    "stages": {"order": "backward", "alpha": 0.02, "stages": STAGES},
    "carousel": {"order": "backward", "alpha": 0.02, "stages": STAGES, "start": "carousel"},
    "state, stages": {"target": "state", "order": "backward", "alpha": 0.02, "stages": STAGES},
    "two threads": {"order": "backward", "alpha": 0.02, "threads": 2},
}


def after_drop(board):
    """(next board, probability) of all drops."""
    return [(pack(list(tiles), SQUARE), p) for tiles, p in drops(tuple(unpack(board, SQUARE)), SQUARE.drop)]


def lost():
    """All boards on which no move is legal."""
    full = itertools.product(range(1, SQUARE.largest + 1), repeat=4)
    boards = (pack(list(tiles), SQUARE) for tiles in full)
    return [board for board in boards if engine(SQUARE).terminal(board)]


def learned_play(options, initial_value):
    """(expected score of the greedy play that was learned, {learned boards it comes to: (value, exact value)}).

    By enumeration, not by games. Where states are learned, lost ones are never moved, so that high initial values
    would draw the player towards them: they begin at 0 here.
    """
    options = dict(options)
    network = NTupleNetwork(SQUARE, FULL, stages=options.pop("stages", None), initial_value=initial_value)
    of_states = options.get("target") == "state"
    if of_states and initial_value:
        for board in lost():
            network.weights[network.entries(board)] = 0
    Trainer(network, seed=1, **options).train(260_000)
    player = Player(network, target=options.get("target", "afterstate"))
    reached = {}

    @cache
    def played(board):
        action = player.best(board)
        if action is None:
            return 0.0
        after, reward = next(move[1:] for move in engine(SQUARE).afterstates(board) if move[0] == action)
        learned = board if of_states else after
        exact = (BEST.value if of_states else BEST.value_after)(tuple(unpack(learned, SQUARE)))
        reached[learned] = network.value(learned), exact
        return reward + sum(p * played(following) for following, p in after_drop(after))

    score = sum(p * q * played(second) for first, p in after_drop(0) for second, q in after_drop(first))
    return score, reached


@pytest.mark.parametrize("options", LEARNERS.values(), ids=LEARNERS)
def test_learns_the_best_play_and_its_values(options):
    score, reached = learned_play(options, OPTIMISTIC)
    assert score == pytest.approx(BEST.start, rel=0.01)
    assert score <= BEST.start + 1e-6
    early = [board for board in reached if sum(SQUARE.value(tile) for tile in unpack(board, SQUARE)) <= 8]
    assert len(early) > 5
    for board in early:
        assert reached[board][0] == pytest.approx(reached[board][1], rel=0.1)


@pytest.mark.parametrize("target", ["afterstate", "state"])
def test_exploration_serves_as_well_as_optimism(target):
    options = {"target": target, "order": "backward", "alpha": 0.02, "epsilon": 0.1}
    score, _ = learned_play(options, 0.0)
    assert score == pytest.approx(BEST.start, rel=0.01)


@pytest.mark.parametrize("name", ["td backward", "tc backward"])
def test_greedy_learning_from_zero_stays_far_below(name):
    score, _ = learned_play(LEARNERS[name], 0.0)
    assert 40 < score < 60
