"""Solve a small game exactly: `tdl solve game=2584 size=2x3`. All keys: `conf/solve.yaml`."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from omegaconf import MISSING, DictConfig

from tdl.base import machine
from tdl.cli.program import run_program
from tdl.config.agent import refuse_unused
from tdl.config.compose import Key, Schema, key_hash, keys, options_of
from tdl.config.schema import GAME, TILES, rules_of
from tdl.errors import ConfigError, refuse
from tdl.game.rules import Rules
from tdl.runs.environment import describe
from tdl.runs.progress import Progress
from tdl.solver import solution as solutions
from tdl.solver.queries import answers, read_queries
from tdl.storage.run_folder import FINISHED, RunFolder
from tdl.sweeps.job import JobContext


@dataclass(frozen=True, kw_only=True)
class SolveOptions:
    """What is solved, or asked of what is solved; `plain` are the keys that `result.json` has."""

    objective: str = MISSING
    tile: int | None = MISSING
    fold: bool = MISSING
    solution: str | None = MISSING
    query: str | None = MISSING
    rules: Rules
    plain: dict[str, Any]

    @classmethod
    def of(cls, cfg: DictConfig) -> Self:
        """The options that Hydra composed."""
        plain = SCHEMA.read(cfg)
        config = {key: value for key, value in plain.items() if key not in ("solution", "query")}
        return options_of(cls, "", plain, rules=rules_of(plain), plain=config)

    def __post_init__(self) -> None:
        if self.solution is not None and self.query is None:
            raise refuse("query", None, "the name of a file of boards, with solution=FOLDER")
        if self.query is not None and self.solution is None:
            raise refuse("solution", None, "the folder of a solved game, with query=FILE")
        if self.solution is None:
            solutions.check_objective(self.rules, self.objective, self.tile)


SCHEMA = Schema(__name__, {**GAME, **TILES, "size": Key(str), **keys(SolveOptions, without=("rules", "plain"))})


def job(cfg: DictConfig, context: JobContext) -> None:
    """Check everything; then solve a game, or answer questions on one that is solved."""
    options = SolveOptions.of(cfg)
    if options.solution is not None and options.query is not None:
        why = "a solution has its own rules and objective; only query goes with solution"
        refuse_unused(dict.fromkeys(context.keys, ""), ("solution", "query"), why)
        answer(Path(options.solution), Path(options.query))
        return
    folder = RunFolder(context.folder)
    with folder.lock():
        solve(options, folder)


def answer(folder: Path, query: Path) -> None:
    """Print the value of each board in the file `query`, one a line."""
    solution = solutions.load(folder)
    values = answers(solution, read_queries(query, solution.rules.cells))
    if values:
        print("\n".join(f"{value:.10g}" for value in values))


def solve(options: SolveOptions, folder: RunFolder) -> None:
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
            options.rules, options.objective, options.tile, fold=options.fold, on_progress=report
        )
    finally:
        progress.close()
    solutions.save(folder.path, solution)
    figures = {name: getattr(solution, name) for name in solutions.FIGURES}
    result = {
        "status": FINISHED,
        **figures,
        "rules": solution.rules.to_dict(),
        "config_hash": key_hash(options.plain),
        "config": options.plain,
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
    run_program("solve", job, SCHEMA)
