"""The settings of a sweep by its files: their jobs, those that have not begun, too, and their means over seeds."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

import numpy as np
import pandas as pd

from tdl.errors import TdlError, printable
from tdl.results.answers import sentence
from tdl.results.comparison import settings_in
from tdl.results.design import confounded_keys, factors
from tdl.results.frames import EVALUATED, SCORE, SCORE_BOUNDS
from tdl.results.frames import STOPPED as OUT
from tdl.results.labels import DEFAULT_KEYS
from tdl.statistics.intervals import interval_text
from tdl.storage.race_file import RaceRow
from tdl.storage.run_folder import FAILED, FINISHED, INTERRUPTED, PAUSED, RUNNING
from tdl.storage.titles import NAMELESS, flat, title, value_text
from tdl.sweeps.planned import Command, PlannedJob, planned
from tdl.sweeps.sweep_files import JobFiles, SweepFiles, value_at
from tdl.sweeps.table import LAST

MAX_PAIRS = 40
"""Settings of which all pairs are compared; of more only the best is named."""

MAX_TEXT = 200
"""Characters of a value."""

ENDED, STOPPED, WAITING, SPARED, DIVERGED = "ended", "stopped", "waiting", "spared", "diverged"
"""What becomes of jobs, settings and sweeps, beside the statuses of runs. A sweep has stopped where jobs are left and
nobody works on them, a setting where a race plays no more of it; that spares jobs. Those that wait have not begun."""

NOT_PLAYED = (WAITING, PAUSED, INTERRUPTED)


@dataclass
class Job:
    """A job of a setting; one that has not begun has no files."""

    seed: Any
    status: str
    files: JobFiles | None = None
    score: float = math.nan

    @property
    def error(self) -> str:
        return str(self.files.row.get("error")) if self.files and self.status == FAILED else ""


@dataclass
class Setting:
    """Values of the keys that settings differ in, the jobs with them, and what a race decided of it last."""

    values: dict[str, Any]
    jobs: list[Job] = field(default_factory=list)
    races: bool = False
    row: RaceRow | None = None
    mean: float = math.nan
    low: float = math.nan
    high: float = math.nan

    @property
    def scores(self) -> dict[Any, float]:
        """By seed."""
        return {job.seed: job.score for job in self.jobs if not math.isnan(job.score)}

    def count(self, *statuses: str) -> int:
        """Its jobs with one of these statuses."""
        return sum(job.status in statuses for job in self.jobs)

    @property
    def stopped(self) -> str | None:
        """When and why a race stopped it; None where it went on."""
        return self.row.why() if self.row is not None and self.row.stops else None

    def is_out(self) -> bool:
        """Whether a race plays no more of it: it stopped, or a job failed."""
        lost = any(job.error and "diverged" not in job.error for job in self.jobs)
        return self.stopped is not None or (self.races and lost)

    def is_beaten(self) -> bool:
        """Whether a race stopped it, and no seeds were played after that."""
        begun = sum(job.files is not None for job in self.jobs)
        return self.row is not None and self.row.stops and begun <= self.row.seeds


class Settings:
    """The settings of a sweep with their jobs, those that have not begun, too; the best first once compared."""

    def __init__(self, notes: Mapping[str, Any], jobs: Sequence[JobFiles], files: SweepFiles) -> None:
        self.files, self.notes = files, notes
        self.elsewhere = str(value_at(notes, "hydra", "runtime", "choices", "hydra/launcher")).startswith("submitit")
        self.table = pd.DataFrame([job.row for job in jobs])
        self.known = self.table[self.table["seed"].notna()] if "seed" in self.table else self.table
        self.base = flat({name: value for name, value in notes.items() if name != "hydra"})
        choices = value_at(notes, "hydra", "runtime", "choices")
        self.base |= choices if isinstance(choices, dict) else {}
        self.command = self._command()
        self.keys = self._keys()
        self.score = SCORE if SCORE in self.table and self.table[SCORE].notna().any() else LAST
        self.evaluates = EVALUATED in self.table and bool(self.table[EVALUATED].notna().all())
        self.all = self._grouped(jobs)
        self.to_be_proposed = max(0, self.command.proposed - len(self.all)) * len(self.command.seeds)

    def _command(self) -> Command:
        """What the command asks for, as far as that can be told."""
        try:
            return planned(self.notes)
        except TdlError as error:
            self.files.wrong.append(f"how many jobs there will be is not known: {error}")
            return Command()

    def _keys(self) -> list[str]:
        """The keys that the command sweeps, and those in which jobs differ besides."""
        keys = {*self.command.swept}
        if len(self.known):
            differing = factors(self.known)
            keys |= {*differing} - {*confounded_keys(self.known[[*differing]])}
        return sorted(keys - {"seed"}, key=lambda key: (key not in NAMELESS, key))

    def _grouped(self, jobs: Sequence[JobFiles]) -> list[Setting]:
        settings: dict[tuple[str, ...], Setting] = {}

        def add(values: Mapping[str, Any], status: str, files: JobFiles | None = None) -> None:
            shown = {key: _shown(values.get(key)) for key in self.keys}
            setting = settings.setdefault(_texts(values, self.keys), Setting(shown))
            setting.jobs.append(Job(_shown(values.get("seed")), status, files))

        for job in jobs:
            add(job.row, self._status(job), job)
        for waiting in self._not_begun(jobs):
            add({**self.base, **waiting.values}, WAITING)
        for setting in settings.values():
            missing = {*self.command.seeds} - {job.seed for job in setting.jobs}
            setting.jobs += [Job(seed, WAITING) for seed in missing]  # of settings that Optuna has proposed
            setting.jobs.sort(key=lambda job: (not isinstance(job.seed, int), job.seed or 0))
        return [*settings.values()]

    def _status(self, job: JobFiles) -> str:
        """What becomes of a job; on other machines, whose locks are not seen, it runs while it writes."""
        writes = self.elsewhere and job.blocks is not None and job.blocks.is_fresh()
        status = str(job.row["status"])
        if job.locked or (writes and status == RUNNING):
            return RUNNING
        return status if status in (FINISHED, FAILED, PAUSED) else INTERRUPTED

    def _not_begun(self, jobs: Sequence[JobFiles]) -> list[PlannedJob]:
        """The planned jobs that have no folder, by the values of their keys, or else by the words that Hydra noted."""
        plan = self.command.jobs
        keys = [key for key in (plan[0].values if plan else ()) if key in self.table or not jobs]
        left = {_texts(job.values, keys): job for job in plan}
        others = [job for job in jobs if left.pop(_texts(job.row, keys), None) is None]
        words = {frozenset(self.files.words(job)) for job in others} if left else set()
        return [job for job in left.values() if job.words not in words]

    def judge(self, rows: Sequence[RaceRow]) -> None:
        """Take over what a race decided; it spares the jobs of settings that are out, and of the last one."""
        settings = {job.files.name: setting for setting in self.all for job in setting.jobs if job.files}
        for row in rows:  # the last look at each wins
            if row.job in settings:
                settings[row.job].row = row
        for setting in self.all:
            setting.races = True
        winner = self._winner(rows)
        for job in (job for setting in self.all if setting is winner or setting.is_out() for job in setting.jobs):
            job.status = SPARED if job.status in NOT_PLAYED else job.status

    def _winner(self, rows: Sequence[RaceRow]) -> Setting | None:
        """The only setting that the last look left, if that was at the end of the budget and no other race may come.

        Settings of races of other commands, whose rows come first, may be left besides; they have no further seeds.
        """
        last = takewhile(lambda row: (row.look, row.share) == (rows[-1].look, 1), reversed(rows))
        jobs = {row.job for row in last if not row.stops}
        left = [setting for setting in self.all if setting.row and setting.row.job in jobs
                and len(setting.jobs) > setting.row.seeds]  # fmt: skip
        new = any(setting.row is None and setting.count(RUNNING, *NOT_PLAYED) for setting in self.all)
        return left[0] if len(left) == 1 and not new and not self.to_be_proposed else None

    def compare(self) -> None:
        """Give each setting its mean over seeds, and bring them in the order of tables: the best comes first."""
        rows, places = self._rows(), list[int]()
        if rows:
            for row in settings_in(pd.DataFrame(rows), ["number"], self.score).to_dict("records"):
                places.append(int(row["number"]))
                setting = self.all[places[-1]]
                setting.mean, setting.low, setting.high = row["mean"], row["low"], row["high"]
                if self.evaluates and row["runs"] == 1:  # as on the screen, games are independent there
                    setting.low, setting.high = (_score(setting.jobs[0].files, name) for name in SCORE_BOUNDS)
        others = [setting for number, setting in enumerate(self.all) if number not in places]
        self.all = [*map(self.all.__getitem__, places), *sorted(others, key=Setting.is_out)]

    def _rows(self) -> list[dict[str, Any]]:
        """A row for each job with a score, which it gets here."""
        rows = []
        for number, setting in enumerate(self.all):
            why = setting.stopped if setting.is_beaten() else None
            for job in setting.jobs:
                if job.status == FINISHED and job.files is not None:
                    job.score = _score(job.files, self.score)
                if not math.isnan(job.score) and job.files is not None:
                    bounds = {name: job.files.row.get(name) for name in SCORE_BOUNDS} if self.score == SCORE else {}
                    about = {"number": number, "seed": job.seed, self.score: job.score, OUT: why}
                    rows.append(about | bounds | setting.values)
        return rows

    def name(self, setting: Setting) -> str:
        """Its name for people."""
        if self.keys:
            return title(setting.values)
        usual = next((keys for keys in DEFAULT_KEYS if keys[0] in self.table), ())
        row: Any = self.known.iloc[0] if len(self.known) else {}
        return title({key: row[key] for key in usual if key in row}) or "all jobs"

    def answer(self) -> str:
        """The best setting, and whether the next differs from it."""
        if not (rows := self._rows()):
            return ""
        best, scored = self.all[0], sum(bool(setting.scores) for setting in self.all)
        early = any(setting.count(RUNNING, WAITING) for setting in self.all)
        if scored > MAX_PAIRS or self.evaluates or (early and len(best.scores) == 1):
            seeds = f"{len(best.scores):,} {'runs' if len(best.scores) > 1 else 'run'}"
            mean = interval_text(best.mean, best.low, best.high)
            return f"Best{' so far' * early}: {self.name(best)}, {mean}, {seeds}."
        return sentence(pd.DataFrame(rows), self.keys, self.score)


def _texts(values: Mapping[str, Any], keys: Sequence[str]) -> tuple[str, ...]:
    """The values of these keys as text: 0 and 0.0 are the same."""
    return tuple(value_text(key, values.get(key)) for key in keys)


def _shown(value: Any) -> Any:
    """A value as JSON and people have it."""
    if value is None or value != value:
        return None
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    return printable(str(value))[:MAX_TEXT]


def _score(job: JobFiles | None, score: str) -> float:
    """A figure of a job's games; nan where it is not known."""
    if score == LAST:
        return float(job.blocks.mean[-1]) if job and job.blocks else math.nan
    value = job.row.get(score) if job else None
    return float(value) if isinstance(value, int | float) else math.nan
