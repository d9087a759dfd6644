"""An agent on the terminal: hints, games to watch, and a screen that does not wait for a search.

Trusts `record_game`, `Player.values`, and Textual's pilot to press keys as a person.
"""

import dataclasses
import itertools
import threading
import time

import numpy as np
import pytest
from support import PATIENCE
from support.screens import ARROWS, on_screen, text_of, until
from support.shapes import RULES

import tdl
from tdl.cli import play
from tdl.config import play as play_config
from tdl.errors import ConfigError
from tdl.players.kinds import load_agent
from tdl.search.options import SearchOptions
from tdl.sessions.game_file import GameFolder, load
from tdl.sessions.recorder import record_game
from tdl.terminal.app import SPEEDS
from tdl.terminal.panel import Panel, Status
from tdl.terminal.play import PlayApp


@pytest.mark.parametrize("plies", [1, 2])
def test_hints_are_the_agents_values(run, agent, meta, plies):
    app = PlayApp(agent.rules, seed=2, agent=agent, meta=meta, search=SearchOptions(plies))
    player = tdl.load(run)

    async def person(pilot):
        assert "moves are worth" not in text_of(app, Panel)
        await pilot.press("question_mark")
        for _ in range(5):
            await until(pilot, lambda: app.values is not None)
            values = player.values(app.session.board, plies=plies)
            np.testing.assert_array_equal(app.values, values)
            panel = text_of(app, Panel)
            for action, value in enumerate(values):
                if not np.isnan(value):
                    assert f"{ARROWS[action]:<6}{value:>11,.1f}" in panel
            if len(set(values[~np.isnan(values)])) > 1:
                assert f"moves are worth (bars from {np.nanmin(values):,.1f})" in panel
            best = app.view().hints.chosen
            assert best == player.best(app.session.board, plies=plies)
            await pilot.press(ARROWS[best])
            if app.session.over:
                break
            assert app.session.moves[-1].values[best] == np.nanmax(values)
            assert app.session.moves[-1].by == "person"
        await pilot.press("question_mark")
        assert "moves are worth" not in text_of(app, Panel)

    on_screen(app, person)
    assert app.session.game().checkpoint == meta["digest"]


@pytest.mark.parametrize("plies", [1, 2])
def test_a_watched_game_is_that_of_an_evaluation(run, agent, meta, plies):
    search = SearchOptions(plies)
    app = PlayApp(agent.rules, seed=7, episode=3, agent=agent, meta=meta, search=search, watch=True, speed=1000.0)

    async def person(pilot):
        await until(pilot, lambda: app.session.over)
        await pilot.press("q")

    on_screen(app, person)
    assert app.session.game() == record_game(tdl.load(run), 7, 3, plies=plies, checkpoint=meta["digest"])
    assert not app.saved


def test_a_machine_that_stands_still_now_and_then_loses_no_move(agent, monkeypatch):
    times = itertools.count()
    monkeypatch.setattr("textual._time.get_time", lambda: time.monotonic() + 0.005 * next(times))  # what widgets see
    app = PlayApp(agent.rules, seed=7, agent=agent, watch=True, speed=500.0)

    async def person(pilot):
        await until(pilot, lambda: app.session.over, seconds=20)

    on_screen(app, person)


def test_pause_step_and_taking_over(agent):
    app = PlayApp(agent.rules, seed=7, agent=agent, watch=True, speed=0.01)

    async def person(pilot):
        await until(pilot, lambda: len(app.session.moves) == 1)  # the next would be in 100 seconds
        assert "the agent plays" in text_of(app, Panel)
        await pilot.press("space")
        assert "your move" in text_of(app, Panel)
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
    app = PlayApp(agent.rules, seed=7, agent=agent)

    async def person(pilot):
        for key, around in (("plus", SPEEDS), ("minus", SPEEDS[::-1])):
            for before, after in ((around[2], around[3]), (around[-2], around[-1]), (around[-1], around[-1])):
                app.speed = before
                await pilot.press(key)
                assert app.speed == after
        assert SPEEDS[-1] == play_config.FASTEST
        await pilot.press("3")
        assert app.search.plies == 3
        await pilot.press("right_square_bracket", "left_square_bracket", "left_square_bracket")
        assert app.search.plies == 2
        await pilot.press("1", "left_square_bracket")
        assert app.search.plies == 1
        assert "plies: 0 is not allowed" in text_of(app, Status)

    on_screen(app, person)


def test_without_an_agent_its_keys_say_so():
    app = PlayApp(RULES["4x4"])

    async def person(pilot):
        for key in ("question_mark", "space", "n", "2"):
            app.message = ""
            await pilot.press(key)
            assert "start with checkpoint=" in text_of(app, Status)
        assert not app.session.moves

    on_screen(app, person)


def test_another_tile_rule_than_the_agents(run):
    rules = dataclasses.replace(load_agent(run).rules, drop=((1, 0.5), (2, 0.5)))
    agent = load_agent(run, rules)
    assert agent.rules == rules
    np.testing.assert_array_equal(agent.action_values(SearchOptions())(0x21), tdl.load(run).values(0x21))


class Slow:
    """An agent that thinks until it is let go on."""

    def __init__(self, rules):
        self.rules, self.asked, self.go_on = rules, [], threading.Semaphore(0)

    def action_values(self, search):
        return self.values

    def values(self, board):
        self.asked.append((board, threading.current_thread()))
        assert self.go_on.acquire(timeout=PATIENCE)
        return np.array([board % 97, 1.0, 1.0, 1.0])


def test_the_screen_does_not_wait_for_a_search():
    slow = Slow(RULES["4x4"])
    app = PlayApp(slow.rules, seed=3, agent=slow)

    async def person(pilot):
        await pilot.press("question_mark")
        await until(pilot, lambda: len(slow.asked) == 1)
        assert "…" in text_of(app, Panel)
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
        def values(self, board):
            raise ConfigError("values: not finite")

    app = PlayApp(RULES["4x4"], agent=Broken(RULES["4x4"]), watch=True)

    async def person(pilot):
        await until(pilot, lambda: not app.playing)
        assert "values: not finite" in text_of(app, Status)
        await pilot.press(ARROWS[app.session.legal[0]])
        assert len(app.session.moves) == 1

    on_screen(app, person)


def test_a_fault_of_an_agent_ends_the_program_and_the_game_is_kept(tmp_path, capsys):
    class Faulty(Slow):
        def values(self, board):
            raise ZeroDivisionError("a fault")

    app = PlayApp(RULES["4x4"], agent=Faulty(RULES["4x4"]), folder=GameFolder(tmp_path))

    async def person(pilot):
        await pilot.press(ARROWS[app.session.legal[0]], "question_mark")
        await until(pilot, lambda: not app.is_running)

    with pytest.raises(ZeroDivisionError):
        on_screen(app, person)
    assert app.return_code == 1
    play.farewell(app)
    assert f"saved {app.saved[0]}" in capsys.readouterr().out
    assert len(load(app.saved[0]).moves) == 1
