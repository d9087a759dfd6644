"""Every notation of a board gives the same int, and what is none is refused with the reason.

Trusts `pack`, which the tests of the engine check.
"""

import contextlib
import json
import unittest.mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.shapes import each_rules, few, random_boards

import tdl
import tdl.gym
from tdl.errors import ConfigError
from tdl.game import boards
from tdl.game.boards import grid, pack, read_board
from tdl.sessions import pictures

RULES = tdl.Rules()


def notations(rows, rules):
    """The texts of a board, by name."""
    cells = [value for row in rows for value in row]
    words = [[str(value) for value in row] for row in rows]
    saved = [
        [{"position": {"x": x, "y": y}, "value": row[x]} if row[x] else None for y, row in enumerate(rows)]
        for x in range(rules.cols)
    ]
    state = {"grid": {"size": len(rows), "cells": saved}, "score": 0, "over": False}
    indices = [rules.index_of[value] for value in cells]
    texts = {
        "ours": tdl.Engine(rules).show(rows),
        "all numbers": " ".join(map(str, cells)),
        "CSV": ",".join(map(str, cells)),
        "CSV with spaces": ", ".join(map(str, cells)),
        "a number a line": "\n".join(map(str, cells)),
        "rows by lines": "\n".join(map(" ".join, words)),
        "rows by lines of Windows": "\r\n".join(map("\t".join, words)) + "\r\n",
        "rows by slashes": "/".join(map(" ".join, words)),
        "rows by slashes, with commas": " / ".join(map(",".join, words)),
        "rows by commas": ", ".join(map(" ".join, words)),
        "rows of CSV": "\n".join(map(",".join, words)),
        "Python": str(rows),
        "NumPy": repr(np.array(rows)),
        "NumPy's text": str(np.array(rows)),
        "JSON": json.dumps(rows, separators=(",", ":")),
        "JSON with null": json.dumps([[value or None for value in row] for row in rows], indent=1),
        "a move": json.dumps({"move": 3, "board": rows, "action": "up"}),
        "the start of a game and a move": json.dumps({"start": []}) + "\n" + json.dumps({"board": rows}),
        "saved state": json.dumps(state),
        "the browser's storage": json.dumps({"gameState": json.dumps(state), "bestScore": "0"}),
        "a byte order mark": "\ufeff" + "\r\n".join(map(" ".join, words)),
        "a drawn table": "+----+\n" + "\n".join(f"| {' | '.join(row)} |" for row in words) + "\n+----+",
    }
    texts |= without_zeros([[word if word != "0" else "" for word in row] for row in words])
    if max(indices) < 16:
        digits = "".join(f"{index:x}" for index in indices)
        lines = [digits[first : first + rules.cols] for first in range(0, rules.cells, rules.cols)]
        texts |= {"digits": digits, "0x": f"0x{digits.upper()}", "rows of digits": "\n".join(lines)}
    return texts


def without_zeros(words):
    """The texts of a board whose empty cells have nothing, by name; and what other programs print."""
    bordered = [f"| {' | '.join(row)} |" for row in words]
    bar = "\n├" + "┼".join("─" * 4 for _ in words[0]) + "┤\n"
    zeros = [[word or "0" for word in row] for row in words]
    return {
        "a spreadsheet": "\n".join(map("\t".join, words)),
        "CSV without zeros": "\n".join(map(",".join, words)),
        "CSV of semicolons": "\n".join(map(";".join, words)),
        "CSV that ends with commas": "\n".join(",".join(row) + "," for row in zeros),
        "Markdown": "\n".join([bordered[0], "|:---" * len(words[0]) + "|", *bordered[1:]]),
        "a box": bar.join("│" + "│".join(word.center(4) for word in row) + "│" for row in words),
        "tall cells": "\n".join(f"{'|   ' * len(row)}|\n|{'|'.join(row)}|\n+----+" for row in zeros),
        "texts in a list": str(words),
        "floats": str(np.array(zeros, float)),
        "a typed array": f"np.{np.array(zeros, np.int32)!r}",
        "numbers of NumPy": "["
        + ", ".join(f"[{', '.join(f'np.int64({word})' for word in row)}]" for row in zeros)
        + "]",
        "C": f"int a[] = {[list(map(int, row)) for row in zeros]};".replace("[[", "{{").replace("]]", "}}"),
        "pandas": pd.DataFrame(zeros).to_string(),
        "MATLAB": f"[{'; '.join(map(' '.join, zeros))}]",
        "YAML": "\n".join(f"- [{', '.join(row)}]" for row in zeros),
        "LaTeX": " \\\\\n".join(map(" & ".join, words)),
        "beside a score": "Score: 12\n" + "\n".join(map(" ".join, zeros)),
        "read aloud": "board "
        + "; ".join(f"row {i}: {', '.join(word or 'empty' for word in row)}" for i, row in enumerate(words)),
        "a text in JSON": json.dumps({"board": "/".join(map(" ".join, zeros))}),
    }


