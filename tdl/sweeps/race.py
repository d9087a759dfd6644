"""A sweep as a race: seeds are the rounds, and settings that are worse than the leader beyond doubt play no more."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from hydra.core.utils import filter_overrides
from numpy.typing import NDArray

from tdl.base.checks import check_fields, flag, whole
from tdl.errors import ConfigError
from tdl.runs.final_summary import objective
from tdl.statistics.racing import DIVERGED, FIRST, Standing, standing
from tdl.storage.run_folder import FAILED, FINISHED, RunFolder
from tdl.sweeps.job import run_of


@dataclass(frozen=True)
class RaceOptions:
    """Whether settings race, and how many seeds each plays before the first decision."""

    on: bool = flag(False)
    first: int = whole(FIRST, least=2, most=1000)

    def __post_init__(self) -> None:
        check_fields(self, "race.")


class Race:
    """The jobs of a sweep by setting and seed.

    Where the race stands follows from the results in the jobs' folders alone, so whoever holds it again, after a
    crash or with more seeds, decides the same.

    Raises
    ------
    ConfigError : fewer than two seeds, or settings with different ones.
    """

    def __init__(self, jobs: Sequence[list[str]], folders: Sequence[Path], options: RaceOptions) -> None:
        self.options, self.folders = options, folders
        self.numbers: dict[tuple[str, ...], dict[int, int]] = {}
        for number, words in enumerate(jobs):
            setting = tuple(word for word in words if not word.startswith("seed="))
            seed = next((int(word.removeprefix("seed=")) for word in words if word.startswith("seed=")), 0)
            self.numbers.setdefault(setting, {})[seed] = number
        self.seeds = sorted(next(iter(self.numbers.values())))
        if len(self.seeds) < 2 or any(sorted(row) != self.seeds for row in self.numbers.values()):
            raise ConfigError("race.on: seeds are the rounds of a race; expected two or more, as seeds=10")
        self.out: set[int] = set()

    def standing(self) -> Standing:
        """Where the race stands, of the settings whose jobs did not fail."""
        return standing(self.scores(), self.options.first)

    def due(self) -> list[int]:
        """The numbers of the jobs that the next decision waits for."""
        rows = [*self.numbers.values()]
        return [rows[setting][self.seeds[seed]] for setting, seed in self.standing().due if setting not in self.out]

    def leave_out(self, played: Sequence[int]) -> None:
        """Let settings whose jobs failed for another reason than divergence play no more in this process."""
        scores, rows = self.scores(), [*self.numbers.values()]
        for setting, row in enumerate(rows):
            failed = (row[seed] in played and math.isnan(scores[setting, i]) for i, seed in enumerate(self.seeds))
            self.out |= {setting} if any(failed) else set()

    def text(self) -> str:
        """How it went: who stopped after how many seeds, and what was saved."""
        now = self.standing()
        names = names_of([*self.numbers])
        ends = [f"{names[i]} after {now.seeds[i]} seeds" for i in np.flatnonzero(now.stopped)]
        stopped = f"stopped: {', '.join(ends)}; " if ends else "no setting stopped; "
        return f"race: {stopped}{now.seeds.sum()} of {now.seeds.size * len(self.seeds)} runs counted"

    def scores(self) -> NDArray[np.float64]:
        """A row for each setting, a column for each seed."""
        rows = [[self._score(self.folders[row[seed]]) for seed in self.seeds] for row in self.numbers.values()]
        return np.array(rows)

    def _score(self, folder: Path) -> float:
        run = RunFolder(run_of(folder))
        result = run.result_if_whole()
        if result.get("status") == FAILED and "diverged" in str(result.get("error")):
            return DIVERGED
        value = objective(run) if result.get("status") == FINISHED else None
        return math.nan if value is None else value


def names_of(settings: Sequence[tuple[str, ...]]) -> list[str]:
    """The words by which each setting differs from the others."""
    common = set.intersection(*map(set, settings))
    return [" ".join(filter_overrides([word for word in words if word not in common])) for words in settings]
