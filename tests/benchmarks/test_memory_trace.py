"""The recorded table accesses of a run are those that it makes, and the replay makes them and changes nothing.

Trusts the engine, the network's entries, and the self-play kernel that is recorded.
"""

import numpy as np
import pytest
from support.reference_runs import selfplay
from support.shapes import RULES, engine, small_tuples

from tdl.benchmarks.memory_trace import record, replay
from tdl.errors import ConfigError
from tdl.game.engine import Stream
from tdl.network.ntuple import NTupleNetwork
from tdl.network.tuples import TupleSet

SQUARE = RULES["2x2"]


def recorded(network, turns, lanes=1, episodes=1000):
    network.use_instructions("portable")  # whose play the trace can record
    play = selfplay(network, order="forward", alpha=0.5, seed=4, lanes=lanes)
    play.begin(0, episodes)
    return record(play, turns)


def test_the_first_turns_by_the_engine():
    network = NTupleNetwork(SQUARE, TupleSet(((0, 1), (0, 2, 3))))
    compiled, stream = engine(SQUARE), Stream(4, 0, 0)
    entries, counts = recorded(network, 50)
    after = [each for _, each, _ in compiled.afterstates(compiled.start(stream))]
    assert counts[0] == len(after)
    for row, board in zip(entries[0], after, strict=False):
        assert row[: network.m].tolist() == network.entries(board).tolist()
    # What is updated is what was chosen one turn ago, until the game ends.
    for turn in range(1, 1 + np.argmax(counts == 0)):
        assert entries[turn, -1].tolist() in entries[turn - 1, : counts[turn - 1]].tolist()
    assert (counts == 0).any()
    assert counts.max() <= 4


@pytest.mark.parametrize("lanes", [1, 3])
@pytest.mark.parametrize("rules", [SQUARE, RULES["4x4"]], ids=["2x2", "4x4"])
def test_the_replay_reads_what_was_recorded_and_changes_nothing(rules, lanes):
    for tuples in [*small_tuples(rules).values(), *([] if rules is SQUARE else [TupleSet(((0, 1), (1, 2, 5)) * 4)])]:
        network = NTupleNetwork(rules, tuples)
        entries, counts = recorded(network, 300, lanes)
        rng = np.random.default_rng(1)
        network.weights[:] = rng.standard_normal(len(network.weights))
        before = network.weights.copy()
        read = sum(
            float(network.weights[rows[:count, : network.m]].sum())
            for rows, count in zip(entries, counts, strict=True)
        )
        assert replay(network, entries, counts, lanes) == pytest.approx(read, abs=0.05)
        assert np.array_equal(network.weights, before)


def test_what_cannot_be_recorded_or_replayed():
    network = NTupleNetwork(SQUARE, TupleSet(((0, 1),)))
    network.use_instructions("portable")
    with pytest.raises(ConfigError, match=r"turns: 500 is not allowed; expected fewer than the moves of the block"):
        recorded(network, 500, episodes=2)
    with pytest.raises(ConfigError, match=r"play: .* expected one of forward order"):
        record(selfplay(network, order="backward"), 1)
    entries, counts = recorded(network, 10)
    with pytest.raises(ConfigError, match=r"entries: .* expected \(9, 5, 16\)"):
        replay(network, entries, counts[:9], 1)
