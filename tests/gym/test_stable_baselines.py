"""Stable-Baselines3 takes the environments: its checker, its vectoriser with its monitor, and its learners.

Trusts Stable-Baselines3.
"""

import warnings

import gymnasium
import numpy as np
import pytest

from tdl.gym import ID, ILLEGAL, OBSERVATIONS, REWARDS, GameEnv

pytestmark = pytest.mark.extra

pytest.importorskip("stable_baselines3", reason="the extra sb3 is not installed")
import torch  # noqa: E402
from stable_baselines3 import PPO  # noqa: E402
from stable_baselines3.common.env_checker import check_env  # noqa: E402
from stable_baselines3.common.monitor import Monitor  # noqa: E402
from stable_baselines3.common.vec_env import DummyVecEnv  # noqa: E402

LEARNER = {"n_steps": 128, "batch_size": 256, "n_epochs": 4, "learning_rate": 1e-3, "seed": 0, "device": "cpu"}


@pytest.fixture(scope="module", autouse=True)
def _one_thread():
    """Networks as small as these are learned in a twentieth of the time on a machine that others use."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def monitored(boards, **words):
    return DummyVecEnv([lambda: Monitor(gymnasium.make(ID, **words)) for _ in range(boards)])


@pytest.mark.parametrize("observation", OBSERVATIONS)
@pytest.mark.parametrize("illegal", ILLEGAL)
def test_its_checker_finds_nothing_wrong(observation, illegal):
    """It recommends to flatten boards, which its policies do by themselves."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "Your observation .* has an unconventional shape")
        check_env(GameEnv(observation=observation, illegal=illegal))


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("illegal", ["mask", "end"])
def test_its_vectoriser_and_monitor_play_whole_games(illegal, reward):
    player = "tdl:small" if reward == "regret" else None
    envs = monitored(2, illegal=illegal, reward=reward, player=player, actions="left,up,right,down")
    envs.seed(1), envs.reset()
    (begun,) = envs.env_method("action_masks", indices=0)
    actions, total = np.array([begun.argmax()] * 2), np.zeros(2)
    done = np.zeros(2, bool)
    while not done.any():
        _, rewards, done, infos = envs.step(actions)
        total += rewards
        actions = np.array([info["action_mask"].argmax() for info in infos])
    ended = int(done.argmax())
    assert infos[ended]["episode"]["r"] == pytest.approx(total[ended])
    assert infos[ended]["episode"]["l"] >= infos[ended]["moves"]
    assert "terminal_observation" in infos[ended]


def test_ppo_learns_to_avoid_illegal_moves():
    """Games that such a move ends get longer."""
    envs = monitored(8, observation="planes", reward="log2", illegal="end")
    PPO("MlpPolicy", envs, **LEARNER).learn(10_000)
    lengths = envs.env_method("get_episode_lengths")
    first, last = (np.concatenate([games[part] for games in lengths]) for part in (slice(40), slice(-40, None)))
    assert last.mean() > 1.15 * first.mean()


def test_maskable_ppo_plays_legal_moves_alone():
    contrib = pytest.importorskip("sb3_contrib", reason="the extra sb3 is not installed")
    envs = monitored(4, illegal="raise", observation="scaled")
    contrib.MaskablePPO("MlpPolicy", envs, **LEARNER).learn(1_000)
    games = contrib.MaskablePPO("MultiInputPolicy", monitored(4, illegal="mask"), **LEARNER)
    assert games.learn(1_000).num_timesteps >= 1_000
