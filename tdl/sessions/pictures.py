"""Pictures of boards: SVG, PNG, pixels, frames of videos, text for a terminal, and a seaborn heat map.

Tiles have one scale of colours for all games, by the logarithm of the value.

All take a `board` and `rules` as `rows_of` does, with its errors. The heat map has colours on a logarithmic scale, as
the article on deep Q-learning for 2048 has it.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tdl.base.machine import require_memory_for_pictures
from tdl.errors import refuse
from tdl.game.boards import BoardLike, grid
from tdl.game.engine import Engine
from tdl.game.rules import Rules
from tdl.sessions import game_file
from tdl.storage.atomic import new_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

EMPTY = "#cdc1b4"

BOARD = "#bbada0"
"""Between the cells."""

DARK, LIGHT = "#0b0806", "#ffffff"
"""Of numbers."""

STOPS = ("#f3ebdc", "#f0cf94", "#eea45c", "#e4713f", "#cc4141", "#a92e62", "#7a2a80", "#4c2a86", "#2b2a6b", "#16183f")
"""From value 1 to `TOP`: sand, amber, red, violet, night."""

TOP = 18.0
"""Logarithm to base 2 from which on tiles are equally dark: 2048 on 4x4 has none above 17."""

CELL, GAP, ROUND = 100, 12, 8
"""Side of a cell, width between cells, radius of their corners, in pixels of an SVG."""

WIDTH = 8
"""Characters of a cell in a terminal."""

SHADES = " ░▒▓█"
IN_ASCII = str.maketrans(f"{SHADES}·", " -+%#.")

FRAME_DPI = 50
"""Half of a picture's: Gymnasium keeps all frames of a video in memory, which is 160 KB for each of 4x4 cells."""


def tile_colours(value: int) -> tuple[str, str]:
    """Background and number of a tile, as "#rrggbb"; 0 is an empty cell.

    The number is dark or white, whichever has the larger contrast (WCAG 2.2, relative luminance).

    >>> tile_colours(2), tile_colours(131072)
    (('#f2ddb8', '#0b0806'), ('#202155', '#ffffff'))
    """
    if value < 1:
        return EMPTY, DARK
    place = min(math.log2(value) / TOP, 1.0) * (len(STOPS) - 1)
    at = min(int(place), len(STOPS) - 2)
    mixed = zip(rgb(STOPS[at]), rgb(STOPS[at + 1]), strict=True)
    background = "#" + "".join(f"{round(a + (b - a) * (place - at)):02x}" for a, b in mixed)
    return background, max(DARK, LIGHT, key=lambda number: contrast(background, number))


