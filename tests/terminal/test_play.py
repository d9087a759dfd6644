"""Games on the terminal: what is played there is what a session plays, and the terminal is left as it was.

Trusts `Session`, `record_game`, files of games, and Textual's pilot and pseudo-terminals to press keys as a person.
"""

import asyncio
import contextlib
import dataclasses
import itertools
import json
import os
import pty
import select
import signal
import sys
import termios
import threading
import time

import numpy as np
import pytest
from support.programs import files, inside, running, train
from support.shapes import RULES

import tdl
from tdl import play
from tdl.config import play as play_config
from tdl.errors import CheckpointError, ConfigError
from tdl.game.rules import GAMES
from tdl.search.options import SearchOptions
from tdl.sessions.advisor import load_advisor
from tdl.sessions.game_file import GameFolder, load, save, told
from tdl.sessions.recorded_game import record_game
from tdl.sessions.session import Session
from tdl.terminal.app import SPEEDS
from tdl.terminal.board import Board, fit
from tdl.terminal.panel import Keys, Panel, Status, key_lines
from tdl.terminal.play import PlayApp
from tdl.terminal.replay import ReplayApp

ARROWS = ("up", "right", "down", "left")


def on_screen(app, person, size=(100, 30)):
    """Let a person sit before the screen."""

    async def sitting():
        async with app.run_test(size=size) as pilot:
            await person(pilot)

    asyncio.run(sitting())


async def until(pilot, condition, seconds=120):
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


def told_by(app, widget):
    """The text of another widget."""
    return app.screen.query_one(widget).render().plain


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    cells = ("size=2x3", "tuples.cells=[[0,1,2],[0,1,3,4]]")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tdl.results.figures.save_curve", lambda folder: None)
        return train(tmp_path_factory.mktemp("play") / "run", *cells, "episodes=200", "evaluate.episodes=0")


@pytest.fixture(scope="module")
def agent(run):
    return load_advisor(run)


@pytest.mark.parametrize("rules", [RULES["fib-2x3"], RULES["threes_law-3x2"], RULES["5x5"]])
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
        assert f"{session.score:,}" in told_by(app, Panel)

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
        assert "nothing to take back" in told_by(app, Status)

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
        assert f"{ARROWS[wrong]} moves nothing" in told_by(app, Status)
        await pilot.press(ARROWS[app.session.legal[0]])
        assert "nothing" not in told_by(app, Status)

    on_screen(app, person)


def test_the_end_of_a_game_is_said_and_another_begins():
    app = PlayApp(RULES["2x2"], seed=4)

    async def person(pilot):
        while not app.session.over:
            assert "Game over" not in told_by(app, Status)
            await pilot.press(ARROWS[app.session.legal[0]])
        score, moves = app.session.score, len(app.session.moves)
        assert f"Game over: score {score:,}, tile {app.session.max_tile:,}" in told_by(app, Status)
        await pilot.press("up")
        assert len(app.session.moves) == moves
        await pilot.press("r")
        assert (app.session.seed, app.session.episode, app.session.moves) == (4, 1, [])
        assert f"BEST  {score:,}" in told_by(app, Panel)

    on_screen(app, person)


@pytest.mark.parametrize("plies", [1, 2])
def test_hints_are_the_agents_values(run, agent, plies):
    app = PlayApp(agent.rules, seed=2, advisor=agent, searching=SearchOptions(plies))
    player = tdl.load(run)

    async def person(pilot):
        assert "moves are worth" not in told_by(app, Panel)
        await pilot.press("question_mark")
        for _ in range(5):
            await until(pilot, lambda: app.values is not None)
            values = player.values(app.session.board, plies=plies)
            np.testing.assert_array_equal(app.values, values)
            panel = told_by(app, Panel)
            for action, value in enumerate(values):
                if not np.isnan(value):
                    assert f"{ARROWS[action]:<6}{value:>11,.1f}" in panel
            best = app.view().opinion.chosen
            assert best == player.best(app.session.board, plies=plies)
            await pilot.press(ARROWS[best])
            if app.session.over:
                break
            assert app.session.moves[-1].values[best] == np.nanmax(values)
            assert app.session.moves[-1].by == "person"
        await pilot.press("question_mark")
        assert "moves are worth" not in told_by(app, Panel)

    on_screen(app, person)
    assert app.session.game().checkpoint == agent.digest


@pytest.mark.parametrize("plies", [1, 2])
def test_a_watched_game_is_that_of_an_evaluation(run, agent, plies):
    app = PlayApp(
        agent.rules, seed=7, episode=3, advisor=agent, searching=SearchOptions(plies), watch=True, speed=1000.0
    )

    async def person(pilot):
        await until(pilot, lambda: app.session.over)
        await pilot.press("q")

    on_screen(app, person)
    assert app.session.game() == record_game(tdl.load(run), 7, 3, plies=plies, checkpoint=agent.digest)
    assert not app.saved


