"""`tdl.train`: one run or many from Python, as a data frame."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from hydra.types import RunMode

from tdl.base.checks import check_whole
from tdl.cli.keywords import seed_values, words_of
from tdl.cli.python_runs import compose_run, train_one, train_sweep
from tdl.errors import ConfigError, refuse
from tdl.runs.loggers import OnBlock
from tdl.runs.progress import hidden
from tdl.sweeps.job import run_of
from tdl.sweeps.table import table_of

if TYPE_CHECKING:
    import pandas as pd

    from tdl.cli.run_keywords import Keywords  # a file of types alone


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
        if number == 1 and not (folder is not None and (folder / "multirun.yaml").exists()):
            cfg = compose_run(words)
            if cfg.hydra.mode != RunMode.MULTIRUN:  # as most experiments ask for
                run = train_one(cfg, words, folder, on_block)
                return table_of({run: run})
        return table_of({job: run_of(job) for job in train_sweep(words, folder, cores, on_block)})
