"""Hydra's sweeper `checked`: every combination of the values, all checked before the first job begins."""

import contextlib
import math
import pickle
import re
import sys
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from hydra.core.config_loader import ConfigLoader
from hydra.core.hydra_config import HydraConfig
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.plugins import Plugins
from hydra.core.utils import JobReturn, filter_overrides
from hydra.plugins.sweeper import Sweeper
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig, OmegaConf, open_dict, read_write

from tdl.base.distribution import install
from tdl.errors import ConfigError, TdlError
from tdl.runs.progress import Progress
from tdl.runs.resume import delete_paused_weights
from tdl.statistics.racing import ERROR, Scores
from tdl.storage.atomic import new_file
from tdl.storage.run_folder import HYDRA, SWEEP, RunFolder, refuse_link
from tdl.sweeps.job import JobContext, Plan
from tdl.sweeps.launcher import CoresLauncher, Round
from tdl.sweeps.plan import SweepPlan
from tdl.sweeps.race import Race, RaceOptions, answer, write_looks
from tdl.sweeps.sweep import Sweep
from tdl.sweeps.trials import Setting, Space, TrialOptions

if TYPE_CHECKING:
    from tdl.sweeps.proposals import Proposals  # an extra

MAX_ERRORS = 5
"""Errors of a refused sweep that are shown."""

SEED = re.compile(r"seed=\d+")


class JobLoader:
    """In the place of Hydra's loader, which composes some eight configurations a second.

    What is composed is kept for the same job again, and for other seeds. Packed it takes some kilobytes.

    Attributes
    ----------
    keep_weights, pause_at : what the sweep says to all its jobs, as soon as it knows.
    """

    def __init__(self, loader: ConfigLoader, keep_weights: bool | None = None, pause_at: float = 1.0) -> None:
        self.loader, self.keep_weights, self.pause_at = loader, keep_weights, pause_at
        self.packed: dict[tuple[str, ...], bytes] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self.loader, name)

    def __reduce__(self) -> tuple[type["JobLoader"], tuple[ConfigLoader, bool | None, float]]:
        return JobLoader, (self.loader, self.keep_weights, self.pause_at)  # another process composes its own job alone

    def load_sweep_config(self, master_config: DictConfig, sweep_overrides: Sequence[str]) -> DictConfig:
        """The configuration of a job, as Hydra's own loader gives it."""
        key = tuple("seed" if SEED.fullmatch(word) else word for word in sweep_overrides)
        if key not in self.packed:
            composed = self.loader.load_sweep_config(master_config, list(sweep_overrides))
            with read_write(composed.hydra):  # without types of plugins: Hydra 1.3 loads these twice, and no pickle is
                for plugin in ("launcher", "sweeper"):
                    composed.hydra[plugin] = OmegaConf.to_container(composed.hydra[plugin], resolve=False)
            self.packed[key] = zlib.compress(pickle.dumps(composed))
        config: DictConfig = pickle.loads(zlib.decompress(self.packed[key]))
        with read_write(config.hydra):
            if self.keep_weights is not None:
                config.hydra.callbacks.sweep.keep_weights = self.keep_weights
            if self.pause_at < 1:
                config.hydra.callbacks.sweep.pause_at = self.pause_at
            for word in filter(SEED.fullmatch, sweep_overrides):
                _set_seed(config, word)
        return config


def _set_seed(config: DictConfig, word: str) -> None:
    """Put a seed in the place of that of another job, also where Hydra notes the words."""
    config.seed = int(word.partition("=")[2])
    words, job = config.hydra.overrides.task, config.hydra.job
    number = next(number for number, known in enumerate(words) if SEED.fullmatch(known))
    if not OmegaConf.is_interpolation(job, "override_dirname"):  # as Hydra 1.4 has it
        form = job.config.override_dirname
        before, after = (text.replace("=", form.kv_sep) for text in (words[number], word))
        names = job.override_dirname.split(form.item_sep)
        job.override_dirname = form.item_sep.join(after if name == before else name for name in names)
    words[number] = word


