"""Boards as ints, cell 0 in the lowest bits: packing and unpacking; the lines that a move slides; the drop law."""

from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from tdl.game.rules import DOWN, LEFT, RIGHT, UP, Rules

Board = list[int]
Boards = NDArray[np.uint64]


def lines(action: int, rules: Rules) -> list[list[int]]:
    """The cells of every line, each beginning at the wall the action moves towards."""
    rows = [[r * rules.cols + c for c in range(rules.cols)] for r in range(rules.rows)]
    cols = [list(column) for column in zip(*rows, strict=True)]
    return {
        UP: cols,
        DOWN: [column[::-1] for column in cols],
        LEFT: rows,
        RIGHT: [row[::-1] for row in rows],
    }[action]


def drawn(draw: int, rules: Rules) -> int:
    """The tile that the lower half of a draw gives by the drop law."""
    return next(index for index, below in rules.thresholds if (draw & 0xFFFFFFFF) < below)


@overload
def pack(board: Board, rules: Rules) -> int: ...
@overload
def pack(board: Boards, rules: Rules) -> Boards: ...
def pack(board: Any, rules: Rules) -> Any:
    """The board as an int: cell 0 in the lowest bits. Of many boards, uint64 of shape (cells, n), an array of n."""
    return sum(tile << rules.bits * cell for cell, tile in enumerate(board))


@overload
def unpack(packed: int, rules: Rules) -> Board: ...
@overload
def unpack(packed: Boards, rules: Rules) -> list[Boards]: ...
def unpack(packed: Any, rules: Rules) -> Any:
    """The tile indices of a packed board, or of an array of them: an array for each cell."""
    return [packed >> rules.bits * cell & rules.cell_mask for cell in range(rules.cells)]
