"""Hydra's launcher `cores`: jobs of a sweep at once on this machine, each in a process of its own.

Hydra's basic launcher runs one job after another in the process of the sweep: on one core, and what kills a job
kills the sweep.
"""

import copy
import signal
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from hydra.core.hydra_config import HydraConfig
from hydra.core.singleton import Singleton
from hydra.core.utils import JobReturn, JobStatus, filter_overrides, run_job, setup_globals
from hydra.plugins.launcher import Launcher
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig, open_dict

from tdl.base import machine
from tdl.base.checks import check_whole
from tdl.errors import Interrupted
from tdl.runs import resolvers
from tdl.runs.interrupts import Interrupts
from tdl.runs.progress import Progress
from tdl.storage.run_folder import RunFolder
from tdl.sweeps import table
from tdl.sweeps.job import BUSY_SECONDS, JobContext, JobFunction, Outcome, mark_failed, run_of
from tdl.sweeps.job_process import JobProcess, ended, fault
from tdl.sweeps.sweep import Sweep, note

LOOK_SECONDS = 0.2
"""Between two looks at what was asked of the sweep."""


@dataclass(eq=False)
class Task:
    """A job of the sweep, waiting or running.

    Attributes
    ----------
    config : composed when its turn has come; it is as large as a small network.
    not_before : a job that another process works on is looked at again.
    """

    number: int
    overrides: Sequence[str]
    config: DictConfig | None = None
    not_before: float = 0.0
    was_busy: bool = False

    @property
    def name(self) -> str:
        return " ".join(filter_overrides(self.overrides))

    def composed(self) -> DictConfig:
        assert self.config is not None
        return self.config

    def threads(self) -> int:
        return resolvers.threads(_root_=self.composed())

    @cached_property
    def context(self) -> JobContext:
        """From here on its folder is there."""
        config = self.composed()
        HydraConfig.instance().set_config(config)
        return JobContext.of(config.hydra, Path(str(config.hydra.sweep.dir)) / str(config.hydra.sweep.subdir))

    def wait(self) -> None:
        """Do not begin yet."""
        self.was_busy, self.not_before = True, time.monotonic() + BUSY_SECONDS


@dataclass
class Work:
    """What the process of a job does. Pickled, it takes along what Hydra knows in this process."""

    hydra_context: HydraContext
    job: JobFunction
    config: DictConfig

    def __call__(self) -> Outcome:
        Sweep.current = None  # this process is not that of the sweep
        returned = run_job(
            hydra_context=self.hydra_context,
            task_function=self.job,
            config=self.config,
            job_dir_key="hydra.sweep.dir",
            job_subdir_key="hydra.sweep.subdir",
        )
        outcome = returned.return_value  # raises what the job raised
        assert isinstance(outcome, Outcome)
        return outcome

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "instances": Singleton.get_state()["instances"]}  # resolvers cannot be pickled

    def __setstate__(self, state: dict[str, Any]) -> None:
        setup_globals()  # Hydra's resolvers; ours are there as soon as they are imported
        Singleton.set_state(Singleton.get_state() | {"instances": state.pop("instances")})
        vars(self).update(state)


class CoresLauncher(Launcher):
    """Runs as many jobs at once as there are cores for their threads; without `cores` all that it may use."""

    def __init__(self, cores: int | None = None) -> None:
        if cores is not None:
            check_whole("hydra.launcher.cores", cores, 1)
        self.cores = cores or machine.cores()
        self.waiting: deque[Task] = deque()
        self.running: dict[JobProcess, Task] = {}
        self.returned: dict[int, JobReturn] = {}

    def setup(self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig) -> None:
        """Hydra calls this first."""
        self.hydra_context, self.config = hydra_context, config
        self.job = cast(JobFunction, copy.copy(task_function))
        self.job.defers = True

    def launch(self, job_overrides: Sequence[Sequence[str]], initial_job_idx: int) -> Sequence[JobReturn]:
        """Run all jobs; after a signal those that run save and stop. Sweepers may call it again with further jobs."""
        setup_globals()
        self.returned.clear()
        self.waiting.extend(Task(initial_job_idx + i, overrides) for i, overrides in enumerate(job_overrides))
        self.progress, self.failed = Progress("sweep", len(job_overrides)), 0
        try:
            with Interrupts("when the jobs that run have saved") as interrupts:
                self._run_all(interrupts)
        finally:
            for process in self.running:  # only if something went wrong, or the second Ctrl-C
                process.send(signal.SIGKILL)
            self.progress.close()
        if interrupts.requested:
            folder = self.config.hydra.sweep.dir
            line = f"the sweep was stopped; the same command with out={folder} goes on"
            raise Interrupted(line, 128 + interrupts.requested)
        return [self.returned[number] for number in sorted(self.returned)]

    def _run_all(self, interrupts: Interrupts) -> None:
        passed_on, prepared = False, False
        while self.running or (self.waiting and not interrupts.requested):
            if not interrupts.requested:
                self._start_some()
            elif not passed_on:
                passed_on = True
                for process in self.running:
                    process.send(interrupts.requested)
            if not prepared:  # the first jobs run; those that start later have it from this process
                prepared = True
                table.prepare()
            if self.running:
                for process in ended(list(self.running), LOOK_SECONDS):
                    self._ended(self.running.pop(process), process.outcome())
            else:
                time.sleep(LOOK_SECONDS)
            failed = f", {self.failed} failed" if self.failed else ""
            self.progress.show(f"{len(self.running)} running{failed}")

    def _start_some(self) -> None:
        """Start what there is room for. A job with more threads than there are cores runs alone."""
        for task in list(self.waiting):
            if task.not_before > time.monotonic():
                continue
            try:
                self._compose(task)
                if task.was_busy and RunFolder(run_of(task.context.folder)).is_locked():
                    task.wait()
                elif self._has_room(task):
                    work = Work(self.hydra_context, self.job, task.composed())
                    self.running[JobProcess(work, task.context.folder)] = task
                    self.waiting.remove(task)
                else:
                    return
            except Exception as error:  # no memory for a process, a file of conf that was changed meanwhile
                self.waiting.remove(task)
                self._ended(task, fault(error))

    def _has_room(self, task: Task) -> bool:
        taken = sum(job.threads() for job in self.running.values())
        return not self.running or taken + task.threads() <= self.cores

    def _compose(self, task: Task) -> None:
        """Compose the configuration of a job, unless it is composed already."""
        if task.config is None:
            task.config = self.hydra_context.config_loader.load_sweep_config(self.config, list(task.overrides))
            with open_dict(task.config):
                task.config.hydra.job.id, task.config.hydra.job.num = str(task.number), task.number

    def _ended(self, task: Task, outcome: Outcome) -> None:
        if outcome.busy:
            task.wait()
            self.waiting.append(task)
            return
        if task.config is None:  # it could not be composed
            note(Path(str(self.config.hydra.sweep.dir)) / str(task.number), outcome)
        else:
            if not outcome.marked:
                mark_failed(task.context, task.config, outcome.line)
            note(task.context.folder, outcome)
        if outcome.line:
            self.progress.say(f"tdl: {task.name}: {outcome.line}")
        self.failed += bool(outcome.code)
        self.progress.update(self.progress.done + 1, note=task.name, every=0.0)
        returned = JobReturn(overrides=task.overrides, status=JobStatus.COMPLETED)
        returned.return_value = outcome
        self.returned[task.number] = returned
        task.config = None
