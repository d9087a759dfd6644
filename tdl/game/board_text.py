"""Boards as people and programs write them: text becomes rows of numbers, which `tdl.game.boards` holds to the rules.

Cells are in reading order. All of these are the same board of 2x2 cells::

    2 4 0 8             numbers, with spaces, tabs or commas between them; also `.`, `-` or `_` for an empty cell
    |2|4| |8|           a table, where an empty cell may have nothing: of Markdown, a spreadsheet, CSV, a drawn one
    2 4 / 0 8           rows apart: by slashes, semicolons, or lines; by commas where spaces part the cells
    [[2, 4], [0, 8]]    lists, as Python, NumPy, JSON, C and others write them, whatever stands around
    {"board": ...}      JSON: a move of a recorded game, or of the page; also with one of these texts
    {"grid": ...}       JSON: the saved state of the browser game, whose cells are columns first
    1203                a hexadecimal digit for each cell: the tile's exponent, also after 0x, or row by row
"""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tdl.errors import ConfigError, refuse

MAX_CHARACTERS = 100_000
"""Of a board: the saved state of the browser game has some 2,000."""

EMPTY = frozenset([*".-_·*\u2013\u2014", "null", "none", "nan", "undefined", "empty", "blank"])
"""What stands for an empty cell beside 0, in small letters."""

NOISE = re.compile(
    r"\x1b\[[\d;]*m"  # colours of a terminal
    r"|[\"']|\(index\)"
    r"|^.*\bscore\b.*$"  # a line beside the board
    r"|\b(board\b|row \d+):?(?=\s*\S)"  # as a screen reader says it
    r"|^[ \t]*-[ \t]*(?=\[)",  # of YAML
    re.IGNORECASE | re.MULTILINE,
)
"""What stands in a text without being a part of the board."""

DRAWN = str.maketrans(dict.fromkeys("│║┃┆┊&", "|") | dict.fromkeys("░▒▓█", " ") | {"…": "..."})
"""Lines between cells, and the shades of `tdl picture`, as other signs."""

NOTATIONS = "numbers in reading order, rows as [[2,4],[0,8]] or 2 4/0 8, or a hexadecimal digit for each cell"


@dataclass(frozen=True)
class Written:
    """A board as it is written.

    Attributes
    ----------
    rows : of numbers, and of words that are none; one row where the text has all cells in a line.
    digits : whether the numbers are exponents because they are hexadecimal digits.
    """

    rows: list[list[Any]]
    digits: bool = False

    @property
    def cells(self) -> list[Any]:
        """All cells in reading order."""
        return [cell for row in self.rows for cell in row]


def written(text: str, cells: int | None = None) -> Written:
    """The rows of a text.

    Parameters
    ----------
    cells : of the board; None: any number.

    Raises
    ------
    ConfigError : the text is empty, too long, or JSON that has no board.
    """
    if len(text) > MAX_CHARACTERS:
        raise ConfigError(f"board: {len(text):,} characters; expected at most {MAX_CHARACTERS:,}")
    text = text.removeprefix("\ufeff").replace("\\n", "\n").strip(" \r\n\"'")  # a tab stands beside an empty cell
    if not text:
        raise refuse("board", text, NOTATIONS)
    if re.match(r'\{\s*("|\}|$)', text):
        return written_in(board_of_object(_last_object(text)), cells)
    words = _words(text, cells)
    if not words or text.count("[") != text.count("]"):
        raise refuse("board", text, NOTATIONS)
    if (digits := _digits(words, cells)) is not None:
        return Written(digits, digits=True)
    rows = [[_number(word) for word in row] for row in words]
    return Written([[cell for row in rows for cell in row]] if max(map(len, rows), default=0) == 1 else rows)


def written_in(board: object, cells: int | None = None) -> Written:
    """The rows of a text, of a list of rows, or of one of all cells.

    Raises
    ------
    ConfigError : it is none of these.
    """
    return written(board, cells) if isinstance(board, str) else Written(rows_of_list(board))


def rows_of_list(board: object) -> list[list[Any]]:
    """The rows of a list of rows, or of one of all cells."""
    if not isinstance(board, list | tuple) or not board:
        raise refuse("board", board, "rows of tile values, a text, or an int")
    rows = [[_filled(cell) for cell in row] if isinstance(row, list | tuple) else row for row in board]
    return rows if any(isinstance(row, list) for row in rows) else [[*map(_filled, rows)]]


def _filled(cell: Any) -> Any:
    """A cell of a list: nothing (null of JSON, nan of pandas) stands for 0."""
    return 0 if cell is None or cell != cell else cell


def board_of_object(content: Mapping[str, Any]) -> Any:
    """The board in JSON: that of a move or the start of a recorded game, or the browser game's saved state."""
    state = content.get("gameState", content)
    if isinstance(state, str):  # as the browser keeps it
        state = _object(state)
    grid = state.get("grid") if isinstance(state, Mapping) else None
    if isinstance(grid, Mapping) and _is_square(grid.get("cells")):
        columns = [[_saved_tile(cell) for cell in column] for column in grid["cells"]]
        return [list(row) for row in zip(*columns, strict=True)]
    for name in ("board", "start", "grid"):
        if isinstance(content.get(name), list | str):
            return content[name]
    raise refuse("board", dict(content), "JSON with a board: rows, or the browser game's grid of cells")


def _saved_tile(cell: Any) -> Any:
    return cell.get("value") if isinstance(cell, Mapping) else 0 if cell is None else cell


