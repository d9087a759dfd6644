"""What the game is: lines and boards of 2048 worked out by hand, and the messages of `Rules`.

Trusts nothing but the drawings: the plain-Python game must agree with them, and is then the twin of the kernels.
"""

import json

import pytest
from shapes import RULES, drawn, each_rules

from tdl.errors import ConfigError
from tdl.game.reference import move, slide
from tdl.game.rules import DOWN, DRAW_ONE, DROP, LEFT, RIGHT, UP, Rules

LINES = [
    # line          slid to the left   reward
    (". . . .", ". . . .", 0),
    (". . . 2", "2 . . .", 0),
    ("2 4 2 4", "2 4 2 4", 0),
    ("2 . . 2", "4 . . .", 4),
    ("2 2 2 .", "4 2 . .", 4),  # merging starts at the wall
    ("2 2 2 2", "4 4 . .", 8),  # twice in one line
    ("2 2 4 .", "4 4 . .", 4),  # a merged tile does not merge again
    ("4 2 2 .", "4 4 . .", 4),
    ("2 2 4 4", "4 8 . .", 12),
    ("2 4 . 4", "2 8 . .", 8),
    ("4 2 . 4", "4 2 4 .", 0),  # what lies between two equal tiles keeps them apart
    ("1024 1024 . 2", "2048 2 . .", 2048),
    ("16384 16384 32768 .", "32768 32768 . .", 32768),
    ("32768 32768 . .", "32768 . . .", 65536),  # the largest tile a cell can hold: one of it, the reward of two
    ("32768 32768 32768 32768", "32768 32768 . .", 131072),
]


@pytest.mark.parametrize(("line", "slid", "reward"), LINES, ids=[line for line, _, _ in LINES])
def test_line(line, slid, reward):
    rules = Rules()
    assert slide(drawn(line, rules), rules) == (drawn(slid, rules), reward)


BOARD = """
    2 2 2 .
    . . 4 .
    2 8 4 .
    2 8 . .
"""


@pytest.mark.parametrize(
    ("action", "after", "reward"),
    [
        (LEFT, "4 2 . . / 4 . . . / 2 8 4 . / 2 8 . .", 4),
        (RIGHT, ". . 2 4 / . . . 4 / . 2 8 4 / . . 2 8", 4),
        (UP, "4 2 2 . / 2 16 8 . / . . . . / . . . .", 4 + 16 + 8),
        (DOWN, ". . . . / . . . . / 2 2 2 . / 4 16 8 .", 4 + 16 + 8),
    ],
    ids=["left", "right", "up", "down"],
)
def test_move(action, after, reward):
    rules = Rules()
    assert move(drawn(BOARD, rules), action, rules) == (drawn(after, rules), reward)


@pytest.mark.parametrize(
    ("action", "after"),
    [
        (UP, "4 4 8 / . . ."),
        (DOWN, ". . . / 4 4 8"),
        (LEFT, "4 4 . / 2 4 ."),
        (RIGHT, None),
    ],
    ids=["up", "down", "left", "right"],
)
def test_move_of_a_rectangle(action, after):
    rules = Rules(rows=2, cols=3)
    #  .  4  4        the lines of up and down have two cells, those of left and right three
    #  4  .  4
    board = {
        UP: ". 4 4 / 4 . 4",
        DOWN: ". 4 4 / 4 . 4",
        LEFT: "2 2 4 / 2 . 4",
        RIGHT: ". 2 4 / . . 8",
    }[action]
    outcome = move(drawn(board, rules), action, rules)
    assert (outcome and outcome[0]) == (after and drawn(after, rules))


