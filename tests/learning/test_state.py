"""Boards that a checkpoint holds of the carousel are those of games: the kernels trust them.

Trusts what a training leaves.
"""

import numpy as np
import pytest

from tdl.errors import ConfigError
from tdl.game.rules import Rules
from tdl.learning.state import check_entered
from tdl.network.ntuple import NTupleNetwork
from tdl.network.stages import Stages
from tdl.network.tuples import TupleSet
from tdl.training.trainer import Trainer


@pytest.mark.parametrize(
    ("engine", "name", "number"),
    [("bits", "entered_counts", -1), ("array", "entered_counts", -1), ("array", "entered", 2**64 - 1),
     ("bits", "entered_counts", 2**63 - 1), ("bits", "entered", 0x1111111111111111)],
)  # fmt: skip
def test_boards_that_kernels_would_trust_are_checked(engine, name, number):
    """A negative count, as the largest has next, is an index before the boards; a tile beyond the game's is one beyond
    its tables; a board without an empty cell has no place for the next tile.
    """
    network = NTupleNetwork(Rules(), TupleSet(((0, 1, 2, 3), (4, 5))), stages=Stages((16, 64)))
    trainer = Trainer(network, start="carousel", engine=engine)
    trainer.train(20)
    check_entered(trainer.state, network.rules, engine)
    array = np.array(trainer.state[name])
    array.reshape(-1)[0] = number
    with pytest.raises(ConfigError, match=f"{name}: "):
        check_entered(trainer.state | {name: array}, network.rules, engine)
