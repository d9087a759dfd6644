"""Moves of many boards in NumPy, for tiles of any size: what `tdl rules` compares with."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tdl.game.boards import lines
from tdl.game.rules import Rules

CHUNK = 20_000
"""Boards that are slid at once."""


class Slides(NamedTuple):
    """The four moves (up, right, down, left) of n boards.

    Attributes
    ----------
    after : uint8 (n, 4, cells), afterstates; the board itself where the move is illegal.
    gained : int64 (n, 4), rewards.
    merges : int64 (n, 4), merged pairs.
    logs : float64 (n, 4), sum of the base-2 logarithms of the merged tiles.
    legal : bool (n, 4).
    """

    after: NDArray[np.uint8]
    gained: NDArray[np.int64]
    merges: NDArray[np.int64]
    logs: NDArray[np.float64]
    legal: NDArray[np.bool_]


@lru_cache(maxsize=8)
def tile_values(rules: Rules) -> NDArray[np.int64]:
    """The value of each tile index; one more than a board of ours holds."""
    return np.array([rules.value(tile) for tile in range(rules.largest + 2)], np.int64)


@lru_cache(maxsize=8)
def _merged(rules: Rules) -> NDArray[np.uint8]:
    """The tile index that two merge into; 0 where they do not."""
    n = rules.largest + 2
    table = np.zeros((n, n), np.uint8)
    table[:-1, :-1] = [[rules.merge(a, b) for b in range(n - 1)] for a in range(n - 1)]
    return table


def slid_lines(tiles: NDArray[np.uint8], rules: Rules) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Lines slid towards their first cell, and the merged tiles (0: none) beside each; both of shape (n, length)."""
    order = np.argsort(tiles == 0, axis=1, kind="stable")
    slid, made = np.take_along_axis(tiles, order, axis=1), np.zeros_like(tiles)
    for cell in range(tiles.shape[1] - 1):
        merged = _merged(rules)[slid[:, cell], slid[:, cell + 1]]
        hit = merged > 0
        made[:, cell] = merged
        slid[hit, cell] = merged[hit]
        slid[hit, cell + 1 : -1] = slid[hit, cell + 2 :]
        slid[hit, -1] = 0
    return slid, made


def readable(boards: NDArray[np.uint8], rules: Rules) -> NDArray[np.bool_]:
    """Whether all cells show tiles that a board of ours holds; over the last axis."""
    fits: NDArray[np.bool_] = np.all(boards <= rules.largest, axis=-1)
    return fits


def slid_boards(boards: NDArray[np.uint8], rules: Rules) -> Slides:
    """The moves of boards of tile indices, shape (n, cells)."""
    parts = (_slid(boards[first : first + CHUNK], rules) for first in range(0, max(1, len(boards)), CHUNK))
    return Slides(*map(np.concatenate, zip(*parts, strict=True)))


def _slid(boards: NDArray[np.uint8], rules: Rules) -> Slides:
    n = len(boards)
    after, made = np.zeros((2, n, 4, rules.cells), np.uint8)
    for action in range(4):
        cells = np.array(lines(action, rules))
        slid, merged = slid_lines(boards[:, cells].reshape(-1, cells.shape[1]), rules)
        after[:, action, cells] = slid.reshape(n, *cells.shape)
        made[:, action, cells] = merged.reshape(n, *cells.shape)
    values = tile_values(rules)[made]
    logs = np.log2(np.maximum(values, 1)).sum(axis=2)
    legal = (after != boards[:, None]).any(axis=2)
    return Slides(after, values.sum(axis=2), (made > 0).sum(axis=2), logs, legal)
