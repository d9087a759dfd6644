"""The launcher `cores`: how many jobs it runs at once, and jobs that cannot start or that others work on."""

import contextlib
import errno
import os
import shutil

import pytest
from hydra.errors import ConfigCompositionException
from support.programs import (
    SMALL,
    ended,
    inside,
    outcome,
    result,
    running,
    train,
    wait_until,
)
from support.sweeps import SHORT, folder_of, mark, rows_of, states, sweep

from tdl.base import machine
from tdl.storage.lock import RunLock
from tdl.sweeps import launcher
from tdl.sweeps.job_process import JobProcess
from tdl.sweeps.launcher import Task
from tdl.sweeps.sweeper import JobLoader


@pytest.fixture
def at_once(monkeypatch):
    """At each start of a job, how many run."""
    running = []

    class Watched(JobProcess):
        running = 0

        def __init__(self, *args):
            super().__init__(*args)
            Watched.running += 1
            running.append(Watched.running)

        def outcome(self):
            Watched.running -= 1
            return super().outcome()

    monkeypatch.setattr(launcher, "JobProcess", Watched)
    return running


def test_cores_are_not_given_twice(tmp_path, at_once):
    """Jobs with two threads on three cores: one at a time; with one, three."""
    for threads, jobs, expected in ((2, 2, 1), (1, 4, 3), (9, 2, 1)):
        at_once.clear()
        words = (*SHORT, f"threads={threads}", f"seed=range(0,{jobs})", "hydra.launcher.cores=3")
        assert sweep(tmp_path / str(threads), *words).returncode == 0
        assert (len(at_once), max(at_once)) == (jobs, expected)


def test_resumed_runs_have_the_threads_they_had(tmp_path, at_once):
    ones = [train(tmp_path / name, *SHORT, "threads=2") for name in "ab"]
    words = ("-m", f"resume={ones[0]},{ones[1]}", "hydra.launcher.cores=2", f"hydra.sweep.dir={tmp_path}/sweep")
    for further, expected in (("episodes=20",), 1), (("episodes=30", "threads=1"), 2):
        at_once.clear()
        assert inside(*words, *further).returncode == 0
        assert max(at_once) == expected


def test_a_job_that_cannot_start_fails_alone(tmp_path, monkeypatch):
    started = []

    class Limited(JobProcess):
        def __init__(self, *args):
            started.append(1)
            if len(started) == 2:
                raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
            super().__init__(*args)

    monkeypatch.setattr(launcher, "JobProcess", Limited)
    done = sweep(tmp_path, *SHORT, "seed=0,1,2", "hydra.launcher.cores=2")
    assert done.returncode == 2
    rows = rows_of(tmp_path)
    assert sorted(row["status"] for row in rows) == ["failed", "finished", "finished"]
    assert [row["error"] for row in rows if row["error"]] == ["file: Resource temporarily unavailable"]
    assert sweep(tmp_path, *SHORT, "seed=0,1,2").returncode == 0


def test_a_job_whose_configuration_breaks_meanwhile_fails_alone(tmp_path, monkeypatch):
    """A file of `conf` that is edited while jobs run."""
    load, seen = JobLoader.load_sweep_config, []

    def broken(self, config, words):
        seen.append(words)
        if len(seen) == 5:  # three were checked, and one begun
            raise ConfigCompositionException("cut in line 3")
        return load(self, config, words)

    monkeypatch.setattr(JobLoader, "load_sweep_config", broken)
    done = sweep(tmp_path, *SHORT, "seed=0,1,2", "hydra.launcher.cores=2")
    assert done.returncode == 1
    assert "1 of 3 jobs are not finished" in done.stderr
    rows = rows_of(tmp_path)
    assert sorted(row["status"] for row in rows) == ["failed", "finished", "finished"]
    assert "cut in line 3" in next(row["error"] for row in rows if row["status"] == "failed")


