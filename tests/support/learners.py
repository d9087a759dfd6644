"""The learners that tests run over: one list of answers to each question a learner answers, and their combinations.

A new choice is one more line: the reference tests and the contract test then play it with everything it goes with.
"""

import itertools

import pytest

from support.shapes import SHARE
from tdl.errors import ConfigError
from tdl.learning.options import ACCUMULATORS, STEP_ARRAYS, LearnerOptions
from tdl.network.stages import Stages

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
STEPS = {"fixed": {}, "coherent": {"step": "coherent"}}
MERGED_STEPS = {name: step for name, step in STEPS.items() if STEP_ARRAYS[name].keys() <= {ACCUMULATORS}}
"""Those whose arrays replicas merge; `ReplicaOptions` refuses others."""

STAGES = {
    "one stage": Stages(),
    "stages": Stages((16, 32)),
    "by sum": Stages((12, 20, 40), by="sum"),
    "unpromoted": Stages((16,), promotion=False),
    "downgraded": Stages((8, 16), downgrade=2, share=0.9),
}
STARTS = {
    "empty": {},
    "restart": {"start": "restart", "restart_at": 0.3, "restart_moves": 5},
    "milestone": {"start": "milestone", "milestone": 12, "attempts": 2},
    "carousel": {"start": "carousel"},
}
VARIANTS = {
    "plain": {},
    "exploring": {"epsilon": 0.25},
    "per entry": {"alpha_per": "entry"},
    "forgetting": {"memory": 3},
    "reward_shift": {"reward_shift": True},
    "stored_value": {"stored_value": True},
    "running_value": {"running_value": True},
    "both values": {"stored_value": True, "running_value": True},
    "update_symmetries": {"update_symmetries": False},
    "rechoose": {"rechoose": True},
    "clear_last": {"clear_last": "afterstate"},
    "clear the state": {"clear_last": "state"},
    "all at once": {"rechoose": True, "clear_last": True, "update_symmetries": False},
    "all at once, the state": {"rechoose": True, "clear_last": "state", "update_symmetries": False},
}
MERGED_VARIANTS = {name: variant for name, variant in VARIANTS.items() if "memory" not in variant}
"""Those that go with replicas."""

IN_STEP = {
    "fixed-mean-0": {},
    "fixed-mean-.5": {"td_lambda": 0.5},
    "fixed-capped-0": {"batch_sum": "capped", "alpha": 0.5},
    "fixed-capped-.5": {"batch_sum": "capped", "cap": 0.25, "td_lambda": 0.5, "gamma": 0.9},
    "coherent-mean-0": {"step": "coherent", "alpha": 1.0},
    "coherent-mean-.5": {"step": "coherent", "alpha": 1.0, "td_lambda": 0.5},
    "coherent-capped-0": {"step": "coherent", "alpha": 1.0, "batch_sum": "capped"},
    "coherent-capped-.5": {"step": "coherent", "alpha": 1.0, "batch_sum": "capped", "td_lambda": 0.5},
    "forgetting": {"step": "coherent", "alpha": 1.0, "memory": 5},
    "long": {"step": "coherent", "td_lambda": 0.9, "initial_value": 100.0},
    "per entry": {"alpha_per": "entry", "alpha": 0.01, "batch_sum": "capped"},
}
"""Of games in step, with keywords of networks and of trainers."""

THREADS = {"one thread": {"threads": 1}, "two threads": {"threads": 2}}


def each(*questions):
    """Parametrises a test with `choices` and `stages`: every combination of answers that `LearnerOptions` allows.

    Checked builds, which play fewer examples, take every third of many.
    """
    cases = []
    for answers in itertools.product(*(question.items() for question in questions)):
        choices, stages = {}, Stages()
        for _, answer in answers:
            if isinstance(answer, Stages):
                stages = answer
            else:
                choices |= answer
        if _allowed(choices, stages):
            cases.append(pytest.param(choices, stages, id=", ".join(name for name, _ in answers)))
    return pytest.mark.parametrize(("choices", "stages"), cases[:: 3 if SHARE > 1 and len(cases) > 100 else 1])


def _allowed(choices, stages):
    options = {key: value for key, value in choices.items() if key != "threads"}
    try:
        LearnerOptions(**options).check_network(stages.count, extras=False)
    except ConfigError:
        return False
    return True
