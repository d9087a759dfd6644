"""A game in the making: a person and an agent move in turn, and what is taken back was never made.

Trusts `RecordedGame.boards`; that an agent alone plays the games of an evaluation is in `test_recorder`.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.shapes import RULES, few

import tdl
from tdl.errors import CheckpointError, ConfigError
from tdl.game.rules import ACTION_NAMES
from tdl.search.options import SearchOptions
from tdl.sessions.game_file import GameFolder, load, save
from tdl.sessions.session import Session


@few
@given(data=st.data(), rules=st.sampled_from([RULES["2x3"], RULES["2584-2x3"], RULES["4x4"], RULES["2584-5x5"]]))
def test_what_is_taken_back_was_never_made(rules, data):
    """Any moves and undos end where the moves that stand lead to alone, and the file of the game can be read."""
    session = Session(rules, seed=3)
    for turn in data.draw(st.lists(st.integers(0, 5), max_size=40)):
        if turn > 3:
            made = session.moves[-1] if session.moves else None
            assert session.undo() == made
        elif turn in session.legal:
            session.move(turn)
    again = Session(rules, seed=3)
    for move in session.moves:
        again.move(move.action)
    assert (session.board, session.score, session.moves) == (again.board, again.score, again.moves)
    assert session.game().boards()[-1] == session.board


def test_several_moves_are_taken_back_at_once():
    session, single = (Session(tdl.Rules(), seed=3) for _ in range(2))
    for _ in range(9):
        session.move(session.legal[0])
        single.move(single.legal[0])
    for count in (0, 4, 100, 1):
        taken = session.undo(count)
        for _ in range(min(count, len(single.moves))):
            expected = single.undo()
        assert taken == (expected if count in (4, 100) else None)
        assert (session.board, session.score, session.moves) == (single.board, single.score, single.moves)
    assert session.move(session.legal[0]) == single.move(single.legal[0])


def test_a_persons_game_is_a_file_like_any_other(tmp_path, player):
    session = Session(player.rules, seed=2, action_values=player.action_values(SearchOptions()))
    while not session.over:
        session.move(session.legal[0]) if len(session.moves) % 2 else session.advance()
    save(tmp_path / "game.jsonl", session.game())
    game = load(tmp_path / "game.jsonl")
    assert game == session.game()
    assert [move.by for move in game.moves[:3]] == ["agent", "person", "agent"]
    assert game.complete


def test_a_game_that_is_given_up(tmp_path):
    session = Session(tdl.Rules())
    for _ in range(5):
        session.move(session.legal[0])
    save(tmp_path / "game.jsonl", session.game())
    game = load(tmp_path / "game.jsonl")
    assert game == session.game()
    assert not game.complete
    whole = (tmp_path / "game.jsonl").read_text()
    (tmp_path / "game.jsonl").write_text(whole.replace('"complete": false', '"complete": true'))
    with pytest.raises(CheckpointError, match="the game is not over"):
        load(tmp_path / "game.jsonl")


def test_a_game_from_a_board_of_ones_own(tmp_path):
    """It is a file like any other, but its score is not one from the start law on."""
    rules = tdl.Rules()
    board = tdl.Engine(rules).board([[128, 64, 32, 16], [2, 4, 8, 8], [0] * 4, [0] * 4])
    session = Session(rules, seed=4, start=board)
    moves = [session.move(session.legal[0]) for _ in range(6)]
    assert (session.start, session.undo(4)) == (board, moves[2])
    assert session.move(moves[2].action) == moves[2]  # and the same tile
    save(tmp_path / "game.jsonl", session.game())
    game = load(tmp_path / "game.jsonl")
    assert (game, game.boards()[0]) == (session.game(), board)
    assert GameFolder(tmp_path).best(rules) == 0 < game.score
    text = (tmp_path / "game.jsonl").read_text()
    (tmp_path / "game.jsonl").write_text(text.replace(', "own_start": true', ""))
    with pytest.raises(CheckpointError, match="the first board has not the tiles of the start law"):
        load(tmp_path / "game.jsonl")


def test_without_an_agent_a_move_is_worth_its_reward():
    session = Session(tdl.Rules(), seed=5)
    while session.score == 0:
        session.move(session.legal[0])
    move = session.moves[-1]
    assert move.values[move.action] == move.reward > 0


def test_what_is_not_legal_is_refused():
    session = Session(RULES["2x2"], seed=1)
    while len(session.legal) == 4:
        session.move(session.legal[0])
    wrong = next(action for action in range(4) if action not in session.legal)
    with pytest.raises(ConfigError, match=r"is not legal; .* would be"):
        session.move(wrong)
    for unknown in (9, "north", None):
        with pytest.raises(ConfigError, match=f"action: {unknown!r} is not allowed; expected 0 "):
            session.move(unknown)
    assert session.move(ACTION_NAMES[session.legal[0]]).action in range(4)
    while not session.over:
        session.move(session.legal[0])
    assert session.best() is None
    with pytest.raises(ConfigError, match="the game is over"):
        session.advance()
    with pytest.raises(ConfigError, match="is not legal; the game is over"):
        session.move(0)


def test_another_depth_from_now_on(player):
    session = Session(player.rules, action_values=player.action_values(SearchOptions()))
    before = session.values()
    session.ask(player.action_values(SearchOptions(2)), SearchOptions(2))
    assert not np.array_equal(before, session.values(), equal_nan=True)
    assert session.game().search.plies == 2
