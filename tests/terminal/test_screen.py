"""What the screen shows: every board at every size, hints where there is room, and the keys.

Trusts `contrast` of colours, and Textual's pilot to resize the terminal.
"""

import dataclasses
import itertools

import numpy as np
import pytest
from support.screens import ARROWS, drawn, numbers, seated, text_of, until
from support.shapes import RULES

import tdl
from tdl.game.rules import GAMES
from tdl.sessions.pictures import contrast
from tdl.terminal.app import DARK, LIGHT
from tdl.terminal.board import Board, fit
from tdl.terminal.panel import bar, hint_title, keys_text
from tdl.terminal.play_screen import PlayApp
from tdl.terminal.view import Hints


async def test_every_game_on_every_board():
    """With the largest tiles there are, on a large screen and on the smallest that has room."""
    app = PlayApp(RULES["4x4"])
    async with seated(app, size=(140, 40)):
        board = app.screen.query_one(Board)
        for game, rows, cols in itertools.product(GAMES, range(2, 6), range(2, 6)):
            rules = tdl.Rules(game, rows, cols)
            tiles = tuple((rules.largest - cell) % (rules.largest + 1) for cell in range(rules.cells))
            board.view = dataclasses.replace(app.view(), rules=rules, tiles=tiles)
            assert numbers(app) == [rules.value(tile) for tile in tiles if tile]
            assert len({len(line) for line in drawn(app)}) == 1
    assert fit(4, 4, 4, 21, 4).height == 1
    assert fit(4, 4, 4, 20, 4) is fit(4, 4, 4, 21, 3) is None


async def test_the_board_has_the_size_of_the_terminal():
    app = PlayApp(RULES["4x4"], seed=1)
    async with seated(app) as pilot:
        board, shown, heights = app.screen.query_one(Board), numbers(app), []
        for size in ((44, 12), (60, 40), (90, 24), (140, 50)):
            await pilot.resize_terminal(*size)
            await until(pilot, lambda size=size: app.size == size and numbers(app) == shown)
            heights.append(board.layout_now(app.view()).height)
            assert app.screen.query_one("#panel").display == (size != (44, 12))
            assert ("best" in text_of(app, "status")) == (size == (44, 12))
        assert heights == sorted(heights)
        assert heights[0] < heights[1] < heights[-1]
        await pilot.resize_terminal(16, 8)
        await pilot.pause()
        told = "".join(line.strip() + " " for line in drawn(app))
        assert "terminal too" in told
        assert "21x4" in told
        assert not app.screen.query_one("#keys").display
        await pilot.press(ARROWS[app.session.legal[0]])
        await pilot.resize_terminal(100, 30)
        await pilot.pause()
        assert len(numbers(app)) >= len(shown)


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
async def test_themes_are_seen_and_can_be_read(theme):
    """4.5 is what WCAG 2.2 asks of text."""
    colours, app = theme.variables, PlayApp(RULES["4x4"], seed=1, theme=theme.name)
    for text in (theme.foreground, colours["dim"], colours["strong"], colours["good"]):
        assert contrast(text, theme.background) >= 4.5
    ground = {theme.background, colours["board"], colours["hole"]}
    assert len(ground) == 3
    async with seated(app) as pilot:
        await pilot.pause()
        board = app.screen.query_one(Board)
        seen = {segment.style.bgcolor.name for y in range(board.size.height) for segment in board.render_line(y)}
        assert ground <= seen
        texts = [strip for y in range(10) for strip in app.screen.query_one("#panel").render_line(y)]
        assert colours["dim"] in {segment.style.color.name for segment in texts if segment.style.color}


@pytest.mark.parametrize("size", [(40, 20), (21, 9), (60, 33), (100, 30)])
async def test_hints_are_seen_in_small_windows(agent, size):
    app = PlayApp(agent.rules, seed=2, agent=agent)
    async with seated(app, size=size) as pilot:
        shown = numbers(app)
        await pilot.press("question_mark")
        await until(pilot, lambda: app.values is not None)
        await pilot.pause()
        panel = app.screen.query_one("#panel")
        assert panel.display
        lines = text_of(app, "panel").splitlines()
        first = next(number for number, line in enumerate(lines) if line.startswith("↑ up"))
        assert first + 4 <= panel.size.height
        assert f"{np.nanmax(app.values):,.1f}" in "".join(line[: panel.size.width] for line in lines)
        assert numbers(app) == shown
        await pilot.press("question_mark")
        assert "↑ up" not in text_of(app, "panel")
        await pilot.resize_terminal(40, 6)
        await pilot.press("question_mark")
        await pilot.pause()
        assert "no room for values" in text_of(app, "status")
        assert not panel.display


def test_keys_are_told_without_breaking_them():
    pairs = (("a", "one"), ("b", "two three"), ("c", "four"))
    for width, lines in ((80, ["a one  b two three  c four"]), (18, ["a one  b two three", "c four"])):
        assert keys_text(pairs, width).plain.splitlines() == lines
    assert keys_text(pairs, 3).plain.splitlines() == ["a one", "b two three", "c four"]


def test_bars_start_at_the_least_value():
    assert hint_title(Hints((1.0, None, 2000.0, 2.0))) == "moves are worth (bars from 1.0)"
    assert hint_title(Hints((1.0, None, 1.0, None))) == hint_title(Hints(None)) == "what moves are worth"
    assert (bar(0), bar(0.5), bar(0.55), bar(1)) == ("▏", "█" * 5, "█████▌", "█" * 10)