@pytest.fixture(params=[True, False], ids=["quickly", "slowly"])
def either_way(request, monkeypatch):
    """Reads with the quick way, and without it."""
    if not request.param:
        monkeypatch.setattr(boards, "_quickly", lambda *_: None)


@each_rules
@pytest.mark.usefixtures("either_way")
def test_every_notation_gives_the_same_board(rules):
    for board in random_boards(rules, 10):
        rows = np.array([rules.value(tile) for tile in board]).reshape(rules.rows, rules.cols).tolist()
        for name, text in notations(rows, rules).items():
            assert read_board(text, rules) == pack(board, rules), name


@each_rules
@pytest.mark.usefixtures("either_way")
def test_exponents_and_the_other_order(rules):
    for board in random_boards(rules, 10):
        packed, backwards = pack(board, rules), " ".join(map(str, board[::-1]))
        assert read_board(" ".join(map(str, board)), rules, exponents=True) == packed
        assert read_board(backwards, rules, exponents=True, last_first=True) == packed
        if rules.bits == 4:
            assert read_board(hex(packed), rules, last_first=True) == packed


def test_what_this_program_prints_is_read():
    rows = [[2, 4, 0, 8], [16, 0, 2048, 0], [0, 0, 32, 2], [1024, 2, 0, 4]]
    env = tdl.gym.GameEnv(render_mode="ansi")
    env.reset(seed=1)
    assert read_board(env.render(), RULES) == read_board(env.unwrapped._boards.grids[0], RULES, exponents=True)
    assert read_board(pictures.text(rows, colour=False), RULES) == read_board(rows, RULES)
    assert grid(pictures.text(rows, colour=False)).tolist() == rows


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("2,4\n8,", [[2, 4], [8, 0]]),
        ("2,4,\n0,8,", [[2, 4], [0, 8]]),
        ("2,,4\n8,,2", [[2, 0, 4], [8, 0, 2]]),
        (",2,4\n,8,", [[0, 2, 4], [0, 8, 0]]),
        ("[[2,,8],[4,2,2],[2,2,8]]", [[2, 0, 8], [4, 2, 2], [2, 2, 8]]),
        ("0 0\n0 0", [[0, 0], [0, 0]]),
        ("  0 1\n0 2 4\n1 8 2", [[2, 4], [8, 2]]),
        (",2048,,", [[0, 2048], [0, 0]]),
        (" & 2 & \\\\\n & 4 & 8\\\\\n & & ", [[0, 2, 0], [0, 4, 8], [0, 0, 0]]),
    ],
)
def test_where_a_cell_without_a_sign_stands(text, rows):
    assert grid(text).tolist() == rows
    assert read_board(text, tdl.Rules(rows=len(rows), cols=len(rows[0]))) == read_board(
        rows, tdl.Rules(rows=len(rows), cols=len(rows[0]))
    )


def test_cells_of_lists_that_are_nothing():
    rows, values = [[2, None, float("nan"), 8.0]] * 4, [[2, 0, 0, 8]] * 4
    for board in (rows, {"board": rows}, rows[0] * 4, pd.DataFrame(rows)):
        assert read_board(board, RULES) == read_board(values, RULES)
    assert grid({"board": rows}).tolist() == grid(np.array(rows, float)).tolist() == values


def test_boards_that_have_themselves_are_refused():
    rows, content = [], {}
    rows.extend([rows] * 16)
    content["board"] = content
    for board in (rows, [rows], content):
        with pytest.raises(ConfigError, match="board"):
            read_board(board, RULES)
        with pytest.raises(ConfigError, match="board"):
            grid(board)


PARTS = st.sampled_from([*'2401.a,/[](){};:+|-_x"', "16", "[[", "]]", "],", "0x", "null", " ", "\n", "\t"])


