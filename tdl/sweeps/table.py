"""The end of a sweep: its table, a row for each job, its figure, a LaTeX table, and what it says on the screen."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from tdl.base import machine, streams
from tdl.base.distribution import command
from tdl.config.agent import chosen_names
from tdl.config.compose import ALPHA_OF_LEARNER
from tdl.config.files import plain_dict
from tdl.errors import TdlError, has_diverged
from tdl.runs.final_summary import next_commands, word_from_here
from tdl.storage.atomic import new_file
from tdl.storage.reading import read_notes
from tdl.storage.result_file import WEIGHTS, check_result, lack
from tdl.storage.run_folder import FAILED, FINISHED, HYDRA, PAUSED, RESULT, RUNNING, SWEEP, RunFolder, run_in
from tdl.storage.titles import short_name
from tdl.sweeps.job import Outcome, run_of, without_missing
from tdl.sweeps.sweep import Sweep

if TYPE_CHECKING:
    import pandas as pd

TABLE, LATEX = "sweep.csv", "sweep.tex"

FIGURES, CAPTION = ("sweep.png", "sweep.svg", "sweep.pdf"), "sweep.txt"

MAX_ROWS = 40
"""The most settings that are shown; the others are in the table of the sweep."""

LAST = "last_block"
"""Column for the mean score of the last block, where no games were played after training."""


def finish(*, figures: bool = True) -> tuple[int, str]:
    """Write and print the table of the sweep of this process, and draw it if `figures` are asked for.

    It gives an exit code, and a line if not all is well; without a sweep 0 and nothing.
    """
    sweep, Sweep.current = Sweep.current, None
    if sweep is None or not (jobs := job_folders(sweep.folder, [*sweep.outcomes, *sweep.done])):
        return 0, ""
    table = table_of(jobs, sweep.outcomes)
    print(summary_text(table, sweep.answer))  # first: the disk may be full
    _write(sweep.folder / TABLE, table.dropna(axis="columns", how="all").to_csv(index=False))
    drawn = False
    with streams.excused(f"{sweep.folder / FIGURES[0]}: not drawn", "the same command again draws it"):
        if figures:
            machine.require_memory_for_pictures()
            drawn = _draw(sweep.folder, table)
    print(f"table in {sweep.folder / TABLE}" + (f", figure in {sweep.folder / FIGURES[0]}" if drawn else ""))
    print(_next_commands(sweep.folder), end="")
    codes = _codes(sweep, jobs, table)
    failed, number = list(filter(None, codes)), len(codes) + len(sweep.done)
    if not failed:
        return 0, ""
    return failed[0], f"{len(failed)} of {number} jobs are not finished; {sweep.folder / TABLE} says why"


def _codes(sweep: Sweep, jobs: Mapping[Path, Path], table: pd.DataFrame) -> list[int]:
    """The exit codes of the jobs that began. In a race that others finish, settings may diverge: its answer tells."""
    ends = [(outcome.code, outcome.line) for outcome in sweep.outcomes.values()]
    if not ends:  # its jobs were processes elsewhere: the table alone knows how they ended
        started = {str(run) for job, run in jobs.items() if _last_start(job) >= sweep.began}
        rows = table[table["run"].isin(started)]
        ends = [(int(row["status"] not in (FINISHED, PAUSED)), str(row.get("error"))) for _, row in rows.iterrows()]
    expected = sweep.race.on and (table["status"] == FINISHED).any()
    return [0 if expected and has_diverged(line) else code for code, line in ends]


def _next_commands(folder: Path) -> str:
    """What one would type next: of a single run what one would after it, too."""
    report, run = f"{command()} report {word_from_here(folder)}\n", RunFolder(run_in(folder))
    result = run.result_if_whole() if run.path != folder else {}
    players = next_commands(RunFolder(folder), result) if {WEIGHTS, "config"} <= result.keys() else ""
    return f"{players}{'      ' if players else 'next: '}{report}"


def prepare() -> None:
    """Import what `finish` needs: pandas and matplotlib take a second, for which no job should wait."""
    with contextlib.suppress(Exception):  # without memory: no job should end with it
        importlib.import_module("tdl.results.sweep_figure")


def _last_start(job: Path) -> float:
    return max((path.stat().st_mtime for path in (job / HYDRA).rglob("*.yaml")), default=0.0)


def job_folders(folder: Path, known: Iterable[Path] = ()) -> dict[Path, Path]:
    """The folders of all jobs that ever began in that of a sweep, and of those known, with those of their runs."""
    jobs = {path.parent.resolve() for path in folder.glob(f"*/{HYDRA}")} | set(known)
    return {job: run_of(job) for job in sorted(jobs)}


def jobs_in(folders: Sequence[Path]) -> dict[Path, Path]:
    """The folders of all jobs and runs, each with that of the run that it went on with."""
    from tdl.results.frames import result_files  # here: pandas takes half a second

    jobs: dict[Path, Path] = {}
    for folder in folders:
        for description in folder.rglob(SWEEP):
            jobs |= job_folders(description.parent)
        for run in result_files(folder):
            jobs.setdefault(run.parent.resolve(), run.parent.resolve())
        if not any(job.is_relative_to(os.path.realpath(folder)) for job in jobs):
            raise TdlError(f"{folder}: no run in it ({lack(folder, RESULT)})")
    return jobs


def table_of(jobs: Mapping[Path, Path], outcomes: Mapping[Path, Outcome] | None = None) -> pd.DataFrame:
    """A row of `tdl.results.runs` for each job, whatever became of it; `jobs` as `job_folders` has them."""
    import pandas as pd

    from tdl.results.design import factors
    from tdl.results.frames import runs

    known, whole = dict(outcomes or {}), []
    for job, folder in jobs.items():
        with contextlib.suppress(OSError):  # missing
            try:
                RunFolder(folder).read_result()
                whole.append(str(folder))
            except TdlError as error:  # cut or corrupt
                known[job] = Outcome(2, str(error))
    lost = [lost_row(job, known.get(job)) for job, folder in jobs.items() if str(folder) not in whole]
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


def lost_row(job: Path, outcome: Outcome | None) -> dict[str, Any]:
    """The row of a job that left no result: its configuration, as far as Hydra could write it."""
    from tdl.results.frames import row_of

    failed = outcome is not None and outcome.code
    status = {"status": FAILED, "error": outcome.line} if outcome and failed else {"status": RUNNING}
    foreign = (TdlError, LookupError, TypeError, AttributeError, ValueError, OmegaConfBaseException)
    with contextlib.suppress(OSError, *foreign):
        files = max((job / HYDRA).rglob("config.yaml"), key=lambda path: path.stat().st_mtime).parent
        values, hydra = read_notes(files / "config.yaml"), read_notes(files / "hydra.yaml")
        if values.get("alpha") == ALPHA_OF_LEARNER:
            values["alpha"] = values["learner"]["alpha"]
        # What is to be computed never is here, since anybody may have written it.
        cfg = OmegaConf.create({name: value for name, value in values.items() if "${" not in json.dumps(value)})
        names = chosen_names(cfg, hydra["hydra"]["runtime"]["choices"])
        result = {"names": names, "config": without_missing(plain_dict(cfg)), **status}
        check_result(result)
        return row_of(str(job), result)
    return row_of(str(job), {"names": {}, "config": {}, **status})


def _draw(folder: Path, table: pd.DataFrame) -> bool:
    """Draw the sweep, where there is something to draw; the text beside the figure, and a table for a paper."""
    from tdl.results.answers import latex
    from tdl.results.frames import blocks_of
    from tdl.results.style import save
    from tdl.results.sweep_figure import sweep_figure

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


def summary_text(table: pd.DataFrame, answer: str = "") -> str:
    """Text for the screen, some lines; `table` has a row for each job (`table_of`), `answer` is that of a race."""
    from tdl.results.answers import failures, of_race, sentence
    from tdl.results.comparison import against_best
    from tdl.results.design import factors

    keys, lines = factors(table), []
    samples, score, unit = _samples(table, keys)
    if score in samples and samples[score].notna().any():
        settings = against_best(samples, keys, score)
        lines += [_fitted(_shown(settings, table, keys, unit)), ""]
        if len(settings) > MAX_ROWS:
            lines += [f"... and {len(settings) - MAX_ROWS} settings below these", ""]
        lines.append(sentence(samples, keys, score, unit.rstrip("s")))
        lines += filter(None, [answer, " ".join(of_race(settings))])
        if len(settings) > 1:
            tests = " Differences: Welch's test, p and interval corrected for all pairs (Holm)."
            lines.append(f"95% intervals: Student's t over {unit}.{tests if settings['p'].notna().any() else ''}")
        if score == LAST:
            lines.append("No games were played after training: scores are those of the last block of training.")
    return "\n".join([*lines, *failures(table)])


def _samples(table: pd.DataFrame, keys: Sequence[str]) -> tuple[pd.DataFrame, str, str]:
    """A row for each independent value, the column that holds it, and what is counted.

    Values are runs with a seed of their own; of evaluations of finished networks they are games.
    """
    from tdl.results.frames import blocks_of, games, last_blocks

    finished = table[table["status"] == FINISHED]
    if "checkpoint" in finished and finished["checkpoint"].notna().all() and len(finished):
        columns = ["run", *(key for key in keys if key in finished)]
        scores = games(finished["run"])[["run", "score"]]  # moves and largest tiles are no settings
        return scores.merge(finished[columns], on="run"), "score", "games"
    if "eval_mean" in finished and finished["eval_mean"].notna().any():
        return finished, "eval_mean", "runs"
    return finished.assign(**{LAST: last_blocks(finished, blocks_of(finished))}), LAST, "runs"


def _shown(settings: pd.DataFrame, table: pd.DataFrame, keys: Sequence[str], unit: str) -> pd.DataFrame:
    """The settings as text: the columns by which they differ, and their figures, the dispensable ones last."""
    from tdl.results.answers import in_words
    from tdl.results.frames import STOPPED

    words = in_words(settings, keys, table[table["status"] == FINISHED]).drop(columns=["below the best", "differs"])
    first = [*keys, "runs", "mean score"]
    figures = [name for name in words.columns[::-1] if name not in first and (words[name] != "").any()]
    shown = words[[*first, *sorted(figures, key=lambda name: (name != STOPPED, name == "moves/s"))]].assign(
        runs=settings["runs"]
    )
    return shown.rename(columns={key: short_name(key, keys) for key in keys} | {"runs": unit})


def _fitted(shown: pd.DataFrame) -> str:
    """The table as lines that fit the terminal; for that columns are dropped from the right, not what identifies."""
    width = shutil.get_terminal_size((100, 24)).columns
    needed = list(shown.columns).index("mean score") + 1
    rows = shown.head(MAX_ROWS)
    for columns in range(len(shown.columns), needed - 1, -1):
        text = str(rows.iloc[:, :columns].to_string(index=False))
        if max(map(len, text.splitlines())) <= width:
            break
    return text