def _is_square(columns: Any) -> bool:
    """Whether these are columns of one length."""
    if not isinstance(columns, list) or not all(isinstance(column, list) for column in columns):
        return False
    return len(set(map(len, columns))) == 1


def _last_object(text: str) -> Mapping[str, Any]:
    """The JSON object of a text; of lines of objects, as those of a recorded game, the last."""
    lines = text.splitlines()
    return _object(lines[-1] if all(line.startswith("{") and line.endswith("}") for line in lines) else text)


def _object(text: str) -> Mapping[str, Any]:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        raise refuse("board", text, f"JSON; or {NOTATIONS}") from None
    if not isinstance(content, Mapping):
        raise refuse("board", text, "a JSON object with a board")
    return content


def _words(text: str, cells: int | None) -> list[list[str]]:
    """The words of each row."""
    text = _of_lists(NOISE.sub(" ", text).translate(DRAWN).replace("·" * 8, " 0 "))
    for ends in (r"[\n\r]", r"[\n\r/;\\]"):
        lines = [line for line in re.split(ends, text) if line.strip(" ") and not _is_ruler(line)]
        for sign in "|\t,;":
            if (rows := _table(lines, sign, cells)) is not None:
                return _without_labels(rows, cells)
    lines = [line for line in lines if re.search(r"[^\s,|]", line)]
    if len(lines) == 1 and all(len(part.split()) > 1 for part in lines[0].split(",")):
        lines = lines[0].split(",")
    rows = [re.sub(r"[,|]", " ", line).split() for line in lines]
    return _without_labels([row for row in rows if row], cells)


def _of_lists(text: str) -> str:
    """The rows of lists as lines, without what stands around them; another text as it is."""
    opened, closed, name = r"[\[({]", r"[\])}]", r"(?<![\w.])[A-Za-z][\w.]*"
    text = re.sub(rf"{name}\((\d*)\)", r" \1 ", text)  # np.int64(2)
    if first := re.search(rf"{opened}\s*{opened}", text):
        ends = [last.end() for last in re.finditer(rf"{closed}[\s,]*{closed}", text)]
        text = text[first.start() : max(ends, default=None)]
    if re.search(opened, text):
        text = re.sub(r",\s*\n", ", ", text)
    text = re.sub(rf"{closed}[\s,]*", "\n", text)
    return re.sub(rf"({name})?{opened}", " ", text)  # array(


def _is_ruler(line: str) -> bool:
    """Whether a line parts others; with a `-` for each cell it is a row."""
    frame = r"+=\-\u2500-\u257f"
    return bool(re.search(f"[{frame}]", line)) and not re.search(rf"[^\s|:{frame}]", line) and "-" not in line.split()


def _table(lines: list[str], sign: str, cells: int | None) -> list[list[str]] | None:
    """Rows with a sign between cells, where an empty cell may have nothing; None: it is no table, or does not fit."""
    if not lines or not all(sign in line for line in lines):
        return None
    bare = [line.strip() for line in lines]
    ways = [lines, [line.rstrip(" ").removesuffix(sign) for line in lines]]
    if all(len(line) > 1 and line[0] == line[-1] == "|" for line in bare):
        ways.insert(0, [line[1:-1] for line in bare])
    if sign == "|":  # without the blank parts of tall cells
        ways.append([line for line in ways[0] if line.replace(sign, "").strip()])
    tables = [[[word.strip() for word in line.split(sign)] for line in way] for way in ways]
    if any(re.search(r"[\s,|;/\\]", word) for rows in tables for row in rows for word in row):
        return None
    fit = [rows for rows in tables if len(set(map(len, rows))) == 1 and cells in (None, len(rows) * len(rows[0]))]
    if cells is None and fit and math.isqrt(size := sum(map(len, fit[0]))) ** 2 != size:
        fit = [rows for rows in fit if all(map(all, rows))] + fit
    return [[word or "0" for word in row] for row in fit[0]] if fit else None


def _without_labels(rows: list[list[str]], cells: int | None) -> list[list[str]]:
    """Rows without the numbers of rows and columns that pandas writes beside them."""
    head, *others = rows or [[]]
    numbers = [str(number) for number in range(max(len(head), len(others)))]
    width = len(others[0]) - 1 if others else 0
    labelled = (
        width > 1
        and sum(map(len, rows)) != cells
        and head[-width:] == numbers[:width]
        and head[:-width] in ([], ["0"])
    )
    if labelled and [row[0] for row in others] == numbers[: len(others)]:
        return [row[1:] for row in others]
    return rows


def _digits(rows: list[list[str]], cells: int | None) -> list[list[Any]] | None:
    """The exponents of a board that is written with a hexadecimal digit for each cell; None: it is not."""
    words = [word for row in rows for word in row]
    if len(words) == 1 and words[0][:2] in ("0x", "0X"):
        words = [words[0][2:].zfill(cells or 0)]
    if any(len(row) != 1 for row in rows) or not all(re.fullmatch("[0-9a-fA-F.]+", word) for word in words):
        return None
    lengths = {len(word) for word in words}
    if lengths == {1} or len(lengths) > 1 or cells not in (None, len("".join(words))):
        return None  # numbers below each other
    return [[0 if digit == "." else int(digit, 16) for digit in word] for word in words]


def _number(word: str) -> int | str:
    """The number that a word stands for; the word itself where it stands for none."""
    if word.lower() in EMPTY:
        return 0
    try:
        return int(word.replace("_", "?"))  # to Python 1_6 is 16
    except ValueError:
        number = float(word) if re.fullmatch(r"\d{1,12}\.\d{0,12}(e[+-]?\d\d?)?", word) else 0.5
        return int(number) if number.is_integer() else word
