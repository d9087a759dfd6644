"""Hydra's sweeper `checked`: every combination of the values, all checked before the first job begins."""

import contextlib
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from hydra.core.hydra_config import HydraConfig
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.plugins import Plugins
from hydra.core.utils import JobReturn, filter_overrides
from hydra.plugins.sweeper import Sweeper
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig, OmegaConf, open_dict

from tdl.errors import ConfigError, TdlError
from tdl.runs.progress import Progress
from tdl.storage.run_folder import HYDRA, refuse_link
from tdl.sweeps import sweep
from tdl.sweeps.composing import JobLoader
from tdl.sweeps.context import JobContext
from tdl.sweeps.launcher import CoresLauncher
from tdl.sweeps.plan import JobFunction, Plan, SweepPlan

DESCRIPTION = "multirun.yaml"
"""What Hydra leaves in the folder of a sweep."""

SHOWN = 5
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
        self.hydra_context = replace(hydra_context, config_loader=cast(Any, JobLoader(hydra_context.config_loader)))
        self.config, self.job = config, cast(JobFunction, task_function)
        self.launcher = Plugins.instance().instantiate_launcher(self.hydra_context, task_function, config)

    def sweep(self, arguments: list[str]) -> list[Sequence[JobReturn]]:
        """Run the jobs that are not done.

        Raises
        ------
        ConfigError : a job is refused, or the disk has no room; none was begun.
        """
        folder = Path(str(self.config.hydra.sweep.dir))
        try:
            refuse_link(folder / DESCRIPTION, alone=True)
            jobs = self._jobs(arguments)
            plan = self._plan(jobs, folder)
            plan.check_disk()
        except BaseException:
            sweep.over()  # nothing was done of which a table could tell
            with contextlib.suppress(OSError):
                folder.rmdir()  # only if it is empty
            raise
        print(plan.text(), end="", flush=True)
        if not plan.keeps_weights:
            self.config.hydra.overrides.hydra.append("hydra.callbacks.sweep.keep_weights=false")
        sweep.note_done(job.folder for job in plan.jobs if job.done)
        return self._launch([words for words, job in zip(jobs, plan.jobs, strict=True) if not job.done], folder)

    def _launch(self, jobs: Sequence[list[str]], folder: Path) -> list[Sequence[JobReturn]]:
        if not jobs:
            return []
        folder.mkdir(parents=True, exist_ok=True)
        OmegaConf.save(self.config, folder / DESCRIPTION)
        assert self.launcher is not None
        size, returned = self.max_batch_size or len(jobs), []
        for first in range(0, len(jobs), size):
            returned.append(self.launcher.launch(jobs[first : first + size], initial_job_idx=first))
            for job in returned[-1]:
                _ = job.return_value  # raises what kept it from beginning
        return returned

    def _jobs(self, arguments: list[str]) -> list[list[str]]:
        """The words of each job."""
        from hydra._internal.core_plugins.basic_sweeper import BasicSweeper  # here: Hydra loads its plugins anew

        parser = OverridesParser.create(config_loader=self.hydra_context.config_loader)
        params = [f"{key}={value}" for key, value in self.params.items()]
        (jobs,) = BasicSweeper.split_arguments(parser.parse_overrides([*params, *arguments]), None)
        return jobs

    def _plan(self, jobs: Sequence[list[str]], folder: Path) -> SweepPlan:
        """The plans of all jobs; those that are refused are named on the screen, each error once."""
        plans, refused, progress = [], dict[str, list[str]](), Progress("check", len(jobs))
        with contextlib.closing(progress):
            for number, words in enumerate(jobs, 1):
                cfg = self.hydra_context.config_loader.load_sweep_config(self.config, list(words))
                try:
                    plans.append(self._plan_of(cfg, folder))
                except ConfigError as error:
                    refused.setdefault(str(error), []).append(_name(words, jobs))
                except (TdlError, OSError):  # a file that is missing or damaged: the job itself will say so
                    plans.append(Plan())
                progress.update(number)
        if refused:
            raise ConfigError(_refusal(refused, len(jobs)))
        cores, at_once = self._at_once(plans)
        return SweepPlan(plans, at_once, cores, folder)

    def _plan_of(self, cfg: DictConfig, folder: Path) -> Plan:
        HydraConfig.instance().set_config(cfg)
        job = JobContext.of(cfg.hydra, folder / str(cfg.hydra.sweep.subdir))
        with open_dict(cfg):
            del cfg["hydra"]
        plan = self.job.plan(cfg, job)
        known = (job.folder / HYDRA).is_dir()  # else the table would not find it
        return replace(plan, done=plan.done and known, folder=job.folder)

    def _at_once(self, plans: Sequence[Plan]) -> tuple[int | None, int]:
        """Cores that the jobs run on, if that is known, and how many run at once, at most."""
        if isinstance(self.launcher, CoresLauncher):
            cores = self.launcher.cores
            return cores, max(1, cores // min((job.threads for job in plans), default=1))
        return None, len(plans)


def _name(words: Sequence[str], jobs: Sequence[Sequence[str]]) -> str:
    """The words of a job in which it differs from the others."""
    differing = [word for word in words if not all(word in other for other in jobs)]
    return " ".join(filter_overrides(differing or words))


def _refusal(refused: dict[str, list[str]], jobs: int) -> str:
    """One line; what does not fit in it is printed before."""
    lines = [f"{words[0]}: {error}" for error, words in refused.items()]
    for line in lines[: SHOWN if len(lines) > 1 else 0]:
        print(f"tdl: {line}", file=sys.stderr)
    number = sum(map(len, refused.values()))
    verdict = f"{number} of {jobs} jobs {'is' if number == 1 else 'are'} refused, so none was begun"
    return f"{lines[0]} ({verdict})" if len(lines) == 1 else verdict
