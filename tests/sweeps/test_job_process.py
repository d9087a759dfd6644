"""A job in a process of its own: its outcome, its prints, its signals."""

import signal

import pytest
from support.jobs import bad, dies, good, sleeps

from tdl.base import machine
from tdl.runs.interrupts import Interrupts
from tdl.sweeps.job import Outcome
from tdl.sweeps.job_process import JobProcess


@pytest.fixture(params=[True, False], ids=["forked", "anew"])
def forked(request, monkeypatch):
    """Processes that are forked, and those that start anew, as on macOS."""
    if request.param and not machine.LINUX:
        pytest.skip("does not fork")
    monkeypatch.setattr(machine, "LINUX", request.param)
    return request.param


def test_the_outcome_of_a_process(tmp_path, forked):
    """What it gives, or how it died; what it printed is in its file."""
    assert JobProcess(good, tmp_path / "good").outcome() == Outcome(3, "a line")
    assert (tmp_path / "good" / "job.log").read_text() == "said\n"
    assert JobProcess(bad, tmp_path / "bad").outcome() == Outcome(1, "ValueError('a fault')", marked=False)
    assert "Traceback" in (tmp_path / "bad" / "job.log").read_text()
    assert JobProcess(dies, tmp_path / "dies").outcome() == Outcome(137, "killed by SIGKILL", marked=False)


def test_no_signal_to_a_new_process_is_lost(tmp_path, forked):
    """Not even one that comes before it has its own handlers: until then it has those of the sweep."""
    with Interrupts("when the jobs that run have saved"):
        for number in range(30 if forked else 3):
            process = JobProcess(sleeps, tmp_path / str(number))
            process.send(signal.SIGTERM)
            assert process.outcome() == Outcome(143, "killed by SIGTERM", marked=False)
