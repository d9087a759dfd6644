"""What a sweep costs beside its games: short jobs on one core, and on all."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import tdl.results
from tdl.checks import check_above_zero, check_whole
from tdl.errors import TdlError
from tdl.runs import environment
from tdl.runs.progress import Progress


def measure(jobs: int, seconds: float) -> dict[str, Any]:
    """Sweeps of so many jobs of so many seconds, with `tuples=2x4`.

    Returns
    -------
    for `one core` and `all cores`: `wall`, `played` (seconds of training and of games after it, of all jobs) and
    `added`: for each job, how much longer the sweep took than the games of one after another.

    Raises
    ------
    ConfigError : a number out of range.
    TdlError : the sweep failed.
    """
    check_whole("--jobs", jobs, 1)
    check_above_zero("--seconds", seconds)
    cores, progress = environment.cores(), Progress("sweeps", 2)
    figures: dict[str, Any] = {"jobs": jobs, "cores": cores, **environment.describe("")}
    for done, (name, used) in enumerate((("one core", 1), ("all cores", cores))):
        progress.update(done)
        with tempfile.TemporaryDirectory(prefix="tdl-sweep-") as place:
            wall, played = _sweep(Path(place), jobs, seconds, used)
        figures[name] = {"wall": wall, "played": played, "added": (wall - played) / jobs}
    progress.close()
    return figures


def text(figures: dict[str, Any]) -> str:
    """For people."""
    rows = [
        f"{name:>10}: {part['wall']:.1f} s for {part['played']:.1f} s of games, {part['added']:.2f} s more for a job"
        for name, part in figures.items()
        if isinstance(part, dict) and "added" in part
    ]
    return "\n".join([f"{figures['jobs']} jobs, {figures['cores']} cores, {figures['cpu']}", *rows])


def _sweep(folder: Path, jobs: int, seconds: float, cores: int) -> tuple[float, float]:
    words = ("tuples=2x4", "episodes=100000000", "block=100", f"budget.seconds={seconds}", f"seed=range(0,{jobs})")
    where = (f"hydra.sweep.dir={folder}", f"hydra.launcher.cores={cores}")
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "tdl.run", "-m", *words, *where], capture_output=True, text=True, check=False
    )
    wall = time.perf_counter() - start
    if done.returncode:
        raise TdlError(done.stderr.splitlines()[-1])
    table = tdl.results.runs(folder)
    return wall, float(table["seconds"].sum() + table["eval_seconds"].sum())
