"""The files of a sweep: `sweep.csv`, a row for each job, and its figure `sweep.png`."""

from __future__ import annotations

import contextlib
import importlib
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError  # type: ignore[import-untyped]

from tdl.config.names import chosen_names
from tdl.errors import TdlError
from tdl.statistics.intervals import interval_text
from tdl.storage.atomic import new_file
from tdl.storage.run_folder import FAILED, FINISHED, RESULT, RUNNING, RunFolder
from tdl.sweeps import sweep
from tdl.sweeps.sweep import Outcome, Sweep

if TYPE_CHECKING:
    import pandas as pd

TABLE, FIGURE = "sweep.csv", "sweep.png"

HIDDEN = ("status", "run", "config_hash", "peak_memory_bytes", "seconds", "eval_low", "eval_high", "eval_seconds")
"""Columns of `sweep.csv` that the table on the screen leaves out, or shows within another."""


def finish(*, figures: bool = True) -> tuple[int, str]:
    """Write and print the table of the sweep of this process, and draw it if `figures` are asked for.

    It gives an exit code, and a line if not all is well; without a sweep 0 and nothing.
    """
    known = sweep.current()
    sweep.over()
    if known is None or not (jobs := job_folders(known.folder, known.outcomes)):
        return 0, ""
    table = table_of(jobs, known.outcomes)
    print(_shown(table).to_string())  # first: the disk may be full
    with new_file(known.folder / TABLE) as file:
        file.write(table.to_csv(index=False).encode())
    drawn = figures and _draw(known.folder, table)
    print(f"table in {known.folder / TABLE}" + (f", figure in {known.folder / FIGURE}" if drawn else ""))
    ended = [outcome.code for outcome in known.outcomes.values()] or _ended_elsewhere(known, jobs, table)
    failed = [code for code in ended if code]
    line = f"{len(failed)} of {len(ended)} jobs are not finished; {known.folder / TABLE} says why" if failed else ""
    return (failed or [0])[0], line


def prepare() -> None:
    """Import what `finish` needs: pandas and seaborn take a second, for which no job should wait."""
    importlib.import_module("tdl.results.figures")


def _ended_elsewhere(known: Sweep, jobs: Mapping[Path, Path], table: pd.DataFrame) -> list[int]:
    """Exit codes of the jobs of this command that were processes elsewhere: the table alone knows them."""
    started = {str(run) for job, run in jobs.items() if job in known.done or _last_start(job) >= known.began}
    return [int(row["status"] != FINISHED) for _, row in table.iterrows() if row["run"] in started]


def _last_start(job: Path) -> float:
    return max((path.stat().st_mtime for path in (job / ".hydra").rglob("*.yaml")), default=0.0)


def job_folders(folder: Path, known: Iterable[Path] = ()) -> dict[Path, Path]:
    """The folders of all jobs that ever began in that of a sweep, and of those known, with those of their runs."""
    jobs = {path.parent.resolve() for path in folder.glob("*/.hydra")} | set(known)
    return {job: sweep.pointed_to(job) or job for job in sorted(jobs)}


def table_of(jobs: Mapping[Path, Path], outcomes: Mapping[Path, Outcome] | None = None) -> pd.DataFrame:
    """A row of `tdl.results.runs` for each job, whatever became of it; `jobs` as `job_folders` has them."""
    import pandas as pd  # it takes half a second

    from tdl.results.comparison import factors
    from tdl.results.frames import runs

    known, whole = dict(outcomes or {}), []
    for job, folder in jobs.items():
        with contextlib.suppress(OSError):  # missing
            try:
                RunFolder(folder).read_result()
                whole.append(str(folder))
            except TdlError as error:  # cut or corrupt
                known[job] = Outcome(2, str(error))
    lost = [_lost(job, known.get(job)) for job, folder in jobs.items() if str(folder) not in whole]
    parts = [*([runs(dict.fromkeys(whole))] if whole else []), *([pd.DataFrame(lost)] if lost else [])]
    table = pd.concat(parts, ignore_index=True)
    for at in table.index[table["status"] == RUNNING]:
        if not RunFolder(table.loc[at, "run"]).is_locked():
            table.loc[at, "status"] = "cut off"  # it neither ended nor is being worked on
    order = [name for name in (*factors(table), "seed") if name in table.columns]
    return table.sort_values(order, key=_comparable, ignore_index=True) if order else table


