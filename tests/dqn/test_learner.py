"""The deep Q-learner: targets by hand, updates, fits, and how often the target network is copied."""

from dataclasses import replace

import numpy as np
import pytest
from support.deep_q import LIVELY, PUBLISHED, SMALL, generator, learner_of, numbered, torch

from tdl.dqn.replay_buffer import Replay


class Known:
    """A network of known values: of actions by the board's first tile, or of afterstates."""

    def __init__(self, actions=None, afterstates=None):
        self.of_actions, self.actions, self.afterstates = actions is not None, actions, afterstates

    def action_values(self, tiles, legal=None):
        return torch.tensor([self.actions[tile] for tile in tiles[:, 0].tolist()], dtype=torch.float32)

    def __call__(self, tiles):
        return torch.tensor([self.afterstates[tile] for tile in tiles[:, 0].tolist()], dtype=torch.float32)


def transition(legal, *, reward=2.0, next_tiles=((5, 0, 0, 0),), gains=(0, 0, 0, 0)):
    return {
        "board": np.zeros((1, 4), np.uint8), "action": np.zeros(1, np.int64), "reward": np.float32([reward]),
        "next": np.array([next_tiles], np.uint8), "gains": np.float32([gains]), "legal": np.array([legal], bool),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "legal", "expected"),
    [
        ({}, (1, 1, 1, 0), 2 + 30),
        ({}, (1, 1, 0, 0), 2 + 20),
        ({}, (0, 0, 0, 0), 2),
        ({"gamma": 0.5, "n_step": 3}, (1, 1, 1, 0), 2 + 30 / 8),
        ({"masked": False}, (1, 1, 0, 0), 2 + 40),
        ({"masked": False}, (0, 0, 0, 0), 2),
        ({"target_network_frequency": 1}, (1, 1, 1, 0), 2 + 300),  # the largest of the frozen network
        ({"target_network_frequency": 1, "double": True}, (1, 1, 1, 0), 2 + 100),  # frozen, of the other's best
        ({"target_network_frequency": 1, "double": True, "masked": False}, (1, 1, 1, 0), 2 + 400),
    ],
)
def test_labels_of_actions_by_hand(changed, legal, expected):
    learner = learner_of(replace(PUBLISHED, **changed))
    learner.network = Known(actions={5: [10, 20, 30, 40]})
    learner.frozen = (
        Known(actions={5: [300, 200, 100, 400]}) if changed.get("target_network_frequency") else learner.network
    )
    assert learner.labels(transition(legal)).tolist() == [expected]


@pytest.mark.parametrize(
    ("changed", "legal", "expected"),
    [
        ({}, (1, 1, 1, 0), 8 + 10),
        ({}, (0, 1, 1, 0), 4 + 11),
        ({}, (0, 0, 0, 0), 0),
        ({"gamma": 0.5, "n_step": 2}, (1, 1, 1, 0), (8 + 5) / 2),
        ({"target_network_frequency": 1, "double": True}, (1, 1, 1, 0), 8 + 1),
        ({"target_network_frequency": 1}, (1, 1, 1, 0), 0 + 30),
    ],
)
def test_labels_of_afterstates_by_hand(changed, legal, expected):
    learner = learner_of(replace(PUBLISHED, values_of="afterstates", **changed))
    learner.network = Known(afterstates={1: 10, 2: 11, 3: 12})
    learner.frozen = (
        Known(afterstates={1: 1, 2: 20, 3: 30}) if changed.get("target_network_frequency") else learner.network
    )
    row = transition(legal, reward=0.0, next_tiles=[(i, 0, 0, 0) for i in (1, 2, 3, 9)], gains=(8, 4, 0, 64))
    assert learner.labels(row).tolist() == [expected]


def test_the_target_network_is_copied_at_its_interval():
    learner = learner_of(replace(LIVELY, target_network_frequency=3, learning_rate=0.1))
    board, action = torch.ones((4, 4), dtype=torch.uint8), torch.zeros(4, dtype=torch.int64)
    for number in range(1, 7):
        learner.update(board, action, torch.full((4,), 50.0))
        same = torch.equal(learner.network.last.weight, learner.frozen.last.weight)
        assert same == (number % 3 == 0)


def test_an_update_of_the_published_learner_is_rmsprop_on_the_mean_squared_error():
    learner, reference = learner_of(PUBLISHED), learner_of(PUBLISHED)
    board = torch.tensor([[0, 1, 2, 3], [1, 1, 0, 0]], dtype=torch.uint8)
    action, label = torch.tensor([0, 3]), torch.tensor([7.0, -2.0])
    loss = ((reference.network(board, action) - label) ** 2).mean()
    loss.backward()
    learner.update(board, action, label)
    for moved, weight in zip(learner.network.parameters(), reference.network.parameters(), strict=True):
        step = 1e-3 * weight.grad / ((0.1 * weight.grad**2).sqrt() + 1e-7)
        assert torch.allclose(moved, weight - step, atol=1e-6)
    assert learner.mean_abs_error() == pytest.approx((reference.network(board, action) - label).abs().mean().item())
    assert np.isnan(learner.mean_abs_error())


def test_an_update_of_fewer_bits_is_nearly_the_same():
    full, fewer = learner_of(PUBLISHED), learner_of(replace(PUBLISHED, precision="bfloat16"))
    board = torch.randint(0, 8, (64, 4), generator=generator()).to(torch.uint8)
    action, label = torch.randint(0, 4, (64,), generator=generator()), torch.full((64,), 100.0)
    for learner in (full, fewer):
        learner.update(board, action, label)
    moved = [learner.network.second.weight for learner in (full, fewer)]
    assert moved[1].dtype == torch.float32
    assert not torch.equal(*moved)
    assert full.mean_abs_error() == pytest.approx(fewer.mean_abs_error(), rel=0.02)


def test_a_fit_makes_the_published_number_of_updates_and_none_below_the_least():
    learner = learner_of(replace(SMALL, epochs=3))
    replay = Replay(learner.options, 4)
    replay.add(numbered(0, 39) | {"board": np.ones((39, 4), np.uint8)})
    assert not learner.fit(replay)
    replay.add(numbered(0, 1))
    assert learner.fit(replay)
    assert learner.updates == 3 * 5
