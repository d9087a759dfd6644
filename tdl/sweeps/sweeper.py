"""Hydra's sweeper `checked`: every combination of the values, all checked before the first job begins."""

import contextlib
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hydra.core.hydra_config import HydraConfig
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.core.plugins import Plugins
from hydra.core.utils import filter_overrides
from omegaconf import DictConfig, OmegaConf

from tdl.errors import ConfigError, TdlError
from tdl.runs import job_folders
from tdl.runs.progress import Progress
from tdl.storage.run_folder import HYDRA, refuse_link
from tdl.sweeps import launcher, sweep
from tdl.sweeps.plan import Plan, Planner, SweepPlan, no_plan

Plugins.instance()  # loads Hydra's own plugins anew: the methods of a class imported before name another one
from hydra._internal.core_plugins.basic_sweeper import BasicSweeper  # noqa: E402

DESCRIPTION = "multirun.yaml"
"""What Hydra leaves in the folder of a sweep."""

SHOWN = 5
"""Errors of a refused sweep that are shown."""

HERE = ("CoresLauncher", "BasicLauncher")
"""Launchers with which this process knows how each job ended."""


class CheckedSweeper(BasicSweeper):
    """Checks all jobs, says how many there are and what they take, then runs those that are not done."""

    planner: Planner = staticmethod(no_plan)
    to_do: Sequence[list[str]] = ()

    def sweep(self, arguments: list[str]) -> Any:
        """Run the jobs that are not done.

        Raises
        ------
        ConfigError : a job is refused, or the disk has no room; none was begun.
        """
        assert self.config is not None
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
        self.to_do = [words for words, job in zip(jobs, plan.jobs, strict=True) if not job.done]
        for job in plan.jobs:
            if job.done and job.folder is not None:
                sweep.note_done(job.folder, here=type(self.launcher).__name__ in HERE)
        return super().sweep(arguments) if self.to_do else []

    def split_arguments(self, overrides: list[Override], max_batch_size: int | None) -> list[list[list[str]]]:  # type: ignore[override]
        """The jobs to do, in batches."""
        return [list(batch) for batch in self.split_overrides_to_chunks(list(self.to_do), max_batch_size)]

    def validate_batch_is_legal(self, batch: Sequence[Sequence[str]]) -> None:
        """All are checked already."""

    def _jobs(self, arguments: list[str]) -> list[list[str]]:
        """The words of each job."""
        assert self.hydra_context is not None
        parser = OverridesParser.create(config_loader=self.hydra_context.config_loader)
        (jobs,) = BasicSweeper.split_arguments(parser.parse_overrides([*self._parse_config(), *arguments]), None)
        return jobs

    def _plan(self, jobs: Sequence[list[str]], folder: Path) -> SweepPlan:
        """The plans of all jobs; those that are refused are named on the screen, each error once."""
        plans, refused, progress = [], dict[str, list[str]](), Progress("check", len(jobs))
        with contextlib.closing(progress):
            for number, words in enumerate(jobs, 1):
                cfg = self._composed(words)
                try:
                    own = OmegaConf.masked_copy(cfg, [str(key) for key in cfg if key != "hydra"])
                    with job_folders.looked_up():
                        job = folder / str(cfg.hydra.sweep.subdir)
                    plan = type(self).planner(own, job, words)
                    known = (job / HYDRA).is_dir()  # else the table would not find it
                    plans.append(replace(plan, done=plan.done and known, folder=job))
                except ConfigError as error:
                    refused.setdefault(str(error), []).append(_name(words, jobs))
                except (TdlError, OSError):  # a file that is missing or damaged: the job itself will say so
                    plans.append(Plan())
                progress.update(number)
        if refused:
            raise ConfigError(_refusal(refused, len(jobs)))
        cores, at_once = self._at_once(plans)
        return SweepPlan(plans, at_once, cores, folder)

    def _composed(self, words: list[str]) -> DictConfig:
        assert self.hydra_context is not None
        assert self.config is not None
        cfg = self.hydra_context.config_loader.load_sweep_config(self.config, words)
        if isinstance(self.launcher, launcher.CoresLauncher):
            self.launcher.keep(words, cfg)
        HydraConfig.instance().set_config(cfg)
        return cfg

    def _at_once(self, plans: Sequence[Plan]) -> tuple[int | None, int]:
        """Cores that the jobs run on, if that is known, and how many run at once, at most."""
        if isinstance(self.launcher, launcher.CoresLauncher):
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


# As in `launcher`: Hydra takes plugins from its own package only.
CheckedSweeper.__module__ = f"{launcher.PACKAGE}.tdl_sweeper"
sys.modules[CheckedSweeper.__module__] = sys.modules[__name__]


def register(planner: Planner) -> None:
    """Make the sweeper known to Hydra; it asks `planner` about each job."""
    CheckedSweeper.planner = staticmethod(planner)
    Plugins.instance().register(CheckedSweeper)
