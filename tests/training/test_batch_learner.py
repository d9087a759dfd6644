"""The batch learner against the same in plain Python: the same weights, sums, lanes and records, bit for bit."""

import re
from functools import cache

import numpy as np
import pytest
from support.learners import IN_STEP, STAGES, STARTS
from support.reference_runs import ONE_STAGE, assert_same_bits, in_memory_order, natural, natural_of_reference
from support.shapes import RULES, SHARE, small_tuples
from support.shapes import engine as tables_of

from tdl.errors import ConfigError, DivergenceError
from tdl.game.boards import pack
from tdl.learning.options import ACCUMULATORS, LearnerOptions
from tdl.learning.state import new_state
from tdl.network.network_reference import ReferenceNetwork
from tdl.network.ntuple import NTupleNetwork
from tdl.training.batch_reference import FEWEST, ReferenceBatchLearner
from tdl.training.lane_state import check_playable, reach_of
from tdl.training.options import PlayOptions
from tdl.training.threads import batch_kernel

STEPS = 1000 // SHARE

BOARDS = ("3x3", "2x3", "2584-2x3", "2x4", "threes_law-3x2")


def learner_of(rules, tuples, *, alpha=0.1, lanes=3, stages=ONE_STAGE, initial_value=0.0, state=None, threads=1,
               network=None, seed=7, batch_sum="mean", **options):  # fmt: skip
    """A `BatchLearner` of a new network, its state, and its reference."""
    options = LearnerOptions(order="delayed", batch_sum=batch_sum, **options)
    network = network or NTupleNetwork(rules, tuples, stages=stages, initial_value=initial_value)
    state = new_state(network, options) if state is None else state
    play = PlayOptions(lanes=lanes, seed=seed, threads=threads)
    batch = batch_kernel(network)(network, tables_of(rules).tables, options, play, state=state)
    batch.set_step(alpha, options.step)
    reference = ReferenceNetwork(rules, tuples, initial_value, stages)
    reference.active = remembered(reference.active)
    return batch, state, lambda: ReferenceBatchLearner(reference, options, alpha, lanes=lanes, seed=seed)


def remembered(active):
    """The entries of boards, computed once for each: they take most of the reference's time."""
    of_tiles = cache(active)
    return lambda board: of_tiles(tuple(board))


def assert_equals_reference(rules, tuples, *, steps=STEPS, **options):
    """Play the same steps both ways and compare the results."""
    batch, state, reference_of = learner_of(rules, tuples, **options)
    reference, records = reference_of(), []
    for _ in range(steps):
        before = reference.moves
        while reference.moves == before:
            reference.step()
        records += batch.play(1).tolist()
        assert batch.moves == reference.moves
    assert records == reference.records
    assert_same_bits(natural(batch.network), natural_of_reference(reference.network, batch.network))
    if ACCUMULATORS in state:
        assert_same_bits([state[ACCUMULATORS]], [in_memory_order(reference.sums, reference.network, batch.network, 2)])
    for lane, expected in zip(batch.lanes, reference.lanes, strict=True):
        assert_same_lane(lane, expected, rules)
    return batch, reference


def assert_same_lane(lane, expected, rules):
    """A lane and that of the reference, which remembers its whole game."""
    reach, n = len(lane["path"]), len(expected.path)
    assert number(lane["board"]) == pack(expected.board, rules)
    for name in ("random", "score", "reached", "game", "attempts"):
        assert lane[name] == getattr(expected, name)
    assert lane["moves"] == n
    for t in range(max(0, n - reach), n):
        assert number(lane["path"][t % reach]) == pack(expected.path[t], rules)
        assert t == n - 1 or lane["errors"][t % reach] == expected.errors[t]


def number(words):
    return int(words[0]) | int(words[1]) << 64


@pytest.mark.parametrize("which", range(len(IN_STEP)), ids=IN_STEP)
def test_equals_the_reference(which):
    rules = RULES[BOARDS[which % len(BOARDS)]]
    options, sets = list(IN_STEP.values())[which], ("even", "mixed", "unshared", "radix 4")
    _, reference = assert_equals_reference(rules, small_tuples(rules)[sets[which % 4]], **options)
    assert reference.records
    assert any(error for error in reference.errors)


