"""Choices of a learner that are not allowed, alone or together: the message names the choice and what is."""

import pytest

from tdl.errors import ConfigError
from tdl.learning.options import LearnerOptions

REFUSED = [
    ({"gamma": 2}, "gamma: 2 is not allowed; expected a number from 0 to 1"),
    ({"order": "backwards"}, "order: 'backwards' is not allowed; .* did you mean 'backward'"),
    ({"step": "coherant"}, "step: 'coherant' .* did you mean 'coherent'"),
    ({"td_lambda": 1.5}, "td_lambda: 1.5 is not allowed; expected a number from 0 to 1"),
    ({"td_lambda": 1.0, "order": "forward"}, "td_lambda: 1.0 is not allowed; expected below 1 unless order=backward"),
    ({"td_lambda": 0.9999, "order": "delayed"}, "td_lambda: 0.9999 .* at most 4096 boards"),
    ({"td_lambda": 0.5, "n_step": 2}, "n_step: 2 is not allowed; expected 1 unless td_lambda=0"),
    ({"order": "delayed", "n_step": 2}, "n_step: 2 is not allowed; expected 1 unless order is backward or forward"),
    ({"n_step": 0}, "n_step: 0 is not allowed; expected a whole number from 1 to 4096"),
    ({"target": "states"}, "target: 'states' .* did you mean 'state'"),
    ({"epsilon": 2}, "epsilon: 2 is not allowed"),
    ({"alpha_per": "entries"}, "alpha_per: 'entries' .* did you mean 'entry'"),
    ({"restart_at": 0}, "restart_at: 0 is not allowed; expected a number above 0 and at most 1"),
    ({"start": "restarts"}, "start: 'restarts' .* did you mean 'restart'"),
    ({"reward_shift": True}, "reward_shift: True is not allowed; expected False unless target=state"),
    ({"stored_value": True, "order": "forward"}, "stored_value: True .* order=backward"),
    ({"running_value": True, "order": "forward"}, "running_value: True .* order=backward"),
    ({"running_value": True, "step": "coherent"}, "running_value: True .* step=coherent"),
    ({"rechoose": True, "target": "state"}, "rechoose: True .* target=afterstate"),
    ({"rechoose": True, "n_step": 2}, "rechoose: True is not allowed; expected False unless td_lambda=0 and n_step=1"),
    ({"rechoose": True, "stored_value": True}, "stored_value: True is not allowed; expected False where rechoose"),
    ({"clear_last": "none"}, "clear_last: 'none' is not allowed; expected false, afterstate or state"),
    ({"clear_last": "state", "target": "state"}, "clear_last: 'state' .* target=afterstate"),
    ({"update_symmetries": False, "target": "state"}, "update_symmetries: False is not allowed"),
    ({"memory": 100}, "memory: 100 is not allowed; expected null unless step=coherent"),
    ({"memory": 1, "step": "coherent"}, "memory: 1 is not allowed; expected a whole number of at least 2"),
    ({"batch_sum": "sum"}, "batch_sum: 'sum' is not allowed; expected none or mean or capped"),
    ({"batch_sum": "mean"}, "order: 'backward' is not allowed; expected delayed with batch_sum=mean"),
    ({"batch_sum": "mean", "order": "delayed", "target": "state"}, "target: 'state' .* expected afterstate with"),
    ({"batch_sum": "capped", "order": "delayed", "epsilon": 0.1}, "epsilon: 0.1 .* expected 0 with batch_sum=capped"),
    ({"batch_sum": "mean", "order": "delayed", "update_symmetries": False}, "update_symmetries: False .* true with"),
    (
        {"batch_sum": "mean", "order": "delayed", "start": "carousel"},
        "start: 'carousel' .* expected empty, restart or",
    ),
    ({"batch_sum": "mean", "order": "delayed", "cap": 2.0}, "cap: 2.0 .* expected 1 unless batch_sum=capped"),
    ({"moves_per_lane": 9}, "moves_per_lane: 9 is not allowed; expected null unless batch_sum is mean or capped"),
]


@pytest.mark.parametrize(("choices", "message"), REFUSED)
def test_what_is_refused(choices, message):
    with pytest.raises(ConfigError, match=f"^{message}"):
        LearnerOptions(**choices)


@pytest.mark.parametrize(
    ("choices", "stages", "extras", "message"),
    [
        ({"start": "carousel"}, 1, False, "start: 'carousel' is not allowed; expected another one where stages is"),
        ({"target": "state", "expectation": "shared"}, 2, False, "expectation: 'shared' is not allowed"),
        ({"target": "state", "expectation": "shared"}, 1, True, "expectation: 'shared' is not allowed"),
    ],
)
def test_what_a_network_cannot_learn_is_refused(choices, stages, extras, message):
    with pytest.raises(ConfigError, match=f"^{message}"):
        LearnerOptions(**choices).check_network(stages, extras)
