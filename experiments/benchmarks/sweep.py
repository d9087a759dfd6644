"""What a sweep of short jobs costs beside their games, on one core and on all."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

import tdl.results
from experiments.benchmarks.harness import Row, main
from tdl.base import machine
from tdl.errors import TdlError


def measure(jobs: int = 20, seconds: float = 1.0) -> Iterator[Row]:
    """Seconds of two sweeps with tuples=2x4, and in played those of training and of games after it, of all jobs.

    added: how much longer the sweep took for each job than the games of all jobs one after another.

    jobs: of each sweep
    seconds: of training in each job
    """
    for cores in (1, machine.cores()):
        wall, played = sweep(jobs, seconds, cores)
        yield {"jobs": jobs, "cores": cores, "wall": wall, "played": played, "added": (wall - played) / jobs}


def sweep(jobs: int, seconds: float, cores: int) -> tuple[float, float]:
    """Seconds of a sweep, and of the games in it."""
    words = ["tuples=2x4", "episodes=100000000", "block=100", f"budget.seconds={seconds}", f"seed=range(0,{jobs})"]
    with tempfile.TemporaryDirectory(prefix="tdl-sweep-") as folder:
        words += [f"hydra.sweep.dir={folder}", f"hydra.launcher.cores={cores}"]
        start = time.perf_counter()
        process = subprocess.run([sys.executable, "-m", "tdl.run", "-m", *words], capture_output=True, text=True)
        wall = time.perf_counter() - start
        if process.returncode:
            raise TdlError(process.stderr.splitlines()[-1])
        table = tdl.results.runs(folder)
    return wall, float(table["seconds"].sum() + table["eval_seconds"].sum())


if __name__ == "__main__":
    main(measure)
