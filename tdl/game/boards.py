"""The one way in for boards and actions: whatever stands for one in Python becomes an int."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tdl.base.checks import without_numpy
from tdl.errors import ConfigError, naming, refuse
from tdl.game.packing import Boards, unpack
from tdl.game.rules import Rules

BoardLike = int | ArrayLike
"""A packed board (cell 0 in the lowest bits), or rows of tile values, 0 for an empty cell."""

ACTIONS = "0 (up), 1 (right), 2 (down) or 3 (left)"


def packed_board(board: BoardLike, rules: Rules) -> int:
    """A board as an int: an int is checked, rows of tile values are packed.

    Raises
    ------
    ConfigError : no such board; it names the cell.
    """
    taken = board if type(board) is int else without_numpy(board)
    if isinstance(taken, int) and not isinstance(taken, bool):
        _check_packed(taken, rules)
        return taken
    if not _is_grid(taken) or (len(taken), len(taken[0])) != (rules.rows, rules.cols):
        raise refuse("board", taken, f"{rules.rows} rows of {rules.cols} tile values, or an int")
    total = 0
    for cell, value in enumerate(value for row in taken for value in row):
        if not _is_number(value) or value not in rules.index_of:
            few, most = ", ".join(map(str, [*rules.index_of][:6])), rules.tiles[-1]
            raise refuse(f"board cell {cell}", value, f"a tile of the game: {few} ... {most}")
        total |= rules.index_of[value] << rules.bits * cell
    return total


def packed_boards(boards: Iterable[BoardLike], rules: Rules) -> Boards:
    """Many boards of at most 64 bits as a uint64 array of shape (n,).

    Raises
    ------
    ConfigError : no list of boards, the rules' boards have more bits, or one is none; it names board and cell.
    """
    if (used := rules.bits * rules.cells) > 64:
        raise refuse("boards", f"{used} bits", "boards of at most 64 bits")
    if isinstance(boards, np.ndarray) and boards.ndim == 1 and boards.dtype.kind in "iu" and _fit(boards, rules):
        return np.ascontiguousarray(boards, np.uint64)
    if not isinstance(boards, Iterable) or getattr(boards, "ndim", 1) == 0:
        raise refuse("boards", boards, "a list of boards, or an array of them")
    numbers = []
    for number, board in enumerate(boards):
        with naming(f"boards[{number}]", ConfigError):
            numbers.append(packed_board(board, rules))
    return np.array(numbers, np.uint64)


def grid(board: ArrayLike) -> NDArray[np.int64]:
    """Rows of tile values as an array of shape (rows, columns), whatever the game.

    Raises
    ------
    ConfigError : no rows of one length, or a value that is no whole number from 0 on; it names the cell.
    """
    rows = without_numpy(board)
    if not _is_grid(rows):
        raise refuse("board", rows, "rows of tile values, all of one length; a packed board needs its rules")
    for cell, value in enumerate(value for row in rows for value in row):
        if not _is_number(value) or not 0 <= value < 2**63 or value % 1:
            raise refuse(f"board cell {cell}", value, "a tile value, or 0")
    return np.array(rows, np.int64)


def action_of(action: Any) -> int:
    """An action as an int: also a whole float, or an array of one number."""
    number = action if type(action) is int else without_numpy(action)
    while isinstance(number, list) and len(number) == 1:
        number = number[0]
    if not _is_number(number) or number not in range(4):
        raise refuse("action", number, ACTIONS)
    return int(number)


def actions_of(actions: ArrayLike, n: int) -> NDArray[np.int64]:
    """Actions for `n` boards as an array of shape (n,): also whole floats, or an array of shape (n, 1).

    Raises
    ------
    ConfigError : not as many, or one that is no action; it names its place.
    """
    try:
        numbers = np.asarray(actions)
    except ValueError:  # rows of unequal length
        numbers = np.zeros(0)
    if numbers.shape == (n,) and numbers.dtype.kind in "iu" and numbers.min() >= 0 and numbers.max() < 4:
        return numbers.astype(np.int64, copy=False)  # 1,024 actions in a fourth of the time of what follows
    if numbers.shape not in ((n,), (n, 1)) or numbers.dtype.kind not in "iuf":
        raise refuse("actions", without_numpy(actions), f"{n} of {ACTIONS}")
    numbers = numbers.reshape(n)
    with np.errstate(invalid="ignore"):  # of nan
        chosen = numbers.astype(np.int64, copy=False)
    wrong = (chosen != numbers) | (chosen < 0) | (chosen > 3)
    if wrong.any():
        place = int(wrong.argmax())
        raise refuse(f"actions[{place}]", numbers[place].item(), ACTIONS)
    return chosen


def _check_packed(board: int, rules: Rules) -> None:
    used = rules.bits * rules.cells
    if not 0 <= board < 1 << used:
        raise refuse("board", board, f"an int of {used} bits")
    if rules.largest < rules.cell_mask and (largest := max(unpack(board, rules))) > rules.largest:
        raise refuse("board", f"tile index {largest}", f"at most {rules.largest}")


def _fit(boards: NDArray[Any], rules: Rules) -> bool:
    """Whether all numbers are boards of these rules."""
    used = rules.bits * rules.cells
    if (boards < 0).any() or (used < 64 and (boards >> used).any()):
        return False
    return rules.largest == rules.cell_mask or all((cell <= rules.largest).all() for cell in unpack(boards, rules))


def _is_grid(rows: Any) -> bool:
    """Whether these are rows of one length, with a cell."""
    if not isinstance(rows, list | tuple) or not rows or not all(isinstance(row, list | tuple) for row in rows):
        return False
    return bool(rows[0]) and len({len(row) for row in rows}) == 1


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
