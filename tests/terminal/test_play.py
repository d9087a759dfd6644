"""Games on the terminal, by a person and by an agent: each is that of a session, and a person's are kept.

Trusts `Session`, `record_game`, `Player.values`, files of games, and Textual's pilot to press keys as a person.
"""

import dataclasses
import itertools
import threading
import time

import numpy as np
import pytest
from support import PATIENCE
from support.screens import ARROWS, numbers, seated, text_of, until
from support.shapes import RULES

import tdl
from tdl.cli import play
from tdl.cli.play import FASTEST
from tdl.errors import CheckpointError, ConfigError
from tdl.players.kinds import load_agent
from tdl.search.options import SearchOptions
from tdl.sessions.game_file import ENDINGS, GameFolder, head, load, save
from tdl.sessions.session import Session, record_game
from tdl.terminal.app import SPEEDS
from tdl.terminal.play_screen import PlayApp

# By hand


@pytest.mark.parametrize("rules", [RULES["2584-2x3"], RULES["threes_law-3x2"], RULES["5x5"]])
async def test_a_game_by_hand_is_that_of_a_session(rules):
    app, session = PlayApp(rules, seed=5, episode=2), Session(rules, seed=5, episode=2)
    async with seated(app) as pilot:
        for number in range(12):
            if session.over:
                break
            action = session.legal[number % len(session.legal)]
            session.move(action)
            await pilot.press(ARROWS[action])
            assert app.session.board == session.board
        shown = [value for value in session.engine.array(session.board).ravel().tolist() if value]
        assert numbers(app) == shown
        assert f"{session.score:,}" in text_of(app, "panel")
    assert app.session.game() == session.game()


@pytest.mark.parametrize("keys", ["wdsa", "kljh"])
async def test_letters_are_arrows_and_what_moves_nothing_says_so(keys):
    app = PlayApp(RULES["2x2"], seed=1)
    async with seated(app) as pilot:
        seen = set()
        while len(seen) < 2:
            for action in range(4):
                board, legal = app.session.board, action in app.session.legal
                await pilot.press(keys[action])
                assert (app.session.board != board) == legal
                assert (f"{ARROWS[action]} moves nothing" in text_of(app, "status")) == (not legal)
                seen.add(legal)


async def test_moves_are_taken_back():
    app = PlayApp(RULES["4x4"], seed=1)
    async with seated(app) as pilot:
        boards = [app.session.board]
        for _ in range(4):
            await pilot.press(ARROWS[app.session.legal[0]])
            boards.append(app.session.board)
        await pilot.press("u", "backspace", "u")
        assert app.session.board == boards[1]
        await pilot.press("u", "u")
        assert app.session.board == boards[0]
        assert "nothing to take back" in text_of(app, "status")
        await pilot.press("ctrl+c")
    assert app.return_value == 130


async def test_the_end_of_a_game_is_said_and_another_begins():
    app = PlayApp(RULES["2x2"], seed=4)
    async with seated(app) as pilot:
        while not app.session.over:
            assert "Game over" not in text_of(app, "status")
            await pilot.press(ARROWS[app.session.legal[0]])
        score, moves = app.session.score, len(app.session.moves)
        assert text_of(app, "status") == f"Game over: score {score:,}, tile {app.session.max_tile:,}"
        await pilot.press("up")
        assert len(app.session.moves) == moves
        await pilot.press("r")
        assert (app.session.seed, app.session.episode, app.session.moves) == (4, 1, [])
        assert f"BEST  {score:,}" in text_of(app, "panel")


