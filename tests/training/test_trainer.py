"""The step size of a trainer as it is asked for, assigned and computed, and what cannot be assigned.

Trusts trainers whose step size never changes.
"""

import math

import numpy as np
import pytest

import tdl
from tdl.config.files import group_file
from tdl.errors import ConfigError
from tdl.learning.schedule import Schedule
from tdl.players.baselines import play_random


def network():
    return tdl.NTupleNetwork(None, [[0, 1, 2], [4, 5]])


def learned(*blocks, **options):
    """The weights after blocks of 5 episodes, each with its step size."""
    trainer = tdl.Trainer(network(), alpha=blocks[0], seed=3, **options)
    for alpha in blocks:
        trainer.alpha = alpha
        trainer.train(5)
    return trainer.network.weights.tobytes()


def test_the_step_size_is_that_of_the_command_line_where_none_is_given():
    assert tdl.Trainer(network()).alpha == Schedule().alpha == group_file("learner", "td")["alpha"]


def test_an_assigned_step_size_holds_from_the_next_block_on():
    trainer = tdl.Trainer(network(), alpha=0.5, seed=3)
    trainer.train(5)
    assert trainer.network.weights.tobytes() == learned(0.5)
    trainer.alpha = np.float32(0.25)
    assert trainer.alpha == 0.25
    assert "alpha 0.25" in repr(trainer)
    trainer.train(5)
    assert trainer.network.weights.tobytes() == learned(0.5, 0.25) != learned(0.5, 0.5)


@pytest.mark.parametrize(
    "options",
    [
        {"schedule": "linear", "episodes": 20},
        {"schedule": "halving:5"},
        {"schedule": {5: 0.1}},
        {"schedule": lambda episode: 0.1},
        {"schedule": Schedule(0.3, [(3, 0.1)])},
        {"fixed_share": 0.5, "fixed_alpha": 0.2, "episodes": 20},
    ],
    ids=["linear", "halving", "pairs", "function", "Schedule", "fixed_share"],
)
def test_an_assigned_step_size_ends_every_schedule(options):
    trainer = tdl.Trainer(network(), seed=3, **options)
    trainer.alpha = 0.4
    trainer.train(5)
    trainer.train(5)
    assert trainer.alpha == 0.4
    assert trainer.network.weights.tobytes() == learned(0.4, 0.4)


def test_a_function_gives_the_step_size_of_each_block():
    asked = []

    def schedule(episode):
        asked.append(episode)
        return np.float32(0.5) if episode < 5 else 0.25

    trainer = tdl.Trainer(network(), schedule=schedule, seed=3)
    for _ in range(2):
        trainer.train(5)
    assert asked == [0, 5]
    assert trainer.network.weights.tobytes() == learned(0.5, 0.25)
    assert trainer.alpha == 0.25


@pytest.mark.parametrize("value", [0, -0.1, 11, math.nan, None, "0.1", True, [0.1, 0.2]])
def test_a_step_size_out_of_range_is_refused(value):
    trainer = tdl.Trainer(network(), schedule=lambda episode: value)
    with pytest.raises(
        ConfigError, match=r"schedule\(0\): .* is not allowed; expected a number above 0 and at most 10"
    ):
        trainer.train(1)
    with pytest.raises(ConfigError, match=r"alpha: .* is not allowed; expected a number above 0 and at most 10"):
        trainer.alpha = value
    assert trainer.episode == 0
    assert not trainer.network.weights.any()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("alhpa", "alhpa: no attribute of a Trainer; did you mean 'alpha'?"),
        ("learner", "learner: cannot be changed in a Trainer, what can be is alpha, episode, moves, spent"),
        ("schedule", "schedule: cannot be changed in a Trainer"),
        ("network", "network: cannot be changed in a Trainer"),
        ("mean_abs_error", "mean_abs_error: cannot be changed in a Trainer"),
        ("merge_seconds", "merge_seconds: cannot be changed in a Trainer"),
    ],
)
def test_what_would_change_nothing_cannot_be_assigned(name, message):
    trainer = tdl.Trainer(network())
    with pytest.raises(AttributeError) as caught:
        setattr(trainer, name, 0.5)
    assert str(caught.value).startswith(message)
    with pytest.raises(AttributeError, match="gamma: cannot be changed in a Player, nothing can be; make a new one"):
        tdl.Player(trainer.network).gamma = 0.5


