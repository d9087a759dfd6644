"""What happens before the first job: all jobs are checked, and the sweep says what it will do and take.

Trusts the files on the disk for what the jobs took.
"""

import shutil

import pytest
from support.programs import inside, train
from support.sweeps import SHORT, folder_of, mark, rows_of, states, sweep

from tdl.evaluate import main as evaluate
from tdl.sweeps import plan
from tdl.sweeps.plan import size_text


@pytest.mark.parametrize("launcher", ["cores", "basic"])
def test_one_bad_value_is_told_before_the_first_game(tmp_path, launcher):
    done = sweep(tmp_path / "sweep", *SHORT, "seed=0,1", "alpha=0.1,-1", f"hydra/launcher={launcher}")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.splitlines() == [
        "tdl: seed=0 alpha=-1: alpha: -1.0 is not allowed; expected a number above 0 and at most 10 "
        "(2 of 4 jobs are refused, so none was begun)"
    ]
    assert not (tmp_path / "sweep").exists()


def test_each_error_is_told_once(tmp_path):
    done = sweep(tmp_path / "sweep", *SHORT, "seed=0,1", "alpha=0.1,-1", "learner.order=forward,backwards")
    assert done.returncode == 2
    first, second, last = done.stderr.splitlines()
    assert first.startswith("tdl: seed=0 alpha=0.1 learner.order=backwards: learner.order: 'backwards' is not allowed")
    assert second.startswith("tdl: seed=0 alpha=-1 learner.order=forward: alpha: -1.0 is not allowed")
    assert last == "tdl: 6 of 8 jobs are refused, so none was begun"


def test_a_refused_sweep_leaves_what_is_there_as_it_is(tmp_path):
    sweep(tmp_path, *SHORT, "seed=0,1")
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()}
    done = sweep(tmp_path, *SHORT, "seed=0,1", "alpha=0.1,-1")
    assert (done.returncode, done.stdout) == (2, "")
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_resumed_run_that_would_change_its_configuration_is_refused(tmp_path):
    one = train(tmp_path / "one", *SHORT)
    done = inside("-m", f"resume={one}", "episodes=20", "seed=0,1", f"hydra.sweep.dir={tmp_path}/sweep")
    assert done.returncode == 2
    assert "seed=1: seed: a resumed run keeps its configuration" in done.stderr
    assert "1 of 2 jobs is refused" in done.stderr


def test_evaluations_are_checked_as_well(tmp_path):
    one = train(tmp_path / "one", *SHORT)
    words = ("-m", f"checkpoint={one}", "evaluate.episodes=5", f"hydra.sweep.dir={tmp_path}/sweep")
    done = inside(*words, "evaluate.plies=1,99", program=evaluate)
    assert done.returncode == 2
    assert done.stderr.startswith("tdl: evaluate.plies=99: evaluate.plies: 99 is not allowed")
    assert not (tmp_path / "sweep").exists()
    assert inside(*words, "evaluate.plies=1,2", program=evaluate).returncode == 0
    assert inside(*words, "evaluate.plies=1,2", program=evaluate).stdout.startswith("2 jobs, already done; ")


def test_a_file_that_is_missing_fails_its_job_alone(tmp_path):
    one = train(tmp_path / "one", *SHORT)
    done = inside("-m", f"resume={one},{tmp_path}/missing", "episodes=20", f"hydra.sweep.dir={tmp_path}/sweep")
    assert done.returncode == 2
    assert "1 of 2 jobs are not finished" in done.stderr
    assert {row["status"] for row in rows_of(tmp_path / "sweep")} == {"finished", "failed"}


def test_the_first_line_says_how_much_is_to_be_done(tmp_path):
    words = (*SHORT, "save.seconds=null", "seed=0,1,2", "hydra.launcher.cores=2")
    done = sweep(tmp_path, *words)
    taken = sum(path.stat().st_size for path in tmp_path.glob("*/checkpoint/*"))
    said = done.stdout.splitlines()[0]
    assert said.startswith("3 jobs, on 2 cores; files will take ")
    assert said.endswith(" kB of disk")
    assert float(said.split()[-4]) * 1000 == pytest.approx(taken, rel=0.05)
    mark(folder_of(tmp_path, seed=1), "running")
    assert sweep(tmp_path, *words).stdout.startswith("3 jobs, 2 of them already done, on 2 cores; files will take ")


