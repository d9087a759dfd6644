"""Boards and actions in Python: whatever stands for one becomes an int; the tiles, lines and drops of a board."""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tdl.base.checks import is_number, without_numpy
from tdl.errors import ConfigError, naming, refuse
from tdl.game.board_text import NOTATIONS, Written, board_of_object, written_in
from tdl.game.rules import ACTION_NAMES, DROP, LEFT, RIGHT, UP, Rules

BoardLike = int | str | Mapping[str, Any] | ArrayLike
"""A packed board (cell 0 in the lowest bits), rows of tile values, 0 for an empty cell, or a text (`read_board`)."""

Board = list[int]
"""The tile index of each cell, row by row."""

Boards = NDArray[np.uint64]
"""Packed boards of at most 64 bits."""


def _expected(names: Sequence[str]) -> str:
    """What an action is where they are counted in this order."""
    *first, last = [f"{number} ({name})" for number, name in enumerate(names)]
    return f"{', '.join(first)} or {last}, or its name"


ACTIONS = _expected(ACTION_NAMES)


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


def read_board(board: BoardLike, rules: Rules, *, exponents: bool = False, last_first: bool = False) -> int:
    """A board as an int, whatever way it is written.

    Parameters
    ----------
    board : an int; rows of tile values; all of them in one row; or a text in a notation of `tdl.game.board_text`.
    exponents : whether numbers are tile indices (of 2048: exponents) and not tile values.
    last_first : whether the last cell is written first.

    Raises
    ------
    ConfigError : no such board; it names the cell.
    """
    if type(board) is str and (packed := _quickly(board, rules, exponents, last_first)) is not None:
        return packed
    cells: Any = without_numpy(board)
    if type(cells) is int:
        _check_packed(cells, rules)
        return cells
    content = _written(cells, rules.cells)
    _check_shape(content.rows, rules)
    exponents = exponents or content.digits
    tiles = [_tile(number, place, rules, exponents) for place, number in enumerate(content.cells)]
    return pack(tiles[::-1] if last_first else tiles, rules)


def _written(board: Any, cells: int | None) -> Written:
    """The rows of what is no int."""
    return written_in(board_of_object(board) if isinstance(board, Mapping) else board, cells)


def _check_shape(rows: Sequence[Any], rules: Rules) -> None:
    """Refuse rows that are not those of the board, unless all cells stand in one."""
    expected = f"{rules.cells} cells in {rules.rows} rows of {rules.cols}"
    if len(rows) == 1:
        if len(rows[0]) == 1:
            raise refuse("board", rows[0][0], f"{expected}: {NOTATIONS}")
        if len(rows[0]) != rules.cells:
            raise ConfigError(f"board: {len(rows[0])} cells; expected {expected}")
        return
    for number, row in enumerate(rows, 1):
        if not isinstance(row, list) or len(row) != rules.cols:
            raise refuse(f"board row {number}", row, f"{rules.cols} cells")
    if len(rows) != rules.rows:
        raise ConfigError(f"board: {len(rows)} rows; expected {expected}")


def _tile(number: Any, place: int, rules: Rules, exponents: bool) -> int:
    """The tile index of a number."""
    if is_number(number):
        if not exponents and number in rules.index_of:
            return rules.index_of[int(number)]
        if exponents and number in range(rules.largest + 1):
            return int(number)
    expected = f"an exponent (tile index) from 0 to {rules.largest}"
    if not exponents:
        expected = f"a tile of the game: {', '.join(map(str, [*rules.index_of][:6]))} ... {rules.tiles[-1]}"
    row, column = divmod(place, rules.cols)
    raise refuse(f"board cell {place} (row {row + 1}, column {column + 1})", number, expected)


def _check_packed(board: int, rules: Rules) -> None:
    """Refuse an int that is no board of these rules."""
    used = rules.bits * rules.cells
    if not 0 <= board < 1 << used:
        raise refuse("board", board, f"an int of {used} bits")
    if rules.largest < rules.cell_mask and (largest := max(unpack(board, rules))) > rules.largest:
        raise refuse("board", f"tile index {largest}", f"at most {rules.largest}")


@lru_cache(maxsize=16)
def _cells_of_words(rules: Rules, exponents: bool, last_first: bool) -> list[dict[str, int]]:
    """For each number of a text what it adds to the packed board."""
    tiles = {str(index if exponents else value): index for value, index in rules.index_of.items()} | {".": 0}
    if exponents:
        tiles |= {f"{index:{case}}": index for index in range(min(rules.largest, 15) + 1) for case in "xX"}
    shifts = sorted((rules.bits * cell for cell in range(rules.cells)), reverse=last_first)
    return [{word: tile << shift for word, tile in tiles.items()} for shift in shifts]


