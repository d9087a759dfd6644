"""Whole games, kept as text: one line per move (board, action, reward), then the last board and the score.

Trusts the files in data/, written by this program when the engine agreed with the plain-Python game. They change only
when rules, streams or the packing of boards change, and then so do all recorded results. `python tests/test_golden.py`
writes them again.
"""

from pathlib import Path

import pytest
from shapes import RULES, engine

from tdl.game.engine import Stream
from tdl.game.reference import EVALUATION
from tdl.game.rules import DOWN, LEFT, RIGHT, UP

DATA = Path(__file__).parent / "data"
GAMES = {"golden_pow2_4x4.txt": (RULES["4x4"], 2048), "golden_pow2_2x3.txt": (RULES["2x3"], 2048)}


def game(rules, seed):
    """One game of a player that takes the first legal action of left, up, right, down."""
    stream = Stream(seed, EVALUATION, 0)
    board, score, lines = engine(rules).start(stream), 0, []
    digits = rules.cells * rules.bits // 4
    while legal := engine(rules).legal(board):
        action = next(action for action in (LEFT, UP, RIGHT, DOWN) if action in legal)
        after, reward = engine(rules).move(board, action)
        lines.append(f"{board:0{digits}x} {action} {reward}")
        score += reward
        board = engine(rules).place(after, stream)
    return "\n".join([*lines, f"{board:0{digits}x} end {score}", ""])


@pytest.mark.parametrize("name", GAMES)
def test_golden_game(name):
    assert game(*GAMES[name]).encode() == (DATA / name).read_bytes()


if __name__ == "__main__":
    for name, each in GAMES.items():
        (DATA / name).write_bytes(game(*each).encode())
