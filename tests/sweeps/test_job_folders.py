"""The folders of jobs: titled by what is swept, found by the hash whatever their title."""

import multiprocessing
import time

import pytest
from support import PATIENCE

from tdl.cli.python_runs import compose_run
from tdl.runs.resolvers import existing, job_folder, looked_up, reserved
from tdl.storage.run_folder import lock_folder
from tdl.sweeps.job import point_to, run_of


def name(folder, *words, keys=()):
    """The name of a job's folder in that of its sweep, before the job has begun: its title and its hash."""
    return job_folder(*keys, _root_=compose_run([f"hydra.sweep.dir={folder}", *words])).rpartition("_")[::2]


@pytest.mark.parametrize(
    ("words", "keys", "title"),
    [
        (["learner=tc", "seed=1"], ("learner", "seed"), "tc-seed1"),
        (["game='2048'", "alpha=0.2"], ("alpha", "game", "learner"), "2048-td-alpha0.2"),
        (["learner.order=forward"], ("learner.order",), "order-forward"),
    ],
)
def test_jobs_are_titled_by_what_is_swept(tmp_path, words, keys, title):
    assert name(tmp_path, *words, keys=keys)[0] == title


def test_any_key_makes_another_job(tmp_path, small_run):
    """Also one that no list of names would have had: the hash is of the whole configuration, whatever the words."""
    words = ("learner.restart_moves=11", "save.keep=2", "evaluate.plies=2", "tuples.count_cap=3", "seed=0")
    hashes = [name(tmp_path, word)[1] for word in words]
    assert len({*hashes}) == 5
    assert name(tmp_path, "gamma=1.0", "seed=0", keys=("seed",))[1] == hashes[-1]
    runs = [name(tmp_path, f"resume={small_run(f'episodes={number}')}") for number in (10, 20)]
    assert runs[0] != runs[1]
    assert all(title for title, _ in runs)


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
    for folder in ("seed0_11111111", "22222222", "seed1_33333333_44444444", "x55555555"):
        (tmp_path / folder).mkdir()
    (tmp_path / "file_66666666").touch()
    assert existing(tmp_path, "11111111") == "seed0_11111111"
    assert existing(tmp_path, "22222222") == "22222222"
    assert existing(tmp_path, "33333333_44444444") == "seed1_33333333_44444444"
    assert [existing(tmp_path, hash_) for hash_ in ("33333333", "55555555", "66666666")] == [None] * 3


def test_looking_at_a_job_makes_no_folder(tmp_path):
    assert looked_up(tmp_path, "td", "1a2b3c4d") == "td_1a2b3c4d"
    assert list(tmp_path.iterdir()) == []
    assert reserved(tmp_path, "td", "1a2b3c4d") == "td_1a2b3c4d"
    assert looked_up(tmp_path, "td-seed1", "1a2b3c4d") == "td_1a2b3c4d"
    assert reserved(tmp_path / "none", "seed0", "11111111") == "seed0_11111111"
    assert not (tmp_path / "none").exists()


def test_a_lock_that_is_never_free_holds_nobody_up_for_ever(tmp_path, monkeypatch):
    monkeypatch.setattr("tdl.runs.resolvers.PATIENCE", 0.0)
    with lock_folder(tmp_path):
        assert reserved(tmp_path, "seed0", "11111111") == "seed0_11111111"


@pytest.mark.parametrize("name", ["run", " a run (1) ", "übung"])
def test_a_job_that_goes_on_elsewhere_leads_there(tmp_path, name):
    (tmp_path / name).mkdir()
    point_to(tmp_path, tmp_path / name)
    assert run_of(tmp_path) == tmp_path / name
