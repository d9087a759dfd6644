"""A line in, a line out: the moves are those of `Player.best`, and a bad line is answered and passed over.

Trusts `read_board`, which has tests of its own, and `Player.values`.
"""

import io
import json

import numpy as np
import pytest
from support.shapes import RULES, each_rules, random_boards, small_tuples

import tdl
from tdl.errors import ConfigError
from tdl.game.board_text import MAX_CHARACTERS
from tdl.game.boards import pack
from tdl.game.rules import ACTION_NAMES
from tdl.players.player import Baseline
from tdl.search.options import SearchOptions
from tdl.sessions.judged_board import answer_text, judged
from tdl.sessions.move_lines import FEW, MoveLines, waiting_lines

NAMES = {**dict(enumerate(ACTION_NAMES)), None: "none"}


def player(rules, target="afterstate"):
    network = tdl.NTupleNetwork(rules, small_tuples(rules)["mixed"])
    network.weights[:] = np.random.default_rng(1).normal(0, 50, len(network.weights))
    return tdl.Player(network, 0.9, target)


def lines_of(boards, rules):
    return [" ".join(str(rules.value(tile)) for tile in board).encode() for board in boards]


def answers(lines, rules=RULES["4x4"], search=None, as_json=False, **reading):
    groups = MoveLines(player(rules), search or SearchOptions(), reading, as_json=as_json).answers(lines)
    return [answer for group in groups for answer in group]


@each_rules
def test_answers_are_the_best_moves(rules):
    boards = random_boards(rules, 4 * FEW)
    expected = [NAMES[player(rules).best(pack(board, rules))] for board in boards]
    assert answers(lines_of(boards, rules), rules) == expected
    assert [answers([line], rules)[0] for line in lines_of(boards, rules)] == expected


@pytest.mark.parametrize("target", ["afterstate", "state"])
@each_rules
def test_values_of_many_boards_are_those_of_each(rules, target):
    agent, boards = player(rules, target), [pack(board, rules) for board in random_boards(rules, 30)]
    np.testing.assert_array_equal(agent.values_of(boards), [agent.values(board) for board in boards])
    assert agent.values_of([]).shape == (0, 4)


def test_a_search_decides_where_it_is_asked_for():
    rules = RULES["3x3"]
    boards = random_boards(rules, 30)
    expected = [NAMES[player(rules).best(pack(board, rules), plies=2)] for board in boards]
    assert answers(lines_of(boards, rules), rules, SearchOptions(2)) == expected
    assert expected != answers(lines_of(boards, rules), rules)


@pytest.mark.parametrize("count", [1, FEW + 1])
def test_a_bad_line_is_answered_and_the_next_is_read(count):
    board, over = b"2 4 8 16/4 0 0 0/0 0 0 0/0 0 0 2", b"2 4 2 4/4 2 4 2/2 4 2 4/4 2 4 2"
    (best,) = answers([board])
    said = answers([board, b"2 4", over, b"", b"\xff\x00"] * count)
    assert said[::5] == [best] * count
    assert said[2::5] == ["none"] * count
    assert all(text.startswith("error board: ") and "\n" not in text for text in said[1::5] + said[3::5] + said[4::5])


def test_as_json_from_exponents_and_the_last_cell_on():
    board, over = random_boards(RULES["4x4"], 1)[0], [1, 2, 1, 2, 2, 1, 2, 1] * 2
    lines = [" ".join(map(str, cells[::-1])).encode() for cells in (board, over, [1, 2])]
    best, none, error = map(json.loads, answers(lines, as_json=True, exponents=True, last_first=True))
    assert [best["best"]] == answers(lines_of([board], RULES["4x4"]))
    assert best["values"][best["best"]] == max(value for value in best["values"].values() if value is not None)
    assert (error.keys(), none["best"]) == ({"error"}, None)


def test_what_each_move_loses():
    answer = judged(np.array([1.0, np.nan, 4.0, 4.0]))
    assert answer["best"] == "down"
    assert answer["values"] == {"up": 1.0, "right": None, "down": 4.0, "left": 4.0}
    assert answer["losses"] == {"up": 3.0, "right": None, "down": 0.0, "left": 0.0}
    assert [line.split() for line in answer_text(answer).splitlines()[:4]] == [
        ["down"], ["value", "loses"], ["up", "1.0", "3.0"], ["right", "illegal"]
    ]  # fmt: skip
    over = judged(np.full(4, np.nan))
    assert (over["best"], answer_text(over)) == (None, "none: the game is over")
    assert set(over["losses"].values()) == {None}


def test_lines_that_wait_are_read_together():
    class Slow(io.BytesIO):
        chunks = iter([b"a\nb\nc", b"d\n", b"\n" + b"x" * (MAX_CHARACTERS + 9), b"y\nz", b""])

        def read1(self, size):
            return next(self.chunks)

    groups = list(waiting_lines(Slow()))
    assert [[line[:5] for line in lines] for lines in groups] == [[b"a", b"b"], [b"cd"], [b""], [b"xxxxx"], [b"z"]]
    assert len(groups[3][0]) > MAX_CHARACTERS


def test_an_agent_without_values_is_refused():
    with pytest.raises(ConfigError, match="no values of moves"):
        MoveLines(Baseline(tdl.Rules(), "random"), SearchOptions(), {})
