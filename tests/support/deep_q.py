"""Deep Q-learners that the tests train, and transitions; tests that import it need PyTorch."""

from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch: the extra dqn")

from tdl.config.agent import dqn_choices  # noqa: E402
from tdl.dqn.learner import Learner  # noqa: E402
from tdl.game.rules import Rules  # noqa: E402

torch.set_num_threads(1)  # tests share the machine

TINY = Rules(rows=2, cols=2)

PUBLISHED, MODERN = dqn_choices("dqn"), dqn_choices("dqn_modern")

SMALL = replace(PUBLISHED, network="dense", input="planes", width=16, learning_starts=40, newest=20, older=20,
                epochs=2, batch_size=8, games=4, greedy_every=2, buffer_size=200, scale=100.0,
                learning_rate=1e-3)  # fmt: skip
"""The published schedule in little."""

LIVELY = replace(MODERN, width=32, learning_starts=100, buffer_size=2_000, games=8, train_frequency=8, batch_size=32,
                 target_network_frequency=50, epsilon_games=200, scale=20.0, learning_rate=2e-3)  # fmt: skip
"""The modern one in little."""


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def learner_of(options, rules=TINY):
    return Learner(options, rules, generator())


def numbered(first, last):
    """Transitions whose boards are their numbers."""
    n = last - first
    number = np.arange(first, last, dtype=np.uint8)
    return {
        "board": np.repeat(number[:, None], 4, 1), "action": np.zeros(n, np.int64), "reward": np.zeros(n, np.float32),
        "next": np.zeros((n, 1, 4), np.uint8), "gains": np.zeros((n, 4), np.float32), "legal": np.ones((n, 4), bool),
    }  # fmt: skip