def test_pause_step_and_taking_over(agent):
    app = PlayApp(agent.rules, seed=7, advisor=agent, watch=True, speed=0.01)

    async def person(pilot):
        await until(pilot, lambda: len(app.session.moves) == 1)  # the next would be in 100 seconds
        assert "the agent plays" in told_by(app, Panel)
        await pilot.press("space")
        assert "your move" in told_by(app, Panel)
        app._due = 0.0
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

    on_screen(app, person)


def test_speed_and_plies_have_keys(agent):
    app = PlayApp(agent.rules, seed=7, advisor=agent)

    async def person(pilot):
        for key, around in (("plus", SPEEDS), ("minus", SPEEDS[::-1])):
            for before, after in ((around[2], around[3]), (around[-2], around[-1]), (around[-1], around[-1])):
                app.speed = before
                await pilot.press(key)
                assert app.speed == after
        assert SPEEDS[-1] == play_config.FASTEST
        await pilot.press("3")
        assert app.searching.plies == 3
        await pilot.press("right_square_bracket", "left_square_bracket", "left_square_bracket")
        assert app.searching.plies == 2
        await pilot.press("1", "left_square_bracket")
        assert app.searching.plies == 1
        assert "plies: 0 is not allowed" in told_by(app, Status)

    on_screen(app, person)


def test_without_an_agent_its_keys_say_so():
    app = PlayApp(RULES["4x4"])

    async def person(pilot):
        for key in ("question_mark", "space", "n", "2"):
            app.message = ""
            await pilot.press(key)
            assert "start with checkpoint=" in told_by(app, Status)
        assert not app.session.moves

    on_screen(app, person)


class Slow:
    """An agent that thinks until it is let go on."""

    digest, episode = "slow", 1

    def __init__(self, rules):
        self.rules, self.asked, self.go_on = rules, [], threading.Semaphore(0)

    def at(self, searching):
        return self.think

    def think(self, board):
        self.asked.append((board, threading.current_thread()))
        assert self.go_on.acquire(timeout=60)
        return np.array([board % 97, 1.0, 1.0, 1.0])


def test_the_screen_does_not_wait_for_a_search():
    slow = Slow(RULES["4x4"])
    app = PlayApp(slow.rules, seed=3, advisor=slow)

    async def person(pilot):
        await pilot.press("question_mark")
        await until(pilot, lambda: len(slow.asked) == 1)
        assert "…" in told_by(app, Panel)
        for _ in range(5):
            await pilot.press(ARROWS[app.session.legal[0]])
        assert len(app.session.moves) == 5
        assert app.session.moves[0].values[app.session.moves[0].action] == app.session.moves[0].reward
        slow.go_on.release()
        await until(pilot, lambda: len(slow.asked) == 2)  # what was asked in between is of no use any more
        assert slow.asked[1][0] == app.session.board
        assert app.values is None
        slow.go_on.release()
        await until(pilot, lambda: app.values is not None)
        assert app.values[0] == app.session.board % 97
        assert {thread for _, thread in slow.asked} == {slow.asked[0][1]} != {threading.main_thread()}

    on_screen(app, person)


def test_what_an_agent_cannot_do_is_said():
    class Broken(Slow):
        def think(self, board):
            raise ConfigError("values: not finite")

    app = PlayApp(RULES["4x4"], advisor=Broken(RULES["4x4"]), watch=True)

    async def person(pilot):
        await until(pilot, lambda: not app.playing)
        assert "values: not finite" in told_by(app, Status)
        await pilot.press(ARROWS[app.session.legal[0]])
        assert len(app.session.moves) == 1

    on_screen(app, person)


def test_a_fault_of_an_agent_ends_the_program_and_the_game_is_kept(tmp_path, capsys):
    class Faulty(Slow):
        def think(self, board):
            raise ZeroDivisionError("a fault")

    app = PlayApp(RULES["4x4"], advisor=Faulty(RULES["4x4"]), folder=GameFolder(tmp_path))

    async def person(pilot):
        await pilot.press(ARROWS[app.session.legal[0]], "question_mark")
        await until(pilot, lambda: not app.is_running)

    with pytest.raises(ZeroDivisionError):
        on_screen(app, person)
    assert app.return_code == 1
    play.farewell(app)
    assert f"saved {app.saved[0]}" in capsys.readouterr().out
    assert len(load(app.saved[0]).moves) == 1


