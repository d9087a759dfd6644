"""Many boards side by side, and play without values, against their references: the same streams, the same games.

Trusts `tdl.game.game_reference`; and, for random play, the self-play kernel, whose exploration it repeats.
"""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.reference_batch import ReferenceBatch
from support.shapes import RULES, each_engine, each_rules, few

from tdl import NTupleNetwork, Rules, Trainer, TupleSet
from tdl.errors import ConfigError
from tdl.game.batch import Batch
from tdl.game.engine import EVALUATION, TRAINING
from tdl.game.rules import ACTION_NAMES
from tdl.players.baselines import play_greedy, play_random
from tdl.storage.records import RECORD
from tdl.training.episode_reference import play_simply

SEEDS = st.integers(0, 2**63 - 1)
SHOWN = {
    "tiles": "u1", "legal": "?", "rewards": "i4", "over": "?", "score": "i8", "moves": "i4", "max_tile": "i8",
    "episode": "i8",
}  # fmt: skip


def assert_same(batch, reference):
    for name in SHOWN:
        assert getattr(batch, name).tolist() == getattr(reference, name), name
    assert batch.afterstates().tolist() == reference.afterstates()


@each_engine
@each_rules
@settings(few, max_examples=few.max_examples // 2)
@given(data=st.data(), seed=SEEDS)
def test_batch_equals_its_reference(rules, kind, data, seed):
    """Boards start, move and start again in any order; the others stay as they are."""
    n = data.draw(st.integers(1, 4))
    policy = random.Random(seed)
    batch, reference = Batch(rules, n, engine=kind), ReferenceBatch(rules, n)
    assert_same(batch, reference)
    for turn in range(data.draw(st.integers(1, 12))):
        free = [i for i in range(n) if reference.over[i]]
        fresh = free + [i for i in range(n) if i not in free and policy.random() < 0.1]
        episodes = [10 * turn + i for i in fresh]
        batch.start(np.array(fresh, np.int64), seed, TRAINING, np.array(episodes, np.int64))
        reference.start(fresh, seed, TRAINING, episodes)
        which = policy.sample(range(n), policy.randint(0, n))
        actions = [policy.choice([a for a in range(4) if reference.legal[i][a]]) for i in which]
        gained = batch.step(np.array(actions, np.int8), np.array(which, np.int64))
        assert gained.dtype == np.int32
        assert gained.tolist() == reference.step(actions, which)
    assert_same(batch, reference)


@each_engine
@each_rules
def test_whole_games_side_by_side(rules, kind):
    """All boards move at once, to the end of each."""
    n, policy = 3, random.Random(1)
    batch, reference = Batch(rules, n, engine=kind), ReferenceBatch(rules, n)
    batch.start(None, 7, EVALUATION, np.arange(5, 5 + n))
    reference.start(range(n), 7, EVALUATION, range(5, 5 + n))
    while (playing := np.flatnonzero(~batch.over)).size:
        actions = [policy.choice(np.flatnonzero(batch.legal[i]).tolist()) for i in playing]
        assert batch.step(actions, playing).tolist() == reference.step(actions, playing.tolist())
        assert batch.tiles.tolist() == reference.tiles
    assert_same(batch, reference)
    assert batch.over.all()


@each_engine
@each_rules
@pytest.mark.parametrize("greedy", [False, True], ids=["random", "greedy"])
def test_simple_play_equals_its_reference(rules, kind, greedy):
    play = play_greedy if greedy else play_random
    records = play(rules, 3, seed=11, role=TRAINING, first=2, engine=kind)
    assert records.dtype == RECORD
    assert records.tolist() == play_simply(rules, greedy, 11, TRAINING, 2, 3)


def test_random_play_is_that_of_the_self_play_kernel():
    network = NTupleNetwork(Rules(), TupleSet(((0,),)))
    trained = Trainer(network, alpha=1e-9, epsilon=1.0, seed=5).train(200)
    assert play_random(episodes=200, seed=5, role=TRAINING).tolist() == trained.tolist()


def test_random_play_across_slices():
    """Games are played in slices; a slice begins where the last one ended."""
    records = play_random(RULES["2x2"], 10_000, seed=1)
    assert records["episode"].tolist() == list(range(10_000))
    later = play_random(RULES["2x2"], 5_000, seed=1, first=5_000)
    assert later.tolist() == records[5_000:].tolist()
    assert play_random(episodes=0).tolist() == []


@pytest.mark.parametrize(
    "rules", [RULES["4x4"], RULES["2584-4x4-75-25"], RULES["2584-5x5"]], ids=["64", "128", "fib5"]
)
def test_arrays(rules):
    batch = Batch(rules, 2)
    shapes = {"tiles": (2, rules.cells), "legal": (2, 4), "rewards": (2, 4)}
    for name, dtype in SHOWN.items():
        array = getattr(batch, name)
        assert (array.shape, array.dtype) == (shapes.get(name, (2,)), dtype)
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    assert batch.rules == rules
    before = batch.tiles
    batch.start(None, 0, 0, [0, 1])
    assert before.any()  # a view of what is now
    kept = batch.afterstates()
    kept[:] = 0  # the caller's own
    assert batch.afterstates().any()


def test_one_number_for_all_and_a_seed_for_each():
    batch = Batch(n=3)
    batch.start(None, np.array([1, 2, 2**64 - 1], np.uint64), TRAINING, 4)
    for i, seed in enumerate((1, 2, 2**64 - 1)):
        reference = ReferenceBatch(Rules(), 1)
        reference.start([0], seed, TRAINING, [4])
        assert batch.tiles[i].tolist() == reference.tiles[0]
    common = int(np.flatnonzero(batch.legal.all(0))[0])
    assert batch.step(common).shape == (3,)
    assert batch.moves.tolist() == [1, 1, 1]


def test_more_boards_than_memory_has_room_for(monkeypatch):
    monkeypatch.setattr("tdl.base.machine.available_memory", lambda: 10**6)
    with pytest.raises(ConfigError, match=r"n: 100,000 boards need 0.0 GiB of memory; 0.0 GiB are free"):
        Batch(n=100_000)


def test_actions_in_any_form():
    batch = Batch(n=1)
    batch.start(None, 0, TRAINING, [0])
    action = int(batch.legal[0].argmax())
    for actions in (ACTION_NAMES[action], float(action), [[action]], np.array([float(action)]), np.int8(action)):
        batch.start(None, 0, TRAINING, [0])
        assert batch.step(actions).tolist() == [batch.score[0]]
        assert batch.moves.tolist() == [1]


def finished(rules):
    """A batch of three boards: the first is over, the second plays, of the third no game was started."""
    batch = Batch(rules, 3)
    batch.start([0, 1], 0, 0, [0, 0])
    while not batch.over[0]:
        batch.step([int(batch.legal[0].argmax())], [0])
    return batch


def test_a_wrong_move_plays_nothing():
    batch = finished(RULES["2x2"])
    legal = np.flatnonzero(batch.legal[1]).tolist()
    illegal = next(action for action in range(5) if action not in legal)
    before = [getattr(batch, name).copy() for name in SHOWN]
    for actions, which, message in [
        ([legal[0], 1], [1, 0], "action of board 0: 1 is not allowed; the game is over"),
        ([legal[0], 1], [1, 2], "action of board 2: 1 is not allowed; no game was started"),
        ([legal[0], legal[0]], [1, 1], "which: 1 is not allowed; expected each board at most once"),
        ([illegal], [1], rf"action of board 1: {illegal} is not allowed; expected one of the legal actions \["),
        ([-1], [1], "action of board 1: -1 is not allowed"),
        ([0], [3], "which: 3 is not allowed; expected boards from 0 to 2"),
        ([0.5], [1], "actions.0.: 0.5 is not allowed; expected 0 (up), 1 (right)"),
        (["north"], [1], "actions.0.: 'north' is not allowed; expected 0 (up), 1 (right)"),
        ([0, 1], [1], "actions: .* is not allowed; expected 1 of 0 (up), 1 (right)"),
        ([0], [[1]], "which: .* is not allowed; expected a list of board numbers"),
    ]:
        with pytest.raises(ConfigError, match=message.replace("(", r"\(").replace(")", r"\)")):
            batch.step(actions, which)
        for name, array in zip(SHOWN, before, strict=True):
            assert np.array_equal(getattr(batch, name), array), name
    batch.step([legal[0]], [1])  # no mark of a refused call is left behind
    assert batch.moves[1] == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([3], 0, 0, [0]), "which: 3 is not allowed; expected boards from 0 to 2"),
        (([0], -1, 0, [0]), "seed: -1 is not allowed; expected whole numbers of at least 0"),
        (([0], 0, 0, [-1]), "episodes: -1 is not allowed"),
        (([0], 0, 0, [0, 1]), "episodes: 'int64 of shape"),
        (([0], 2**64, 0, [0]), "seed: 'object of shape"),
    ],
)
def test_wrong_starts(arguments, message):
    batch = Batch(n=3)
    with pytest.raises(ConfigError, match=message):
        batch.start(*arguments)
    assert batch.episode.tolist() == [-1, -1, -1]


def test_wrong_batches():
    with pytest.raises(ConfigError, match="n: 0 is not allowed"):
        Batch(n=0)
    with pytest.raises(ConfigError, match=r"engine: 'arrays' is not allowed; .*did you mean 'array'"):
        Batch(engine="arrays")
    with pytest.raises(ConfigError, match="episodes: -1 is not allowed"):
        play_random(episodes=-1)
    with pytest.raises(ConfigError, match="engine: 'x' is not allowed"):
        play_greedy(engine="x")


def test_nothing_to_do():
    batch = Batch(n=2)
    batch.start([], 0, 0, [])
    assert batch.step([], []).shape == (0,)
    assert batch.over.tolist() == [True, True]
