"""The files of a sweep: `sweep.csv`, a row for each job, its figure with the text beside it, and a LaTeX table."""

from __future__ import annotations

import contextlib
import importlib
import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from tdl.base.distribution import command
from tdl.config.names import NAMED_GROUPS, chosen_names
from tdl.errors import ConfigError, TdlError
from tdl.storage.atomic import new_file
from tdl.storage.reading import read_notes
from tdl.storage.result_file import check_result
from tdl.storage.run_folder import FAILED, FINISHED, HYDRA, RESULT, RUNNING, RunFolder
from tdl.sweeps import sweep
from tdl.sweeps.answer import answer
from tdl.sweeps.sweep import Outcome, Sweep

if TYPE_CHECKING:
    import pandas as pd

TABLE, LATEX = "sweep.csv", "sweep.tex"

FIGURES, CAPTION = ("sweep.png", "sweep.svg", "sweep.pdf"), "sweep.txt"


def finish(*, figures: bool = True) -> tuple[int, str]:
    """Write and print the table of the sweep of this process, and draw it if `figures` are asked for.

    It gives an exit code, and a line if not all is well; without a sweep 0 and nothing.
    """
    known = sweep.current()
    sweep.over()
    if known is None or not (jobs := job_folders(known.folder, [*known.outcomes, *known.done])):
        return 0, ""
    table = table_of(jobs, known.outcomes)
    print(answer(table))  # first: the disk may be full
    _write(known.folder / TABLE, table.dropna(axis="columns", how="all").to_csv(index=False))
    drawn = figures and _draw(known.folder, table)
    print(f"table in {known.folder / TABLE}" + (f", figure in {known.folder / FIGURES[0]}" if drawn else ""))
    print(f"next: {command()} report {shlex.quote(str(known.folder))}")
    codes = [outcome.code for outcome in known.outcomes.values()] or _ended_elsewhere(known, jobs, table)
    failed, number = list(filter(None, codes)), len(codes) + len(known.done)
    line = f"{len(failed)} of {number} jobs are not finished; {known.folder / TABLE} says why" if failed else ""
    return (failed or [0])[0], line


def prepare() -> None:
    """Import what `finish` needs: pandas and matplotlib take a second, for which no job should wait."""
    importlib.import_module("tdl.results.sweep_figure")


def _ended_elsewhere(known: Sweep, jobs: Mapping[Path, Path], table: pd.DataFrame) -> list[int]:
    """Exit codes of the jobs of this command that were processes elsewhere: the table alone knows them."""
    started = {str(run) for job, run in jobs.items() if _last_start(job) >= known.began}
    return [int(row["status"] != FINISHED) for _, row in table.iterrows() if row["run"] in started]


def _last_start(job: Path) -> float:
    return max((path.stat().st_mtime for path in (job / HYDRA).rglob("*.yaml")), default=0.0)


def job_folders(folder: Path, known: Iterable[Path] = ()) -> dict[Path, Path]:
    """The folders of all jobs that ever began in that of a sweep, and of those known, with those of their runs."""
    jobs = {path.parent.resolve() for path in folder.glob(f"*/{HYDRA}")} | set(known)
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
    table = runs(dict.fromkeys(whole)) if whole else pd.DataFrame()
    if lost:  # not pd.concat: with columns of nothing but null, pandas 2 warns that 3 finds other types
        table = pd.DataFrame([*table.to_dict("records"), *lost])
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
    foreign = (TdlError, LookupError, TypeError, AttributeError, ValueError, OmegaConfBaseException)
    with contextlib.suppress(OSError, *foreign):
        files = max((job / HYDRA).rglob("config.yaml"), key=lambda path: path.stat().st_mtime).parent
        plain, hydra = read_notes(files / "config.yaml"), read_notes(files / "hydra.yaml")
        if "${" in json.dumps(
            [plain.get(name) for name in NAMED_GROUPS if name != "learner"]
        ):  # never to be computed here
            raise ConfigError("a choice that is to be computed")
        cfg = OmegaConf.create(plain)
        names = chosen_names(cfg, hydra["hydra"]["runtime"]["choices"])
        result = {"names": names, "config": sweep.plain_config(cfg), **status}
        check_result(result)
        return row_of(str(job), result)
    return row_of(str(job), {"names": {}, "config": {}, **status})


def _draw(folder: Path, table: pd.DataFrame) -> bool:
    """Draw the sweep, where there is something to draw; the text beside the figure, and a table for a paper."""
    from tdl.results.frames import blocks_of
    from tdl.results.style import save
    from tdl.results.sweep_figure import sweep_figure
    from tdl.results.tables import latex

    drawn = sweep_figure(table, blocks_of(table))
    if drawn is None:
        return False
    figure, caption = drawn
    for name in FIGURES:
        save(figure, folder / name, caption)
    _write(folder / CAPTION, f"{caption}\n")
    if rows := latex(table):
        _write(folder / LATEX, rows)
    return True


def _write(path: Path, text: str) -> None:
    with new_file(path) as file:
        file.write(text.encode())


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