def test_a_persons_games_are_left(tmp_path, agent):
    folder = GameFolder(tmp_path / "games")
    app = PlayApp(agent.rules, seed=9, advisor=agent, folder=folder, watch=True, speed=1000.0)

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
    assert told(app.saved[0]) == (agent.rules, first.score)


def test_the_best_score_is_that_of_the_folder(tmp_path):
    session = Session(RULES["2x2"], seed=1)
    while not session.over:
        session.move(session.legal[0])
    save(tmp_path / "a.json", session.game())
    (tmp_path / "b.json").write_text('{"format": "tdl-game-1"}\n')
    (tmp_path / "c.json").write_bytes(b"\xff\x00")
    (tmp_path / "d.json").mkdir()
    app = PlayApp(RULES["2x2"], folder=GameFolder(tmp_path))

    async def person(pilot):
        assert f"BEST  {session.score:,}" in told_by(app, Panel)

    assert session.score
    on_screen(app, person)
    assert GameFolder(tmp_path).best(RULES["2x3"]) == GameFolder(None).best(RULES["2x2"]) == 0
    with pytest.raises(CheckpointError, match=r"b\.json: corrupt: no 'rules'"):
        told(tmp_path / "b.json")


def test_a_game_that_cannot_be_left_is_not_lost_in_silence(tmp_path, capsys):
    (tmp_path / "games").write_text("a file\n")
    app = PlayApp(RULES["4x4"], folder=GameFolder(tmp_path / "games"))

    async def person(pilot):
        await pilot.press(ARROWS[app.session.legal[0]], "r")
        assert "not saved" in told_by(app, Status)

    on_screen(app, person)
    with pytest.raises(OSError, match="games"):
        play.farewell(app)


@pytest.mark.parametrize("complete", [True, False])
def test_a_recorded_game_forth_and_back(tmp_path, agent, complete):
    session = Session(agent.rules, seed=1, think=agent.at(SearchOptions()), checkpoint=agent.digest)
    while not session.over if complete else len(session.moves) < 6:
        session.advance()
    save(tmp_path / "game.json", session.game())
    game = load(tmp_path / "game.json")
    app, boards = ReplayApp(game, speed=1000.0), game.boards()

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
        assert f"{values:,.1f}" in told_by(app, Panel)
        assert f"next: {ARROWS[game.moves[2].action]}" in told_by(app, Status)
        await pilot.press("end")
        assert shows(len(game.moves))
        assert ("Game over" if complete else "given up") in told_by(app, Status)
        assert f"score {game.score:,}" in told_by(app, Status)
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
            assert ("best" in told_by(app, Status)) == (size == (44, 12))
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


def test_keys_are_told_without_breaking_them():
    pairs = (("a", "one"), ("b", "two three"), ("c", "four"))
    assert key_lines(pairs, 80) == [list(pairs)]
    assert key_lines(pairs, 18) == [list(pairs[:2]), [pairs[2]]]
    assert key_lines(pairs, 3) == [[pair] for pair in pairs]


CASES = [
    ("checkpoint=missing", 2, ["missing: no checkpoint here"]),
    ("checkpoint=cut", 2, ["cut"]),
    ("checkpoint=run game=fib", 2, ["game: 'fib' is not allowed", "pow2, that of the checkpoint"]),
    ("checkpoint=run size=4x4", 2, ["size: '4x4' is not allowed", "2x3, that of the checkpoint"]),
    ("checkpoint=run plies=0", 2, ["plies: 0 is not allowed", "from 1 to 12"]),
    ("watch=true", 2, ["watch: True is not allowed", "no agent to watch"]),
    ("plies=2", 2, ["plies: 2 would change nothing with no checkpoint"]),
    ("search.cutoff=0.1", 2, ["search.cutoff: 0.1 would change nothing with no checkpoint"]),
    ("size=6x6", 2, ["size: '6x6' is not allowed", "did you mean '5x5'?"]),
    ("seed=-1", 2, ["seed: -1 is not allowed"]),
    ("episode=-1", 2, ["episode: -1 is not allowed"]),
    ("speed=0", 2, ["speed: 0.0 is not allowed", "at most 1000"]),
    ("record=game.json", 2, ["record: 'game.json' is not allowed", "a folder"]),
    ("replay=game.json", 2, ["game.json: line 3: cut"]),
    ("replay=missing.json", 2, ["missing.json: cannot be read"]),
    ("replay=game.json seed=1", 2, ["seed: a recorded game has its own"]),
    ("sped=1", 1, ["sped: no such key", "did you mean 'speed'"]),
    ("-m seed=1,2", 2, ["-m: there is one terminal"]),
    ("", 2, ["no terminal: standard input"]),
    ("checkpoint=run tiles=p80_20 watch=true", 2, ["no terminal: standard input"]),
]


