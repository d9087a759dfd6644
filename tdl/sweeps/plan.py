"""What a sweep is about to do: how many jobs, on how many cores, and the room they take on the disk."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tdl.base import machine
from tdl.errors import ConfigError
from tdl.runs.disk_space import size_text
from tdl.runs.forecast import time_text
from tdl.sweeps.job import Plan

MANY = 8
"""Of more jobs the weights are not kept, unless a key asks for them."""


@dataclass(frozen=True)
class SweepPlan:
    """The jobs of a sweep.

    Parameters
    ----------
    jobs : the plan of each.
    at_once : how many run at once, at most.
    cores : how many they run on; None: nobody knows.
    folder : of the sweep.
    """

    jobs: Sequence[Plan]
    at_once: int
    cores: int | None
    folder: Path

    @property
    def to_do(self) -> list[Plan]:
        """The jobs that are not done."""
        return [job for job in self.jobs if not job.done]

    @property
    def processes(self) -> int:
        """How many run at once, where nobody knows as many as this machine has cores."""
        return self.at_once if self.cores is not None else min(self.at_once, machine.cores())

    @property
    def keeps_weights(self) -> bool:
        """Whether the weights of jobs stay that leave it to the sweep."""
        return len(self.jobs) <= MANY or any(job.asks_for_weights for job in self.jobs)

    def weights(self, job: Plan) -> int:
        """Bytes of the checkpoints that a job leaves."""
        stay = self.keeps_weights if job.final is None else job.final
        return job.disk.weights if stay else 0

    def more_meanwhile(self) -> int:
        """Bytes besides those that stay, while jobs run and others are paused."""
        there = [job.disk.weights if job.pauses else self.weights(job) for job in self.to_do]
        running = sorted((job.disk.peak - size for job, size in zip(self.to_do, there, strict=True)), reverse=True)
        return sum(there) - sum(map(self.weights, self.to_do)) + sum(running[: self.at_once])

    def check_disk(self) -> None:
        """Refuse checkpoints for which there is no room; games need little, and a run may end before the last."""
        free = free_bytes(self.folder)
        needed = sum(self.weights(job) - job.used for job in self.to_do) + self.more_meanwhile()
        if needed > free:
            paused = ", race.rungs=[1] none that wait" if any(job.pauses for job in self.to_do) else ""
            raise ConfigError(
                f"out: {self.folder}: checkpoints will take {size_text(needed)} of its disk, and {size_text(free)} "
                f"are free; save.final=false leaves no weights, save.keep=1 one checkpoint a job{paused}"
            )

    def length(self) -> str:
        """How long it will take, where budgets of time say so; else how many games it trains."""
        seconds = [job.seconds for job in self.to_do if job.seconds is not None]
        if len(seconds) == len(self.to_do):
            return f", {time_text(max(*seconds, sum(seconds) / self.at_once))} of training"
        games = sum(job.games for job in self.to_do)
        return f", {games:,} games" if games else ""

    def text(self) -> str:
        """The plan for people, in one line or two."""
        number, left = len(self.jobs), len(self.to_do)
        jobs = f"{number:,} {'job' if number == 1 else 'jobs'}"
        if not left:
            return f"{jobs}, already done; nothing to play\n"
        length = self.length()
        done = f", {number - left:,} of them already done" if left < number else ""
        cores = "" if self.cores is None else f", on {self.cores} {'core' if self.cores == 1 else 'cores'}"
        stay = sum(job.disk.records + self.weights(job) - job.used for job in self.to_do)
        text = f"{jobs}{done}{cores}{length}; files will take {size_text(max(0, stay))} of disk"
        if more := self.more_meanwhile():
            text += f", and up to {size_text(more)} more while they run"
            text += " or are paused" if any(job.pauses for job in self.to_do) else ""
        if any(job.final is None for job in self.to_do) and not self.keeps_weights:
            text += f"\nno weights stay, as these are more than {MANY} jobs; save.final=true keeps them"
        return f"{text}\n"


def free_bytes(folder: Path) -> int:
    """Free room on the disk on which a folder lies or will lie."""
    above = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    return shutil.disk_usage(above).free
