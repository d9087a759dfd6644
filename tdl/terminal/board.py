"""The widget of the board: as large as there is room for."""

import functools
from dataclasses import dataclass

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.strip import Strip

from tdl.sessions.pictures import tile_colours
from tdl.terminal.colours import Colours
from tdl.terminal.view import View
from tdl.terminal.widget import Part

TALLEST = 9
"""Rows of a cell."""


@dataclass(frozen=True)
class BoardLayout:
    """Where cells are, in characters: each has a column of board on its left and, from 2 rows on, half a row above."""

    width: int
    height: int
    rows: int
    cols: int

    @property
    def columns(self) -> int:
        """Of the board, with its edge."""
        return self.cols * self.width + 1

    @property
    def lines(self) -> int:
        """Of the board, with its edge."""
        return self.rows * self.height + (self.height > 1)


def fit(rows: int, cols: int, digits: int, columns: int, lines: int) -> BoardLayout | None:
    """The largest board that there is room for; None where no number could be read."""
    for height in range(TALLEST, 0, -1):
        layout = BoardLayout(max(digits + 1, 2 * height + 2), height, rows, cols)
        if layout.columns <= columns and layout.lines <= lines:
            return layout
    return None


def digits_of(view: View) -> int:
    """Digits of the longest number on a board, at least 4: the board does not shrink with each of the first tiles."""
    return max(4, *(len(str(view.rules.value(tile))) for tile in view.tiles))


def smallest_layout(view: View) -> BoardLayout:
    """The smallest board with room for all its numbers."""
    return BoardLayout(digits_of(view) + 1, 1, view.rules.rows, view.rules.cols)


class Board(Part):
    """Shows the board, or says that there is no room."""

    _lines: tuple[Size, list[Strip]] | None = None

    def content(self, view: View) -> object:
        """The board."""
        return view.rules, view.tiles, view.dropped

    def show(self, view: View) -> None:
        """Show another board."""
        self._lines = None
        super().show(view)

    @property
    def layout_now(self) -> BoardLayout | None:
        """Where cells are; None where there is no room."""
        if self.view is None:
            return None
        rules = self.view.rules
        return fit(rules.rows, rules.cols, digits_of(self.view), self.size.width, self.size.height)

    def render_line(self, y: int) -> Strip:
        """One line of the widget."""
        if self._lines is None or self._lines[0] != self.size:
            self._lines = self.size, self._drawn(self.size, self.rich_style, self.colours)
        return self._lines[1][y]

    def _drawn(self, size: Size, style: Style, colours: Colours) -> list[Strip]:
        """All lines."""
        blank = Style.from_color(bgcolor=style.bgcolor)
        empty = Strip.blank(size.width, blank)
        if self.view is None:
            return [empty] * size.height
        layout = self.layout_now
        if layout is None:
            return [_too_small(self.view, size.width, size.height, y, style) for y in range(size.height)]
        left, above = (size.width - layout.columns) // 2, (size.height - layout.lines) // 2
        lines: list[Strip] = []
        for line in range(layout.lines):
            if line % layout.height > layout.height // 2 + 1:  # as the one before: both are below the number
                lines.append(lines[-1])
                continue
            segments = [Segment(" " * left, blank), *_line(self.view, layout, line, style, colours)]
            lines.append(Strip(segments).adjust_cell_length(size.width, blank))
        return [empty] * above + lines + [empty] * (size.height - above - len(lines))


def _too_small(view: View, width: int, height: int, y: int, style: Style) -> Strip:
    needed = smallest_layout(view)
    text = f"terminal too small: the board needs {needed.columns}x{needed.lines}"
    lines = [text[start : start + width] for start in range(0, len(text), max(1, width))]
    row = y - max(0, (height - len(lines)) // 2)
    shown = lines[row] if 0 <= row < len(lines) else ""
    return Strip([Segment(shown.center(width), style)])


def _line(view: View, layout: BoardLayout, line: int, behind: Style, colours: Colours) -> list[Segment]:
    """A line of the board."""
    row, within = divmod(line, layout.height)
    if row == layout.rows:  # the lower edge is half a line, too
        return [Segment("▀" * layout.columns, _style(colours.board) + Style.from_color(bgcolor=behind.bgcolor))]
    edge = Segment(" ", _style(colours.board, colours.board))
    segments = []
    for cell in range(row * layout.cols, (row + 1) * layout.cols):
        segments += [edge, *_cell(view, layout, cell, within, colours)]
    return [*segments, edge]


def _cell(view: View, layout: BoardLayout, cell: int, within: int, colours: Colours) -> list[Segment]:
    """A line of a cell."""
    tile, width = view.tiles[cell], layout.width - 1
    colour, number_colour = tile_colours(view.rules.value(tile)) if tile else (colours.empty, colours.empty)
    if layout.height > 1 and within == 0:
        return [Segment("▄" * width, _style(colour, colours.board))]
    if tile and within == layout.height // 2:
        text, blank = str(view.rules.value(tile)), _style(colour, colour)
        left = (width - len(text)) // 2
        number = Segment(text, _style(number_colour, colour, cell == view.dropped))
        return [Segment(" " * left, blank), number, Segment(" " * (width - left - len(text)), blank)]
    return [Segment(" " * width, _style(colour, colour))]


@functools.cache
def _style(colour: str, behind: str | None = None, new: bool = False) -> Style:
    """Numbers are bold; that of the newest tile is underlined, too."""
    return Style(color=colour, bgcolor=behind, bold=True, underline=new)
