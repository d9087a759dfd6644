"""Players by a fixed order of the actions, and the order that games were played by."""

import numpy as np
import pytest

from tdl.agents.batch_moves import moves_of_boards
from tdl.agents.batch_play import play_games
from tdl.game.engine import Engine
from tdl.game.rules import Rules


@pytest.fixture
def orders(monkeypatch):
    monkeypatch.syspath_prepend("")
    from experiments.tools import orders

    return orders


def test_the_first_legal_action_of_the_order(orders):
    engine = Engine(Rules())
    board = engine.board([[2, 0, 0, 0], [4, 0, 0, 0], [8, 0, 0, 0], [16, 0, 0, 0]])  # right alone is legal
    corner = engine.board([[2, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]])  # right and down are
    moves = moves_of_boards(engine, [board, corner])
    for order, expected in {(0, 1, 2, 3): [1, 1], (2, 1, 0, 3): [1, 2], (0, 3, 2, 1): [1, 2]}.items():
        player = orders.FixedOrder(engine.rules, order)
        assert player.select_actions(moves).tolist() == expected
        assert np.nanargmax(player.values(corner)) == expected[1]


def test_the_order_of_games_is_found(orders):
    rules = Rules()
    scores = {order: play_games(player, 20, 3)["score"] for order, player in orders.players(rules).items()}
    assert len(scores) == 24
    assert orders.same_games(scores, scores["left down up right"]) == ("left down up right", 1.0)
    other = scores["left down up right"].copy()
    other[:5] += 2
    assert orders.same_games(scores, other)[1] == 0.75


def test_a_row_for_each_order_with_its_intervals(orders):
    table = orders.summary(
        {"a": np.array([4, 8]), "b": np.array([10, 30])}, {"a": np.array([1, 3]), "b": np.array([5, 5])}
    )
    assert table["order"].tolist() == ["b", "a"]
    assert table[["mean", "ahead"]].to_numpy().tolist() == [[20, 5], [6, 2]]
    assert (table["mean_low"] < table["mean"]).all()
