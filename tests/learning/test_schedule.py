"""The step size over the episodes of a run."""

import numpy as np
import pytest

import tdl
from tdl.errors import ConfigError
from tdl.learning.schedule import Schedule


def alphas(numbers, **options):
    schedule = Schedule(0.8, **options)
    return [schedule.at(episode) for episode in numbers]


def test_without_a_form_it_is_alpha():
    assert alphas([0, 10**9]) == [0.8, 0.8]


def test_linear_ends_at_zero():
    assert alphas([0, 25, 50, 99, 100, 200], form="linear", episodes=100) == pytest.approx(
        [0.8, 0.6, 0.4, 0.008, 0, 0]
    )


def test_halving():
    assert alphas([0, 99, 100, 250, 300], form="halving:100") == pytest.approx([0.8, 0.8, 0.4, 0.2, 0.1])


@pytest.mark.parametrize(
    "form", [["10:0.5", "20:0.1"], [[10, 0.5], [20, 0.1]], {10: 0.5, 20: 0.1}, {"10": "0.5", "20": "0.1"}]
)
def test_points_in_every_way_to_write_them(form):
    assert alphas([0, 9, 10, 19, 20, 999], form=form) == [0.8, 0.8, 0.5, 0.5, 0.1, 0.1]


@pytest.mark.parametrize("form", [["0%:0.5", "7%:0.3", "90%:0.1"], {"0%": 0.5, "7%": 0.3, "90%": 0.1}])
def test_shares_of_the_run(form):
    assert alphas([0, 69, 70, 899, 900, 2000], form=form, episodes=1000) == [0.5, 0.5, 0.3, 0.3, 0.1, 0.1]
    schedule = Schedule(0.8, form=form, episodes=1000)
    assert [schedule.at(episode, 0.07) for episode in (0, 999)] == [0.3, 0.3]


def test_episodes_first_and_then_shares():
    form = ["100:0.5", "200:0.4", "70%:0.3", "90%:0.1"]
    assert alphas([0, 99, 100, 200, 699, 700, 900], form=form, episodes=1000) == [0.8, 0.8, 0.5, 0.4, 0.4, 0.3, 0.1]
    assert alphas([100, 150, 200], form=form, episodes=100) == [0.1, 0.1, 0.1]  # the last pair that is reached
    assert Schedule(0.8, form=form, episodes=1000).at(5, 0.75) == 0.3


def test_without_episodes_the_share_of_the_run_counts():
    assert [Schedule(0.8, form="linear").at(5, spent) for spent in (0, 0.25, 1)] == [0.8, 0.6000000000000001, 0]
    assert [Schedule(0.8, form=["50%:0.1"]).at(5, spent) for spent in (0, 0.5)] == [0.8, 0.1]
    first = Schedule(0.8, fixed_share=0.5, fixed_alpha=0.2)
    assert [first.at(5, spent) for spent in (None, 0.4, 0.5)] == [0.2, 0.2, 0.8]


def test_a_fixed_step_first():
    schedule = Schedule(1.0, episodes=100, fixed_share=0.9, fixed_alpha=0.1)
    episodes = (0, 89, 90, 99)
    assert [schedule.at(episode) for episode in episodes] == [0.1, 0.1, 1.0, 1.0]
    assert [schedule.is_fixed(episode) for episode in episodes] == [True, True, False, False]


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ("halving:" + "1" * 5000, "learner.schedule: 'halving:1+… is not allowed; expected null, linear, halving"),
        ("halving:0", r"learner.schedule: 'halving:0' is not allowed; expected null, linear, halving:EPISODES, or a"),
        (5, "learner.schedule: 5 is not allowed"),
        (["a:b"], r"learner.schedule: 'a:b' is not allowed"),
        (["5:0.1", "5:0.2"], "pairs in ascending order"),
        (["0%:0.1", "5:0.2"], "learner.schedule: '5' is not allowed; expected 0% to 100%, in all pairs from"),
        (["many%:0.1"], "learner.schedule: 'many%:0.1' is not allowed"),
        (["5:11"], "learner.schedule: 11.0 is not allowed; expected a number above 0 and at most 10"),
    ],
)
def test_what_is_no_schedule(form, message):
    with pytest.raises(ConfigError, match=message):
        Schedule(0.1, form=form)


@pytest.mark.parametrize("form", ["linear", ["50%:0.1"]])
def test_a_form_that_counts_by_the_episodes_needs_them(form):
    with pytest.raises(ConfigError, match="episodes: None is not allowed"):
        Schedule(0.1, form=form).check_counted()


def weights(alpha, **options):
    network = tdl.NTupleNetwork(tdl.Rules(rows=2, cols=3), tdl.TupleSet(((0, 1, 2),)))
    trainer = tdl.Trainer(network, alpha=alpha, **options)
    for _ in range(2):
        trainer.train(50)
    return network.weights


def test_training_follows_it():
    """Looked up at the beginning of every block."""
    assert np.array_equal(weights(0.5, schedule=["0:0.1"]), weights(0.1))
    assert np.array_equal(weights(0.5, schedule=["10:0.1"]), weights(0.5, schedule=["50:0.1"]))
    assert not np.array_equal(weights(0.5, schedule=["50:0.1"]), weights(0.5))
    otd = weights(1.0, step="coherent", fixed_share=0.5, fixed_alpha=0.1, episodes=100)
    assert not np.array_equal(otd, weights(0.1))
    assert not np.array_equal(otd, weights(1.0, step="coherent"))
    whole = weights(1.0, step="coherent", fixed_share=1.0, fixed_alpha=0.1, episodes=100)
    assert np.array_equal(whole, weights(0.1))