async def test_a_persons_games_are_left(tmp_path, agent):
    folder = GameFolder(tmp_path / "games")
    app = PlayApp(agent.rules, seed=9, agent=agent, folder=folder, watch=True, speed=1000.0)
    async with seated(app) as pilot:
        await until(pilot, lambda: app.session.over)
        assert not app.saved  # watched alone
        app.speed = 0.01
        await pilot.press("r", "space")
        while not app.session.over:
            app.action_move(app.session.legal[-1])  # as its key does, and quicker
        assert len(app.saved) == 1  # at its end
        await pilot.press("r", "space", ARROWS[Session(agent.rules, seed=9, episode=2).legal[0]], "q")
    first, second = (load(path, agent.rules) for path in app.saved)
    assert sorted(app.saved) == sorted((tmp_path / "games").iterdir())
    assert (first.seed, first.episode, first.complete) == (9, 1, True)
    assert (second.seed, second.episode, second.complete) == (9, 2, False)
    assert {move.by for move in second.moves[-1:]} == {"person"}
    assert folder.best(agent.rules) == max(first.score, second.score)
    assert head(app.saved[0]) == (dataclasses.replace(first, moves=()), first.score)


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_best_score_is_that_of_the_folder(tmp_path, ending):
    session = Session(RULES["2x2"], seed=1)
    while not session.over:
        session.move(session.legal[0])
    save(tmp_path / f"a{ending}", session.game())
    (tmp_path / "b.jsonl").write_text('{"format": "tdl-game-1"}\n')
    (tmp_path / "c.json").write_bytes(b"\xff\x00")
    (tmp_path / "d.json").mkdir()
    assert PlayApp(RULES["2x2"], folder=GameFolder(tmp_path)).view().best == session.score > 0
    assert GameFolder(tmp_path).best(RULES["2x3"]) == GameFolder(None).best(RULES["2x2"]) == 0
    with pytest.raises(CheckpointError, match=r"b\.jsonl: rules: missing"):
        head(tmp_path / "b.jsonl")


async def test_a_game_that_cannot_be_left_is_not_lost_in_silence(tmp_path):
    (tmp_path / "games").write_text("a file\n")
    app = PlayApp(RULES["4x4"], folder=GameFolder(tmp_path / "games"))
    async with seated(app) as pilot:
        await pilot.press(ARROWS[app.session.legal[0]], "r")
        assert "not saved" in text_of(app, "status")
    with pytest.raises(OSError, match="games"):
        play.print_summary(app)


# With an agent


@pytest.mark.parametrize("plies", [1, 2])
async def test_hints_are_the_agents_values(run, agent, meta, plies):
    app = PlayApp(agent.rules, seed=2, agent=agent, meta=meta, search=SearchOptions(plies))
    player = tdl.load(run)
    async with seated(app) as pilot:
        assert "worth" not in text_of(app, "panel")
        await pilot.press("question_mark")
        for _ in range(5):
            await until(pilot, lambda: app.values is not None)
            values = player.values(app.session.board, plies=plies)
            np.testing.assert_array_equal(app.values, values)
            panel = text_of(app, "panel")
            for action, value in enumerate(values):
                assert np.isnan(value) or f"{ARROWS[action]:<6}{value:>11,.1f}" in panel
            best = app.view().hints.chosen
            assert best == player.best(app.session.board, plies=plies)
            await pilot.press(ARROWS[best])
            if app.session.over:
                break
            assert app.session.moves[-1].values[best] == np.nanmax(values)
            assert app.session.moves[-1].by == "person"
    assert app.session.game().checkpoint == meta["digest"]


@pytest.mark.parametrize("plies", [1, 2])
async def test_a_watched_game_is_that_of_an_evaluation(run, agent, meta, monkeypatch, plies):
    """Also on a machine that stands still now and then: no move is lost."""
    times = itertools.count()
    monkeypatch.setattr("textual._time.get_time", lambda: time.monotonic() + 0.005 * next(times))  # what widgets see
    search = SearchOptions(plies)
    app = PlayApp(agent.rules, seed=7, episode=3, agent=agent, meta=meta, search=search, watch=True, speed=1000.0)
    async with seated(app) as pilot:
        await until(pilot, lambda: app.session.over)
        await pilot.press("q")
    assert app.session.game() == record_game(tdl.load(run), 7, 3, plies=plies, checkpoint=meta["digest"])
    assert not app.saved


async def test_pause_step_and_taking_over(agent):
    app = PlayApp(agent.rules, seed=7, agent=agent, watch=True, speed=0.01)
    async with seated(app) as pilot:
        await until(pilot, lambda: len(app.session.moves) == 1)  # the next would be in 100 seconds
        assert "the agent plays" in text_of(app, "panel")
        await pilot.press("space")
        assert "your move" in text_of(app, "panel")
        app.changed()
        assert len(app.session.moves) == 1
        for number, key in ((2, "n"), (3, "full_stop")):
            await pilot.press(key)
            await until(pilot, lambda number=number: len(app.session.moves) == number)
            app.changed()
            assert len(app.session.moves) == number
        await pilot.press("space")
        await until(pilot, lambda: len(app.session.moves) == 4)
        assert app.playing
        await pilot.press(ARROWS[app.session.legal[0]])
        assert not app.playing
        assert [move.by for move in app.session.moves] == ["agent"] * 4 + ["person"]