@few
@given(st.lists(PARTS, max_size=14).map("".join) | st.lists(PARTS, max_size=10).map(" ".join) | st.text(max_size=30))
def test_any_text_is_a_board_or_refused_and_the_quick_way_reads_the_same(text):
    rules = tdl.Rules(rows=2, cols=2)
    packed = boards._quickly(text, rules, False, False)
    with contextlib.suppress(ConfigError):
        grid(text)
    board = None
    with unittest.mock.patch.object(boards, "_quickly", return_value=None), contextlib.suppress(ConfigError):
        board = read_board(text, rules)
    assert packed in (None, board)


def test_signs_of_an_empty_cell():
    assert {read_board(f"{sign} 2 {sign} 4/8 2 4 8/{'2 ' * 4}/{'4 ' * 4}", RULES) for sign in "0.-_·"} == {
        read_board([[0, 2, 0, 4], [8, 2, 4, 8], [2] * 4, [4] * 4], RULES)
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "board: '' is not allowed; expected numbers in reading order"),
        ("board", "board: 'board' is not allowed; expected 16 cells in 4 rows of 4: numbers in reading order"),
        ("2 4 0", "board: 3 cells; expected 16 cells in 4 rows of 4"),
        ("2 4 0/" + "2 4 0 0/" * 3, "board row 1: [2, 4, 0] is not allowed; expected 4 cells"),
        ("2 4 0 0/" * 3, "board: 3 rows; expected 16 cells in 4 rows of 4"),
        ("2 4 0, 0 2 4 8 0, 2 2 2 2, 4 4 4 4", "board row 1: [2, 4, 0] is not allowed; expected 4 cells"),
        ("2 " * 15 + "3", "board cell 15 (row 4, column 4): 3 is not allowed; expected a tile of the game: 0, 2"),
        ("2 " * 15 + "x", "board cell 15 (row 4, column 4): 'x' is not allowed"),
        ("65536 " * 16, "board cell 0 (row 1, column 1): 65536 is not allowed; expected a tile of the game: 0, 2, 4"),
        ("1_6 " * 16, "board cell 0 (row 1, column 1): '1_6' is not allowed"),
        ("2 4  8\n" * 4, "board row 1: [2, 4, 8] is not allowed; expected 4 cells"),
        ("2 4 8 1,024\n" * 4, "board row 1: [2, 4, 8, 1, 24] is not allowed; expected 4 cells"),
        ("2.5 " * 16, "board cell 0 (row 1, column 1): '2.5' is not allowed"),
        ("-2 " * 16, "board cell 0 (row 1, column 1): -2 is not allowed"),
        ("9" * 5000, "board: '999"),
        ("[" * 30_000, "board: '[[["),
        ("2 " * 60_000, "board: 120,000 characters; expected at most 100,000"),
        ("{", "board: '{' is not allowed; expected JSON"),
        ('{"a":' * 10_000, "board: '{"),
        ("{}", "board: {} is not allowed; expected JSON with a board"),
        ('{"gameState": 3}', "board: {'gameState': 3} is not allowed; expected JSON with a board"),
        ('{"grid": {"cells": [[2], [2, 4]]}}', "board: {'grid'"),
        ('{"board": [[[2]]]}', "board: [2] is not allowed; expected 16 cells"),
        ("+----+", "board: '+----+' is not allowed"),
    ],
    ids=lambda text: text[:20],
)  # fmt: skip
def test_what_is_no_board_is_refused_with_the_reason(text, message):
    with pytest.raises(ConfigError) as caught:
        read_board(text, RULES)
    assert str(caught.value).startswith(message)


def test_exponents_beyond_the_game():
    with pytest.raises(ConfigError, match=r"board cell 0 \(row 1, column 1\): 16 is .*tile index\) from 0 to 15"):
        read_board("16 " * 16, RULES, exponents=True)


@pytest.mark.parametrize("text", ["2 4/0 8", "2 4 0 8", "[[2,4],[0,8]]", "2 4\n. 8", "1203", "12/03"])
def test_a_text_without_rules(text):
    assert grid(text).tolist() == [[2, 4], [0, 8]]


@pytest.mark.parametrize("text", ["", "2 x", "[[2.5,4],[0,8]]", "[[2,4],[0]]", "[" * 30_000])
def test_a_text_that_is_no_grid(text):
    with pytest.raises(ConfigError, match="board"):
        grid(text)
