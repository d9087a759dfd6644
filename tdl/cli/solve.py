"""Solve a small game exactly: `tdl solve game=2584 size=2x3`. All keys: `conf/solve.yaml`."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from omegaconf import MISSING, DictConfig

from tdl.base import machine
from tdl.cli.program import run_program
from tdl.config.agent import refuse_unused
from tdl.config.compose import Key, Schema, key_hash, keys, options_of
from tdl.config.schema import GAME, TILES, rules_of
from tdl.errors import ConfigError, refuse, shown
from tdl.game.boards import pack
from tdl.game.rules import Rules
from tdl.runs.environment import describe
from tdl.runs.progress import Progress
from tdl.solver import solution as solutions
from tdl.solver.solution import UNREACHABLE, Solution
from tdl.storage.reading import read_text
from tdl.storage.run_folder import FINISHED, RunFolder
from tdl.sweeps.job import JobContext


@dataclass(frozen=True, kw_only=True)
class SolveOptions:
    """What is solved, or asked of what is solved; `config` has the keys that `result.json` has."""

    objective: str = MISSING
    tile: int | None = MISSING
    fold: bool = MISSING
    solution: str | None = MISSING
    query: str | None = MISSING
    rules: Rules
    config: dict[str, Any]

    @classmethod
    def of(cls, cfg: DictConfig) -> Self:
        """The options that Hydra composed."""
        values = SCHEMA.read(cfg)
        config = {key: value for key, value in values.items() if key not in ("solution", "query")}
        return options_of(cls, "", values, rules=rules_of(values), config=config)

    def __post_init__(self) -> None:
        if self.solution is not None and self.query is None:
            known = "the name of a file of boards, with solution=FOLDER; to solve a game, give size=2x3"
            raise refuse("query", None, known)
        if self.query is not None and self.solution is None:
            raise refuse("solution", None, "the folder of a solved game, with query=FILE")
        if self.solution is None:
            solutions.check_objective(self.rules, self.objective, self.tile)


SCHEMA = Schema(__name__, {**GAME, **TILES, "size": Key(str), **keys(SolveOptions, without=("rules", "config"))})


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
        "config_hash": key_hash(options.config),
        "config": options.config,
        "seconds": round(time.perf_counter() - start, 3),
        "peak_memory_bytes": machine.peak_memory(),
        **describe("none"),
    }
    folder.write_result(result)
    for name in ("optimal", "random", "before", "after", "largest"):
        print(name, f"{figures[name]:.12g}")
    print("solution", folder)


MAX_QUERIES = 1 << 24
"""Bytes of a file of questions: a million of them."""

QUESTIONS = {"b": "before a move", "a": "after a move"}
"""The first word of a question, and which boards it asks for."""


@dataclass(frozen=True)
class Query:
    """One line: whether of an afterstate, and the tile indices, row by row. These may be larger than any tile."""

    after: bool
    tiles: tuple[int, ...]


def read_queries(path: Path, cells: int) -> list[Query]:
    """The questions in a file, one a line; empty lines at its end do not count."""
    lines = read_text(path, MAX_QUERIES).rstrip().splitlines()
    return [_query(f"{path}: line {number}", line, cells) for number, line in enumerate(lines, 1)]


def answers(solution: Solution, queries: list[Query]) -> list[float]:
    """The value of each board in turn; -1 where no game comes to it."""
    values, rules = np.full(len(queries), UNREACHABLE), solution.rules
    for after in (False, True):
        asked = [i for i, query in enumerate(queries) if query.after == after and max(query.tiles) <= rules.largest]
        boards = [pack(list(queries[i].tiles), rules) for i in asked]
        values[asked] = solution.values_of(np.array(boards, np.uint64), after=after)
    return [float(value) for value in values]


def _query(where: str, line: str, cells: int) -> Query:
    kind, *words = line.split() or [""]
    if kind not in QUESTIONS:
        raise ConfigError(f"{where}: begins with {shown(kind)}; expected b (before a move) or a (after a move)")
    for word in words:
        if not (word.isascii() and word.isdigit() and len(word) < 10):
            raise ConfigError(
                f"{where}: {word!r} is not a tile index; expected a whole number, 0 where a cell is empty"
            )
    if len(words) != cells:
        raise ConfigError(f"{where}: {len(words)} cells; expected the {cells} of the board")
    return Query(kind == "a", tuple(map(int, words)))


def main() -> None:
    """The command `tdl solve`."""
    run_program("solve", job, SCHEMA)
