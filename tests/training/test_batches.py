"""A trainer whose games are played in step: its blocks, how it is saved, copied and gone on with, and what it refuses.

Trusts the kernel (test_batch_learner.py).
"""

import copy

import numpy as np
import pytest
from support.reference_runs import assert_same_bits

import tdl
from tdl.errors import ConfigError
from tdl.search.options import SearchOptions

LANES = 16


def trainer_of(**options):
    """A trainer of a small network."""
    network = tdl.NTupleNetwork(tdl.Rules(), tdl.TupleSet(((0, 1, 2), (4, 5))))
    usual = {"order": "delayed", "batch_sum": "mean", "step": "coherent", "alpha": 1.0, "td_lambda": 0.5}
    return tdl.Trainer(network, **{**usual, "lanes": LANES, **options})


def assert_learned_the_same(one, other):
    arrays, others = one.arrays(), other.arrays()
    assert arrays.keys() == others.keys() == {"weights", "sums", "lanes"}
    assert_same_bits(arrays.values(), others.values())


def test_a_block_is_a_number_of_moves_and_its_games_are_numbered_as_they_end():
    trainer, games = trainer_of(), []
    for _ in range(3):
        before = trainer.moves
        games.append(trainer.train(5000))
        assert 5000 <= trainer.moves - before < 5000 + LANES
        assert trainer.mean_abs_error > 0
    numbers = np.concatenate(games)["episode"]
    assert numbers.tolist() == list(range(trainer.episode))
    assert trainer.episode > LANES


def test_a_block_has_a_game():
    trainer, calls = trainer_of(), []
    records = trainer.train(1, lambda games, moves: calls.append((games, moves)))
    assert len(records) == trainer.episode >= 1
    assert calls == sorted(calls)
    assert calls[-1] == (len(records), trainer.moves)
    assert len(trainer.train(0)) == 0


def test_what_a_block_is_changes_no_bit():
    whole, parts = trainer_of(), trainer_of(threads=2)
    whole.train(9000)
    while parts.moves < whole.moves:
        parts.train(min(1000, whole.moves - parts.moves))
    assert_learned_the_same(whole, parts)


def test_no_more_threads_than_cores(monkeypatch):
    monkeypatch.setattr("tdl.training.batches.cores", lambda: 3)
    assert trainer_of(threads=256)._players._batch.threads == 3


@pytest.mark.parametrize("options", [{}, {"start": "milestone", "milestone": 16}, {"moves_per_lane": 50}], ids=str)
@pytest.mark.parametrize("again", [copy.deepcopy, "saved"])
def test_another_goes_on_as_the_first(tmp_path, options, again):
    goes_on(tmp_path, options, again, "cpu")


@pytest.mark.parametrize("again", [copy.deepcopy, "saved"])
def test_another_goes_on_as_the_first_on_a_graphics_card(tmp_path, device, again):
    goes_on(tmp_path, {"moves_per_lane": 50}, again, "cuda")


def goes_on(tmp_path, options, again, device):
    """A saved one goes on on the CPU."""
    first = trainer_of(lanes=128, device=device, **options)
    first.train(4000)
    if again == "saved":
        first.save(tmp_path / "saved")
        second = tdl.Trainer.load(tmp_path / "saved", device="cpu")
        assert second.play_options.device == "cpu"
        assert tdl.Trainer.load(tmp_path / "saved").play_options.device == device
        assert tdl.load(tmp_path / "saved").evaluate(1)["moves"] > 0
    else:
        second = again(first)
    assert (first.train(4000) == second.train(4000)).all()
    assert_learned_the_same(first, second)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"replicas": 2}, "replicas: 2 is not allowed; expected 1 with learner.batch_sum=mean"),
        ({"engine": "array"}, "engine: 'array'"),
        ({"search": SearchOptions(2)}, "search.plies: 2"),
        ({"td_lambda": 0.99}, "td_lambda: 0.99 is not allowed; expected at most"),
        ({"device": "gpu"}, "device: 'gpu' is not allowed; expected cpu or cuda"),
        (
            {"device": "cuda", "batch_sum": "none"},
            "device: 'cuda' is not allowed; expected cpu unless learner=batch or",
        ),
        ({"batch_sum": "none", "lanes": 65}, "lanes: 65 is not allowed; expected auto or a whole number from 1 to 64"),
    ],
    ids=str,
)
def test_what_is_refused(options, message):
    with pytest.raises(ConfigError, match=f"^{message}"):
        trainer_of(**options)


def test_what_a_graphics_card_learned_is_there_when_it_is_asked_for(device):
    trainer, other = trainer_of(device="cuda"), trainer_of()
    for _ in range(2):
        assert trainer.train(3000).tobytes() == other.train(3000).tobytes()
        assert trainer.mean_abs_error == other.mean_abs_error
        assert_same_bits(trainer.state.values(), other.state.values())
        trainer.train(3000)
        other.train(3000)
        assert trainer.network.weights.tobytes() == other.network.weights.tobytes()


def test_games_without_learning_have_few_lanes():
    with pytest.raises(ConfigError, match=r"^lanes: 65 is not allowed"):
        tdl.Player(trainer_of().network).evaluate(1, lanes=65)


def test_lanes_need_memory(monkeypatch):
    monkeypatch.setattr("tdl.base.machine.available_memory", lambda: 1 << 20)
    with pytest.raises(ConfigError, match=r"^lanes: 4,096 lanes need"):
        trainer_of(step="fixed", lanes="auto")


def test_shares_of_the_run_need_to_be_told():
    trainer = trainer_of(schedule="linear", step="fixed")
    with pytest.raises(ConfigError, match=r"^episodes: None"):
        trainer.train(100)
    trainer.spent = 0.5
    trainer.train(100)
    assert trainer.alpha == 0.5
