"""What single experiments compute: values and what they estimate, gains, fixed orders, replicas, growth of errors."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from support.programs import result, train
from support.shapes import RULES, small_tuples

import tdl.results
from experiments.curve import analyse as curve
from experiments.published_dqn import analyse as dqn
from experiments.racing import simulate as racing
from experiments.replicas import analyse as replicas
from experiments.stability import analyse as stability
from experiments.values import analyse as values
from tdl.game.boards import unpack
from tdl.game.engine import Engine
from tdl.game.rules import Rules
from tdl.learning.learning_reference import Game, ReferenceLearner
from tdl.learning.options import LearnerOptions
from tdl.network.network_reference import ReferenceNetwork
from tdl.network.ntuple import NTupleNetwork
from tdl.players.batch_play import moves_of_boards, play_games
from tdl.players.played_values import played_values
from tdl.players.player import Player
from tdl.runs import forecast
from tdl.solver.solution import save, solve
from tdl.training.trainer import Trainer


def test_values_beside_what_they_estimate(tmp_path):
    """Runs on 2x2 in the place of both, those that play and those that are solved."""
    save(tmp_path / "solved", solve(Rules(rows=2, cols=2)))
    words = ("size=2x2", "tuples.cells=[[0,1,2,3]]", "episodes=300", f"evaluate.solution={tmp_path / 'solved'}")
    runs = tmp_path / "runs"
    for start, seed in ((0, 3), (0, 4), (50, 3), (50, 4)):
        more = (f"learner.initial_value={start}", f"seed={seed}", "evaluate.episodes=50")
        train(runs / f"{start}_{seed}", *words, *more)
    values.main(str(runs), str(runs), f"into={tmp_path}", "games=50")
    results, solved = (pd.read_csv(tmp_path / f"{name}.csv") for name in ("results", "solved"))
    starts = results[["start_value", "start_earned", "start_bias"]].sum()
    assert starts["start_value"] == pytest.approx(starts["start_earned"] + starts["start_bias"], abs=0.5)
    games = tdl.results.games(runs / "0_3")
    assert results["greedy_mean"].iloc[0] == pytest.approx(games["score"].mean(), abs=0.051)
    exact = result(runs / "50_4")["evaluation"]["exact"]
    row = solved.query("seed == 4 and `learner.initial_value` == 50").iloc[0]
    assert (row["gap"], row["bias"]) == pytest.approx((exact["gap"], exact["value_bias"]), abs=0.001)
    assert row["gap"] == pytest.approx(row["moves"] * row["regret"], abs=0.05)
    assert (tmp_path / "figure.png").stat().st_size > 10_000


def test_a_run_says_beforehand_what_the_networks_of_its_recipe_reached():
    pd.testing.assert_frame_equal(pd.read_csv(forecast.TABLE), curve.table().reset_index(drop=True))


def test_replicas_are_compared_with_one_of_their_panel():
    means = {("4x6", "td", 1): 100.0, ("4x6", "td", 2): 110.0, ("8x6", "td", 1): 50.0, ("8x6", "td", 4): 45.0}
    rows = [(*panel, seed, mean + seed) for panel, mean in means.items() for seed in (0, 1, 3)]
    table = replicas.differences(pd.DataFrame(rows, columns=[*replicas.KEYS, "greedy_mean"]))
    assert table[["tuples", "replicas", "difference"]].to_numpy().tolist() == [["4x6", 2, 10], ["8x6", 4, -5]]
    assert (table["p"] < 0.05).all()


def test_gains_are_made_of_means():
    means = {"mean": [100.0, 150.0], "mean_low": [97.0, 144.0], "mean_high": [103.0, 156.0]}
    rows = pd.DataFrame({"seed": 0, "iterations": 100, "player": ["greedy", "one drop"], **means})
    greedy, ahead = dqn.with_gains(rows).to_dict("records")
    assert np.isnan(greedy["gain"])
    bounds = [1.5 * np.exp(sign * 0.05) - 1 for sign in (-1, 1)]
    assert [ahead["gain"], ahead["gain_low"], ahead["gain_high"]] == pytest.approx([0.5, *bounds], abs=1e-4)


def test_a_fixed_order_plays_its_first_legal_action():
    engine = Engine(Rules())
    board = engine.board([[2, 0, 0, 0], [4, 0, 0, 0], [8, 0, 0, 0], [16, 0, 0, 0]])  # right alone is legal
    corner = engine.board([[2, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]])  # right and down are
    moves, players = moves_of_boards(engine, [board, corner]), dqn.players(engine.rules)
    expected = {"up right down left": [1, 1], "down right up left": [1, 2], dqn.ALIKE: [1, 1]}
    assert {order: players[order].select_actions(moves).tolist() for order in expected} == expected


def test_games_of_fixed_orders_are_found_in_evaluations(tmp_path, monkeypatch):
    """Of a player of one order, and of one that no order is."""
    rules, runs = Rules(), []
    players = dqn.players(rules) | {"none": dqn.Constant(rules, [1, 1, 1, 2])}
    for number, name in enumerate(("left up right down", "none"), 1):
        games = play_games(players[name], 30, 1)
        games["score"] += name == "none"
        (tmp_path / name).mkdir()
        np.save(tmp_path / name / "evaluation.npy", games)
        runs.append({"run": str(tmp_path / name), "seed": 1, "checkpoint": "", "episodes": 2000 * number})
    monkeypatch.setattr(dqn, "network_seed", lambda _: 7)
    monkeypatch.setattr(dqn, "read_result", lambda _: {"rules": rules.to_dict()})
    evaluated = {"status": "finished", "evaluate.plies": 1, "evaluate.episodes": 30}
    table, same = dqn.fixed_orders(pd.DataFrame(runs).assign(**evaluated))
    assert (len(table), table["ahead"].notna().sum()) == (25, 1)
    assert same.fillna("").to_numpy().tolist() == [[7, 100, "left up right down", 1], [7, 200, "", 0]]


@pytest.mark.parametrize(("order", "td_lambda"), [("backward", 0), ("backward", 0.6), ("forward", 0)])
@pytest.mark.parametrize(("shape", "alpha"), [("2x3", 0.3), ("3x3", 1.2)])
def test_a_pass_as_a_linear_map_is_the_learner_on_one_game(shape, alpha, order, td_lambda):
    """What it makes of the difference between two sets of weights, which grows by no reward."""
    rules = RULES[shape]
    tuples = small_tuples(rules)["mixed"]
    network, twin = NTupleNetwork(rules, tuples), ReferenceNetwork(rules, tuples)
    Trainer(network, alpha=0.2, seed=5).train(20)
    played = played_values(Player(network), 1, 3)
    boards = [tuple(unpack(int(board), rules)) for board in played["afterstate"]]
    rewards = [0, *(-np.diff(played["earned"])).astype(int).tolist()]
    learner = ReferenceLearner(twin, alpha, LearnerOptions(order=order, td_lambda=td_lambda))
    rng = np.random.default_rng(1)

    def before_and_after():
        """The values of the boards by random weights, and after the learner's pass."""
        for board in boards:
            for table, index in twin.active(board):
                twin.tables[table][index] = np.float32(rng.normal())
        before = np.array([twin.value(board) for board in boards])
        game = Game(boards[0], 0)
        for board, reward in zip(boards, rewards, strict=True):
            game.path.append((board, reward))
            if order == "forward":
                learner.observe(game)
        end = learner.finish if order == "forward" else learner.replay_backward
        end(game, np.float32(0))
        return np.array([before, [twin.value(board) for board in boards]])

    difference, found = before_and_after() - before_and_after()
    overlap = stability.overlaps(np.array([network.entries(int(board)) for board in played["afterstate"]]))
    gain = stability.gain_of(overlap, np.full(len(boards), alpha), order, td_lambda)
    errors = gain @ (np.append(difference[1:], 0) - difference)
    assert np.ptp(played["earned"]) > 0
    assert difference + alpha * overlap @ errors == pytest.approx(found, rel=1e-3, abs=1e-3)


