"""A sweep as a race: seeds are the rounds, and settings that are worse than the leader beyond doubt play no more."""

import csv
import io
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from hydra.core.utils import filter_overrides

from tdl.base.checks import check_fields, flag, whole
from tdl.errors import ConfigError
from tdl.runs.final_summary import objective
from tdl.statistics.racing import DIVERGED, FIRST, Look, Standing, standing
from tdl.storage.atomic import new_file
from tdl.storage.run_folder import FAILED, FINISHED, RunFolder
from tdl.sweeps.job import run_of

RACE = "race.csv"
"""In the folder of a sweep: a row for each look and setting. It is for people; no race reads it."""

COLUMNS = ("look", "seeds", "share", "setting", "job", "score", "behind", "margin", "verdict")


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
        self.failed: set[int] = set()
        self.scores = np.array([[self._score(row[seed]) for seed in self.seeds] for row in self.numbers.values()])

    def standing(self) -> Standing:
        """Where the race stands, of the settings whose jobs did not fail for another reason than divergence."""
        return standing(self.scores, self.options.first, out=self.failed)

    def due(self) -> list[int]:
        """The numbers of the jobs that the next decision waits for."""
        rows = [*self.numbers.values()]
        return [rows[setting][self.seeds[seed]] for setting, seed in self.standing().due]

    def note(self, played: Sequence[int]) -> None:
        """Read the scores of jobs that have been played; the setting of one without a score is out of this race."""
        for setting, row in enumerate(self.numbers.values()):
            for column, seed in enumerate(self.seeds):
                if row[seed] in played:
                    self.scores[setting, column] = score = self._score(row[seed])
                    self.failed |= {setting} if math.isnan(score) else set()

    def write(self, folder: Path) -> None:
        """Write `race.csv`, in one step: what was decided when, and why."""
        text = io.StringIO()
        table = csv.writer(text, lineterminator="\n")
        table.writerow(COLUMNS)
        for number, look in enumerate(self.standing().looks, 1):
            table.writerows((number, *row) for row in self._rows(look))
        with new_file(folder / RACE) as file:
            file.write(text.getvalue().encode())

    def _rows(self, look: Look) -> Iterator[tuple[object, ...]]:
        """A row for each setting that took part in a look; distances are shares of the leader's score."""
        names, first = names_of([*self.numbers]), [next(iter(row.values())) for row in self.numbers.values()]
        for i in np.flatnonzero(~np.isnan(look.behind)):
            behind, margin = (round(-math.expm1(-distance), 4) for distance in (look.behind[i], look.margin[i]))
            score = self.scores[i, : look.seeds].mean()
            yield (look.seeds, look.share, names[i], self.folders[first[i]].name, score, behind, margin,
                   _verdict(look, int(i)))  # fmt: skip

    def text(self) -> str:
        """How it went: who stopped after how many seeds, whose jobs failed, and what was saved."""
        now, names = self.standing(), names_of([*self.numbers])
        ends = [f"{names[i]} after {now.seeds[i]} seeds" for i in np.flatnonzero(now.stopped) if i not in self.failed]
        stopped = f"stopped: {', '.join(ends)}; " if ends else "no setting stopped; "
        failed = "".join(f"{names[i]} left out, as a job failed; " for i in sorted(self.failed))
        return f"race: {stopped}{failed}{now.seeds.sum()} of {now.seeds.size * len(self.seeds)} runs counted"

    def _score(self, number: int) -> float:
        run = RunFolder(run_of(self.folders[number]))
        result = run.result_if_whole()
        if result.get("status") == FAILED and "diverged" in str(result.get("error")):
            return DIVERGED
        value = objective(run) if result.get("status") == FINISHED else None
        return math.nan if value is None else value


def _verdict(look: Look, setting: int) -> str:
    """`leads`, `stays`, `worse` or `diverged`: the last two stop."""
    if look.stopped[setting]:
        return "worse" if math.isfinite(look.means[setting]) else "diverged"
    return "stays" if look.behind[setting] else "leads"


def names_of(settings: Sequence[tuple[str, ...]]) -> list[str]:
    """The words by which each setting differs from the others."""
    common = set.intersection(*map(set, settings))
    return [" ".join(filter_overrides([word for word in words if word not in common])) for words in settings]
