"""The host program and the kernels of a graphics card, also with plain C as its device: the bits of `BatchLearner`."""

from functools import partial

import numpy as np
import pytest
from support.learners import IN_STEP, STAGES, STARTS
from support.networks import EXTRAS, SMALL, WOVEN
from support.plain_device import PlainDevice
from support.shapes import RULES, SHARE
from support.shapes import engine as tables_of

from tdl.cuda.device import compiled
from tdl.errors import ConfigError, DivergenceError
from tdl.learning.options import ACCUMULATORS, LearnerOptions
from tdl.learning.state import new_state
from tdl.network.ntuple import NTupleNetwork
from tdl.network.stages import Stages
from tdl.network.tuples import TupleSet
from tdl.training.batch_learner import BatchLearner
from tdl.training.batch_text import text_of
from tdl.training.cuda_learner import CudaLearner
from tdl.training.lane_state import UNIT
from tdl.training.options import PlayOptions

STEPS = 1000 // SHARE


def learner(tuples, device=None, *, name="4x4", lanes=24, alpha=0.1, stages=None, initial_value=0.0,
            batch_sum="mean", **options):  # fmt: skip
    """A `BatchLearner`, or a `CudaLearner` on a device, of a new network, and its state."""
    options, rules = LearnerOptions(order="delayed", batch_sum=batch_sum, **options), RULES[name]
    network = NTupleNetwork(rules, tuples, stages=stages or Stages(), initial_value=initial_value)
    state = new_state(network, options)
    make = BatchLearner if device is None else partial(CudaLearner, device=device)
    made = make(network, tables_of(rules).tables, options, PlayOptions(lanes=lanes, seed=3), state=state)
    made.set_step(alpha, options.step)
    return made, state


def both(device, tuples, **options):
    """A `BatchLearner` and a `CudaLearner`, each with a network of its own."""
    return learner(tuples, **options), learner(tuples, device, **options)


def assert_same(one, other):
    """Weights, sums, lanes and what they come to."""
    (batch, state), (cuda, cuda_state) = one, other
    cuda.settle()
    assert cuda.lanes.tobytes() == batch.lanes.tobytes()
    assert cuda.network.weights.tobytes() == batch.network.weights.tobytes()
    assert cuda_state.keys() == state.keys()
    assert all(cuda_state[key].tobytes() == state[key].tobytes() for key in state)
    assert (cuda.moves, cuda.active, cuda.games) == (batch.moves, batch.active, batch.games)
    assert cuda.errors == batch.errors
    assert not cuda._arrays["hits"].read().any()


def assert_equal(device, tuples, *, steps=STEPS, **options):
    """Play some steps both ways, in two blocks."""
    (batch, _), (cuda, _) = one, other = both(device, tuples, **options)
    for _ in range(2):
        moves = steps * len(batch.lanes) // 2
        assert cuda.play(moves).tobytes() == batch.play(moves).tobytes()
        assert_same(one, other)
    return batch


@pytest.mark.parametrize("options", IN_STEP.values(), ids=IN_STEP)
def test_equals_the_learner(device, options):
    batch = assert_equal(device, WOVEN, **options)
    assert batch.games > 0
    assert batch.network.weights.any()