@pytest.mark.parametrize("order", ["backward", "forward"])
@pytest.mark.parametrize("alpha", [0.4, 1.3, 1.7])
def test_growth_is_the_largest_eigenvalue(alpha, order):
    """Of a game of afterstates that share entries, two of them alike: of the map of the values, but for its 1s."""
    rng = np.random.default_rng(3)
    places = rng.integers(0, 12, (8, 4))
    places[5] = places[2]
    readings = np.zeros((8, 12))
    np.add.at(readings, (np.arange(8)[:, None], places), 1)
    game = stability.Met(places, readings @ readings.T / 4)
    rates = alpha / np.diag(game.overlap)
    gain = stability.gain_of(game.overlap, rates, order)
    ahead = np.eye(8, k=1) - np.eye(8)
    whole = np.linalg.eigvals(np.eye(12) + readings.T @ (rates[:, None] * gain) @ ahead @ readings / 4)
    largest = np.abs(whole[np.abs(whole - 1) > 1e-6]).max()
    assert stability.radius(game, gain, rates) == pytest.approx(largest)
    found = stability.growth([game], [gain], [rates])
    assert found == pytest.approx(largest, rel=0.02) if largest > 1 else found <= 1  # of 600 games little is left then


def test_other_rules_of_races_stop_whom_they_should():
    """F-race's test by SciPy's Friedman statistic; halving keeps the better half after 2, 4, 8 and 16 seeds."""
    scores = np.random.default_rng(0).normal(size=(5, 12)) + [[1.5], [1.4], [0.5], [0.2], [0]]
    ranks = stats.rankdata(scores, axis=0)
    sums, friedman = ranks.sum(axis=1), stats.friedmanchisquare(*scores).statistic
    spread = 2 * 12 * (1 - friedman / (12 * 4)) * ((ranks - 3) ** 2).sum() / (11 * 4)
    behind = sums.max() - sums > stats.t.ppf(0.975, 11 * 4) * spread**0.5
    assert 0 < behind.sum() < 4
    assert racing.f_race(scores).tolist() == behind.tolist()
    assert not racing.f_race(scores[:, :4]).any()
    assert not racing.f_race(np.random.default_rng(1).normal(size=(5, 12))).any()
    stopped, seeds = racing.by(racing.halving)(np.exp(scores))
    assert (np.flatnonzero(~stopped).tolist(), sorted(seeds.tolist())) == ([0], [2, 2, 4, 8, 8])
