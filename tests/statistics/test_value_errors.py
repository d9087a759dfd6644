"""What values mean: errors by stage in games that were played, and exactly in solved ones.

Trusts `evaluate_policy` (held against its reference in tests/solver), `record_game` and the reference of the solver.
"""

import numpy as np
import pytest
from support.shapes import RULES, small_tuples

from tdl.errors import ConfigError
from tdl.game.rules import Rules
from tdl.network.ntuple import NTupleNetwork
from tdl.network.tuples import TupleSet
from tdl.players.played_values import PLAYED_VALUE, played_values
from tdl.players.player import Player
from tdl.sessions.session import record_game
from tdl.solver.policy_evaluation import evaluate_policy
from tdl.solver.solution import solve
from tdl.statistics.value_errors import exact_errors, played_errors
from tdl.training.trainer import Trainer

SQUARE = Rules(rows=2, cols=2)


def exact_player(solution):
    """A player who has the exact values of 2048 on 2x2: the index of the whole board is the packed board."""
    network = NTupleNetwork(SQUARE, TupleSet(((0, 1, 2, 3),), symmetries=False))
    table = np.zeros(16**4, np.float32)
    table[solution.afterstates] = solution.afterstate_values
    network.set_table(0, table)
    return Player(network)


@pytest.fixture(scope="module")
def solution():
    return solve(SQUARE)


@pytest.mark.parametrize("gamma", [1.0, 0.9])
@pytest.mark.parametrize("shape", ["2x3", "2584-2x2"])
def test_games_are_those_of_the_recorder(shape, gamma):
    network = NTupleNetwork(RULES[shape], small_tuples(RULES[shape])["mixed"])
    Trainer(network, alpha=0.1, gamma=gamma, seed=4).train(100)
    player = Player(network, gamma)
    rows = played_values(player, 20, 7, boards=3)
    assert rows["episode"].tolist() == sorted(rows["episode"])
    for episode in range(20):
        moves = record_game(player, 7, episode).moves
        part = rows[rows["episode"] == episode]
        assert part["move"].tolist() == list(range(len(moves)))
        earned = [sum(gamma**k * m.reward for k, m in enumerate(moves[i + 1 :])) for i in range(len(moves))]
        assert part["earned"] == pytest.approx(earned)
        for row, move in zip(part, moves, strict=True):
            after = player.engine.move(move.board, move.action)[0]
            assert row["afterstate"] == after
            assert row["tile"] == player.engine.max_tile(after)
            assert row["value"] * gamma == pytest.approx(move.values[move.action] - move.reward, rel=1e-5, abs=1e-4)


@pytest.mark.parametrize(
    ("episodes", "shape", "message"), [(0, "2x2", "episodes"), (1, "2584-4x4", "at most 64 bits")]
)
def test_what_cannot_be_played(episodes, shape, message):
    rules = Rules("2584") if shape == "2584-4x4" else SQUARE
    with pytest.raises(ConfigError, match=message):
        played_values(Player(NTupleNetwork(rules, TupleSet(((0, 1),)))), episodes)


def test_errors_by_hand():
    rows = np.array(
        [(0, 0, 2, 5.0, 8.0, 0), (0, 1, 4, 4.0, 0.0, 0), (1, 0, 2, 5.0, 4.0, 0), (1, 1, 2, 4.0, 4.0, 0)], PLAYED_VALUE
    )  # errors -3, 4 | 1, 0
    small, large = played_errors(rows)
    assert small.item()[:6] == (2, 2, 3, pytest.approx(14 / 3), pytest.approx(16 / 3), pytest.approx(-2 / 3))
    assert (small["rmse"], small["spread"]) == pytest.approx(((10 / 3) ** 0.5, (32 / 9) ** 0.5))
    # game 0 has one afterstate with the error -3, game 1 two that sum to 1; about the ratio -2/3 they deviate by -7/3
    # and 7/3, of 3/2 afterstates a game: standard error (7/3 * sqrt 2) / sqrt 2 / (3/2); t with one degree is 12.706
    half = 12.7062047 * (7 / 3) / 1.5
    assert (small["bias_low"], small["bias_high"]) == pytest.approx((-2 / 3 - half, -2 / 3 + half))
    assert large.item()[:6] == (4, 1, 1, 4.0, 0.0, 4.0)
    assert np.isnan(large["bias_low"])
    by_move = played_errors(rows, rows["move"])
    assert by_move["bias"].tolist() == [-1.0, 2.0]
    assert len(played_errors(rows[:0])) == 0


def test_exact_values_have_no_bias(solution):
    player = exact_player(solution)
    exact = exact_errors(evaluate_policy(solution, player.afterstate_values))
    for name in ("bias", "rmse", "bias_optimal", "rmse_optimal", "regret"):
        assert exact[name] == pytest.approx(0, abs=1e-5)
    played = played_errors(played_values(player, 4000, seed=1))
    assert played["stage"].tolist() == exact["stage"][: len(played)].tolist() == [2, 4, 8, 16, 32][: len(played)]
    common = played[played["games"] >= 100]
    assert len(common) >= 4
    for row, known in zip(common, exact, strict=False):
        width = row["bias_high"] - row["bias_low"]
        assert row["bias_low"] - width / 4 < 0 < row["bias_high"] + width / 4
        assert row["rmse"] > 1  # luck
        assert row["boards"] / 4000 == pytest.approx(known["boards"], rel=0.1)


@pytest.mark.parametrize("target", ["afterstate", "state"])
def test_games_come_to_the_exact_errors(solution, target):
    network = NTupleNetwork(SQUARE, TupleSet(((0, 1), (0, 3))))
    Trainer(network, alpha=0.1, target=target, seed=3).train(200)
    player = Player(network, target=target)
    play = evaluate_policy(solution, player.afterstate_values)
    exact, played = exact_errors(play), played_errors(played_values(player, 5000, seed=2))
    for row, known in zip(played[played["games"] >= 500], exact, strict=False):
        width = row["bias_high"] - row["bias_low"]
        assert known["bias"] == pytest.approx(row["bias"], abs=width)
    assert (exact["boards"] * exact["regret"]).sum() == pytest.approx(solution.optimal - play.expected)
    whole = exact_errors(play, 0)[0]
    told = play.summary()
    assert (whole["bias"], whole["rmse"]) == pytest.approx((told["value_bias"], told["value_rmse"]))
    assert whole["bias"] - whole["bias_optimal"] == pytest.approx(whole["optimal"] - whole["earned"])
