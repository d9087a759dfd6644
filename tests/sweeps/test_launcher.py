"""The launcher `cores`: how many jobs it runs at once, and jobs that cannot start or that others work on.

Where a test says no more, jobs are stood in for by objects that end when the launcher looks.
"""

import contextlib
import errno
import os
import shutil
from types import SimpleNamespace

import pytest
from hydra.errors import ConfigCompositionException
from omegaconf import OmegaConf
from support.programs import SMALL, ended, learned, outcome, running, train
from support.sweeps import SHORT, folder_of, mark, rows_of, states, sweep

from tdl.base import machine
from tdl.cli.python_runs import compose_run
from tdl.errors import ConfigError
from tdl.runs import resolvers
from tdl.storage.run_folder import lock_folder
from tdl.sweeps import launcher
from tdl.sweeps.job import JobContext, Outcome
from tdl.sweeps.launcher import CoresLauncher, Task


@pytest.fixture
def cores(tmp_path, monkeypatch):
    """A launcher on three cores; a word of each job is its threads, or what becomes of it."""

    def composed(self, task):
        (word,) = task.words
        if word == "cut":
            raise ConfigCompositionException("cut in line 3")
        name = JobContext(tmp_path / str(task.number), [word])
        threads = int(word) if word.isdigit() else 1
        card = word == "card"
        return SimpleNamespace(context=name, threads=threads, uses_card=card, config=None, is_worked_on=lambda: False)

    class Process:
        running, at_once, share = 0, [], 0.0

        def __init__(self, work, folder):
            self.word = cores.waiting_words[int(folder.name)]
            if self.word == "no memory":
                raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
            Process.running += 1
            Process.at_once.append(Process.running)

        def outcome(self):
            Process.running -= 1
            busy, self.word = self.word == "busy" and cores.busy.pop(), "1"
            return Outcome(busy=bool(busy))

    monkeypatch.setattr(launcher, "BUSY_SECONDS", 0.0)
    monkeypatch.setattr(launcher, "LOOK_SECONDS", 0.0)
    monkeypatch.setattr(CoresLauncher, "_composed", composed)
    monkeypatch.setattr(launcher, "JobProcess", Process)
    monkeypatch.setattr(launcher, "ended", lambda jobs, _: jobs[:1])
    monkeypatch.setattr(launcher.table, "prepare", lambda: None)
    monkeypatch.setattr(launcher, "mark_failed", lambda *told: cores.marked.append(told[-1]))
    cores = CoresLauncher(3)
    cores.at_once, cores.marked, cores.busy = Process.at_once, [], [False, True, True]
    cores.setup(
        hydra_context=None, task_function=lambda: None, config=OmegaConf.create({"hydra": {"sweep": {"dir": "a"}}})
    )
    return cores


def launch(cores, *words, first=0):
    """The outcomes of jobs, and how many ran at the start of each."""
    cores.at_once.clear()
    cores.waiting_words = {first + number: word for number, word in enumerate(words)}
    returned = cores.launch([[word] for word in words], first)
    return [job.return_value for job in returned], list(cores.at_once)


@pytest.mark.parametrize(
    ("threads", "at_once"), [("22", [1, 1]), ("1111", [1, 2, 3, 3]), ("99", [1, 1]), ("21", [1, 2])]
)
def test_cores_are_not_given_twice(cores, threads, at_once):
    assert launch(cores, *threads) == ([Outcome()] * len(threads), at_once)


@pytest.mark.parametrize(("jobs", "at_once"), [(1, [1, 2, 2]), (2, [1, 2, 3])])
def test_a_graphics_card_is_for_one_job_unless_more_are_asked_for(cores, jobs, at_once):
    """Others do not wait for it."""
    cores.card_jobs = jobs
    assert launch(cores, "card", "card", "1") == ([Outcome()] * 3, at_once)


def test_a_job_that_cannot_start_or_be_composed_fails_alone(cores):
    good, memory, cut = launch(cores, "1", "no memory", "cut")[0]
    assert good == Outcome()
    assert memory == Outcome(2, "file: Resource temporarily unavailable", marked=False)
    assert cores.marked == [memory.line]
    assert "cut in line 3" in cut.line


def test_a_busy_job_is_begun_again(cores):
    outcomes, at_once = launch(cores, "busy", "1")
    assert outcomes == [Outcome()] * 2
    assert len(at_once) == 4


