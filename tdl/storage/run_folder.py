"""The folder of a run, an evaluation or a solved game: the names of its files, its result, its status, its lock."""

import contextlib
import errno
import fcntl
import json
import os
import shlex
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tdl.errors import BusyError, ConfigError, Interrupted, TdlError
from tdl.storage.atomic import delete_unfinished, new_file
from tdl.storage.checkpoint import KEPT, META, Array, discard, write_checkpoint
from tdl.storage.result_file import FAILED as FAILED
from tdl.storage.result_file import FINISHED as FINISHED
from tdl.storage.result_file import INTERRUPTED as INTERRUPTED
from tdl.storage.result_file import PAUSED as PAUSED
from tdl.storage.result_file import RESULT as RESULT
from tdl.storage.result_file import RUNNING as RUNNING
from tdl.storage.result_file import read_result

OUTPUTS = "outputs"
"""The folder in which programs make those of runs and sweeps, below the present one."""

CHECKPOINT = "checkpoint"  # folder of the newest; older ones that stay are in `KEPT`
EPISODES = "episodes.npy"  # a record of each game of the training
BLOCKS = "blocks.csv"  # a row of figures for each block of games
LOG = "train.log"  # the statistics block of each block of games
LOGGED = "logged.npy"  # games now and then beside the training: `episode` is the number of training games before each
EVALUATION = "evaluation.npy"  # games after training
CURVE = "curve.png"
JOB_LOG = "job.log"  # what a job of a sweep prints
ELSEWHERE = "elsewhere"  # in the folder of a job: the folder of the run that it went on with, where that is another

SWEEP = "multirun.yaml"
"""What Hydra leaves in the folder of a sweep."""

HYDRA = ".hydra"  # the folder of Hydra's notes

NOTES = ("config.yaml", "hydra.yaml", "overrides.yaml")  # of Hydra, in that folder

FILES = (RESULT, EPISODES, BLOCKS, LOG, LOGGED, EVALUATION, CURVE, JOB_LOG, ELSEWHERE)
FOLDERS = (CHECKPOINT, KEPT, HYDRA)

PASSING = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EIO)
"""Errors that say nothing of a file: too many are open, no memory, a disk that does not answer."""

PATIENCE = 0.2
"""Seconds to wait for a lock: who looks whether there is one (`RunFolder.is_locked`) has it for an instant."""


def run_in(path: Path) -> Path:
    """The folder of a run: `path`, or where that is of a sweep with a single run, the folder of this one."""
    runs = [file.parent for file in path.glob(f"*/{RESULT}")] if (path / SWEEP).is_file() else []
    return runs[0] if len(runs) == 1 else path


@contextlib.contextmanager
def lock_folder(folder: Path, patience: float = PATIENCE) -> Iterator[None]:
    """While this context is open no other process can open it for `folder`; the system frees it however we end.

    The lock is on the folder itself, so that no file is left behind.

    Raises
    ------
    BusyError : another process holds it for `patience` seconds.
    OSError : there is no such folder.
    """
    handle = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # a file system without locks: nothing is worse than before
            _wait_for_lock(handle, folder, patience)
        yield
    finally:
        os.close(handle)


def _wait_for_lock(handle: int, folder: Path, patience: float) -> None:
    end = time.monotonic() + patience
    while True:
        try:
            return fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= end:
                raise BusyError(f"{folder}: another process is working in this folder") from None
        time.sleep(0.01)


def refuse_link(path: Path, *, folder: bool = False, alone: bool = False) -> None:
    """Refuse a link, a pipe or the like in the place of a file, or of a folder, that is written to.

    `alone` refuses a file that has another name, too, under which it may lie elsewhere.
    """
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        status = os.lstat(path)
        is_link = stat.S_ISLNK(status.st_mode) or (alone and status.st_nlink > 1)
        is_right = stat.S_ISDIR(status.st_mode) if folder else stat.S_ISREG(status.st_mode)
        if is_link or not is_right:
            reason, kind = "a link" if is_link else "something else", "folder" if folder else "file"
            raise ConfigError(f"{path}: {reason}, not a {kind} of the run's own; nothing is written there")