class CheckedSweeper(Sweeper):
    """Checks all jobs, says how many there are and what they take, then runs those that are not done.

    Parameters
    ----------
    max_batch_size : the most jobs that a launcher gets at once; None: all.
    params : values of keys beside those of the command line, as experiments have them.
    """

    hydra_context: HydraContext
    config: DictConfig

    def __init__(self, max_batch_size: int | None = None, params: Mapping[str, str] | None = None) -> None:
        self.max_batch_size, self.params = max_batch_size, params or {}

    def setup(self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig) -> None:
        """Hydra calls this first."""
        self.loader = JobLoader(hydra_context.config_loader)
        self.hydra_context = replace(hydra_context, config_loader=cast(Any, self.loader))
        self.config, self.job, self.races = config, cast(Any, task_function), list[Race]()
        self.launcher = Plugins.instance().instantiate_launcher(self.hydra_context, task_function, config)

    def sweep(self, arguments: list[str]) -> list[Sequence[JobReturn]]:
        """Run the jobs that are not done.

        Raises
        ------
        ConfigError : a job is refused, or the disk has no room; none was begun.
        """
        folder = Path(str(self.config.hydra.sweep.dir))
        try:
            refuse_link(folder / SWEEP, alone=True)
            if Sweep.current is not None:
                Sweep.current.take_keys(self.config)
            space = self._space(arguments)
            proposals = _proposals(folder, space) if space.options.by == "optuna" else None
            jobs = space.jobs(space.random() if proposals is None else proposals.expected())
            plan = self._plan(jobs, folder)
            options = Sweep.current.race if Sweep.current is not None else RaceOptions()
            race = Race(jobs, plan.jobs, options) if options.on or proposals else None
            if race is not None and proposals is None and len(race.names) < 2:
                raise ConfigError("race.on: a single setting has nobody to race with; "
                                  "expected a key with several values, as alpha=0.1,0.3")  # fmt: skip
            if race is not None and len(options.rungs) > 1:
                pausing = [replace(job, pauses=number in race.first_jobs) for number, job in enumerate(plan.jobs)]
                plan = replace(plan, jobs=pausing)
            plan.check_disk()
        except BaseException:
            Sweep.current = None  # nothing was done of which a table could tell
            with contextlib.suppress(OSError):
                folder.rmdir()  # only if it is empty
            raise
        print(plan.text(), end="", flush=True)
        if not plan.keeps_weights:
            self.loader.keep_weights = False
        if Sweep.current is not None:
            Sweep.current.done.update(job.folder.resolve() for job in plan.jobs if job.done)
        if proposals is None:
            self._note_command(folder)
        if race is None:
            return self._launch([words for words, job in zip(jobs, plan.jobs, strict=True) if not job.done], folder)
        if proposals is not None:
            with proposals.locked(max(2, -(-plan.processes // race.first))):  # in later rounds each has one job
                self._note_command(folder)
                returned = self._launch_proposed(proposals, options, plan)
        else:
            self.races = [race]
            returned = self._launch_race(jobs, plan)
        if race.on and Sweep.current is not None:
            Sweep.current.answer = answer(self.races)
        return returned

    def _launch_proposed(
        self, proposals: "Proposals", options: RaceOptions, plan: SweepPlan
    ) -> list[Sequence[JobReturn]]:
        """Play what Optuna proposes, a race for each batch, in which the best setting so far takes part."""
        returned, best = list[Sequence[JobReturn]](), list[Setting]()
        known: dict[Setting, Scores] = {}
        for trials in proposals.batches():
            settings = list(dict.fromkeys([*best, *trials.values()]))
            jobs = proposals.space.jobs(settings)
            race = self._next_race(jobs, plan.folder, options)
            race.names = list(map(proposals.space.title, settings))
            race.elsewhere = np.vstack([race.elsewhere, *(known[key] for key in known if key not in settings)])
            if not all(map(proposals.is_told, trials)):
                print(f"trials {min(trials) + 1} to {max(trials) + 1} of {proposals.space.options.number}", flush=True)
                returned += self._launch_race(jobs, plan)
            known |= zip(settings, race.counted(), strict=True)
            values = dict(zip(settings, race.values(), strict=True))
            for trial, setting in trials.items():
                proposals.tell(trial, values[setting])
            left = dict(zip(settings, ~race.standing().stopped, strict=True))
            ranks = {setting: value for setting, value in values.items() if left[setting] and math.isfinite(value)}
            best = [max(ranks, key=ranks.__getitem__)] if race.on and ranks else best
        return returned

    def _next_race(self, jobs: Sequence[list[str]], folder: Path, options: RaceOptions) -> Race:
        """One of several races, whose errors are together that of one: 1/2 + 1/6 + 1/12 + ... = 1."""
        number = len(self.races) + 1
        self.races.append(Race(jobs, self._plan(jobs, folder).jobs, options, ERROR / number / (number + 1)))
        return self.races[-1]

    def _launch_race(self, jobs: Sequence[list[str]], plan: SweepPlan) -> list[Sequence[JobReturn]]:
        """Run what the next decision of the last race waits for, until nothing does."""
        race, returned = self.races[-1], list[Sequence[JobReturn]]()
        with contextlib.ExitStack() as stack:
            while due := race.due():
                self._show(race, stack)
                self.loader.pause_at = race.share
                returned += self._launch([jobs[number] for number in due], plan.folder, first=sum(map(len, returned)))
                race.note(due)
                self._settle(race, plan)
        self._settle(race, plan)
        return returned

    def _show(self, race: Race, stack: contextlib.ExitStack) -> None:
        """Say what is due: beside the one bar of a race while jobs run here, else in a line."""
        ahead = race.ahead()
        if not isinstance(self.launcher, CoresLauncher):
            print(f"{'race' if race.on else 'sweep'}: {ahead.words}", flush=True)
            return
        if self.launcher.round is None:
            bar = Progress("race, at most" if race.on else "sweep", ahead.most, done=ahead.played)
            stack.enter_context(contextlib.closing(bar))
            stack.callback(setattr, self.launcher, "round", None)
        else:
            bar = self.launcher.round.progress
        bar.expect(ahead.most)
        bar.update(ahead.played, note=ahead.words)
        self.launcher.round = Round(bar, ahead.words, ahead.worth)

    def _settle(self, race: Race, plan: SweepPlan) -> None:
        """Note what was decided. Jobs that do not go on leave no weights where those that do leave none."""
        if race.on:
            write_looks(plan.folder, self.races)
        for job in (race.plans[number] for number in race.stopped_jobs()):
            if not plan.weights(job):
                delete_paused_weights(RunFolder(job.folder))

    def _note_command(self, folder: Path) -> None:
        """In one step: whoever looks on may read it at any time."""
        folder.mkdir(parents=True, exist_ok=True)
        with new_file(folder / SWEEP) as file:
            file.write(OmegaConf.to_yaml(self.config).encode())

    def _launch(self, jobs: Sequence[list[str]], folder: Path, first: int = 0) -> list[Sequence[JobReturn]]:
        if not jobs:
            return []
        assert self.launcher is not None
        size, returned = self.max_batch_size or len(jobs), []
        for start in range(0, len(jobs), size):
            returned.append(self.launcher.launch(jobs[start : start + size], initial_job_idx=first + start))
            for job in returned[-1]:
                _ = job.return_value  # raises what kept it from beginning
        return returned

    def _space(self, arguments: list[str]) -> Space:
        """The settings of all jobs."""
        parser = OverridesParser.create(config_loader=self.hydra_context.config_loader)
        words = parser.parse_overrides([*(f"{key}={value}" for key, value in self.params.items()), *arguments])
        return Space(words, Sweep.current.trials if Sweep.current is not None else TrialOptions())

    def _plan(self, jobs: Sequence[list[str]], folder: Path) -> SweepPlan:
        """The plans of all jobs; those that are refused are named on the screen, each error once."""
        plans, refused, progress = [], dict[str, list[str]](), Progress("check", len(jobs))
        with contextlib.closing(progress):
            for number, words in enumerate(jobs, 1):
                cfg = self.loader.load_sweep_config(self.config, words)
                try:
                    plans.append(self._plan_of(cfg, folder))
                except ConfigError as error:
                    refused.setdefault(str(error), []).append(_name(words, jobs))
                progress.update(number)
        if refused:
            raise ConfigError(_refusal(refused, len(jobs)))
        if not isinstance(self.launcher, CoresLauncher):
            return SweepPlan(plans, len(plans), None, folder)
        cores = self.launcher.cores
        return SweepPlan(plans, max(1, cores // min((job.threads for job in plans), default=1)), cores, folder)

    def _plan_of(self, cfg: DictConfig, folder: Path) -> Plan:
        HydraConfig.instance().set_config(cfg)
        job = JobContext.of(cfg.hydra, folder / str(cfg.hydra.sweep.subdir))
        with open_dict(cfg):
            del cfg["hydra"]
        plan = Plan()
        try:
            plan = self.job.plan(cfg, job)
        except ConfigError:
            raise
        except (TdlError, OSError):  # a file that is missing or damaged: the job itself will say so
            pass
        known = (job.folder / HYDRA).is_dir()  # else the table would not find it
        return replace(plan, done=plan.done and known, folder=job.folder)


def _proposals(folder: Path, space: Space) -> "Proposals":
    try:
        from tdl.sweeps.proposals import Proposals
    except ImportError:
        raise ConfigError(f"trials.by=optuna: Optuna 4 or newer is not installed: {install('optuna')}") from None
    return Proposals(folder, space)


def _name(words: Sequence[str], jobs: Sequence[Sequence[str]]) -> str:
    """The words of a job in which it differs from the others."""
    differing = [word for word in words if not all(word in other for other in jobs)]
    return " ".join(filter_overrides(differing or words))


def _refusal(refused: Mapping[str, Sequence[str]], jobs: int) -> str:
    """One line; what does not fit in it is printed before."""
    lines = [f"{names[0]}: {error}" for error, names in refused.items()]
    number = sum(map(len, refused.values()))
    verdict = f"{number} of {jobs} jobs {'is' if number == 1 else 'are'} refused, so none was begun"
    if len(lines) == 1:
        return f"{lines[0]} ({verdict})"
    for line in lines[:MAX_ERRORS]:
        print(f"tdl: {line}", file=sys.stderr)
    return verdict
