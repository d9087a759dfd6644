"""One run in this process, or many with the machinery of sweeps; both give the folders of the runs."""

import contextlib
import io
import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf

from tdl.cli.embedded_hydra import as_command_line, kept
from tdl.cli.program import Job, enter_hydra
from tdl.cli.run import job, plan
from tdl.config.compose import CHANGEABLE, key_hash, quoted
from tdl.config.names import chosen_names
from tdl.config.schema import AUTO, RUN
from tdl.config.setup import Setup, stored_setup
from tdl.errors import ConfigError, Interrupted
from tdl.runs.loggers import OnBlock
from tdl.runs.resume import continued, delete_leftover_weights, is_finished, keys_named, resumed_folder
from tdl.runs.training import TrainingRun
from tdl.storage.run_folder import HYDRA, OUTPUTS, RunFolder
from tdl.sweeps import sweep
from tdl.sweeps import table as sweep_table


def asks_for_sweep(cfg: DictConfig) -> bool:
    """Whether a configuration is a sweep of its own, as most experiments are."""
    return bool(cfg.hydra.mode == RunMode.MULTIRUN)


def holds_sweep(folder: Path | None) -> bool:
    """Whether a folder is that of a sweep."""
    return folder is not None and (folder / "multirun.yaml").exists()


def one(cfg: DictConfig, words: Sequence[str], out: Path | None, on_block: OnBlock | None) -> Path:
    """The folder of a run that is trained here; in `out` what is there goes on, and what is finished stays."""
    names = chosen_names(cfg, cfg.hydra.runtime.choices)
    setup = Setup.of(_without_hydra(cfg))
    with _opened(setup, out) as folder:
        if setup.resume is None:
            _refuse_other(folder, setup)
        setup, meta = continued(setup, folder, keys_named(words))
        if is_finished(folder, setup, meta):
            delete_leftover_weights(folder)
        else:
            keeps = setup.saving.final in (AUTO, True)
            run = TrainingRun(setup, folder, names, meta, keep_weights=keeps, on_block=on_block)
            _write_notes(cfg, folder.path)
            run.run()
    return folder.path.resolve()


def many(words: Sequence[str], out: Path | None, cores: int | None, on_block: OnBlock | None) -> list[Path]:
    """The folders of the runs of a sweep, each in a process of its own.

    Raises
    ------
    ConfigError : a run is refused; none was begun.
    Interrupted : the sweep was stopped; runs that were begun are saved.
    """
    folder = _new(f"sweep_{_now()}_{os.getpid()}") if out is None else out
    if RunFolder(folder).is_used():
        raise ConfigError(f"out: {folder} holds a single run; name another folder for several")
    own = [f"hydra.sweep.dir={quoted(str(folder))}", f"hydra.launcher.cores={cores or 'null'}"]
    work = Job(partial(job, figures=False, on_block=on_block), plan)
    jobs: list[Path] = []
    with kept(), as_command_line(["-m", *words, *own]), contextlib.redirect_stdout(io.StringIO()):
        try:
            enter_hydra(work, "run", RUN)
        except Interrupted as error:
            line = f"the sweep was stopped; the same call with out={str(folder)!r} goes on"
            raise Interrupted(line, error.exit_code) from error
        finally:
            if (known := sweep.current()) is not None:
                jobs = [*known.outcomes, *known.done]
            sweep_table.finish(figures=False)
    return jobs


@contextlib.contextmanager
def _opened(setup: Setup, out: Path | None) -> Iterator[RunFolder]:
    """The folder of a run, locked; nothing is left of a new one whose run is refused."""
    if setup.resume is not None:
        if out is not None:
            raise ConfigError("out: a resumed run goes on in its own folder; leave out or resume away")
        folder = resumed_folder(setup.resume)
    else:
        name = f"{_now()}_{setup.hash}_{os.getpid()}"
        folder = RunFolder(_new(name) if out is None else out)
        folder.path.mkdir(parents=True, exist_ok=True)
    try:
        with folder.lock():
            yield folder
    except BaseException:
        with contextlib.suppress(OSError):
            folder.path.rmdir()  # only if it is empty
        raise


def _refuse_other(folder: RunFolder, setup: Setup) -> None:
    """Refuse a folder with a run of another configuration."""
    known = folder.result_if_whole().get("config")
    if known is not None and key_hash(_fixed(stored_setup(known).plain)) != key_hash(_fixed(setup.plain)):
        raise ConfigError(f"out: {folder} holds a run of another configuration; name another folder")


def _fixed(config: Mapping[str, object]) -> dict[str, object]:
    """The part of a configuration that a run keeps when it goes on."""
    return {key: value for key, value in config.items() if key not in CHANGEABLE}


def _without_hydra(cfg: DictConfig) -> DictConfig:
    return OmegaConf.masked_copy(cfg, [str(key) for key in cfg if key != "hydra"])


def _write_notes(cfg: DictConfig, folder: Path) -> None:
    """Write what Hydra would write of this start: reports make of it the command that repeats the run."""
    notes = folder / HYDRA
    if notes.exists():
        notes = notes / f"resumed_{_now()}_{os.getpid()}"
    notes.mkdir(parents=True)
    OmegaConf.save(_without_hydra(cfg), notes / "config.yaml")
    OmegaConf.save(OmegaConf.masked_copy(cfg, ["hydra"]), notes / "hydra.yaml")
    OmegaConf.save(cfg.hydra.overrides.task, notes / "overrides.yaml")


def _now() -> str:
    return datetime.now().strftime("%Y-%m-%d_%H-%M-%S")


def _new(name: str) -> Path:
    """A folder of `outputs` that is not there yet."""
    number, path = 1, Path(OUTPUTS, name)
    while path.exists():
        number += 1
        path = Path(OUTPUTS, f"{name}_{number}")
    return path
