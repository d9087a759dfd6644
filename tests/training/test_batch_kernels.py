"""The kernels of a GPU, compiled as plain C, against the batch learner: the same bits of all that it computes."""

import numpy as np
import pytest
from support.learners import STARTS
from support.networks import EXTRAS, SMALL, WOVEN
from support.plain_device import needs_compiler
from support.plain_kernels import PlainKernels, entries_by_kernels
from support.shapes import RULES, SHARE, telling_boards
from support.shapes import engine as tables_of

from tdl.errors import ConfigError
from tdl.game.boards import pack
from tdl.game.rules import Rules
from tdl.learning.options import ACCUMULATORS, LearnerOptions
from tdl.learning.state import new_state
from tdl.network.layout import entries_of
from tdl.network.ntuple import NTupleNetwork
from tdl.network.stages import Stages
from tdl.network.tuples import TupleSet, tuple_set
from tdl.training.batch_text import text_of
from tdl.training.threads import batch_kernel

STEPS = 1000 // SHARE

OPTIONS = {
    "fixed-mean-0": {},
    "fixed-mean-.5": {"td_lambda": 0.5},
    "fixed-capped-0": {"rule": "capped", "alpha": 0.5},
    "fixed-capped-.5": {"rule": "capped", "cap": 0.25, "td_lambda": 0.5, "gamma": 0.9},
    "coherent-mean-0": {"step": "coherent", "alpha": 1.0},
    "coherent-mean-.5": {"step": "coherent", "alpha": 1.0, "td_lambda": 0.5},
    "coherent-capped-0": {"step": "coherent", "alpha": 1.0, "rule": "capped"},
    "coherent-capped-.5": {"step": "coherent", "alpha": 1.0, "rule": "capped", "td_lambda": 0.5},
}
STAGES = {
    "stages": Stages((16, 64)),
    "by sum": Stages((40, 80, 200), by="sum"),
    "unpromoted": Stages((32,), promotion=False),
    "downgraded": Stages((16, 64), downgrade=4, share=0.9),
}

pytestmark = needs_compiler


def learner(tuples, *, name="4x4", lanes=24, alpha=0.1, stages=None, **options):
    """A `BatchLearner` of a new network, its state, and the options of its kernels."""
    how = {key: options.pop(key) for key in ("rule", "cap", "moves_per_lane") if key in options}
    options, rules = LearnerOptions(order="delayed", **options), RULES[name]
    network = NTupleNetwork(rules, tuples, stages=stages or Stages())
    state = new_state(network, options)
    batch = batch_kernel(network)(network, tables_of(rules).tables, options, lanes=lanes, seed=3, state=state, **how)
    batch.set_step(alpha, options.step)
    return batch, state, {"alpha": alpha, **how}


def both(tuples, **options):
    """A `BatchLearner` and the kernels, each with a network of its own."""
    (batch, state, _), (other, other_state, how) = (learner(tuples, **options) for _ in range(2))
    return batch, state, PlainKernels(other, other_state, **how)


def assert_same(batch, state, kernels):
    """Weights, sums, lanes and what they come to."""
    progress = kernels.progress[0]
    assert kernels.arrays["weights"].tobytes() == batch.network.weights.tobytes()
    if ACCUMULATORS in state:
        assert kernels.arrays["sums"].tobytes() == state[ACCUMULATORS].tobytes()
    assert kernels.lanes.tobytes() == batch.lanes.tobytes()
    assert (progress["moves"], progress["active"]) == (batch.moves, batch.active)
    assert not kernels.arrays["hits"].any()
    assert progress["step"] > 0


