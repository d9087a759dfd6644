"""What happens before the first job: all jobs are checked, and the sweep says what it will do and take.

Trusts the files on the disk for what the jobs took.
"""

import shutil
from pathlib import Path

import pytest
from hydra import initialize_config_module
from hydra.core.global_hydra import GlobalHydra
from hydra.types import RunMode
from omegaconf import OmegaConf
from support.programs import inside, train
from support.sweeps import SHORT, folder_of, mark, rows_of, states, sweep

from tdl.cli.evaluate import main as evaluate
from tdl.config import compose
from tdl.config.hydra_versions import BASE
from tdl.sweeps import plan
from tdl.sweeps.job import Plan
from tdl.sweeps.plan import SweepPlan, size_text
from tdl.sweeps.sweeper import JobLoader


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


def test_a_refused_sweep_leaves_what_is_there_as_it_is(two):
    before = {path: path.stat().st_mtime_ns for path in two.rglob("*") if path.is_file()}
    done = sweep(two, *SHORT, "seed=0,1", "alpha=0.1,-1")
    assert (done.returncode, done.stdout) == (2, "")
    assert {path: path.stat().st_mtime_ns for path in two.rglob("*") if path.is_file()} == before


def test_a_resumed_run_that_would_change_its_configuration_is_refused(tmp_path):
    one = train(tmp_path / "one", *SHORT)
    done = inside("-m", f"resume={one}", "episodes=20", "seed=0,1", f"hydra.sweep.dir={tmp_path}/sweep")
    assert done.returncode == 2
    assert "seed=1: seed: a resumed run keeps its configuration" in done.stderr
    assert "1 of 2 jobs is refused" in done.stderr


def test_jobs_that_differ_in_their_seed_alone_are_composed_once(monkeypatch):
    """What a job begins with is what Hydra would compose for it, with what the sweep says to all its jobs."""
    compose.register()
    with initialize_config_module("tdl.conf", **BASE):
        hydras = GlobalHydra.instance().hydra.config_loader
        master = hydras.load_configuration("run", ["seed=0,1", "hydra.sweep.dir=a"], RunMode.MULTIRUN)
        jobs = [[f"learner.td_lambda={td_lambda}", f"seed={seed}"] for td_lambda in (0.5, 0.6) for seed in range(3)]
        expected = [OmegaConf.to_container(hydras.load_sweep_config(master, job)) for job in jobs]
        composed, load = [], hydras.load_sweep_config
        monkeypatch.setattr(hydras, "load_sweep_config", lambda *given: composed.append(given) or load(*given))
        loader = JobLoader(hydras)
        assert [OmegaConf.to_container(loader.load_sweep_config(master, job)) for job in jobs] == expected
        assert len(composed) == 2
        loader.keep_weights = False
        assert loader.load_sweep_config(master, jobs[0]).hydra.callbacks.sweep.keep_weights is False


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
    assert f"out: {tmp_path}/sweep: checkpoints will take 17 MB of its disk, and 1 MB are free" in done.stderr
    assert not (tmp_path / "sweep").exists()
    assert sweep(tmp_path / "sweep", *SHORT, "save.seconds=null", "seed=0,1").returncode == 0


@pytest.mark.parametrize(
    ("size", "text"), [(0, "0 bytes"), (999, "999 bytes"), (1500, "1.5 kB"), (64e6, "64 MB"), (1.61e9, "1.6 GB")]
)
def test_sizes_for_people(size, text):
    assert size_text(size) == text


@pytest.fixture
def one_is_few(monkeypatch):
    """Two jobs are many, as nine are otherwise."""
    monkeypatch.setattr(plan, "MANY", 1)


MANY = (*SHORT, "seed=0,1")


def weights(folder):
    return sorted(folder.glob("*/checkpoint/weights*"))


@pytest.mark.parametrize(
    ("jobs", "kept"),
    [
        ([Plan()] * 8, True),
        ([Plan()] * 9, False),
        ([Plan()] * 8 + [Plan(done=True)], False),
        ([Plan()] * 8 + [Plan(asks_for_weights=True)], True),
    ],
)
def test_more_than_eight_jobs_leave_no_weights(jobs, kept):
    whole = SweepPlan(jobs, 1, None, Path())
    assert whole.keeps_weights is kept
    assert ("no weights stay" in whole.text()) is not kept


def test_a_sweep_of_many_jobs_leaves_no_weights_and_says_so(tmp_path, one_is_few):
    done = sweep(tmp_path, *MANY)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1] == "no weights stay, as these are more than 1 jobs; save.final=true keeps them"
    assert states(tmp_path) == dict.fromkeys("01", "finished")
    assert not list(tmp_path.glob("*/checkpoint"))
    assert sweep(tmp_path, *MANY).stdout.startswith("2 jobs, already done; ")


def test_a_job_is_the_same_job_in_a_sweep_of_few_and_of_many(tmp_path, one_is_few):
    """What it left stays as it is."""
    sweep(tmp_path, *SHORT, "seed=0")
    before = weights(tmp_path)
    assert len(before) == 1
    assert sweep(tmp_path, *MANY).stdout.startswith("2 jobs, 1 of them already done, ")
    assert weights(tmp_path) == before
    assert not (folder_of(tmp_path, seed=1) / "checkpoint").exists()
    assert sweep(tmp_path, *SHORT, "seed=1").stdout.startswith("1 job, already done; ")


@pytest.mark.parametrize("words", [("save.final=true",), ("save.every=5",), ("save.keep=2",)], ids=" ".join)
def test_weights_stay_where_they_are_asked_for(tmp_path, one_is_few, words):
    done = sweep(tmp_path, *MANY, *words)
    assert done.returncode == 0, done.stderr
    assert "no weights" not in done.stdout
    assert len(weights(tmp_path)) == 2


@pytest.mark.parametrize(
    ("status", "left"), [("running", "checkpoint"), ("finished", "checkpoint"), ("finished", ".checkpoint.old.new")]
)
def test_a_checkpoint_without_need_is_deleted_when_its_job_is_finished(tmp_path, one_is_few, status, left):
    """That of a job that was cut off, which goes on from it; and one that a kill left after the end, or half."""
    sweep(tmp_path / "kept", *MANY, "save.final=true")
    sweep(tmp_path / "sweep", *MANY)
    cut = folder_of(tmp_path / "sweep", seed=0)
    shutil.copytree(folder_of(tmp_path / "kept", seed=0) / "checkpoint", cut / left)
    mark(cut, status)
    done = sweep(tmp_path / "sweep", *MANY)
    assert done.stdout.startswith("2 jobs, 1 of them already done, ")
    assert done.returncode == 0, done.stderr
    assert not weights(tmp_path / "sweep")
    assert not (cut / left).exists()