@pytest.mark.parametrize(("words", "code", "telling"), CASES, ids=[words or "-" for words, _, _ in CASES])
def test_refused_in_one_line_before_the_screen_begins(tmp_path, monkeypatch, run, words, code, telling):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", open(os.devnull))  # noqa: SIM115 - closed with the test
    (tmp_path / "run").symlink_to(run)
    (tmp_path / "cut").mkdir()
    (tmp_path / "cut" / "meta.json").write_text((run / "checkpoint" / "meta.json").read_text()[:200])
    session = Session(RULES["2x2"])
    session.move(session.legal[0])
    session.move(session.legal[0])
    save(tmp_path / "game.json", session.game())
    (tmp_path / "game.json").write_text((tmp_path / "game.json").read_text()[:-9])
    before = files(tmp_path)
    done = inside(*words.split(), program=play.main)
    sys.stdin.close()
    assert done.returncode == code, done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith("tdl: ")
    assert not [part for part in telling if part not in line], line
    assert files(tmp_path) == before
    assert not list(tmp_path.glob("outputs"))


def test_another_tile_rule_than_the_agents(run):
    rules = dataclasses.replace(load_advisor(run).rules, drop=((1, 0.5), (2, 0.5)))
    agent = load_advisor(run, rules)
    assert agent.rules == rules
    np.testing.assert_array_equal(agent.at(SearchOptions())(0x21), tdl.load(run).values(0x21))


def test_without_textual_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "textual", None)
    monkeypatch.delitem(sys.modules, "tdl.terminal.textual", raising=False)
    with pytest.raises(ConfigError, match=r"pip install 'tdl\[play\]'"):
        pass


def test_there_must_be_a_terminal(monkeypatch):
    with contextlib.ExitStack() as stack:
        for name in ("stdin", "stdout", "stderr"):
            master, slave = pty.openpty()
            stack.callback(os.close, master)
            monkeypatch.setattr(sys, name, stack.enter_context(open(slave, "r+b", buffering=0)))
        monkeypatch.setenv("TERM", "xterm")
        play.check_terminal()
        monkeypatch.setenv("TERM", "dumb")
        with pytest.raises(ConfigError, match="TERM=dumb"):
            play.check_terminal()


class Terminal:
    """A pseudo-terminal: the far end of what a program believes to be a person with a screen."""

    def __init__(self):
        self.master, self.slave = pty.openpty()
        termios.tcsetwinsize(self.slave, (30, 100))
        self.before, self.out = termios.tcgetattr(self.slave), b""

    def read(self):
        while select.select([self.master], [], [], 0.02)[0]:
            self.out += os.read(self.master, 1 << 16)

    def wait_for(self, condition):
        end = time.monotonic() + 60
        while not condition():
            assert time.monotonic() < end, self.out[-2000:]
            self.read()

    def close(self):
        os.close(self.master)
        os.close(self.slave)


@pytest.mark.parametrize(("end", "code"), [("ctrl-c", 130), (signal.SIGTERM, 143)], ids=["ctrl-c", "SIGTERM"])
def test_the_terminal_is_left_as_it_was(tmp_path, end, code):
    with contextlib.closing(Terminal()) as terminal:
        stream = {"stdin": terminal.slave, "stdout": terminal.slave, "stderr": terminal.slave}
        environment = {**os.environ, "TERM": "xterm-256color"}
        with running(tmp_path, "seed=3", module="tdl.play", env=environment, start_new_session=True, **stream) as game:
            terminal.wait_for(lambda: b"SCORE" in terminal.out)
            assert termios.tcgetattr(terminal.slave) != terminal.before
            os.write(terminal.master, b"\x1b[A\x1b[B\x1b[D\x1b[C" * 5)
            if end == "ctrl-c":
                os.write(terminal.master, b"\x03")  # after the moves
            else:
                os.write(terminal.master, b" ")
                terminal.wait_for(lambda: b"no agent" in terminal.out)  # so the moves are made
                game.send_signal(end)
            terminal.wait_for(lambda: game.poll() is not None)
            terminal.read()
        assert game.returncode == code
        assert termios.tcgetattr(terminal.slave) == terminal.before
    screen, _, after = terminal.out.partition(b"\x1b[?1049l")  # the screen that was there before
    assert screen.count(b"\x1b[?1049h") == 1
    assert b"\x1b[?25h" in after  # the cursor
    (saved,) = (tmp_path / "outputs" / "games").iterdir()
    assert f"saved outputs/games/{saved.name}" in after.decode()
    assert after.decode().splitlines()[-1] == "tdl: interrupted"
    head = json.loads(saved.read_text().splitlines()[0])
    assert head["moves"] == len(load(saved).moves) > 2
    assert [path.name for path in tmp_path.iterdir()] == ["outputs"]
