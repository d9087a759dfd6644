"""What is said before a run begins: what it takes, and what that of `experiment=best` reaches by when."""

from datetime import datetime

import pytest

from tdl.cli.python_runs import compose_run
from tdl.config.setup import Setup
from tdl.runs import forecast
from tdl.sweeps.job import without_hydra

HEAD = "such networks scored"


def setup_of(*words):
    return Setup.of(without_hydra(compose_run(words)))


@pytest.fixture
def speed(monkeypatch):
    """A million moves a second, and a clock that stands at 10:00."""

    class Clock(datetime):
        @classmethod
        def now(cls):
            return cls(2026, 1, 1, 10)

    monkeypatch.setattr(forecast, "datetime", Clock)
    monkeypatch.setattr(forecast, "measured", lambda setup: 1e6)


@pytest.mark.parametrize(
    ("words", "best"),
    [
        ((), True),
        (("seed=7", "threads=2", "budget.seconds=1d", "save.keep=2", "evaluate.plies=2"), True),
        (("learner.start=empty",), False),
        (("alpha=0.5",), False),
        (("game=2584",), False),
        (("replicas=2",), False),
    ],
    ids=str,
)
def test_the_recipe_is_known_by_what_is_learned(words, best):
    assert forecast.is_best(setup_of("experiment=best", *words)) is best


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        (
            ("budget.seconds=100",),
            ["100 million moves in 100 s, until 10:01, at 1.00 million a second here (1 thread)",
             f"{HEAD} 181,500 to 194,500 without search", "and made 16384 in 31% to 38% of their games, 32768 in 0%"],
        ),
        (
            ("budget.moves=1e10", "threads=2"),
            ["10,000 million moves in 2.8 h, until 12:46, at 1.00 million a second here (2 threads)",
             f"{HEAD} 331,400 to 363,000 without search",
             "and made 16384 in 77% to 79% of their games, 32768 in 15% to 23%"],
        ),
        (
            ("budget.seconds=2d",),
            ["172,800 million moves in 2 days, until 2026-01-03 10:00, at 1.00 million a second here (1 thread)",
             f"{HEAD} 331,400 to 363,000 without search",
             "and made 16384 in 77% to 79% of their games, 32768 in 15% to 23%; none had more than 10,003 million "
             "moves"],
        ),
    ],
    ids=str,
)  # fmt: skip
def test_what_it_reaches_by_when(speed, words, lines):
    text = forecast.text_of(setup_of("experiment=best", *words)).splitlines()
    assert text[:-1] == lines
    assert text[-1] == "memory 2 GB, disk up to 4 GB; Ctrl-C ends it sooner and leaves the player so far"


def test_a_run_that_goes_on_says_the_rest(speed):
    setup = setup_of("experiment=best", "budget.seconds=100")
    text = forecast.text_of(setup, {"moves": 40_000_000, "seconds": 80.0})
    assert text.startswith("50 million moves in 20 s, until 10:00, at 0.50 million a second here")


def test_the_number_of_games_may_be_the_end():
    setup = setup_of("experiment=best", "episodes=59120", "budget.moves=null")
    assert forecast.moves_of(setup, 1e6) == pytest.approx(1_002_946_828)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("tuples=4x6",), ""),
        (("experiment=best", "budget.moves=10000"), "memory 2 GB, disk up to 4 GB;"),
        (("tuples=8x6", "learner=tc", "save.final=false"), "memory 1.6 GB, disk up to 3.2 GB\n"),
        (("tuples=8x6", "learner=td", "replicas=3"), "memory 2.1 GB, disk up to 1.1 GB;"),
        (("tuples=8x6", "learner=tc", "episodes=0"), ""),
    ],
    ids=str,
)
def test_others_say_what_they_take_if_it_is_much(words, text):
    said = forecast.text_of(setup_of(*words))
    assert said.startswith(text)
    assert len(said.splitlines()) == bool(text)


def test_the_speed_is_measured_with_the_threads(monkeypatch):
    monkeypatch.setattr(forecast, "SECONDS", 0.02)
    assert 1e3 < forecast.measured(setup_of("experiment=best", "threads=2")) < 1e8


@pytest.mark.parametrize(("seconds", "text"), [(5, "5 s"), (300, "5 min"), (5400, "90 min"), (36_000, "10 h")])
def test_times_for_people(seconds, text):
    assert forecast.time_text(seconds) == text
