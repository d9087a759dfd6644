"""Environments with the conventions of others: all of them pass Gymnasium's checker, and play the same games.

Trusts the environment with the defaults, which `test_env.py` holds against the reference, and `tdl.Player` for values.
"""

import copy
import pickle
import warnings
from itertools import cycle

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import RecordEpisodeStatistics, TimeLimit
from gymnasium.wrappers.vector import RecordEpisodeStatistics as RecordVectorStatistics
from support.gym_steps import CONVENTIONS, ORDERS, PLAYER, assert_same, beside, small

import tdl
from tdl.errors import CheckpointError, ConfigError
from tdl.game.rules import ACTION_NAMES
from tdl.gym import ID, ILLEGAL, OBSERVATIONS, REWARDS, GameEnv, GameVectorEnv
from tdl.players.player import Baseline

each_convention = pytest.mark.parametrize("words", CONVENTIONS, ids=lambda words: "-".join(words.values()))


@each_convention
def test_gymnasium_finds_nothing_wrong(words):
    env = gymnasium.make(ID, **small(words), render_mode="ansi")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped, skip_render_check=True)


@pytest.mark.parametrize(("words", "mode"), [*zip(CONVENTIONS, cycle(AutoresetMode))], ids=str)
def test_vectorised_as_gymnasium_would(words, mode):
    assert beside(small(words), mode, 40) > 3


@pytest.mark.parametrize("order", [ORDERS[1], "down, left, up, right"])
def test_the_order_of_actions_changes_numbers_alone(order):
    """Masks, moves and messages follow it; names mean what they say."""
    names = order.replace(" ", "").split(",")
    env, usual, policy = GameEnv(actions=order, illegal="raise"), GameEnv(), np.random.default_rng(0)
    env.reset(seed=1), usual.reset(seed=1)
    for turn in range(100):
        action = int(policy.integers(4))
        step = usual.step(names[action])
        if step[-1]["moves"] == env._info()["moves"]:
            with pytest.raises(ConfigError, match=f"action of board 0: {action} is not allowed; .* the legal actions"):
                env.step(action)
            assert not env.action_masks()[action]
            continue
        other = env.step(names[action] if turn % 2 else action)
        assert np.array_equal(other[0], step[0])
        mask = dict(zip(ACTION_NAMES, step[-1]["action_mask"], strict=True))
        assert other[-1]["action_mask"].tolist() == [mask[name] for name in names]
        assert env.action_masks().tolist() == other[-1]["action_mask"].tolist()
    with pytest.raises(ConfigError, match=rf"action: 4 is not allowed; expected 0 \({names[0]}\)"):
        env.step(4)
    envs = GameVectorEnv(2, actions=order)
    envs.reset(seed=1), usual.reset(seed=1), usual.step("left")
    assert np.array_equal(envs.step([names.index("left")] * 2)[0][0], usual._boards.grids[0])
    envs.reset(seed=1)
    assert np.array_equal(envs.step(["left", "left"])[0][0], usual._boards.grids[0])
    with pytest.raises(ConfigError, match=rf"actions\[1\]: 7 is not allowed; expected 0 \({names[0]}\)"):
        envs.step([0, 7])


@pytest.mark.parametrize("reward", REWARDS)
def test_an_illegal_move_ends_the_game(reward):
    """Of the score it earns nothing; by values it loses what the best move is worth, and this once."""
    words = small({"illegal": "end", "reward": reward})
    env, envs = GameEnv(**words), GameVectorEnv(2, autoreset_mode="Disabled", **words)
    seen, info = env.reset(seed=1)
    envs.reset(seed=[1, 1])
    while info["action_mask"].all():
        seen, _, _, _, info = env.step(0)
        envs.step([0, 0])
    lost = -np.nanmax(PLAYER.values(env._boards.values[seen])) if reward == "regret" else 0.0
    for expected in (lost, 0.0):
        after, earned, terminated, _, end = env.step(int(info["action_mask"].argmin()))
        assert np.array_equal(after, seen)
        assert (earned, terminated, end["moves"]) == (expected, True, info["moves"])
        _, rewards, over, _, _ = envs.step([int(info["action_mask"].argmin())] * 2)
        assert (rewards.tolist(), over.tolist()) == ([expected] * 2, [True] * 2)
    assert env.step(int(info["action_mask"].argmax()))[1:4] == (0.0, True, False)
    env.reset()
    assert not env.step(int(env.action_masks().argmax()))[2]


