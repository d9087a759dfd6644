"""The self-play kernel and its reference implementation: the same block played by both, and the results compared."""

import numpy as np
import pytest

from support.shapes import engine as tables_of
from support.shapes import small_tuples
from tdl.game.boards import pack
from tdl.game.engine import TRAINING
from tdl.learning.learning_reference import ReferenceLearner
from tdl.learning.options import STEP_ARRAYS, LearnerOptions
from tdl.learning.state import COUNTS, DROP_TABLE, ENTERED, new_state
from tdl.network.network_reference import ReferenceNetwork
from tdl.network.ntuple import NTupleNetwork
from tdl.network.stages import Stages
from tdl.search.adversary_reference import ReferenceAdversary
from tdl.search.expectimax_reference import ReferenceExpectimax
from tdl.training.episode_reference import ReferencePlay
from tdl.training.options import PlayOptions, sort_keywords
from tdl.training.threads import kernel

ONE_STAGE = Stages()


def selfplay(network, *, order="none", alpha=0.0, state=None, role=TRAINING, **options):
    """A kernel with options by their names, as `Trainer` sorts them; one lane unless they say otherwise."""
    learner, play = sort_keywords({"lanes": 1, **options}, LearnerOptions, PlayOptions)
    learns = order != "none"
    play = kernel(network)(
        network,
        tables_of(network.rules).tables,
        LearnerOptions(**learner, **({"order": order} if learns else {})),
        PlayOptions(**play),
        role=role,
        state=state,
        learns=learns,
    )
    there = (state or {}).keys()
    kinds = (step for step, arrays in STEP_ARRAYS.items() if arrays and arrays.keys() <= there)
    play.set_step(alpha, next(kinds, "fixed"))
    return play


def natural(network):
    """All tables of a network in natural order, stage by stage."""
    stages, tables = range(network.stages.count), range(len(network.lengths))
    return [network.table(number, stage) for stage in stages for number in tables]


def natural_of_reference(reference, network):
    """The tables of a `ReferenceNetwork`, with the entries it never touched."""
    untouched = [
        np.nan if k >= reference.copy and reference.stages.promotion else reference.initial
        for k in range(len(reference.tables))
    ]
    tables = [np.full(network.layout.size(k % reference.copy), value, np.float32) for k, value in enumerate(untouched)]
    for table, entries in zip(tables, reference.tables, strict=True):
        for index, weight in entries.items():
            table[index] = weight
    return tables


def in_memory_order(entries, reference, network, width):
    """Numbers by the reference's entries, in the order of the weights: what an array of the learner's state holds."""
    array = np.zeros((len(network.weights), width), np.float32)
    for (table, index), each in entries.items():
        stage, number = divmod(table, reference.copy)
        array[stage * network.stride + network.layout.map(number, np.array([index], np.uint32))[0]] = each
    return array


def assert_same_bits(tables, expected):
    for table, other in zip(tables, expected, strict=True):
        assert np.array_equal(table.view(np.uint32), other.view(np.uint32))


def reference_of(rules, tuples, *, order, alpha, seed=0, lanes=1, role=TRAINING, stages=ONE_STAGE, initial_value=0.0,
            placer=None, search=None, **options):  # fmt: skip
    """A `ReferencePlay` from a new network."""
    options = LearnerOptions(order="backward" if order == "none" else order, **options)
    network = ReferenceNetwork(rules, tuples, initial_value, stages)
    shared = options.expectation != "direct" and stages.count == 1 and not (tuples.orders or tuples.counts)
    learner = ReferenceLearner(network, alpha, options, shared=shared)
    worst = placer is not None and placer.kind == "adversary"
    adversary = ReferenceAdversary(placer, network, options.gamma, options.target) if worst else None
    expectimax = search and ReferenceExpectimax(search, learner, placer)
    return ReferencePlay(
        learner, learns=order != "none", seed=seed, role=role, lanes=lanes, adversary=adversary, search=expectimax
    )


def played_by_reference(rules, tuples, *, first=0, episodes, **options):
    """A reference after a block, and the block's records."""
    reference = reference_of(rules, tuples, **options)
    return reference, reference.play(first, episodes)


def assert_equals_reference(rules, tuples, *, first=0, episodes, stages=ONE_STAGE, initial_value=0.0, engine="bits",
                       played=None, **options):  # fmt: skip
    """Play a block both ways and compare the results; `played` is what `played_by_reference` returned before."""
    network = NTupleNetwork(rules, tuples, stages=stages, initial_value=initial_value)
    learned = options["order"] != "none"
    names = [name for name in LearnerOptions.__dataclass_fields__ if name in options]
    choices = LearnerOptions(**{name: options[name] for name in names if learned or name != "order"})
    state = new_state(network, choices, engine)
    play = selfplay(network, state=state, engine=engine, **options)
    reference, expected = played or played_by_reference(
        rules, tuples, first=first, episodes=episodes, stages=stages, initial_value=initial_value, **options
    )
    records, learner = play.play(first, episodes), reference.learner
    assert records.tolist() == expected
    assert_same_bits(natural(network), natural_of_reference(learner.network, network))
    for name, width in STEP_ARRAYS[choices.step].items():
        if name in state:
            assert_same_bits([state[name]], [in_memory_order(getattr(learner, name), learner.network, network, width)])
    if DROP_TABLE in state:
        expected_spread = in_memory_order(learner.spread, learner.network, network, 1)[:, 0]
        assert np.array_equal(state[DROP_TABLE], expected_spread)  # a zero may have either sign
    if ENTERED in state:
        assert_same_boards(state, reference.entered, rules, engine)
    assert bool(learner.errors) == learned
    if learner.errors:
        assert play.mean_abs_error == pytest.approx(np.mean(learner.errors, dtype=np.float64), rel=1e-5)
    else:
        assert np.isnan(play.mean_abs_error)
    assert play.finished == episodes
    if choices.start == "empty" or not learned:
        assert play.moves == sum(moves for _, _, moves, _ in expected)
    return network, play, reference


def assert_same_boards(state, entered, rules, engine):
    """The carousel's boards."""
    room = state[ENTERED].shape[1]
    memory = state[ENTERED].reshape(len(entered), room, -1)
    assert state[COUNTS].tolist() == [len(boards) for boards in entered]
    for stage, boards in enumerate(entered):
        for k in range(max(0, len(boards) - room), len(boards)):
            words = memory[stage, k % room]
            if engine == "array":
                assert words.view(np.uint8).tolist() == boards[k] + [0] * (32 - rules.cells)
            else:
                assert int.from_bytes(words.tobytes(), "little") == pack(boards[k], rules)


def random_network(rules, set_name="mixed", seed=0, stages=ONE_STAGE, moved=1.0):
    """A network of random weights, and the same as a reference; of later stages a share of `moved` has its own."""
    network = NTupleNetwork(rules, small_tuples(rules)[set_name], stages=stages)
    rng = np.random.default_rng(seed)
    network.weights[:] = rng.normal(0, 20, len(network.weights)).astype(np.float32)
    if moved < 1:
        later = network.weights[network.stride :]
        later[rng.random(len(later)) >= moved] = np.nan
    reference = ReferenceNetwork(rules, network.tuples, 0.0, stages)
    for stage in range(stages.count):
        for number in range(reference.copy):
            weights = enumerate(network.table(number, stage))
            reference.tables[stage * reference.copy + number] = {i: w for i, w in weights if not np.isnan(w)}
    return network, reference
