"""The self-play kernel and its twin, side by side: the same block played by both, and all that is left compared."""

import numpy as np
import pytest

from support.shapes import engine as tables_of
from tdl.agents.kernels import kernel
from tdl.agents.reference import ReferencePlay
from tdl.game.packing import pack
from tdl.game.streams import TRAINING
from tdl.learning.options import LearnerOptions
from tdl.learning.reference import ReferenceLearner
from tdl.learning.state import ACCUMULATORS, COUNTS, DROP_TABLE, ENTERED, new_memory
from tdl.network.ntuple import NTupleNetwork
from tdl.network.reference import ReferenceNetwork
from tdl.network.stages import Stages
from tdl.search.adversary_reference import ReferenceAdversary
from tdl.search.expectimax_reference import ReferenceExpectimax

ONE_STAGE = Stages()


def selfplay(network, **options):
    return kernel(network)(network, tables_of(network.rules).tables, **options)


def natural(network):
    """All tables of a network in natural order, stage by stage."""
    stages, tables = range(network.stages.count), range(len(network.lengths))
    return [network.table(number, stage) for stage in stages for number in tables]


def natural_of_twin(twin, network):
    """The tables of a `ReferenceNetwork`, with the entries it never touched."""
    untouched = [np.nan if k >= twin.copy and twin.stages.promotion else twin.initial for k in range(len(twin.tables))]
    tables = [np.full(network.layout.size(k % twin.copy), value, np.float32) for k, value in enumerate(untouched)]
    for table, entries in zip(tables, twin.tables, strict=True):
        for index, weight in entries.items():
            table[index] = weight
    return tables


def in_memory_order(entries, twin, network, width):
    """Numbers by the twin's entries, in the order of the weights: what an array of the learner's memory holds."""
    array = np.zeros((len(network.weights), width), np.float32)
    for (table, index), each in entries.items():
        stage, number = divmod(table, twin.copy)
        array[stage * network.stride + network.layout.map(number, np.array([index], np.uint32))[0]] = each
    return array


def assert_same_bits(tables, expected):
    for table, other in zip(tables, expected, strict=True):
        assert np.array_equal(table.view(np.uint32), other.view(np.uint32))


def twin_of(rules, tuples, *, order, alpha, seed=0, lanes=1, role=TRAINING, stages=ONE_STAGE, initial_value=0.0,
            placing=None, searching=None, **choices):  # fmt: skip
    """A `ReferencePlay` from a new network."""
    learning = LearnerOptions(order="backward" if order == "none" else order, **choices)
    network = ReferenceNetwork(rules, tuples, initial_value, stages)
    shared = learning.expectation != "direct" and stages.count == 1 and not (tuples.orders or tuples.counts)
    learner = ReferenceLearner(network, alpha, learning, shared=shared)
    worst = placing is not None and placing.kind == "adversary"
    adversary = ReferenceAdversary(placing, network, learning.gamma, learning.target) if worst else None
    search = searching and ReferenceExpectimax(searching, learner, placing)
    return ReferencePlay(
        learner, learning=order != "none", seed=seed, role=role, lanes=lanes, adversary=adversary, search=search
    )


def played_by_twin(rules, tuples, *, first=0, episodes, **options):
    """A twin after a block, and the block's records."""
    twin = twin_of(rules, tuples, **options)
    return twin, twin.play(first, episodes)


def assert_equals_twin(rules, tuples, *, first=0, episodes, stages=ONE_STAGE, initial_value=0.0, engine="bits",
                       played=None, **options):  # fmt: skip
    """Play a block both ways and compare all that is left of it; `played` is what `played_by_twin` gave before."""
    network = NTupleNetwork(rules, tuples, stages=stages, initial_value=initial_value)
    learned = options["order"] != "none"
    names = [name for name in LearnerOptions.__dataclass_fields__ if name in options]
    choices = LearnerOptions(**{name: options[name] for name in names if learned or name != "order"})
    memory = new_memory(network, choices, engine)
    play = selfplay(network, memory=memory, engine=engine, **options)
    twin, expected = played or played_by_twin(
        rules, tuples, first=first, episodes=episodes, stages=stages, initial_value=initial_value, **options
    )
    records, learner = play.play(first, episodes), twin.learner
    assert records.tolist() == expected
    assert_same_bits(natural(network), natural_of_twin(learner.network, network))
    if ACCUMULATORS in memory:
        assert_same_bits([memory[ACCUMULATORS]], [in_memory_order(learner.sums, learner.network, network, 2)])
    if DROP_TABLE in memory:
        expected_spread = in_memory_order(learner.spread, learner.network, network, 1)[:, 0]
        assert np.array_equal(memory[DROP_TABLE], expected_spread)  # a zero may have either sign
    if ENTERED in memory:
        assert_same_boards(memory, twin.entered, rules, engine)
    assert bool(learner.errors) == learned
    if learner.errors:
        assert play.mean_abs_error == pytest.approx(np.mean(learner.errors, dtype=np.float64), rel=1e-5)
    else:
        assert np.isnan(play.mean_abs_error)
    assert play.finished == episodes
    if choices.start == "empty" or not learned:
        assert play.moves == sum(moves for _, _, moves, _ in expected)
    return network, play, twin


def assert_same_boards(memory, entered, rules, engine):
    """The carousel's boards."""
    room = memory[ENTERED].shape[1]
    kept = memory[ENTERED].reshape(len(entered), room, -1)
    assert memory[COUNTS].tolist() == [len(boards) for boards in entered]
    for stage, boards in enumerate(entered):
        for k in range(max(0, len(boards) - room), len(boards)):
            words = kept[stage, k % room]
            if engine == "array":
                assert words.view(np.uint8).tolist() == boards[k] + [0] * (32 - rules.cells)
            else:
                assert int.from_bytes(words.tobytes(), "little") == pack(boards[k], rules)