def contrast(colour: str, other: str) -> float:
    """The contrast ratio of two colours, 1 to 21 (WCAG 2.2, 1.4.3)."""
    low, high = sorted((_luminance(colour), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def rgb(colour: str) -> tuple[int, int, int]:
    """The parts of "#rrggbb", 0 to 255."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _luminance(colour: str) -> float:
    shares = np.array(rgb(colour)) / 255
    linear = np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


def rows_of(board: BoardLike, rules: Rules | None = None) -> NDArray[np.int64]:
    """Tile values of a board, int64 (rows, columns).

    Parameters
    ----------
    board : rows of tile values, or a packed board.
    rules : of the game; a packed board needs them, and rows are checked by them.

    Raises
    ------
    ConfigError : it is no board, or no board of these rules.
    """
    return grid(board) if rules is None else Engine(rules).array(board)


@dataclass(frozen=True)
class _DrawnCell:
    """Where a cell of a picture is and what it shows; lengths in pixels, y from the top."""

    x: int
    y: int
    label: str
    background: str
    colour: str
    size: float


def _cells(rows: NDArray[np.int64]) -> Iterator[_DrawnCell]:
    for (row, column), value in np.ndenumerate(rows):
        label = str(value) if value else ""
        x, y = (GAP + place * (CELL + GAP) for place in (column, row))
        size = 1.26 * CELL / max(len(label), 1)  # bold digits are .7 of their height wide
        yield _DrawnCell(x, y, label, *tile_colours(int(value)), min(size, 0.42 * CELL))


def _size(rows: NDArray[Any]) -> tuple[int, int]:
    """Width and height of a picture, in pixels."""
    height, width = (GAP + count * (CELL + GAP) for count in rows.shape)
    return width, height


def svg(board: BoardLike, rules: Rules | None = None) -> str:
    """A board as SVG, needing nothing but a viewer.

    >>> svg([[2, 0], [0, 4]]).count("<rect")
    5
    """
    rows = rows_of(board, rules)
    width, height = _size(rows)
    label = html.escape("; ".join(" ".join(map(str, row)) for row in rows.tolist()))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="board {label}" font-family="sans-serif" font-weight="bold" text-anchor="middle">',
        f'<rect width="{width}" height="{height}" rx="{ROUND}" fill="{BOARD}"/>',
    ]
    for cell in _cells(rows):
        parts.append(
            f'<rect x="{cell.x}" y="{cell.y}" width="{CELL}" height="{CELL}" rx="{ROUND}" fill="{cell.background}"/>'
        )
        if cell.label:
            middle, line = cell.x + CELL // 2, cell.y + CELL / 2 + 0.36 * cell.size
            place = f'x="{middle}" y="{line:.1f}" font-size="{cell.size:.1f}"'
            parts.append(f'<text {place} fill="{cell.colour}">{cell.label}</text>')
    return "\n".join([*parts, "</svg>\n"])


def png(board: BoardLike, path: str | Path, rules: Rules | None = None, *, dpi: int = 100) -> None:
    """Write a board as PNG, in one step; at 100 dpi a cell has 100 pixels."""
    rows = rows_of(board, rules)
    with default_style(), new_file(Path(path)) as file:
        figure = _figure(rows, dpi)
        figure.savefig(file, dpi=dpi, format="png")


def pixels(board: BoardLike, rules: Rules | None = None, *, dpi: int = 100) -> NDArray[np.uint8]:
    """The pixels of that PNG: red, green and blue, uint8 (height, width, 3)."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    with default_style():
        canvas = FigureCanvasAgg(_figure(rows_of(board, rules), dpi))
        canvas.draw()  # type: ignore[no-untyped-call]
    return np.array(canvas.buffer_rgba())[..., :3].copy()  # type: ignore[no-untyped-call]


def frame(values: NDArray[Any]) -> NDArray[np.uint8]:
    """The picture of a board for a video: each tile is drawn once, and copied from then on.

    Parameters
    ----------
    values : tile values, 0 empty, shape (rows, columns).

    Returns
    -------
    red, green and blue, a new uint8 array (height, width, 3): 230 pixels for 4 cells, for any board an even number, as
    codecs of videos want it.
    """
    width, height = (length * FRAME_DPI // 100 for length in _size(values))
    picture = np.empty((height, width, 3), np.uint8)
    picture[:] = rgb(BOARD)
    for (row, column), value in np.ndenumerate(values):
        tile = _tile(int(value))
        top, left = ((GAP + place * (CELL + GAP)) * FRAME_DPI // 100 for place in (row, column))
        picture[top : top + len(tile), left : left + len(tile)] = tile
    return picture


@cache
def _tile(value: int) -> NDArray[np.uint8]:
    """A cell, as every picture of a board shows it."""
    inner = slice(GAP * FRAME_DPI // 100, (GAP + CELL) * FRAME_DPI // 100)
    return pixels([[value]], dpi=FRAME_DPI)[inner, inner]


def default_style() -> AbstractContextManager[None]:
    """A context in which figures are drawn and written as matplotlib does it, whatever its settings are."""
    import matplotlib.style  # not at the top: it takes half a second

    return matplotlib.style.context("default")


def _figure(rows: NDArray[np.int64], dpi: int) -> Figure:
    from matplotlib.figure import Figure  # not at the top: it takes half a second
    from matplotlib.patches import FancyBboxPatch

    width, height = _size(rows)
    # A hundredth of a pixel more: Matplotlib rounds down, some versions 459.99 to 459.
    figure = Figure(figsize=((width + 0.01) / 100, (height + 0.01) / 100), dpi=dpi, facecolor=BOARD)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, width), ylim=(height, 0))
    axes.axis("off")
    for cell in _cells(rows):
        inner, style = CELL - 2 * ROUND, f"round,pad={ROUND}"
        box = FancyBboxPatch((cell.x + ROUND, cell.y + ROUND), inner, inner, style, fc=cell.background, ec="none")
        axes.add_patch(box)
        points = 0.72 * cell.size  # 72 points are an inch, an inch is 100 pixels here
        axes.text(cell.x + CELL / 2, cell.y + CELL / 2, cell.label, fontsize=points, color=cell.colour,
                  ha="center", va="center_baseline", weight="bold")  # fmt: skip
    return figure


def text(board: BoardLike, rules: Rules | None = None, *, colour: bool = True, encoding: str | None = None) -> str:
    """A board as a heat map of characters.

    Parameters
    ----------
    colour : escape sequences of 24-bit colours; without, tiles are shaded by the logarithm of their values.
    encoding : that the characters are for; in one that lacks shades, as ASCII, others stand for them.

    >>> print(text([[2, 0], [4, 16]], colour=False))
       2    ········
    ░░ 4 ░░░██ 16 ██
    """
    rows = rows_of(board, rules)
    paint = _coloured if colour else _shaded
    top = int(rows.max())
    lines = ["".join(paint(int(value), top) for value in row).rstrip() for row in rows]
    blank = ["".join(paint(int(value), top, label=False) for value in row) for row in rows]
    both = zip(blank, lines, strict=True)
    shown = "\n".join(f"{above}\n{line}\n{above}" if colour else line for above, line in both)
    can_show = shown.encode(encoding or "utf-8", "ignore").decode(encoding or "utf-8") == shown
    return shown if can_show else shown.translate(IN_ASCII)


def _coloured(value: int, top: int, label: bool = True) -> str:
    background, number = (";".join(map(str, rgb(colour))) for colour in tile_colours(value))
    shown = (str(value) if value and label else "").center(WIDTH)
    return f"\x1b[48;2;{background}m\x1b[38;2;{number}m{shown}\x1b[0m"


def _shaded(value: int, top: int, label: bool = True) -> str:
    if not value:
        return "·" * WIDTH
    least = min(value, 2)
    share = np.log2(value / least) / max(np.log2(top / least), 1)
    return f" {value} ".center(WIDTH, SHADES[round(share * (len(SHADES) - 1))])


def heatmap(board: BoardLike, rules: Rules | None = None, axes: Axes | None = None) -> Axes:
    """A board as a seaborn heat map, colours on a logarithmic scale, empty cells left white.

    Parameters
    ----------
    axes : to draw on; None: those of a new figure.

    Returns
    -------
    the axes; `axes.figure.savefig("board.png")` keeps them.
    """
    import seaborn as sns  # not at the top: it takes a second
    from matplotlib.colors import LogNorm
    from matplotlib.figure import Figure

    rows = rows_of(board, rules)
    norm = LogNorm(1, max(2, int(rows.max())))
    with default_style() if axes is None else nullcontext():
        axes = axes or Figure(figsize=(1 + rows.shape[1], rows.shape[0]), layout="constrained").subplots()
        sns.heatmap(rows, mask=rows == 0, norm=norm, cmap="rocket_r", annot=True, fmt="d", square=True, linewidths=2,
                    linecolor="white", xticklabels=False, yticklabels=False, ax=axes)  # fmt: skip
    return axes


def board_of(path: str | Path, move: int | None = None) -> tuple[int, Rules]:
    """A board of a recorded game, packed, and the rules.

    Parameters
    ----------
    move : the number of moves before the board; None: the last board.
    """
    game = game_file.load(path)
    boards = game.boards()
    if move is not None and not 0 <= move < len(boards):
        raise refuse("--move", move, f"0 to {len(boards) - 1}, the moves of {path}")
    return boards[-1 if move is None else move], game.rules


def write(rows: BoardLike, rules: Rules | None, out: Path) -> None:
    """Write a picture, of the kind that the end of the file's name says."""
    if out.suffix == ".svg":
        with new_file(out) as file:
            file.write(svg(rows, rules).encode())
    elif out.suffix == ".png":
        require_memory_for_pictures()
        png(rows, out, rules)
    else:
        raise refuse("OUT", str(out), "a name that ends with .svg or .png")
