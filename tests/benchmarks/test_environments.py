"""The benchmark of the environments measures in turn, and its plain game is 2048."""

import json

import numpy as np
import pytest

from tdl.bench import main
from tdl.benchmarks.environments import PlainGame
from tdl.game.engine import Engine


def test_gym_takes_turns_and_gives_the_ratios(capsys):
    words = ["gym", "--boards", "8", "--seconds", "0.001", "--rounds", "2"]
    main([*words, "--public", "CartPole-v1", "--json"])
    figures = json.loads(capsys.readouterr().out)
    speeds = figures["steps_per_second"]
    assert list(speeds) == ["batch", "vector", "single", "rendered", "plain", "CartPole-v1"]
    assert all(len(each) == 2 for each in speeds.values())
    ratios = [ours / theirs for ours, theirs in zip(speeds["vector"], speeds["plain"], strict=True)]
    part = figures["ratios"]["vector/plain"]
    assert (part["ratio_min"], part["ratio_max"]) == pytest.approx((min(ratios), max(ratios)), rel=1e-2)
    main(words)
    assert "single/plain: " in capsys.readouterr().out


def test_the_plain_game_is_2048():
    """Its board after each move and its rewards, against the engine; drops are its own."""
    game, engine, actions = PlainGame(), Engine(), np.random.default_rng(2)
    for seed in range(3):
        (board, _), over = game.reset(seed), False
        assert sorted(board.ravel().tolist())[13] == 0 < board.ravel().max()
        while not over:
            action = int(actions.integers(4))
            legal = engine.legal(board)
            after = engine.array(engine.move(board, action)[0]) if action in legal else board
            gained = engine.move(board, action)[1] if action in legal else 0
            board, reward, over, cut, _ = game.step(action)
            dropped = board - after
            assert (reward, cut) == (gained, False)
            assert dropped[dropped != 0].tolist() in ([[2], [4]] if action in legal else [[]])
            assert over == engine.terminal(board)
