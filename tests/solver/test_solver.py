"""The exact solver against published values and against its reference in plain Python.

Trusts the published figures, the game's reference and `tdl.solver.solver_reference`, a recursion with a dictionary.
"""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tdl.base import machine
from tdl.errors import ConfigError
from tdl.game.boards import unpack
from tdl.game.merge_laws import GAMES, MergeLaw
from tdl.game.rules import Rules
from tdl.solver import solver_reference as reference
from tdl.solver.policy_evaluation import evaluate_policy
from tdl.solver.solution import UNREACHABLE, solve

PUBLISHED = {  # (states, afterstates, largest tile, optimal, random)
    ("2048", 2, 2): (662, 464, 32, 66.9641495, 19.6565402),
    ("2584", 2, 2): (2_219, 1_452, 34, 116.741288, 22.9602775),
    ("2584", 2, 3): (815_828, 525_758, 233, None, 73.8727863),
}

TWINS = {
    "2048": Rules(rows=2, cols=2),
    "2584": Rules("2584", 2, 2),
    "2584, tiles 1 and 3": Rules("2584", 2, 2, drop=((1, 0.75), (3, 0.25))),
    "fixed start": Rules("2584", 2, 2, drop=((2, 0.5), (1, 0.25), (4, 0.25)), start=(3, "drop", 1)),
    "2x3, nothing merges": Rules("2584", 2, 3, drop=((3, 0.3), (6, 0.7))),
    "3x2, nothing merges": Rules("2584", 3, 2, drop=((2, 0.3), (5, 0.7)), start=(5, "drop")),
    "2x3, full start": Rules("2048", 2, 3, drop=((4, 0.6), (7, 0.4)), start=(1, 2, 3, 5, 6)),
    "2x5, one tile": Rules("2584", 2, 5, drop=((2, 1.0),), start=(2,)),
}

each_twin = pytest.mark.parametrize("rules", TWINS.values(), ids=TWINS)


@pytest.fixture(scope="module")
def fib_2x3():
    return solve(Rules("2584", 2, 3))