def test_classes_of_ones_own_have_attributes_of_their_own():
    class Mine(tdl.Trainer):
        pass

    mine = Mine(network())
    mine.note = "kept"
    assert mine.note == "kept"


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"lr": 0.1}, "lr: no such option; .*; did you mean 'alpha'"),
        ({"learner": "tc"}, "learner: 'tc' is not allowed; expected LearnerOptions, .* tdl.train takes names"),
        ({"play": {"seed": 1}}, "play: .* is not allowed; expected PlayOptions"),
        ({"replicas": "two"}, "replicas: 'two' is not allowed; expected ReplicaOptions, or a whole number"),
        ({"search": 2}, r"search: 2 is not allowed; expected SearchOptions, as SearchOptions\(plies=2\)"),
        ({"schedule": 0.1}, "learner.schedule: 0.1 is not allowed"),
        ({"alpha": abs}, "alpha: .* expected a number; a function of the episode is given as schedule"),
        ({"ranks": None}, r"ranks: None is not allowed; expected Ranks, as connect\(\) of"),
        ({"ranks": 2}, "ranks: 2 is not allowed; expected Ranks"),
        ({"episode": 2**53 + 1}, "episode: .* is not allowed"),
    ],
    ids=str,
)
def test_words_of_others_are_answered(keywords, message):
    with pytest.raises(ConfigError, match=message):
        tdl.Trainer(network(), **keywords)


@pytest.mark.parametrize("number", [2**53 + 1, 2**63 - 1])
def test_what_is_assigned_is_checked_when_it_counts(number):
    trainer = tdl.Trainer(network())
    with pytest.raises(ConfigError, match="a function of the episode is given as schedule"):
        trainer.alpha = abs
    for name in ("episode", "moves"):
        setattr(trainer, name, number)
        with pytest.raises(ConfigError, match=f"{name}: {number} is not allowed"):
            trainer.train(1)
        setattr(trainer, name, 0)
    with pytest.raises(ConfigError, match="first: "):
        play_random(episodes=1, first=number)


@pytest.mark.parametrize(
    ("episodes", "options", "telling"),
    [
        *((number, {}, "episodes: .* is not allowed; expected a whole") for number in (-1, 1.5, "5", None, True)),
        (10**15, {}, "episodes: the records of .* games need .* GiB are free"),
        (1, {"on_progress": 3}, "on_progress: 3 is not allowed; expected a function of"),
    ],
)
def test_games_that_nobody_plays(episodes, options, telling):
    players = [tdl.Trainer(network()).train, tdl.Player(network()).evaluate]
    for play in players if options else [*players, lambda number: play_random(episodes=number)]:
        with pytest.raises(ConfigError, match=telling):
            play(episodes, **options)


def test_numbers_of_numpy():
    one, other = tdl.Trainer(network(), seed=np.int64(3), alpha=np.float32(0.5)), network()
    one.train(np.int32(5))
    tdl.Trainer(other, seed=3, alpha=0.5).train(5)
    assert one.network.weights.tobytes() == other.weights.tobytes()
    player = tdl.Player(other)
    assert player.evaluate(np.int64(2), np.int64(4)).tobytes() == player.evaluate(2, 4).tobytes()


@pytest.mark.parametrize("wrong", [None, "4x6", 5, tdl.Rules()], ids=repr)
def test_what_is_no_network(wrong):
    for taker in (tdl.Trainer, tdl.Player):
        with pytest.raises(ConfigError, match=r"network: .* is not allowed; expected NTupleNetwork"):
            taker(wrong)


def test_an_assigned_step_size_leaves_the_kind_of_the_step():
    trainer = tdl.Trainer(network(), step="coherent", fixed_share=0.5, episodes=10)
    trainer.alpha = 0.4
    trainer.train(5)
    assert not trainer.state["sums"].any()
    trainer.train(5)
    assert trainer.state["sums"].any()
