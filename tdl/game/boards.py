"""Boards and actions in Python: whatever stands for one becomes an int; the tiles, lines and drops of a board."""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tdl.base.checks import is_number, without_numpy
from tdl.errors import ConfigError, naming, refuse
from tdl.game.rules import ACTION_NAMES, DROP, LEFT, RIGHT, UP, Rules

BoardLike = int | ArrayLike
"""A packed board (cell 0 in the lowest bits), or rows of tile values, 0 for an empty cell."""

Board = list[int]
"""The tile index of each cell, row by row."""

Boards = NDArray[np.uint64]
"""Packed boards of at most 64 bits."""

ACTIONS = "0 (up), 1 (right), 2 (down) or 3 (left), or its name"


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


def lines(action: int, rules: Rules) -> list[list[int]]:
    """The cells of every line, each beginning at the wall the action moves towards."""
    rows = [[r * rules.cols + c for c in range(rules.cols)] for r in range(rules.rows)]
    cols = [list(column) for column in zip(*rows, strict=True)]
    towards_start = rows if action in (LEFT, RIGHT) else cols
    return towards_start if action in (LEFT, UP) else [line[::-1] for line in towards_start]


def drawn(draw: int, rules: Rules) -> int:
    """The tile that the lower half of a draw gives by the drop law."""
    return next(index for index, below in rules.thresholds if (draw & 0xFFFFFFFF) < below)


def packed_board(board: BoardLike, rules: Rules) -> int:
    """A board as an int: an int is checked, rows of tile values are packed.

    Raises
    ------
    ConfigError : no such board; it names the cell.
    """
    cells: Any = without_numpy(board)
    if type(cells) is int:
        used = rules.bits * rules.cells
        if not 0 <= cells < 1 << used:
            raise refuse("board", cells, f"an int of {used} bits")
        if rules.largest < rules.cell_mask and (largest := max(unpack(cells, rules))) > rules.largest:
            raise refuse("board", f"tile index {largest}", f"at most {rules.largest}")
        return cells
    if not _is_grid(cells) or (len(cells), len(cells[0])) != (rules.rows, rules.cols):
        raise refuse("board", cells, f"{rules.rows} rows of {rules.cols} tile values, or an int")
    values = [value for row in cells for value in row]
    for cell, value in enumerate(values):
        if not is_number(value) or value not in rules.index_of:
            smallest, largest = ", ".join(map(str, [*rules.index_of][:6])), rules.tiles[-1]
            raise refuse(f"board cell {cell}", value, f"a tile of the game: {smallest} ... {largest}")
    return pack([rules.index_of[value] for value in values], rules)


def packed_boards(boards: Iterable[BoardLike], rules: Rules) -> Boards:
    """Boards of at most 64 bits as a uint64 array of shape (n,).

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
        if not is_number(value) or not 0 <= value < 2**63 or value % 1:
            raise refuse(f"board cell {cell}", value, "a tile value, or 0")
    return np.array(rows, np.int64)


def action_of(action: Any, key: str = "action") -> int:
    """An action as an int: also its name, a whole float, or an array of one of these."""
    number = without_numpy(action)
    while isinstance(number, list) and len(number) == 1:
        number = number[0]
    if isinstance(number, str) and number in ACTION_NAMES:
        return ACTION_NAMES.index(number)
    if not is_number(number) or number not in range(4):
        raise refuse(key, number, ACTIONS)
    return int(number)


def actions_of(actions: ArrayLike, n: int) -> NDArray[np.int64]:
    """Actions for `n` boards as an array of shape (n,): also names, whole floats, or an array of shape (n, 1).

    Raises
    ------
    ConfigError : not as many, or one that is no action; it names its place.
    """
    try:
        numbers = np.asarray(actions)
    except ValueError:  # rows of unequal length
        numbers = np.zeros(0)
    if n and numbers.shape == (n,) and numbers.dtype.kind in "iu" and numbers.min() >= 0 and numbers.max() < 4:
        return numbers.astype(np.int64, copy=False)  # 1,024 actions in a fourth of the time of what follows
    if numbers.shape not in ((n,), (n, 1)):
        raise refuse("actions", without_numpy(actions), f"{n} of {ACTIONS}")
    items = enumerate(numbers.reshape(n).tolist())
    return np.array([action_of(action, f"actions[{place}]") for place, action in items], np.int64)


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


def check_possible(board: int, rules: Rules) -> None:
    """Refuse a packed board to move on that no game can come to; the ConfigError says why.

    These are conditions that every game meets: what passes need not be possible.
    """
    tiles, needed = [tile for tile in unpack(board, rules) if tile], cells_needed(rules)
    unmade = {tile for tile, cells in needed.items() if cells == 1}
    least = min(2, len(rules.start))
    if len(tiles) < least:
        raise refuse("board", f"{len(tiles)} tiles", f"at least {least}: a drop follows what was there")
    if not unmade & set(tiles):
        values = ", ".join(str(rules.value(tile)) for tile in sorted(unmade))
        raise ConfigError(f"board: no game comes to it: the last drop is missing, which is one of {values}")
    if beyond := set(tiles) - needed.keys():
        raise ConfigError(
            f"board: no game comes to it: {rules.value(max(beyond))} cannot be made on {rules.cells} cells"
        )
    for others, need in enumerate(sorted((needed[tile] for tile in tiles), reverse=True)):
        if need + others > rules.cells:
            raise ConfigError("board: no game comes to it: its large tiles leave too few cells to make all of them")


@cache
def cells_needed(rules: Rules) -> Mapping[int, int]:
    """For each tile index that this board can make: the fewest cells in which it can be made.

    A tile that falls needs one cell. To merge two tiles one is made first, and lies there while the other is made: as
    many cells as the larger need, and one more where both need the same (Sethi and Ullman 1970, of registers).
    """
    unmade = {tile for tile, _ in rules.drop} | {int(item) for item in rules.start if item != DROP}
    needed = dict.fromkeys(unmade, 1)
    for cells in range(2, rules.cells + 1):
        size = 0
        while size < len(needed):
            size = len(needed)
            second = [tile for tile, least in needed.items() if least < cells]
            merged = {rules.merge(a, b) for a in needed for b in second} - {0}
            needed = dict.fromkeys((min(tile, rules.largest) for tile in merged), cells) | needed
    return needed
