"""Experience replay: the ring of the newest transitions, its samples, and n-step returns by hand."""

from dataclasses import replace

import numpy as np
import pytest
from support.deep_q import PUBLISHED, generator, numbered

from tdl.dqn.replay_buffer import Replay, Returns
from tdl.players.batch_play import Moves


def replay_of(size):
    """A replay of so many transitions, on boards of 4 cells."""
    return Replay(replace(PUBLISHED, buffer_size=size, learning_starts=10, newest=5, older=5, batch_size=10), 4)


def test_the_replay_keeps_the_newest():
    replay = replay_of(10)
    replay.add(numbered(0, 4))
    assert len(replay) == 4
    replay.add(numbered(4, 13))
    replay.add(numbered(13, 13))
    assert len(replay) == 10
    assert replay.rows(np.arange(10))["board"][:, 0].tolist() == list(range(12, 2, -1))
    replay.add(numbered(100, 130))  # more than it holds
    assert sorted(replay.rows(np.arange(10))["board"][:, 0].tolist()) == list(range(120, 130))


def test_a_fit_takes_the_newest_and_a_sample_of_the_older_none_twice():
    replay = replay_of(100)
    replay.add(numbered(0, 120))
    counts = np.zeros(120, int)
    for seed in range(200):
        sample = replay.newest_and_older(10, 30, generator(seed))["board"][:, 0]
        assert sample[:10].tolist() == list(range(119, 109, -1))
        assert len(set(sample.tolist())) == 40
        counts[sample] += 1
    assert not counts[:20].any()
    assert (counts[110:] == 200).all()
    older = counts[20:110]  # each with 200 * 30 / 90 = 66.7, standard deviation 6.7
    assert older.min() > 35
    assert older.max() < 100


def test_a_sample_draws_all_alike():
    replay = replay_of(10)
    replay.add(numbered(0, 15))
    sample = np.bincount(replay.sample(10_000, generator())["board"][:, 0], minlength=15)
    assert not sample[:5].any()
    assert sample[5:].min() > 850  # 1,000 each, standard deviation 30


def numbered_moves(numbers, legal=True):
    """Boards and afterstates that are their number."""
    n = len(numbers)
    tiles = np.repeat(np.array(numbers, np.uint8)[:, None], 4, 1)
    return Moves(tiles, np.full((n, 4), legal), np.zeros((n, 4), np.int32), np.repeat(tiles[:, None] + 100, 4, 1))


def transitions_of(options, rewards):
    """All transitions of one game: (board, reward, next board, over)."""
    returns, out, which = Returns(options, 3, 4), [], np.array([1])
    for move, reward in enumerate(rewards):
        returns.add(which, numbered_moves([move]), np.array([2]), np.array([reward]))
        for _, rows in returns.completed(which, numbered_moves([move + 1], legal=move + 1 < len(rewards))):
            out.append((rows["board"][0, 0], rows["reward"][0], rows["next"][0, 0, 0], not rows["legal"].any()))
    return out


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, [(0, 1, 1, False), (1, 2, 2, False), (2, 4, 3, False), (3, 0, 4, True)]),
        ({"last_reward": True}, [(0, 1, 1, False), (1, 2, 2, False), (2, 4, 3, False), (3, 8, 4, True)]),
        (
            {"n_step": 3, "last_reward": True},
            [(0, 7, 3, False), (1, 14, 4, True), (2, 12, 4, True), (3, 8, 4, True)],
        ),
        (
            {"n_step": 2, "gamma": 0.5, "last_reward": True},
            [(0, 2, 2, False), (1, 4, 3, False), (2, 8, 4, True), (3, 8, 4, True)],
        ),
        (
            {"values_of": "afterstates", "last_reward": True},
            [(100, 0, 101, False), (101, 0, 102, False), (102, 0, 103, False), (103, 0, 104, True)],
        ),
        (
            {"values_of": "afterstates", "n_step": 2, "last_reward": True},
            [(100, 2, 102, False), (101, 4, 103, False), (102, 8, 104, True), (103, 0, 104, True)],
        ),
    ],
)
def test_returns_by_hand(changed, expected):
    assert transitions_of(replace(PUBLISHED, **changed), [1, 2, 4, 8]) == expected


def test_a_game_shorter_than_the_steps_gives_all_its_moves():
    assert transitions_of(replace(PUBLISHED, n_step=5, last_reward=True), [1, 2]) == [(0, 3, 2, True), (1, 2, 2, True)]
