"""The folders of jobs: titled by what is swept, found by the hash whatever their title."""

import multiprocessing
import re
import time

import pytest
from support import PATIENCE
from support.programs import inside, train
from support.sweeps import SHORT, rows_of, sweep

from tdl.runs.resolvers import existing, looked_up, reserved
from tdl.storage.run_folder import lock_folder

HASH = re.compile("_[0-9a-f]{8}$")


def titles(folder):
    return sorted(HASH.sub("", path.parent.name) for path in folder.glob("*/.hydra"))


def begun(folder):
    """The games played of each job, which are written once."""
    return {path.stat().st_ino for path in folder.glob("*/episodes.npy")}


@pytest.mark.parametrize("launcher", ["cores", "basic", "joblib"])
def test_jobs_are_titled_by_what_is_swept(tmp_path, launcher):
    if launcher == "joblib":
        pytest.importorskip("joblib")
    done = sweep(tmp_path, *SHORT, "learner=td,tc", "seed=0,1", "gamma=1.0", f"hydra/launcher={launcher}")
    assert done.returncode == 0, done.stderr
    assert titles(tmp_path) == ["tc-seed0", "tc-seed1", "td-seed0", "td-seed1"]


def test_a_learner_said_once_is_in_the_title_of_commands_that_share_a_folder(tmp_path):
    sweep(tmp_path, *SHORT, "game=2048", "learner=td", "alpha=0.1,0.2")
    sweep(tmp_path, *SHORT, "learner=tc", "alpha=0.5,1")
    assert titles(tmp_path) == ["2048-td-alpha0.1", "2048-td-alpha0.2", "tc-alpha0.5", "tc-alpha1"]


def test_the_same_jobs_in_other_words_are_found_again(tmp_path):
    """In another order, with further keys, and where a folder has its hash alone, as of older sweeps."""
    sweep(tmp_path, *SHORT, "seed=0,1", "learner=td,tc")
    (old,) = tmp_path.glob("tc-seed1_*")
    old.rename(old.with_name(old.name.rpartition("_")[2]))
    before = begun(tmp_path)
    for words in (("learner=tc,td", "seed=1,0"), ("learner=tc,td", "gamma=1.0,0.99", "seed=0,1")):
        assert sweep(tmp_path, *SHORT, *words).returncode == 0
        assert before <= begun(tmp_path)
    assert len(rows_of(tmp_path)) == len(begun(tmp_path)) == 8


def test_swept_keys_of_an_experiment_are_in_the_title(tmp_path):
    done = sweep(tmp_path, *SHORT, "experiment=td0_4x6", "seed=3")
    assert done.returncode == 0, done.stderr
    assert titles(tmp_path) == ["order-backward", "order-forward"]


def test_resumed_runs_give_their_jobs_their_names(tmp_path):
    ones = [train(tmp_path / name, *SHORT, f"seed={seed}") for seed, name in enumerate("ab")]
    words = ("-m", f"resume={ones[0]},{ones[1]}", "episodes=20", f"hydra.sweep.dir={tmp_path / 'sweep'}")
    for _ in range(2):
        assert inside(*words).returncode == 0
        names = sorted(path.parent.name for path in (tmp_path / "sweep").glob("*/.hydra"))
        assert [re.sub("_[0-9a-f]{8}_[0-9a-f]{8}$", "", name) for name in names] == ["a", "b"]


def test_folders_that_the_user_names_are_named_so(tmp_path):
    assert sweep(tmp_path, *SHORT, "seed=0,1", "hydra.sweep.subdir=${seed}").returncode == 0
    assert sorted(path.parent.name for path in tmp_path.glob("*/.hydra")) == ["0", "1"]


def _reserve(barrier, sweep_folder, title, answers):
    barrier.wait()
    answers.put(reserved(sweep_folder, title, "1a2b3c4d"))


def test_commands_that_start_at_once_share_one_folder(tmp_path, monkeypatch):
    """Each has a title of its own for the job, and none has a folder yet when they look for it."""

    def slow(*words):
        found = existing(*words)
        time.sleep(0.05)
        return found

    monkeypatch.setattr("tdl.runs.resolvers.existing", slow)
    context = multiprocessing.get_context("fork")
    barrier, answers = context.Barrier(8), context.Queue()
    processes = [context.Process(target=_reserve, args=(barrier, tmp_path, f"title{i}", answers)) for i in range(8)]
    for process in processes:
        process.start()
    names = {answers.get(timeout=PATIENCE) for _ in processes}
    for process in processes:
        process.join()
    assert len(names) == 1
    assert [path.name for path in tmp_path.iterdir()] == [*names]


def test_a_folder_is_known_by_its_whole_hash(tmp_path):
    for name in ("seed0_11111111", "22222222", "seed1_33333333_44444444", "x55555555"):
        (tmp_path / name).mkdir()
    (tmp_path / "file_66666666").touch()
    assert existing(tmp_path, "11111111") == "seed0_11111111"
    assert existing(tmp_path, "22222222") == "22222222"
    assert existing(tmp_path, "33333333_44444444") == "seed1_33333333_44444444"
    assert [existing(tmp_path, hash_) for hash_ in ("33333333", "55555555", "66666666")] == [None] * 3


def test_without_a_folder_of_the_sweep_nothing_is_made(tmp_path):
    assert reserved(tmp_path / "none", "seed0", "11111111") == "seed0_11111111"
    assert not (tmp_path / "none").exists()


def test_a_lock_that_is_never_free_holds_nobody_up_for_ever(tmp_path, monkeypatch):
    monkeypatch.setattr("tdl.runs.resolvers.PATIENCE", 0.0)
    with lock_folder(tmp_path):
        assert reserved(tmp_path, "seed0", "11111111") == "seed0_11111111"


def test_looking_at_a_job_makes_no_folder(tmp_path):
    assert looked_up(tmp_path, "td", "1a2b3c4d") == "td_1a2b3c4d"
    assert list(tmp_path.iterdir()) == []
    assert reserved(tmp_path, "td", "1a2b3c4d") == "td_1a2b3c4d"
    assert looked_up(tmp_path, "td-seed1", "1a2b3c4d") == "td_1a2b3c4d"
