"""A job as its sweep sees it: its context, its plan, how it ended, and what is noted in its folder."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from hydra.types import RunMode
from omegaconf import MISSING, DictConfig, OmegaConf

from tdl.config.agent import chosen_names
from tdl.config.files import plain_dict
from tdl.errors import TdlError
from tdl.runs.disk_space import Disk
from tdl.runs.resume import keys_named
from tdl.storage.atomic import new_file
from tdl.storage.reading import open_file
from tdl.storage.run_folder import ELSEWHERE, FAILED, FINISHED, RunFolder

BUSY_SECONDS = 1.0
"""Between two looks at a job that another process works on."""


@dataclass(frozen=True)
class JobContext:
    """Where a job runs and why: what it knows beside its configuration.

    Attributes
    ----------
    folder : of its output.
    words : of its command line, without those for Hydra.
    choices : the name chosen in each group.
    in_sweep : whether it is one of a sweep.
    keeps_weights : whether its weights stay where its configuration leaves that to the sweep; without one they do.
    pause_at : the share of its training at which it pauses; 1: it goes on to its end.
    """

    folder: Path
    words: Sequence[str] = ()
    choices: Mapping[str, Any] = field(default_factory=dict)
    in_sweep: bool = False
    keeps_weights: bool = True
    pause_at: float = 1.0

    @classmethod
    def of(cls, hydra: Any, folder: Path | None = None) -> Self:
        """The context of a job by Hydra's own part of its configuration; `folder` None: that which Hydra has made."""
        sweep = hydra.callbacks.get("sweep", {})
        return cls(
            Path(hydra.runtime.output_dir) if folder is None else folder,
            list(hydra.overrides.task),
            dict(hydra.runtime.choices),
            hydra.mode == RunMode.MULTIRUN,
            sweep.get("keep_weights") is not False,
            sweep.get("pause_at", 1.0),
        )

    @property
    def keys(self) -> list[str]:
        """The keys that its command line names."""
        return keys_named(self.words)


@dataclass(frozen=True)
class Plan:
    """What is known of a job before it begins."""

    done: bool = False
    threads: int = 1
    disk: Disk = field(default_factory=Disk)
    used: int = 0  # bytes of its checkpoints that are there already
    final: bool | None = None  # whether its weights stay; None: the sweep decides
    asks_for_weights: bool = False  # it goes on with a run, or says which checkpoints are to stay
    folder: Path = Path()  # the job's own
    games: int = 0  # of its training, if no budget ends it before
    seconds: float | None = None  # its budgets
    moves: int | None = None
    pauses: bool = False  # at rungs, where its checkpoint waits for others


Planner = Callable[[DictConfig, JobContext], Plan]
"""From the configuration of a job and its context to its plan; raises an error for a value that is not allowed."""


@dataclass(frozen=True)
class Outcome:
    """How a job ended."""

    code: int = 0  # the exit code that its program alone would have had
    line: str = ""  # what went wrong, if something did
    busy: bool = False  # another process works in its folder: nothing was done
    marked: bool = True  # the job's own process noted in its folder what went wrong
    value: float | None = None  # how good its result is, where the program can tell


def mark_failed(context: JobContext, cfg: DictConfig, error: str) -> None:
    """Note in the `result.json` of a job that it failed, unless another process works there now."""
    job, cfg = RunFolder(context.folder), without_hydra(cfg)
    with contextlib.suppress(TdlError, OSError), job.lock():  # on a full disk the table alone says it
        result = job.result_if_whole()
        if result.get("status") == FINISHED:  # it failed after its end, or another process has done it meanwhile
            return
        if not result:
            result = {
                "names": chosen_names(cfg, context.choices),
                "config": without_missing(plain_dict(cfg, resolve=True)),
            }
        job.write_result(result | {"status": FAILED, "error": error})


def without_hydra(cfg: DictConfig) -> DictConfig:
    """A configuration without Hydra's own part."""
    return OmegaConf.masked_copy(cfg, [str(key) for key in cfg if key != "hydra"])


def without_missing(values: Mapping[str, Any]) -> dict[str, Any]:
    """A configuration without what a checkpoint would have said."""
    return {
        key: without_missing(value) if isinstance(value, dict) else value
        for key, value in values.items()
        if value != MISSING
    }


def point_to(job: Path, run: Path) -> None:
    """Note in a job's folder that its run is elsewhere: a resumed one continues where it was."""
    with new_file(job / ELSEWHERE) as file:
        file.write(f"{run.resolve()}\n".encode())
    RunFolder(job).result.unlink(missing_ok=True)  # of a time when it could not go on


def run_of(job: Path) -> Path:
    """The folder of a job's run: that which `point_to` noted, or its own."""
    try:
        with open_file(job / ELSEWHERE) as file:
            text = file.read(1 << 12).decode().removesuffix("\n")
    except (OSError, UnicodeDecodeError):
        return job
    return Path(text) if text and "\0" not in text else job
