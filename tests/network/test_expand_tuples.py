"""A network that begins with the tables of another one."""

import numpy as np
import pytest
from hypothesis import given
from support.shapes import RULES, boards, few

import tdl
from tdl.errors import ConfigError
from tdl.game.boards import pack
from tdl.network.expand_tuples import expand_tuples
from tdl.network.stages import Stages

BOARD = RULES["2x3"]
SMALL = tdl.TupleSet(((0, 1), (0, 1, 3)))
WIDE = tdl.TupleSet(((4, 1, 3), (5, 4, 2), (3, 4)))  # a new one, an image of (0, 1, 3), an image of (0, 1)


def trained(tuples=SMALL, rules=BOARD, stages=None):
    network = tdl.NTupleNetwork(rules, tuples, stages=stages)
    tdl.Trainer(network, alpha=0.1, seed=1).train(40)
    return network


@pytest.fixture(scope="module")
def small():
    return trained()


@pytest.fixture(scope="module")
def wide(small):
    network = tdl.NTupleNetwork(BOARD, WIDE)
    expand_tuples(network, small)
    return network


@few
@given(tiles=boards(BOARD))
def test_every_board_keeps_its_value(small, wide, tiles):
    board = pack(tiles, BOARD)
    assert wide.value(board) == pytest.approx(small.value(board), rel=1e-5, abs=1e-3)


def test_further_tables_keep_their_values(small, wide):
    assert not wide.table(0).any()
    assert np.array_equal(wide.table(1), small.table(1))
    assert np.array_equal(wide.table(2), small.table(0))
    assert small.table(0).any()


def test_rows_beside_the_weights_go_where_these_go(small):
    network = tdl.NTupleNetwork(BOARD, WIDE)
    theirs = np.stack([small.weights, 2 * small.weights], axis=1)
    ours = np.zeros((len(network.weights), 2), np.float32)
    expand_tuples(network, small, beside=[(ours, theirs)])
    assert np.array_equal(ours, np.stack([network.weights, 2 * network.weights], axis=1))
    assert ours.any()


def test_tables_of_single_images_are_told_apart():
    """Without shared tables each image has its own."""
    apart = tdl.TupleSet(((0, 1), (0, 1, 3)), share=False)
    source = trained(apart)
    network = tdl.NTupleNetwork(BOARD, tdl.TupleSet(((0, 1, 3), (1, 0, 4)), share=False))
    with pytest.raises(ConfigError, match=r"^init: its feature \[0, 1\] is none of this run's tuples"):
        expand_tuples(network, source)
    network = tdl.NTupleNetwork(BOARD, tdl.TupleSet(((5, 4, 2), (3, 4)), share=False))  # other images first
    expand_tuples(network, source)
    for board in (0x123, 0x120340, 0x500001):
        assert network.value(board) == pytest.approx(source.value(board), rel=1e-5)
    assert network.value(0x123) != 0


def test_features_beyond_tuples():
    extras = {"orders": (((0, 1, 2),),), "counts": ((0, 3),)}
    source = trained(tdl.TupleSet(((0, 1),), **extras))
    network = tdl.NTupleNetwork(BOARD, tdl.TupleSet(((0, 1, 4), (0, 1)), **extras))
    expand_tuples(network, source)
    assert network.value(0x123) == pytest.approx(source.value(0x123), rel=1e-5)
    capped = tdl.NTupleNetwork(BOARD, tdl.TupleSet(((0, 1, 4), (0, 1)), **extras, count_cap=2))
    with pytest.raises(ConfigError, match=r"^init: 'a network with tuples.count_cap=7' is not"):
        expand_tuples(capped, source)


def test_each_stage_begins_with_the_tables_of_a_single_one(small):
    network = tdl.NTupleNetwork(BOARD, WIDE, stages=Stages((8, 64), promotion=False))
    expand_tuples(network, small)
    assert all(np.array_equal(network.table(1, stage), small.table(1)) for stage in range(3))


def test_later_stages_take_over_from_the_first_where_they_are_promoted(small):
    network = tdl.NTupleNetwork(BOARD, WIDE, stages=Stages((8, 64)))
    expand_tuples(network, small)
    assert np.array_equal(network.table(1), small.table(1))
    assert np.isnan(network.table(1, 2)).all()
    assert network.value(0x6) == pytest.approx(small.value(0x6), rel=1e-5)


def test_later_stages_that_read_lowered_boards_begin_with_a_share_of_the_first(small):
    network = tdl.NTupleNetwork(BOARD, WIDE, stages=Stages((8, 64), downgrade=2, share=0.5))
    expand_tuples(network, small)
    assert np.isnan(network.table(1, 1)).all()
    assert network.value(0x106) == pytest.approx(0.5**2 * small.value(0x102), rel=1e-5)
    assert small.value(0x102) != 0


def test_stages_keep_theirs():
    stages = Stages((8, 64))
    source, network = trained(stages=stages), tdl.NTupleNetwork(BOARD, WIDE, stages=stages)
    expand_tuples(network, source)
    for stage in range(3):
        np.testing.assert_array_equal(network.table(1, stage), source.table(1, stage))
    assert np.isfinite(source.table(1, 1)).any()
    with pytest.raises(ConfigError, match=r"learner.stages=\[8, 64\]' is not allowed; expected the same stages"):
        expand_tuples(tdl.NTupleNetwork(BOARD, WIDE), source)


@pytest.mark.parametrize(("rules", "tuples", "line"), [
    (RULES["2x3"], ((0, 1),), r"init: its feature \[0, 1, 3\] is none of this run's tuples"),
    (tdl.Rules("2048", 3, 3), WIDE.cells, "init: 'a network of 2048 2x3' is not allowed; expected one of 2048 3x3"),
    (tdl.Rules("2584", 2, 3), WIDE.cells, "init: 'a network of 2048 2x3' is not allowed; expected one of 2584 2x3"),
])  # fmt: skip
def test_what_does_not_fit_is_refused(small, rules, tuples, line):
    with pytest.raises(ConfigError, match=f"^{line}"):
        expand_tuples(tdl.NTupleNetwork(rules, tdl.TupleSet(tuples)), small)


def test_other_tile_symbols_are_refused(small):
    network = tdl.NTupleNetwork(BOARD, tdl.TupleSet(WIDE.cells, radix=8))
    with pytest.raises(ConfigError, match=r"^init: 'a network with tuples.radix=16' is not allowed; expected"):
        expand_tuples(network, small)
