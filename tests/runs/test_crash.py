"""Whatever ends a run, the last good checkpoint stays and the run goes on from it as if nothing had happened.

Trusts the uninterrupted run as the measure, and the kernel's promise that what was written before a kill stays
written. Kills, signals and the size limit meet real processes; single failing calls are put in by hand.
"""

import random
import resource
import signal
import time

import numpy as np
import pytest
from support.faults import Fault, FaultyFiles
from support.programs import (
    SMALL,
    checkpoint,
    ended,
    go_on,
    inside,
    learned,
    outcome,
    program,
    result,
    running,
    train,
    wait_until,
    written_at,
)

import tdl
from tdl.errors import CheckpointError
from tdl.runs import training
from tdl.storage.checkpoint import read_array, read_meta, write_checkpoint

KILLS = 12
FOREVER = "episodes=100000000"

each_signal = pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])


def ends_like_the_uninterrupted(folder, whole, *words):
    """Resume to the next whole hundred episodes; the same run without interruption learns the same."""
    episodes = checkpoint(folder)[0]["episode"] // 100 * 100 + 200
    go_on(folder, f"episodes={episodes}")
    train(whole, f"episodes={episodes}", *words)
    assert result(folder)["status"] == "finished"
    return outcome(folder) == outcome(whole)


def test_killed_at_any_moment(tmp_path):
    """A checkpoint after every block of ten games: about half of the time goes into writing them.

    Three of four kills come soon after a checkpoint, the fourth at any time, also while the program starts.
    """
    delays = random.Random(2048)
    folder, words = tmp_path / "run", (*SMALL, "save.every=10", "save.keep=2", FOREVER)
    for kill in range(KILLS):
        before = written_at(folder)
        start = [f"resume={folder}"] if kill else [*words, f"hydra.run.dir={folder}"]
        with running(tmp_path, *start) as process:
            if kill % 4 < 3:
                wait_until(lambda before=before: written_at(folder) != before, process)
                time.sleep(delays.uniform(0, 0.05))
            else:
                time.sleep(delays.uniform(0, 0.7))
            process.kill()
            assert ended(process).returncode == -signal.SIGKILL
        meta, arrays = checkpoint(folder)
        assert meta["episode"] % 10 == 0
        assert np.isfinite(arrays["weights"]).all()
        assert np.isfinite(tdl.load(folder).values(0x11)).any()
        for older in (folder / "kept").glob("[0-9]*"):
            tdl.load(older)
    assert ends_like_the_uninterrupted(folder, tmp_path / "whole")
    left = {path.name for path in (folder / "checkpoint").iterdir()}
    assert left == {"meta.json", f"weights-{checkpoint(folder)[0]['episode']:010d}.npy"}


@each_signal
def test_signal_saves_and_stops(tmp_path, number, code):
    folder = tmp_path / "run"
    with running(tmp_path, *SMALL, FOREVER, "save.every=50", f"hydra.run.dir={folder}") as process:
        wait_until(lambda: written_at(folder), process)
        process.send_signal(number)
        done = ended(process)
    assert done.returncode == code
    assert f"go on with resume={folder}" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
    assert result(folder)["status"] == "interrupted"
    assert result(folder)["episodes"] == checkpoint(folder)[0]["episode"] == len(np.load(folder / "episodes.npy"))
    assert ends_like_the_uninterrupted(folder, tmp_path / "whole")


@each_signal
def test_signal_stops_the_evaluation(tmp_path, number, code):
    """The training is saved by then; the evaluation is made up for when the run is resumed."""
    folder = tmp_path / "run"
    words = (*SMALL, "episodes=20", "evaluate.episodes=1000000", f"hydra.run.dir={folder}")
    with running(tmp_path, *words) as process:
        wait_until(lambda: written_at(folder), process)
        time.sleep(0.3)
        process.send_signal(number)
        done = ended(process)
    assert done.returncode == code
    assert done.stderr.splitlines()[-1].startswith("tdl: ")
    assert result(folder)["status"] == "interrupted"
    go_on(folder, "evaluate.episodes=5")
    assert result(folder)["status"] == "finished"
    assert outcome(folder) == outcome(train(tmp_path / "whole", "episodes=20"))


