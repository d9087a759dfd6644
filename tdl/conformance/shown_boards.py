"""How observations show boards: found by what fits, without being told."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tdl.conformance.evidence import Boards
from tdl.conformance.slides import tile_values
from tdl.conformance.subject import BOARD, Leaves
from tdl.game.rules import Rules

Read = Callable[[NDArray[Any]], Boards]

UNREADABLE = 255
"""The tile index of a cell that shows no tile of the game."""

MAX_PLANES = 64
"""Of one-hot observations: some have more than there are tiles."""

NEAR = 0.05
"""A number may differ from that of its tile by this part of the way to the next tile."""


class Reading(NamedTuple):
    """Boards of tile indices, one for each row of the leaf `path`; `text` says how they are shown."""

    path: str
    text: str
    read: Read

    def boards(self, leaves: Leaves) -> Boards:
        """The boards of these leaves."""
        return self.read(leaves[self.path])


def possible_readings(leaves: Leaves, rules: Rules) -> Iterator[Reading]:
    """All ways to read boards that most of these leaves can be read in, the likeliest first."""
    for path in sorted(leaves, key=lambda path: (path != BOARD, path.startswith("info"))):
        leaf = leaves[path]
        size = leaf[0].size
        if size == rules.cells:
            yield from _numbers(path, leaf, rules)
        elif path != BOARD and size % rules.cells == 0 and size // rules.cells <= MAX_PLANES:
            yield from _one_hot(path, leaf, rules)


def _numbers(path: str, leaf: NDArray[Any], rules: Rules) -> Iterator[Reading]:
    """Readings as numbers: of tile values or exponents, as they are, or in other units."""
    seen = np.unique(leaf.astype(np.float64))
    if len(seen) < 2 or not np.isfinite(seen).all():
        return
    values, indices = tile_values(rules).astype(np.float64), np.arange(rules.largest + 2.0)
    names = {"tile values": values} if path == BOARD else {"tile values": values, "exponents": indices}
    step, least = seen[1] - seen[0], min(tile for tile, _ in rules.drop)
    exact = [(name, levels, 1.0, 0.0) for name, levels in names.items()]
    for name, levels, scale, empty in exact + [(name, lev, step / lev[least], seen[0]) for name, lev in names.items()]:
        reading = Reading(path, name + _units(scale, empty), _of_numbers(levels * scale + empty, rules.cells))
        tiles = reading.boards({path: leaf})
        if np.count_nonzero((tiles > 0) & (tiles != UNREADABLE)) >= 0.5 * np.count_nonzero(tiles):
            yield reading


def _units(scale: float, empty: float) -> str:
    """What numbers were multiplied with, and what was added."""
    factor = f" / {1 / scale:.6g}" if 0 < scale < 1 else f" x {scale:.6g}"
    return (factor if scale != 1 else "") + (f" {empty:+.6g}" if empty else "")


def _of_numbers(levels: NDArray[np.float64], cells: int) -> Read:
    """Reads a number for each cell; `levels[i]` is that of tile index i."""
    gaps = np.diff(levels)
    limits, margins = levels[:-1] + gaps / 2, NEAR * gaps[[0, *range(len(gaps))]]

    def read(leaf: NDArray[Any]) -> Boards:
        numbers = leaf.reshape(-1, cells)
        tiles = np.searchsorted(limits, numbers)
        near = np.abs(levels[tiles] - numbers) <= margins[tiles]  # nan is not
        return np.where(near, tiles, UNREADABLE).astype(np.uint8)

    return read


def _one_hot(path: str, leaf: NDArray[Any], rules: Rules) -> Iterator[Reading]:
    """Readings as planes, first or last, with one for empty cells or without."""
    for last in (False, True):
        planes = _planes(leaf, rules.cells, last=last) != 0
        marks = planes.sum(axis=1)
        if len(np.unique(leaf)) > 2 or (marks <= 1).mean() < 0.9:
            continue
        with_empty = (marks == 1).mean() > 0.9
        first = 0 if with_empty or not planes[:, 0].any() else 1
        text = f"one-hot, planes {'last' if last else 'first'}, {'one' if with_empty else 'none'} for empty cells"
        yield Reading(path, text, _of_planes(first, rules.cells, last=last))


def _planes(leaf: NDArray[Any], cells: int, *, last: bool) -> NDArray[Any]:
    """Planes of shape (n, planes, cells)."""
    return leaf.reshape(len(leaf), cells, -1).transpose(0, 2, 1) if last else leaf.reshape(len(leaf), -1, cells)


def _of_planes(first: int, cells: int, *, last: bool) -> Read:
    """Reads a plane for each tile; plane 0 is that of tile index `first`."""

    def read(leaf: NDArray[Any]) -> Boards:
        planes = _planes(leaf, cells, last=last) != 0
        tiles = np.where(planes.any(axis=1), planes.argmax(axis=1) + first, 0)
        return np.where(planes.sum(axis=1) <= 1, tiles, UNREADABLE).astype(np.uint8)

    return read
