"""A sweep as a race: seeds are the rounds, and settings that are worse than the leader beyond doubt play no more."""

import contextlib
import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from hydra.core.utils import filter_overrides

from tdl.base.checks import check_fields, checked, flag, is_number, whole
from tdl.errors import ConfigError, TdlError, refuse
from tdl.runs.final_summary import objective, objective_at
from tdl.statistics.racing import DIVERGED, ERROR, FIRST, Look, Standing, standing
from tdl.storage.race_file import DIVERGES, LEADS, STAYS, WORSE, RaceRow, read_race, write_race
from tdl.storage.run_folder import FAILED, FINISHED, RunFolder
from tdl.sweeps.job import Plan, run_of


def _check_rungs(key: str, rungs: object) -> None:
    numbers = [0, *rungs] if isinstance(rungs, Sequence) and all(map(is_number, rungs)) else [0]
    if numbers[-1] != 1 or any(high <= low for low, high in pairwise(numbers)):
        raise refuse(key, rungs, "rising shares of the budget that end with 1, as [0.1,0.3,1]")


@dataclass(frozen=True)
class RaceOptions:
    """Whether settings race, how many seeds each plays first, and at which shares of the budget these are judged."""

    on: bool = flag(False)
    first: int = whole(FIRST, least=2, most=1000)
    rungs: Sequence[float] = checked((1.0,), _check_rungs)

    def __post_init__(self) -> None:
        check_fields(self, "race.")
        if len(self.rungs) > 1 and not self.on:
            raise refuse("race.rungs", [*self.rungs], "[1] without race.on=true")


