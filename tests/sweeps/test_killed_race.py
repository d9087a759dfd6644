"""Races that are killed at any moment, or stopped, or share a folder: the same decisions, and nothing is played twice.

Trusts the race that nobody disturbed.
"""

import contextlib
import signal

import pytest
from support.programs import SMALL, ended, result, running, wait_until
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


def answer_in(done):
    """The sentences at the end, up to the seconds that were spared, which are measured."""
    return done.stdout[done.stdout.index("Best: ") : done.stdout.index(" games, ", done.stdout.index("spared: "))]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole") / "race"
    done = sweep(folder, *WORDS)
    assert done.returncode == 0, done.stderr
    assert {row.verdict for row in read_race(folder)} == {"leads", "stays", "worse"}
    return facts(folder), answer_in(done)


def started(cwd, *words):
    return running(cwd, "-m", *SMALL, *WORDS, *words, f"hydra.sweep.dir={cwd}/race")


def test_a_race_that_is_killed_three_times(tmp_path, whole):
    """While its first jobs run, after some, and in a later round; the second time it is asked to end."""
    before = {}
    for jobs, number in ((1, signal.SIGKILL), (4, signal.SIGINT), (7, signal.SIGKILL)):
        with started(tmp_path) as process:
            wait_until(lambda jobs=jobs: len(finished(tmp_path / "race")) >= jobs, process)
            process.send_signal(number)
            done = ended(process)
        assert done.returncode in (-number, 128 + number)
        before |= finished(tmp_path / "race")
    with started(tmp_path) as process:
        done = ended(process)
    assert done.returncode == 0, done.stderr
    found, answer = whole
    assert facts(tmp_path / "race") == found
    assert answer_in(done) == answer
    assert before.items() <= finished(tmp_path / "race").items()


def test_two_races_of_one_command_in_one_folder(tmp_path, whole):
    with started(tmp_path) as one, started(tmp_path) as other:
        codes = [ended(process).returncode for process in (one, other)]
    assert codes == [0, 0]
    assert facts(tmp_path / "race") == whole[0]
