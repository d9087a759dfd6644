"""Hydra's sweeper `checked`: every combination of the values, all checked before the first job begins."""

import contextlib
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from hydra.core.hydra_config import HydraConfig
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.plugins import Plugins
from hydra.plugins.sweeper import Sweeper
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig, OmegaConf, open_dict

from tdl.base.distribution import install
from tdl.errors import ConfigError, TdlError
from tdl.runs.progress import Progress
from tdl.storage.atomic import new_file
from tdl.storage.run_folder import HYDRA, SWEEP, refuse_link
from tdl.sweeps.job import JobContext, Plan
from tdl.sweeps.job_loader import JobLoader
from tdl.sweeps.launcher import CoresLauncher
from tdl.sweeps.plan import SweepPlan
from tdl.sweeps.race import RaceOptions, names_of
from tdl.sweeps.rounds import Rounds
from tdl.sweeps.sweep import Sweep
from tdl.sweeps.trials import Space, TrialOptions

if TYPE_CHECKING:
    from tdl.sweeps.proposals import Proposals  # an extra

MAX_ERRORS = 5
"""Errors of a refused sweep that are shown."""


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
        self.config, self.job, self.sent = config, cast(Any, task_function), 0
        self.launcher = Plugins.instance().instantiate_launcher(self.hydra_context, task_function, config)

    def sweep(self, arguments: list[str]) -> None:
        """Run the jobs that are not done.

        Raises
        ------
        ConfigError : a job is refused, or the disk has no room; none was begun.
        """
        self.folder = Path(str(self.config.hydra.sweep.dir))
        try:
            refuse_link(self.folder / SWEEP, alone=True)
            if Sweep.current is not None:
                Sweep.current.take_keys(self.config)
            jobs, proposals = self._jobs(arguments)
            plan, rounds = self._plan(jobs), None
            options = Sweep.current.race if Sweep.current is not None else RaceOptions()
            if options.on or proposals:
                rounds = Rounds(jobs, plan, options, self.launcher)
                plan = rounds.plan
            plan.check_disk()
        except BaseException:
            Sweep.current = None  # nothing was done of which a table could tell
            with contextlib.suppress(OSError):
                self.folder.rmdir()  # only if it is empty
            raise
        self._begin(plan)
        if proposals is None:
            self._note_command()
        if rounds is None:
            self._launch([words for words, job in zip(jobs, plan.jobs, strict=True) if not job.done])
        elif proposals is None:
            rounds.play(self._launch)
        else:
            with proposals.locked(rounds.batch):
                self._note_command()
                rounds.play_proposed(proposals, self._plan, self._launch)
        if rounds is not None and Sweep.current is not None:
            Sweep.current.answer = rounds.answer()

    def _jobs(self, arguments: Sequence[str]) -> tuple[list[list[str]], "Proposals | None"]:
        """The words of all jobs; where Optuna proposes settings, of those that may come, and who proposes them."""
        parser = OverridesParser.create(config_loader=self.hydra_context.config_loader)
        words = parser.parse_overrides([*(f"{key}={value}" for key, value in self.params.items()), *arguments])
        space = Space(words, Sweep.current.trials if Sweep.current is not None else TrialOptions())
        if space.options.by != "optuna":
            return space.jobs(space.random()), None
        proposals = _proposals(self.folder, space)
        return space.jobs(proposals.expected()), proposals

    def _begin(self, plan: SweepPlan) -> None:
        """Say what is about to be done, and note what is known of it."""
        print(plan.text(), end="", flush=True)
        if not plan.keeps_weights:
            self.loader.keep_weights = False
        if Sweep.current is not None:
            Sweep.current.done.update(job.folder.resolve() for job in plan.jobs if job.done)

    def _note_command(self) -> None:
        """In one step: whoever looks on may read it at any time."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with new_file(self.folder / SWEEP) as file:
            file.write(OmegaConf.to_yaml(self.config).encode())

    def _launch(self, jobs: Sequence[list[str]], share: float = 1.0) -> None:
        """Run jobs up to a share of their budget."""
        if not jobs:
            return
        assert self.launcher is not None
        self.loader.pause_at, size = share, self.max_batch_size or len(jobs)
        for start in range(0, len(jobs), size):
            for job in self.launcher.launch(jobs[start : start + size], initial_job_idx=self.sent):
                self.sent += 1
                _ = job.return_value  # raises what kept it from beginning

    def _plan(self, jobs: Sequence[list[str]]) -> SweepPlan:
        """The plans of all jobs; those that are refused are named on the screen, each error once."""
        plans, refused, progress = [], dict[str, list[int]](), Progress("check", len(jobs))
        with contextlib.closing(progress):
            for number, words in enumerate(jobs):
                cfg = self.loader.load_sweep_config(self.config, words)
                try:
                    plans.append(self._plan_of(cfg))
                except ConfigError as error:
                    refused.setdefault(str(error), []).append(number)
                progress.update(number + 1)
        if refused:
            raise ConfigError(_refusal(refused, names_of(list(map(tuple, jobs)))))
        if not isinstance(self.launcher, CoresLauncher):
            return SweepPlan(plans, len(plans), None, self.folder)
        cores = self.launcher.cores
        return SweepPlan(plans, max(1, cores // min((job.threads for job in plans), default=1)), cores, self.folder)

    def _plan_of(self, cfg: DictConfig) -> Plan:
        HydraConfig.instance().set_config(cfg)
        job = JobContext.of(cfg.hydra, self.folder / str(cfg.hydra.sweep.subdir))
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


def _refusal(refused: Mapping[str, Sequence[int]], names: Sequence[str]) -> str:
    """One line; what does not fit in it is printed before."""
    lines = [f"{names[numbers[0]]}: {error}" for error, numbers in refused.items()]
    number = sum(map(len, refused.values()))
    verdict = f"{number} of {len(names)} jobs {'is' if number == 1 else 'are'} refused, so none was begun"
    if len(lines) == 1:
        return f"{lines[0]} ({verdict})"
    for line in lines[:MAX_ERRORS]:
        print(f"tdl: {line}", file=sys.stderr)
    return verdict
