"""Conventions of environments; and a vectorised one beside Gymnasium's own vectorisation of the single one."""

from itertools import cycle, product

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import tdl
from support.networks import random_network
from tdl.game.rules import ACTION_NAMES
from tdl.gym import ID, ILLEGAL, OBSERVATIONS, REWARDS, GameVectorEnv

ORDERS = (",".join(ACTION_NAMES), "left,up,right,down")
PLAYER = tdl.Player(random_network(tdl.Rules(rows=2, cols=3), [[0, 1, 2], [3, 4]]))

CONVENTIONS = [
    {"observation": observation, "illegal": illegal, "actions": order, "reward": reward}
    for (observation, illegal, reward), order in zip(product(OBSERVATIONS, ILLEGAL, REWARDS), cycle(ORDERS))
]
"""All, but for the order of the actions, which changes from one to the next."""


def small(words):
    """A small game with these conventions."""
    return {"size": "2x3"} | words | ({"player": PLAYER} if words.get("reward") == "regret" else {})


def beside(words, mode, steps, limit=None):
    """Assert that all that is returned is the same; the number of games that ended."""
    words = {**words, "max_episode_steps": limit}
    ours = gymnasium.make_vec(ID, 5, vectorization_mode="vector_entry_point", autoreset_mode=mode, **words)
    sync = gymnasium.make_vec(ID, 5, vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode}, **words)
    assert type(ours.unwrapped) is GameVectorEnv
    assert type(sync.unwrapped) is SyncVectorEnv
    assert ours.metadata == sync.metadata | {"autoreset_mode": mode}
    for name in ("observation_space", "action_space", "single_observation_space", "single_action_space", "num_envs"):
        assert getattr(ours, name) == getattr(sync, name), name
    assert_same(ours.reset(seed=3), sync.reset(seed=3))
    ours.action_space.seed(0)
    ended = 0
    for _ in range(steps):
        actions = ours.action_space.sample()
        step, expected = ours.step(actions), sync.step(actions)
        assert_same(step, expected)
        assert step[0] in ours.observation_space
        done = step[2] | step[3]
        ended += done.sum()
        if mode == AutoresetMode.DISABLED and done.any():
            assert_same(ours.reset(options={"reset_mask": done}), sync.reset(options={"reset_mask": done}), done)
    assert_same(ours.reset(), sync.reset())
    assert_same(ours.reset(seed=[9, None, 1, 2, None]), sync.reset(seed=[9, None, 1, 2, None]))
    return ended


def assert_same(one, other, boards=None):
    """Two answers of vectorised environments; `boards`: those of which the other's info tells."""
    for mine, theirs in zip(one[:-1], other[:-1], strict=True):
        assert_same_arrays(mine, theirs)
    assert_same_info(one[-1], other[-1], boards)


def assert_same_arrays(mine, theirs):
    """Of observations: also dictionaries of arrays."""
    if isinstance(theirs, dict):
        assert mine.keys() == theirs.keys()
        for key in theirs:
            assert_same_arrays(mine[key], theirs[key])
    else:
        assert (mine.shape, mine.dtype) == (theirs.shape, theirs.dtype)
        assert np.array_equal(mine, theirs)


def assert_same_info(one, other, boards):
    assert one.keys() == other.keys()
    for key, theirs in other.items():
        mine = one[key]
        if isinstance(theirs, dict):
            assert_same_info(mine, theirs, boards)
        elif key == "final_obs":
            assert [x is None for x in mine] == [x is None for x in theirs]
            for row, expected in zip(mine, theirs, strict=True):
                if expected is not None:
                    assert_same_arrays(row, expected)
        else:
            rows = slice(None) if boards is None else boards
            assert np.array_equal(mine[rows], theirs[rows]), key