@pytest.fixture(autouse=True)
def deep_recursion():
    """The reference goes as deep as a game is long."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    yield
    sys.setrecursionlimit(before)


def by_tiles(layers, values, rules):
    """The values of a solution by the tiles of the boards, as the reference has them."""
    return {tuple(unpack(board, rules)): value for board, value in zip(layers.tolist(), values.tolist(), strict=True)}


def same_values(compiled, reference):
    return compiled.keys() == reference.keys() and all(value == pytest.approx(reference[key], rel=1e-11, abs=1e-11)
                                                  for key, value in compiled.items())  # fmt: skip


@pytest.mark.parametrize(("game", "rows", "cols"), PUBLISHED)
def test_published_values(game, rows, cols, fib_2x3):
    solution = fib_2x3 if (rows, cols) == (2, 3) else solve(Rules(game, rows, cols))
    states, afterstates, largest, optimal, random = PUBLISHED[game, rows, cols]
    assert (solution.before, solution.after, solution.largest) == (states, afterstates, largest)
    assert (len(solution.states), len(solution.afterstates)) == (states, afterstates)
    assert solution.random == pytest.approx(random, rel=5e-9)
    assert optimal is None or solution.optimal == pytest.approx(optimal, rel=5e-9)


@each_twin
def test_every_value_is_that_of_the_twin(rules):
    solution = solve(rules)
    best = reference.Solver(rules)
    assert same_values(by_tiles(solution.states, solution.state_values, rules), best.states)
    assert same_values(by_tiles(solution.afterstates, solution.afterstate_values, rules), best.afterstates)
    assert solution.optimal == pytest.approx(best.start, rel=1e-11)
    assert solution.random == pytest.approx(reference.Solver(rules, reference.random).start, rel=1e-11)
    assert solution.largest == rules.value(max(max(board) for board in [*best.states, *best.afterstates]))


@settings(max_examples=10)
@given(data=st.data())
def test_any_tile_rule(data):
    tiles = data.draw(st.lists(st.integers(1, 9), min_size=1, max_size=3, unique=True))
    weights = [data.draw(st.integers(1, 9)) for _ in tiles]
    drop = tuple((tile, weight / sum(weights)) for tile, weight in zip(tiles, weights, strict=True))
    start = tuple(data.draw(st.lists(st.sampled_from(["drop", 1, 2, 5]), min_size=1, max_size=3)))
    rules = Rules(data.draw(st.sampled_from(["2048", "2584"])), 2, 2, drop, start)
    solution, best = solve(rules), reference.Solver(rules)
    assert same_values(by_tiles(solution.states, solution.state_values, rules), best.states)
    assert solution.optimal == pytest.approx(best.start, rel=1e-11)


@pytest.mark.parametrize("tile", [5, 8, 21, 34])
def test_probability_of_a_tile(tile):
    rules = Rules("2584", 2, 2)
    solution, best = solve(rules, "reach", tile), reference.Solver(rules, reach=tile)
    assert same_values(by_tiles(solution.states, solution.state_values, rules), best.states)
    assert solution.optimal == pytest.approx(best.start, rel=1e-11)
    assert solution.random == pytest.approx(reference.Solver(rules, reference.random, tile).start, rel=1e-11)
    assert 0 < solution.random < solution.optimal <= 1


def following(boards, rules, law=None):
    """The share of each board after a drop."""
    shares = {}
    for board, share in boards.items():
        for after, chance in reference.drops(board, law or rules.drop):
            shares[after] = shares.get(after, 0.0) + share * chance
    return shares


@pytest.mark.parametrize(
    ("rules", "images", "objective"),
    [(Rules("2584", 2, 2), 6, ()), (Rules("2584", 2, 2), 6, ("reach", 21)), (Rules("2048", 2, 3), 3.9, ())],
)
def test_symmetric_boards_folded_into_one(rules, images, objective):
    folded, values = solve(rules, *objective, fold=True), solve(rules, *objective)
    assert len(folded.states) < len(values.states) / images
    for name in ("optimal", "random"):
        assert getattr(folded, name) == pytest.approx(getattr(values, name), rel=1e-12)
    assert (folded.before, folded.after, folded.largest) == (values.before, values.after, values.largest)
    np.testing.assert_allclose(folded.values_of(values.states), values.state_values, rtol=1e-12)
    np.testing.assert_allclose(folded.values_of(values.afterstates, after=True), values.afterstate_values, rtol=1e-12)
    assert (folded.values_of(np.array([1 << 30, 1 << 63 | 1], np.uint64)) == UNREACHABLE).all()
    with pytest.raises(ConfigError, match="folded"):
        evaluate_policy(folded, folded.afterstate_values)


@pytest.mark.parametrize("gamma", [1.0, 0.5])
@each_twin
def test_a_policy_is_worth_what_the_twin_says(rules, gamma):
    solution = solve(rules)
    judged = np.random.default_rng(1).normal(0, 20, len(solution.afterstates)).astype(np.float32).round()  # has equals
    found = evaluate_policy(solution, judged, gamma)
    judge = by_tiles(solution.afterstates, judged, rules)
    expected = reference.Solver(rules, reference.greedy(judge.__getitem__, gamma))
    assert found.expected == pytest.approx(expected.start, rel=1e-11)
    assert found.expected <= solution.optimal + 1e-9
    played = by_tiles(solution.states[found.states], found.state_values[found.states], rules)
    assert same_values(played, expected.states)
    played = by_tiles(solution.afterstates[found.afterstates], found.afterstate_values[found.afterstates], rules)
    assert same_values(played, expected.afterstates)


@each_twin
def test_shares_of_games_and_regrets_of_a_policy(rules):
    solution = solve(rules)
    judged = np.random.default_rng(3).normal(0, 20, len(solution.afterstates)).astype(np.float32)
    found = evaluate_policy(solution, judged)
    before, after = followed(rules, by_tiles(solution.afterstates, judged, rules))
    for layers, shares, expected in (
        (solution.states, found.state_shares, before),
        (solution.afterstates, found.afterstate_shares, after),
    ):
        told = {board: share for board, share in by_tiles(layers, shares, rules).items() if share}
        assert same_values(told, expected)
    assert found.state_shares @ found.regrets() == pytest.approx(solution.optimal - found.expected)
    assert found.regrets().min() > -1e-9


def followed(rules, own):
    """How often the greedy player's games come to each state and each afterstate, by following all games forward."""
    states, afterstates, games = {}, {}, {(0,) * rules.cells: 1.0}
    for tile in rules.start:
        law = rules.drop if tile == "drop" else ((tile, 1.0),)
        games = following(games, rules, law)
    while games:
        moved = {}
        for board, share in games.items():
            states[board] = states.get(board, 0.0) + share
            if moves := reference.legal_moves(board, rules):
                chosen = max(moves, key=lambda move: np.float32(move[0]) + np.float32(own[move[1]]))[1]
                moved[chosen] = moved.get(chosen, 0.0) + share
        for board, share in moved.items():
            afterstates[board] = afterstates.get(board, 0.0) + share
        games = following(moved, rules)
    return states, afterstates


