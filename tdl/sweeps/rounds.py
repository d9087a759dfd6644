"""Races of a sweep, round by round: what the next decision waits for is sent to the launcher, until nothing is."""

import contextlib
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tdl.errors import ConfigError
from tdl.runs.progress import Progress
from tdl.runs.resume import delete_paused_weights
from tdl.statistics.racing import ERROR, Scores
from tdl.storage.run_folder import RunFolder
from tdl.sweeps.launcher import CoresLauncher
from tdl.sweeps.plan import SweepPlan
from tdl.sweeps.race import Race, RaceOptions, answer, write_looks
from tdl.sweeps.trials import Draw

if TYPE_CHECKING:
    from tdl.sweeps.proposals import Proposals  # an extra

Jobs = Sequence[list[str]]
"""The words of each job."""


class Rounds:
    """The races of a sweep: one, or of settings that Optuna proposes one for each batch.

    Parameters
    ----------
    jobs : the words of all jobs, and of proposed settings those that may come.
    plan : of these jobs.
    options : of the races; where they are off every setting plays all seeds.
    launcher : where jobs run.

    Attributes
    ----------
    plan : where jobs pause at rungs.

    Raises
    ------
    ConfigError : as `Race`; or a single setting.
    """

    def __init__(self, jobs: Jobs, plan: SweepPlan, options: RaceOptions, launcher: Any) -> None:
        self.jobs, self.plan, self.options, self.launcher = jobs, plan, options, launcher
        self.whole = Race(jobs, plan.jobs, options)
        self.races: list[Race] = []
        if options.on and len(self.whole.settings) < 2:
            raise ConfigError("race.on: a single setting has nobody to race with; "
                              "expected a key with several values, as alpha=0.1,0.3")  # fmt: skip
        if len(options.rungs) > 1:
            first = {*self.whole.jobs[:, : self.whole.first].flat}
            pausing = [replace(job, pauses=number in first) for number, job in enumerate(plan.jobs)]
            self.plan = replace(plan, jobs=pausing)

    @property
    def batch(self) -> int:
        """How many settings are proposed together: in later rounds each has one job."""
        return max(2, -(-self.plan.processes // self.whole.first))

    def play(self, launch: Callable[[Jobs, float], None]) -> None:
        """Hold the one race over all jobs; `launch` runs jobs up to a share of their budget."""
        self.races = [self.whole]
        self._hold(self.whole, self.jobs, launch)

    def play_proposed(
        self, proposals: "Proposals", plan: Callable[[Jobs], SweepPlan], launch: Callable[[Jobs, float], None]
    ) -> None:
        """Hold a race for each batch of what Optuna proposes, in which the best setting so far takes part."""
        best, known = list[Draw](), dict[Draw, Scores]()
        for trials in proposals.batches():
            settings = list(dict.fromkeys([*best, *trials.values()]))
            jobs = proposals.space.jobs(settings)
            race = self._next_race(jobs, plan(jobs))
            race.names = list(map(proposals.space.title, settings))
            race.elsewhere = np.vstack([race.elsewhere, *(known[key] for key in known if key not in settings)])
            if not all(map(proposals.is_told, trials)):
                print(f"trials {min(trials) + 1} to {max(trials) + 1} of {proposals.space.options.number}", flush=True)
                self._hold(race, jobs, launch)
            known |= zip(settings, race.counted(), strict=True)
            values = dict(zip(settings, race.values(), strict=True))
            for trial, setting in trials.items():
                proposals.tell(trial, values[setting])
            best = self._best(race, values) or best

    def _next_race(self, jobs: Jobs, plan: SweepPlan) -> Race:
        """One of several races, whose errors are together that of one: 1/2 + 1/6 + 1/12 + ... = 1."""
        number = len(self.races) + 1
        self.races.append(Race(jobs, plan.jobs, self.options, ERROR / number / (number + 1)))
        return self.races[-1]

    def _best(self, race: Race, values: dict[Draw, float]) -> list[Draw]:
        """The setting with the best value of those that a race left, if it is a race and left one."""
        left = zip(values, ~race.standing().stopped, strict=True)
        ranked = [setting for setting, stays in left if stays and math.isfinite(values[setting])]
        return [max(ranked, key=values.__getitem__)] if race.on and ranked else []

    def _hold(self, race: Race, jobs: Jobs, launch: Callable[[Jobs, float], None]) -> None:
        with contextlib.ExitStack() as stack:
            while due := race.due():
                self._show(race, stack)
                launch([jobs[number] for number in due], race.share)
                race.note(due)
                self._settle(race)
        self._settle(race)

    def _show(self, race: Race, stack: contextlib.ExitStack) -> None:
        """Say what is due: beside the one bar of a race while jobs run here, else in a line."""
        ahead = race.ahead()
        if not isinstance(self.launcher, CoresLauncher):
            print(f"{'race' if race.on else 'sweep'}: {ahead.words}", flush=True)
            return
        if self.launcher.bar is None:
            self.launcher.bar = Progress("race, at most" if race.on else "sweep", ahead.most, done=ahead.played)
            stack.enter_context(contextlib.closing(self.launcher.bar))
            stack.callback(setattr, self.launcher, "bar", None)
        self.launcher.ahead = ahead
        self.launcher.bar.expect(ahead.most)
        self.launcher.bar.update(ahead.played, note=ahead.words)

    def _settle(self, race: Race) -> None:
        """Note what was decided. Jobs that do not go on leave no weights where those that do leave none."""
        if race.on:
            write_looks(self.plan.folder, self.races)
        for job in race.stopped_jobs():
            if not self.plan.weights(job):
                delete_paused_weights(RunFolder(job.folder))

    def answer(self) -> str:
        """What the races say in the end; nothing where none was held."""
        return answer(self.races) if self.options.on else ""
