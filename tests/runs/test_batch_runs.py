"""Runs of the batch learner: told in moves, numbered in the order in which games end, and gone on with bit for bit.

Trusts the trainer (tests/training/test_batches.py) and runs of other learners.
"""

import shutil
import sys

import numpy as np
import pytest
from support.plain_device import PlainDevice, needs_compiler
from support.programs import SMALL, blocks_of, checkpoint, files, go_on, inside, outcome, result, train

import tdl.results
from tdl.config.setup import stored_setup
from tdl.runs.disk_space import checkpoint_bytes, of_run
from tdl.runs.episode_log import EpisodeLog
from tdl.storage.checkpoint import write_checkpoint

WORDS = ("learner=batch", "alpha=1.0", "lanes=64", "block=4000", "budget.moves=20000")
MORE = {
    "mean": (),
    "capped": ("learner.batch_sum=capped", "learner.schedule=['50%:0.5']"),
    "restart": ("learner.start=restart", "learner.stages=[64,256]", "learner.moves_per_lane=20", "lanes=300"),
    "milestone": (
        "learner.start=milestone",
        "learner.milestone=64",
        "learner.step=fixed",
        "alpha=.1",
        "game=2584",
        "lanes=8",
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A run of five blocks."""
    return train(tmp_path_factory.mktemp("batch") / "run", *WORDS, "save.every=1", "save.keep=9")


@pytest.fixture
def card(monkeypatch):
    """A device of plain C in the place of a graphics card; `left`: launches until it is lost."""
    device = PlainDevice()
    monkeypatch.setattr("tdl.cuda.device.open_device", lambda: device)
    return device


def test_blocks_are_told_in_moves(folder):
    blocks, games, ended = blocks_of(folder), np.load(folder / "episodes.npy"), result(folder)
    reached = blocks["moves"].cumsum()
    assert [4000 * (at + 1) <= moves < 4000 * (at + 1) + 64 for at, moves in enumerate(reached)][1:] == [True] * 4
    assert games["episode"].tolist() == list(range(ended["episodes"]))
    assert blocks["episode"].iloc[-1] == len(games)
    assert (ended["moves"], ended["config"]["episodes"]) == (reached.iloc[-1], None)
    row = tdl.results.runs(folder).iloc[0]
    assert (row["learner"], row["episodes"], row["status"]) == ("batch", len(games), "finished")


def test_a_checkpoint_holds_the_lanes_and_plays(folder):
    meta, arrays = checkpoint(folder)
    assert arrays.keys() == {"weights", "sums", "lanes"}
    assert len(arrays["lanes"]) == 64
    assert checkpoint_bytes(stored_setup(meta["config"])) == sum(array.nbytes for array in arrays.values())
    assert tdl.load(folder).evaluate(3)["moves"].min() > 0


@pytest.mark.parametrize("name", MORE)
def test_a_run_that_stops_goes_on_bit_for_bit(tmp_path, name):
    goes_on(tmp_path, MORE[name], "cpu", "cpu")


@pytest.mark.parametrize(("name", "first", "then"), [("mean", "cpu", "cuda"), ("restart", "cuda", "cpu")])
def test_a_run_goes_on_on_another_device(tmp_path, device, name, first, then):
    goes_on(tmp_path, MORE[name], first, then)
    ended = result(tmp_path / "run")
    assert ended["config"]["device"] == then
    assert (ended["instructions"] == device.name) == (then == "cuda")


def goes_on(tmp_path, words, first, then):
    """A run that is stopped in its third block and goes on, maybe on another device, against one that is not."""
    words, append, calls = (*WORDS, *words), EpisodeLog.append, []

    def stop(*args, **options):
        append(*args, **options)
        calls.append(args)
        if len(calls) == 3:
            raise KeyboardInterrupt

    whole = train(tmp_path / "whole", *words)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(EpisodeLog, "append", stop)
        begun = (f"hydra.run.dir={tmp_path / 'run'}", f"device={first}", "save.moves=[4000,8000]")
        at_once = inside(*SMALL, *words, *begun)
    assert at_once.returncode == 130
    assert 8000 <= checkpoint(tmp_path / "run")[0]["moves"] < 12000
    assert outcome(go_on(tmp_path / "run", "threads=2", f"device={then}")) == outcome(whole)


def test_any_checkpoint_goes_on_with_a_larger_budget(folder, tmp_path):
    whole = train(tmp_path / "whole", *WORDS, "budget.moves=24000")
    (older, *_) = sorted((folder / "kept").iterdir())
    run = shutil.copytree(folder, tmp_path / "run")
    shutil.rmtree(run / "checkpoint")
    shutil.move(run / "kept" / older.name, run / "checkpoint")
    shutil.rmtree(run / "kept")
    assert outcome(go_on(run, "budget.moves=24000", "save.every=null")) == outcome(whole)


@pytest.mark.parametrize("lanes", [32, 128])
def test_lanes_stay_as_many(folder, lanes):
    before = files(folder)
    done = inside(f"resume={folder}", f"lanes={lanes}")
    assert done.returncode == 2
    assert f"lanes: a resumed run keeps its configuration; its lanes is 64, given was {lanes}" in done.stderr
    assert files(folder) == before


def test_a_number_of_games_may_be_the_end(tmp_path):
    folder = train(tmp_path / "run", *WORDS, "episodes=100", "budget.moves=null")
    assert 100 <= result(folder)["episodes"] < 150


def test_keys_of_a_resumed_run_go_together_with_those_that_it_keeps(folder, tmp_path):
    run = shutil.copytree(folder, tmp_path / "run")
    go_on(run, "episodes=null", "budget.moves=24000", "evaluate.average=2")
    assert result(run)["evaluation"]["checkpoints"] == 2
    done = inside(f"resume={run}", "evaluate.average=10")
    assert (done.returncode, "evaluate.average: 10 is not allowed; expected at most save.keep, 9" in done.stderr) == (
        2,
        True,
    )


def test_divergence_leaves_the_last_checkpoint(tmp_path):
    words = ("learner.step=fixed", "learner.batch_sum=capped", "learner.cap=1e9", "alpha=10", "save.every=1")
    done = inside(
        "tuples=2x4", f"hydra.run.dir={tmp_path / 'run'}", *WORDS, *words, "block=100", "evaluate.episodes=1"
    )
    assert (done.returncode, result(tmp_path / "run")["status"]) == (1, "failed")
    assert "learning diverged" in done.stderr


def test_the_disk_has_room_for_the_games_of_a_budget_of_moves(folder):
    setup = stored_setup(result(folder)["config"] | {"budget": {"moves": 10**9, "seconds": None}})
    assert 24 * 10**6 < of_run(setup).records < 24 * 10**6 + 600 * 10**9 // 4000 + 1000


@needs_compiler
def test_a_card_that_is_lost_leaves_the_last_checkpoint(tmp_path, card):
    card.left = 1400
    run = tmp_path / "run"
    done = inside(*SMALL, f"hydra.run.dir={run}", *WORDS, "device=cuda", "save.every=1")
    assert (done.returncode, result(run)["status"]) == (2, "failed")
    (line,) = done.stderr.splitlines()[-1:]
    episode = checkpoint(run)[0]["episode"]
    assert line == (
        "tdl: device=cuda: the graphics card does no more work: plain C; "
        f"the checkpoint of episode {episode} is intact: resume={run}"
    )
    card.left = None
    assert outcome(go_on(run, "save.every=null")) == outcome(train(tmp_path / "whole", *WORDS))


@needs_compiler
def test_without_memory_on_the_card_nothing_is_left(tmp_path, card):
    card.memory = 1 << 20
    done = inside(*SMALL, f"hydra.run.dir={tmp_path / 'run'}", *WORDS, "device=cuda")
    assert done.returncode == 2
    assert done.stderr == (
        "tdl: device=cuda: the network and 64 lanes need 0.0 GiB of the memory of plain C; 0.0 GiB are free; "
        "process 4711 (python) holds 3.0 GiB\n"
    )
    assert not (tmp_path / "run").exists()


def test_without_the_extra_nothing_is_left(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    done = inside(*SMALL, f"hydra.run.dir={tmp_path / 'run'}", *WORDS, "device=cuda")
    assert done.returncode == 2
    assert done.stderr.startswith(
        "tdl: device: cuda needs CuPy, which is not installed: pip install 'tdl-ntuple[cuda]' ("
    )
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_a_checkpoint_is_written_beside_the_one_before_where_games_have_no_end(folder):
    config = result(folder)["config"]
    disk = of_run(stored_setup(config | {"save": config["save"] | {"keep": 1}}))
    assert disk.peak == 2 * disk.weights > 0


def test_lanes_of_no_game_are_refused(folder, tmp_path):
    run = shutil.copytree(folder, tmp_path / "run")
    meta, arrays = checkpoint(run)
    lanes = arrays["lanes"].copy()
    lanes["moves"][3] = -1
    write_checkpoint(run / "checkpoint", meta, arrays | {"lanes": lanes}, keep=0)
    done = inside(f"resume={run}", "budget.moves=24000")
    assert done.returncode == 2
    assert "checkpoint: lanes: moves: -1 is not allowed; expected a number from 0 to" in done.stderr
