"""Every learner against its reference implementation: the same records, weights and memory, bit for bit.

The choices stand in `learners.py`; the tests play their combinations.
"""

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from support.learners import ORDERS, RETURNS, STAGES, STARTS, STEPS, TARGETS, VARIANTS, each
from support.reference_runs import assert_equals_reference
from support.shapes import FOUR_APART, FOUR_TILES, RULES, SET_NAMES, small_tuples

from tdl.game.engine import ENGINES, Stream
from tdl.game.rules import Rules
from tdl.learning.learning_reference import Game, ReferenceLearner
from tdl.learning.options import LearnerOptions
from tdl.network.network_reference import ReferenceNetwork
from tdl.network.stages import Stages
from tdl.network.tuples import TupleSet
from tdl.training.episode_reference import ReferencePlay

# A seed and a step size do not get simpler by shrinking, which would take minutes with games of the reference.
one_game = settings(max_examples=1, phases=(Phase.explicit, Phase.reuse, Phase.generate))
played = given(
    seed=st.integers(0, 2**63 - 1),
    alpha=st.floats(0.01, 0.5),
    gamma=st.sampled_from([1.0, 0.9]),
    set_name=st.sampled_from([name for name in SET_NAMES if name != "unshared"]),
    lanes=st.sampled_from([1, 3]),
    shape=st.sampled_from(["2x3", "3x3", "2x2", "2584-2x2", "threes_law-3x2"]),
    engine=st.sampled_from(ENGINES),
)


def play(choices, stages, seed, alpha, gamma, set_name, lanes, shape, engine, episodes=3):
    rules = RULES[shape]
    alpha = alpha / 8 if choices.get("alpha_per") == "entry" else alpha
    options = {"order": "backward", "alpha": alpha, "gamma": gamma, "seed": seed, "lanes": lanes} | choices
    options["engine"] = engine
    assert_equals_reference(rules, small_tuples(rules)[set_name], stages=stages, episodes=episodes, **options)


@each(TARGETS, ORDERS, RETURNS, STEPS, STAGES)
@one_game
@played
def test_what_is_learned(choices, stages, **how):
    play(choices, stages, **how)


@pytest.mark.parametrize(("memory", "signed", "absolute"), [(None, 1, 3), (2, 0.75, 1.75)])
def test_an_error_first_takes_a_share_of_e_and_a_away(memory, signed, absolute):
    """After the errors 1, -1 and 1, each of which leaves a half there, or all."""
    network = ReferenceNetwork(RULES["2x2"], TupleSet(((0, 1, 2, 3),), symmetries=False))
    learner = ReferenceLearner(network, 1.0, LearnerOptions(step="coherent", memory=memory))
    for error in 1, -1, 1:
        learner.correct([1, 0, 0, 0], np.float32(error))
    assert list(learner.sums.values()) == [(signed, absolute)]


@each(TARGETS, ORDERS, STEPS, VARIANTS)
@one_game
@played
def test_quirks(choices, stages, **how):
    play(choices, stages, **how)


@pytest.mark.parametrize(
    "board", [[0, 0, 0, 0, 1, 0, 0, 0, 0], [0, 2, 0, 2, 0, 2, 0, 2, 0], [1, 2, 3, 0, 1, 2, 0, 0, 1]]
)
def test_the_running_value_is_the_sum_of_the_entries_each_just_moved(board):
    """On boards that are their own images, and on one that is not: the loop of the published program in float64."""
    network = ReferenceNetwork(RULES["3x3"], TupleSet(((0, 1, 2), (3, 4))), initial_value=40.0)
    learner = ReferenceLearner(network, 0.9, LearnerOptions(running_value=True))
    alpha, weights = 0.9, {entry: float(network.weight(entry)) for entry in network.active(board)}
    error, value = 100.0 - float(network.value(board)), 0.0
    for entry in network.active(board):
        weights[entry] += alpha / network.m * error
        value += weights[entry]
    other = [4] * 9  # shares no entry with the board
    untouched = float(network.value(other))
    learner.replay_backward(Game(board, 0, path=[(other, 0), (board, 7)]), np.float32(100))
    assert learner.errors[1] == pytest.approx(abs(7 + value - untouched))
    assert (value == pytest.approx(float(network.value(board)))) == (len(weights) == network.m)


@each(TARGETS, ORDERS, STAGES, STARTS)
@one_game
@played
def test_how_episodes_begin(choices, stages, **how):
    play(choices | {"epsilon": 0.1}, stages, **how)


# Four kinds of tiles drop: games are a third as long.
LARGE = {
    "4x4": Rules(drop=FOUR_TILES),
    "2584-4x4": Rules("2584", drop=FOUR_APART),
    "2584-5x5": RULES["2584-5x5"],
}


@each(TARGETS, ORDERS, STARTS)
@pytest.mark.parametrize(
    ("board", "engine"), [("4x4", "bits"), ("4x4", "array"), ("2584-4x4", "bits"), ("2584-5x5", "array")]
)
def test_on_large_boards(choices, stages, board, engine):
    """That of the published programs, whose tuples here activate some entries twice, in each type of board."""
    tuples = TupleSet(((0, 1, 5), (6, 7)))
    if choices.get("start") == "restart":
        choices = choices | {"restart_moves": 100}  # with few moves, a game that is this long goes on and on
    stages = Stages((16,)) if choices.get("start") == "carousel" else stages
    options = {"alpha": 0.3, "seed": 5, "lanes": 1 if engine == "array" else 2, "engine": engine}
    assert_equals_reference(LARGE[board], tuples, stages=stages, episodes=1, **options, **choices)


def test_the_carousel_forgets_its_oldest_boards(monkeypatch):
    """With room for five boards of a stage the ring goes round many times."""
    for module in ("tdl.learning.state", "tdl.training.episode_reference"):
        monkeypatch.setattr(f"{module}.ROOM", 5)
    options = {"order": "backward", "alpha": 0.1, "start": "carousel", "seed": 4, "lanes": 2}
    _, _, reference = assert_equals_reference(
        RULES["2x2"], small_tuples(RULES["2x2"])["mixed"], episodes=30, stages=Stages((8, 16)), **options
    )
    assert len(reference.entered[1]) > 20


def test_a_milestone_is_where_the_sum_of_tiles_came_to_its_last_multiple():
    """By hand: where the next game begins, and how many follow from one milestone."""
    options = LearnerOptions(target="state", start="milestone", milestone=16, attempts=2)
    network = ReferenceNetwork(Rules(rows=2, cols=2), TupleSet(((0, 1),)))
    player = ReferencePlay(ReferenceLearner(network, 0.1, options))
    ten, sixteen, twenty, forty = (1, 3, 0, 0), (3, 3, 0, 0), (4, 1, 1, 0), (5, 3, 0, 0)

    def next_board(game, *boards):
        game.path = [(board, 0) for board in boards]
        return player._follow_up(game, Stream(0, 0, 0), Stream(0, 0, 1), 1)

    game = Game(ten, 0)
    assert next_board(game, ten, sixteen, twenty) == sixteen  # the first game from the first milestone
    assert next_board(game, sixteen, twenty) == sixteen  # the second, and last
    assert next_board(game, sixteen, twenty, forty) == forty  # unless it comes further
    assert [next_board(game, forty), next_board(game, forty)] == [forty, None]
    assert next_board(Game(ten, 0), ten) is None  # never at a milestone
    assert next_board(Game(ten, 0)) is None