def _quickly(text: str, rules: Rules, exponents: bool, last_first: bool) -> int | None:
    """The board of a text of numbers or digits, all as they should be; None where it has to be looked at.

    A tenth of the time of the general way, for programs that ask about a hundred thousand boards a second.
    """
    if text.count(",") not in (0, rules.cells - 1, rules.cells - rules.rows) or text.count("[") != text.count("]"):
        return None
    words = text.replace("],", "/").rstrip("] \n").translate(_PARTS).split()
    breaks = words[rules.cols :: rules.cols + 1]
    if breaks == ["/"] * (rules.rows - 1):
        del words[rules.cols :: rules.cols + 1]
    elif len(words) == 1 and "," not in text:
        words, exponents = list(words[0]), True
    if len(words) != rules.cells:
        return None
    try:
        return sum(map(dict.__getitem__, _cells_of_words(rules, exponents, last_first), words))
    except KeyError:
        return None


_PARTS = str.maketrans({"/": " / ", ";": " / ", "\n": " / ", "[": " ", ",": " "})
"""Of a text: ends of rows, and what stands between numbers."""


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
            numbers.append(read_board(board, rules))
    return np.array(numbers, np.uint64)


def grid(board: BoardLike) -> NDArray[np.int64]:
    """Tile values as an array of shape (rows, columns), whatever the game; exponents in a text are those of 2048.

    Raises
    ------
    ConfigError : no rows of one length, or a value that is no whole number from 0 on; it names the cell.
    """
    content = without_numpy(board)
    if type(content) is int:
        raise refuse("board", content, "rows of tile values, all of one length; a packed board needs its rules")
    rows = (content := _written(content, None)).rows
    if isinstance(board, str) and len(rows) == 1 and (side := math.isqrt(len(rows[0]))) ** 2 == len(rows[0]):
        rows = [rows[0][first : first + side] for first in range(0, side * side, side)]
    if not all(isinstance(row, list) and row and len(row) == len(rows[0]) for row in rows):
        raise refuse("board", rows, "rows of tile values, all of one length")
    for cell, value in enumerate(value for row in rows for value in row):
        if not is_number(value) or not 0 <= value < 2**63 or value % 1:
            raise refuse(f"board cell {cell}", value, "a tile value, or 0")
    return np.array([[1 << value if content.digits and value else value for value in row] for row in rows], np.int64)


def action_names(text: Any, key: str = "actions") -> list[str]:
    """The actions in another order, as "left,up,right,down".

    Raises
    ------
    ConfigError : not each of them once; it names `key`.
    """
    names = text.replace(" ", "").split(",") if isinstance(text, str) else []
    if sorted(names) != sorted(ACTION_NAMES):
        raise refuse(key, text, f"{','.join(ACTION_NAMES)} in any order")
    return names


def action_of(action: Any, key: str = "action", names: Sequence[str] = ACTION_NAMES) -> int:
    """An action as an int: also its name, a whole float, or an array of one of these. `names` are in their order."""
    if type(action) is int and 0 <= action < 4:  # most are: a fifth of the time
        return action
    number = without_numpy(action)
    for _ in range(2):  # of shape (1, 1) at most: a list can be in itself
        number = number[0] if isinstance(number, list) and len(number) == 1 else number
    if isinstance(number, str) and number in names:
        return names.index(number)
    if not is_number(number) or number not in range(4):
        raise refuse(key, number, _expected(names))
    return int(number)


def actions_of(actions: ArrayLike, n: int, names: Sequence[str] = ACTION_NAMES) -> NDArray[np.int64]:
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
        raise refuse("actions", without_numpy(actions), f"{n} of {_expected(names)}")
    items = enumerate(numbers.reshape(n).tolist())
    return np.array([action_of(action, f"actions[{place}]", names) for place, action in items], np.int64)


def _fit(boards: NDArray[Any], rules: Rules) -> bool:
    """Whether all numbers are boards of these rules."""
    used = rules.bits * rules.cells
    if (boards < 0).any() or (used < 64 and (boards >> used).any()):
        return False
    return rules.largest == rules.cell_mask or all((cell <= rules.largest).all() for cell in unpack(boards, rules))


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
