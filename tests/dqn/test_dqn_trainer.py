"""Training of deep Q-learners: blocks, logged games, the order of the replay, continuing bit for bit."""

from dataclasses import replace

import numpy as np
import pytest
from support.deep_q import LIVELY, SMALL, TINY

from tdl.dqn.dqn_trainer import DQNTrainer
from tdl.errors import ConfigError, DivergenceError
from tdl.game.rules import Rules
from tdl.players.batch_play import play_games


@pytest.mark.parametrize("options", [SMALL, LIVELY], ids=["published", "modern"])
def test_training_that_is_continued_is_the_same_bit_for_bit(options):
    rules = Rules(rows=2, cols=3)
    whole = DQNTrainer(rules, options, seed=5)
    first = DQNTrainer(rules, options, seed=5)
    fresh = DQNTrainer(rules, options, seed=99)
    whole.train(30)
    first.train(30)
    state = {name: array.copy() for name, array in first.state().items()}
    new = fresh.state()
    assert all(array.dtype != object for array in state.values())
    assert {n: (a.shape, a.dtype) for n, a in state.items()} == {n: (a.shape, a.dtype) for n, a in new.items()}
    fresh.seed = 5
    fresh.load_state(state)
    assert (fresh.episode, fresh.moves) == (30, first.moves)
    expected, records = whole.train(25), fresh.train(25)
    assert np.array_equal(records, expected)
    assert np.array_equal(fresh.logged, whole.logged)
    for name, array in whole.state().items():
        assert np.array_equal(fresh.state()[name], array), name


def test_blocks_do_not_change_the_published_schedule():
    whole, parts = (DQNTrainer(TINY, SMALL, seed=1) for _ in range(2))
    expected = whole.train(24)
    records = np.concatenate([parts.train(8) for _ in range(3)])
    assert np.array_equal(records, expected)
    assert records["episode"].tolist() == list(range(24))
    assert whole.moves == expected["moves"].sum()
    assert whole.mean_abs_error > 0


def test_each_fit_is_followed_by_a_logged_game():
    trainer = DQNTrainer(TINY, SMALL)
    trainer.train(40)
    assert len(trainer.logged) > 5
    assert trainer.logged["episode"].tolist() == list(range(40 - 4 * (len(trainer.logged) - 1), 41, 4))
    assert trainer.learner.updates == 10 * len(trainer.logged)


def test_the_replay_of_an_iteration_is_game_by_game():
    trainer = DQNTrainer(TINY, replace(SMALL, learning_starts=200))
    records = trainer.train(4)
    legal = trainer.replay.rows(np.arange(len(trainer.replay))[::-1])["legal"]
    assert np.flatnonzero(~legal.any(axis=1)).tolist() == (np.cumsum(records["moves"]) - 1).tolist()


def test_a_small_modern_learner_learns():
    rules = Rules(rows=2, cols=2)
    trainer = DQNTrainer(rules, LIVELY, seed=1)
    trainer.train(400)
    assert play_games(trainer.player, 500)["score"].mean() > 50  # exactly 19.66 of random play, 66.96 at best


def test_too_large_a_step_is_told():
    trainer = DQNTrainer(TINY, replace(SMALL, learning_rate=1e30))
    with pytest.raises(
        DivergenceError, match=r"^a value of the network is not finite; make agent.learning_rate smaller$"
    ):
        trainer.train(60)


def test_updates_that_wait_are_those_of_a_few_moves():
    """Of more the learner would work for ever before the next move."""
    state = {key: np.array(array) for key, array in DQNTrainer(TINY, SMALL).state().items()}
    state["updates"][1] = 1 << 40
    with pytest.raises(ConfigError, match="updates: 1099511627776 is not allowed"):
        DQNTrainer(TINY, SMALL).load_state(state)


@pytest.mark.parametrize(
    ("name", "number"),
    [("counters", -1), ("updates", -1), ("replay_count", -1), ("replay_action", 4), ("replay_board", 200),
     ("replay_reward", np.nan), ("generator", 255), ("counters", 2**62),
     ("replay_count", 2**62)],
)  # fmt: skip
def test_numbers_that_no_trainer_leaves_are_refused(name, number):
    state = {key: np.array(array) for key, array in DQNTrainer(TINY, SMALL).state().items()}
    state[name].reshape(-1)[:] = number
    with pytest.raises(ConfigError, match=name):
        DQNTrainer(TINY, SMALL).load_state(state)


def test_what_would_change_nothing_cannot_be_assigned():
    trainer = DQNTrainer(Rules(rows=2, cols=2), SMALL)
    for name in ("options", "rules", "logged", "mean_abs_error"):
        with pytest.raises(AttributeError, match=f"{name}: cannot be changed in a DQNTrainer, what can be is episode"):
            setattr(trainer, name, 1)
    with pytest.raises(AttributeError, match="learning_rate: no attribute of a DQNTrainer"):
        trainer.learning_rate = 0.1
    with pytest.raises(AttributeError, match="gamma: cannot be changed in a DQNPlayer, nothing can be"):
        trainer.player.gamma = 0.5


@pytest.mark.parametrize(("rules", "options", "telling"), [("2x2", SMALL, "rules: '2x2'"), (None, "dqn", "options: ")])
def test_what_are_no_rules_and_options(rules, options, telling):
    with pytest.raises(ConfigError, match=f"{telling}.* is not allowed; expected"):
        DQNTrainer(rules or Rules(), options)
