"""A sweep: the jobs of one `-m` command, or of several, in one folder. The files by which they know of each other."""

import contextlib
import os
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hydra.experimental.callback import Callback
from omegaconf import MISSING, DictConfig, OmegaConf, read_write

from tdl.config.compose import quoted
from tdl.config.files import plain_dict
from tdl.config.names import chosen_names
from tdl.errors import TdlError
from tdl.storage.atomic import new_file
from tdl.storage.reading import open_file
from tdl.storage.run_folder import ELSEWHERE, FAILED, FINISHED, RunFolder
from tdl.sweeps import swept
from tdl.sweeps.context import JobContext
from tdl.sweeps.plan import MANY


@dataclass(frozen=True)
class Outcome:
    """How a job ended."""

    code: int = 0  # the exit code that its program alone would have had
    line: str = ""  # what went wrong, if something did
    busy: bool = False  # another process works in its folder: nothing was done
    marked: bool = True  # the job's own process noted in its folder what went wrong
    value: float | None = None  # how good its result is, where the program can tell

    def __float__(self) -> float:
        """What sweepers that tune, as Optuna's, ask for; a ValueError tells them that the job failed."""
        if self.code or self.value is None:
            raise ValueError(self.line or "the job has no value")
        return self.value


BUSY_SECONDS = 1.0
"""Between two looks at a job that another process works on."""


@dataclass
class Sweep:
    """The sweep of this process."""

    folder: Path  # where its jobs have their folders
    began: float = 0.0  # by the clock of the disk: files that are not older are of this sweep
    outcomes: dict[Path, Outcome] = field(default_factory=dict)  # of the jobs it knows of, in the order of their ends
    done: set[Path] = field(default_factory=set)  # jobs that were not begun


_current: Sweep | None = None
"""Kept here, because Hydra makes the object that notes it."""


def current() -> Sweep | None:
    """The sweep that this process is; None in the process of a job, and without a sweep."""
    return _current


def over() -> None:
    """From here on this process is no sweep."""
    global _current
    _current = None


def note(folder: Path, outcome: Outcome) -> None:
    """Keep how the job in this folder ended, if this is the process of the sweep."""
    if _current is not None:
        _current.outcomes[folder.resolve()] = outcome


def note_done(folders: Iterable[Path]) -> None:
    """Keep that the jobs in these folders were done before the sweep began."""
    if _current is not None:
        _current.done.update(folder.resolve() for folder in folders)


class SweepFolder(Callback):
    """Notes where the sweep lies. Hydra's own end-of-sweep call is left out when a job fails.

    Parameters
    ----------
    keep_weights : for the jobs: whether those that say `save.final=auto` keep their weights; null: they do.
    """

    def __init__(self, keep_weights: bool | None = None) -> None:
        self.keep_weights = keep_weights

    def on_multirun_start(self, config: DictConfig, **_: Any) -> None:
        """Hydra calls this before the first job. Jobs in other processes must not make up a folder of their own."""
        global _current
        folder = str(config.hydra.sweep.dir)
        _current = Sweep(Path(folder), _time_of_disk(Path(folder)))
        words = [f"hydra.sweep.dir={quoted(folder)}", *swept.titled_folders(config)]
        if (OmegaConf.select(config, "hydra.sweeper.n_trials") or 0) > MANY:  # of a sweeper that proposes jobs
            words.append("hydra.callbacks.sweep.keep_weights=false")
        with read_write(config.hydra.overrides.hydra):  # Hydra 1.4 gives it away to be read only
            config.hydra.overrides.hydra.extend(words)
        if line := swept.forced_step_size(config):
            print(f"tdl: {line}", file=sys.stderr)


TARGET = f"{SweepFolder.__module__}.{SweepFolder.__qualname__}"
"""The one `_target_` of `conf` that is no plugin of Hydra's."""


def _time_of_disk(folder: Path) -> float:
    """What a file gets that is written there now: a disk of the network has a clock of its own."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            return os.stat(file.fileno()).st_mtime
    except OSError:  # it cannot be written: the first job will say so
        return time.time()


def mark_failed(context: JobContext, cfg: DictConfig, error: str) -> None:
    """Note in the `result.json` of a job that it failed, unless another process works there now."""
    job, cfg = RunFolder(context.folder), OmegaConf.masked_copy(cfg, [str(key) for key in cfg if key != "hydra"])
    with contextlib.suppress(TdlError, OSError), job.lock():  # on a full disk the table alone says it
        result = job.result_if_whole()
        if result.get("status") == FINISHED:  # it failed after its end, or another process has done it meanwhile
            return
        if not result:
            result = {"names": chosen_names(cfg, context.choices), "config": plain_config(cfg)}
        job.write_result(result | {"status": FAILED, "error": error})


def point_to(job: Path, run: Path) -> None:
    """Note in a job's folder that its run is elsewhere: a resumed one continues where it was."""
    with new_file(job / ELSEWHERE) as file:
        file.write(f"{run.resolve()}\n".encode())
    RunFolder(job).result.unlink(missing_ok=True)  # of a time when it could not go on


def pointed_to(job: Path) -> Path | None:
    """The folder that `point_to` noted."""
    try:
        with open_file(job / ELSEWHERE) as file:
            text = file.read(1 << 12).decode().strip()
    except (OSError, UnicodeDecodeError):
        return None
    return Path(text) if text and "\0" not in text else None


def plain_config(cfg: DictConfig) -> dict[str, Any]:
    """A configuration as plain dictionaries, without what a checkpoint would have said."""
    return _without_missing(plain_dict(cfg, resolve=True))


def _without_missing(plain: dict[str, Any]) -> dict[str, Any]:
    given = {key: value for key, value in plain.items() if value != MISSING}
    return {key: _without_missing(value) if isinstance(value, dict) else value for key, value in given.items()}
