"""Deep Q-networks as players, alone and with a look ahead, and policies that play many games at once."""

from dataclasses import replace

import numpy as np
import pytest
from support.deep_q import MODERN, PUBLISHED, SMALL, TINY, generator, some_boards, torch

from tdl.dqn.dqn_player import DQNPlayer, player_of
from tdl.dqn.dqn_trainer import DQNTrainer
from tdl.dqn.learner import WEIGHTS
from tdl.dqn.networks import new_network
from tdl.errors import CheckpointError
from tdl.game.engine import Engine
from tdl.game.rules import Rules
from tdl.network.ntuple import NTupleNetwork
from tdl.network.tuples import TupleSet
from tdl.players.batch_moves import best_of, moves_of_boards
from tdl.players.batch_play import play_games
from tdl.players.lookahead import look_ahead, one_sampled_look_ahead
from tdl.players.player import Player
from tdl.search.expectimax import Expectimax
from tdl.search.options import SearchOptions


def test_games_meet_the_drops_of_an_evaluation():
    rules = Rules(rows=2, cols=3)
    network = NTupleNetwork(rules, TupleSet(((0, 1, 2),)))

    class Same:
        def __init__(self):
            self.rules = rules

        def select_actions(self, moves):
            return best_of(np.where(moves.legal, moves.rewards, np.nan))  # as a network of zeros does

    for boards in (1, 7, 50):
        assert np.array_equal(play_games(Same(), 20, seed=3, boards=boards), Player(network).evaluate(20, seed=3))


@pytest.mark.parametrize("of", ["actions", "afterstates"])
def test_a_player_says_nan_where_illegal_and_chooses_the_best(of):
    options = replace(MODERN, values_of=of, symmetries=False, width=8)
    network = new_network(options, Rules(), generator())
    torch.nn.init.normal_(network.last.weight, generator=generator(1))
    player = DQNPlayer(network, Rules())
    for board in some_boards(Rules(), 20):
        values = player.values(board)
        assert np.flatnonzero(~np.isnan(values)).tolist() == player.engine.legal(board)
        assert player.best(board) == np.nanargmax(values)
        if of == "afterstates":
            for action, after, reward in player.engine.afterstates(board):
                (tiles,) = moves_of_boards(player.engine, [after]).tiles
                alone = network(torch.from_numpy(tiles)[None]).item()
                assert values[action] == pytest.approx(reward + alone, rel=1e-5, abs=1e-3)
    lost = [[2, 4, 2, 4], [4, 2, 4, 2], [2, 4, 2, 4], [4, 2, 4, 2]]
    assert player.best(lost) is None


def test_a_player_of_saved_weights_plays_the_same():
    trainer = DQNTrainer(TINY, SMALL)
    trainer.train(20)
    again = player_of(SMALL, TINY, trainer.state()[WEIGHTS])
    assert np.array_equal(play_games(again, 20), play_games(trainer.player, 20))
    with pytest.raises(CheckpointError, match=r"^weights: holds \(\d+,\) numbers, this network \(\d+,\)$"):
        player_of(PUBLISHED, TINY, trainer.state()[WEIGHTS])


class Toy:
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
    for board in some_boards(rules, 12):
        assert look_ahead(player, plies).values(board) == pytest.approx(search.values(board), rel=1e-5, nan_ok=True)


def test_a_look_ahead_plays_many_games_at_once():
    trainer = DQNTrainer(TINY, SMALL)
    trainer.train(20)
    records = play_games(one_sampled_look_ahead(trainer.player), 30)
    assert (records["score"] > 0).all()
    deeper = play_games(look_ahead(trainer.player, 2), 30)
    assert len(deeper) == 30