def _comparable(column: pd.Series) -> pd.Series:
    """Numbers as they are, anything else as text: `lanes` may be 3 and auto."""
    return column if column.dtype.kind in "if" else column.map(str)


def _lost(job: Path, outcome: Outcome | None) -> dict[str, Any]:
    """The row of a job that left no result: its configuration, as far as Hydra could write it."""
    from tdl.results.frames import row_of

    failed = outcome is not None and outcome.code
    status = {"status": FAILED, "error": outcome.line} if outcome and failed else {"status": RUNNING}
    with contextlib.suppress(OSError, ValueError, AttributeError, AssertionError, YAMLError, OmegaConfBaseException):
        files = max((job / ".hydra").rglob("config.yaml"), key=lambda path: path.stat().st_mtime).parent
        cfg, hydra = OmegaConf.load(files / "config.yaml"), OmegaConf.load(files / "hydra.yaml")
        assert isinstance(cfg, DictConfig)
        names = chosen_names(cfg, OmegaConf.select(hydra, "hydra.runtime.choices"))
        return row_of(str(job), {"names": names, "config": sweep.plain_config(cfg), **status})
    return row_of(str(job), {"names": {}, "config": {}, **status})


def _shown(table: pd.DataFrame) -> pd.DataFrame:
    """What a reader needs of the table: the columns in which the jobs differ, with the figures as text."""
    from tdl.results.comparison import REACH, differing

    names = differing(table)
    tiles = [name for name in names if name.startswith(REACH)]
    left_out = {*HIDDEN, *sorted(tiles, key=lambda name: int(name.removeprefix(REACH)))[:-4]}  # the largest four stay
    shown = table[["status", *(name for name in names if name not in left_out)]].copy()
    for name in shown.columns:
        if name == "eval_mean":
            means = table[["eval_mean", "eval_low", "eval_high"]].to_numpy(float)
            shown[name] = [interval_text(*row) for row in means]
        elif name.startswith(REACH):
            shown[name] = [_number(100 * rate, ".1f", "%") for rate in table[name]]
        elif name in ("eval_median", "eval_max", "eval_moves_per_second", "moves", "moves_per_second"):
            shown[name] = [_number(value, ",.0f") for value in table[name]]
    return shown


def _number(value: float | None, form: str, unit: str = "") -> str:
    """A number as text; nothing for nan or None, where a job has none."""
    return "" if value is None or math.isnan(value) else f"{value:{form}}{unit}"


def _draw(folder: Path, table: pd.DataFrame) -> bool:
    """Draw the sweep, where there is something to draw."""
    from tdl.results.figures import sweep_figure
    from tdl.results.frames import begun_in, load

    rows = begun_in(table)
    figure = sweep_figure(rows, load(rows["run"]) if len(rows) else rows)
    if figure is None:
        return False
    with new_file(folder / FIGURE) as file:
        figure.savefig(file, dpi=120, format="png")
    return True


def jobs_in(folders: Sequence[Path]) -> dict[Path, Path]:
    """The folders of all jobs and runs, each with that of the run that it went on with."""
    from tdl.results.frames import result_files

    jobs: dict[Path, Path] = {}
    for folder in folders:
        for description in folder.rglob("multirun.yaml"):  # what Hydra leaves in the folder of a sweep
            jobs |= job_folders(description.parent)
        for run in result_files(folder):
            jobs.setdefault(run.parent.resolve(), run.parent.resolve())
        if not any(job.is_relative_to(folder.resolve()) for job in jobs):
            raise TdlError(f"{folder}: no run in it (no {RESULT})")
    return jobs
