"""The jobs of a command by Hydra's notes of it: the last word for each key; nothing large is made, nothing is run."""

import re

import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser

from tdl.errors import TdlError
from tdl.sweeps.planned import MAX_WORDS, planned
from tdl.sweeps.trials import Space, TrialOptions


def notes(*task, params=None, **trials):
    sweep = {"callbacks": {"sweep": {"trials": trials}}} if trials else {}
    return {"hydra": {"overrides": {"task": [*task]}, "sweeper": {"params": params}, **sweep}}


def values(*task, params=None):
    return [dict(job.values) for job in planned(notes(*task, params=params)).jobs]


def test_every_combination_in_the_order_of_the_words():
    assert values("alpha=0.1,1", "seed=range(0,2)") == [
        {"alpha": 0.1, "seed": 0}, {"alpha": 0.1, "seed": 1}, {"alpha": 1, "seed": 0}, {"alpha": 1, "seed": 1},
    ]  # fmt: skip
    assert values() == [{}]


def test_the_command_line_wins_over_the_experiment():
    params = {"alpha": "0.1,0.5", "learner": "td,tc"}
    known = notes("alpha=1", "experiment=learners", params=params)
    assert [job.words for job in planned(known).jobs] == [
        {"alpha=1", "learner=td", "experiment=learners"}, {"alpha=1", "learner=tc", "experiment=learners"},
    ]  # fmt: skip
    assert planned(known).swept == ["learner"]


def test_values_are_as_a_row_of_runs_has_them():
    (job,) = values("game='2584'", "schedule=null", "tuples.cells=[[0,1]]", "+draw=true", "~tiles=p90_10")
    assert job == {"game": "2584", "schedule": None, "tuples.cells": "[[0, 1]]", "draw": True}


@pytest.mark.parametrize(("word", "message"), [
    ("alpha=interval(0,1)", "alpha=interval(0,1): numbers are drawn from an interval; say how many settings"),
    ("tuples=glob(*)", "tuples: its values cannot be listed"),
    ("seed=range(0,10000000000)", "seed: more than 20,000 values"),
    ("seed=shuffle(range(0,10000000000))", "seed: more than 20,000 values"),
    ("seed=range(0,1,1e-300)", "seed: more than 20,000 values"),
    ("seed=range(0,10,0)", "seed: more than 20,000 values"),
    ("alpha='", "the command cannot be read: "),
    ("name=" + "a" * MAX_WORDS, "the command is too long to be read"),
])  # fmt: skip
def test_what_cannot_be_listed(word, message):
    with pytest.raises(TdlError, match=f"^{re.escape(message)}"):
        planned(notes(word))


def test_too_many_jobs():
    with pytest.raises(TdlError, match="the command asks for 1,000,000 jobs, more than 20,000"):
        planned(notes("seed=range(0,1000)", "alpha=range(1,1001)"))


@pytest.mark.parametrize("damaged", [{}, {"hydra": 3}, {"hydra": {"overrides": {"task": "a=1"}, "sweeper": []}}])
def test_notes_of_somebody_else(damaged):
    assert [dict(job.values) for job in planned(damaged).jobs] == [{}]


def test_settings_that_are_drawn_at_random_are_those_of_the_sweep():
    words = ("alpha=interval(0.01,1)", "learner=td,tc", "seed=0,1")
    command = planned(notes(*words, number=3, by="random", seed=5))
    space = Space(OverridesParser.create().parse_overrides([*words]), TrialOptions(3, "random", 5))
    assert [job.words for job in command.jobs] == [{*job} for job in space.jobs(space.random())]
    assert len(command.jobs) == 6
    assert {job.values["seed"] for job in command.jobs} == {0, 1}
    assert command.swept == ["alpha", "learner", "seed"]


def test_of_settings_that_optuna_proposes_the_number_is_known():
    command = planned(notes("alpha=interval(0.01,1)", "seed=0,1", number=20, by="optuna", seed=0))
    assert (command.jobs, command.proposed, command.seeds) == ((), 20, [0, 1])


@pytest.mark.parametrize("trials", [{"number": -1}, {"number": "x"}, {"what": 3}, {"by": "me"}])
def test_no_options_of_trials(trials):
    with pytest.raises(TdlError, match="trials"):
        planned(notes("alpha=1,2", **trials))
