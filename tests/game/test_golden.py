"""Whole games, kept as text: one line per move (board, action, reward), then the last board and the score.

Trusts the files in data/, written by this program when the engine agreed with the plain-Python game. They change only
when rules, streams or the packing of boards change, and then so do all recorded results. `python tests/test_golden.py`
writes them again.
"""

from pathlib import Path

import pytest
from support.shapes import P75_25, RULES, each_engine, engine

from tdl.game.engine import EVALUATION, Stream
from tdl.game.rules import DOWN, LEFT, RIGHT, UP, Rules

DATA = Path(__file__).parents[1] / "data"
GAMES = {
    "golden_2048_4x4.txt": (RULES["4x4"], 2048),
    "golden_2048_2x3.txt": (RULES["2x3"], 2048),
    "golden_2584_4x4.txt": (Rules("2584"), 2595),
    "golden_2584_3x4.txt": (Rules("2584", 3, 4, drop=P75_25), 2584),
    "golden_threes_law_4x4.txt": (RULES["threes_law-4x4"], 6144),
}


def game(rules, seed, kind="bits"):
    """One game of a player that takes the first legal action of left, up, right, down."""
    stream = Stream(seed, EVALUATION, 0)
    plays = engine(rules, kind)
    board, score, lines = plays.start(stream), 0, []
    digits = -(-rules.cells * rules.bits // 4)
    while legal := plays.legal(board):
        action = next(action for action in (LEFT, UP, RIGHT, DOWN) if action in legal)
        after, reward = plays.move(board, action)
        lines.append(f"{board:0{digits}x} {action} {reward}")
        score += reward
        board = plays.place(after, stream)
    return "\n".join([*lines, f"{board:0{digits}x} end {score}", ""])


@each_engine
@pytest.mark.parametrize("name", GAMES)
def test_golden_game(name, kind):
    assert game(*GAMES[name], kind).encode() == (DATA / name).read_bytes()


if __name__ == "__main__":
    for name, each in GAMES.items():
        (DATA / name).write_bytes(game(*each).encode())
