"""Sweeps that are repeated: what is there is left alone, what was cut off goes on, what is missing is done.

Trusts that a run goes on from its checkpoint as if nothing had happened, which test_resume.py and test_faults.py show.
"""

import shutil

import pytest
from support.programs import SMALL, inside, outcome, train
from support.sweeps import SHORT, folder_of, jobs_in, mark, states, sweep, table

from tdl.cli.run import main


def test_the_same_command_again_does_nothing(two):
    """Finished jobs need no checkpoint: who needs the room may delete it."""
    shutil.rmtree(folder_of(two, seed=0) / "checkpoint")
    before = jobs_in(two)
    times = {path: path.stat().st_mtime_ns for path in two.glob("*/episodes.npy")}
    done = sweep(two, *SHORT, "seed=0,1")
    assert done.returncode == 0
    assert jobs_in(two) == before
    assert {path: path.stat().st_mtime_ns for path in two.glob("*/episodes.npy")} == times
    assert done.stdout.splitlines()[0] == "2 jobs, already done; nothing to play"
    assert done.stdout.count("done") == 1
    assert "sweep.csv" in done.stdout  # and the table


def test_the_same_jobs_in_other_words_are_found_again(two):
    """In another order, with further keys and values, and where a folder has its hash alone, as of older sweeps."""
    old = folder_of(two, seed=1)
    old.rename(old.with_name(old.name.rpartition("_")[2]))
    before = {path.stat().st_ino for path in two.glob("*/episodes.npy")}
    assert sweep(two, *SHORT, "gamma=1.0,0.99", "seed=1,0").returncode == 0
    assert before < {path.stat().st_ino for path in two.glob("*/episodes.npy")}
    assert len(table(two, "run")) == 4


@pytest.mark.parametrize("launcher", ["cores", "basic"])
def test_what_is_missing_is_done_and_what_was_cut_off_goes_on(tmp_path, launcher):
    words = ("episodes=60", "save.every=20", "save.keep=4", "seed=range(0,4)", f"hydra/launcher={launcher}")
    assert sweep(tmp_path / "whole", *words).returncode == 0
    part = shutil.copytree(tmp_path / "whole", tmp_path / "part")
    shutil.rmtree(folder_of(part, seed=0))
    cut, begun = folder_of(part, seed=1), folder_of(part, seed=2)
    for folder in (cut, begun):  # killed, with a checkpoint and before the first
        shutil.rmtree(folder / "checkpoint")
        mark(folder, "running")
    (cut / "kept" / "0000000020").rename(cut / "checkpoint")
    for folder in (cut, begun):
        shutil.rmtree(folder / "kept")
    inode = (cut / "episodes.npy").stat().st_ino
    assert sweep(part, *words).returncode == 0
    assert states(part) == dict.fromkeys("0123", "finished")
    assert (cut / "episodes.npy").stat().st_ino == inode
    for seed in range(4):
        assert outcome(folder_of(part, seed=seed)) == outcome(folder_of(tmp_path / "whole", seed=seed))


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


def test_a_checkpoint_that_is_damaged_or_of_another_configuration_fails_alone(two):
    """The digits of a folder's name may meet by chance."""
    broken, other = (folder_of(two, seed=seed) for seed in (0, 1))
    shutil.rmtree(other / "checkpoint")
    shutil.copytree(broken / "checkpoint", other / "checkpoint")
    (broken / "checkpoint" / "meta.json").write_text("{")
    for folder in (broken, other):
        mark(folder, "running")
    assert sweep(two, *SHORT, "seed=0,1,2").returncode == 2
    assert states(two) == {"0": "failed", "1": "failed", "2": "finished"}
    errors = table(two, "seed")
    assert "meta.json" in errors["0"]["error"]
    assert "holds a run of another configuration" in errors["1"]["error"]


def test_a_job_that_was_extended_by_hand_is_done(two):
    folder = folder_of(two, seed=0)
    assert inside(f"resume={folder}", "episodes=30", "save.keep=2").returncode == 0
    mark(folder, "interrupted")
    done = sweep(two, *SHORT, "seed=0,1")
    assert done.returncode == 0, done.stderr
    assert states(two) == dict.fromkeys("01", "finished")


def test_resumed_runs_stay_where_they_are(tmp_path):
    """And stand in the table once, also when the sweep is repeated; their jobs have their names."""
    runs = [train(tmp_path / name, *SHORT, f"seed={seed}") for seed, name in enumerate("ab")]
    words = ("-m", f"resume={runs[0]},{runs[1]}", "episodes=20", f"hydra.sweep.dir={tmp_path / 'sweep'}")
    for _ in range(2):
        done = inside(*words)
        assert done.returncode == 0, done.stderr
        rows = table(tmp_path / "sweep", "seed")
        assert {seed: row["episodes"] for seed, row in rows.items()} == {"0": "20", "1": "20"}
    assert {row["run"] for row in rows.values()} == set(map(str, runs))
    assert sorted(path.parent.name[:2] for path in (tmp_path / "sweep").glob("*/.hydra")) == ["a_", "b_"]


def test_a_curve_that_a_killed_job_has_not_drawn(tmp_path):
    """The same command draws it, and plays nothing."""
    words = ("-m", *SMALL, *SHORT, "seed=0,1", f"hydra.sweep.dir={tmp_path}")
    assert inside(*words, program=main).returncode == 0
    curve = folder_of(tmp_path, seed=1) / "curve.png"
    curve.unlink()
    times = {path: path.stat().st_mtime_ns for path in tmp_path.glob("*/episodes.npy")}
    done = inside(*words, program=main)
    assert done.stdout.startswith("2 jobs, 1 of them already done")
    assert curve.exists()
    assert {path: path.stat().st_mtime_ns for path in tmp_path.glob("*/episodes.npy")} == times
    curve.unlink()
    assert inside(*words).stdout.startswith("2 jobs, already done")  # where no curves are asked for