def assert_equal(tuples, *, steps=STEPS, **options):
    """Play some steps both ways, in two blocks."""
    batch, state, kernels = both(tuples, **options)
    lanes = len(batch.lanes)
    for _ in range(2):
        assert kernels.play(steps * lanes // 2) == batch.play(steps * lanes // 2).tolist()
        assert_same(batch, state, kernels)
    return batch, kernels


@pytest.mark.parametrize("set_name", ["4x6", "8x6_order_count", "8x7", "axe_box"][: 4 // SHARE])
def test_entries_of_large_networks(set_name):
    """No weight of them is touched."""
    for game in "2048", "2584":
        rules, tuples = Rules(game), tuple_set(set_name)
        entries = entries_of(tuples, 4, 4, tuples.radix or rules.radix)
        if entries < 2**32:
            network = NTupleNetwork(rules, tuples, weights=np.zeros(entries, np.float32))
            text = text_of(network, tables_of(rules).tables, LearnerOptions(order="delayed"), "fixed", "mean")
            for tiles in telling_boards(rules, 60):
                board = pack(tiles, rules)
                assert entries_by_kernels(text, network, board).tolist() == network.entries(board).tolist()


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_equals_the_learner(options):
    batch, _ = assert_equal(WOVEN, **options)
    assert batch.games > 0
    assert batch.network.weights.any()


@pytest.mark.parametrize("stages", STAGES.values(), ids=STAGES)
def test_stages(stages):
    assert_equal(SMALL, stages=stages, step="coherent", td_lambda=0.5, steps=500 // SHARE)


@pytest.mark.parametrize("start", ["restart", "milestone"])
def test_starts(start):
    batch, _ = assert_equal(SMALL, td_lambda=0.5, **STARTS[start])
    assert (batch.lanes["game"] > 0).any()


@pytest.mark.parametrize("name", ["2584-4x4-75-25", "threes_law-4x4", "4x4-80-20-two"])
@pytest.mark.parametrize("stages", [None, Stages((20,), downgrade=4)], ids=["one stage", "stages"])
def test_games(name, stages):
    """Boards of 128 bits, rewards that do not depend on the tile alone, other first tiles."""
    assert_equal(SMALL, name=name, stages=stages, td_lambda=0.5, steps=400 // SHARE)


@pytest.mark.parametrize("name", ["4x4", "2584-4x4-75-25"])
def test_features(name):
    """Order and count features, also of lowered boards."""
    for stages in None, Stages((32,), downgrade=4):
        assert_equal(EXTRAS, name=name, stages=stages, step="coherent", td_lambda=0.5, steps=300 // SHARE)


@pytest.mark.parametrize("radix", [5, 16])
def test_radix(radix):
    for name in "4x4", "2584-4x4-75-25":
        tuples = TupleSet(WOVEN.cells, radix=radix)
        assert_equal(tuples, name=name, steps=200 // SHARE)


def test_more_lanes_play_from_move_to_move():
    batch, _ = assert_equal(SMALL, lanes=90, moves_per_lane=200, steps=300)
    assert batch.active == 90


def test_one_machine_goes_on_where_the_other_stopped():
    """The learner, then the kernels, then the learner, against the learner alone."""
    options = {"lanes": 90, "moves_per_lane": 100, "step": "coherent", "td_lambda": 0.5, **STARTS["restart"]}
    alone, state, _ = learner(SMALL, **options)
    batch, other_state, how = learner(SMALL, **options)
    records = [alone.play(8000), alone.play(8000), alone.play(8000)]
    assert batch.play(8000).tobytes() == records[0].tobytes()
    kernels = PlainKernels(batch, other_state, **how)
    assert kernels.play(8000) == records[1].tolist()
    batch.lanes, batch.moves, batch.games = kernels.lanes, kernels.progress["moves"].item(), kernels.games
    assert batch.play(8000).tobytes() == records[2].tobytes()
    assert batch.network.weights.tobytes() == alone.network.weights.tobytes()
    assert other_state[ACCUMULATORS].tobytes() == state[ACCUMULATORS].tobytes()
    assert batch.lanes.tobytes() == alone.lanes.tobytes()


def test_divergence_is_told_and_not_applied():
    batch, _, kernels = both(SMALL)
    batch.play(2000)
    kernels.play(2000)
    weights = kernels.arrays["weights"]
    weights[weights != 0] = np.nan
    before = weights.copy()
    kernels.play(1000)
    assert kernels.progress["diverged"]
    assert weights.tobytes() == before.tobytes()


def test_an_error_that_is_no_number_diverges():
    """A weight of the last afterstate alone: the move that is chosen has a value."""
    _, _, kernels = both(SMALL, lanes=1)
    entries_of_board, seen = kernels.network.entries, []
    while not len(seen):
        kernels.play(1)
        last, board = int(kernels.lanes["path"][0, 0, 0]), int(kernels.lanes["board"][0, 0])
        ahead = [entries_of_board(after) for _, after, _ in tables_of(RULES["4x4"]).afterstates(board)]
        seen = np.setdiff1d(entries_of_board(last), ahead)
    kernels.arrays["weights"][seen[0]] = np.nan
    kernels.play(1)
    assert kernels.progress["diverged"]


def test_errors_that_add_up_to_too_much_diverge():
    """In one step, not in all of them."""
    _, _, kernels = both(SMALL)
    kernels.call["limit"] = 400_000
    kernels.play(2000)
    assert kernels.progress["abs_error"] > 2 * 400_000
    assert not kernels.progress["diverged"]
    before = kernels.arrays["weights"].copy()
    kernels.call["limit"] = 10
    kernels.play(200)
    assert kernels.progress["diverged"]
    assert kernels.arrays["weights"].tobytes() == before.tobytes()


def test_what_is_not_done_is_refused():
    options = LearnerOptions(order="delayed")
    for name, tuples, message in [
        ("3x3", SMALL.cells, "a board of 3x3 is not done"),
        ("4x4", TupleSet(SMALL.cells, share=False), "tuples.share=true"),
    ]:
        network = NTupleNetwork(RULES[name], tuples)
        with pytest.raises(ConfigError, match=message):
            text_of(network, tables_of(RULES[name]).tables, options, "fixed", "mean")
