"""The compiled game against the game in plain Python, on boards of every kind and in whole games.

Trusts `tdl.game.game_reference`, whose lines and boards are checked by hand in test_rules.py.
"""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.shapes import RULES, SHARE, boards, each_engine, each_rules, engine, few, telling_boards

from tdl.errors import ConfigError
from tdl.game import game_reference as reference
from tdl.game.boards import pack, unpack
from tdl.game.engine import ENGINES, Engine, Stream

SEEDS = st.integers(0, 2**64 - 1)


@each_rules
def test_moves(rules):
    for board in telling_boards(rules, 100 // SHARE):
        packed = pack(board, rules)
        expected = []
        for action in reference.legal(board, rules):
            after, reward = reference.move(board, action, rules)
            expected.append((action, pack(after, rules), reward))
        for compiled in (engine(rules, kind) for kind in ENGINES):
            assert compiled.afterstates(packed) == expected
            assert compiled.legal(packed) == [action for action, _, _ in expected]
            assert compiled.terminal(packed) == reference.terminal(board, rules)
            assert compiled.empty(packed) == board.count(0)
            assert compiled.max_tile(packed) == max(rules.value(tile) for tile in board)


@pytest.mark.parametrize("action", [-1, 4, 1.5, "Up", None, True, [1, 2], [[]], np.array([0.5])], ids=repr)
def test_an_unknown_action_is_refused(action):
    with pytest.raises(ConfigError, match=r"action: .* is not allowed; expected 0 \(up\), 1 \(right\), 2"):
        Engine().move(1, action)


@each_engine
@each_rules
@few
@given(data=st.data(), seed=SEEDS)
def test_place(rules, kind, data, seed):
    board = data.draw(boards(rules))
    board[data.draw(st.integers(0, rules.cells - 1))] = 0
    compiled, drops = Stream(seed, 0, 0), reference.Stream(seed, 0, 0)
    packed = pack(board, rules)
    # a given tile first, then drops until the board is full: every empty cell is filled, one after the other
    for tile in (rules.largest, *[0] * (board.count(0) - 1)):
        board = reference.place(board, drops, rules, tile or reference.DROP)
        packed = engine(rules, kind).place(packed, compiled, tile)
        assert unpack(packed, rules) == board
        assert engine(rules, kind).empty(packed) == board.count(0)
    assert 0 not in board
    with pytest.raises(ConfigError, match="expected a board with an empty cell"):
        engine(rules, kind).place(packed, compiled)
    assert compiled.next() == drops.next()  # as many draws, and none for the refused drop


def packed(rules, drops):
    """The boards of drops as ints, with their probabilities."""
    return [(pack(board, rules), share) for board, share in drops]


@each_engine
@each_rules
def test_drops(rules, kind):
    afters = [board for board in telling_boards(rules, 40 // SHARE) if 0 in board]
    expected = [packed(rules, reference.drops(board, rules.drop)) for board in afters]
    boards = [pack(board, rules) for board in afters]
    assert [engine(rules, kind).drops(board) for board in boards] == expected
    assert all(sum(share for _, share in drops) == pytest.approx(1, abs=1e-12) for drops in expected)
    if rules.bits * rules.cells <= 64:
        dropped, shares, number = engine(rules, kind).drops_of(boards)
        assert [*zip(dropped.tolist(), shares.tolist(), strict=True)] == [drop for drops in expected for drop in drops]
        assert number.tolist() == [i for i, drops in enumerate(expected) for _ in drops]
        assert (dropped.dtype, shares.dtype, number.dtype) == (np.uint64, np.float64, np.int64)
        assert [len(array) for array in engine(rules, kind).drops_of([])] == [0, 0, 0]
    for take in (lambda full: engine(rules, kind).drops(full), lambda full: engine(rules, kind).drops_of([0, full])):
        with pytest.raises(ConfigError, match=r"^board(s\[1\])?: .* board with an empty cell|at most 64 bits"):
            take(pack([1] * rules.cells, rules))


@each_engine
@each_rules
def test_steps(rules, kind):
    """By number: one drop after the other. By a stream: the boards draw from it one after the other."""
    moved = [board for board in telling_boards(rules, 40 // SHARE) if reference.legal(board, rules)]
    boards, actions = [pack(board, rules) for board in moved], [reference.legal(board, rules)[-1] for board in moved]
    for seed in (None, 7):
        mine, theirs = (Stream(seed, 0, 0), reference.Stream(seed, 0, 0)) if seed else (range(len(moved)),) * 2
        expected, numbers = [], []
        for number, (board, action) in enumerate(zip(moved, actions, strict=True)):
            drops = reference.drops(reference.move(board, action, rules)[0], rules.drop)
            numbers.append(number % len(drops))
            following, reward = reference.step(board, action, theirs if seed else numbers[-1], rules)
            expected.append((pack(following, rules), reward))
            assert engine(rules, kind).step(boards[number], action, mine if seed else numbers[-1]) == expected[-1]
        if rules.bits * rules.cells <= 64:
            chance = Stream(seed, 0, 0) if seed else numbers
            following, rewards = engine(rules, kind).step_of(boards, actions, chance)
            assert [*zip(following.tolist(), rewards.tolist(), strict=True)] == expected
    assert mine.next() == theirs.next()


@pytest.mark.parametrize(
    ("action", "chance", "message"),
    [
        (0, 0, r"action.*: 0 is not allowed; expected one of the legal actions \[1, 2\]"),
        (2, 28, r"chance.*: 28 is not allowed; expected .*the number of a drop, 0 to 27"),
        (2, -1, "chance.*: -1 is not allowed"),
        (2, np.uint64(2**63 + 5), r"chance.*: .*9223372036854775813.* is not allowed"),
        (2, 0.5, "chance: .* is not allowed; expected a tdl.Stream, or the numbers? of"),
    ],
)
def test_what_is_no_step(action, chance, message):
    board = Engine().board([[2, 4, 0, 0], [0] * 4, [0] * 4, [0] * 4])
    for play in (lambda: Engine().step(board, action, chance), lambda: Engine().step_of([board], [action], [chance])):
        with pytest.raises(ConfigError, match=message):
            play()


@each_engine
@each_rules
@few
@given(seed=SEEDS)
def test_start(rules, kind, seed):
    board = reference.start(reference.Stream(seed, 0, 0), rules)
    assert engine(rules, kind).start(Stream(seed, 0, 0)) == pack(board, rules)


@each_engine
@each_rules
@pytest.mark.parametrize("seed", range(2))
def test_whole_games(rules, kind, seed):
    """The compiled game meets illegal actions as well; after one of them nothing is dropped, or the games part."""
    policy = random.Random(seed)
    compiled, drops = Stream(seed, 1, 7), reference.Stream(seed, 1, 7)
    packed, board = engine(rules, kind).start(compiled), reference.start(drops, rules)
    moves = 0
    while legal := reference.legal(board, rules):
        for action in policy.sample(range(4), 4):
            if action in legal:
                break
            with pytest.raises(ConfigError, match="action"):
                engine(rules, kind).move(packed, action)
        after, reward = reference.move(board, action, rules)
        packed, gained = engine(rules, kind).move(packed, action)
        assert (packed, gained) == (pack(after, rules), reward)
        packed, board = engine(rules, kind).place(packed, compiled), reference.place(after, drops, rules)
        assert packed == pack(board, rules)
        moves += 1
    assert moves > 0
    assert engine(rules, kind).terminal(packed)
    assert unpack(packed, rules).count(0) == 0


@each_rules
@few
@given(data=st.data())
def test_board_round_trips(rules, data):
    board = data.draw(boards(rules))
    packed = pack(board, rules)
    values = [rules.value(tile) for tile in board]
    compiled = engine(rules)
    assert unpack(packed, rules) == board
    assert compiled.board(packed) == packed
    array = compiled.array(packed)
    assert array.shape == (rules.rows, rules.cols)
    assert array.ravel().tolist() == values
    assert compiled.board(array) == compiled.board(array.tolist()) == packed
    lines = compiled.show(packed).split("\n")
    assert len(lines) == rules.rows
    assert [0 if word == "." else int(word) for line in lines for word in line.split()] == values


def test_cell_0_lies_in_the_lowest_bits():
    #     2     .    64
    #     .     4     8
    board = [[2, 0, 64], [0, 4, 8]]
    compiled = engine(RULES["2x3"])
    assert compiled.board(board) == 0x320601
    assert compiled.board(np.array(board, np.int8)) == compiled.board(np.int64(0x320601)) == 0x320601
    assert compiled.show(0x320601) == "   2    .   64\n   .    4    8"


def test_a_tile_that_a_cell_has_room_for_but_the_game_has_not():
    compiled = engine(RULES["5x5"])
    assert compiled.max_tile(26 << 120) == 2**26
    with pytest.raises(ConfigError, match="board: 'tile index 27' is not allowed; expected at most 26"):
        compiled.max_tile(27 << 120)


def test_an_unknown_engine_is_refused():
    with pytest.raises(ConfigError, match=r"engine: 'arrays' is not allowed; .*did you mean 'array'"):
        Engine(engine="arrays")