@pytest.mark.parametrize(("best", "lost"), [(7.0, -7.0), (-3.0, 0.0)])
def test_to_end_a_game_is_no_gain(best, lost):
    """Not even where a player values each move as less than nothing."""

    class Equal:
        def values(self, board):
            return [best] * 4

    env = GameEnv(illegal="end", reward="regret", player=Equal(), size="2x2")
    _, info = env.reset(seed=1)
    while info["action_mask"].all():
        info = env.step(0)[-1]
    assert env.step(int(info["action_mask"].argmin()))[1:3] == (lost, True)


def test_rewards_are_logarithms_or_losses():
    """The same game, with each; legal moves of a player as bad as can be."""
    envs = {reward: GameEnv(**small({"reward": reward})) for reward in REWARDS}
    for env in envs.values():
        seen, info = env.reset(seed=4)
    for action in np.random.default_rng(1).integers(4, size=200):
        values = PLAYER.values(env._boards.values[seen])
        earned = {}
        for reward, env in envs.items():
            seen, earned[reward], _, _, info = env.step(action)
        score = earned["score"]
        assert earned["log2"] == (np.log2(score) if score else 0)
        assert earned["regret"] == (0 if np.isnan(values[action]) else values[action] - np.nanmax(values)) <= 0
    assert info["moves"] > 10


class ByScore:
    """Values without those of many boards, the rules, or a mark of illegal moves."""

    engine = tdl.Engine(tdl.Rules(rows=5, cols=5))

    def values(self, board):
        rewards = np.zeros(4)
        for action, _, reward in self.engine.afterstates(board):
            rewards[action] = reward
        return rewards


def test_a_player_may_be_any_object_or_a_folder(tmp_path):
    env, score = GameEnv(size="5x5", reward="regret", player=ByScore()), GameEnv(size="5x5")
    env.reset(seed=1), score.reset(seed=1)
    for action in np.random.default_rng(1).integers(4, size=100):
        best = score._boards.batch.rewards[0].max()
        legal = score.action_masks()[action]
        assert env.step(action)[1] == (score.step(action)[1] - best if legal else 0)
    PLAYER.save(tmp_path / "player")
    for player in (tmp_path / "player", str(tmp_path / "player"), PLAYER):
        envs = GameVectorEnv(3, reward="regret", size="2x3", player=player, tiles="p80_20_two")
        envs.reset(seed=1)
        rewards = envs.step(envs.action_masks().argmax(1))[1]
        assert (rewards <= 0).all()
    assert gymnasium.make(ID, reward="regret", player="tdl:small").reset(seed=1)


