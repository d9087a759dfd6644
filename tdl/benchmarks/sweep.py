"""What a sweep of short jobs costs beside their games, on one core and on all."""

import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

import tdl.results
from tdl import machine
from tdl.benchmarks.paired import progress
from tdl.benchmarks.registry import Report
from tdl.checks import check_above_zero, check_whole
from tdl.errors import TdlError
from tdl.runs import environment


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--jobs", type=int, default=20, help="(20)")
    parser.add_argument("--seconds", type=float, default=1.0, help="of training in each (1)")


def measure(options: Namespace) -> Report:
    """Two sweeps with `tuples=2x4`.

    For `one core` and `all cores`: `wall`, `played` (seconds of training and of games after it, of all jobs) and
    `added`: how much longer the sweep took for each job than the games of all jobs one after another.
    """
    jobs, cores = options.jobs, machine.cores()
    check_whole("--jobs", jobs, 1)
    check_above_zero("--seconds", options.seconds)
    figures: dict[str, Any] = {"jobs": jobs, "cores": cores, **environment.describe("")}
    with progress("sweeps", 2) as advance:
        for name, used in (("one core", 1), ("all cores", cores)):
            with tempfile.TemporaryDirectory(prefix="tdl-sweep-") as folder:
                wall, played = _sweep(Path(folder), jobs, options.seconds, used)
            figures[name] = {"wall": wall, "played": played, "added": (wall - played) / jobs}
            advance()
    return Report(figures, text(figures))


def _sweep(folder: Path, jobs: int, seconds: float, cores: int) -> tuple[float, float]:
    """Seconds of a sweep, and of the games in it."""
    words = ("tuples=2x4", "episodes=100000000", "block=100", f"budget.seconds={seconds}", f"seed=range(0,{jobs})")
    where = (f"hydra.sweep.dir={folder}", f"hydra.launcher.cores={cores}")
    start = time.perf_counter()
    process = subprocess.run(
        [sys.executable, "-m", "tdl.run", "-m", *words, *where], capture_output=True, text=True, check=False
    )
    wall = time.perf_counter() - start
    if process.returncode:
        raise TdlError(process.stderr.splitlines()[-1])
    table = tdl.results.runs(folder)
    return wall, float(table["seconds"].sum() + table["eval_seconds"].sum())


def text(figures: dict[str, Any]) -> str:
    """The figures for people."""
    rows = [
        f"{name:>10}: {part['wall']:.1f} s for {part['played']:.1f} s of games, {part['added']:.2f} s more for a job"
        for name, part in figures.items()
        if isinstance(part, dict) and "added" in part
    ]
    return "\n".join([f"{figures['jobs']} jobs, {figures['cores']} cores, {figures['cpu']}", *rows])
