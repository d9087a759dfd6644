"""Whatever fails or ends a run, the last good checkpoint stays, and the run goes on as if nothing had happened.

Every call by which a run changes its folder fails once, in turn, and the process dies at each once, in turn. What is
left goes on, or begins anew where nothing was saved, and comes to the bits of the run without a fault, the measure.
Trusted is that a run writes by `os` and `open` alone. Each fault meets some calls here, and all of them with
TDL_TORTURE=1 (`make torture`), where the random kills are 1,000.
"""

import itertools
import os
import random
import re
import resource
import shutil
import signal
import time
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest
from support.bare_runs import BareRun, whole_result
from support.faults import DEAD, DEATHS, ERRORS, Fault, FaultyFiles, ended, forked
from support.programs import SMALL, checkpoint, go_on, inside, learned, outcome, result, train

import tdl
from tdl.errors import CheckpointError
from tdl.storage.checkpoint import read_array, read_meta, write_checkpoint
from tdl.storage.result_file import has_deleted_weights
from tdl.storage.run_folder import RunFolder

TORTURE = os.environ.get("TDL_TORTURE") == "1"
STEP = 1 if TORTURE else 30
"""Every so many calls meet a fault."""

KINDS = [*ERRORS, *DEATHS]

KILLS = 500 if TORTURE else 8
"""Of each run."""

WORDS = ("episodes=20", "save.every=10", "save.keep=2", "save.final=true", "evaluate.average=2", "learner=tc")
BATCH = ("learner=batch", "episodes=200", "block=600", "lanes=8", "save.every=20", "save.final=true", "threads=2")
REPLICAS = ("episodes=60", "save.every=20", "save.final=true", "replicas=3", "round=20", "threads=2", "learner=tc")


def hydra_start(folder):
    """Start the run in `folder` by its whole program: exit code and last line of the errors."""
    goes_on = RunFolder(folder).has_checkpoint()
    done = inside(*([f"resume={folder}"] if goes_on else [*SMALL, *WORDS, f"hydra.run.dir={folder}"]))
    lines = [line for line in done.stderr.splitlines() if line.startswith(("tdl: ", "Traceback"))]
    return done.returncode, "\n".join(lines)


class Scene:
    """A run, the folder that it begins with, if any, and what it comes to.

    Parameters
    ----------
    start : starts it in a folder, anew or resumed; gives exit code and line of the error.
    where : only calls that change what has this in its path meet faults.

    Attributes
    ----------
    calls : by which the run changes its folder.
    """

    def __init__(self, place, start, before=None, where=""):
        self.start, self.before, self.place, self.where = start, before, place, where
        whole = self.begin("whole")
        with FaultyFiles(whole) as files:
            assert start(whole) == (0, "")
        self.calls = files.calls
        self.expected = comes_to(whole)

    def begin(self, name):
        """A folder as it is before the run."""
        folder = self.place / name
        if self.before is None:
            folder.mkdir(parents=True)
        else:
            shutil.copytree(self.before, folder)
        return folder

    def faults(self, kind):
        """Faults of a kind, one for each of the calls that it is for."""
        names = ("write",) if kind == "torn write" else None
        calls = [number for number, (name, path) in enumerate(self.calls)
                 if self.where in path and (names is None or name in names)]  # fmt: skip
        first = 0 if TORTURE else KINDS.index(kind) * STEP // len(KINDS) % len(calls)
        return [Fault(kind, number) for number in calls[first::STEP]]

    def last(self, kind, name, path):
        """A fault of this kind at the last call of this name for a path that begins so."""
        numbers = [number for number, (call, where) in enumerate(self.calls)
                   if call == name and where.startswith(path)]  # fmt: skip
        return Fault(kind, max(numbers))

    def meet(self, fault):
        """Let the run meet a fault and go on."""
        folder = self.begin(f"{fault.kind} {fault.number}".replace("/", " "))
        with FaultyFiles(folder, fault):
            if fault.kind in DEATHS:
                assert ended(forked(lambda: self.start(folder))) == DEAD
                code, line = DEAD, ""
            else:
                code, line = self.start(folder)
        if code == 0:  # it does without, as without deleting what is left over
            assert line == ""
            self.check(folder, fault)
        elif code != DEAD:
            assert (code, "\n" in line) == (2, False), line
            assert os.strerror(ERRORS[fault.kind]) in line
        self.go_on(folder)
        self.check(folder, fault)
        shutil.rmtree(folder)

    def check(self, folder, fault):
        """What cannot be deleted is left; all else is as it is without the fault."""
        *bits, names = comes_to(folder)
        *expected, known = self.expected
        assert bits == expected
        undeletable = fault.kind in ERRORS and self.calls[fault.number][0] in ("unlink", "rmdir")
        assert names == known or (undeletable and names > known)

    def go_on(self, folder):
        """Start it once more, to the end; before, what is saved is whole."""
        begin_anew_without_checkpoint(folder)
        if RunFolder(folder).has_checkpoint():
            if not has_deleted_weights(folder):  # else some may be deleted already
                checkpoint(folder)
                tdl.load(folder)
        elif has_deleted_weights(folder):
            with RunFolder(folder).lock():  # as a sweep of this run does
                return
        assert self.start(folder) == (0, "")


def begin_anew_without_checkpoint(folder):
    """Delete the folder of a run that left nothing to go on with, as the message says when another begins there."""
    place = RunFolder(folder)
    if place.is_used() and not place.has_checkpoint() and not has_deleted_weights(folder):
        shutil.rmtree(folder)
        folder.mkdir()


