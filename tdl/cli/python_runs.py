"""`tdl.train`: keywords become words, and these go through Hydra inside somebody else's program.

One run is trained in this process, several as a sweep.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import hydra
from hydra.core.global_hydra import GlobalHydra
from hydra.core.hydra_config import HydraConfig
from hydra.errors import HydraException
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from tdl.base.checks import check_function, check_whole
from tdl.cli.keywords import seed_values, words_of
from tdl.cli.messages import explain
from tdl.cli.program import Job, enter_hydra
from tdl.cli.run import job, plan
from tdl.cli.words import hydra_values
from tdl.config import hydra_versions, own_choices
from tdl.config.agent import chosen_names
from tdl.config.compose import changeable, key_hash, word_of
from tdl.config.schema import AUTO, RUN
from tdl.config.setup import Setup, stored_setup
from tdl.errors import ConfigError, Interrupted, refuse
from tdl.runs.loggers import OnBlock
from tdl.runs.progress import hidden
from tdl.runs.resume import continued, delete_leftover_weights, is_finished, keys_named, resumed_folder
from tdl.runs.training import TrainingRun
from tdl.storage.run_folder import HYDRA, OUTPUTS, SWEEP, RunFolder
from tdl.sweeps.job import run_of, without_hydra
from tdl.sweeps.sweep import Sweep
from tdl.sweeps.table import finish, table_of

if TYPE_CHECKING:
    import pandas as pd

    from tdl.cli.run_keywords import Keywords  # a file of types alone

_one_at_a_time = threading.RLock()


def train(
    *,
    seeds: int | Iterable[int] | None = None,
    out: str | os.PathLike[str] | None = None,
    cores: int | None = None,
    on_block: OnBlock | None = None,
    progress: bool = True,
    **keywords: Unpack[Keywords],
) -> pd.DataFrame:
    """Train networks as `tdl run` does, with its keys as keywords, and give their results.

    One run is trained in this process. Where a keyword has several values, every combination of them is a run in a
    process of its own, as many at once as there are cores.

    Parameters
    ----------
    seeds : how many seeds, from 0 on, or which; `seed` is one.
    out : the folder of the run, or that of all runs; None: a new one in `outputs`. Where it holds runs of an earlier
        call, those that are finished are not played again, and others go on.
    cores : how many cores the runs of a sweep may use; None: all.
    on_block : called with the `tdl.runs.loggers.Block` of each block of games; what it raises ends the run. Of several
        runs each calls it in a process of its own: what it changes is not seen here.
    progress : whether to show a bar.
    keywords : keys of the configuration, those of sections with an underscore: `tuples="8x6"`,
        `learner_order="forward"`, `evaluate_episodes=100`. Several values are a list, or another iterable;
        where a value itself is a list, as that of `tuples_cells`, a list is one value.

    Returns
    -------
    a row for each run, as of `tdl.results.runs`: its folder `run`, configuration, `status`, and of the games after
    training `eval_mean`, `eval_low`, `eval_high` ... What failed among several has its `error`.
    `tdl.results.load(table["run"])` has a row for each block of training.

    Raises
    ------
    ConfigError : an unknown keyword, or a value that is not allowed; nothing was begun.
    TdlError : a single run failed, or the training was interrupted.

    >>> table = tdl.train(tuples="4x6", alpha=[0.1, 0.3], seeds=5, episodes=10_000)
    >>> tdl.results.means(table, by="alpha")
    """
    check_function("on_block", on_block, "a block of games")
    if cores is not None:
        check_whole("cores", cores, 1)
    if seeds is not None:
        if "seed" in keywords:
            raise ConfigError("seeds: seed is given, too; expected one of them")
        keywords["seed"] = seed_values(seeds)
    if out is not None and not isinstance(out, str | os.PathLike):
        raise refuse("out", out, "a folder, or None")
    words, number = words_of(keywords)
    folder = None if out is None else Path(out).expanduser()
    with contextlib.nullcontext() if progress else hidden():
        if number == 1 and not (folder is not None and (folder / SWEEP).exists()):
            cfg = compose_run(words)
            if cfg.hydra.mode != RunMode.MULTIRUN:  # as most experiments ask for
                run = train_one(cfg, words, folder, on_block)
                return table_of({run: run})
        return table_of({job: run_of(job) for job in train_sweep(words, folder, cores, on_block)})


@contextlib.contextmanager
def preserve_global_state() -> Iterator[None]:
    """While this context is open no other thread uses Hydra; then what it keeps for the process is as it was.

    Raises
    ------
    ConfigError : what Hydra refuses, in one line.
    """
    with _one_at_a_time:
        before, config = GlobalHydra.instance().hydra, HydraConfig.instance().cfg
        argv, full = sys.argv, os.environ.get("HYDRA_FULL_ERROR")
        GlobalHydra.instance().clear()
        try:
            yield
        except (HydraException, OmegaConfBaseException) as error:
            raise ConfigError(explain(error, False)[1]) from error
        finally:
            GlobalHydra.instance().hydra, HydraConfig.instance().cfg = before, config
            sys.argv = argv
            if full is None:
                os.environ.pop("HYDRA_FULL_ERROR", None)


def compose_run(words: Sequence[str]) -> DictConfig:
    """The configuration of one run, with Hydra's own part."""
    with preserve_global_state():
        RUN.register()
        own_choices.register()
        with hydra.initialize_config_module("tdl.conf", **hydra_versions.BASE):
            return hydra.compose("run", hydra_values(words, RUN), return_hydra_config=True)