def test_a_policy_of_probabilities():
    rules = Rules("2584", 2, 2)
    solution = solve(rules, "reach", 21)
    judged = np.random.default_rng(2).normal(0, 20, len(solution.afterstates)).astype(np.float32)
    judge = by_tiles(solution.afterstates, judged, rules)
    found = evaluate_policy(solution, judged)
    assert found.expected == pytest.approx(reference.Solver(rules, reference.greedy(judge.__getitem__), 21).start)
    assert "largest_value_error" not in found.summary()


def test_the_values_themselves_are_the_best_policy(fib_2x3):
    found = evaluate_policy(fib_2x3, lambda boards: fib_2x3.values_of(boards, after=True))
    told = found.summary()
    assert told["expected"] == pytest.approx(fib_2x3.optimal, rel=1e-6)  # float32 takes some near-equals for equal
    assert 0 <= told["gap"] < 1e-3
    assert told["largest_value_error_anywhere"] < 1e-4
    assert 0 < told["states"] < told["of_states"] == fib_2x3.before


@pytest.mark.parametrize(
    ("judged", "telling"), [([1.0], "values shape"), (np.full(464, np.nan), "not finite"), (np.zeros(464), "gamma: 2")]
)
def test_a_policy_that_cannot_be_evaluated(judged, telling):
    with pytest.raises(ConfigError, match=telling):
        evaluate_policy(solve(Rules(rows=2, cols=2)), judged, 2.0 if "gamma" in telling else 1.0)


def test_best_moves_and_values_of_boards(fib_2x3):
    rows = [[1, 1, 0], [0, 2, 0]]
    packed = fib_2x3.engine.board(rows)
    worth = {
        action: reward + fib_2x3.value_after(after) for action, after, reward in fib_2x3.engine.afterstates(packed)
    }
    assert fib_2x3.value(rows) == fib_2x3.value(packed) == pytest.approx(max(worth.values()))
    assert worth[fib_2x3.best(rows)] == max(worth.values())
    lost = [
        int(board) for board, value in zip(fib_2x3.states[:99999], fib_2x3.state_values, strict=False) if not value
    ]
    assert fib_2x3.best(lost[0]) is None
    assert fib_2x3.value([[0, 0, 0], [0, 0, 0]]) == UNREACHABLE
    with pytest.raises(ConfigError, match="a board that a game can come to"):
        fib_2x3.best(0)


GROWING = MergeLaw("growing", 1, lambda i: 3**i if i else 0, lambda a, b: a + 1 if a == b else 0, 4, 15, 16)
SHRINKING = MergeLaw("shrinking", 1, lambda i: i, lambda a, b: a + 1 if a == b else 0, 4, 15, 16)
SMALL = MergeLaw("small", 1, lambda i: 2**i if i else 0, lambda a, b: a + 1 if a == b else 0, 4, 4, 5)


def test_merges_that_raise_the_sum(monkeypatch):
    monkeypatch.setitem(GAMES, "growing", GROWING)
    rules = Rules("growing", 2, 2)
    solution, best = solve(rules), reference.Solver(rules)
    assert same_values(by_tiles(solution.states, solution.state_values, rules), best.states)
    assert solution.optimal == pytest.approx(best.start, rel=1e-11)


def test_games_that_cannot_be_solved(monkeypatch):
    monkeypatch.setitem(GAMES, "shrinking", SHRINKING)
    monkeypatch.setitem(GAMES, "small", SMALL)
    with pytest.raises(ConfigError, match=r"game: .* lower the sum of the tiles; in shrinking 2 and 2 make 3"):
        solve(Rules("shrinking", 2, 2))
    with pytest.raises(ConfigError, match=r"size: a cell holds tiles up to 16, .* larger ones"):
        solve(Rules("small", 2, 2))
    with pytest.raises(ConfigError, match="size: '3x5' is not allowed; expected a board of at most 64 bits"):
        solve(Rules("2584", 3, 5))


def test_too_little_memory(monkeypatch):
    monkeypatch.setattr(machine, "available_memory", lambda: 10_000)
    with pytest.raises(ConfigError, match=r"size: the successors of the states whose tiles sum to .* are free"):
        solve(Rules("2584", 2, 2))


def test_progress_is_told():
    told = []
    solve(Rules(rows=2, cols=2), on_progress=lambda *line: told.append(line))
    assert [line for line in told if line[1] == line[2]] == [("solve random", 1126, 1126), ("solve best", 1126, 1126)]
    assert ("enumerate", 1126, None) in told
