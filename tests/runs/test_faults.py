"""Every call by which a run changes its folder fails once, in turn, and the process dies at each once, in turn.

What is left goes on, or begins anew where nothing was saved, and comes to the bits of the run without a fault, the
measure. Trusted is that a run writes by `os` and `open` alone. Each fault meets some calls here, and all of them with
TDL_TORTURE=1 (`make torture`), where the random kills are 1,000.
"""

import itertools
import os
import random
import shutil
import signal
import time
from functools import cache, partial
from pathlib import Path

import pytest
from support.bare_runs import BareRun, whole_result
from support.faults import DEAD, DEATHS, ERRORS, Fault, FaultyFiles, ended, forked
from support.programs import SMALL, checkpoint, inside, outcome, result, train

import tdl
from tdl.storage.result_file import has_deleted_weights
from tdl.storage.run_folder import RunFolder

TORTURE = os.environ.get("TDL_TORTURE") == "1"
STEP = 1 if TORTURE else 30
"""Every so many calls meet a fault."""

KINDS = [*ERRORS, *DEATHS]

KILLS = 500 if TORTURE else 8
"""Of each run."""

WORDS = ("episodes=20", "save.every=10", "save.keep=2", "save.final=true", "evaluate.average=2", "learner=tc")
REPLICAS = ("episodes=60", "save.every=20", "save.final=true", "replicas=3", "round=20", "threads=2", "learner=tc")


class HydraRun:
    """Starts of one run by its whole program."""

    def start(self, folder):
        """Exit code and last line of the errors, of a run in `folder`."""
        goes_on = RunFolder(folder).has_checkpoint()
        done = inside(*([f"resume={folder}"] if goes_on else [*SMALL, *WORDS, f"hydra.run.dir={folder}"]))
        lines = [line for line in done.stderr.splitlines() if line.startswith(("tdl: ", "Traceback"))]
        return done.returncode, "\n".join(lines)


class Scene:
    """A run, the folder that it begins with, if any, and what it comes to.

    Parameters
    ----------
    where : only calls that change what has this in its path meet faults.

    Attributes
    ----------
    calls : by which the run changes its folder.
    """

    def __init__(self, place, run, before=None, where=""):
        self.run, self.before, self.place, self.where = run, before, place, where
        self.whole = self.begin("whole")
        with FaultyFiles(self.whole) as files:
            assert run.start(self.whole) == (0, "")
        self.calls = files.calls
        self.expected = comes_to(self.whole)

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
        calls = ((each, where.startswith(path)) for each, where in self.calls)
        return Fault(kind, max(number for number, call in enumerate(calls) if call == (name, True)))

    def meet(self, fault):
        """Let the run meet a fault and go on."""
        folder = self.begin(f"{fault.kind} {fault.number}".replace("/", " "))
        if fault.kind in DEATHS:
            with FaultyFiles(folder, fault):
                assert ended(forked(lambda: self.run.start(folder))) == DEAD
        else:
            self._fail(folder, fault)
        self.go_on(folder)
        self.check(folder, fault)
        shutil.rmtree(folder)

    def _fail(self, folder, fault):
        """Either the run says in one line what failed, or it does without, as without deleting what is left over."""
        with FaultyFiles(folder, fault):
            code, line = self.run.start(folder)
        if code == 0:
            assert line == ""
            self.check(folder, fault)
        else:
            assert code == 2, line
            assert os.strerror(ERRORS[fault.kind]) in line
            assert "\n" not in line

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
        assert self.run.start(folder) == (0, "")


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
    told = whole_result(folder)
    return {} if has_deleted_weights(folder) else outcome(folder), told, names


def of_words(place, *words, **more):
    """A run whose configuration Hydra makes of these words."""
    return BareRun(result(train(place, *words))["config"], **more)


def new(place):
    """A run of two checkpoints, from its start on."""
    return Scene(place, of_words(place / "given", *WORDS))


def resumed(place):
    """The same, resumed where it died between its second checkpoint and the deletion of the first."""
    scene = new(place / "new")
    before = scene.begin("before")
    with FaultyFiles(before, scene.last("death", "fsync", "checkpoint")):
        assert ended(forked(lambda: scene.run.start(before))) == DEAD
    again = Scene(place, scene.run, before)
    assert again.expected == scene.expected
    return again


def without_weights(place):
    """A run that deletes its weights in the end."""
    return Scene(place, of_words(place / "given", *WORDS, "save.final=false"))


def replicas(place):
    """Replicas, by two threads."""
    return Scene(place, of_words(place / "given", *REPLICAS))


def drawn(place):
    """The curve that a run draws in the end."""
    return Scene(place, of_words(place / "given", "episodes=10", "save.final=true", figures=True), where="curve.png")


def composed(place):
    """What Hydra writes before a run begins."""
    return Scene(place, HydraRun(), where=".hydra")


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


@pytest.mark.parametrize("function", [new, replicas])
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
            child = forked(partial(scene.run.start, folder))
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
