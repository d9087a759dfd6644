"""What the games are: lines and boards worked out by hand, and the messages of `Rules`.

Trusts nothing but the drawings: the plain-Python game must agree with them, and is then the reference of the kernels.
"""

import json

import numpy as np
import pytest
from support.shapes import RULES, drawn, each_rules, engine

from tdl.errors import ConfigError
from tdl.game.batch import Batch
from tdl.game.boards import lines, pack
from tdl.game.engine import ENGINES, Engine
from tdl.game.game_reference import move, slide
from tdl.game.lines import LineTables
from tdl.game.rules import DOWN, DRAW_ONE, GAMES, LEFT, RIGHT, UP, Rules, parse_size
from tdl.network.ntuple import NTupleNetwork
from tdl.players.baselines import play_random

LINES_OF_2048 = [
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


LINES_OF_2584 = [
    (". 2 2 3", "2 5 . .", 5),
    ("1 1 . .", "2 . . .", 2),
    ("2 2 . .", "2 2 . .", 0),  # of equal tiles only the 1s merge
    ("1 3 . .", "1 3 . .", 0),
    ("3 2 . .", "5 . . .", 5),
    ("1 1 1 1", "2 2 . .", 4),
    ("1 1 2 .", "2 2 . .", 2),  # a merged tile does not merge again
    ("1 2 3 .", "3 3 . .", 3),  # the line below, seen from its other end: the reward depends on the direction
    ("3 2 1 .", "5 1 . .", 5),
    ("3 . 5 8", "8 8 . .", 8),
    ("987 1597 . .", "2584 . . .", 2584),
    ("1346269 2178309 . .", "2178309 . . .", 3524578),  # index 31 fills a cell, the reward is that of index 32
    ("2178309 2178309 . .", "2178309 2178309 . .", 0),
]

LINES_OF_THREES = [
    ("1 2 . .", "3 . . .", 3),
    ("2 1 . .", "3 . . .", 3),
    ("1 1 . .", "1 1 . .", 0),
    ("2 2 . .", "2 2 . .", 0),
    ("3 3 . .", "6 . . .", 6),
    ("6 3 . .", "6 3 . .", 0),
    ("1 3 . .", "1 3 . .", 0),
    ("1 2 1 2", "3 3 . .", 6),
    ("1 2 2 1", "3 3 . .", 6),
    ("1 2 3 .", "3 3 . .", 3),  # a merged tile does not merge again
    ("3 3 3 3", "6 6 . .", 12),
    ("12288 12288 . 1", "12288 1 . .", 24576),
]

LONG_LINES = [
    # of five cells: on 5x5 they are computed, not tabulated
    ("2048", "2 2 2 2 2", "4 4 2 . .", 8),
    ("2048", "67108864 67108864 . . 2", "67108864 2 . . .", 134217728),  # 2^26 is the largest, though a cell has room
    ("2584", "2 1 2 3 3", "3 5 3 . .", 8),
    ("threes_law", "2 . 1 3 3", "3 6 . . .", 9),
]

SHORT_LINES = [
    (game, *line)
    for game, lines in (("2048", LINES_OF_2048), ("2584", LINES_OF_2584), ("threes_law", LINES_OF_THREES))
    for line in lines
]


@pytest.mark.parametrize(
    ("game", "line", "slid", "reward"), SHORT_LINES + LONG_LINES, ids=lambda given: str(given).replace(" ", "-")
)
def test_line(game, line, slid, reward):
    rules = Rules(game, len(line.split()), len(line.split()))
    assert slide(drawn(line, rules), rules) == (drawn(slid, rules), reward)
    #  the same line in each direction of a whole board, by the reference and by both kinds of compiled boards
    for action in (LEFT, RIGHT, UP, DOWN):
        before, after = (pack(board_of(drawn(each, rules), action, rules), rules) for each in (line, slid))
        for kind in ENGINES:
            expected = [] if before == after else [(after, reward)]
            found = engine(rules, kind).afterstates(before)
            assert [each[1:] for each in found if each[0] == action] == expected


def board_of(line, action, rules):
    """A board with this one line, at the second line of those that the action moves."""
    board = [0] * rules.cells
    for cell, tile in zip(lines(action, rules)[1], line, strict=True):
        board[cell] = tile
    return board


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


@each_rules
def test_tiles_add_up_and_the_reward_of_a_move_fits(rules):
    """What two tiles merge into is worth their sum and has a larger index than both; the law is symmetric."""
    for a in range(rules.largest + 1):
        for b in range(rules.largest + 1):
            merged = rules.merge(a, b)
            assert merged == rules.merge(b, a)
            if merged:
                assert rules.value(merged) == rules.value(a) + rules.value(b)
                assert max(a, b) < merged <= rules.largest + 1
    assert list(rules.tiles) == sorted(set(rules.tiles))
    assert rules.cells // 2 * rules.value(rules.largest + 1) < 2**31  # at most so many merges in a move
    assert rules.radix <= rules.largest + 1


@pytest.mark.parametrize(
    ("game", "rows", "cols", "bits", "largest", "radix"),
    [
        ("2048", 4, 4, 4, 15, 16),
        ("2048", 4, 5, 5, 26, 16),
        ("2048", 5, 5, 5, 26, 16),
        ("2584", 2, 2, 5, 31, 18),
        ("2584", 4, 4, 5, 31, 18),
        ("2584", 5, 5, 5, 31, 18),
        ("threes_law", 4, 4, 4, 15, 16),
        ("threes_law", 5, 5, 5, 26, 16),
    ],
)
def test_cells_of_a_board(game, rows, cols, bits, largest, radix):
    rules = Rules(game, rows, cols)
    assert (rules.bits, rules.largest, rules.radix) == (bits, largest, radix)


def test_tile_values():
    assert Rules("2584").tiles[:8] == (1, 2, 3, 5, 8, 13, 21, 34)
    assert [Rules("2584").value(i) for i in (0, 17, 31)] == [0, 2584, 2178309]
    assert Rules("threes_law").tiles[:6] == (1, 2, 3, 6, 12, 24)


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
        ({"game": "chess"}, "game: 'chess' is not allowed; expected one of 2048, 2584, threes_law; a game of your"),
        ({"game": "pow2"}, r"game: 'pow2' is not allowed; expected one of .*; did you mean '2048'\?"),
        ({"rows": 1}, "board rows: 1 is not allowed; expected 2 to 5"),
        ({"drop": ()}, r"tiles.drop: \[\] is not allowed; expected at least one pair"),
        ({"drop": (1, 0.5)}, r"tiles.drop: 1 is not allowed; expected pairs \[tile index, probability\]"),
        ({"drop": ((1, 0.5), (2, 0.4))}, "tiles.drop: the probabilities sum to 0.9; expected a sum of 1"),
        ({"drop": ((1, 1.5),)}, "tiles.drop: 1.5 is not allowed; expected a number above 0 and at most 1"),
        ({"drop": ((1, float("nan")),)}, "tiles.drop: nan is not allowed; expected a number"),
        ({"drop": ((16, 1.0),)}, "index from 1 to 15; did you mean 4, the index of tile 16"),
        ({"game": "2584", "drop": ((34, 1.0),)}, "from 1 to 31; did you mean 8, the index of tile 34"),
        ({"rows": 5, "cols": 5, "drop": ((27, 1.0),)}, "tiles.drop: 27 .* a tile index from 1 to 26$"),
        ({"drop": ((1, 0.5), (1, 0.5))}, "tiles.drop: .* is not allowed; expected each tile index once"),
        ({"start": ()}, r"tiles.start: \[\] is not allowed; expected between 1 and 15 tiles"),
        ({"start": (1, 16)}, "tiles.start: 16 is not allowed; expected a tile index from 1 to 15, or drop; did you"),
        ({"start": ("random",)}, "tiles.start: 'random' is not allowed; expected a tile index from 1 to 15, or drop$"),
    ],
)
def test_wrong_rules(wrong, message):
    with pytest.raises(ConfigError, match=message):
        Rules(**wrong)