class Race:
    """The jobs of a sweep by setting and seed.

    Where the race stands follows from the results in the jobs' folders alone, so whoever holds it again, after a
    crash or with more seeds, decides the same.

    Attributes
    ----------
    names : of the settings.

    Raises
    ------
    ConfigError : fewer than two seeds, or settings with different ones; rungs of a budget of time.
    """

    def __init__(
        self, jobs: Sequence[list[str]], plans: Sequence[Plan], options: RaceOptions, error: float = ERROR
    ) -> None:
        self.on, self.rungs, self.plans, self.error = options.on, (*options.rungs,), plans, error
        self.numbers: dict[tuple[str, ...], dict[int, int]] = {}
        for number, words in enumerate(jobs):
            setting = tuple(word for word in words if not word.startswith("seed="))
            seed = next((int(word.removeprefix("seed=")) for word in words if word.startswith("seed=")), 0)
            self.numbers.setdefault(setting, {})[seed] = number
        self.seeds = sorted(next(iter(self.numbers.values())))
        self.first = options.first if options.on else len(self.seeds)
        if (options.on and len(self.seeds) < 2) or any(sorted(row) != self.seeds for row in self.numbers.values()):
            raise ConfigError("race.on: seeds are the rounds of a race; expected two or more, as seeds=10")
        if len(self.rungs) > 1 and any(job.seconds is not None for job in plans):
            raise ConfigError("race.rungs: shares of a budget of time differ from run to run; expected budget.moves, "
                              "or episodes alone, in the place of budget.seconds")  # fmt: skip
        self.names = names_of([*self.numbers])
        self.failed: set[int] = set()
        self.scores = np.full((len(self.rungs), len(self.numbers), len(self.seeds)), np.nan)
        self._read(range(len(jobs)))

    def standing(self) -> Standing:
        """Where the race stands, of the settings whose jobs did not fail for another reason than divergence."""
        return standing(self.scores, self.first, self.error, self.failed, self.rungs[:-1])

    def due(self) -> list[int]:
        """The numbers of the jobs that the next decision waits for."""
        rows = [*self.numbers.values()]
        return [rows[setting][self.seeds[seed]] for setting, seed in self.standing().due]

    @property
    def share(self) -> float:
        """Of their budget, up to where they are due."""
        return self.rungs[self.standing().layer]

    def note(self, played: Sequence[int]) -> None:
        """Read the scores of jobs that were due and have been played; a setting without one is out of this race."""
        layer = self.standing().layer
        self._read(played)
        missing = np.isnan(self.scores[layer])
        for setting, row in enumerate(self.numbers.values()):
            if any(missing[setting, column] and row[seed] in played for column, seed in enumerate(self.seeds)):
                self.failed.add(setting)

    def _read(self, jobs: Collection[int]) -> None:
        for setting, row in enumerate(self.numbers.values()):
            for column, seed in enumerate(self.seeds):
                if row[seed] in jobs:
                    self.scores[:, setting, column] = [self._score(row[seed], rung) for rung in self.rungs]

    @property
    def first_jobs(self) -> set[int]:
        """The numbers of the jobs that every setting plays."""
        return {row[seed] for row in self.numbers.values() for seed in self.seeds[: self.first]}

    def stopped_jobs(self) -> list[int]:
        """The numbers of the jobs of settings that play no more."""
        stopped = self.standing().stopped
        return [number for setting, row in enumerate(self.numbers.values())
                for number in row.values() if stopped[setting] and setting not in self.failed]  # fmt: skip

    def values(self) -> list[float]:
        """The mean score of each setting over the seeds that counted; -inf after a divergence, nan where a job failed.

        A setting that stopped before any run ended has no mean, and counts as diverged.
        """
        now = self.standing()
        means = [self.scores[-1, i, :seeds].mean() if seeds else DIVERGED for i, seeds in enumerate(now.seeds)]
        return [math.nan if i in self.failed else float(mean) for i, mean in enumerate(means)]

    def rows(self, number: int, look: Look) -> Iterator[RaceRow]:
        """A row for each setting that took part in a look; distances are shares of the leader's score."""
        first = [next(iter(row.values())) for row in self.numbers.values()]
        for i in np.flatnonzero(~np.isnan(look.behind)):
            behind, margin = (round(-math.expm1(-distance), 4) for distance in (look.behind[i], look.margin[i]))
            score = float(self.scores[self.rungs.index(look.share), i, : look.seeds].mean())
            job, verdict = self.plans[first[i]].folder.name, _verdict(look, int(i))
            yield RaceRow(number, look.seeds, look.share, self.names[i], job, score, behind, margin, verdict)

    def text(self) -> str:
        """How it went: who stopped after how many seeds, whose jobs failed, and what was saved."""
        now, names = self.standing(), self.names
        ends = [f"{names[i]} after {now.seeds[i]} seeds" for i in np.flatnonzero(now.stopped) if i not in self.failed]
        stopped = f"stopped: {', '.join(ends)}; " if ends else "no setting stopped; "
        failed = "".join(f"{names[i]} left out, as a job failed; " for i in sorted(self.failed))
        return f"race: {stopped}{failed}{now.seeds.sum()} of {now.seeds.size * len(self.seeds)} runs counted"

    def _score(self, number: int, share: float) -> float:
        job = self.plans[number]
        run = RunFolder(run_of(job.folder))
        early = objective_at(run, share, job.games, job.moves) if share < 1 else None
        if early is not None:
            return early
        result = run.result_if_whole()
        if result.get("status") == FAILED and "diverged" in str(result.get("error")):
            return DIVERGED
        value = objective(run) if share == 1 and result.get("status") == FINISHED else None
        return math.nan if value is None else value


def write_looks(folder: Path, races: Sequence[Race]) -> None:
    """Write `race.csv`, in one step: what was decided when, and why; rows of other settings' races stay."""
    looks = [(race, look) for race in races for look in race.standing().looks]
    ours = [row for number, (race, look) in enumerate(looks, 1) for row in race.rows(number, look)]
    others: list[RaceRow] = []
    with contextlib.suppress(TdlError, OSError):
        jobs = {row.job for row in ours}
        others = [row for row in read_race(folder) if row.job not in jobs]
    write_race(folder, [*others, *ours])


def _verdict(look: Look, setting: int) -> str:
    """What a look says of a setting."""
    if look.stopped[setting]:
        return WORSE if math.isfinite(look.means[setting]) else DIVERGES
    return STAYS if look.behind[setting] else LEADS


def names_of(settings: Sequence[tuple[str, ...]]) -> list[str]:
    """The words by which each setting differs from the others."""
    common = set.intersection(*map(set, settings))
    return [" ".join(filter_overrides([word for word in words if word not in common])) for words in settings]