def test_a_disk_without_room_is_told_before_the_first_game(tmp_path, monkeypatch):
    monkeypatch.setattr(plan, "free_bytes", lambda folder: 1_000_000)
    done = sweep(tmp_path / "sweep", "episodes=10", "tuples.cells=[[0,1,2,3,4]]", "seed=0,1")
    assert done.returncode == 2
    assert f"hydra.sweep.dir: {tmp_path}/sweep: the jobs will take 17 MB of its disk, and 1 MB are free" in done.stderr
    assert not (tmp_path / "sweep").exists()
    assert sweep(tmp_path / "sweep", *SHORT, "save.seconds=null", "seed=0,1").returncode == 0


@pytest.mark.parametrize(
    ("size", "text"), [(0, "0 bytes"), (999, "999 bytes"), (1500, "1.5 kB"), (64e6, "64 MB"), (1.61e9, "1.6 GB")]
)
def test_sizes_for_people(size, text):
    assert size_text(size) == text


MANY = (*SHORT, "seed=range(0,9)")


def weights(folder):
    return sorted(folder.glob("*/checkpoint/weights*"))


def test_a_sweep_of_many_jobs_leaves_no_weights_and_says_so(tmp_path):
    done = sweep(tmp_path, *MANY)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1] == "no weights stay, as these are more than 8 jobs; save.final=true keeps them"
    assert states(tmp_path) == dict.fromkeys("012345678", "finished")
    assert not list(tmp_path.glob("*/checkpoint"))
    assert sweep(tmp_path, *MANY).stdout.startswith("9 jobs, already done; ")


def test_a_job_is_the_same_job_in_a_sweep_of_few_and_of_many(tmp_path):
    """What it left stays as it is."""
    sweep(tmp_path, *SHORT, "seed=range(0,8)")
    before = weights(tmp_path)
    assert len(before) == 8
    done = sweep(tmp_path, *MANY)
    assert done.stdout.startswith("9 jobs, 8 of them already done, ")
    assert weights(tmp_path) == before
    assert not (folder_of(tmp_path, seed=8) / "checkpoint").exists()
    assert sweep(tmp_path, *SHORT, "seed=range(0,8)").stdout.startswith("8 jobs, already done; ")


@pytest.mark.parametrize("words", [("save.final=true",), ("save.every=5",), ("save.keep=2",)], ids=" ".join)
def test_weights_stay_where_they_are_asked_for(tmp_path, words):
    done = sweep(tmp_path, *MANY, *words)
    assert done.returncode == 0, done.stderr
    assert "no weights" not in done.stdout
    assert len(weights(tmp_path)) == 9


def test_what_was_cut_off_in_a_sweep_of_many_goes_on(tmp_path):
    """Its checkpoint is deleted only when it is finished; one that a kill left behind after that is, too."""
    sweep(tmp_path, *MANY, "save.final=true")
    half, left = folder_of(tmp_path, seed=0), folder_of(tmp_path, seed=1)
    words = (*SHORT, "seed=range(0,9)", "save.final=false")
    sweep(tmp_path / "other", *words)
    cut, leftover = folder_of(tmp_path / "other", seed=0), folder_of(tmp_path / "other", seed=1)
    shutil.copytree(half / "checkpoint", cut / "checkpoint")
    shutil.copytree(left / "checkpoint", leftover / "checkpoint")
    mark(cut, "running")
    done = sweep(tmp_path / "other", *words)
    assert done.stdout.startswith("9 jobs, 7 of them already done, ")
    assert done.returncode == 0, done.stderr
    assert not weights(tmp_path / "other")


def test_small_sweeps_and_runs_keep_their_weights(tmp_path):
    sweep(tmp_path, *SHORT, "seed=0,1")
    assert len(weights(tmp_path)) == 2
