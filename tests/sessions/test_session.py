"""A game in the making: the agent's moves are those of an evaluation, what is taken back was never made.

Trusts `record_game` and `RecordedGame.boards`.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.programs import train
from support.shapes import RULES, few

import tdl
from tdl.errors import CheckpointError, ConfigError
from tdl.players.kinds import load_agent
from tdl.search.options import SearchOptions
from tdl.sessions.game_file import load, save
from tdl.sessions.recorder import record_game
from tdl.sessions.session import Session


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return train(tmp_path_factory.mktemp("session") / "run", "episodes=200", "evaluate.episodes=0")


@pytest.mark.parametrize("plies", [1, 2])
def test_an_agent_alone_plays_the_games_of_an_evaluation(run, plies):
    agent, search = load_agent(run), SearchOptions(plies)
    values = agent.action_values(search)
    session = Session(agent.rules, seed=7, episode=1, action_values=values, search=search, checkpoint="abc")
    while not session.over:
        session.advance()
    assert session.game() == record_game(tdl.load(run), 7, 1, plies=plies, checkpoint="abc")
    assert session.best() is None


def test_an_agent_of_states_is_asked_as_it_plays(tmp_path):
    agent = load_agent(train(tmp_path / "run", "episodes=50", "learner=state"))
    session = Session(agent.rules, seed=1, action_values=agent.action_values(SearchOptions()))
    while not session.over:
        session.advance()
    assert session.game() == record_game(agent, 1, 0)
    assert np.isfinite(agent.action_values(SearchOptions(2))(session.start)).any()


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


def test_a_persons_game_is_a_file_like_any_other(tmp_path, run):
    agent = load_agent(run)
    session = Session(agent.rules, seed=2, action_values=agent.action_values(SearchOptions()))
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
    with pytest.raises(ConfigError, match="9 is not legal"):
        session.move(9)
    while not session.over:
        session.move(session.legal[0])
    with pytest.raises(ConfigError, match="the game is over"):
        session.advance()
    with pytest.raises(ConfigError, match="is not legal; the game is over"):
        session.move(0)


def test_another_depth_from_now_on(run):
    agent = load_agent(run)
    session = Session(agent.rules, action_values=agent.action_values(SearchOptions()))
    before = session.values()
    session.ask(agent.action_values(SearchOptions(2)), SearchOptions(2))
    assert not np.array_equal(before, session.values(), equal_nan=True)
    assert session.game().search.plies == 2
