"""Learned play held against a solved game: what the run says of it, and what a player takes afterstates for.

Trusts `evaluate_policy` (held against its reference in test_solver) and `Player.values`.
"""

import pytest
from support.programs import SMALL, go_on, inside, result, train
from support.shapes import RULES, small_tuples

from tdl.network.ntuple import NTupleNetwork
from tdl.network.stages import Stages
from tdl.players.player import Player
from tdl.results.frames import runs
from tdl.solver.policy_evaluation import evaluate_policy
from tdl.solver.solution import save, solve
from tdl.training.trainer import Trainer

SQUARE = ("size=2x2", "tuples.cells=[[0,1,2,3]]", "tuples.symmetries=false", "learner.initial_value=150")


@pytest.fixture(scope="module")
def solved(tmp_path_factory):
    """The folder of 2048 on 2x2."""
    folder = tmp_path_factory.mktemp("solved")
    save(folder, solve(RULES["2x2"]))
    return folder


@pytest.mark.parametrize("target", ["afterstate", "state"])
@pytest.mark.parametrize("shape", ["2x3", "2584-2x2"])
def test_a_player_judges_many_afterstates_as_it_does_one(shape, target):
    rules = RULES[shape]
    stages = Stages((8,)) if shape == "2x3" else Stages()
    network = NTupleNetwork(rules, small_tuples(rules)["mixed"], stages=stages)
    Trainer(network, alpha=0.3, target=target, seed=2).train(50)
    player, solution = Player(network, target=target), solve(rules)
    judged = dict(
        zip(solution.afterstates.tolist(), player.afterstate_values(solution.afterstates).tolist(), strict=True)
    )
    assert len(set(judged.values())) > 20
    for board in solution.states[:: len(solution.states) // 50].tolist():
        for action, after, reward in solution.engine.afterstates(board):
            assert player.values(board)[action] == pytest.approx(reward + judged[after], rel=1e-5, abs=1e-4)


@pytest.mark.parametrize("target", ["afterstate", "state"])
def test_the_exact_value_is_that_of_the_games_it_plays(target):
    rules = RULES["2x3"]
    network = NTupleNetwork(rules, small_tuples(rules)["mixed"])
    Trainer(network, alpha=0.1, target=target, seed=2).train(300)
    exact = evaluate_policy(solve(rules), Player(network, target=target).afterstate_values).expected
    scores = Player(network, target=target).evaluate(4000, seed=5)["score"]
    assert abs(scores.mean() - exact) < 4 * scores.std() / len(scores) ** 0.5


@pytest.mark.parametrize("target", ["afterstate", "state"])
def test_a_run_says_how_far_it_is_from_the_best(solved, tmp_path, target):
    folder = train(tmp_path / "run", *SQUARE, f"evaluate.solution={solved}", "episodes=2000", "block=1000",
                   f"learner.target={target}", "evaluate.episodes=3000")  # fmt: skip
    told = result(folder)["evaluation"]
    exact = told["exact"]
    assert exact["optimal"] == pytest.approx(66.9641495, abs=1e-6)
    assert exact["gap"] == pytest.approx(exact["optimal"] - exact["expected"])
    assert 0 < exact["gap"] < 60
    assert exact["largest_value_error"] > 0
    low, high = told["mean_ci95"]
    assert low - (high - low) < exact["expected"] < high + (high - low)
    (row,) = runs(tmp_path).to_dict("records")
    assert (row["eval_expected"], row["eval_gap"]) == (exact["expected"], exact["gap"])


def test_without_games_the_exact_value_stands_alone(solved, tmp_path):
    folder = train(tmp_path / "run", *SQUARE, "episodes=20", "evaluate.episodes=0")
    assert "evaluation" not in result(folder)
    go_on(folder, f"evaluate.solution={solved}")
    assert list(result(folder)["evaluation"]) == ["exact"]


@pytest.mark.parametrize(
    ("made", "words", "message"),
    [
        ({}, ("size=2x3", "tuples.cells=[[0,1]]"), "of other rules than the run's"),
        ({"objective": "reach", "tile": 16}, SQUARE, "made with objective=score and fold=false"),
        ({}, (*SQUARE, "placer=adversary"), "null unless placer.kind=random"),
    ],
)
def test_a_solution_that_does_not_fit_is_refused(tmp_path, made, words, message):
    save(tmp_path / "solved", solve(RULES["2x2"], **made))
    done = inside(*SMALL, *words, f"hydra.run.dir={tmp_path}/run", f"evaluate.solution={tmp_path}/solved")
    assert done.returncode == 2
    assert done.stderr.startswith("tdl: evaluate.solution")
    assert message in done.stderr
    assert not (tmp_path / "run" / "checkpoint").exists()
