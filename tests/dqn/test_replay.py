"""Experience replay: the ring of the newest transitions, and its samples."""

from dataclasses import replace

import numpy as np
from support.deep_q import PUBLISHED, generator, numbered

from tdl.dqn.replay import Replay


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
