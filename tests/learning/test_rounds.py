"""Rounds: how long they are, who plays in them, and what is refused."""

import itertools

import pytest

from tdl.errors import ConfigError
from tdl.learning.options import STEP_ARRAYS, LearnerOptions
from tdl.learning.rounds import ReplicaOptions

AFTERSTATES = LearnerOptions()


@pytest.mark.parametrize(
    ("form", "lengths"),
    [
        (500, {0: 500, 10**6: 500}),
        (2, {0: 4}),  # an episode for each replica at least
        (["0:200", [10_000, 2000]], {0: 200, 9999: 200, 10_000: 2000}),
        ({100: 50}, {0: 50, 100: 50}),
        ("auto", {0: 100, 2000: 100, 10_000: 500, 100_000: 5000}),
    ],
)
def test_lengths(form, lengths):
    options = ReplicaOptions(4, form)
    assert {episode: options.round_at(episode) for episode in lengths} == lengths


@pytest.mark.parametrize("form", [300, "auto"])
@pytest.mark.parametrize("first", [0, 3000, 1_000_000])
def test_every_episode_is_played_once(form, first):
    options = ReplicaOptions(3, form)
    episodes = options.stretch(first, 1000)
    borders = options.borders(first, episodes)
    assert episodes % 1000 == 0
    played = []
    for low, high in itertools.pairwise(borders):
        assert abs(high - low - options.round_at(first)) <= 0.5 * options.round_at(first)
        for replica in range(3):
            begin, number = options.part(replica, low, high)
            played += range(begin, begin + number)
    assert played == list(range(first, first + episodes))


def test_with_auto_one_begins_and_the_others_join_in():
    assert [ReplicaOptions(4).active(episode) for episode in (0, 2499, 2500, 7499, 7500, 10**6)] == [1, 1, 2, 3, 4, 4]
    assert ReplicaOptions(4).part(1, 0, 100) == (100, 0)
    assert ReplicaOptions(4, 100).active(0) == 4


@pytest.mark.parametrize(
    ("options", "threads", "message"),
    [
        ((0,), 1, "replicas: 0 is not allowed; expected a whole number from 1 to 256"),
        ((2, 0), 1, "round: 0 is not allowed; expected a whole number of at least 1"),
        ((2, "often"), 1, "round: 'often' is not allowed; expected auto, a number of episodes"),
        ((2, ["0:x"]), 1, "round: '0:x' is not allowed; expected auto"),
        ((2, ["5:1", "1:1"]), 1, "pairs in ascending order"),
        ((1, 100), 1, "round: 100 is not allowed; expected auto unless replicas is above 1"),
        ((2,), 3, "threads: 3 is not allowed; expected at most replicas, 2"),
    ],
)
def test_what_is_refused(options, threads, message):
    with pytest.raises(ConfigError, match=message):
        ReplicaOptions(*options).check_learner(AFTERSTATES, threads)


def test_a_step_whose_arrays_nothing_merges_is_refused(monkeypatch):
    monkeypatch.setitem(STEP_ARRAYS, "coherent", {"sums": 2, "velocity": 1})
    with pytest.raises(ConfigError, match=r"replicas: 2 is not allowed; expected 1 .*step=coherent, whose velocity"):
        ReplicaOptions(2).check_learner(LearnerOptions(step="coherent"), 1)
    ReplicaOptions(1).check_learner(LearnerOptions(step="coherent"), 1)


def test_shared_expectations_are_refused():
    states = LearnerOptions(target="state", expectation="shared")
    with pytest.raises(ConfigError, match=r"learner\.expectation: 'shared' is not allowed; expected auto"):
        ReplicaOptions(2).check_learner(states, 1)
    assert ReplicaOptions(2).own_learner(LearnerOptions(target="state")).expectation == "direct"
    assert ReplicaOptions(1).own_learner(states).expectation == "shared"
