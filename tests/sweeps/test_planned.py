"""The jobs of a command by Hydra's notes of it: the last word for each key; nothing large is made, nothing is run."""

import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser

from tdl.errors import TdlError
from tdl.sweeps.planned import MAX_WORDS, planned, swept_keys
from tdl.sweeps.trials import Space, TrialOptions


def notes(*task, params=None, trials=None):
    hydra = {"overrides": {"task": [*task]}, "sweeper": {"params": params}}
    return {"hydra": {**hydra, "callbacks": {"sweep": {"trials": trials}}}}


def values(*task, params=None):
    return [dict(job.values) for job in planned(notes(*task, params=params))]


def test_every_combination_in_the_order_of_the_words():
    assert values("alpha=0.1,1", "seed=range(0,2)") == [
        {"alpha": 0.1, "seed": 0}, {"alpha": 0.1, "seed": 1}, {"alpha": 1, "seed": 0}, {"alpha": 1, "seed": 1},
    ]  # fmt: skip
    assert values() == [{}]


def test_the_command_line_wins_over_the_experiment():
    params = {"alpha": "0.1,0.5", "learner": "td,tc"}
    known = notes("alpha=1", "experiment=learners", params=params)
    assert [job.words for job in planned(known)] == [
        {"alpha=1", "learner=td", "experiment=learners"}, {"alpha=1", "learner=tc", "experiment=learners"},
    ]  # fmt: skip
    assert swept_keys(known) == ["learner"]


def test_values_are_as_a_row_of_runs_has_them():
    (job,) = values("game='2584'", "schedule=null", "tuples.cells=[[0,1]]", "+draw=true", "~tiles=p90_10")
    assert job == {"game": "2584", "schedule": None, "tuples.cells": "[[0, 1]]", "draw": True}


def test_settings_that_are_drawn_are_those_that_the_sweep_draws():
    words = ("alpha=interval(0.01,1)", "tuples=4x6,8x6", "game='2048',threes_law", "seed=0,1", "episodes=10")
    space = Space(OverridesParser.create().parse_overrides(list(words)), TrialOptions(3))
    jobs = planned(notes(*words, trials={"number": 3}))
    assert [job.words for job in jobs] == [frozenset(job) for job in space.jobs(space.random())]
    assert jobs[0].values == {"alpha": 0.105, "tuples": "8x6", "game": "threes_law", "seed": 0, "episodes": 10}


@pytest.mark.parametrize(("trials", "message"), [
    ({"number": 3}, "trials.number: settings are drawn from a key's values"),
    ({"number": 30_000}, "the command asks for 30,000 settings, more than 20,000"),
    ({"number": 9, "by": "optuna"}, "optuna proposes 9 settings, a few at a time"),
    ({"number": -1}, "trials.number: -1 is not allowed"),
    ({"by": {}, "more": 1}, "trials.more: no such key"),
    ("x", "trials"),
])  # fmt: skip
def test_trials_that_cannot_be_listed(trials, message):
    with pytest.raises(TdlError, match=message):
        planned(notes("alpha=0.1", trials=trials))


@pytest.mark.parametrize(("word", "message"), [
    ("alpha=interval(0,1)", "alpha: its values cannot be listed"),
    ("tuples=glob(*)", "tuples: its values cannot be listed"),
    ("seed=range(0,10000000000)", "seed: more than 20,000 values"),
    ("seed=shuffle(range(0,10000000000))", "seed: more than 20,000 values"),
    ("seed=range(0,1,1e-300)", "seed: more than 20,000 values"),
    ("seed=range(0,10,0)", "seed: more than 20,000 values"),
    ("alpha='", "the command cannot be read: "),
    ("name=" + "a" * MAX_WORDS, "the command is too long to be read"),
])  # fmt: skip
def test_what_cannot_be_listed(word, message):
    with pytest.raises(TdlError, match=f"^{message.replace('(', '.')}"):
        planned(notes(word))


def test_too_many_jobs():
    with pytest.raises(TdlError, match="the command asks for 1,000,000 jobs, more than 20,000"):
        planned(notes("seed=range(0,1000)", "alpha=range(1,1001)"))


@pytest.mark.parametrize("damaged", [{}, {"hydra": 3}, {"hydra": {"overrides": {"task": "a=1"}, "sweeper": []}}])
def test_notes_of_somebody_else(damaged):
    assert [dict(job.values) for job in planned(damaged)] == [{}]
