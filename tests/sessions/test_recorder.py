"""Recorded games are those of an evaluation; mistakes are what other values, or a deeper search, say of the moves.

Trusts `tdl.Player.evaluate` and the engine.
"""

import numpy as np
import pytest
from support.recorded_games import OTHER, SEARCHES, SHAPES, trained

import tdl
from tdl.errors import ConfigError
from tdl.search.options import SearchOptions
from tdl.sessions.mistakes import MISTAKE, mistakes, with_losses
from tdl.sessions.session import record_game


@pytest.mark.parametrize("shape", SHAPES)
def test_the_games_of_an_evaluation(shape):
    player = trained(*SHAPES[shape])
    for row in player.evaluate(8, seed=5):
        game = record_game(player, 5, int(row["episode"]))
        assert (game.score, len(game.moves), game.max_tile) == (row["score"], row["moves"], row["max_tile"])
        assert (game.rules, game.seed, game.episode) == (player.network.rules, 5, row["episode"])
        for move in game.moves:
            assert move.action == player.best(move.board)
            np.testing.assert_array_equal(np.array(move.values, float), player.values(move.board))
        boards = game.boards()
        assert boards == [move.board for move in game.moves] + boards[-1:]
        assert player.engine.terminal(boards[-1])


@pytest.mark.parametrize("target", ["afterstate", "state"])
@pytest.mark.parametrize("search", SEARCHES)
def test_the_games_of_an_evaluation_that_looks_ahead(search, target):
    network, options = trained(*SHAPES["2x4"], target=target).network, SEARCHES[search]
    player = tdl.Player(network, 0.9, target, "direct")
    for row in player.evaluate(4, seed=5, search=options):
        game = record_game(player, 5, int(row["episode"]), search=options)
        assert (game.score, len(game.moves), game.max_tile) == (row["score"], row["moves"], row["max_tile"])
        assert game.search == options


@pytest.mark.parametrize("shape", ["2x4", "2584-2x3", "threes_law-3x3"])
def test_the_games_of_a_network_of_states(shape):
    """By the table of the drops, bit for bit: the moves depend on the last bit where two are nearly equal."""
    player = trained(*SHAPES[shape], target="state")
    for row in player.evaluate(20, seed=5):
        game = record_game(player, 5, int(row["episode"]))
        assert (game.score, len(game.moves), game.max_tile) == (row["score"], row["moves"], row["max_tile"])
    with pytest.raises(ConfigError, match="expectation: 'auto' is not allowed; expected direct"):
        record_game(player, plies=2)


def test_mistakes(player, game):
    """What another player's values make of the moves; one's own say that none was wrong."""
    assert not mistakes(game, player, 1)["loss"].any()
    other = trained(*SHAPES["2x4"], games=10, seed=1)
    rows = mistakes(game, other, 1)
    assert (rows.dtype, rows["move"].tolist()) == (MISTAKE, list(range(len(game.moves))))
    for row, move in zip(rows, game.moves, strict=True):
        values = other.values(move.board)
        assert (row["chosen"], row["best"]) == (move.action, other.best(move.board))
        assert row["loss"] == np.nanmax(values) - values[move.action] >= 0
    assert rows["loss"].max() > 0
    assert [move.loss for move in with_losses(game, rows).moves] == rows["loss"].tolist()


def test_mistakes_by_a_deeper_search(player, game):
    rows = mistakes(game, player, 3)
    for row, move in zip(rows, game.moves, strict=True):
        values = player.values(move.board, plies=3)
        assert row["loss"] == np.nanmax(values) - values[move.action]
    assert rows["loss"].any()
    assert np.array_equal(mistakes(game, player), rows)
    deeper = record_game(player, 5, game.episode, plies=3)
    assert not mistakes(deeper, player, 3)["loss"].any()
    assert mistakes(game, player, search=SearchOptions(3, cutoff=0.5)).tobytes() != rows.tobytes()


def test_a_player_of_other_rules_is_refused(game):
    with pytest.raises(ConfigError, match="player: of other rules"):
        mistakes(game, trained(OTHER, ((0, 1),), games=1))


@pytest.mark.parametrize(("keywords", "telling"), [({"seed": -1}, "seed"), ({"episode": -1}, "episode"),
                                                ({"plies": 0}, "plies"), ({"plies": 99}, "plies")])  # fmt: skip
def test_what_cannot_be_recorded(player, keywords, telling):
    with pytest.raises(ConfigError, match=telling):
        record_game(player, **keywords)


def test_the_caller_may_give_it_up(player, game):
    class EnoughError(Exception):
        pass

    def on_progress(moves):
        if moves == 3:
            raise EnoughError

    with pytest.raises(EnoughError):
        record_game(player, on_progress=on_progress)
    with pytest.raises(EnoughError):
        mistakes(game, player, 1, on_progress=on_progress)