async def test_speed_and_plies_have_keys(agent):
    app = PlayApp(agent.rules, seed=7, agent=agent)
    async with seated(app) as pilot:
        for key, around in (("plus", SPEEDS), ("minus", SPEEDS[::-1])):
            for before, after in ((around[2], around[3]), (around[-1], around[-1])):
                app.speed = before
                await pilot.press(key)
                assert app.speed == after
        await pilot.press("3")
        assert app.search.plies == 3
        await pilot.press("right_square_bracket", "left_square_bracket", "left_square_bracket")
        assert app.search.plies == 2
        await pilot.press("1", "left_square_bracket")
        assert app.search.plies == 1
        assert "plies: 0 is not allowed" in text_of(app, "status")
    assert SPEEDS[-1] == FASTEST


async def test_without_an_agent_its_keys_say_so():
    app = PlayApp(RULES["4x4"])
    async with seated(app) as pilot:
        for key in ("question_mark", "space", "n", "2"):
            app.message = ""
            await pilot.press(key)
            assert "start with checkpoint=" in text_of(app, "status")
        assert not app.session.moves


def test_another_tile_rule_than_the_agents(run):
    rules = dataclasses.replace(load_agent(run).rules, drop=((1, 0.5), (2, 0.5)))
    agent = load_agent(run, rules)
    assert agent.rules == rules
    np.testing.assert_array_equal(agent.action_values(SearchOptions())(0x21), tdl.load(run).values(0x21))


class Slow:
    """An agent that thinks until it is let go on."""

    digest, episode = "slow", 1

    def __init__(self, rules):
        self.rules, self.asked, self.go_on = rules, [], threading.Semaphore(0)

    def action_values(self, search):
        return self.values

    def values(self, board):
        assert threading.current_thread() is not threading.main_thread()
        self.asked.append(board)
        assert self.go_on.acquire(timeout=PATIENCE)
        return np.array([board % 97, 1.0, 1.0, 1.0])


async def test_the_screen_does_not_wait_for_a_search():
    slow = Slow(RULES["4x4"])
    app = PlayApp(slow.rules, seed=3, agent=slow)
    async with seated(app) as pilot:
        await pilot.press("question_mark")
        await until(pilot, lambda: len(slow.asked) == 1)
        assert "…" in text_of(app, "panel")
        for _ in range(5):
            await pilot.press(ARROWS[app.session.legal[0]])
        assert len(app.session.moves) == 5
        assert app.session.moves[0].values[app.session.moves[0].action] == app.session.moves[0].reward
        assert len(slow.asked) == 1  # one search at a time
        slow.go_on.release()
        await until(pilot, lambda: len(slow.asked) == 2)  # what was asked in between is of no use any more
        assert slow.asked[1] == app.session.board
        assert app.values is None
        slow.go_on.release()
        await until(pilot, lambda: app.values is not None)
        assert app.values[0] == app.session.board % 97


class Broken(Slow):
    """An agent that fails."""

    def values(self, board):
        raise self.asked[0]


async def test_what_an_agent_cannot_do_is_said():
    broken = Broken(RULES["4x4"])
    broken.asked.append(ConfigError("values: not finite"))
    app = PlayApp(broken.rules, agent=broken, watch=True)
    async with seated(app) as pilot:
        await until(pilot, lambda: not app.playing)
        assert "values: not finite" in text_of(app, "status")
        await pilot.press(ARROWS[app.session.legal[0]])
        assert len(app.session.moves) == 1


async def test_a_fault_of_an_agent_ends_the_program_and_the_game_is_kept(tmp_path, capsys):
    faulty = Broken(RULES["4x4"])
    faulty.asked.append(ZeroDivisionError("a fault"))
    app = PlayApp(faulty.rules, agent=faulty, folder=GameFolder(tmp_path))
    with pytest.raises(ZeroDivisionError):  # noqa: PT012
        async with seated(app) as pilot:
            await pilot.press(ARROWS[app.session.legal[0]], "question_mark")
            await until(pilot, lambda: not app.is_running)
    assert app.return_code == 1
    play.print_summary(app)
    assert f"saved {app.saved[0]}" in capsys.readouterr().out
    assert len(load(app.saved[0]).moves) == 1
