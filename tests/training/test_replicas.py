"""Training by replicas: against trainers that are merged one by one, and the same however many threads carry them."""

import numpy as np
import pytest
from support.learners import MERGED_STEPS, MERGED_VARIANTS, ORDERS, RETURNS, STAGES, STARTS, TARGETS, each
from support.shapes import RULES, small_tuples

import tdl
from tdl.base import machine
from tdl.errors import ConfigError, DivergenceError
from tdl.learning.learning_reference import merged
from tdl.learning.state import ACCUMULATORS, COUNTS, ENTERED, chunks_of
from tdl.network.ntuple import NTupleNetwork
from tdl.network.stages import Stages
from tdl.network.tuples import TupleSet
from tdl.training import replicas
from tdl.training.trainer import Trainer

BOARD = RULES["2x3"]
TUPLES = TupleSet(((0, 1, 2, 3), (0, 1, 3, 4), (1, 4)))


def new_trainer(choices, stages=None, *, rules=BOARD, tuples=TUPLES, **more):
    network = NTupleNetwork(rules, tuples, stages=stages, initial_value=30.0)
    return Trainer(network, **{"alpha": 0.3, "seed": 5, **choices, **more})


def bits(trainer):
    arrays = {"weights": trainer.network.weights, **trainer.state}
    return {name: array.tobytes() for name, array in arrays.items()}


