"""Trials: settings drawn at random, the same ones each time; and what cannot be drawn."""

import pandas as pd
import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser
from support.programs import inside
from support.sweeps import SHORT, rows_of, sweep

from tdl.errors import ConfigError
from tdl.sweeps.trials import Interval, Space, TrialOptions, Values

WORDS = ("alpha=interval(0.01,1)", "tuples=4x6,8x6", "seed=0,1", "episodes=10", "block=int(interval(1,8))")

LOGARITHMS, DIFFERENCES = Interval("a", ["1", "4"], 1, 4, True), Interval("a", ["-1", "1"], -1.0, 1.0, False)


def space(*words, **options):
    return Space(OverridesParser.create().parse_overrides(list(words)), TrialOptions(**options))


def test_draws_are_the_same_everywhere_and_more_trials_leave_the_first():
    draws = space(*WORDS, number=4).random()
    assert draws == [("0.105", "8x6", "1"), ("0.0778", "8x6", "1"), ("0.0104", "8x6", "5"), ("0.303", "4x6", "1")]
    assert space(*WORDS, number=9).random()[:4] == draws
    assert space(*WORDS, number=4, seed=1).random() != draws


def test_each_setting_plays_all_seeds():
    alone = space(*WORDS, number=1)
    assert alone.jobs(alone.random()) == [
        ["alpha=0.105", "tuples=8x6", f"seed={seed}", "episodes=10", "block=1"] for seed in (0, 1)
    ]


def test_without_trials_every_combination_is_a_job_and_the_last_word_for_a_key_holds():
    every = space("alpha=0.3", "alpha=0.1,0.2", "seed=range(0,2)")
    assert every.jobs(every.random()) == [
        [f"alpha={alpha}", f"seed={seed}"] for alpha in (0.1, 0.2) for seed in (0, 1)
    ]


def test_a_draw_of_choices_plays_once():
    assert sorted(space("tuples=4x6,8x6", number=20).random()) == [("4x6",), ("8x6",)]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (Values("a", ["x", "y"]), ["x", "x", "y", "y"]),
        (Interval("a", ["0.01", "1"], 0.01, 1.0, True), ["0.01", "0.0316", "0.1", "0.316"]),
        (DIFFERENCES, ["-1", "-0.5", "0", "0.5"]),
        (Interval("a", ["0.999", "1"], 0.999, 1.0, False), ["0.999", "0.99925", "0.9995", "0.99975"]),
        (Interval("a", ["1", "4"], 1, 4, False), ["1", "2", "2", "4"]),  # halves are rounded to even numbers
        (LOGARITHMS, ["1", "1", "2", "3"]),
    ],
)
def test_a_share_of_all_values(values, expected):
    assert [values.at(quarter / 4) for quarter in range(4)] == expected


def test_what_is_checked_before_the_first_job_has_all_ends_and_choices():
    assert space("a=interval(0.1,1)", "b=x,y,z", number=5).samples() == [("0.1", "x"), ("1", "y"), ("0.1", "z")]


@pytest.mark.parametrize(
    ("word", "line"),
    [
        ("alpha=interval(1,0.1)", "alpha: 'interval(1,0.1)' is not allowed; expected an interval of two numbers"),
        ("alpha=interval(0,inf)", "expected an interval of two numbers, the smaller one first"),
        ("alpha=tag(log,interval(0,1))", "expected tag(linear,interval(0,1)), or tag(log,...) of numbers above 0"),
        ("alpha=tag(even,interval(1,2))", "expected tag(linear,interval(1,2))"),
        ("seed=interval(0,5)", "seed: 'interval(0,5)' is not allowed; expected seeds by their number, as seeds=5"),
        ("alpha=0.1", "trials.number: settings are drawn from a key's values; expected one that has several"),
    ],
)
def test_what_cannot_be_drawn(word, line):
    with pytest.raises(ConfigError) as refused:
        space(word, number=5)
    assert line in str(refused.value)


def test_a_sweep_of_trials_goes_on_and_races(tmp_path):
    words = (*SHORT, "block=10", "alpha=interval(0.1,0.9)", "learner=td,tc", "seed=0,1")
    assert sweep(tmp_path, *words, "trials.number=2").returncode == 0
    first = pd.DataFrame(rows_of(tmp_path))
    assert first["alpha"].nunique() == 2
    done = sweep(tmp_path, *words, "trials.number=3", "race.on=true")
    assert done.stdout.startswith("6 jobs, 4 of them already done")
    assert "Race: none of 3 settings stopped, " in done.stdout
    assert {*first["alpha"]} < {*pd.DataFrame(rows_of(tmp_path))["alpha"]}


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["-m", "alpha=interval(0.1,1)"], "alpha=interval(0.1,1): numbers are drawn from an interval; say how many "
         "settings, as trials.number=20"),
        (["-m", "alpha=interval(0.1,100)", "trials.number=3"], "alpha=16.5: alpha: 16.5 is not allowed"),
        (["-m", "alpha=0.1,1", "trials.by=optuna"], "trials.by: optuna proposes settings; say how many, as"),
        (["-m", "alpha=0.1,1", "trials.by=optune"], "trials.by: 'optune' is not allowed; expected random or optuna"),
        (["-m", "alpha=0.1,1", "trials.number=0"], "trials.number: 0 is not allowed; expected a whole number"),
        (["trials.number=3"], "trials.number: settings are drawn in a sweep: add -m (tdl sweep)"),
        (["-m", "hydra/sweeper=tune", "alpha=0.1,1"], "trials.by=optuna trials.number=20"),
        (["-m", "hydra.sweeper.n_trials=30", "alpha=0.1,1"], "trials.by=optuna trials.number=30"),
    ],
)  # fmt: skip
def test_refused_words(tmp_path, words, line):
    done = inside(*SHORT, *words, f"out={tmp_path / 'x'}")
    assert (done.returncode, (tmp_path / "x").exists()) == (2, False), done.stdout
    assert line in done.stderr