def test_signal_before_the_first_block(tmp_path, monkeypatch):
    """Nothing is played yet, but the run goes on as any other: it is a checkpoint of episode 0."""
    folder = tmp_path / "run"

    class AtOnce(training.Progress):
        def __init__(self, *args):
            super().__init__(*args)
            signal.raise_signal(signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(training, "Progress", AtOnce)
        done = inside(*SMALL, "episodes=20", f"hydra.run.dir={folder}")
    assert done.returncode == 130
    assert f"stopped at episode 0; go on with resume={folder}" in done.stderr.splitlines()[-1]
    go_on(folder)
    assert outcome(folder) == outcome(train(tmp_path / "whole", "episodes=20"))


def test_second_signal_stops_at_once(tmp_path, monkeypatch):
    """One block of hours: the first Ctrl-C would wait for its end."""
    folder = tmp_path / "run"

    class Impatient(training.Progress):
        """Is told of progress in the middle of a block, and sends two signals there."""

        def update(self, *_, **__):
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(training, "Progress", Impatient)
    done = inside(*SMALL, FOREVER, "block=100000000", f"hydra.run.dir={folder}")
    assert done.returncode == 130
    assert done.stderr == "\ntdl: stopping at the end of this block; once more to stop at once\ntdl: interrupted\n"
    assert result(folder)["status"] == "interrupted"


def test_file_size_limit(tmp_path):
    """Room for the small files, not for the weights: the second checkpoint cannot be written."""
    folder, words = tmp_path / "run", ("tuples=2x4", "save.every=20")
    train(folder, "episodes=20", *words)
    before = learned(folder)

    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    done = program(tmp_path, f"resume={folder}", "episodes=60", preexec_fn=limited)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "checkpoint of episode 40 could not be written" in line
    assert "File too large" in line
    assert "episode 20 is intact" in line
    assert (result(folder)["status"], result(folder)["error"]) == ("failed", line.removeprefix("tdl: "))
    assert {name: told for name, told in learned(folder).items() if name != "episodes"}.items() <= before.items()
    assert tdl.load(folder).network.weights.any()
    assert not [path for path in folder.rglob("*") if "new" in path.name]
    assert [path.name for path in (folder / "checkpoint").glob("*.npy")] == ["weights-0000000020.npy"]
    go_on(folder, "episodes=60")
    assert outcome(folder) == outcome(train(tmp_path / "whole", "episodes=60", *words))


@pytest.mark.parametrize("keep", [1, 3])
def test_no_failing_call_harms_the_checkpoint_before(tmp_path, keep):
    """Each call fails in turn, as on a full disk, until so many are spared that none is left to fail."""
    good, better = np.arange(1000, dtype=np.float32), np.ones(1000, np.float32)
    spared, hit = 0, True
    while hit:
        folder = tmp_path / str(spared) / "checkpoint"
        write_checkpoint(folder, {"episode": 1}, {"weights": good}, keep=keep)
        failed = None
        with FaultyFiles(folder.parent, Fault("no space", spared)) as files:
            try:
                write_checkpoint(folder, {"episode": 2}, {"weights": better}, keep=keep)
            except CheckpointError as error:
                failed = str(error)
        hit = len(files.calls) > spared
        meta = read_meta(folder)
        weights = read_array(folder, meta, "weights").tobytes()
        assert (meta["episode"], weights) in ((1, good.tobytes()), (2, better.tobytes()))
        assert (meta["episode"] == 2) if failed is None else (hit and "No space left" in failed)
        call = files.calls[spared][0] if hit else None
        left = {path.name for path in folder.iterdir()} - {"meta.json", meta["arrays"]["weights"]["file"]}
        unsure = call in ("fsync", "unlink") and meta["episode"] == 2  # of the rename, or it cannot be deleted
        assert not left or (unsure and left == {"weights-0000000001.npy"})
        assert call == "rmdir" or not [path for path in folder.parent.rglob("*") if path.name.endswith(".new")]
        for kept in folder.parent.glob("kept/[0-9]*"):
            assert read_array(kept, read_meta(kept), "weights").tobytes() == good.tobytes()
        write_checkpoint(folder, {"episode": 3}, {"weights": good}, keep=keep)  # nothing is in the way of the next
        assert read_meta(folder)["episode"] == 3
        spared += 1
    assert spared > 10, "of a checkpoint there are more calls"


@pytest.mark.parametrize(
    ("order", "words", "good"),
    [
        ("forward", [], True),  # grows from game to game: the first blocks are within bounds
        ("backward", [], False),  # grows within the first game, to nan: no checkpoint can be good
        ("backward", ["episodes=1"], False),
        ("backward", ["episodes=1", "evaluate.episodes=0"], False),
    ],
    ids=["forward", "backward", "backward, evaluated", "backward, one block"],
)
def test_divergence(tmp_path, order, words, good):
    folder = tmp_path / "run"
    words = ["tuples=2x4", "alpha=5", f"learner.order={order}", "lanes=1", "block=1", "save.every=1", *words]
    done = inside(*words, f"hydra.run.dir={folder}")
    assert done.returncode == 1
    line = done.stderr.splitlines()[-1]
    assert line.startswith("tdl: learning diverged")
    assert "smaller alpha" in line
    assert (result(folder)["status"], result(folder)["error"]) == ("failed", line.removeprefix("tdl: "))
    assert good == (folder / "checkpoint" / "meta.json").exists()
    if good:
        weights = tdl.load(folder).network.weights
        assert np.isfinite(weights).all()
        assert 0 < np.abs(weights).max() < 1e9
