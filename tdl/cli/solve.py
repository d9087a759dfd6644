"""Solve a small game exactly: `tdl solve game=2584 size=2x3`. All keys: `conf/solve.yaml`."""

import time
from pathlib import Path

from omegaconf import DictConfig

from tdl.base import machine
from tdl.cli.program import run_program
from tdl.config import solve as solve_config
from tdl.config.compose import key_hash
from tdl.config.options import rules_of
from tdl.errors import ConfigError
from tdl.runs.environment import describe
from tdl.runs.progress import Progress
from tdl.solver import solution as solutions
from tdl.solver.queries import answers, read_queries
from tdl.storage.run_folder import FINISHED, RunFolder
from tdl.sweeps.job import JobContext


def job(cfg: DictConfig, context: JobContext) -> None:
    """Check everything; then solve a game, or answer questions on one that is solved."""
    settings = solve_config.read(cfg)
    if settings.solution is not None and settings.query is not None:
        solve_config.refuse_named(context.keys)
        answer(Path(settings.solution), Path(settings.query))
        return
    folder = RunFolder(context.folder)
    with folder.lock():
        solve(settings, folder)


def answer(folder: Path, query: Path) -> None:
    """Print the value of each board in the file `query`, one a line."""
    solution = solutions.load(folder)
    values = answers(solution, read_queries(query, solution.rules.cells))
    if values:
        print("\n".join(f"{value:.10g}" for value in values))


def solve(settings: solve_config.SolveConfig, folder: RunFolder) -> None:
    """Solve, print the figures, and leave them and the values in `folder`."""
    if folder.result.exists():
        raise ConfigError(f"out: {folder} holds results already; name another")
    start = time.perf_counter()
    progress = Progress("solve", 0)

    def report(phase: str, done: int, total: int | None) -> None:
        nonlocal progress
        if phase != progress.what:
            progress.close()
            progress = Progress(phase, total, "boards")
        progress.update(done)

    try:
        solution = solutions.solve(
            rules_of(settings), settings.objective, settings.tile, fold=settings.fold, on_progress=report
        )
    finally:
        progress.close()
    solutions.save(folder.path, solution)
    figures = {name: getattr(solution, name) for name in solutions.FIGURES}
    config = solve_config.to_plain(settings)
    result = {
        "status": FINISHED,
        **figures,
        "rules": solution.rules.to_dict(),
        "config_hash": key_hash(config),
        "config": config,
        "seconds": round(time.perf_counter() - start, 3),
        "peak_memory_bytes": machine.peak_memory(),
        **describe("none"),
    }
    folder.write_result(result)
    for name in ("optimal", "random", "before", "after", "largest"):
        print(name, f"{figures[name]:.12g}")
    print("solution", folder)


def main() -> None:
    """The command `tdl solve`."""
    run_program("solve", job, solve_config.SolveConfig)
