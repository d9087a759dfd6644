"""The widget of the board: as large as there is room for."""

import functools
from collections.abc import Iterator
from dataclasses import dataclass

from rich.segment import Segment
from rich.style import Style
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from tdl.sessions.pictures import tile_colours
from tdl.terminal.view import View

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


class Board(Widget):
    """Shows the board, or says that there is no room."""

    view: reactive[View | None] = reactive(None)

    def layout_now(self, view: View) -> BoardLayout | None:
        """Where cells are; None where there is no room."""
        return fit(view.rules.rows, view.rules.cols, digits_of(view), self.size.width, self.size.height)

    def render_line(self, y: int) -> Strip:
        """One line of the widget."""
        ground = Style.from_color(bgcolor=self.rich_style.bgcolor)
        if self.view is None:
            return Strip.blank(self.size.width, ground)
        layout = self.layout_now(self.view)
        if layout is None:
            return self._too_small(self.view, y)
        line = y - (self.size.height - layout.lines) // 2
        if not 0 <= line < layout.lines:
            return Strip.blank(self.size.width, ground)
        left = Segment(" " * ((self.size.width - layout.columns) // 2), ground)
        strip = Strip([left, *self._line(self.view, layout, line, ground)])
        return strip.adjust_cell_length(self.size.width, ground)

    def _too_small(self, view: View, y: int) -> Strip:
        needed, width = smallest_layout(view), max(1, self.size.width)
        text = f"terminal too small: the board needs {needed.columns}x{needed.lines}"
        lines = [text[start : start + width] for start in range(0, len(text), width)]
        row = y - max(0, (self.size.height - len(lines)) // 2)
        shown = lines[row] if 0 <= row < len(lines) else ""
        return Strip([Segment(shown.center(width), self.rich_style)])

    def _line(self, view: View, layout: BoardLayout, line: int, ground: Style) -> Iterator[Segment]:
        """A line of the board."""
        row, within = divmod(line, layout.height)
        board = self.app.theme_variables["board"]
        if row == layout.rows:  # the lower edge is half a line, too
            yield Segment("▀" * layout.columns, _style(board) + ground)
            return
        edge = Segment(" ", _style(board, board))
        for cell in range(row * layout.cols, (row + 1) * layout.cols):
            yield edge
            yield from self._cell(view, layout, cell, within)
        yield edge

    def _cell(self, view: View, layout: BoardLayout, cell: int, within: int) -> Iterator[Segment]:
        """A line of a cell."""
        value, width, theme = view.rules.value(view.tiles[cell]), layout.width - 1, self.app.theme_variables
        colour, number_colour = tile_colours(value) if value else (theme["hole"], theme["hole"])
        blank = _style(colour, colour)
        if layout.height > 1 and within == 0:
            yield Segment("▄" * width, _style(colour, theme["board"]))
        elif value and within == layout.height // 2:
            left, text, right = f"{value:^{width}}".partition(str(value))
            yield Segment(left, blank)
            yield Segment(text, _style(number_colour, colour, cell == view.dropped))
            yield Segment(right, blank)
        else:
            yield Segment(" " * width, blank)


@functools.cache
def _style(colour: str, behind: str | None = None, new: bool = False) -> Style:
    """Numbers are bold; that of the newest tile is underlined, too."""
    return Style(color=colour, bgcolor=behind, bold=True, underline=new)
