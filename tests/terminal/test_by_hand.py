"""A person plays on the terminal: the game is that of a session, and it is kept.

Trusts `Session`, files of games, and Textual's pilot to press keys as a person.
"""

import pytest
from support.screens import ARROWS, numbers, on_screen, text_of, until
from support.shapes import RULES

from tdl.cli import play
from tdl.errors import CheckpointError
from tdl.sessions.game_file import ENDINGS, GameFolder, load, rules_and_score, save
from tdl.sessions.session import Session
from tdl.terminal.panel import Panel, Status
from tdl.terminal.play import PlayApp


@pytest.mark.parametrize("rules", [RULES["2584-2x3"], RULES["threes_law-3x2"], RULES["5x5"]])
def test_a_game_by_hand_is_that_of_a_session(rules):
    app, session = PlayApp(rules, seed=5, episode=2), Session(rules, seed=5, episode=2)

    async def person(pilot):
        for number in range(12):
            if session.over:
                break
            action = session.legal[number % len(session.legal)]
            session.move(action)
            await pilot.press(ARROWS[action])
            assert app.session.board == session.board
        shown = [value for value in session.engine.array(session.board).ravel().tolist() if value]
        assert numbers(app) == shown
        assert f"{session.score:,}" in text_of(app, Panel)

    on_screen(app, person)
    assert app.session.game() == session.game()


@pytest.mark.parametrize("keys", ["wdsa", "klj" + "h"])
def test_letters_are_arrows(keys):
    app = PlayApp(RULES["4x4"], seed=1)

    async def person(pilot):
        for action in (0, 1, 2, 3, 0, 2):
            before, legal = len(app.session.moves), app.session.legal
            await pilot.press(keys[action])
            assert len(app.session.moves) == before + (action in legal)
            assert action not in legal or app.session.moves[-1].action == action

    on_screen(app, person)


def test_moves_are_taken_back():
    app = PlayApp(RULES["4x4"], seed=1)

    async def person(pilot):
        boards = [app.session.board]
        for _ in range(4):
            await pilot.press(ARROWS[app.session.legal[0]])
            boards.append(app.session.board)
        for key in ("u", "backspace", "u"):
            await pilot.press(key)
        assert app.session.board == boards[1]
        await pilot.press("u", "u")
        assert app.session.board == boards[0]
        assert "nothing to take back" in text_of(app, Status)

    on_screen(app, person)


def test_a_move_that_is_not_legal_does_nothing_but_says_so():
    app = PlayApp(RULES["2x2"], seed=1)

    async def person(pilot):
        while len(app.session.legal) == 4:
            await pilot.press(ARROWS[app.session.legal[0]])
        wrong = next(action for action in range(4) if action not in app.session.legal)
        board, moves = app.session.board, len(app.session.moves)
        await pilot.press(ARROWS[wrong])
        assert (app.session.board, len(app.session.moves)) == (board, moves)
        assert f"{ARROWS[wrong]} moves nothing" in text_of(app, Status)
        await pilot.press(ARROWS[app.session.legal[0]])
        assert "nothing" not in text_of(app, Status)

    on_screen(app, person)


def test_the_end_of_a_game_is_said_and_another_begins():
    app = PlayApp(RULES["2x2"], seed=4)

    async def person(pilot):
        while not app.session.over:
            assert "Game over" not in text_of(app, Status)
            await pilot.press(ARROWS[app.session.legal[0]])
        score, moves = app.session.score, len(app.session.moves)
        assert f"Game over: score {score:,}, tile {app.session.max_tile:,}" in text_of(app, Status)
        await pilot.press("up")
        assert len(app.session.moves) == moves
        await pilot.press("r")
        assert (app.session.seed, app.session.episode, app.session.moves) == (4, 1, [])
        assert f"BEST  {score:,}" in text_of(app, Panel)

    on_screen(app, person)


def test_a_persons_games_are_left(tmp_path, agent):
    folder = GameFolder(tmp_path / "games")
    app = PlayApp(agent.rules, seed=9, agent=agent, folder=folder, watch=True, speed=1000.0)

    async def person(pilot):
        await until(pilot, lambda: app.session.over)
        assert not app.saved  # watched alone
        app.speed = 0.01
        await pilot.press("r", "space")
        while not app.session.over:
            app.action_move(app.session.legal[-1])  # as its key does, and quicker
        assert len(app.saved) == 1  # at its end
        await pilot.press("r", "space", ARROWS[Session(agent.rules, seed=9, episode=2).legal[0]], "q")

    on_screen(app, person)
    first, second = (load(path, agent.rules) for path in app.saved)
    assert sorted(app.saved) == sorted((tmp_path / "games").iterdir())
    assert (first.seed, first.episode, first.complete) == (9, 1, True)
    assert (second.seed, second.episode, second.complete) == (9, 2, False)
    assert {move.by for move in second.moves[-1:]} == {"person"}
    assert folder.best(agent.rules) == max(first.score, second.score)
    assert rules_and_score(app.saved[0]) == (agent.rules, first.score)


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_best_score_is_that_of_the_folder(tmp_path, ending):
    session = Session(RULES["2x2"], seed=1)
    while not session.over:
        session.move(session.legal[0])
    save(tmp_path / f"a{ending}", session.game())
    (tmp_path / "b.jsonl").write_text('{"format": "tdl-game-1"}\n')
    (tmp_path / "c.json").write_bytes(b"\xff\x00")
    (tmp_path / "d.json").mkdir()
    app = PlayApp(RULES["2x2"], folder=GameFolder(tmp_path))

    async def person(pilot):
        assert f"BEST  {session.score:,}" in text_of(app, Panel)

    assert session.score
    on_screen(app, person)
    assert GameFolder(tmp_path).best(RULES["2x3"]) == GameFolder(None).best(RULES["2x2"]) == 0
    with pytest.raises(CheckpointError, match=r"b\.jsonl: rules: missing"):
        rules_and_score(tmp_path / "b.jsonl")


def test_a_game_that_cannot_be_left_is_not_lost_in_silence(tmp_path, capsys):
    (tmp_path / "games").write_text("a file\n")
    app = PlayApp(RULES["4x4"], folder=GameFolder(tmp_path / "games"))

    async def person(pilot):
        await pilot.press(ARROWS[app.session.legal[0]], "r")
        assert "not saved" in text_of(app, Status)

    on_screen(app, person)
    with pytest.raises(OSError, match="games"):
        play.farewell(app)
