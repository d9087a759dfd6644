"""Sweeps and jobs that are killed, stopped by a signal, or meet a full disk.

Trusts the uninterrupted run as the measure.
"""

import contextlib
import os
import resource
import signal
from pathlib import Path

import pytest
from support.programs import SMALL, ended, inside, outcome, result, running, train, wait_until, written_at
from support.sweeps import folder_of, rows_of, table

FOREVER = "episodes=100000000"
LONG = (FOREVER, "save.every=100")


def started(cwd, *words, **options):
    """A sweep as a program; its jobs go on for ever."""
    return running(cwd, "-m", *SMALL, *LONG, *words, f"hydra.sweep.dir={cwd}/sweep", **options)


def job_pids(parent):
    """The processes a sweep started for its jobs."""
    with contextlib.suppress(FileNotFoundError):
        pids = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        return [int(pid) for pid in pids if "resource_tracker" not in Path(f"/proc/{pid}/cmdline").read_text()]
    return []


@pytest.fixture(params=["1", "0"], ids=["linux", "elsewhere"])
def system(request):
    """The environment of a program: with Linux's own means, and without, where the processes of jobs start anew."""
    return os.environ | {"TDL_LINUX": request.param}


def is_alive(pid):
    with contextlib.suppress(FileNotFoundError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def trained_on(cwd, jobs):
    """Whether so many jobs have written a checkpoint."""
    return sum(written_at(path.parent) is not None for path in (cwd / "sweep").glob("*/.hydra")) >= jobs


def test_the_death_of_the_sweep_leaves_nothing_running_and_nothing_lost(tmp_path, system):
    with started(tmp_path, "seed=0,1", "hydra.launcher.cores=2", env=system) as process:
        wait_until(lambda: trained_on(tmp_path, 2), process)
        jobs = job_pids(process.pid)
        assert len(jobs) == 2
        process.kill()
        process.wait()
    wait_until(lambda: not any(is_alive(pid) for pid in jobs))
    folders = sorted(path.parent for path in (tmp_path / "sweep").glob("*/result.json"))
    assert [result(folder)["status"] for folder in folders] == ["interrupted"] * 2
    seed, episodes = result(folders[0])["seed"], result(folders[0])["episodes"] + 100
    assert inside(f"resume={folders[0]}", f"episodes={episodes}").returncode == 0
    whole = train(tmp_path / "whole", f"seed={seed}", f"episodes={episodes}", "save.every=100")
    assert outcome(folders[0]) == outcome(whole)


def test_the_death_of_a_job_is_its_own(tmp_path):
    """The other one goes on to its end."""
    words = ("save.every=100", "hydra.sweep.dir=sweep", "hydra.launcher.cores=2")
    with running(tmp_path, "-m", *SMALL, f"{FOREVER},2000", *words) as process:
        wait_until(lambda: trained_on(tmp_path, 2), process)
        os.kill(job_pids(process.pid)[0], signal.SIGKILL)
        done = ended(process)
    assert done.returncode == 137
    rows = table(tmp_path / "sweep", "status")
    assert set(rows) == {"failed", "finished"}
    assert rows["failed"]["error"] == "killed by SIGKILL"
    assert "1 of 2 jobs are not finished" in done.stderr
    assert result(folder_of(tmp_path / "sweep", episodes=2000))["episodes"] == 2000


@pytest.mark.parametrize(
    ("number", "code", "system"),
    [(signal.SIGINT, 130, "1"), (signal.SIGTERM, 143, "0"), (signal.SIGHUP, 129, "1")],
    indirect=["system"],
)
def test_a_signal_lets_jobs_save(tmp_path, number, code, system):
    with started(tmp_path, "seed=range(0,5)", "hydra.launcher.cores=2", env=system) as process:
        wait_until(lambda: trained_on(tmp_path, 2), process)
        process.send_signal(number)
        done = ended(process)
    assert done.returncode == code
    assert "the same command with out=" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
    assert [row["status"] for row in rows_of(tmp_path / "sweep")] == ["interrupted"] * 2
    assert all(result(row["run"])["episodes"] % 10 == 0 for row in rows_of(tmp_path / "sweep"))


def test_a_full_disk_in_one_job(tmp_path):
    """Two jobs fit into what a file may be, the third does not."""
    words = ("-m", "block=10", "episodes=20", "evaluate.episodes=0", f"hydra.sweep.dir={tmp_path}/sweep",
             "tuples.cells=[[0,1,2]],[[0,1]],[[0,1,2,3]]")  # fmt: skip
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard))
    try:
        assert inside(*words).returncode == 2
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    rows = table(tmp_path / "sweep", "tuples.cells")
    assert {key: row["status"] for key, row in rows.items()} == {
        "[[0, 1, 2]]": "finished", "[[0, 1]]": "finished", "[[0, 1, 2, 3]]": "failed"}  # fmt: skip
    assert "File too large" in rows["[[0, 1, 2, 3]]"]["error"]
    assert inside(*words).returncode == 0
    assert {row["status"] for row in rows_of(tmp_path / "sweep")} == {"finished"}
