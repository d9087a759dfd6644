"""A sweep as a race: seeds are the rounds, and settings that are worse than the leader beyond doubt play no more."""

import contextlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from hydra.core.utils import filter_overrides
from numpy.typing import NDArray

from tdl.base.checks import check_fields, checked, flag, is_number, whole
from tdl.errors import ConfigError, TdlError, has_diverged, refuse
from tdl.runs.final_summary import objective, objective_at
from tdl.runs.forecast import time_text
from tdl.statistics.racing import DIVERGED, ERROR, FIRST, Look, Scores, Standing, standing
from tdl.storage.race_file import DIVERGES, LEADS, STAYS, WORSE, RaceRow, read_race, write_race
from tdl.storage.run_folder import FAILED, FINISHED, RunFolder
from tdl.sweeps.job import Plan, run_of

MOST_NAMES = 3
"""Settings that are left and named at the end."""


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


class Ahead(NamedTuple):
    """Runs that are played, and will be at most; what part of a run each due job plays; what is due, in words."""

    played: float
    most: float
    worth: float
    words: str


NO_ROUNDS = "race.on: seeds are the rounds of a race; expected two or more, as seeds=10"


class Race:
    """The jobs of a sweep by setting and seed.

    Where the race stands follows from the results in the jobs' folders alone, so whoever holds it again, after a
    crash or with more seeds, decides the same.

    Attributes
    ----------
    settings, names : the words of each setting, and those by which it differs from the others.
    jobs : their numbers, shape (settings, seeds).
    elsewhere : scores of settings of races before, which count for the variance (`tdl.statistics.racing.standing`).

    Raises
    ------
    ConfigError : fewer than two seeds, or settings with different ones; rungs of a budget of time.
    """

    def __init__(
        self, jobs: Sequence[list[str]], plans: Sequence[Plan], options: RaceOptions, error: float = ERROR
    ) -> None:
        self.on, self.rungs, self.plans, self.error = options.on, (*options.rungs,), plans, error
        self.settings, self.jobs = _by_seed(jobs)
        self.first = options.first if options.on else self.jobs.shape[1]
        if options.on and self.jobs.shape[1] < 2:
            raise ConfigError(NO_ROUNDS)
        if len(self.rungs) > 1 and any(job.seconds is not None for job in plans):
            raise ConfigError("race.rungs: shares of a budget of time differ from run to run; expected budget.moves, "
                              "or episodes alone, in the place of budget.seconds")  # fmt: skip
        self.names, self.elsewhere = names_of(self.settings), np.empty((0, self.jobs.shape[1]))
        self.failed: set[int] = set()
        self.scores = np.full((len(self.rungs), *self.jobs.shape), np.nan)
        self._read(np.ones_like(self.jobs, bool))

    def standing(self) -> Standing:
        """Where the race stands, of the settings whose jobs did not fail for another reason than divergence."""
        return standing(self.scores, self.first, self.error, self.failed, self.rungs[:-1], self.elsewhere)

    def due(self) -> list[int]:
        """The numbers of the jobs that the next decision waits for."""
        return [int(self.jobs[run]) for run in self.standing().due]

    @property
    def share(self) -> float:
        """Of their budget, up to where they are due."""
        return self.rungs[self.standing().layer]

    def note(self, played: Sequence[int]) -> None:
        """Read the scores of jobs that were due and have been played; a setting without one is out of this race."""
        layer, due = self.standing().layer, np.isin(self.jobs, played)
        self._read(due)
        self.failed |= {int(i) for i, _ in np.argwhere(due & np.isnan(self.scores[layer]))}

    def _read(self, which: NDArray[np.bool_]) -> None:
        for setting, seed in np.argwhere(which):
            number = int(self.jobs[setting, seed])
            self.scores[:, setting, seed] = [self._score(number, rung) for rung in self.rungs]

    def stopped_jobs(self) -> list[Plan]:
        """The plans of the jobs of settings that play no more, but for those of which a job failed."""
        stopped = [i for i in np.flatnonzero(self.standing().stopped) if i not in self.failed]
        return [self.plans[number] for number in self.jobs[stopped].ravel().tolist()]

    def counted(self) -> list[Scores]:
        """The scores of each setting by seed, as far as this race counted them; nan where it did not."""
        left = np.arange(self.jobs.shape[1]) >= self.standing().seeds[:, None]
        return [*np.where(left, np.nan, self.scores[-1])]

    def values(self) -> list[float]:
        """The mean score of each setting over the seeds that counted; -inf after a divergence, nan where a job failed.

        A setting that stopped before any run ended has no mean, and counts as diverged.
        """
        rows = [row[~np.isnan(row)] for row in self.counted()]
        means = [float(row.mean()) if len(row) else DIVERGED for row in rows]
        return [math.nan if i in self.failed else mean for i, mean in enumerate(means)]

    def rows(self, number: int, look: Look) -> Iterator[RaceRow]:
        """A row for each setting that took part in a look; distances are shares of the leader's score."""
        for i in np.flatnonzero(~np.isnan(look.behind)):
            behind, margin = (round(-math.expm1(-distance), 4) for distance in (look.behind[i], look.margin[i]))
            score = float(self.scores[self.rungs.index(look.share), i, : look.seeds].mean())
            job, verdict = self.plans[self.jobs[i, 0]].folder.name, _verdict(look, int(i))
            yield RaceRow(number, look.seeds, look.share, self.names[i], job, score, behind, margin, verdict)

    def ahead(self) -> Ahead:
        """How far it is, and what is due."""
        now, rungs, most = self.standing(), np.array(self.rungs), self.jobs.shape[1]
        played = np.where(np.isnan(self.scores), 0.0, rungs[:, None, None]).max(axis=0)
        left, seeds = int((~now.stopped).sum()), [seed + 1 for _, seed in now.due]
        number = f"round {seeds[0]}" if len({*seeds}) == 1 else f"rounds {min(seeds)} to {max(seeds)}"
        rung = f", {self.share:.0%} of the budget" if self.share < 1 else ""
        words = f"{number} of {most}{rung}, {left} setting{'s' * (left > 1)} left"
        worth = np.mean([self.share - played[run] for run in now.due])
        return Ahead(float(played.sum()), float(played[now.stopped].sum()) + left * most, float(worth), words)

    def spared(self, setting: int) -> tuple[int, float, float]:
        """The runs that a setting was spared, their games and seconds, as if they had gone as those that it played."""
        plans = [self.plans[number] for number in self.jobs[setting]]
        results = [RunFolder(run_of(plan.folder)).result_if_whole() for plan in plans]
        played, parts = [result for result in results if result.get("episodes")], sum(map(_part, plans, results))
        if setting in self.failed or not 0 < parts < len(plans):
            return 0, 0.0, 0.0
        runs, more = sum(result.get("status") not in (FINISHED, FAILED) for result in results), len(plans) / parts - 1
        return runs, more * sum(result["episodes"] for result in played), more * sum(map(_seconds, played))

    def _score(self, number: int, share: float) -> float:
        job = self.plans[number]
        run = RunFolder(run_of(job.folder))
        early = objective_at(run, share, job.games, job.moves) if share < 1 else None
        if early is not None:
            return early
        result = run.result_if_whole()
        if result.get("status") == FAILED and has_diverged(result.get("error")):
            return DIVERGED
        value = objective(run) if share == 1 and result.get("status") == FINISHED else None
        return math.nan if value is None else value