class RunFolder:
    """A folder that a program leaves; it need not exist yet.

    Attributes
    ----------
    path : the folder.
    result, checkpoint, kept, episodes, blocks, log, logged, evaluation, curve : paths of its files and folders.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.result = self.path / RESULT
        self.checkpoint, self.kept = self.path / CHECKPOINT, self.path / KEPT
        self.episodes, self.blocks, self.log = self.path / EPISODES, self.path / BLOCKS, self.path / LOG
        self.logged, self.evaluation = self.path / LOGGED, self.path / EVALUATION
        self.curve = self.path / CURVE

    def __str__(self) -> str:
        return str(self.path)

    def word(self, key: str) -> str:
        """The word of a command line that gives this folder to a key, as a shell takes it."""
        return shlex.quote(f"{key}={self.path}")

    def game(self, number: int) -> Path:
        """The file of a recorded game: that of the first is `game.jsonl`, however many there are."""
        return self.path / (f"game-{number:04}.jsonl" if number else "game.jsonl")

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """While this context is open no other process works here; what a killed one left half written is deleted.

        Raises
        ------
        BusyError : another one does.
        ConfigError : as `refuse_links`.
        """
        with lock_folder(self.path):
            self.refuse_links()
            delete_unfinished(self.path)
            yield

    def refuse_links(self, *, new: bool = False) -> None:
        """Refuse a link, a pipe or the like where a file or folder of the run's own has to be.

        What is written there would be written elsewhere, and what is deleted there be deleted elsewhere. In the folder
        of a `new` run Hydra writes over what has the names of its notes, so that may have no other name either.
        """
        for name in (*FILES, *FOLDERS):
            refuse_link(self.path / name, folder=name in FOLDERS)
        for name in NOTES:
            refuse_link(self.path / HYDRA / name, alone=new)

    def is_locked(self) -> bool:
        """Whether a process works here."""
        try:
            with lock_folder(self.path, patience=0.0):
                return False
        except BusyError:
            return True
        except OSError:  # no such folder
            return False

    def is_used(self) -> bool:
        """Whether a run has begun here."""
        return self.result.exists() or self.checkpoint.exists()

    def read_result(self) -> dict[str, Any]:
        """What `result.json` says, checked; raises as `tdl.storage.result_file.read_result`."""
        return read_result(self.result)

    def result_if_whole(self) -> dict[str, Any]:
        """What `result.json` says; nothing where it is missing or damaged.

        An OSError is raised where it cannot be read at present, as with too many open files: what it says may hold.
        """
        with contextlib.suppress(TdlError):
            try:
                return self.read_result()
            except OSError as error:
                if error.errno in PASSING:
                    raise
        return {}

    def write_result(self, result: Mapping[str, Any]) -> None:
        """Write `result.json`, in one step."""
        with new_file(self.result) as file:
            file.write(json.dumps(result, indent=1).encode() + b"\n")

    @contextlib.contextmanager
    def status_kept(
        self,
        result: dict[str, Any],
        figures: Callable[[], Mapping[str, Any]],
        is_stop: Callable[[BaseException], bool] = lambda _: False,
    ) -> Iterator[None]:
        """While this context is open the status of a run is `running`; then it is as the work ended.

        Parameters
        ----------
        result : what `result.json` says; an error puts its text there.
        figures : what it says besides, asked for whenever it is written.
        is_stop : whether an error stops the run as an interrupt does, instead of failing it.
        """

        def write(status: str) -> None:
            self.write_result(result | {"status": status, **figures()})

        write(RUNNING)
        try:
            yield
            write(FINISHED)
        except BaseException as error:
            result["error"] = str(error) or type(error).__name__
            stopped = isinstance(error, Interrupted | KeyboardInterrupt | SystemExit) or is_stop(error)
            with contextlib.suppress(OSError):  # a full disk may be why we are here
                write(INTERRUPTED if stopped else FAILED)
            raise

    def has_checkpoint(self) -> bool:
        """Whether a checkpoint was ever written."""
        return (self.checkpoint / META).exists()

    def delete_weights(self) -> None:
        """Delete all checkpoints, the newest last: while it is there the run can be resumed to delete the others."""
        discard(self.kept)
        discard(self.checkpoint)

    def has_weights(self) -> bool:
        """Whether checkpoints are there, also such as a killed process has not deleted to the end."""
        return self.checkpoint.exists() or self.kept.exists() or any(self.path.glob(".*.old.new"))

    def save(self, meta: Mapping[str, Any], arrays: Mapping[str, Array], keep: int, result: Mapping[str, Any]) -> None:
        """Write a checkpoint, then the result."""
        write_checkpoint(self.checkpoint, meta, arrays, keep=keep)
        self.write_result(result)

    def checkpoints(self, most: int) -> list[Path]:
        """The folders of the newest checkpoints, from the newest on."""
        return [self.checkpoint, *sorted(self.kept.glob("[0-9]*"), reverse=True)][:most]
