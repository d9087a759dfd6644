"""Every learner against its twin in plain Python: the same records, weights and memory, bit for bit.

One list of choices for each question a learner answers; the tests play their combinations. A new choice is one line.
"""

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from shapes import RULES, SET_NAMES, small_tuples
from twins import assert_equals_twin

from tdl.errors import ConfigError
from tdl.learning.choices import Learning
from tdl.network.stages import Stages
from tdl.network.tuples import TupleSet

TARGETS = {
    "afterstate": {},
    "state": {"target": "state"},
    "state direct": {"target": "state", "expectation": "direct"},
}
ORDERS = {order: {"order": order} for order in ("backward", "forward", "delayed")}
RETURNS = {
    "0": {},
    ".5": {"td_lambda": 0.5},
    ".9": {"td_lambda": 0.9},
    "1": {"td_lambda": 1.0},
    "3 steps": {"n_step": 3},
}
STEPS = {
    "fixed": {},
    "coherent": {"step": "coherent"},
    "per entry": {"alpha_per": "entry", "step": "coherent"},
}
STAGES = {
    "one stage": Stages(),
    "stages": Stages((16, 32)),
    "by sum": Stages((12, 20, 40), by="sum"),
    "unpromoted": Stages((16,), promotion=False),
}
STARTS = {
    "empty": {},
    "restart": {"start": "restart", "restart_at": 0.3, "restart_moves": 5},
    "carousel": {"start": "carousel"},
}
QUIRKS = {
    "plain": {},
    "exploring": {"epsilon": 0.25},
    "reward_shift": {"reward_shift": True},
    "stored_value": {"stored_value": True},
    "update_symmetries": {"update_symmetries": False},
    "rechoose": {"rechoose": True},
    "clear_last": {"clear_last": True},
    "all of R5": {"rechoose": True, "clear_last": True, "update_symmetries": False},
}


def allowed(choices, stages):
    try:
        Learning(**choices).check(stages=stages.count)
    except ConfigError:
        return False
    return True


def combinations(*questions):
    """Every combination of one answer to each question that `Learning` allows: (name, choices, stages)."""
    found = [("", {}, Stages())]
    for question in questions:
        if question is STAGES:
            found = [
                (f"{name} {key}", choices, stages) for name, choices, _ in found for key, stages in STAGES.items()
            ]
        else:
            found = [
                (f"{name} {key}", choices | more, s) for name, choices, s in found for key, more in question.items()
            ]
    return [(name.strip(), choices, stages) for name, choices, stages in found if allowed(choices, stages)]


def each(*questions):
    found = combinations(*questions)
    return pytest.mark.parametrize(("choices", "stages"), [c[1:] for c in found], ids=[c[0] for c in found])


# A seed and a step size do not get simpler by shrinking, which would take minutes with games of the twin.
one_game = settings(max_examples=1, deadline=None, phases=(Phase.explicit, Phase.reuse, Phase.generate))
played = given(
    seed=st.integers(0, 2**63 - 1),
    alpha=st.floats(0.01, 0.5),
    gamma=st.sampled_from([1.0, 0.9]),
    set_name=st.sampled_from([name for name in SET_NAMES if name != "unshared"]),
    lanes=st.sampled_from([1, 3]),
    shape=st.sampled_from(["2x3", "3x3", "2x2"]),
)


def play(choices, stages, seed, alpha, gamma, set_name, lanes, shape, episodes=3):
    rules = RULES[shape]
    alpha = alpha / 8 if choices.get("alpha_per") == "entry" else alpha
    options = {"order": "backward", "alpha": alpha, "gamma": gamma, "seed": seed, "lanes": lanes} | choices
    assert_equals_twin(rules, small_tuples(rules)[set_name], stages=stages, episodes=episodes, **options)


@each(TARGETS, ORDERS, RETURNS, STEPS, STAGES)
@one_game
@played
def test_what_is_learned(choices, stages, **how):
    play(choices, stages, **how)


@each(TARGETS, ORDERS, STAGES, STARTS, QUIRKS)
@one_game
@played
def test_how_games_are_played(choices, stages, **how):
    play(choices, stages, **how)


@each(TARGETS, ORDERS, STARTS)
@pytest.mark.parametrize("lanes", [1, 2])
def test_on_4x4(choices, stages, lanes):
    """The board of the published programs; its tuples activate some entries twice."""
    tuples = TupleSet(((0, 1, 4), (5, 6)))
    stages = Stages((16,)) if choices.get("start") == "carousel" else stages
    assert_equals_twin(RULES["4x4"], tuples, stages=stages, episodes=2, alpha=0.3, seed=5, lanes=lanes, **choices)
