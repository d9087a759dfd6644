"""Questions to a solved game, as lines of text: `b 2 2 0 0 0 0` asks for a board before a move, `a ...` after one."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tdl.errors import ConfigError
from tdl.game.boards import pack
from tdl.solver.solution import UNREACHABLE, Solution

KINDS = {"b": "before a move", "a": "after a move"}


@dataclass(frozen=True)
class Query:
    """One line: whether of an afterstate, and the tile indices, row by row. These may be larger than any tile."""

    after: bool
    tiles: tuple[int, ...]


def read_queries(path: Path, cells: int) -> list[Query]:
    """The questions in a file, one a line; empty lines at its end do not count."""
    try:
        lines = path.read_text(encoding="utf-8").rstrip().splitlines()
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: not a text file") from None
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
    if kind not in KINDS:
        raise ConfigError(f"{where}: begins with {kind!r}; expected b (before a move) or a (after a move)")
    for word in words:
        if not (word.isascii() and word.isdigit() and len(word) < 10):
            raise ConfigError(
                f"{where}: {word!r} is not a tile index; expected a whole number, 0 where a cell is empty"
            )
    if len(words) != cells:
        raise ConfigError(f"{where}: {len(words)} cells; expected the {cells} of the board")
    return Query(kind == "a", tuple(map(int, words)))
