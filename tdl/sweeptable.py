"""What a sweep leaves: `sweep.csv`, a row per job, and `sweep.png`."""

from __future__ import annotations

import contextlib
import importlib
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError  # type: ignore[import-untyped]

from tdl import sweep
from tdl.errors import BusyError
from tdl.names import chosen_names
from tdl.runlock import RunLock
from tdl.sweep import RESULT, Sweep

if TYPE_CHECKING:
    import pandas as pd

TABLE, FIGURE = "sweep.csv", "sweep.png"

HIDDEN = ("status", "run", "config_hash", "peak_memory_bytes", "seconds", "eval_low", "eval_high", "eval_seconds")
"""Columns of `sweep.csv` that the table on the screen leaves out, or shows within another."""

REACH = "eval_reach_"

MOST_TILES = 4
"""Reach rates shown at most: those of the largest tiles."""

CUT_OFF = "cut off"
"""Status of a job that neither ended nor is being worked on."""


def finish() -> tuple[int, str]:
    """Write, print and draw the table of the sweep of this process.

    Returns
    -------
    an exit code, and a line if not all is well; without a sweep 0 and nothing.
    """
    known = sweep.current()
    sweep.over()
    if known is None:
        return 0, ""
    folders = _job_folders(known)
    if not folders:
        return 0, ""
    table = _table(known, folders)
    print(_shown(table).to_string())  # first: the disk may be full
    _save(known.folder / TABLE, lambda path: table.to_csv(path, index=False))
    drawn = _draw(known.folder, table)
    print(f"table in {known.folder / TABLE}" + (f", figure in {known.folder / FIGURE}" if drawn else ""))
    ended = [outcome.code for outcome in known.outcomes.values()]
    if not ended:  # the jobs were processes elsewhere: the table alone knows them
        ended = [int(status != "finished") for status in table["status"]]
    failed = [code for code in ended if code]
    line = f"{len(failed)} of {len(ended)} jobs are not finished; {known.folder / TABLE} says why" if failed else ""
    return (failed or [0])[0], line


def prepare() -> None:
    """Import what `finish` needs: pandas and seaborn take a second, for which no job should wait."""
    importlib.import_module("tdl.figures")


def _job_folders(known: Sweep) -> dict[Path, Path]:
    """The folders of all jobs that ever began in the folder of the sweep, with those of their runs."""
    begun = {path.parent.resolve() for path in known.folder.glob("*/.hydra")} | set(known.outcomes)
    return {job: sweep.pointed_to(job) or job for job in sorted(begun)}


def _table(known: Sweep, folders: dict[Path, Path]) -> pd.DataFrame:
    """A row for each job; that of one that went on with a run elsewhere is that run's."""
    import pandas as pd  # it takes half a second

    from tdl.results import factors, runs

    present = [str(folder) for folder in dict.fromkeys(folders.values()) if (folder / RESULT).exists()]
    lost = [_lost(job, known) for job, folder in folders.items() if not (folder / RESULT).exists()]
    parts = [*([runs(present)] if present else []), *([pd.DataFrame(lost)] if lost else [])]
    table = pd.concat(parts, ignore_index=True)
    for at in table.index[table["status"] == "running"]:
        if not _is_worked_on(Path(table.loc[at, "run"])):
            table.loc[at, "status"] = CUT_OFF
    order = [name for name in (*factors(table), "seed") if name in table.columns]
    return table.sort_values(order, key=_comparable, ignore_index=True) if order else table


def _comparable(column: pd.Series) -> pd.Series:
    """Numbers as they are, anything else as text: `lanes` may be 3 and auto."""
    return column if column.dtype.kind in "if" else column.map(str)


def _lost(job: Path, known: Sweep) -> dict[str, Any]:
    """The row of a job that left no result: its configuration, as far as Hydra could write it."""
    from tdl.results import row_of

    outcome = known.outcomes.get(job)
    failed = outcome is not None and outcome.code
    told = {"status": "failed", "error": outcome.line} if outcome and failed else {"status": "running"}
    with contextlib.suppress(OSError, ValueError, AttributeError, AssertionError, YAMLError, OmegaConfBaseException):
        files = max((job / ".hydra").rglob("config.yaml"), key=lambda path: path.stat().st_mtime).parent
        cfg, hydra = OmegaConf.load(files / "config.yaml"), OmegaConf.load(files / "hydra.yaml")
        assert isinstance(cfg, DictConfig)
        names = chosen_names(cfg, OmegaConf.select(hydra, "hydra.runtime.choices"))
        return row_of(str(job), {"names": names, "config": sweep.given(cfg), **told})
    return row_of(str(job), {"names": {}, "config": {}, **told})


def _is_worked_on(folder: Path) -> bool:
    try:
        with RunLock(folder):
            return False
    except BusyError:
        return True
    except OSError:
        return False


def _shown(table: pd.DataFrame) -> pd.DataFrame:
    """What a reader needs of the table: the columns in which the jobs differ, with the figures as text."""
    from tdl.results import differing

    names = differing(table)
    tiles = [name for name in names if name.startswith(REACH)]
    left_out = {*HIDDEN, *sorted(tiles, key=lambda name: int(name.removeprefix(REACH)))[:-MOST_TILES]}
    shown = table[["status", *(name for name in names if name not in left_out)]].copy()
    for name in shown.columns:
        if name == "eval_mean":
            shown[name] = [_mean(*each) for each in table[["eval_mean", "eval_low", "eval_high"]].to_numpy()]
        elif name.startswith(REACH):
            shown[name] = [_number(100 * each, ".1f", "%") for each in table[name]]
        elif name in ("eval_median", "eval_max", "eval_moves_per_second", "moves", "moves_per_second"):
            shown[name] = [_number(each, ",.0f") for each in table[name]]
    return shown


def _mean(mean: float | None, low: float | None, high: float | None) -> str:
    interval = f" [{_number(low, ',.0f')}, {_number(high, ',.0f')}]"
    return _number(mean, ",.0f") + interval * (interval != " [, ]")


def _number(value: float | None, form: str, unit: str = "") -> str:
    """A number as text; nothing for nan or None, where a job has none."""
    return "" if value is None or math.isnan(value) else f"{value:{form}}{unit}"


def _draw(folder: Path, table: pd.DataFrame) -> bool:
    """Draw the sweep, where there is something to draw."""
    from tdl.figures import sweep_figure
    from tdl.results import load

    played = (
        table[(table["status"] != "failed") & table["episodes"].fillna(0).gt(0)] if "episodes" in table else table[:0]
    )
    if played.empty:
        return False
    blocks = load(played["run"])
    figure = sweep_figure(played, blocks)
    _save(folder / FIGURE, lambda path: figure.savefig(path, dpi=120, format="png"))
    return True


def _save(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file in one step: another process may do so too."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.new")
    write(temporary)
    os.replace(temporary, path)
