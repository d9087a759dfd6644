"""Weights of half precision: the same bits as float32 weights of the same values, which NumPy converts."""

import numpy as np
import pytest
from support.networks import twins
from support.shapes import RULES, Repeated, each_rules, each_set, small_tuples, telling_boards

from tdl.errors import ConfigError
from tdl.game.boards import pack
from tdl.game.rules import Rules
from tdl.network.ntuple import NTupleNetwork
from tdl.network.stages import Stages
from tdl.network.tuples import TupleSet
from tdl.training.trainer import Trainer

ALL = np.arange(2**16, dtype=np.uint16).view(np.float16)
FINITE = np.where(np.isfinite(ALL), ALL, np.float16(1))


def assert_same_values(networks, boards):
    for instructions in NTupleNetwork.instruction_sets():
        values = []
        for network in networks:
            network.use_instructions(instructions)
            values.append(np.array([network.value(board) for board in boards], np.float32))
        assert values[0].tobytes() == values[1].tobytes(), instructions
        assert len(set(values[0].tolist())) > 1


def test_every_half():
    """A network of one table and one feature: its values are its weights, 0 in the place of -0."""
    network = NTupleNetwork(Rules(rows=2, cols=2), TupleSet(((0, 1, 2, 3),), symmetries=False), weights=FINITE)
    floats = network.table(0)
    assert floats.dtype == np.float32
    assert network.values(np.arange(2**16)).tobytes() == (floats + np.float32(0)).tobytes()
    assert floats.tobytes() == FINITE[network.table_entries(0)].astype(np.float32).tobytes()


@each_rules
@each_set
def test_values_of_every_set(rules, set_name):
    for stages in (None, Stages((8, 64), promotion=False)):
        networks = twins(rules, small_tuples(rules)[set_name], stages=stages)
        assert_same_values(networks, [pack(board, rules) for board in telling_boards(rules, 30)])
        assert networks[0].table(0).tobytes() == networks[1].table(0).tobytes()


@pytest.mark.parametrize("features", range(1, 10))
def test_values_of_every_number_of_features(features):
    """What is over where four are added up at a time; sums of tiny numbers and of none."""
    rules = RULES["3x3"]
    networks = twins(rules, Repeated(((0, 1),) * features, symmetries=False), scale=1e-6)
    assert_same_values(networks, [pack(board, rules) for board in telling_boards(rules, 100)])


def test_sums_of_opposite_numbers():
    """Of some the sum is 0, of others it is far smaller than its parts."""
    rules, tuples = RULES["2x2"], Repeated(((0,), (1,), (2,), (3,), (0, 1)), symmetries=False)
    networks = twins(rules, tuples)
    near = np.resize(np.array([1, -1, 1 + 2.0**-10, -1 - 2.0**-10, 6e-8, -6e-8, 0, -0.0], np.float16), 16)
    for network in networks:
        for table in range(4):
            network.set_table(table, near)
        network.set_table(4, np.zeros(256))
    assert_same_values(networks, range(2**16))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_are_refused(bad):
    weights = FINITE.copy()
    weights[40_000] = bad
    with pytest.raises(ConfigError, match=rf"weights\[40000\]: {bad} is not allowed; expected a finite number"):
        NTupleNetwork(Rules(rows=2, cols=2), TupleSet(((0, 1, 2, 3),), symmetries=False), weights=weights)


def test_tables_take_what_16_bits_hold():
    network = twins(RULES["2x2"], TupleSet(((0,),)))[0]
    network.set_table(0, np.full(16, 65_504.0))
    with pytest.raises(ConfigError, match=r"weights\[3\]: inf is not allowed; expected a finite number"):
        network.set_table(0, [0, 0, 0, 65_520, *[0] * 12])
    assert (network.table(0) == 65_504).all()


@pytest.mark.parametrize("kind", [np.float64, np.uint16, ">f2"])
def test_other_types_are_refused(kind):
    with pytest.raises(ConfigError, match="float32 or float16, without gaps"):
        NTupleNetwork(Rules(rows=2, cols=2), TupleSet(((0, 1, 2, 3),)), weights=np.zeros(2**16, kind))


def test_they_do_not_learn():
    with pytest.raises(ConfigError, match=r"network: its weights have 16 bits, too few to learn; a run with init="):
        Trainer(twins(RULES["2x2"], TupleSet(((0, 1),)))[0], alpha=0.1)