def comes_to(folder):
    """All that must be equal."""
    paths = (path for path in Path(folder).rglob("*") if ".hydra" not in path.parts)
    names = {str(path.relative_to(folder)) for path in paths}
    return {} if has_deleted_weights(folder) else outcome(folder), whole_result(folder), names


def of_words(place, *words, **more):
    """Starts a run whose configuration Hydra makes of these words."""
    return BareRun(result(train(place / "given", *words))["config"], **more).start


def new(place):
    """A run of two checkpoints, from its start on."""
    return Scene(place, of_words(place, *WORDS))


def resumed(place):
    """The same, resumed where it died between its second checkpoint and the deletion of the first."""
    scene = new(place / "new")
    before = scene.begin("before")
    with FaultyFiles(before, scene.last("death", "fsync", "checkpoint")):
        assert ended(forked(lambda: scene.start(before))) == DEAD
    again = Scene(place, scene.start, before)
    assert again.expected == scene.expected
    return again


def without_weights(place):
    """A run that deletes its weights in the end."""
    return Scene(place, of_words(place, *WORDS, "save.final=false"))


def replicas(place):
    """Replicas, by two threads."""
    return Scene(place, of_words(place, *REPLICAS))


def batch(place):
    """Games in step, by two threads."""
    return Scene(place, of_words(place, *BATCH))


def drawn(place):
    """The curve that a run draws in the end."""
    return Scene(place, of_words(place, "episodes=10", "save.final=true", figures=True), where="curve.png")


def composed(place):
    """What Hydra writes before a run begins."""
    return Scene(place, hydra_start, where=".hydra")


@pytest.fixture(scope="module")
def scene_of(tmp_path_factory):
    """Scenes by their functions, each made once."""
    return cache(lambda function: function(tmp_path_factory.mktemp(function.__name__)))


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        *itertools.product([new, resumed], KINDS),
        *itertools.product([without_weights, replicas, drawn, composed], KINDS if TORTURE else ["no space", "death"]),
    ],
)
def test_every_call_of_a_run_meets_a_fault(scene_of, function, kind):
    scene = scene_of(function)
    faults = scene.faults(kind)
    for fault in faults:
        scene.meet(fault)
    print(f"{function.__name__}, {kind}: {len(faults)} faults, {len(faults)} runs with the right bits")


@pytest.mark.parametrize(
    ("function", "fault"),
    [
        (new, ("power cut", "replace", "checkpoint")),  # blocks.csv was shorter than the checkpoint
        (new, ("death", "replace", "checkpoint")),  # the weights of the checkpoint before stayed for ever
        (new, ("full", "open", ".train.log")),  # episodes.npy was left open
        (new, ("full", "write", ".evaluation.npy")),
        (drawn, ("death", "write", ".curve.png")),  # there was never a curve
        (without_weights, ("death", "rename", "checkpoint")),  # the older checkpoints stayed for ever
    ],
)
def test_what_was_wrong_once(scene_of, function, fault):
    scene = scene_of(function)
    scene.meet(scene.last(*fault))


@pytest.mark.parametrize("function", [new, replicas, batch])
def test_killed_at_random(scene_of, function):
    """By SIGKILL at any time, also while it resumes; runs that come to their end are compared, and others begin."""
    scene, delays = scene_of(function), random.Random(KILLS)
    start = time.monotonic()
    scene.go_on(scene.begin("timed"))
    typical = time.monotonic() - start
    kills = runs = 0
    while kills < KILLS:
        folder, running, longest = scene.begin(f"killed {runs}"), True, 1.5 * typical
        while running:
            begin_anew_without_checkpoint(folder)
            child = forked(partial(scene.start, folder))
            time.sleep(delays.uniform(0, longest))
            longest *= 1.05  # so that it comes to an end on a machine that has become slower, too
            os.kill(child, signal.SIGKILL)
            code = ended(child)
            assert code in (0, -signal.SIGKILL)
            kills, running = kills + (code != 0), code != 0
        assert comes_to(folder) == scene.expected
        shutil.rmtree(folder)
        runs += 1
    print(f"{function.__name__}: {kills} kills of {runs} runs, all with the right bits")


def test_a_checkpoint_that_is_too_large_for_the_disk(tmp_path):
    """Room for the small files, not for the weights, by a limit of this process: the second checkpoint fails."""
    folder, words = tmp_path / "run", ("tuples=2x4", "save.every=20")
    train(folder, "episodes=20", *words)
    before, limits = learned(folder), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limits[1]))
    try:
        done = inside(f"resume={folder}", "episodes=60")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert done.returncode == 2
    line = done.stderr.splitlines()[-1]
    assert re.search(r"episode 40 could not be written: \S*/checkpoint: File too large; .*episode 20 is intact", line)
    assert (result(folder)["status"], result(folder)["error"]) == ("failed", line.removeprefix("tdl: "))
    after = learned(folder)
    assert after | {"episodes": before["episodes"]} == before
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
        for older in folder.parent.glob("kept/[0-9]*"):
            assert read_array(older, read_meta(older), "weights").tobytes() == good.tobytes()
        write_checkpoint(folder, {"episode": 3}, {"weights": good}, keep=keep)  # nothing is in the way of the next
        assert read_meta(folder)["episode"] == 3
        spared += 1
    assert spared > 10, "of a checkpoint there are more calls"
