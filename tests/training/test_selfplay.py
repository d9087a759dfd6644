"""The self-play kernel against the episode loop in plain Python: the same records and the same weights, bit for bit.

Trusts `tdl.training.episode_reference` (rules, network and streams are compared in files of their own) and one game
whose updates are worked out by hand. What the reference cannot know is compared within
the kernel.
"""

from functools import cache
from importlib import import_module

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from support.reference_runs import (
    assert_equals_reference,
    assert_same_bits,
    natural,
    natural_of_reference,
    played_by_reference,
    reference_of,
    selfplay,
)
from support.shapes import FOUR_APART, FOUR_TILES, RULES, SET_NAMES, SHARE, Repeated, each_rules, small_tuples

from tdl.errors import DivergenceError
from tdl.game.engine import ENGINES, EVALUATION
from tdl.game.rules import Rules
from tdl.network.ntuple import NTupleNetwork
from tdl.network.tuples import TupleSet
from tdl.training.threads import kernel

ORDERS = ("none", "forward", "backward")
each_order = pytest.mark.parametrize("order", ORDERS)
each_lanes = pytest.mark.parametrize("lanes", [1, 3])

# A seed and a step size do not get simpler by shrinking, which would take minutes with games of the reference.
some_games = settings(max_examples=12 // SHARE, phases=(Phase.explicit, Phase.reuse, Phase.generate))

WAYS = [(order, lanes) for order in ORDERS for lanes in (1, 3)]


@pytest.mark.parametrize("which", range(len(RULES)), ids=RULES)
@pytest.mark.parametrize("way", range(len(WAYS)), ids=lambda way: "{}-{}".format(*WAYS[way]))
def test_equal_the_reference(which, way):
    """Of each rules with each tuple set, both kinds of boards, and the three discounts: each once in the six ways.

    A game is long on a large board where two tiles drop, so one lane plays but one there.
    """
    rules, (order, lanes) = list(RULES.values())[which], WAYS[way]
    episodes = 1 if lanes == 1 and rules.cells >= 12 else 2
    rng = np.random.default_rng([which, way])
    for number in range(2 * way, 2 * way + (1 if SHARE > 1 else 2)):
        options = {"order": order, "lanes": lanes, "engine": ENGINES[(number + number // 6) % 2],
                   "gamma": (1.0, 0.9, 0.5)[(number + which) % 3], "alpha": rng.uniform(0.01, 1.0),
                   "seed": int(rng.integers(2**63))}  # fmt: skip
        tuples = small_tuples(rules)[SET_NAMES[(number + which) % len(SET_NAMES)]]
        assert_equals_reference(rules, tuples, first=int(rng.integers(10**6)), episodes=episodes, **options)


@each_order
@each_lanes
@some_games
@given(
    seed=st.integers(0, 2**63 - 1),
    role=st.integers(0, 3),
    alpha=st.floats(0.0, 1.0),
    gamma=st.floats(0.0, 1.0),
    initial_value=st.floats(-10.0, 1000.0, width=32).map(lambda value: value + 0.0),  # no -0
    episodes=st.integers(1, 12),
)
def test_equal_the_reference_on_2x2(order, lanes, seed, role, alpha, gamma, initial_value, episodes):
    tuples = TupleSet(((0, 1), (0, 1, 2)))
    options = {"order": order, "alpha": alpha, "gamma": gamma, "seed": seed, "lanes": lanes, "role": role}
    assert_equals_reference(RULES["2x2"], tuples, first=0, episodes=episodes, initial_value=initial_value, **options)


# One game on 2x2 with two tuples, the rows, each read once: m = 2, so with alpha = 1 an entry moves by half the error.
# The game of seed 26, its afterstates s1 to s4 as tile indices, and their entries as (upper row, lower row):
#
#    .  1       s1 1 1       1 1      s2 2 1       2 1      s3 3 1       3 1      s4 3 1       3 1
#    1  .   up     . .  drop 1 .  up     . .  drop 2 .  up     . .  drop 2 .  rgt    . 2  drop 1 2   lost
#               reward 0            reward 4            reward 8             reward 0
#    entries    (17, 0)             (18, 0)             (19, 0)              (19, 32)
#
# Forward: each error as soon as the next move is chosen.
#    s1: target 4 + V(s2) =  4, V = 0      error  4    17: 2           lower 0: 2
#    s2: target 8 + V(s3) = 10, V = 0 + 2  error  8    18: 4           lower 0: 2 + 4 = 6
#    s3: target 0 + V(s4) =  0, V = 0 + 6  error -6    19: -3          lower 0: 6 - 3 = 3
#    s4: target 0,              V = -3 + 0 error  3    19: -3 + 1.5    lower 32: 1.5
# Backward: the same targets from the end, with the values that the later updates have left.
#    s4: target 0,              V = 0      error  0
#    s3: target 0 + V(s4) =  0, V = 0      error  0
#    s2: target 8 + V(s3) =  8, V = 0      error  8    18: 4           lower 0: 4
#    s1: target 4 + V(s2) = 12, V = 0 + 4  error  8    17: 4           lower 0: 4 + 4 = 8
BY_HAND = {
    "forward": ({17: 2.0, 18: 4.0, 19: -1.5}, {0: 3.0, 32: 1.5}, (4 + 8 + 6 + 3) / 4),
    "backward": ({17: 4.0, 18: 4.0}, {0: 8.0}, (0 + 0 + 8 + 8) / 4),
}


@pytest.mark.parametrize(("order", "outcome"), BY_HAND.items(), ids=BY_HAND)
def test_weights_after_one_game_by_hand(order, outcome):
    network = NTupleNetwork(RULES["2x2"], TupleSet(((0, 1), (2, 3)), symmetries=False))
    play = selfplay(network, order=order, alpha=1.0, seed=26)
    assert play.play(0, 1).tolist() == [(0, 12, 4, 8)]
    upper, lower = natural(network)
    assert ({i: upper[i] for i in upper.nonzero()[0]}, {i: lower[i] for i in lower.nonzero()[0]}) == outcome[:2]
    assert play.mean_abs_error == outcome[2]


def whole_numbers(rules, set_name="mixed"):
    """A network of random whole numbers: it plays one certain game, unlike a blank one."""
    network = NTupleNetwork(rules, small_tuples(rules)[set_name])
    rng = np.random.default_rng(5)
    for number in range(len(network.lengths)):
        network.set_table(number, rng.integers(0, 100, network.layout.size(number)))
    return network


@each_rules
def test_without_learning_an_episode_depends_on_its_number_only(rules):
    network = whole_numbers(rules)
    weights = network.weights.copy()
    records = selfplay(network, seed=6).play(20, 12)
    assert records["episode"].tolist() == list(range(20, 32))  # each at its start index
    assert len(np.unique(records["score"])) > 1
    for lanes in (2, 3, 12, 64):
        assert np.array_equal(selfplay(network, seed=6, lanes=lanes).play(20, 12), records)
    pieces = selfplay(network, seed=6, lanes=5)
    assert np.array_equal(np.concatenate([pieces.play(20, 7), pieces.play(27, 5)]), records)
    assert not np.array_equal(selfplay(network, seed=7).play(20, 12)["score"], records["score"])
    assert not np.array_equal(selfplay(network, seed=6, role=EVALUATION).play(20, 12)["score"], records["score"])
    assert np.array_equal(network.weights, weights)


@each_rules
@pytest.mark.parametrize("order", ["forward", "backward"])
@each_lanes
def test_evaluation_between_blocks_does_not_change_training(rules, order, lanes):
    networks = whole_numbers(rules), whole_numbers(rules)
    values, evaluated = (selfplay(network, order=order, alpha=0.5, seed=8, lanes=lanes) for network in networks)
    expected = [values.play(0, 6), values.play(6, 6)]
    found = [evaluated.play(0, 6)]
    selfplay(networks[1], seed=8, role=EVALUATION, lanes=4).play(0, 10)
    found.append(evaluated.play(6, 6))
    assert np.array_equal(np.concatenate(found), np.concatenate(expected))
    assert_same_bits(natural(networks[1]), natural(networks[0]))


@each_rules
@each_order
@pytest.mark.parametrize("lanes", [1, 3, 64])
@pytest.mark.parametrize("moves", [1, 100])
def test_slices_of_a_block_change_nothing(rules, order, lanes, moves):
    networks = whole_numbers(rules), whole_numbers(rules)
    whole, sliced = (selfplay(network, order=order, alpha=0.5, seed=9, lanes=lanes) for network in networks)
    whole.play(3, 25)
    sliced.begin(3, 25)
    slices = 1
    while not sliced.advance(moves):
        slices += 1
        assert sliced.moves >= moves * (slices - 1)
        assert sliced.finished == np.count_nonzero(sliced.records["moves"])
    assert slices > 1
    assert np.array_equal(sliced.records, whole.records)
    assert (sliced.moves, sliced.finished) == (whole.moves, whole.finished) == (whole.records["moves"].sum(), 25)
    assert np.array_equal(sliced.mean_abs_error, whole.mean_abs_error, equal_nan=True)
    assert_same_bits(natural(networks[1]), natural(networks[0]))


# A board whose cells hold the largest tile already: two of them make one of it, so that games are long, and every
# thousandth tile is a 2 that nothing fits. gamma .5 keeps the values small.
LONG = Rules(rows=2, cols=2, drop=((15, 0.999), (1, 0.001)))


def test_games_longer_than_the_first_path():
    """A path has room for 4096 moves at first and is doubled as needed, here twice; it must not lose what it holds."""
    tuples = TupleSet(((0, 1), (2, 3)), symmetries=False)
    assert selfplay(NTupleNetwork(LONG, tuples), seed=53, gamma=0.5).play(0, 1)["moves"] == 9536
    options = {"order": "backward", "alpha": 0.1, "gamma": 0.5, "seed": 53, "lanes": 1}
    assert_equals_reference(LONG, tuples, first=0, episodes=1, **options)


# Features by the number of tuples: 32 and 64 have code of their own, all others share the general one, which ends
# with up to three features left over. 2x3 has 4 symmetries.
WIDTHS = {1: (1, False), 2: (2, False), 3: (3, False), 4: (1, True), 7: (7, False), 12: (3, True), 20: (5, True),
          31: (31, False), 32: (8, True), 33: (33, False), 36: (9, True), 64: (16, True), 65: (65, False)}  # fmt: skip
SHAPES = ((0, 1), (2, 5, 4), (3,), (0, 1, 4), (1, 4), (0, 3), (5, 4, 3), (1, 2), (0, 5), (4, 2, 1, 5))


def wide_set(m):
    """A tuple set with m features on 2x3."""
    tuples, mirrored = WIDTHS[m]
    return Repeated((SHAPES * 7)[:tuples], symmetries=mirrored)


WIDE = {"alpha": 0.3, "gamma": 1.0, "seed": 10, "lanes": 2}


@cache
def wide_reference(board, m, order):
    """What the reference makes of a block with m features: (records, tables)."""
    reference = reference_of(RULES[board], wide_set(m), order=order, **WIDE)
    return reference.play(0, 2), natural_of_reference(
        reference.learner.network, NTupleNetwork(RULES[board], wide_set(m))
    )


@pytest.mark.parametrize("instructions", NTupleNetwork.instruction_sets())
@pytest.mark.parametrize("order", ["forward", "backward"])
@pytest.mark.parametrize("m", WIDTHS)
@pytest.mark.parametrize("board", ["2x3", "2584-2x3"])
def test_every_width_and_instruction_set(board, m, order, instructions):
    records, tables = wide_reference(board, m, order)
    for boards in ENGINES:
        network = NTupleNetwork(RULES[board], wide_set(m))
        network.use_instructions(instructions)
        assert (network.m, network.instructions) == (m, instructions)
        assert selfplay(network, order=order, engine=boards, **WIDE).play(0, 2).tolist() == records
        assert_same_bits(natural(network), tables)


FORWARD = {"order": "forward", "alpha": 0.3, "seed": 4, "gamma": 0.9}


@cache
def large_reference(board, tuples):
    """What the reference makes of a game on a large board: the reference and its records."""
    return played_by_reference(RULES[board], tuples, episodes=1, **FORWARD)


@pytest.mark.parametrize("instructions", NTupleNetwork.instruction_sets())
@pytest.mark.parametrize("radix", [16, 19])
@pytest.mark.parametrize("board", ["3x4", "4x5", "5x5", "2584-4x4-75-25", "2584-5x5"])
def test_every_board_and_instruction_set(board, radix, instructions):
    """The index functions of each type of board; more than 16 cells take two shuffles."""
    rules = RULES[board]
    last = rules.cells - 1
    tuples = TupleSet(((0, last), (last, 5, 1), (last - 1, last - 6)), radix=min(radix, rules.largest + 1))
    reference, records = large_reference(board, tuples)
    for boards in ENGINES:
        network = NTupleNetwork(rules, tuples)
        network.use_instructions(instructions)
        assert selfplay(network, engine=boards, **FORWARD).play(0, 1).tolist() == records
        assert_same_bits(natural(network), natural_of_reference(reference.learner.network, network))


def test_a_tuple_of_8_cells(tmp_path):
    """A table of 2^32 entries, in a file that has room only for those in use."""
    rules, tuples = RULES["2x4"], TupleSet((tuple(range(8)),))
    weights = np.memmap(tmp_path / "sparse", np.float32, "w+", shape=(2**32,))
    network = NTupleNetwork(rules, tuples, weights=weights)
    options = {"order": "forward", "alpha": 0.5, "gamma": 1.0, "seed": 3, "lanes": 2}
    reference = reference_of(rules, tuples, **options)
    assert selfplay(network, **options).play(0, 20).tolist() == reference.play(0, 20)
    (table,) = reference.learner.network.tables
    assert len(table) > 100
    where = network.layout.map(0, np.array(list(table), np.uint32))
    assert_same_bits([weights[where]], [np.array(list(table.values()), np.float32)])


RICH = {"episodes": 2, "order": "forward", "step": "coherent", "alpha": 0.3, "gamma": 1.0, "seed": 10, "lanes": 2}


# Four kinds of tiles drop: games are a third as long.
RICH_RULES = (Rules(drop=FOUR_TILES), Rules(rows=3, cols=4, drop=FOUR_TILES), Rules("2584", 3, 4, drop=FOUR_APART))


@cache
def rich_reference(rules, name):
    """What the reference makes of a block with features beyond tuples."""
    return played_by_reference(rules, small_tuples(rules)[name], **RICH)


@pytest.mark.parametrize("instructions", NTupleNetwork.instruction_sets())
@pytest.mark.parametrize("name", ["orders and counts", "unshared, all"])
def test_features_beyond_tuples_with_every_instruction_set(name, instructions, monkeypatch):
    monkeypatch.setenv("TDL_INSTRUCTIONS", instructions)
    for rules in RICH_RULES:
        assert_equals_reference(rules, small_tuples(rules)[name], played=rich_reference(rules, name), **RICH)


def test_an_order_feature_of_two_lines():
    """Of 12 pairs, the most there are: all 24 bits of an index."""
    tuples = TupleSet(((0, 1),), orders=(((0, 1, 2, 3), (4, 5, 6, 7)),))
    options = {"order": "backward", "alpha": 0.5, "gamma": 1.0, "seed": 3, "lanes": 2}
    assert_equals_reference(Rules(drop=FOUR_TILES), tuples, first=0, episodes=3, **options)


@pytest.mark.parametrize("instructions", NTupleNetwork.instruction_sets())
def test_the_kernel_fits_the_instruction_set(instructions):
    network = NTupleNetwork(RULES["2x3"], wide_set(32))
    network.use_instructions(instructions)
    module = import_module("tdl.training.selfplay" + "_avx2" * (instructions in ("avx2", "avx512")))
    assert kernel(network) is module.SelfPlay


@each_rules
@pytest.mark.parametrize("order", ["forward", "backward"])
@each_lanes
def test_too_large_a_step_size_is_reported(rules, order, lanes):
    network = NTupleNetwork(rules, small_tuples(rules)["mixed"])
    with pytest.raises(DivergenceError, match=r"learning diverged: .* a smaller alpha is needed"):
        selfplay(network, order=order, alpha=5.0, lanes=lanes).play(0, 1000)


@each_order
@pytest.mark.parametrize("weight", [np.nan, np.inf, -np.inf, 2e9, -2e9])
def test_values_out_of_bounds_are_reported(order, weight):
    network = NTupleNetwork(RULES["4x4"], small_tuples(RULES["4x4"])["odd"])
    network.weights[:] = weight
    with pytest.raises(DivergenceError, match="a value left"):
        selfplay(network, order=order, alpha=0.1).play(0, 1)
