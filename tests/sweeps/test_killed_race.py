"""Races that are killed at any moment, or stopped, or share a folder: the same decisions, and nothing is played twice.

Trusts the race that nobody disturbed.
"""

import contextlib
import multiprocessing
import os
import signal

import pytest
from support import PATIENCE
from support.programs import result, wait_until
from support.sweeps import sweep

from tdl.storage.race_file import RACE, read_race

WORDS = ("alpha=0.000001,0.001,0.3", "seed=range(0,6)", "block=100", "episodes=400", "evaluate.episodes=200",
         "save.every=100", "race.on=true", "hydra.launcher.cores=2")  # fmt: skip


def facts(folder):
    """What every job played, by its name, and what the race decided."""
    jobs = {path.parent.name: result(path.parent) for path in folder.glob("*/result.json")}
    played = {name: (job["status"], job["episodes"], job["evaluation"]["mean"]) for name, job in jobs.items()}
    return played, (folder / RACE).read_text()


def finished(folder):
    """When the finished jobs ended."""
    with contextlib.suppress(FileNotFoundError):
        times = {path: path.stat().st_mtime_ns for path in folder.glob("*/result.json")}
        return {path: time for path, time in times.items() if result(path.parent)["status"] == "finished"}
    return {}


def answer_in(screen):
    """The sentences at the end, up to the seconds that were spared, which are measured."""
    return screen[screen.index("Best: ") : screen.index(" games, ", screen.index("spared: "))]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole") / "race"
    done = sweep(folder, *WORDS)
    assert done.returncode == 0, done.stderr
    assert {row.verdict for row in read_race(folder)} == {"leads", "stays", "worse"}
    return facts(folder), answer_in(done.stdout)


def play(folder):
    done = sweep(folder, *WORDS)
    (folder / "screen.txt").write_text(done.stdout)
    os._exit(done.returncode)


@contextlib.contextmanager
def started(folder):
    """The race in a process of its own, which has all modules."""
    process = multiprocessing.get_context("fork").Process(target=play, args=(folder,))
    process.start()
    try:
        yield process
        process.join(PATIENCE)
    finally:
        process.kill()
        process.join()


def test_a_race_that_is_killed_and_asked_to_end(tmp_path, whole):
    """While its first jobs run, and in a later round."""
    before, folder = {}, tmp_path / "race"
    for jobs, number, code in ((1, signal.SIGKILL, -9), (7, signal.SIGINT, 130)):
        with started(folder) as process:
            wait_until(lambda jobs=jobs: len([*folder.glob("*/evaluation.npy")]) >= jobs)
            os.kill(process.pid, number)
        assert process.exitcode == code
        before |= finished(folder)
    with started(folder) as process:
        pass
    assert process.exitcode == 0
    found, answer = whole
    assert facts(folder) == found
    assert answer_in((folder / "screen.txt").read_text()) == answer
    assert before.items() <= finished(folder).items()


def test_two_races_of_one_command_in_one_folder(tmp_path, whole):
    with started(tmp_path / "race") as one, started(tmp_path / "race") as other:
        pass
    assert [one.exitcode, other.exitcode] == [0, 0]
    assert facts(tmp_path / "race") == whole[0]