@pytest.mark.parametrize("name", ["4x4", "2584-4x4-75-25", "5x5", "threes_law-4x4"])
def test_boards(name):
    tuples = small_tuples(RULES[name])["mixed"]
    assert_equals_reference(RULES[name], tuples, steps=200 // SHARE, step="coherent", td_lambda=0.5, alpha=1.0)


@pytest.mark.parametrize("name", ["orders", "counts", "orders and counts", "one image, all"])
def test_features(name):
    rules = RULES["2x3"]
    assert_equals_reference(rules, small_tuples(rules)[name], steps=300 // SHARE, step="coherent", td_lambda=0.5)


@pytest.mark.parametrize("name", STAGES)
def test_stages(name):
    rules = RULES["2x3"]
    options = {"stages": STAGES[name], "td_lambda": 0.5, "step": "coherent"}
    assert_equals_reference(rules, small_tuples(rules)["mixed"], steps=300 // SHARE, **options)


@pytest.mark.parametrize("name", ["restart", "milestone"])
def test_starts(name):
    """One lane plays games that are longer than its trail."""
    for board, steps in ("2x3", 500), ("3x3", 1000):
        tuples = small_tuples(RULES[board])["even"]
        batch, _ = assert_equals_reference(RULES[board], tuples, steps=steps, td_lambda=0.5, lanes=3, **STARTS[name])
        assert (batch.lanes["game"] > 0).any()


def test_more_lanes_play_from_move_to_move():
    """64 from the first step on, then one for each so many moves."""
    rules = RULES["2x3"]
    options = {"lanes": FEWEST + 6, "moves_per_lane": 20}
    batch, reference = assert_equals_reference(rules, small_tuples(rules)["even"], steps=25, **options)
    assert batch.active == reference.active == FEWEST + 6
    assert learner_of(rules, small_tuples(rules)["even"], **options)[0].active == FEWEST


@pytest.mark.parametrize(
    "options", [IN_STEP["fixed-mean-0"], IN_STEP["coherent-capped-.5"], {"stages": STAGES["stages"]}]
)
def test_threads_change_nothing(options):
    """Also more threads than tables."""
    rules = RULES["3x3"]
    alone = played(rules, 1, options)
    for threads in 2, 3, 5:
        for array, expected in zip(played(rules, threads, options), alone, strict=True):
            assert array.tobytes() == expected.tobytes()


def played(rules, threads, options):
    batch, state, _ = learner_of(rules, small_tuples(rules)["mixed"], lanes=150, threads=threads, **options)
    records = batch.play(20_000)
    return records, batch.network.weights, batch.lanes, *state.values()


@pytest.mark.parametrize("start", ["restart", "milestone"])
def test_goes_on_from_its_lanes(start):
    """With other threads, and whether or not it was a new learner."""
    rules, tuples = RULES["3x3"], small_tuples(RULES["3x3"])["mixed"]
    options = {"lanes": 100, "step": "coherent", "td_lambda": 0.5, "moves_per_lane": 100, **STARTS[start]}
    whole, state, _ = learner_of(rules, tuples, **options)
    half, half_state, _ = learner_of(rules, tuples, **options)
    assert whole.play(0).size == 0
    records = np.concatenate([whole.play(5000), whole.play(8000)])
    first = half.play(5000)
    other, _, _ = learner_of(rules, tuples, network=half.network, state=half_state, threads=2, **options)
    other.lanes[:], other.moves, other.games = half.lanes, half.moves, half.games
    assert np.concatenate([first, other.play(8000)]).tobytes() == records.tobytes()
    assert records["episode"].tolist() == list(range(whole.games))
    assert other.network.weights.tobytes() == whole.network.weights.tobytes()
    assert half_state[ACCUMULATORS].tobytes() == state[ACCUMULATORS].tobytes()
    assert other.lanes.tobytes() == whole.lanes.tobytes()


WRONG_LANES = (
    ("board", [15 << 36, 0], "a board has what is no tile of the game"),
    ("path", [0, 1], "a board has what is no tile of the game"),
    ("saved", [0x111111111, 0], "a board has no empty cell"),
    ("moves", -1, "-1 is not allowed; expected a number from 0 to 2147483646"),
    ("moves", 2**31 - 1, "2147483647 is not allowed"),
    ("errors", np.nan, "expected numbers from -1e+09 to 1e+09"),
    ("rose", 2, "2 is not allowed; expected a number from 0 to 1"),
)


@pytest.mark.parametrize(("field", "value", "message"), WRONG_LANES)
def test_lanes_of_no_game_are_refused(field, value, message):
    rules = RULES["3x3"]
    batch, _, _ = learner_of(rules, small_tuples(rules)["even"], td_lambda=0.5)
    batch.play(100)
    check_playable(batch.lanes, rules)
    batch.lanes[field][-1] = value
    with pytest.raises(ConfigError, match=f"^lanes: {field}: {re.escape(message)}"):
        check_playable(batch.lanes, rules)


@pytest.mark.parametrize("weight", [np.nan, np.inf, -np.inf, 2e9])
@pytest.mark.parametrize("threads", [1, 2])
def test_divergence_is_told_and_not_applied(weight, threads):
    """One weight that is no number, or too large."""
    rules = RULES["3x3"]
    batch, _, _ = learner_of(rules, small_tuples(rules)["even"], lanes=50, threads=threads)
    batch.play(500)
    batch.network.weights[np.argmax(np.abs(batch.network.weights))] = weight
    before = batch.network.weights.copy()
    with pytest.raises(DivergenceError, match=r"learning diverged: .* smaller alpha"):
        batch.play(1)
    assert batch.network.weights.tobytes() == before.tobytes()


def test_errors_that_add_up_to_too_much_diverge():
    """Where games end, each of an error below the bound; few of them can be added up."""
    rules = RULES["2x2"]
    few, many = (learner_of(rules, small_tuples(rules)["even"], lanes=lanes)[0] for lanes in (20, 20_000))
    for batch in few, many:
        batch.network.weights[:] = 5e8 / batch.network.m
    few.play(20)
    with pytest.raises(DivergenceError, match="or errors add up to more than can be counted"):
        many.play(400_000)


def test_only_options_of_games_in_step():
    with pytest.raises(ConfigError, match=r"^batch_sum: 'none' is not allowed; expected mean or capped"):
        learner_of(RULES["3x3"], small_tuples(RULES["3x3"])["even"], batch_sum="none", start="carousel")


def test_reach():
    assert [reach_of(value) for value in (0.0, 0.1, 0.2, 0.5, 0.9)] == [1, 1, 2, 3, 16]
    for value in 0.99, 1.0:
        with pytest.raises(ConfigError, match=r"td_lambda: .* expected at most 0.975"):
            reach_of(value)


def test_progress():
    rules = RULES["3x3"]
    batch, _, _ = learner_of(rules, small_tuples(rules)["even"], lanes=64)
    seen = []
    records = batch.play(1_100_000, lambda *told: seen.append(told))
    assert [moves >= (number + 1) << 19 for number, (_, moves) in enumerate(seen)] == [True, True, False]
    assert seen[-1] == (len(records), batch.moves)
    assert batch.errors[1] > 0.99 * batch.moves
