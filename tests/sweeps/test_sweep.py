"""Sweeps: what is there is left alone, what was cut off goes on, what is missing is done, whatever ended what.

Trusts that a run goes on from its checkpoint as if nothing had happened, which test_resume.py and test_crash.py show.
"""

import contextlib
import csv
import errno
import json
import os
import resource
import shutil
import signal
import time
from pathlib import Path

import pytest
from hydra.errors import ConfigCompositionException, InstantiationException
from support.programs import (
    SMALL,
    ended,
    files,
    inside,
    outcome,
    program,
    result,
    running,
    train,
    wait_until,
    written_at,
)

from tdl.cli.messages import explain
from tdl.runs.interrupts import Interrupts
from tdl.storage.lock import RunLock, is_held
from tdl.sweeps.job_process import JobProcess
from tdl.sweeps.launcher import CoresLauncher, _Task
from tdl.sweeps.sweep import Outcome

LONG = ("episodes=100000000", "save.every=1000")
SHORT = ("episodes=10", "evaluate.episodes=0")
WRITTEN = {"multirun.yaml", "sweep.csv", "sweep.png"}


@pytest.fixture(autouse=True)
def _no_pictures(monkeypatch):
    monkeypatch.setattr("tdl.results.figures.save_curve", lambda folder: None)
    monkeypatch.setattr("tdl.sweeps.table._draw", lambda folder, table: False)


def sweep(folder, *words):
    """A sweep of small runs, inside this process."""
    return inside("-m", *SMALL, *words, f"hydra.sweep.dir={folder}")