def test_only_legal_actions_are_sampled_where_others_raise():
    """Each as often; by the seed of the space, unless a mask is given; in copies of the environment, too."""
    env, envs = GameEnv(illegal="raise", actions=ORDERS[1]), GameVectorEnv(500, illegal="raise", size="2x2")
    env.reset(seed=1), envs.reset(seed=1)
    while env.action_masks().sum() != 2:
        env.step(env.action_space.sample())
    twins = [env, copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    samples = []
    for one in twins:
        assert one.action_space.seed(3) == 3
        samples.append([one.action_space.sample() for _ in range(400)])
    assert samples[0] == samples[1] == samples[2]
    assert samples[0][0] in env.action_space
    assert np.bincount(samples[0], minlength=4)[env.action_masks()] == pytest.approx(200, abs=50)
    assert set(samples[0]) == set(np.flatnonzero(env.action_masks()))
    twins[1].reset(seed=1)
    assert {twins[1].action_space.sample() for _ in range(100)} == {*np.flatnonzero(twins[1].action_masks())}
    other = int(env.action_masks().argmin())
    assert env.action_space.sample(np.eye(4, dtype=np.int8)[other]) == other
    assert env.action_space.sample(probability=np.eye(4)[other]) == other
    for twin in (envs, copy.deepcopy(envs)):
        for _ in range(20):
            actions = twin.action_space.sample()
            assert actions in twin.action_space
            twin.step(actions)
    only = tuple(np.eye(4, dtype=np.int8)[[2] * 500])
    assert (envs.action_space.sample(only) == 2).all()


@pytest.mark.parametrize("illegal", ILLEGAL)
def test_spaces_of_actions_are_gymnasiums(illegal):
    """Equal to its own, alone and in copies, which know no board."""
    one, many = GameEnv(illegal=illegal).action_space, GameVectorEnv(3, illegal=illegal).action_space
    for space, usual in ((one, spaces.Discrete(4)), (many, spaces.MultiDiscrete([4] * 3))):
        for twin in (space, copy.deepcopy(space), pickle.loads(pickle.dumps(space))):
            assert twin == usual
            assert usual == twin
            assert repr(twin) == repr(usual)
        twin.seed(1), usual.seed(1)
        assert np.array_equal(twin.sample(), usual.sample())


@pytest.mark.parametrize(
    ("words", "error", "message"),
    [
        ({"actions": "up,right,down"}, ConfigError, "actions: 'up,right,down' is not allowed; expected up,right"),
        ({"actions": ["up"]}, ConfigError, "actions: .* expected up,right,down,left in any order"),
        ({"illegal": "ends"}, ConfigError, "illegal: 'ends' is not allowed; .*did you mean 'end'"),
        ({"observation": "plane_last"}, ConfigError, "observation: .*did you mean 'planes_last'"),
        ({"reward": "log"}, ConfigError, "reward: 'log' is not allowed; expected score or log2 or regret"),
        ({"player": "tdl:small"}, ConfigError, "player: 'tdl:small' is not allowed; expected None with reward=score"),
        ({"reward": "regret"}, ConfigError, "player: None is not allowed; expected a folder"),
        ({"reward": "regret", "player": 1}, ConfigError, "player: 1 is not allowed; expected a folder"),
        ({"reward": "regret", "player": "nowhere"}, CheckpointError, "player: nowhere: no checkpoint"),
        ({"reward": "regret", "player": "tdl:smal"}, CheckpointError, "player: tdl:smal: no such network"),
        ({"reward": "regret", "player": "tdl:small", "size": "3x3"}, ConfigError,
         "player: 'a network of 2048 4x4' is not allowed; expected one of 2048 3x3"),
        ({"reward": "regret", "player": PLAYER}, ConfigError, "player: 'a network of 2048 2x3' .* one of 2048 4x4"),
    ],
)  # fmt: skip
def test_wrong_arguments(words, error, message):
    for kind in (GameEnv, GameVectorEnv):
        with pytest.raises(error, match=message):
            kind(**words)


def test_a_player_without_values_is_refused_at_once():
    class Odd:
        def __init__(self, *values):
            self.values = lambda _: values

    with pytest.raises(ConfigError, match=r"player: .* of an agent of kind greedy, which has no values of moves"):
        GameEnv(reward="regret", player=Baseline(tdl.Rules(), "greedy"))
    with pytest.raises(ConfigError, match=r"player: values: 'shape \(1, 3\)' is not allowed"):
        GameEnv(reward="regret", player=Odd(1, 2, 3))
    with pytest.raises(ConfigError, match=r"player: values: .*inf.* expected a finite one of each legal move"):
        GameEnv(reward="regret", player=Odd(np.inf, np.inf, np.inf, 1.0))


@pytest.mark.parametrize("mode", ["single", "sync", "vector_entry_point"])
@pytest.mark.parametrize("words", CONVENTIONS[::7], ids=lambda words: "-".join(words.values()))
def test_wrappers_of_gymnasium(words, mode):
    """Statistics and a limit of steps."""
    words = small(words)
    if mode == "single":
        env = RecordEpisodeStatistics(TimeLimit(GameEnv(**words), 5))
    else:
        env = RecordVectorStatistics(gymnasium.make_vec(ID, 2, vectorization_mode=mode, max_episode_steps=5, **words))
    _, info = env.reset(seed=1)
    rewards = []
    while "episode" not in info:
        _, reward, terminated, truncated, info = env.step(info["action_mask"].argmax(-1))
        rewards.append(reward)
    ended = np.asarray(terminated | truncated)
    assert ended.any()
    assert set(np.asarray(info["episode"]["l"])[ended]) == {len(rewards)} <= {1, 2, 3, 4, 5}
    assert np.allclose(np.asarray(info["episode"]["r"])[ended], np.sum(rewards, axis=0)[ended])


def test_observations_of_others():
    seen = {name: GameEnv(observation=name).reset(seed=1)[0] for name in OBSERVATIONS}
    assert np.array_equal(seen["planes_last"], np.moveaxis(seen["planes"], 0, -1))
    assert seen["scaled"].dtype == np.float32
    assert seen["scaled"].tolist() == (seen["indices"] / 15).astype(np.float32).tolist()
    env = GameEnv(illegal="mask", observation="scaled", actions=ORDERS[1])
    masked, info = env.reset(seed=1)
    assert masked["action_mask"].tolist() == info["action_mask"].tolist()
    assert np.array_equal(masked["observation"], seen["scaled"])
    assert_same((masked, {}), ({"action_mask": env.action_masks().astype(np.int8), "observation": seen["scaled"]}, {}))


def test_a_game_may_begin_with_one_tile():
    assert np.count_nonzero(GameEnv(start=["drop"]).reset(seed=1)[0]) == 1
