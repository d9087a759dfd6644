"""Players whose values do not depend on the board, and the player that has games."""

import numpy as np
import pandas as pd
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
    moves, players = moves_of_boards(engine, [board, corner]), orders.players(engine.rules)
    expected = {"up right down left": [1, 1], "down right up left": [1, 2], "up left down right": [1, 2]}
    for order, actions in expected.items():
        assert players[order].select_actions(moves).tolist() == actions
        assert np.nanargmax(players[order].values(corner)) == actions[1]


def test_equal_values_play_the_first_legal_action(orders):
    played = {name: play_games(player, 20, 3) for name, player in orders.players(Rules()).items()}
    assert len(played) == 25
    assert (played.pop(orders.ALIKE) == played["up right down left"]).all()
    games = played["left down up right"].copy()
    assert orders.same_games(played, games) == ("left down up right", 1.0)
    games["moves"][:5] += 1
    assert orders.same_games(played, games) == ("left down up right", 0.75)


def test_files_of_two_evaluations(orders, tmp_path, monkeypatch):
    """Of a player of one order, and of one that no order is."""
    rules, runs = Rules(), []
    for number, name in enumerate(("left up right down", "none")):
        games = play_games(orders.players(rules).get(name, orders.Constant(rules, [1.0, 1, 1, 2])), 30, 1)
        games["score"] += name == "none"
        (tmp_path / name).mkdir()
        np.save(tmp_path / name / "evaluation.npy", games)
        runs.append({"run": str(tmp_path / name), "status": "finished", "evaluate.plies": 1, "evaluate.episodes": 30,
                     "seed": 1, "checkpoint": "", "episodes": 2000 * (number + 1)})  # fmt: skip
    monkeypatch.setattr(orders.tdl.results, "runs", lambda _: pd.DataFrame(runs))
    monkeypatch.setattr(orders, "network_seed", lambda _: 7)
    monkeypatch.setattr(orders, "read_result", lambda _: {"rules": rules.to_dict()})
    orders.main("published_dqn", "there", f"into={tmp_path}")
    table, same = pd.read_csv(tmp_path / "orders.csv"), pd.read_csv(tmp_path / "same.csv")
    assert len(table) == 25
    assert table.loc[table["ahead"].notna(), "player"].tolist() == [orders.ALIKE]
    assert (table["mean_low"] < table["mean"]).all()
    assert same["player"].fillna("").tolist() == ["left up right down", ""]
    assert same[["seed", "iterations", "same"]].to_numpy().tolist() == [[7, 100, 1], [7, 200, 0]]