def test_a_launcher_called_again_returns_the_jobs_of_that_call(cores):
    """As a sweeper calls it that proposes jobs by what came of others."""
    for first in (0, 2):
        assert len(launch(cores, "1", "1", first=first)[0]) == 2


def test_cores_must_be_a_number():
    with pytest.raises(ConfigError, match=r"hydra.launcher.cores: 0 is not allowed; expected a whole number of at le"):
        CoresLauncher(0)
    with pytest.raises(ConfigError, match=r"hydra.launcher.card_jobs: 0 is not allowed; expected a whole"):
        CoresLauncher(1, 0)


def test_resumed_runs_have_the_threads_they_had(small_run):
    run = small_run(*SHORT, "threads=2")
    assert resolvers.threads(_root_=compose_run([f"resume={run}"])) == 2
    assert resolvers.threads(_root_=compose_run([f"resume={run}", "threads=1"])) == 1


def test_jobs_on_a_graphics_card_are_known(small_run):
    run = small_run(*SHORT, "threads=2")
    words = {"": False, "device=cuda": True, f"resume={run}": False, f"resume={run} device=cuda": True}
    assert {word: resolvers.uses_card(compose_run(word.split())) for word in words} == words
    assert resolvers.jobs_at_once(_root_=compose_run(["device=cuda"])) == 1


def test_processes_that_start_anew_play_the_same_games(tmp_path, monkeypatch, small_run):
    """As on macOS: what Hydra knows is sent to them, and a job that fails does so alone."""
    monkeypatch.setattr(machine, "LINUX", False)
    done = sweep(tmp_path, "episodes=30", "seed=3", "save.final=true", f"evaluate.solution=null,{tmp_path}")
    assert done.returncode == 2
    assert sorted(row["status"] for row in rows_of(tmp_path)) == ["failed", "finished"]
    (finished,) = (path.parent for path in tmp_path.glob("*/checkpoint"))
    assert outcome(finished) == outcome(small_run("episodes=30", "seed=3", "save.final=true"))


def test_jobs_of_another_process_are_waited_for(two, monkeypatch):
    """As another sweep of this folder has them: one that it leaves is done here, one that it finishes is not."""
    monkeypatch.setattr(launcher, "BUSY_SECONDS", 0.02)
    left, finished = (folder_of(two, seed=seed) for seed in (0, 1))
    shutil.rmtree(left / "checkpoint")
    for folder in (left, finished):
        mark(folder, "running")
    waits, wait, locks = [], Task.wait, contextlib.ExitStack()

    def counted(task):
        waits.append(task)
        wait(task)
        if len(waits) == 6:
            mark(finished, "finished")
            locks.close()

    monkeypatch.setattr(Task, "wait", counted)
    for folder in (left, finished):
        locks.enter_context(lock_folder(folder))
    played = (finished / "episodes.npy").stat().st_mtime_ns
    done = sweep(two, *SHORT, "seed=0,1,2")
    assert done.returncode == 0, done.stderr
    assert states(two) == dict.fromkeys("012", "finished")
    assert (finished / "episodes.npy").stat().st_mtime_ns == played
    assert learned(left) == learned(train(two.parent / "whole", *SHORT, "seed=0"))


def test_two_sweeps_in_one_folder_do_each_job_once(tmp_path):
    folder = f"hydra.sweep.dir={tmp_path}/sweep"
    words = ("-m", *SMALL, "episodes=200", "seed=range(0,4)", "hydra.launcher.cores=1", folder)
    with running(tmp_path, *words) as one, running(tmp_path, *words) as other:
        assert [ended(process).returncode for process in (one, other)] == [0, 0]
    logs = [path.read_text() for path in (tmp_path / "sweep").glob("*/job.log")]
    assert [text.count("results in") for text in logs] == [1] * 4


def test_a_job_whose_configuration_breaks_meanwhile_is_in_the_table(tmp_path, monkeypatch):
    def broken(self, task, composed=CoresLauncher._composed):
        if "seed=1" in task.words:
            raise ConfigCompositionException("cut in line 3")
        return composed(self, task)

    monkeypatch.setattr(CoresLauncher, "_composed", broken)
    assert sweep(tmp_path, *SHORT, "seed=0,1").returncode == 1
    errors = {row["status"]: row["error"] for row in rows_of(tmp_path)}
    assert (errors["finished"], "cut in line 3" in errors["failed"]) == ("", True)
