"""The checkpoint of a deep Q-network with an entry that does not fit is refused before a network is made."""

import shutil

import numpy as np
import pytest
from support.deep_q import SMALL, TINY
from support.mutations import GONE, forged

from tdl.dqn import dqn_player as deep
from tdl.dqn.dqn_trainer import DQNTrainer
from tdl.errors import CheckpointError, ConfigError
from tdl.storage.checkpoint import write_checkpoint

WRONG = {
    "network.choices": [GONE, 7, []],
    "network.choices.network": ["chess", [], 7],
    "network.choices.width": [0, 16383, "x", 10**9],
    "network.choices.planes": [33],
    "network.choices.scale": [float("inf"), -1],
    "network.choices.gamma": [1e300, "x"],
    "network.choices.more": [1],
    "rules.rows": [5, "x"],
    "arrays.weights.shape": [[7], 7],
}


@pytest.fixture(scope="module")
def trainer():
    return DQNTrainer(TINY, SMALL)


@pytest.fixture(scope="module")
def saved(trainer, tmp_path_factory):
    folder = tmp_path_factory.mktemp("deep") / "checkpoint"
    meta = {"episode": 0, "rules": TINY.to_dict(), "network": deep.describe(SMALL), "learner": {"gamma": 1.0}}
    write_checkpoint(folder, meta, trainer.state())
    return folder


@pytest.mark.parametrize("key", WRONG)
def test_wrong_entries_are_refused_by_name(saved, tmp_path, key):
    assert deep.load(saved).gamma == SMALL.gamma
    for number, value in enumerate(WRONG[key]):
        folder = forged(shutil.copytree(saved, tmp_path / str(number)), {key: value})
        with pytest.raises(CheckpointError, match=r"meta\.json: |weights-.*\.npy: holds"):
            deep.load(folder)


def test_updates_that_wait_are_those_of_a_few_moves(trainer):
    """Of more the learner would work for ever before the next move."""
    state = {key: np.array(array) for key, array in trainer.state().items()}
    state["updates"][1] = 1 << 40
    with pytest.raises(ConfigError, match="updates: 1099511627776 is not allowed"):
        DQNTrainer(TINY, SMALL).load_state(state)


@pytest.mark.parametrize(
    ("name", "number"),
    [("counters", -1), ("updates", -1), ("replay_count", -1), ("replay_action", 4), ("replay_board", 200),
     ("replay_reward", np.nan), ("generator", 255), ("counters", 2**62),
     ("replay_count", 2**62)],
)  # fmt: skip
def test_numbers_that_no_trainer_leaves_are_refused(trainer, name, number):
    state = {key: np.array(array) for key, array in trainer.state().items()}
    state[name].reshape(-1)[:] = number
    with pytest.raises(ConfigError, match=name):
        DQNTrainer(TINY, SMALL).load_state(state)
