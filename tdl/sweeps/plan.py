"""What a sweep is about to do: how many jobs, on how many cores, and the room they take on the disk."""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from omegaconf import DictConfig

from tdl.errors import ConfigError
from tdl.runs.disk import Disk
from tdl.sweeps.context import JobContext

MANY = 8
"""Of more jobs the weights are not kept, unless a key asks for them."""


@dataclass(frozen=True)
class Plan:
    """What is known of a job before it begins."""

    done: bool = False
    threads: int = 1
    disk: Disk = field(default_factory=Disk)
    used: int = 0  # bytes of its checkpoints that are there already
    final: bool | None = None  # whether its weights stay; None: the sweep decides
    asks_for_weights: bool = False  # it goes on with a run, or says which checkpoints are to stay
    folder: Path = Path()  # the job's own


Planner = Callable[[DictConfig, JobContext], Plan]
"""From the configuration of a job and its context to its plan; raises an error for a value that is not allowed."""


def no_plan(_cfg: DictConfig, _context: JobContext) -> Plan:
    """Of a program whose jobs are not known beforehand."""
    return Plan()


class JobFunction(Protocol):
    """The function of Hydra's jobs, as our sweeper and our launcher know it.

    Attributes
    ----------
    plan : of its program.
    defers : whether a job ends at once where another process works in its folder, to be begun again later.
    """

    plan: Planner
    defers: bool

    def __call__(self, cfg: DictConfig) -> Any:
        """Do a job."""


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
    def keeps_weights(self) -> bool:
        """Whether the weights of jobs stay that leave it to the sweep."""
        return len(self.jobs) <= MANY or any(job.asks_for_weights for job in self.jobs)

    def keeps_weights_of(self, job: Plan) -> bool:
        """Whether the weights of a job stay."""
        return self.keeps_weights if job.final is None else job.final

    def stays(self) -> int:
        """Bytes that are on the disk at the end, and are not now."""
        return sum(job.disk.records + self._weights(job) - job.used for job in self.to_do)

    def more_meanwhile(self) -> int:
        """Bytes besides these, while jobs run."""
        more = sorted((job.disk.peak - self._weights(job) for job in self.to_do), reverse=True)
        return sum(more[: self.at_once])

    def _weights(self, job: Plan) -> int:
        return job.disk.weights if self.keeps_weights_of(job) else 0

    def check_disk(self) -> None:
        """Refuse checkpoints for which there is no room; games need little, and a run may end before the last."""
        weights = sum(self._weights(job) - job.used for job in self.to_do)
        free, needed = free_bytes(self.folder), weights + self.more_meanwhile()
        if needed > free:
            raise ConfigError(
                f"out: {self.folder}: checkpoints will take {size_text(needed)} of its disk, and "
                f"{size_text(free)} are free; save.final=false leaves no weights, save.keep=1 one checkpoint a job"
            )

    def text(self) -> str:
        """The plan for people, in one line or two."""
        number, left = len(self.jobs), len(self.to_do)
        jobs = f"{number:,} {'job' if number == 1 else 'jobs'}"
        if not left:
            return f"{jobs}, already done; nothing to play\n"
        done = f", {number - left:,} of them already done" if left < number else ""
        cores = "" if self.cores is None else f", on {self.cores} {'core' if self.cores == 1 else 'cores'}"
        disk = f"{size_text(max(0, self.stays()))} of disk"
        if more := self.more_meanwhile():
            disk += f", and up to {size_text(more)} more while they run"
        text = f"{jobs}{done}{cores}; files will take {disk}\n"
        if any(job.final is None for job in self.to_do) and not self.keeps_weights:
            text += f"no weights stay, as these are more than {MANY} jobs; save.final=true keeps them\n"
        return text


def free_bytes(folder: Path) -> int:
    """Free room on the disk on which a folder lies or will lie."""
    there = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    return shutil.disk_usage(there).free


def size_text(size: float) -> str:
    """A number of bytes for people: "1.6 GB"."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 999.5:
            return f"{size:.2g} {unit}" if size < 9.95 and unit != "bytes" else f"{size:.0f} {unit}"
        size /= 1000
    return f"{size:.2g} TB" if size < 9.95 else f"{size:.0f} TB"
