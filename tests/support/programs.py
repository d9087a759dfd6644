"""Runs for tests: started as programs or inside this process, found again, and compared bit for bit."""

import contextlib
import csv
import hashlib
import io
import json
import os
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from support import PATIENCE
from support.composing import composed_once
from tdl.cli.run import main
from tdl.config.files import OWN
from tdl.storage.checkpoint import read_array, read_meta

SMALL = ("tuples.cells=[[0,1,2,3],[4,5]]", "block=10", "evaluate.episodes=5")
"""A run of 64 KiB that plays a block in less than a millisecond."""

EPISODES = 60
"""Six of these blocks: the length of a run that is stopped, damaged and gone on with."""

UNDRAWN = partial(main, figures=False)
"""`tdl run` without its pictures, which take most of the time of a small run."""

MEASURED = ("seconds", "moves_per_second")
"""Columns of `blocks.csv` that differ from run to run."""


def once(words):
    """The words, with the last one for each key: those of a test take the place of words that many tests share."""
    words = [str(word) for word in words]
    keys = [word.partition("=")[0] if "=" in word else index for index, word in enumerate(words)]
    return [word for index, word in enumerate(words) if keys[index] not in keys[index + 1 :]]


@contextlib.contextmanager
def running(cwd, *words, command="run", **options):
    """Start `tdl COMMAND WORDS` in the folder `cwd`; it goes on while the test does, at most as long."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **options}
    with subprocess.Popen([sys.executable, "-m", "tdl", command, *once(words)], cwd=cwd, **options) as process:
        try:
            yield process
        finally:
            process.kill()


def ended(process):
    """Wait for the end of a process: a `CompletedProcess` with the exit code and both outputs."""
    out, err = process.communicate(timeout=PATIENCE)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def program(cwd, *words, **options):
    """Run `tdl run WORDS` in the folder `cwd`, to its end."""
    with running(cwd, *words, **options) as process:
        return ended(process)


def inside(*words, program=UNDRAWN):
    """The same inside this process, where starting costs little; an unexpected error is raised, not printed."""
    out, err, code, words = io.StringIO(), io.StringIO(), None, once(words)
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        patch.setattr(sys, "argv", ["tdl", *words])
        composed_once(patch, words)
        patch.setenv("HYDRA_FULL_ERROR", "1")
        patch.setenv("PYTHONSAFEPATH", "1")
        patch.setenv(OWN, "")  # which a program sets for those that it starts
        patch.delenv(OWN)
        try:
            program()
        except SystemExit as exit_:
            code = exit_.code
    return subprocess.CompletedProcess(words, code, out.getvalue(), err.getvalue())


def train(folder, *words, program=UNDRAWN):
    """A small run in `folder`, inside this process; it must end well. Gives the folder."""
    done = inside(*SMALL, f"hydra.run.dir={folder}", *words, program=program)
    assert done.returncode == 0, done.stderr
    return folder


def go_on(folder, *words):
    """Resume the run in `folder`, inside this process; it must end well. Gives the folder."""
    done = inside(f"resume={folder}", *words)
    assert done.returncode == 0, done.stderr
    return folder


def only_run(cwd):
    """The folder of the one run below `cwd`."""
    (path,) = Path(cwd).rglob("result.json")
    return path.parent


def blocks_of(folder):
    """A run's blocks.csv. Not by pandas, whose numbers were off by a unit of the last place before its version 3.1."""
    import pandas as pd  # which tests of kernels under emulation do not have

    columns = np.genfromtxt(folder / "blocks.csv", delimiter=",", names=True, dtype=None)
    return pd.DataFrame(np.atleast_1d(columns))


def result(folder):
    """What `result.json` says."""
    return json.loads((Path(folder) / "result.json").read_text())


def checkpoint(folder):
    """The description and the arrays of a run's checkpoint."""
    folder = Path(folder) / "checkpoint"
    meta = read_meta(folder)
    return meta, {name: read_array(folder, meta, name) for name in meta["arrays"]}


def learned(folder):
    """What must be equal when two runs have learned the same: digests of all arrays, and of every episode's row."""
    meta, arrays = checkpoint(folder)
    digests = {name: (array.shape, array.dtype.str, _digest(array.tobytes())) for name, array in arrays.items()}
    records = np.load(Path(folder) / "episodes.npy", allow_pickle=False)
    return digests | {"episode": meta["episode"], "moves": meta["moves"], "episodes": (len(records), _digest(records))}


def outcome(folder):
    """What must be equal when two runs are equal: every file but for what was measured with a clock."""
    folder = Path(folder)
    with (folder / "blocks.csv").open(newline="") as file:
        rows = [{key: value for key, value in row.items() if key not in MEASURED} for row in csv.DictReader(file)]
    log = [line.partition("\tops = ")[0] for line in (folder / "train.log").read_text().splitlines()]
    files = {name: _digest((folder / name).read_bytes()) for name in ("episodes.npy", "evaluation.npy")}
    return learned(folder) | files | {"blocks": rows, "log": log}


def files(folder):
    """Every file below `folder` with the digest of its content, without the notes Hydra makes of each start."""
    paths = (path for path in Path(folder).rglob("*") if path.is_file() and ".hydra" not in path.parts)
    return {str(path.relative_to(folder)): _digest(path.read_bytes()) for path in paths}


def wait_until(condition, process=None, seconds=PATIENCE):
    """Wait until `condition()` holds; gives up when `process` has ended or the time is over."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        assert process is None or process.poll() is None, process.stderr.read() if process.stderr else "it ended"
        time.sleep(0.001)


def written_at(folder):
    """A number that changes with every checkpoint of a run; None before the first."""
    try:
        return os.stat(Path(folder) / "checkpoint" / "meta.json").st_ino
    except FileNotFoundError:
        return None


def _digest(data):
    return hashlib.sha256(data).hexdigest()[:16]