def one_by_one(choices, stages, replicas, rounds, **more):
    """The same by trainers without replicas, each from the network so far, merged in NumPy: (arrays, records)."""
    whole = new_trainer(choices, stages, **more)
    arrays = {"weights": whole.network.weights, **whole.state}
    records, first = [], 0
    for episodes in rounds:
        parts = []
        for replica in range(replicas):
            low, high = (first + episodes * number // replicas for number in (replica, replica + 1))
            own = new_trainer(choices, stages, episode=low, **more)
            copies = {"weights": own.network.weights, **own.state}
            for name, array in copies.items():
                array[...] = arrays[name]
            records.append(own.train(high - low))
            parts.append(copies)
        sums = arrays.get(ACCUMULATORS)
        weights, new_sums = merged(arrays["weights"], sums, [(own["weights"], own.get(ACCUMULATORS)) for own in parts])
        arrays["weights"][:] = weights
        if sums is not None:
            sums[:] = new_sums
        first += episodes
    return arrays, np.concatenate(records)


@each(TARGETS, ORDERS, RETURNS, MERGED_STEPS)
def test_equal_trainers_merged_one_by_one(choices, stages):
    assert_equal_one_by_one(choices, stages)


@each(ORDERS, MERGED_STEPS, STAGES)
def test_with_stages(choices, stages):
    assert_equal_one_by_one(choices, stages)


@each(MERGED_VARIANTS, MERGED_STEPS)
def test_with_variants(choices, stages):
    assert_equal_one_by_one(choices, stages)


def assert_equal_one_by_one(choices, stages):
    own = {"expectation": "direct"} if choices.get("target") == "state" else {}
    if choices.get("alpha_per") == "entry":
        choices = {**choices, "alpha": 0.02}
    arrays, records = one_by_one({**choices, **own}, stages, 3, (40, 40))
    trainer = new_trainer(choices, stages, replicas=3, round=40, threads=2)
    assert trainer.train(80).tolist() == records.tolist()
    assert bits(trainer) == {name: array.tobytes() for name, array in arrays.items()}
    assert (trainer.episode, trainer.moves) == (80, records["moves"].sum())


@pytest.mark.parametrize("name", ["4x4", "3x4", "5x5", "2584-4x4-75-25", "threes_law-4x4"])
@pytest.mark.parametrize("engine", ["bits", "array"])
def test_on_every_kind_of_board(name, engine):
    rules = RULES[name]
    shape = {"rules": rules, "tuples": small_tuples(rules)["mixed"], "engine": engine}
    choices = {"step": "coherent", "td_lambda": 0.5}
    arrays, records = one_by_one(choices, None, 2, (4,), **shape)
    trainer = new_trainer(choices, replicas=2, round=4, **shape)
    assert trainer.train(4).tolist() == records.tolist()
    assert bits(trainer) == {key: array.tobytes() for key, array in arrays.items()}


@each(STARTS, MERGED_STEPS)
def test_threads_change_no_bit(choices, stages):
    results = []
    for threads in (1, 2, 5):
        trainer = new_trainer(choices, stages, replicas=5, round=50, threads=threads)
        records = [trainer.train(100).tobytes() for _ in range(2)]
        results.append((bits(trainer), records, trainer.mean_abs_error, trainer.moves))
    assert results[0] == results[1] == results[2]


@each(MERGED_STEPS, STAGES)
def test_long_rounds_are_merged_by_comparing_all(choices, stages, monkeypatch):
    """And become the same network."""
    results = []
    for long, all_of_them in ((np.inf, False), (0, True)):
        monkeypatch.setattr(replicas, "LONG", long)
        network = NTupleNetwork(RULES["2x4"], TUPLES, stages=stages)
        trainer = Trainer(network, **{"alpha": 0.3, **choices}, replicas=3, round=6, threads=2)
        trainer.train(18)
        results.append(bits(trainer))
        assert (trainer._players.merged_chunks == chunks_of(network)) is all_of_them
    assert results[0] == results[1]


def test_the_carousel_keeps_the_boards_of_all():
    stages = Stages((16, 32))
    trainer = new_trainer({"start": "carousel"}, stages, replicas=2, round=20)
    trainer.train(20)
    alone = [new_trainer({"start": "carousel"}, stages, episode=episode) for episode in (0, 10)]
    for each_alone in alone:
        each_alone.train(10)
    counts = [each_alone.state[COUNTS] for each_alone in alone]
    assert trainer.state[COUNTS].tolist() == (counts[0] + counts[1]).tolist()
    assert trainer.state[COUNTS][1:].min() > 0
    for stage in (1, 2):
        boards = [own.state[ENTERED][stage, : own.state[COUNTS][stage]] for own in alone]
        assert trainer.state[ENTERED][stage, : counts[0][stage] + counts[1][stage]].tolist() == [
            board for own in boards for board in own.tolist()
        ]


def test_training_goes_on_from_what_was_saved():
    whole, half = (new_trainer({"step": "coherent"}, replicas=3, round=50) for _ in range(2))
    whole.train(100)
    whole.train(100)
    half.train(100)
    later = new_trainer({"step": "coherent"}, replicas=3, round=50, episode=100)
    later.network.weights[:] = half.network.weights
    for name, array in half.state.items():
        later.state[name][...] = array
    later.train(100)
    assert bits(later) == bits(whole)


def test_progress_counts_all_and_may_give_up():
    seen = []
    trainer = new_trainer({}, replicas=2, round=30, threads=2)
    trainer.train(90, lambda finished, moves: seen.append((finished, moves)))
    assert seen == sorted(seen)
    assert seen[-1] == (90, trainer.moves)

    def stop(finished, moves):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trainer.train(30, stop)


def test_divergence_of_a_replica_ends_the_training():
    trainer = new_trainer({"alpha": 10.0, "target": "afterstate"}, replicas=2, round=200, threads=2)
    with pytest.raises(DivergenceError):
        trainer.train(2000)


def test_replicas_that_do_not_fit_are_refused_before_they_are_made(monkeypatch):
    monkeypatch.setattr(machine, "available_memory", lambda: 10 << 20)
    with pytest.raises(ConfigError, match=r"replicas: 200 replicas need .* GiB of memory"):
        new_trainer({"step": "coherent"}, replicas=200)


def test_no_games_change_nothing():
    trainer = tdl.Trainer(tdl.NTupleNetwork(RULES["2x3"], tdl.TupleSet(((0, 1),))), alpha=0.1, replicas=2)
    trainer.train(20)
    before = trainer.network.weights.tobytes()
    assert len(trainer.train(0)) == 0
    assert (trainer.network.weights.tobytes(), trainer.episode) == (before, 20)