def _part(job: Plan, result: Mapping[str, Any]) -> float:
    """What part of its training a run has played; it pauses at the end of the block that reaches a rung."""
    if result.get("status") in (FINISHED, FAILED):
        return float(bool(result.get("episodes")))
    ends = (("episodes", job.games), ("moves", job.moves))
    return max((float(result.get(name) or 0) / end for name, end in ends if end), default=0.0)


def _seconds(result: Mapping[str, Any]) -> float:
    """How long a run took, with its games after training."""
    evaluation = result.get("evaluation", {})
    return float((result.get("seconds") or 0.0) + (evaluation.get("seconds") or 0.0))


def write_looks(folder: Path, races: Sequence[Race]) -> None:
    """Write `race.csv`, in one step: what was decided when, and why, in races one after the other.

    Rows of settings of other commands stay.
    """
    looks = [(race, look) for race in races for look in race.standing().looks]
    ours = [row for number, (race, look) in enumerate(looks, 1) for row in race.rows(number, look)]
    jobs, others = {row.job for row in ours}, list[RaceRow]()
    with contextlib.suppress(TdlError, OSError):
        others = [row for row in read_race(folder) if row.job not in jobs]
    write_race(folder, [*others, *ours])


def answer(races: Sequence[Race]) -> str:
    """How many settings stopped and who is left, and what all seeds of all settings would have taken more."""
    ends = {words: (race, i, out) for race in races for out in [race.standing().stopped]
            for i, words in enumerate(race.settings)}  # fmt: skip
    names = dict(zip(ends, names_of([*ends]), strict=True))
    left = [names[words] for words, (_, i, out) in ends.items() if not out[i]]
    failed = [names[words] for words, (race, i, _) in ends.items() if i in race.failed]
    runs, games, seconds = map(sum, zip(*(race.spared(i) for race, i, _ in ends.values()), strict=True))
    stopped = len(names) - len(left) - len(failed)
    rest = f"{', '.join(left) if len(left) <= MOST_NAMES else len(left)} {'is' if len(left) == 1 else 'are'} left"
    parts = [f"Race: {stopped or 'none'} of {len(names)} settings stopped, {rest}"]
    parts += [f"{name} is left out, as a job failed" for name in failed]
    if runs:
        spared = f"{runs:,} {'run was' if runs == 1 else 'runs were'} spared"
        parts.append(f"{spared}: {games:,.0f} games, {time_text(seconds)} of one core")
    return f"{'; '.join(parts)}."


def _by_seed(jobs: Sequence[Sequence[str]]) -> tuple[list[tuple[str, ...]], NDArray[np.int64]]:
    """The words of each setting, and the numbers of its jobs in the order of their seeds, which all settings have."""
    numbers: dict[tuple[str, ...], dict[int, int]] = {}
    for number, words in enumerate(jobs):
        setting = tuple(word for word in words if not word.startswith("seed="))
        seed = next((int(word.removeprefix("seed=")) for word in words if word.startswith("seed=")), 0)
        numbers.setdefault(setting, {})[seed] = number
    seeds = [sorted(row) for row in numbers.values()]
    if any(row != seeds[0] for row in seeds):
        raise ConfigError(NO_ROUNDS)
    return [*numbers], np.array([[row[seed] for seed in seeds[0]] for row in numbers.values()])


def _verdict(look: Look, setting: int) -> str:
    """What a look says of a setting."""
    if look.stopped[setting]:
        return WORSE if math.isfinite(look.means[setting]) else DIVERGES
    return STAYS if look.behind[setting] else LEADS


def names_of(settings: Sequence[tuple[str, ...]]) -> list[str]:
    """The words by which each setting or job differs from the others; of one alone all of them."""
    common = set.intersection(*map(set, settings))
    differing = [[word for word in words if word not in common] or words for words in settings]
    return [" ".join(filter_overrides(words)) for words in differing]
