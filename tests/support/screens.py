"""A person before the screen of a game on the terminal, by Textual's pilot."""

import time

from textual.widgets import Static

from support import PATIENCE
from tdl.terminal.board import Board

ARROWS = ("up", "right", "down", "left")


def seated(app, size=(100, 30)):
    """A person, as Textual's pilot, before the screen while this context is open."""
    return app.run_test(size=size)


async def until(pilot, condition, seconds=PATIENCE):
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        await pilot.pause(0.002)


def drawn(app):
    """The text of the board."""
    board = app.screen.query_one(Board)
    return [board.render_line(y).text for y in range(board.size.height)]


def numbers(app):
    """The numbers on the board, as they stand there."""
    return [int(word) for word in " ".join(drawn(app)).translate(str.maketrans("▄▀", "  ")).split()]


def text_of(app, name):
    """The text of another widget: panel, status or keys."""
    return str(app.screen.query_one(f"#{name}", Static).content)
