"""What happens before the first job: all jobs are checked. And what is left of the weights of many jobs."""

import shutil

import pytest
from hydra import initialize_config_module
from hydra.core.global_hydra import GlobalHydra
from hydra.types import RunMode
from omegaconf import OmegaConf
from support.programs import inside
from support.sweeps import SHORT, folder_of, mark, states, sweep

from tdl.cli.evaluate import main as evaluate
from tdl.config.hydra_versions import BASE
from tdl.config.schema import RUN
from tdl.sweeps import plan
from tdl.sweeps.job_loader import JobLoader


def test_a_bad_value_is_told_before_the_first_game_and_changes_nothing(two):
    before = {path: path.stat().st_mtime_ns for path in two.rglob("*") if path.is_file()}
    done = sweep(two, *SHORT, "seed=0,1", "alpha=0.1,-1")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        "tdl: seed=0 alpha=-1: alpha: -1.0 is not allowed; expected a number above 0 and at most 10 "
        "(2 of 4 jobs are refused, so none was begun)"
    ]
    assert {path: path.stat().st_mtime_ns for path in two.rglob("*") if path.is_file()} == before


def test_each_error_is_told_once(tmp_path):
    words = ("seed=0,1", "alpha=0.1,-1", "learner.order=forward,backwards", "hydra/launcher=basic")
    done = sweep(tmp_path / "sweep", *SHORT, *words)
    assert done.returncode == 2
    first, second, last = done.stderr.splitlines()
    assert first.startswith("tdl: seed=0 alpha=0.1 learner.order=backwards: learner.order: 'backwards' is not allowed")
    assert second.startswith("tdl: seed=0 alpha=-1 learner.order=forward: alpha: -1.0 is not allowed")
    assert last == "tdl: 6 of 8 jobs are refused, so none was begun"
    assert not (tmp_path / "sweep").exists()


def test_a_resumed_run_that_would_change_its_configuration_is_refused(small_run, tmp_path):
    words = (f"resume={small_run(*SHORT)}", "episodes=20", "seed=0,1", f"hydra.sweep.dir={tmp_path}/sweep")
    done = inside("-m", *words)
    assert done.returncode == 2
    assert "seed=1: seed: a resumed run keeps its configuration" in done.stderr
    assert "1 of 2 jobs is refused" in done.stderr


def test_jobs_that_differ_in_their_seed_alone_are_composed_once(monkeypatch):
    """What a job begins with is what Hydra would compose for it, with what the sweep says to all its jobs."""
    RUN.register()
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


def test_evaluations_are_checked_as_well(small_run, tmp_path):
    words = ("-m", f"checkpoint={small_run(*SHORT)}", "evaluate.episodes=5", f"hydra.sweep.dir={tmp_path}/sweep")
    done = inside(*words, "evaluate.plies=1,99", program=evaluate)
    assert done.returncode == 2
    assert done.stderr.startswith("tdl: evaluate.plies=99: evaluate.plies: 99 is not allowed")
    assert not (tmp_path / "sweep").exists()
    assert inside(*words, program=evaluate).returncode == 0
    assert inside(*words, program=evaluate).stdout.startswith("1 job, already done; ")


def weights(folder):
    return sorted(folder.glob("*/checkpoint/weights*"))


def test_a_sweep_of_many_jobs_leaves_no_weights(tmp_path, monkeypatch):
    """What a job left in a sweep of few stays as it is, and it is the same job. The first line tells the bytes."""
    monkeypatch.setattr(plan, "MANY", 1)
    done = sweep(tmp_path, *SHORT, "seed=0", "save.seconds=null")
    size = sum(path.stat().st_size for path in tmp_path.glob("*/checkpoint/*"))
    assert float(done.stdout.splitlines()[0].split()[-4]) * 1000 == pytest.approx(size, rel=0.05)
    before = weights(tmp_path)
    assert len(before) == 1
    done = sweep(tmp_path, *SHORT, "seed=0,1", "save.seconds=null")
    assert done.stdout.startswith("2 jobs, 1 of them already done, ")
    assert "no weights stay, as these are more than 1 jobs; save.final=true keeps them" in done.stdout
    assert states(tmp_path) == dict.fromkeys("01", "finished")
    assert weights(tmp_path) == before
    assert not (folder_of(tmp_path, seed=1) / "checkpoint").exists()


def test_a_checkpoint_without_need_is_deleted_when_its_job_is_finished(tmp_path, monkeypatch):
    """That of a job that was cut off, which goes on from it; and one that a kill left after the end, or half."""
    monkeypatch.setattr(plan, "MANY", 1)
    words = (*SHORT, "seed=0,1,2")
    sweep(tmp_path / "kept", *words, "save.final=true")
    sweep(tmp_path / "sweep", *words)
    left = ["checkpoint", "checkpoint", ".checkpoint.old.new"]
    folders = [folder_of(tmp_path / "sweep", seed=seed) / name for seed, name in enumerate(left)]
    for seed, folder in enumerate(folders):
        shutil.copytree(folder_of(tmp_path / "kept", seed=seed) / "checkpoint", folder)
    mark(folders[0].parent, "running")
    done = sweep(tmp_path / "sweep", *words)
    assert done.returncode == 0, done.stderr
    assert not [folder for folder in folders if folder.exists()]
