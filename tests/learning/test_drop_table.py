"""The table that gives the expectation of V over all drops, against the definition: every successor evaluated."""

import numpy as np
import pytest
from support.shapes import RULES, random_boards, small_tuples

import tdl
from tdl.game.boards import pack
from tdl.game.rules import Rules
from tdl.learning.state import DROP_TABLE, drop_table_of

LAWS = {
    "2048": RULES["3x3"],
    "4x4": Rules(),
    "1 and 3": Rules(rows=3, cols=3, drop=((1, 0.75), (3, 0.25))),
    "one tile": Rules(rows=2, cols=3, drop=((1, 1.0),)),
}
SETS = ("mixed", "unshared", "one image", "radix 4")


def by_definition(network, board):
    """Mean of V over all drops."""
    rules = network.rules
    empty = [cell for cell in range(rules.cells) if not board >> 4 * cell & 15]
    values = [share * network.value(board | tile << 4 * cell) for cell in empty for tile, share in rules.drop]
    return sum(values) / len(empty)


def by_the_table(network, spread, board):
    empty = sum(not board >> 4 * cell & 15 for cell in range(network.rules.cells))
    return network.value(board) + spread[network.entries(board)].sum() / empty


def some_boards(rules):
    """Boards with an empty cell and small tiles."""
    for tiles in random_boards(rules, 30):
        tiles = [tile % 5 for tile in tiles]
        if 0 in tiles:
            yield pack(tiles, rules)


@pytest.mark.parametrize("rules", LAWS.values(), ids=LAWS)
@pytest.mark.parametrize("name", SETS)
def test_computed_from_the_weights(rules, name):
    network = tdl.NTupleNetwork(rules, small_tuples(rules)[name])
    network.weights[:] = np.random.default_rng(1).normal(0, 100, len(network.weights))
    spread = drop_table_of(network)
    assert spread.any()
    for board in some_boards(rules):
        assert by_the_table(network, spread, board) == pytest.approx(by_definition(network, board), rel=1e-4, abs=0.01)


@pytest.mark.parametrize("rules", LAWS.values(), ids=LAWS)
@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("step", ["fixed", "coherent"])
def test_kept_right_while_learning(rules, name, step):
    network = tdl.NTupleNetwork(rules, small_tuples(rules)[name])
    trainer = tdl.Trainer(network, alpha=0.1, step=step, target="state")
    assert not trainer.state[DROP_TABLE].any()
    trainer.train(300)
    largest = float(np.abs(network.weights).max())
    assert np.allclose(trainer.state[DROP_TABLE], drop_table_of(network), rtol=0, atol=1e-3 * largest)
    for board in some_boards(rules):
        found = by_the_table(network, trainer.state[DROP_TABLE], board)
        assert found == pytest.approx(by_definition(network, board), rel=1e-3, abs=1e-2 * largest)