def rows_of(folder):
    with (Path(folder) / "sweep.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def table(folder, key):
    """Rows of `sweep.csv` by the values of a column."""
    rows = rows_of(folder)
    told = {row[key]: row for row in rows}
    assert len(told) == len(rows)
    return told


def states(folder, key="seed"):
    return {value: row["status"] for value, row in table(folder, key).items()}


def folder_of(folder, **values):
    """The folder of the job with these values in its configuration."""
    (found,) = (
        path.parent
        for path in Path(folder).glob("*/result.json")
        if values.items() <= json.loads(path.read_text())["config"].items()
    )
    return found


def jobs_in(folder):
    return {name: digest for name, digest in files(folder).items() if name not in WRITTEN}


def test_the_same_command_again_does_nothing(tmp_path):
    assert sweep(tmp_path, *SHORT, "seed=0,1", "alpha=0.1,0.2").returncode == 0
    before = {name: digest for name, digest in jobs_in(tmp_path).items() if not name.endswith("job.log")}
    times = {path: path.stat().st_mtime_ns for path in tmp_path.glob("*/episodes.npy")}
    assert len(times) == 4
    assert sweep(tmp_path, *SHORT, "seed=0,1", "alpha=0.1,0.2").returncode == 0
    assert {name: digest for name, digest in jobs_in(tmp_path).items() if not name.endswith("job.log")} == before
    assert {path: path.stat().st_mtime_ns for path in tmp_path.glob("*/episodes.npy")} == times
    assert all("nothing to do" in path.read_text() for path in tmp_path.glob("*/job.log"))


def test_further_values_are_new_jobs_beside_the_old(tmp_path):
    sweep(tmp_path, *SHORT, "seed=0,1")
    before = {path.stat().st_ino for path in tmp_path.glob("*/episodes.npy")}
    assert sweep(tmp_path, *SHORT, "seed=range(0,3)").returncode == 0
    assert before < {path.stat().st_ino for path in tmp_path.glob("*/episodes.npy")}
    assert states(tmp_path) == dict.fromkeys("012", "finished")


def test_any_key_makes_another_job(tmp_path):
    """Also one that no list of names would have had: the hash is of the whole configuration."""
    for words in ((), ("learner.restart_moves=11",), ("save.keep=2",), ("evaluate.plies=2",), ("tuples.count_cap=3",)):
        assert sweep(tmp_path, *SHORT, *words).returncode == 0
    assert len(list(tmp_path.glob("*/episodes.npy"))) == 5


@pytest.mark.parametrize("launcher", ["cores", "basic"])
def test_what_is_missing_is_done_and_what_was_cut_off_goes_on(tmp_path, launcher):
    words = ("episodes=200", "save.every=50", "save.keep=4", "seed=range(0,4)", f"hydra/launcher={launcher}")
    assert sweep(tmp_path / "whole", *words).returncode == 0
    part = shutil.copytree(tmp_path / "whole", tmp_path / "part")
    shutil.rmtree(folder_of(part, seed=0))
    cut, begun = folder_of(part, seed=1), folder_of(part, seed=2)
    for folder in (cut, begun):  # killed, with a checkpoint and before the first
        shutil.rmtree(folder / "checkpoint")
        (folder / "result.json").write_text(json.dumps(result(folder) | {"status": "running"}))
    (cut / "kept" / "0000000050").rename(cut / "checkpoint")
    for folder in (cut, begun):
        shutil.rmtree(folder / "kept")
    inode = os.stat(cut / "episodes.npy").st_ino
    assert sweep(part, *words).returncode == 0
    assert states(part) == dict.fromkeys("0123", "finished")
    assert os.stat(cut / "episodes.npy").st_ino == inode
    for seed in range(4):
        assert outcome(folder_of(part, seed=seed)) == outcome(folder_of(tmp_path / "whole", seed=seed))


def test_finished_jobs_need_no_checkpoint(tmp_path):
    """Who needs the room may delete them."""
    sweep(tmp_path, *SHORT, "seed=0,1")
    shutil.rmtree(folder_of(tmp_path, seed=0) / "checkpoint")
    assert sweep(tmp_path, *SHORT, "seed=0,1").returncode == 0
    assert not (folder_of(tmp_path, seed=0) / "checkpoint").exists()


def test_a_failed_job_is_tried_again(tmp_path):
    folder, network = tmp_path / "sweep", tmp_path / "later"
    words = (*SHORT, "placer=adversary", f"placer.network={network}", "seed=0,1")
    assert sweep(folder, *words).returncode == 2
    assert states(folder) == dict.fromkeys("01", "failed")
    assert all("no checkpoint here" in row["error"] for row in table(folder, "seed").values())
    train(network, *SHORT)
    done = sweep(folder, *words)
    assert done.returncode == 0, done.stderr
    assert states(folder) == dict.fromkeys("01", "finished")
    assert not any(row["error"] for row in table(folder, "seed").values())


def test_a_damaged_checkpoint_fails_alone(tmp_path):
    words = ("episodes=20", "seed=0,1")
    sweep(tmp_path, *words)
    broken = folder_of(tmp_path, seed=0)
    (broken / "checkpoint" / "meta.json").write_text("{")
    (broken / "result.json").write_text(json.dumps(result(broken) | {"status": "running"}))
    done = sweep(tmp_path, *words)
    assert done.returncode == 2
    assert states(tmp_path) == {"0": "failed", "1": "finished"}
    assert "meta.json" in table(tmp_path, "seed")["0"]["error"]


def test_a_folder_of_another_configuration_is_refused(tmp_path):
    """The digits of a folder's name may meet by chance."""
    sweep(tmp_path, *SHORT, "seed=0")
    folder = folder_of(tmp_path, seed=0)
    other = train(tmp_path / "deeper" / "other", *SHORT, "seed=5")
    shutil.rmtree(folder / "checkpoint")
    shutil.copytree(other / "checkpoint", folder / "checkpoint")
    (folder / "result.json").write_text(json.dumps(result(folder) | {"status": "running"}))
    done = sweep(tmp_path, *SHORT, "seed=0")
    assert done.returncode == 2
    assert "holds a run of another configuration" in done.stderr


def test_a_job_that_was_extended_by_hand_is_done(tmp_path):
    sweep(tmp_path, *SHORT, "seed=0,1")
    folder = folder_of(tmp_path, seed=0)
    assert inside(f"resume={folder}", "episodes=30", "save.keep=2").returncode == 0
    (folder / "result.json").write_text(json.dumps(result(folder) | {"status": "interrupted"}))
    done = sweep(tmp_path, *SHORT, "seed=0,1")
    assert done.returncode == 0, done.stderr
    assert states(tmp_path) == dict.fromkeys("01", "finished")


def test_resumed_runs_stay_where_they_are(tmp_path):
    """And stand in the table once, also when the sweep is repeated."""
    ones = [train(tmp_path / name, *SHORT, f"seed={seed}") for seed, name in enumerate("ab")]
    words = ("-m", f"resume={ones[0]},{ones[1]}", "episodes=20", f"hydra.sweep.dir={tmp_path / 'sweep'}")
    for _ in range(2):
        done = inside(*words)
        assert done.returncode == 0, done.stderr
        rows = table(tmp_path / "sweep", "seed")
        assert {seed: row["episodes"] for seed, row in rows.items()} == {"0": "20", "1": "20"}
    assert {row["run"] for row in table(tmp_path / "sweep", "seed").values()} == set(map(str, ones))


@pytest.fixture
def at_once(monkeypatch):
    """At each start of a job, how many run."""
    told = []

    class Watched(JobProcess):
        running = 0

        def __init__(self, *args):
            super().__init__(*args)
            Watched.running += 1
            told.append(Watched.running)

        def outcome(self):
            Watched.running -= 1
            return super().outcome()

    monkeypatch.setattr("tdl.sweeps.launcher.JobProcess", Watched)
    return told


def test_cores_are_not_given_twice(tmp_path, at_once):
    """Jobs with two threads on three cores: one at a time; with one, three."""
    for threads, expected in ((2, 1), (1, 3), (9, 1)):
        at_once.clear()
        words = (*SHORT, f"threads={threads}", "seed=range(0,4)", "hydra.launcher.cores=3")
        assert sweep(tmp_path / str(threads), *words).returncode == 0
        assert (len(at_once), max(at_once)) == (4, expected)


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

    monkeypatch.setattr("tdl.sweeps.launcher.JobProcess", Limited)
    done = sweep(tmp_path, *SHORT, "seed=0,1,2", "hydra.launcher.cores=2")
    assert done.returncode == 2
    rows = rows_of(tmp_path)
    assert sorted(row["status"] for row in rows) == ["failed", "finished", "finished"]
    assert [row["error"] for row in rows if row["error"]] == ["file: Resource temporarily unavailable"]
    assert sweep(tmp_path, *SHORT, "seed=0,1,2").returncode == 0


def test_a_job_whose_configuration_breaks_meanwhile_fails_alone(tmp_path, monkeypatch):
    """A file of `conf` that is edited while jobs run."""
    compose = CoresLauncher._compose

    def broken(self, task):
        if task.number == 1:
            raise ConfigCompositionException("cut in line 3")
        compose(self, task)

    monkeypatch.setattr(CoresLauncher, "_compose", broken)
    done = sweep(tmp_path, *SHORT, "seed=0,1,2", "hydra.launcher.cores=2")
    assert done.returncode == 1
    assert "1 of 3 jobs are not finished" in done.stderr
    rows = rows_of(tmp_path)
    assert sorted(row["status"] for row in rows) == ["failed", "finished", "finished"]
    assert "cut in line 3" in next(row["error"] for row in rows if row["status"] == "failed")


def test_cores_must_be_a_number(tmp_path):
    done = sweep(tmp_path / "sweep", *SHORT, "seed=0,1", "hydra.launcher.cores=0")
    assert done.returncode == 2
    assert "hydra.launcher.cores: 0 is not allowed; expected a whole number of at least 1" in done.stderr


def started(cwd, *words, **options):
    """A sweep as a program; its jobs go on for ever."""
    return running(cwd, "-m", *SMALL, *LONG, *words, f"hydra.sweep.dir={cwd}/sweep", **options)


def job_pids(parent):
    """The processes a sweep started."""
    with contextlib.suppress(FileNotFoundError):
        return [int(pid) for pid in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]
    return []


def is_alive(pid):
    with contextlib.suppress(FileNotFoundError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def trained_on(cwd, jobs):
    """Whether so many jobs have written a checkpoint."""
    return sum(written_at(path.parent) is not None for path in (cwd / "sweep").glob("*/.hydra")) >= jobs


def written(cwd):
    """What the results say of the jobs."""
    return sorted(result(path.parent)["status"] for path in (cwd / "sweep").glob("*/result.json"))


def ends_whole(tmp_path, jobs):
    """The jobs go on from where they were, each to its own end, and equal runs that nothing ended."""
    for folder in sorted((tmp_path / "sweep").glob("*/result.json")):
        seed, episode = result(folder.parent)["seed"], result(folder.parent)["episodes"]
        assert episode % 10 == 0
        whole = train(tmp_path / f"whole{seed}", f"seed={seed}", f"episodes={episode + 100}", "save.every=1000")
        done = inside(f"resume={folder.parent}", f"episodes={episode + 100}")
        assert done.returncode == 0, done.stderr
        assert outcome(folder.parent) == outcome(whole)
        jobs -= 1
    assert jobs == 0


def test_the_death_of_the_sweep_leaves_nothing_running_and_nothing_lost(tmp_path):
    with started(tmp_path, "seed=0,1", "hydra.launcher.cores=2") as process:
        wait_until(lambda: trained_on(tmp_path, 2), process)
        jobs = job_pids(process.pid)
        assert len(jobs) == 2
        process.kill()
        process.wait()
    wait_until(lambda: not any(is_alive(pid) for pid in jobs))
    assert written(tmp_path) == ["interrupted"] * 2
    ends_whole(tmp_path, 2)


def test_the_death_of_a_job_is_its_own(tmp_path):
    """The other one goes on to its end, and is the run that it would have been."""
    words = ("episodes=10000", "save.every=1000")
    with running(
        tmp_path, "-m", *SMALL, *words, "seed=0,1", "hydra.sweep.dir=sweep", "hydra.launcher.cores=2"
    ) as process:
        wait_until(lambda: trained_on(tmp_path, 2), process)
        os.kill(job_pids(process.pid)[0], signal.SIGKILL)
        done = ended(process)
    assert done.returncode == 137
    rows = table(tmp_path / "sweep", "status")
    assert set(rows) == {"failed", "finished"}
    assert rows["failed"]["error"] == "killed by SIGKILL"
    assert "1 of 2 jobs are not finished" in done.stderr
    seed = rows["finished"]["seed"]
    whole = train(tmp_path / "whole", *words, f"seed={seed}")
    assert outcome(folder_of(tmp_path / "sweep", seed=int(seed))) == outcome(whole)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_lets_jobs_save(tmp_path, number, code):
    with started(tmp_path, "seed=range(0,5)", "hydra.launcher.cores=2") as process:
        wait_until(lambda: trained_on(tmp_path, 2), process)
        process.send_signal(number)
        done = ended(process)
    assert done.returncode == code
    assert "the same command with hydra.sweep.dir=" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
    assert [row["status"] for row in rows_of(tmp_path / "sweep")] == ["interrupted"] * 2
    ends_whole(tmp_path, 2)


def test_two_sweeps_in_one_folder_share_the_work(tmp_path):
    """Each job is done once: nothing is lost, nothing is done twice."""
    words = ("-m", *SMALL, "episodes=5000", "seed=range(0,5)", f"hydra.sweep.dir={tmp_path}/sweep",
             "hydra.launcher.cores=1")  # fmt: skip
    with running(tmp_path, *words) as one, running(tmp_path, *words) as other:
        wait_until(lambda: sum(is_held(path.parent) for path in (tmp_path / "sweep").glob("*/.hydra")) == 2, other)
        assert [ended(process).returncode for process in (one, other)] == [0, 0]
    assert states(tmp_path / "sweep") == dict.fromkeys("01234", "finished")
    logs = [path.read_text() for path in (tmp_path / "sweep").glob("*/job.log")]
    assert [text.count("results in") for text in logs] == [1] * 5
    whole = train(tmp_path / "whole", "episodes=5000", "seed=3")
    assert outcome(folder_of(tmp_path / "sweep", seed=3)) == outcome(whole)


def test_a_job_of_another_process_is_waited_for(tmp_path):
    """Not failed, not marked, and done here if the other one leaves it."""
    sweep(tmp_path, *SHORT, "seed=0,1")
    folder = folder_of(tmp_path, seed=0)
    shutil.rmtree(folder / "checkpoint")
    (folder / "result.json").write_text(json.dumps(result(folder) | {"status": "running"}))
    words = ("-m", *SMALL, *SHORT, "seed=0,1,2", f"hydra.sweep.dir={tmp_path}", "hydra.launcher.cores=1")
    with running(tmp_path.parent, *words) as process:
        with RunLock(folder):
            wait_until(lambda: len(list(tmp_path.glob("*/result.json"))) == 3, process)
            assert process.poll() is None
            assert result(folder)["status"] == "running"
        assert ended(process).returncode == 0
    assert states(tmp_path) == dict.fromkeys("012", "finished")


def test_a_job_that_is_waited_for_is_not_begun_over_and_over(tmp_path, monkeypatch, at_once):
    monkeypatch.setattr("tdl.sweeps.launcher.BUSY_SECONDS", 0.02)
    sweep(tmp_path, *SHORT, "seed=0")
    at_once.clear()
    waits, wait = [], _Task.wait
    lock = RunLock(folder_of(tmp_path, seed=0))

    def counted(task):
        waits.append(task)
        wait(task)
        if len(waits) == 5:
            lock.__exit__()

    monkeypatch.setattr(_Task, "wait", counted)
    lock.__enter__()
    assert sweep(tmp_path, *SHORT, "seed=0").returncode == 0
    assert len(waits) == 5
    assert len(at_once) == 2  # it was found busy, and done


def test_what_another_process_works_on_is_running_and_what_nobody_does_is_cut_off(tmp_path):
    sweep(tmp_path, *SHORT, "seed=0,1")
    for seed in (0, 1):
        folder = folder_of(tmp_path, seed=seed)
        (folder / "result.json").write_text(json.dumps(result(folder) | {"status": "running"}))
    with RunLock(folder_of(tmp_path, seed=0)):
        assert sweep(tmp_path, *SHORT, "seed=2").returncode == 0
    assert states(tmp_path) == {"0": "running", "1": "cut off", "2": "finished"}


def test_a_full_disk_in_one_job(tmp_path):
    """Two jobs fit into what a file may be, the third does not."""
    words = ("-m", "block=10", "episodes=20", "evaluate.episodes=0", f"hydra.sweep.dir={tmp_path}/sweep",
             "tuples.cells=[[0,1,2]],[[0,1]],[[0,1,2,3]]")  # fmt: skip
    limit = (resource.RLIMIT_FSIZE, (200_000, 200_000))
    done = program(tmp_path, *words, preexec_fn=lambda: resource.setrlimit(*limit))
    assert done.returncode == 2
    rows = table(tmp_path / "sweep", "tuples.cells")
    assert {key: row["status"] for key, row in rows.items()} == {
        "[[0, 1, 2]]": "finished", "[[0, 1]]": "finished", "[[0, 1, 2, 3]]": "failed"}  # fmt: skip
    assert "File too large" in rows["[[0, 1, 2, 3]]"]["error"]
    assert inside(*words).returncode == 0
    assert {row["status"] for row in table(tmp_path / "sweep", "tuples.cells").values()} == {"finished"}


@pytest.mark.parametrize("name", ["config.yaml", "hydra.yaml"])
@pytest.mark.parametrize("text", ["", "a: [", "- 1"])
def test_notes_of_hydra_that_are_cut_sink_no_table(tmp_path, name, text):
    sweep(tmp_path, *SHORT, "seed=0,1")
    folder = folder_of(tmp_path, seed=0)
    (folder / "result.json").unlink()
    (folder / ".hydra" / name).write_text(text)
    assert sweep(tmp_path, *SHORT, "seed=1").returncode == 0
    assert {row["run"]: row["status"] for row in rows_of(tmp_path)}[str(folder)] == "cut off"


def test_a_result_that_is_cut_sinks_no_table(tmp_path):
    sweep(tmp_path, *SHORT, "seed=0,1")
    folder = folder_of(tmp_path, seed=0)
    (folder / "result.json").write_text('{"status": "fini')
    assert sweep(tmp_path, *SHORT, "seed=1").returncode == 0
    rows = {row["run"]: row for row in rows_of(tmp_path)}
    assert rows[str(folder)]["status"] == "failed"
    assert "result.json: cut or corrupt" in rows[str(folder)]["error"]
    assert sweep(tmp_path, *SHORT, "seed=0,1").returncode == 0  # it is done again
    assert states(tmp_path) == dict.fromkeys("01", "finished")


def test_values_of_several_types_stand_in_one_column(tmp_path):
    done = sweep(tmp_path, *SHORT, "lanes=3,auto", "learner.schedule=null,halving:5")
    assert done.returncode == 0, done.stderr
    told = [(row["lanes"], row["learner.schedule"]) for row in rows_of(tmp_path)]
    assert sorted(told) == [("3", ""), ("3", "halving:5"), ("auto", ""), ("auto", "halving:5")]


def test_a_job_that_can_write_nothing_has_its_row(tmp_path):
    sweep(tmp_path, "episodes=10", "seed=0,1,2")
    folder = folder_of(tmp_path, seed=1)
    shutil.rmtree(folder)
    folder.write_text("a file where the folder should be")
    done = sweep(tmp_path, "episodes=10", "seed=0,1,2")
    assert done.returncode == 2
    rows = {row["run"]: row for row in rows_of(tmp_path)}
    assert rows[str(folder)]["status"] == "failed"
    assert "File exists" in rows[str(folder)]["error"]
    assert len(rows) == 3


def test_the_outcome_of_a_process(tmp_path):
    """What it gives, or how it died; what it printed is in its file."""

    def good():
        print("said")
        return Outcome(3, "a line")

    def bad():
        raise ValueError("a fault")

    def dies():
        os.kill(os.getpid(), signal.SIGKILL)

    assert JobProcess(good, tmp_path / "good").outcome() == Outcome(3, "a line")
    assert (tmp_path / "good" / "job.log").read_text() == "said\n"
    assert JobProcess(bad, tmp_path / "bad").outcome() == Outcome(1, "ValueError('a fault')", marked=False)
    assert "Traceback" in (tmp_path / "bad" / "job.log").read_text()
    assert JobProcess(dies, tmp_path / "dies").outcome() == Outcome(137, "killed by SIGKILL", marked=False)


def test_no_signal_to_a_new_process_is_lost(tmp_path):
    """Not even one that comes before it has its own handlers: until then it has those of the sweep."""
    with Interrupts("when the jobs that run have saved"):
        for number in range(30):
            process = JobProcess(lambda: time.sleep(60), tmp_path / str(number))
            process.send(signal.SIGTERM)
            assert process.outcome() == Outcome(143, "killed by SIGTERM", marked=False)


@pytest.mark.parametrize(
    ("plugin", "choice", "extra"), [("joblib", "joblib", "joblib"), ("submitit", "submitit_slurm", "slurm")]
)
def test_a_launcher_without_its_plugin_names_the_extra(plugin, choice, extra):
    error = InstantiationException(
        f"Error locating target 'hydra_plugins.hydra_{plugin}_launcher.x.Y'; full_key: hydra.launcher"
    )
    code, line = explain(error, False)
    assert code == 1
    assert line.startswith(f"hydra/launcher={choice}: ")
    assert line.endswith(f"pip install 'tdl[{extra}]'")


@pytest.mark.extra
def test_workers_of_joblib(tmp_path):
    """One job fails alone; the same command does nothing that was done."""
    pytest.importorskip("hydra_plugins.hydra_joblib_launcher", reason="the extra joblib is not installed")
    words = ("-m", "hydra/launcher=joblib", *SMALL, "episodes=30", "seed=0,1", f"hydra.sweep.dir={tmp_path}/sweep")
    for _ in range(2):
        done = program(tmp_path, *words, "alpha=0.1,-1")
        assert done.returncode == 1
        assert "2 of 4 jobs are not finished" in done.stderr
        assert "Warning" not in done.stderr
    told = {(row["alpha"], row["seed"]): row["status"] for row in rows_of(tmp_path / "sweep")}
    status = {"0.1": "finished", "-1.0": "failed"}
    assert told == {(alpha, seed): status[alpha] for alpha in status for seed in "01"}
    assert outcome(folder_of(tmp_path / "sweep", seed=1, alpha=0.1)) == outcome(
        train(tmp_path / "whole", "episodes=30", "seed=1", "alpha=0.1")
    )
    assert "nothing to do" in done.stdout
    done = program(tmp_path, *words, "alpha=0.1")
    assert done.returncode == 0, done.stderr  # jobs of earlier commands that failed are not this one's
    assert len(rows_of(tmp_path / "sweep")) == 4
