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
from functools import cached_property, partial
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
from tdl.sweeps.job import BUSY_SECONDS, JobContext, Outcome, mark_failed, run_of
from tdl.sweeps.job_process import JobProcess, ended, fault
from tdl.sweeps.race import Ahead
from tdl.sweeps.sweep import Sweep, note

LOOK_SECONDS = 0.2
"""Between two looks at what was asked of the sweep."""


@dataclass(eq=False)
class ComposedJob:
    """A job whose turn has come: its configuration is as large as a small network."""

    config: DictConfig

    @cached_property
    def context(self) -> JobContext:
        """From here on its folder is there."""
        HydraConfig.instance().set_config(self.config)
        sweep = self.config.hydra.sweep
        return JobContext.of(self.config.hydra, Path(str(sweep.dir)) / str(sweep.subdir))

    @property
    def threads(self) -> int:
        return resolvers.threads(_root_=self.config)

    @cached_property
    def uses_card(self) -> bool:
        return resolvers.uses_card(self.config)

    def is_worked_on(self) -> bool:
        return RunFolder(run_of(self.context.folder)).is_locked()


@dataclass(eq=False)
class Task:
    """A job of the sweep, waiting or running; one that another process works on is looked at again."""

    number: int
    words: Sequence[str]
    job: ComposedJob | None = None
    not_before: float = 0.0
    was_busy: bool = False

    @property
    def name(self) -> str:
        return " ".join(filter_overrides(self.words))

    def wait(self) -> None:
        """Do not begin yet."""
        self.was_busy, self.not_before = True, time.monotonic() + BUSY_SECONDS


def run_here(context: HydraContext, job: TaskFunction, config: DictConfig, singletons: dict[Any, Any]) -> Outcome:
    """Do a job in this process, which knows of Hydra what the process of the sweep knows."""
    Sweep.current = None  # this process is not that of the sweep
    setup_globals()  # Hydra's resolvers, which cannot be sent; ours are there as soon as they are imported
    Singleton.set_state(Singleton.get_state() | {"instances": singletons})
    outcome = run_job(
        hydra_context=context,
        task_function=job,
        config=config,
        job_dir_key="hydra.sweep.dir",
        job_subdir_key="hydra.sweep.subdir",
    ).return_value  # raises what the job raised
    assert isinstance(outcome, Outcome)
    return outcome


class CoresLauncher(Launcher):
    """Runs as many jobs at once as there are cores for their threads; without `cores` all that it may use.

    Of those that compute on a graphics card it runs `card_jobs` at once.
    """

    def __init__(self, cores: int | None = None, card_jobs: int = 1) -> None:
        if cores is not None:
            check_whole("hydra.launcher.cores", cores, 1)
        check_whole("hydra.launcher.card_jobs", card_jobs, 1)
        self.cores, self.card_jobs = cores or machine.cores(), card_jobs
        self.waiting: deque[Task] = deque()
        self.running: dict[JobProcess, Task] = {}
        self.returned: dict[int, JobReturn] = {}
        self.bar: Progress | None = None  # of a race that sends the jobs, and
        self.ahead = Ahead(0.0, 0.0, 1.0, "")  # what is said beside it

    def setup(self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig) -> None:
        """Hydra calls this first."""
        self.hydra_context, self.config = hydra_context, config
        self.job = cast(Any, copy.copy(task_function))
        self.job.defers = True

    def launch(self, job_overrides: Sequence[Sequence[str]], initial_job_idx: int) -> Sequence[JobReturn]:
        """Run all jobs; after a signal those that run save and stop. Sweepers may call it again with further jobs."""
        setup_globals()
        self.returned.clear()
        self.waiting.extend(Task(initial_job_idx + i, words) for i, words in enumerate(job_overrides))
        self.progress, self.failed = self.bar or Progress("sweep", len(job_overrides)), 0
        try:
            with Interrupts("when the jobs that run have saved") as interrupts:
                self._run_all(interrupts)
        finally:
            for process in self.running:  # only if something went wrong, or the second Ctrl-C
                process.send(signal.SIGKILL)
            if self.bar is None:
                self.progress.close()
        if interrupts.requested:
            folder = self.config.hydra.sweep.dir
            line = f"the sweep was stopped; the same command with {RunFolder(str(folder)).word('out')} goes on"
            raise Interrupted(line, 128 + interrupts.requested)
        return [self.returned[number] for number in sorted(self.returned)]

    def _run_all(self, interrupts: Interrupts) -> None:
        passed_on = False
        self._start_some()
        table.prepare()  # while the first jobs run; those that start later have it from this process
        while self.running or (self.waiting and not interrupts.requested):
            if not interrupts.requested:
                self._start_some()
            elif not passed_on:
                passed_on = True
                for process in self.running:
                    process.send(interrupts.requested)
            for process in ended(list(self.running), LOOK_SECONDS):
                self._ended(self.running.pop(process), process.outcome())
            failed = f", {self.failed} failed" if self.failed else ""
            self._show(0, f"{len(self.running)} running{failed}", every=10.0)

    def _show(self, ended: int, note: str, every: float) -> None:
        """Show how far all jobs are, with those that ended just now."""
        worth, words = self.ahead.worth, ", ".join(filter(None, [self.ahead.words, note]))
        part = sum(process.share for process in self.running) * worth
        self.progress.update(self.progress.done + ended * worth, note=words, part=part, every=every)

    def _start_some(self) -> None:
        """Start what there is room for. A job with more threads than there are cores runs alone."""
        for task in list(self.waiting):
            if task.not_before > time.monotonic():
                continue
            try:
                task.job = task.job or self._composed(task)
                taken = sum(running.job.threads for running in self.running.values() if running.job)
                if task.was_busy and task.job.is_worked_on():
                    task.wait()
                elif self.running and taken + task.job.threads > self.cores:
                    return
                elif task.job.uses_card and self._on_card() >= self.card_jobs:
                    continue
                else:
                    singletons = Singleton.get_state()["instances"]
                    work = partial(run_here, self.hydra_context, self.job, task.job.config, singletons)
                    self.running[JobProcess(work, task.job.context.folder)] = task
                    self.waiting.remove(task)
            except Exception as error:  # no memory for a process, a file of conf that was changed meanwhile
                self.waiting.remove(task)
                self._ended(task, fault(error))

    def _on_card(self) -> int:
        """Jobs that compute on a graphics card."""
        return sum(task.job is not None and task.job.uses_card for task in self.running.values())

    def _composed(self, task: Task) -> ComposedJob:
        config = self.hydra_context.config_loader.load_sweep_config(self.config, list(task.words))
        with open_dict(config):
            config.hydra.job.id, config.hydra.job.num = str(task.number), task.number
        return ComposedJob(config)

    def _ended(self, task: Task, outcome: Outcome) -> None:
        if outcome.busy:
            task.wait()
            self.waiting.append(task)
            return
        if task.job is None:  # it could not be composed
            note(Path(str(self.config.hydra.sweep.dir)) / str(task.number), outcome)
        else:
            if not outcome.marked:
                mark_failed(task.job.context, task.job.config, outcome.line)
            note(task.job.context.folder, outcome)
        if outcome.line:
            self.progress.say(f"tdl: {task.name}: {outcome.line}")
        self.failed += bool(outcome.code)
        self._show(1, task.name, every=0.0)
        returned = JobReturn(overrides=task.words, status=JobStatus.COMPLETED)
        returned.return_value = outcome
        self.returned[task.number] = returned
