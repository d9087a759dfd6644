"""Functions of boards as players: the games of the agents they wrap, and what they may answer.

Trusts `tdl.Player.evaluate` and `play_greedy`.
"""

import re

import numpy as np
import pytest
from support.shapes import RULES, each_rules

import tdl
from tdl.errors import ConfigError
from tdl.game.boards import ACTIONS
from tdl.game.rules import ACTION_NAMES
from tdl.players.baselines import play_greedy
from tdl.players.policy import Policy
from tdl.training.options import Enough

TINY = RULES["2x3"]


def greedy(rules):
    """A function that plays the largest reward, the first of equals."""
    engine = tdl.Engine(rules)
    return lambda board: max(engine.afterstates(board), key=lambda move: move[2])[0]


@pytest.fixture(scope="module")
def player():
    network = tdl.NTupleNetwork(TINY, [[0, 1, 2], [0, 1, 3]])
    network.weights[:] = np.random.default_rng(0).random(len(network.weights), np.float32) * 100
    return tdl.Player(network)


@each_rules
def test_a_greedy_function_plays_the_games_of_the_greedy_agent(rules):
    assert np.array_equal(Policy(greedy(rules), rules).evaluate(2, seed=7), play_greedy(rules, 2, seed=7))


def test_a_function_meets_move_for_move_what_the_player_in_it_meets(player):
    boards = []
    games = Policy(lambda board: boards.append(board) or player.best(board), TINY).evaluate(20, seed=3)
    assert np.array_equal(games, player.evaluate(20, seed=3))
    starts = [k for k, board in enumerate(boards) if (board > 0).sum() == 2 and board.max() <= 4]
    assert len(boards) == games["moves"].sum()
    assert {0, *np.cumsum(games["moves"])[:-1]} <= {*starts}  # game after game
    assert {(board.shape, board.dtype.name) for board in boards} == {((2, 3), "int64")}


@pytest.mark.parametrize("boards", [1, 7, 50])
def test_many_boards_at_once_are_the_same_games(player, boards):
    shapes = set()

    def choose(grids):
        shapes.add(grids.shape)
        return [ACTION_NAMES[player.best(grid)] for grid in grids]

    games = Policy(choose, TINY, boards).evaluate(20, seed=3)
    assert np.array_equal(games, player.evaluate(20, seed=3))
    assert max(shapes) == (min(boards, 20), 2, 3)


@pytest.mark.parametrize("answer", [2, "down", None, 4, -1, 0.5, True, "Left", [0, 1], "x" * 999], ids=repr)
def test_another_answer_is_refused_with_the_board(answer):
    def choose(board):
        board[:] = 0  # a function may do with its board what it likes
        return answer

    with pytest.raises(ConfigError) as caught:
        Policy(choose, tdl.Rules(rows=2, cols=2, drop=((1, 1.0),), start=(1, 1))).evaluate(9, seed=1)
    said = r"action: .+ is not allowed; expected (\d \(\w+\)( or )?)+ on the board \[\[\d, \d\], \[\d, \d\]\]"
    assert re.fullmatch(said, str(caught.value))


@pytest.mark.parametrize(
    ("answer", "telling"),
    [
        (lambda grids: [2, *[0] * (len(grids) - 1)], r"action: 2 is not allowed; expected .* on the board \[\["),
        (lambda _: 0, rf"actions: 0 is not allowed; expected 3 of {re.escape(ACTIONS)}"),
        (lambda _: ["up", "up", "upp"], r"actions\[2\]: 'upp' is not allowed"),
    ],
)
def test_of_many_boards_the_wrong_answer_is_named(answer, telling):
    rules = tdl.Rules(rows=2, cols=2, start=(1, 1))
    with pytest.raises(ConfigError, match=telling):
        Policy(answer, rules, 3).evaluate(9, seed=3)


@pytest.mark.parametrize("option", [{"plies": 2}, {"threads": 2}, {"lanes": 1}])
def test_options_that_a_function_has_no_use_for_are_refused(option):
    with pytest.raises(ConfigError, match="of the games of a function only seed and engine can be chosen"):
        Policy(greedy(TINY), TINY).evaluate(1, **option)


def test_enough_gives_the_games_before_the_first_that_is_not_finished(player):
    def on_progress(finished, moves):
        if finished >= 3:
            raise Enough

    every = player.evaluate(500, seed=3, plies=3)  # 512 moves between two calls
    some = player.evaluate(500, seed=3, plies=3, on_progress=on_progress)
    assert 0 < len(some) < len(every)
    assert np.array_equal(some, every[: len(some)])
    one_by_one = Policy(player.best, TINY).evaluate(20, seed=3, on_progress=on_progress)
    assert np.array_equal(one_by_one, player.evaluate(3, seed=3))
