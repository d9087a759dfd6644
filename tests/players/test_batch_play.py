"""Many games at once meet the drops of any evaluation; a look ahead over any player, by hand and against expectimax.

Trusts the engine, `tdl.Player.evaluate` and the search of n-tuple networks.
"""

import numpy as np
import pytest
from support.shapes import played_boards

from tdl.errors import ConfigError
from tdl.game.engine import Engine
from tdl.game.rules import Rules
from tdl.network.ntuple import NTupleNetwork
from tdl.network.tuples import TupleSet
from tdl.players.batch_play import BatchPlayer, look_ahead, one_sampled_look_ahead, play_games
from tdl.players.kinds import Agent
from tdl.players.player import Player
from tdl.search.expectimax import Expectimax
from tdl.search.options import SearchOptions

TINY = Rules(rows=2, cols=2)


def test_games_meet_the_drops_of_an_evaluation():
    rules = Rules(rows=2, cols=3)
    network = NTupleNetwork(rules, TupleSet(((0, 1, 2),)))

    class Greedy(BatchPlayer):
        engine = Engine(rules)

        def q(self, moves):
            return np.where(moves.legal, moves.rewards, np.nan)  # as of a network of zeros

    for boards in (1, 7, 50):
        assert np.array_equal(play_games(Greedy(), 20, seed=3, boards=boards), Player(network).evaluate(20, seed=3))
    seen = []
    (game,) = play_games(Greedy(), 1, on_progress=lambda *progress: seen.append(progress))
    assert seen == [(0, move) for move in range(1, 1 + game["moves"])]  # after each, as a move may take long


class Toy(Agent):
    """Knows one number for each action: the value of a board is the largest of its legal ones."""

    def __init__(self, rules):
        self.engine, self.seen = Engine(rules), []

    def values(self, board):
        self.seen.append(board)
        out = np.full(4, np.nan)
        legal = self.engine.legal(board)
        out[legal] = np.array([10.0, 20.0, 30.0, 40.0])[legal]
        return out


def test_a_sampled_look_ahead_sees_one_successor_of_each_legal_action():
    toy = Toy(TINY)
    ahead = one_sampled_look_ahead(toy, seed=1)
    board = toy.engine.board([[2, 2], [0, 0]])
    values = ahead.values(board)
    moves = toy.engine.afterstates(board)
    assert len(toy.seen) == len(moves)
    for (action, after, reward), successor in zip(moves, list(toy.seen), strict=True):
        drops = {after | tile << 4 * cell for cell in range(4) if not after >> 4 * cell & 15 for tile in (1, 2)}
        assert successor in drops
        assert values[action] == reward + np.nanmax(toy.values(successor))
    assert np.isnan(values[0])
    assert ahead.best(board) == np.nanargmax(values)


def test_all_drops_are_weighed_and_nothing_follows_a_game_that_is_over():
    values = look_ahead(Toy(TINY)).values([[4, 2], [0, 8]])
    # down: 0 2 / 4 8; a 2 leaves left and right, worth 40, a 4 leaves up and down, worth 30
    # left: 4 2 / 8 0; a 2 leaves up and down, worth 30, a 4 nothing
    assert values == pytest.approx([np.nan, np.nan, 0.9 * 40 + 0.1 * 30, 0.9 * 30], nan_ok=True)


@pytest.mark.parametrize("plies", [2, 3])
def test_looking_ahead_over_all_drops_is_expectimax(plies):
    rules = Rules(rows=2, cols=3)
    network = NTupleNetwork(rules, TupleSet(((0, 1, 2), (1, 2, 4))))
    network.weights[:] = np.random.default_rng(0).random(len(network.weights), np.float32) * 100
    player, search = Player(network), Expectimax(network, SearchOptions(plies))
    for board in played_boards(rules, 12):
        assert look_ahead(player, plies).values(board) == pytest.approx(search.values(board), rel=1e-5, nan_ok=True)


@pytest.mark.parametrize("plies", [0, 6])
def test_how_far_a_look_ahead_goes(plies):
    with pytest.raises(ConfigError, match=rf"plies: {plies} is not allowed; expected a whole number from 1 to 5"):
        look_ahead(Toy(TINY), plies)