@pytest.mark.parametrize(("text", "size"), [("4x4", (4, 4)), ("2x3", (2, 3)), ("5x2", (5, 2)), ("5x5", (5, 5))])
def test_size(text, size):
    assert parse_size(text) == size


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("4X4", "4x4"),
        (44, "4x4"),
        (3, "3x3"),
        ("6x6", "5x5"),
        ("4x16", "4x5"),
        ([2, 3], "2x3"),
        ("big", None),
        (None, None),
        ("5x" + "1" * 40, "5x5"),
    ],
)
def test_wrong_sizes(text, hint):
    with pytest.raises(ConfigError) as raised:
        parse_size(text, "board")
    message = f"board: {text!r} is not allowed; expected ROWSxCOLS from 2x2 to 5x5, as 4x4"
    assert str(raised.value) == message + (f"; did you mean '{hint}'?" if hint else "")


@pytest.mark.parametrize("size", ["5x" + "1" * 5000, 10**5000], ids=["text", "number"])
def test_a_size_of_more_digits_than_python_reads(size):
    with pytest.raises(ConfigError, match=r"size: .* is not allowed; expected ROWSxCOLS from 2x2 to 5x5"):
        parse_size(size)


def test_every_game_has_its_name_and_a_file():
    assert {name: game.name for name, game in GAMES.items()} == {name: name for name in GAMES}
    assert set(GAMES) == {rules.game for rules in RULES.values()}  # the kernel tests run over all of them


@each_rules
def test_description_round_trip(rules):
    assert Rules.from_dict(json.loads(json.dumps(rules.to_dict()))) == rules


def test_rules_of_numpy_are_those_of_python():
    drop = [(np.int64(1), np.float32(0.5)), (2, np.float64(0.5))]
    rules = Rules(rows=np.int64(2), cols=np.int8(3), drop=drop, start=np.array([1, 1]))
    assert rules == Rules(rows=2, cols=3, drop=((1, 0.5), (2, 0.5)), start=(1, 1))
    assert json.dumps(rules.to_dict())


@pytest.mark.parametrize(
    "taker", [Engine, Batch, LineTables, play_random, lambda rules: NTupleNetwork(rules, [[0, 1]])]
)
@pytest.mark.parametrize("wrong", ["4x4", 4, (4, 4), [4, 4], {"rows": 4}], ids=repr)
def test_what_are_no_rules(taker, wrong):
    with pytest.raises(ConfigError, match=r"rules: .* is not allowed; expected Rules, as tdl.Rules\(rows=4, cols=4\)"):
        taker(wrong)


def test_another_version_is_refused():
    data = Rules().to_dict()
    data["version"] += 1
    with pytest.raises(ConfigError, match="rules version: 2 is not allowed; expected 1 for game 2048"):
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


def test_a_game_that_is_a_number_may_be_one():
    assert Rules(2048) == Rules("2048")
    with pytest.raises(ConfigError, match="game: '4096' is not allowed; expected one of 2048, 2584, threes_law"):
        Rules(4096)