@pytest.mark.parametrize("stages", STAGES.values(), ids=STAGES)
def test_stages(device, stages):
    assert_equal(device, SMALL, stages=stages, step="coherent", td_lambda=0.5, steps=500 // SHARE)


@pytest.mark.parametrize("start", ["restart", "milestone"])
def test_starts(device, start):
    batch = assert_equal(device, SMALL, td_lambda=0.5, **STARTS[start])
    assert (batch.lanes["game"] > 0).any()


@pytest.mark.parametrize("name", ["2584-4x4-75-25", "threes_law-4x4", "4x4-80-20-two"])
@pytest.mark.parametrize("stages", [None, Stages((20,), downgrade=4)], ids=["one stage", "stages"])
def test_games(device, name, stages):
    """Boards of 128 bits, rewards that do not depend on the tile alone, other first tiles."""
    assert_equal(device, SMALL, name=name, stages=stages, td_lambda=0.5, steps=400 // SHARE)


@pytest.mark.parametrize("name", ["4x4", "2584-4x4-75-25"])
def test_features(device, name):
    """Order and count features, also of lowered boards."""
    for stages in None, Stages((32,), downgrade=4):
        assert_equal(device, EXTRAS, name=name, stages=stages, step="coherent", td_lambda=0.5, steps=300 // SHARE)


@pytest.mark.parametrize("radix", [5, 16])
def test_radix(device, radix):
    for name in "4x4", "2584-4x4-75-25":
        tuples = TupleSet(WOVEN.cells, radix=radix)
        assert_equal(device, tuples, name=name, steps=200 // SHARE)


def test_more_lanes_play_from_move_to_move(device):
    batch = assert_equal(device, SMALL, lanes=90, moves_per_lane=200, steps=300)
    assert batch.active == 90


def test_one_machine_goes_on_where_the_other_stopped(device):
    """A CPU, a device, a CPU, against a CPU alone."""
    options = {"lanes": 90, "moves_per_lane": 100, "step": "coherent", "td_lambda": 0.5, **STARTS["restart"]}
    alone, state = learner(SMALL, **options)
    before = before_state = None
    for machine in None, device, None:
        now, now_state = learner(SMALL, machine, **options)
        if before is not None:
            now.lanes[:], now.moves, now.games = before.lanes, before.moves, before.games
            now.network.weights[:], now_state[ACCUMULATORS][:] = before.network.weights, before_state[ACCUMULATORS]
        assert now.play(8000).tobytes() == alone.play(8000).tobytes()
        if machine is not None:
            now.settle()
        before, before_state = now, now_state
    assert before.lanes.tobytes() == alone.lanes.tobytes()
    assert before.network.weights.tobytes() == alone.network.weights.tobytes()
    assert before_state[ACCUMULATORS].tobytes() == state[ACCUMULATORS].tobytes()


def test_another_step_and_another_kind_of_step(device):
    (batch, _), (cuda, _) = one, other = both(device, SMALL, step="coherent", td_lambda=0.5)
    for alpha, kind in (0.1, "coherent"), (0.5, "coherent"), (0.1, "fixed"), (0.1, "coherent"):
        for made in batch, cuda:
            made.set_step(alpha, kind)
        assert cuda.play(2000).tobytes() == batch.play(2000).tobytes()
    assert_same(one, other)


def test_what_is_assigned_between_blocks_counts(device):
    (batch, _), (cuda, _) = one, other = both(device, SMALL)
    for made in batch, cuda:
        made.play(2000)
    cuda.settle()
    for made in batch, cuda:
        made.lanes["random"] += 1
        made.network.weights[::2] = 1
        made.play(2000)
    assert_same(one, other)


def test_progress_is_told_and_the_list_of_games_begins_anew(device):
    (batch, _), (cuda, _) = both(device, SMALL, lanes=8)
    room, calls = 8 * 11, []
    assert cuda._room == room
    records = cuda.play(100_000 // SHARE, lambda games, moves: calls.append((games, moves)))
    assert records.tobytes() == batch.play(100_000 // SHARE).tobytes()
    assert len(records) > 2 * room or SHARE > 1
    assert calls == sorted(calls)
    assert len(calls) > 10
    assert calls[-1] == (len(records), cuda.moves)


def test_divergence_is_told_and_not_applied(device):
    cuda, _ = learner(SMALL, device)
    cuda.play(2000)
    cuda.settle()
    weights = cuda.network.weights
    weights[weights != 0] = np.nan
    before = weights.copy()
    with pytest.raises(DivergenceError, match="learning diverged: a value left"):
        cuda.play(1000)
    cuda.settle()
    assert weights.tobytes() == before.tobytes()


def test_an_error_that_is_no_number_diverges(device):
    """A weight of the last afterstate alone: the move that is chosen has a value."""
    cuda, _ = learner(SMALL, device, lanes=1)
    entries_of_board, seen = cuda.network.entries, []
    while not len(seen):
        cuda.play(1)
        cuda.settle()
        last, board = int(cuda.lanes["path"][0, 0, 0]), int(cuda.lanes["board"][0, 0])
        ahead = [entries_of_board(after) for _, after, _ in tables_of(RULES["4x4"]).afterstates(board)]
        seen = np.setdiff1d(entries_of_board(last), ahead)
    cuda.network.weights[seen[0]] = np.nan
    with pytest.raises(DivergenceError):
        cuda.play(1)


def test_errors_that_add_up_to_too_much_diverge(device):
    """In one step, not in all of them."""
    cuda, _ = learner(SMALL, device)
    cuda._call["limit"] = 400_000
    cuda.set_step(0.2, "fixed")
    cuda.play(2000)
    assert cuda.errors[0] * UNIT > 2 * 400_000
    cuda.settle()
    before = cuda.network.weights.copy()
    cuda._call["limit"] = 10
    cuda.set_step(0.1, "fixed")
    with pytest.raises(DivergenceError):
        cuda.play(200)
    cuda.settle()
    assert cuda.network.weights.tobytes() == before.tobytes()


def test_what_is_too_large_for_the_device_is_refused():
    """With the figures, and with who holds the memory."""
    with pytest.raises(ConfigError) as refused:
        learner(SMALL, PlainDevice(memory=1 << 20), lanes=64)
    assert str(refused.value) == (
        "device=cuda: the network and 64 lanes need 0.0 GiB of the memory of plain C; 0.0 GiB are free; "
        "process 4711 (python) holds 3.0 GiB"
    )


@pytest.mark.extra
@pytest.mark.parametrize("name", ["4x4", "2584-4x4-75-25"])
def test_nvidia_compiles_the_kernels(monkeypatch, tmp_path, name):
    """Which needs no card."""
    cupy = pytest.importorskip("cupy")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    rules, options = RULES[name], {"order": "delayed", "batch_sum": "capped", "td_lambda": 0.5}
    options = LearnerOptions(**options, **STARTS["restart"])
    for tuples, stages in (WOVEN, None), (EXTRAS, Stages((32,), downgrade=4)):
        network = NTupleNetwork(rules, tuples, stages=stages or Stages())
        for kind in "fixed", "coherent":
            text = text_of(network, tables_of(rules).tables, options, kind)
            assert b"tdl_play" in compiled(cupy, text, "sm_90")