@pytest.mark.parametrize("name", ["2x2", "4x4"])
def test_a_move_that_changes_nothing_is_illegal(name):
    rules = RULES[name]
    # one 2 in the corner, here of the 2x2 board:
    #  2  .
    #  .  .
    board = [1] + [0] * (rules.cells - 1)
    assert [move(board, action, rules) is None for action in (UP, LEFT, RIGHT, DOWN)] == [True, True, False, False]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"game": "pow3"}, r"game: 'pow3' is not allowed; expected one of .*; did you mean 'pow2'\?"),
        ({"game": "chess"}, r"game: 'chess' is not allowed; expected one of \['pow2'.*\]$"),
        ({"rows": 1}, "board rows: 1 is not allowed; expected 2 to 5"),
        ({"cols": 6}, "board cols: 6 is not allowed; expected 2 to 5"),
        ({"rows": 5, "cols": 5}, "board: '5x5' is not allowed; expected lines of at most 20 bits"),
        ({"drop": ()}, r"tiles.drop: \[\] is not allowed; expected at least one pair"),
        ({"drop": (1, 0.5)}, r"tiles.drop: 1 is not allowed; expected pairs \[tile index, probability\]"),
        ({"drop": ((1, 0.5, 2), (2, 0.5))}, r"tiles.drop: \(1, 0.5, 2\) is not allowed; expected pairs"),
        ({"drop": ((1, 0.5), (2, 0.4))}, "tiles.drop: the probabilities sum to 0.9; expected a sum of 1"),
        ({"drop": ((1, 0.5), (2, 0.6))}, "tiles.drop: the probabilities sum to 1.1; expected a sum of 1"),
        ({"drop": ((1, 1.5),)}, "tiles.drop: 1.5 is not allowed; expected probabilities above 0 and at most 1"),
        ({"drop": ((1, 1.0), (2, 0.0))}, "tiles.drop: 0.0 is not allowed; expected probabilities above 0"),
        ({"drop": ((1, 1.5), (2, -0.5))}, "tiles.drop: 1.5 is not allowed; expected probabilities above 0"),
        ({"drop": ((1, float("nan")),)}, "tiles.drop: nan is not allowed; expected probabilities"),
        ({"drop": ((1, True),)}, "tiles.drop: True is not allowed; expected probabilities"),
        ({"drop": ((1, "1"),)}, "tiles.drop: '1' is not allowed; expected probabilities"),
        ({"drop": ((0, 1.0),)}, "tiles.drop: 0 is not allowed; expected a tile index from 1 to 15"),
        ({"drop": ((16, 1.0),)}, "tiles.drop: 16 is not allowed; expected a tile index from 1 to 15"),
        ({"drop": ((True, 1.0),)}, "tiles.drop: True is not allowed; expected a tile index from 1 to 15"),
        ({"drop": ((1, 0.5), (1, 0.5))}, "tiles.drop: .* is not allowed; expected each tile index once"),
        ({"start": ()}, r"tiles.start: \[\] is not allowed; expected between 1 and 15 tiles"),
        ({"rows": 2, "cols": 2, "start": (1, 1, 1, 1)}, "tiles.start: .* expected between 1 and 3 tiles"),
        ({"start": (1, 16)}, "tiles.start: 16 is not allowed; expected a tile index from 1 to 15"),
        ({"start": ("random",)}, "tiles.start: 'random' is not allowed; expected a tile index from 1 to 15"),
    ],
)
def test_wrong_rules(wrong, message):
    with pytest.raises(ConfigError, match=message):
        Rules(**wrong)


@each_rules
def test_description_round_trip(rules):
    assert Rules.from_dict(json.loads(json.dumps(rules.to_dict()))) == rules


def test_another_version_is_refused():
    data = Rules().to_dict()
    data["version"] += 1
    with pytest.raises(ConfigError, match="rules version: 2 is not allowed; expected 1 for game pow2"):
        Rules.from_dict(data)


@pytest.mark.parametrize(
    ("drop", "thresholds"),
    [
        (((1, 1.0),), ((1, 2**32),)),
        (((1, 0.5), (2, 0.5)), ((1, 2**31), (2, 2**32))),
        (((1, 0.75), (3, 0.25)), ((1, 3 * 2**30), (3, 2**32))),
        (((1, 0.9), (2, 0.1)), ((1, 3865470566), (2, 2**32))),  # .9 * 2^32 = 3865470566.4
        (((2, 0.25), (1, 0.25), (3, 0.5)), ((2, 2**30), (1, 2**31), (3, 2**32))),  # sums, in the given order
        (((1, 0.7), (2, 0.2), (3, 0.1)), ((1, 3006477107), (2, 3865470566), (3, DRAW_ONE))),
    ],
)
def test_thresholds(drop, thresholds):
    assert Rules(drop=drop).thresholds == thresholds


def test_tiles_of_a_board():
    assert Rules(rows=2, cols=2).tiles == tuple(2**i for i in range(1, 16))
    assert Rules(start=(DROP, 3)).start == (DROP, 3)
