"""Sweeps that are repeated: what is there is left alone, what was cut off goes on, what is missing is done.

Trusts that a run goes on from its checkpoint as if nothing had happened, which test_resume.py and test_faults.py show.
"""

import os
import shutil

import pytest
from support.programs import (
    inside,
    outcome,
    train,
)
from support.sweeps import SHORT, folder_of, jobs_in, mark, states, sweep, table


def test_the_same_command_again_does_nothing(tmp_path):
    assert sweep(tmp_path, *SHORT, "seed=0,1", "alpha=0.1,0.2").returncode == 0
    before = jobs_in(tmp_path)
    times = {path: path.stat().st_mtime_ns for path in tmp_path.glob("*/episodes.npy")}
    assert len(times) == 4
    done = sweep(tmp_path, *SHORT, "seed=0,1", "alpha=0.1,0.2")
    assert done.returncode == 0
    assert jobs_in(tmp_path) == before
    assert {path: path.stat().st_mtime_ns for path in tmp_path.glob("*/episodes.npy")} == times
    assert done.stdout.splitlines()[0] == "4 jobs, already done; nothing to play"
    assert done.stdout.count("done") == 1
    assert "sweep.csv" in done.stdout  # and the table


def test_further_values_are_new_jobs_beside_the_old(two):
    before = {path.stat().st_ino for path in two.glob("*/episodes.npy")}
    assert sweep(two, *SHORT, "seed=range(0,3)").returncode == 0
    assert before < {path.stat().st_ino for path in two.glob("*/episodes.npy")}
    assert states(two) == dict.fromkeys("012", "finished")


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
        mark(folder, "running")
    (cut / "kept" / "0000000050").rename(cut / "checkpoint")
    for folder in (cut, begun):
        shutil.rmtree(folder / "kept")
    inode = os.stat(cut / "episodes.npy").st_ino
    assert sweep(part, *words).returncode == 0
    assert states(part) == dict.fromkeys("0123", "finished")
    assert os.stat(cut / "episodes.npy").st_ino == inode
    for seed in range(4):
        assert outcome(folder_of(part, seed=seed)) == outcome(folder_of(tmp_path / "whole", seed=seed))


def test_finished_jobs_need_no_checkpoint(two):
    """Who needs the room may delete them."""
    shutil.rmtree(folder_of(two, seed=0) / "checkpoint")
    assert sweep(two, *SHORT, "seed=0,1").returncode == 0
    assert not (folder_of(two, seed=0) / "checkpoint").exists()


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
    assert not any("error" in row for row in table(folder, "seed").values())  # a column without a word is left out


def test_a_damaged_checkpoint_fails_alone(tmp_path):
    words = ("episodes=20", "seed=0,1")
    sweep(tmp_path, *words)
    broken = folder_of(tmp_path, seed=0)
    (broken / "checkpoint" / "meta.json").write_text("{")
    mark(broken, "running")
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
    mark(folder, "running")
    done = sweep(tmp_path, *SHORT, "seed=0")
    assert done.returncode == 2
    assert "holds a run of another configuration" in done.stderr


def test_a_job_that_was_extended_by_hand_is_done(two):
    folder = folder_of(two, seed=0)
    assert inside(f"resume={folder}", "episodes=30", "save.keep=2").returncode == 0
    mark(folder, "interrupted")
    done = sweep(two, *SHORT, "seed=0,1")
    assert done.returncode == 0, done.stderr
    assert states(two) == dict.fromkeys("01", "finished")


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