def train_one(cfg: DictConfig, words: Sequence[str], out: Path | None, on_block: OnBlock | None) -> Path:
    """The folder of a run that is trained here; in `out` what is there goes on, and what is finished stays."""
    names = chosen_names(cfg, cfg.hydra.runtime.choices)
    setup = Setup.of(without_hydra(cfg))
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


def train_sweep(words: Sequence[str], out: Path | None, cores: int | None, on_block: OnBlock | None) -> list[Path]:
    """The folders of the jobs of a sweep, each in a process of its own.

    Raises
    ------
    ConfigError : a run is refused; none was begun.
    Interrupted : the sweep was stopped; runs that were begun are saved.
    """
    folder = _new(f"sweep_{_now()}_{os.getpid()}") if out is None else out
    if RunFolder(folder).is_used():
        raise ConfigError(f"out: {folder} holds a single run; name another folder for several")
    hydra_part = [f"hydra.sweep.dir{word_of('out', folder)[3:]}", f"hydra.launcher.cores={cores or 'null'}"]
    work = Job(partial(job, figures=False, on_block=on_block), partial(plan, figures=False))
    jobs: list[Path] = []
    with preserve_global_state(), contextlib.redirect_stdout(io.StringIO()):
        sys.argv = ["tdl.train", *hydra_values(["-m", *words, *hydra_part], RUN)]
        try:
            enter_hydra(work, "run", RUN)
        except Interrupted as error:
            line = f"the sweep was stopped; the same call with out={str(folder)!r} goes on"
            raise Interrupted(line, error.exit_code) from error
        finally:
            if Sweep.current is not None:
                jobs = [*Sweep.current.outcomes, *Sweep.current.done]
            finish(figures=False)
    return jobs


@contextlib.contextmanager
def _opened(setup: Setup, out: Path | None) -> Iterator[RunFolder]:
    """The folder of a run, locked; nothing is left of a new one whose run is refused."""
    if setup.resume is not None:
        if out is not None:
            raise ConfigError("out: a resumed run goes on in its own folder; leave out or resume away")
        folder = resumed_folder(setup.resume)
    else:
        folder = RunFolder(_new(f"{_now()}_{setup.hash}_{os.getpid()}") if out is None else out)
        folder.path.mkdir(parents=True, exist_ok=True)
    try:
        with folder.lock():
            yield folder
    except BaseException:
        with contextlib.suppress(OSError):
            folder.path.rmdir()  # only if it is empty
        raise


def _refuse_other(folder: RunFolder, setup: Setup) -> None:
    """Refuse a folder with a run of another configuration, but for keys that may change when a run goes on."""

    def fixed_hash(config: Mapping[str, object]) -> str:
        return key_hash({key: value for key, value in config.items() if key not in changeable(config)})

    known = folder.result_if_whole().get("config")
    if known is not None and fixed_hash(stored_setup(known).config) != fixed_hash(setup.config):
        raise ConfigError(f"out: {folder} holds a run of another configuration; name another folder")


def _write_notes(cfg: DictConfig, folder: Path) -> None:
    """Write what Hydra would write of this start: reports make of it the command that repeats the run."""
    notes = folder / HYDRA
    if notes.exists():
        notes = notes / f"resumed_{_now()}_{os.getpid()}"
    notes.mkdir(parents=True)
    OmegaConf.save(without_hydra(cfg), notes / "config.yaml")
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
