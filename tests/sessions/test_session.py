"""A game in the making: the agent's moves are those of an evaluation, what is taken back was never made.

Trusts `record_game` and `RecordedGame.boards`.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.programs import inside, train
from support.shapes import RULES, few

import tdl
from tdl.errors import CheckpointError, ConfigError
from tdl.search.options import SearchOptions
from tdl.sessions.advisor import load_advisor
from tdl.sessions.game_file import load, save
from tdl.sessions.recorder import record_game
from tdl.sessions.session import Session


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return train(tmp_path_factory.mktemp("session") / "run", "episodes=200", "evaluate.episodes=0")


@pytest.mark.parametrize("plies", [1, 2])
def test_an_agent_alone_plays_the_games_of_an_evaluation(run, plies):
    agent, player = load_advisor(run), tdl.load(run)
    for episode in range(2):
        search = SearchOptions(plies)
        session = Session(agent.rules, seed=7, episode=episode, action_values=agent.action_values(search),
                          search=search, checkpoint=agent.digest)  # fmt: skip
        while not session.over:
            session.advance()
        assert session.game() == record_game(player, 7, episode, plies=plies, checkpoint=agent.digest)
        assert session.best() is None


def test_an_agent_of_states_is_asked_as_it_plays(tmp_path):
    agent = load_advisor(train(tmp_path / "run", "episodes=50", "learner=state"))
    player = tdl.load(tmp_path / "run")
    session = Session(agent.rules, seed=1, action_values=agent.action_values(SearchOptions()))
    while not session.over:
        session.advance()
    assert session.game() == record_game(player, 1, 0)
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
    agent = load_advisor(run)
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
    agent = load_advisor(run)
    session = Session(agent.rules, action_values=agent.action_values(SearchOptions()))
    before = session.values()
    session.ask(agent.action_values(SearchOptions(2)), SearchOptions(2))
    assert not np.array_equal(before, session.values(), equal_nan=True)
    assert session.game().search.plies == 2


def test_a_deep_network_thinks_as_well(tmp_path):
    pytest.importorskip("torch", reason="the extra dqn is not installed")
    run = tmp_path / "run"
    done = inside("agent=dqn_modern", "size=2x3", "tiles=p90_10", "episodes=4", "block=4", "agent.width=8",
                  "agent.games=4", "agent.learning_starts=8", "evaluate.episodes=0",
                  f"hydra.run.dir={run}")  # fmt: skip
    assert done.returncode == 0, done.stderr
    agent = load_advisor(run)
    session = Session(agent.rules, action_values=agent.action_values(SearchOptions(2)))
    while not session.over:
        session.advance()
    assert session.moves
    with pytest.raises(ConfigError, match="only the number of plies"):
        agent.action_values(SearchOptions(2, cutoff=0.1))


def test_an_agent_without_values_is_refused(tmp_path):
    run = tmp_path / "run"
    assert inside("agent=greedy", "episodes=2", "evaluate.episodes=0", f"hydra.run.dir={run}").returncode == 0
    with pytest.raises(CheckpointError):
        load_advisor(run)
