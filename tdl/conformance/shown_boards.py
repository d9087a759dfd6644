"""How observations show boards: found by what fits, without being told."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tdl.conformance.evidence import Boards
from tdl.conformance.slides import tile_values
from tdl.conformance.subject import BOARD, Leaves
from tdl.game.rules import Rules

UNREADABLE = 255
"""The tile index of a cell that shows no tile of the game."""

MAX_PLANES = 64
"""Of one-hot observations: some have more than there are tiles."""

NEAR = 0.05
"""A number may differ from that of its tile by this part of the way to the next tile."""


@dataclass(frozen=True)
class Numbers:
    """A number for each cell; `levels[i]` is that of tile index i."""

    path: str
    text: str
    levels: NDArray[np.float64]
    cells: int

    def boards(self, leaves: Leaves) -> Boards:
        """Boards of tile indices, one for each row of the leaf."""
        numbers = leaves[self.path].reshape(-1, self.cells)
        limits, margins = self._limits
        tiles = np.searchsorted(limits, numbers)
        far = ~(np.abs(self.levels[tiles] - numbers) <= margins[tiles])  # also nan
        tiles[far] = UNREADABLE
        return tiles.astype(np.uint8)

    @cached_property
    def _limits(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Half way between tiles, and how far a number may be from that of its tile."""
        gaps = np.diff(self.levels)
        return self.levels[:-1] + gaps / 2, NEAR * gaps[[0, *range(len(gaps))]]


@dataclass(frozen=True)
class Planes:
    """A plane for each tile; plane 0 is that of tile index `first`."""

    path: str
    text: str
    last: bool
    first: int
    cells: int

    def boards(self, leaves: Leaves) -> Boards:
        """Boards of tile indices, one for each row of the leaf."""
        planes = _planes(leaves[self.path], self.cells, self.last) != 0
        tiles = np.where(planes.any(axis=1), planes.argmax(axis=1) + self.first, 0)
        return np.where(planes.sum(axis=1) <= 1, tiles, UNREADABLE).astype(np.uint8)


Reading = Numbers | Planes


def _planes(leaf: NDArray[np.generic], cells: int, last: bool) -> NDArray[np.generic]:
    """Planes of shape (n, planes, cells)."""
    if last:
        return leaf.reshape(len(leaf), cells, -1).transpose(0, 2, 1)
    return leaf.reshape(len(leaf), -1, cells)


def possible_readings(leaves: Leaves, rules: Rules) -> Iterator[Reading]:
    """All ways to read boards that most of these leaves can be read in, the likeliest first."""
    for path in sorted(leaves, key=lambda path: (path != BOARD, path.startswith("info"))):
        leaf = leaves[path]
        size = leaf[0].size
        if size == rules.cells:
            yield from _numbers(path, leaf, rules)
        elif path != BOARD and size % rules.cells == 0 and size // rules.cells <= MAX_PLANES:
            yield from _one_hot(path, leaf, rules)


def _numbers(path: str, leaf: NDArray[np.generic], rules: Rules) -> Iterator[Numbers]:
    """Readings as numbers: of tile values or exponents, as they are, or in other units."""
    seen = np.unique(leaf.astype(np.float64))
    if len(seen) < 2 or not np.isfinite(seen).all():
        return
    values, indices = tile_values(rules).astype(np.float64), np.arange(rules.largest + 2.0)
    names = {"tile values": values} if path == BOARD else {"tile values": values, "exponents": indices}
    step, least = seen[1] - seen[0], min(tile for tile, _ in rules.drop)
    exact = [(name, levels, 1.0, 0.0) for name, levels in names.items()]
    for name, levels, scale, empty in exact + [(name, lev, step / lev[least], seen[0]) for name, lev in names.items()]:
        reading = Numbers(path, name + _units(scale, empty), levels * scale + empty, rules.cells)
        tiles = reading.boards({path: leaf})
        if np.count_nonzero((tiles > 0) & (tiles != UNREADABLE)) >= 0.5 * np.count_nonzero(tiles):
            yield reading


def _units(scale: float, empty: float) -> str:
    """What numbers were multiplied with, and what was added."""
    factor = f" / {1 / scale:.6g}" if 0 < scale < 1 else f" x {scale:.6g}"
    return (factor if scale != 1 else "") + (f" {empty:+.6g}" if empty else "")


def _one_hot(path: str, leaf: NDArray[np.generic], rules: Rules) -> Iterator[Planes]:
    """Readings as planes, first or last, with one for empty cells or without."""
    for last in (False, True):
        planes = _planes(leaf, rules.cells, last) != 0
        marks = planes.sum(axis=1)
        if len(np.unique(leaf)) > 2 or (marks <= 1).mean() < 0.9:
            continue
        with_empty = (marks == 1).mean() > 0.9
        first = 0 if with_empty or not planes[:, 0].any() else 1
        where = "planes last" if last else "planes first"
        yield Planes(
            path, f"one-hot, {where}, {'one' if with_empty else 'none'} for empty cells", last, first, rules.cells
        )