def test_processes_that_start_anew_play_the_same_games(tmp_path, monkeypatch):
    """As on macOS: what Hydra knows is sent to them, and a job that fails does so alone."""
    monkeypatch.setattr(machine, "LINUX", False)
    done = sweep(tmp_path / "sweep", "episodes=30", "seed=3", "save.final=true", f"evaluate.solution=null,{tmp_path}")
    assert done.returncode == 2
    assert sorted(row["status"] for row in rows_of(tmp_path / "sweep")) == ["failed", "finished"]
    whole = train(tmp_path / "whole", "episodes=30", "seed=3", "save.final=true")
    (finished,) = (path.parent for path in (tmp_path / "sweep").glob("*/checkpoint"))
    assert outcome(finished) == outcome(whole)


def test_cores_must_be_a_number(tmp_path):
    done = sweep(tmp_path / "sweep", *SHORT, "seed=0,1", "hydra.launcher.cores=0")
    assert done.returncode == 2
    assert "hydra.launcher.cores: 0 is not allowed; expected a whole number of at least 1" in done.stderr


def test_two_sweeps_in_one_folder_share_the_work(tmp_path):
    """Each job is done once: nothing is lost, nothing is done twice. All are locked until both sweeps have begun."""
    words = ("episodes=200", "seed=range(0,4)", "hydra.launcher.cores=1")
    folder = tmp_path / "sweep"
    sweep(folder, *words)
    with contextlib.ExitStack() as stack:
        with contextlib.ExitStack() as locks:
            for job in (path.parent for path in folder.glob("*/result.json")):
                shutil.rmtree(job / "checkpoint")
                mark(job, "running")
                (job / "job.log").unlink()
                locks.enter_context(RunLock(job))
            both = [stack.enter_context(running(tmp_path, "-m", *SMALL, *words, f"hydra.sweep.dir={folder}"))
                    for _ in range(2)]  # fmt: skip
            assert all(process.stdout.readline().startswith("4 jobs, ") for process in both)
        assert [ended(process).returncode for process in both] == [0, 0]
    assert states(folder) == dict.fromkeys("0123", "finished")
    logs = [path.read_text() for path in folder.glob("*/job.log")]
    assert [text.count("results in") for text in logs] == [1] * 4
    whole = train(tmp_path / "whole", "episodes=200", "seed=3")
    assert outcome(folder_of(folder, seed=3)) == outcome(whole)


def test_a_job_of_another_process_is_waited_for(two):
    """Not failed, not marked, and done here if the other one leaves it."""
    folder = folder_of(two, seed=0)
    shutil.rmtree(folder / "checkpoint")
    mark(folder, "running")
    words = ("-m", *SMALL, *SHORT, "seed=0,1,2", f"hydra.sweep.dir={two}", "hydra.launcher.cores=1")
    with running(two.parent, *words) as process:
        with RunLock(folder):
            wait_until(lambda: len(list(two.glob("*/result.json"))) == 3, process)
            assert process.poll() is None
            assert result(folder)["status"] == "running"
        assert ended(process).returncode == 0
    assert states(two) == dict.fromkeys("012", "finished")


def test_a_job_that_is_waited_for_is_not_begun_over_and_over(tmp_path, monkeypatch, at_once):
    monkeypatch.setattr(launcher, "BUSY_SECONDS", 0.02)
    sweep(tmp_path, *SHORT, "seed=0")
    shutil.rmtree(folder_of(tmp_path, seed=0) / "checkpoint")
    mark(folder_of(tmp_path, seed=0), "running")
    at_once.clear()
    waits, wait = [], Task.wait
    lock = RunLock(folder_of(tmp_path, seed=0))

    def counted(task):
        waits.append(task)
        wait(task)
        if len(waits) == 5:
            lock.__exit__()

    monkeypatch.setattr(Task, "wait", counted)
    lock.__enter__()
    assert sweep(tmp_path, *SHORT, "seed=0").returncode == 0
    assert len(waits) == 5
    assert len(at_once) == 2  # it was found busy, and done
