"""Progress in plain lines: speed, note and time left, by a clock that the test turns."""

import io
import sys
from types import ModuleType

import pytest
import tqdm

from tdl.runs import progress
from tdl.runs.progress import Progress, hidden


@pytest.fixture
def now(monkeypatch):
    """The time, as a list of one number of seconds."""
    seconds = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: seconds[0])
    return seconds


def test_progress_of_games_that_take_long(now, capsys):
    """Lines come every ten seconds, also before the first game has ended."""
    shown = Progress("evaluate", 4, "moves")
    for seconds, finished, moves in ((5, 0, 500), (10, 0, 1000), (15, 1, 1500), (21, 1, 2100), (32, 2, 64_000)):
        now[0] = seconds
        shown.update(finished, moves)
    assert capsys.readouterr().err.splitlines() == [
        "evaluate 0/4  100 moves/s  left ?",
        "evaluate 1/4  100 moves/s  left 01:03",
        "evaluate 2/4  2.00k moves/s  left 00:32",
    ]


def test_progress_of_a_budget_guesses_the_end(now, capsys):
    """A quarter of the budget was enough for 50 episodes, half of it for 80; never more than were asked for."""
    shown = Progress("train", 10_000, "moves")
    for seconds, finished, share in ((10, 50, 0.25), (20, 80, 0.5), (30, 80, 0.001), (40, 90, 1.2)):
        now[0] = seconds
        shown.update(finished, 100 * finished, "mean 10", share=share)
    assert capsys.readouterr().err.splitlines() == [
        "train 50/200  500 moves/s  mean 10  left 00:30",
        "train 80/160  400 moves/s  mean 10  left 00:20",
        "train 80/10000  267 moves/s  mean 10  left 1:02:00",
        "train 90/90  225 moves/s  mean 10  left 00:00",
    ]


def test_progress_of_games_without_an_end_is_that_of_the_budget(now, capsys):
    shown = Progress("train", None, "moves")
    for seconds, finished, share in ((10, 0, 0.25), (20, 80, 0.5), (30, 120, 1.01)):
        now[0] = seconds
        shown.update(finished, 100 * finished, "mean 10", share=share)
    assert capsys.readouterr().err.splitlines() == [
        "train 0/0  0.00 moves/s  mean 10  left 00:30",
        "train 80/160  400 moves/s  mean 10  left 00:20",
        "train 120/120  400 moves/s  mean 10  left 00:00",
    ]


def test_progress_of_boards_whose_number_nobody_knows(now, capsys):
    """The speed is that of what is done; no time is left to tell."""
    shown = Progress("enumerate", None, "boards")
    for seconds, boards in ((5, 10_000_000), (10, 20_000_000), (15, 30_000_000)):
        now[0] = seconds
        shown.update(boards)
    assert capsys.readouterr().err == "enumerate 20000000  2.00M boards/s\n"


def test_progress_of_jobs(now, capsys):
    """A line for each job that ended, and none for those that run; work that goes on began where it was left."""
    shown = Progress("sweep", 4, done=1)
    for seconds, done, name in ((1, 2, "seed=0"), (2, 3, "seed=1")):
        now[0] = seconds
        shown.update(done, note=name, every=0.0)
        shown.update(done, note="2 running", part=0.5, every=10.0)
    now[0] = 15
    shown.update(3, note="1 running", part=0.25, every=10.0)
    shown.say("tdl: seed=2: a fault")
    assert capsys.readouterr().err.splitlines() == [
        "sweep 2/4  seed=0  left 00:02",
        "sweep 3/4  seed=1  left 00:01",
        "sweep 3/4  1 running  left 00:05",
        "tdl: seed=2: a fault",
    ]


def test_time_left_of_a_budget_begun_before(now, capsys):
    """A run goes on at 60% of its time after 1,000 games; the games of its end are longer than those."""
    shown = Progress("train", 10_000, "moves", 1000, 0.6)
    now[0] = 10
    shown.update(1050, 1000, "mean 10", share=0.7)
    assert capsys.readouterr().err == "train 1050/1500  100 moves/s  mean 10  left 00:30\n"


def test_lines_of_long_work_are_rare(now, capsys):
    """At most one a minute after an hour, and one at the end."""
    shown = Progress("train", 36_000)
    for seconds in range(1, 36_001):
        now[0] = seconds
        shown.update(seconds, note="mean 10")
    lines = capsys.readouterr().err.splitlines()
    assert 600 < len(lines) < 800
    assert lines[-1] == "train 36000/36000  mean 10  left 00:00"


def test_nothing_is_shown_of_what_is_hidden(now, capsys):
    """But for what is said: a job that failed."""
    with hidden():
        shown = Progress("train", 2)
        now[0] = 60
        shown.update(1, note="mean 10")
        shown.say("tdl: a fault")
    shown.update(2, note="mean 11")
    shown.close()
    assert capsys.readouterr().err == "tdl: a fault\n"


class _NotebookStream(io.StringIO):
    __module__ = "ipykernel.iostream"


class _Bar(tqdm.tqdm):
    """In the place of the bar that notebooks draw."""


@pytest.mark.parametrize("widgets", [True, False])
def test_a_notebook_has_its_own_bar_if_it_can_show_one(monkeypatch, widgets):
    notebook = ModuleType("tqdm.notebook")
    notebook.tqdm = _Bar
    monkeypatch.setitem(sys.modules, "tqdm.notebook", notebook)
    monkeypatch.setitem(sys.modules, "ipywidgets", ModuleType("ipywidgets") if widgets else None)
    monkeypatch.setattr(sys, "stderr", _NotebookStream())
    assert progress._bar_class() is (_Bar if widgets else tqdm.tqdm)
    shown = Progress("train", 2, "moves")
    shown.update(2, 100, "mean 10")
    shown.close()
    assert "train 100%" in sys.stderr.getvalue()
    assert "mean 10" in sys.stderr.getvalue()


def test_a_job_of_a_sweep_in_a_notebook_prints_lines(monkeypatch):
    """Its process is forked from the notebook's, and prints into a file."""
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert progress._bar_class() is None
