"""A recorded game on the screen, forth and back.

Trusts `Session`, files of games, and Textual's pilot to press keys as a person.
"""

import pytest
from support.screens import ARROWS, numbers, seated, text_of, until

from tdl.search.options import SearchOptions
from tdl.sessions.session import Session
from tdl.terminal.recorded import RecordedGameApp


@pytest.mark.parametrize("complete", [True, False])
async def test_a_recorded_game_forth_and_back(agent, complete):
    session = Session(agent.rules, seed=1, action_values=agent.action_values(SearchOptions()), checkpoint="abc")
    while not session.over if complete else len(session.moves) < 6:
        session.advance()
    game = session.game()
    app, boards = RecordedGameApp(game, speed=1000.0), game.boards()

    def shows(at):
        cells = [value for value in session.engine.array(boards[at]).ravel().tolist() if value]
        return app.at == at and numbers(app) == cells

    async with seated(app) as pilot:
        assert shows(0)
        await pilot.press("left")
        assert shows(0)
        await pilot.press("right", "right", "right", "left")
        assert shows(2)
        assert f"{game.moves[2].values[game.moves[2].action]:,.1f}" in text_of(app, "panel")
        assert f"next: {ARROWS[game.moves[2].action]}" in text_of(app, "status")
        await pilot.press("end")
        assert shows(len(game.moves))
        assert ("Game over" if complete else "given up") in text_of(app, "status")
        assert f"score {game.score:,}" in text_of(app, "status")
        await pilot.press("right", "space")
        assert shows(len(game.moves))
        await pilot.press("home", "n")
        await until(pilot, lambda: shows(1))
        await pilot.press("space")
        await until(pilot, lambda: shows(len(game.moves)))
        assert not app.playing
        await pilot.press("q")
    app.playing, app.at = True, 0
    app.changed()  # a timer may fire once more when the screen is gone
    assert app.at == 0
