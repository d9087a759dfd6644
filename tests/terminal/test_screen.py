"""The screen: a recorded game forth and back, every board at every size, and the keys.

Trusts `Session`, files of games, and Textual's pilot to press keys as a person.
"""

import dataclasses
import itertools

import numpy as np
import pytest
from support.screens import ARROWS, drawn, numbers, on_screen, text_of, until
from support.shapes import RULES

import tdl
from tdl.game.rules import GAMES
from tdl.search.options import SearchOptions
from tdl.sessions.game_file import load, save
from tdl.sessions.pictures import contrast
from tdl.sessions.session import Session
from tdl.terminal.board import Board, fit
from tdl.terminal.colours import COLOURS
from tdl.terminal.panel import Keys, Panel, Status, key_lines
from tdl.terminal.play import PlayApp
from tdl.terminal.recorded import RecordedGameApp


def test_a_move_that_is_due_after_the_end_is_not_drawn(tmp_path, agent):
    """A timer may fire once more when the screen is gone."""
    session = Session(agent.rules, seed=1, action_values=agent.action_values(SearchOptions()), checkpoint="abc")
    session.advance()
    save(tmp_path / "game.jsonl", session.game())
    app = RecordedGameApp(load(tmp_path / "game.jsonl"), speed=1000.0)

    async def person(pilot):
        await pilot.press("q")

    on_screen(app, person)
    app.playing, app.at = True, 0
    app.changed()
    assert app.at == 0


@pytest.mark.parametrize("complete", [True, False])
def test_a_recorded_game_forth_and_back(tmp_path, agent, complete):
    session = Session(agent.rules, seed=1, action_values=agent.action_values(SearchOptions()), checkpoint="abc")
    while not session.over if complete else len(session.moves) < 6:
        session.advance()
    save(tmp_path / "game.jsonl", session.game())
    game = load(tmp_path / "game.jsonl")
    app, boards = RecordedGameApp(game, speed=1000.0), game.boards()

    def shows(at):
        cells = [value for value in session.engine.array(boards[at]).ravel().tolist() if value]
        return app.at == at and numbers(app) == cells

    async def person(pilot):
        assert shows(0)
        await pilot.press("left")
        assert shows(0)
        await pilot.press("right", "right", "right", "left")
        assert shows(2)
        values = game.moves[2].values[game.moves[2].action]
        assert f"{values:,.1f}" in text_of(app, Panel)
        assert f"next: {ARROWS[game.moves[2].action]}" in text_of(app, Status)
        await pilot.press("end")
        assert shows(len(game.moves))
        assert ("Game over" if complete else "given up") in text_of(app, Status)
        assert f"score {game.score:,}" in text_of(app, Status)
        await pilot.press("right", "space")
        assert shows(len(game.moves))
        await pilot.press("home", "n")
        await until(pilot, lambda: shows(1))
        await pilot.press("space")
        await until(pilot, lambda: shows(len(game.moves)))
        assert not app.playing

    on_screen(app, person)


def test_every_game_on_every_board():
    """With the largest tiles there are, on a large screen and on the smallest that has room."""
    app = PlayApp(RULES["4x4"])

    async def person(pilot):
        board = app.screen.query_one(Board)
        for game, rows, cols in itertools.product(GAMES, range(2, 6), range(2, 6)):
            rules = tdl.Rules(game, rows, cols)
            tiles = tuple((rules.largest - cell) % (rules.largest + 1) for cell in range(rules.cells))
            board.show(dataclasses.replace(app.view(), rules=rules, tiles=tiles))
            assert numbers(app) == [rules.value(tile) for tile in tiles if tile]
            assert len({len(line) for line in drawn(app)}) == 1

    on_screen(app, person, size=(140, 40))
    assert fit(4, 4, 4, 21, 4).height == 1
    assert fit(4, 4, 4, 20, 4) is fit(4, 4, 4, 21, 3) is None


def test_the_board_has_the_size_of_the_terminal():
    app = PlayApp(RULES["4x4"], seed=1)

    async def person(pilot):
        shown, heights = numbers(app), []
        for size in ((44, 12), (60, 40), (90, 24), (140, 50)):
            await pilot.resize_terminal(*size)
            await until(pilot, lambda size=size: app.size == size and numbers(app) == shown)
            heights.append(app.screen.query_one(Board).layout_now.height)
            assert app.screen.query_one(Panel).display == (size != (44, 12))
            assert ("best" in text_of(app, Status)) == (size == (44, 12))
        assert heights == sorted(heights)
        assert heights[0] < heights[1] < heights[-1]
        await pilot.resize_terminal(16, 8)
        await pilot.pause()
        told = "".join(line.strip() + " " for line in drawn(app))
        assert "terminal too" in told
        assert "21x4" in told
        assert not app.screen.query_one(Keys).display
        await pilot.press(ARROWS[app.session.legal[0]])
        await pilot.resize_terminal(100, 30)
        await pilot.pause()
        assert len(numbers(app)) >= len(shown)

    on_screen(app, person)


def test_every_text_can_be_read_in_both_themes():
    """4.5 is what WCAG 2.2 asks of text."""
    for colours in COLOURS.values():
        for style in (colours.text, colours.dim, colours.strong, colours.good):
            assert contrast(style.removeprefix("bold "), colours.ground) >= 4.5
        assert len({colours.ground, colours.board, colours.empty}) == 3


@pytest.mark.parametrize("colours", COLOURS.values(), ids=COLOURS)
def test_the_screen_has_the_colours_of_its_theme(colours):
    app = PlayApp(RULES["4x4"], seed=1, colours=colours)

    async def person(pilot):
        await pilot.pause()
        assert app.screen.styles.background.hex.lower() == colours.ground
        board = app.screen.query_one(Board)
        seen = {segment.style.bgcolor.name for y in range(board.size.height) for segment in board.render_line(y)}
        assert {colours.ground, colours.board, colours.empty} <= seen
        assert colours.dim in str(app.screen.query_one(Panel).render().spans)

    on_screen(app, person)


@pytest.mark.parametrize("size", [(40, 20), (21, 9), (60, 33), (100, 30)])
def test_hints_are_seen_in_small_windows(agent, size):
    app = PlayApp(agent.rules, seed=2, agent=agent)

    async def person(pilot):
        shown = numbers(app)
        await pilot.press("question_mark")
        await until(pilot, lambda: app.values is not None)
        await pilot.pause()
        panel = app.screen.query_one(Panel)
        assert panel.display
        assert panel.size.height >= 4
        lines = text_of(app, Panel).splitlines()
        first = next(number for number, line in enumerate(lines) if line.startswith("↑ up"))
        assert first + 4 <= panel.size.height
        assert f"{np.nanmax(app.values):,.1f}" in "".join(line[: panel.size.width] for line in lines)
        assert numbers(app) == shown
        await pilot.press("question_mark")
        assert "↑ up" not in text_of(app, Panel)

    on_screen(app, person, size=size)


def test_where_hints_have_no_room_that_is_said(agent):
    app = PlayApp(agent.rules, seed=2, agent=agent)

    async def person(pilot):
        await pilot.press("question_mark")
        await pilot.pause()
        assert "no room for values" in text_of(app, Status)
        assert not app.screen.query_one(Panel).display

    on_screen(app, person, size=(40, 6))


def test_keys_are_told_without_breaking_them():
    pairs = (("a", "one"), ("b", "two three"), ("c", "four"))
    assert key_lines(pairs, 80) == [list(pairs)]
    assert key_lines(pairs, 18) == [list(pairs[:2]), [pairs[2]]]
    assert key_lines(pairs, 3) == [[pair] for pair in pairs]
