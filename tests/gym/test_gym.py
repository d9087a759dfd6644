"""The Gymnasium environments: Gymnasium's own checker, and the games that they play.

Trusts `tdl.game.game_reference` for the games, and Gymnasium's `SyncVectorEnv` for what a vectorised environment does.
"""

import itertools
import subprocess
import sys
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import RecordEpisodeStatistics, RecordVideo
from gymnasium.wrappers.vector import RecordEpisodeStatistics as RecordVectorStatistics
from support.reference_batch import ReferenceBatch
from support.shapes import RULES, each_engine

from tdl.errors import ConfigError
from tdl.game.engine import TRAINING
from tdl.game.rules import DROP, Rules
from tdl.gym import ID, OBSERVATIONS, GameEnv, GameVectorEnv
from tdl.sessions.tile_colours import rgb, tile_colours

GAMES = {
    "2048": ({}, Rules()),
    "2048-5x5-80-20-two": (
        {"size": "5x5", "tiles": "p80_20_two"},
        Rules(rows=5, cols=5, drop=((1, 0.8), (2, 0.2)), start=(1, 1)),
    ),
    "2584-2x3": ({"game": "2584", "size": "2x3"}, RULES["2584-2x3"]),
    "2584-75-25": ({"game": "2584", "tiles": "p75_25"}, RULES["2584-4x4-75-25"]),
    "threes-3x2": ({"game": "threes_law", "size": "3x2", "tiles": "p50_50"}, RULES["threes_law-3x2"]),
    "own laws": (
        {"size": "2x2", "drop": [[1, 0.5], [2, 0.5]], "start": ["drop", 3]},
        Rules(rows=2, cols=2, drop=((1, 0.5), (2, 0.5)), start=(DROP, 3)),
    ),
}

each_game = pytest.mark.parametrize(("words", "rules"), GAMES.values(), ids=GAMES.keys())
each_observation = pytest.mark.parametrize("observation", OBSERVATIONS)
each_mode = pytest.mark.parametrize("mode", list(AutoresetMode))


@each_engine
@each_observation
@each_game
def test_gymnasium_finds_nothing_wrong(words, rules, observation, kind):
    env = gymnasium.make(ID, **words, observation=observation, engine=kind, render_mode="ansi")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)


@each_engine
@each_game
def test_games_are_those_of_the_reference(words, rules, kind):
    """Two games of a seed, then one of another: drops, rewards, ends and what `info` tells."""
    env, policy = gymnasium.make(ID, **words, engine=kind), np.random.default_rng(3)
    for seed, episode in ((5, 0), (None, 1), (6, 0)):
        reference = ReferenceBatch(rules, 1)
        reference.start([0], seed or 5, TRAINING, [episode])
        seen, info = env.reset(seed=seed)
        ended, moves = False, 0
        while not ended and moves < 300:
            assert seen.ravel().tolist() == reference.tiles[0]
            assert info["action_mask"].tolist() == reference.legal[0]
            assert env.unwrapped.action_masks().tolist() == reference.legal[0]
            assert (info["seed"], info["game"], info["moves"]) == (seed or 5, episode, moves)
            assert (info["score"], info["max_tile"]) == (reference.score[0], reference.max_tile[0])
            action = env.action_space.sample(info["action_mask"]) if policy.random() < 0.5 else policy.integers(4)
            seen, reward, ended, truncated, info = env.step(action)
            gained = 0
            if reference.legal[0][action]:
                (gained,) = reference.step([action], [0])
                moves += 1
            assert (reward, ended, truncated) == (gained, reference.over[0], False)
    assert env.step(0)[1:4] == (0.0, True, False) if ended else True


@each_game
def test_observations_show_the_same_board(words, rules):
    seen = {}
    for observation in OBSERVATIONS:
        env = GameEnv(**words, observation=observation)
        seen[observation] = env.reset(seed=1)[0]
        assert seen[observation] in env.observation_space
    indices = seen["indices"]
    assert indices.shape == (rules.rows, rules.cols)
    assert indices.dtype == np.uint8
    assert seen["values"].tolist() == [[rules.value(int(tile)) for tile in row] for row in indices]
    assert seen["planes"].shape == (rules.largest + 1, rules.rows, rules.cols)
    assert (seen["planes"].argmax(0) == indices).all()
    assert (seen["planes"].sum(0) == 1).all()


@each_mode
@each_observation
@pytest.mark.parametrize("limit", [None, 15])
def test_vectorised_as_gymnasium_would(observation, mode, limit):
    """Side by side with Gymnasium's own vectorisation of the single environment: all that is returned."""
    words = {"size": "2x2", "observation": observation, "max_episode_steps": limit}
    ours = gymnasium.make_vec(ID, 5, vectorization_mode="vector_entry_point", autoreset_mode=mode, **words)
    sync = gymnasium.make_vec(ID, 5, vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode}, **words)
    assert type(ours.unwrapped) is GameVectorEnv
    assert type(sync.unwrapped) is SyncVectorEnv
    assert ours.metadata == sync.metadata | {"autoreset_mode": mode}
    for name in ("observation_space", "action_space", "single_observation_space", "single_action_space", "num_envs"):
        assert getattr(ours, name) == getattr(sync, name), name
    assert_same(ours.reset(seed=3), sync.reset(seed=3))
    ours.action_space.seed(0)
    ended = 0
    for _ in range(120):
        actions = ours.action_space.sample()
        step, expected = ours.step(actions), sync.step(actions)
        assert_same(step, expected)
        assert step[0] in ours.observation_space
        done = step[2] | step[3]
        ended += done.sum()
        if mode == AutoresetMode.DISABLED and done.any():
            assert_same(ours.reset(options={"reset_mask": done}), sync.reset(options={"reset_mask": done}), done)
    assert ended > 10
    assert_same(ours.reset(), sync.reset())
    assert_same(ours.reset(seed=[9, None, 1, 2, None]), sync.reset(seed=[9, None, 1, 2, None]))


def assert_same(one, other, told=None):
    """Two answers of vectorised environments; `told`: the boards of which the other's info tells."""
    for mine, theirs in zip(one[:-1], other[:-1], strict=True):
        assert (mine.shape, mine.dtype) == (theirs.shape, theirs.dtype)
        assert np.array_equal(mine, theirs)
    assert_same_info(one[-1], other[-1], told)


def assert_same_info(one, other, told):
    assert one.keys() == other.keys()
    for key, theirs in other.items():
        mine = one[key]
        if isinstance(theirs, dict):
            assert_same_info(mine, theirs, told)
        elif key == "final_obs":
            assert [x is None for x in mine] == [x is None for x in theirs]
            assert all(np.array_equal(a, b) for a, b in zip(mine, theirs, strict=True) if a is not None)
        else:
            rows = slice(None) if told is None else told
            assert np.array_equal(mine[rows], theirs[rows]), key


def test_a_list_of_boards_is_as_many_games():
    envs = gymnasium.make_vec(ID, 3, render_mode="ansi")
    assert envs.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP  # Gymnasium's own default
    seen, info = envs.reset(seed=[4, 4, 5])
    assert np.array_equal(seen[0], seen[1])
    assert info["seed"].tolist() == [4, 4, 5]
    assert envs.unwrapped.action_masks().tolist() == info["action_mask"].astype(bool).tolist()
    assert [text.splitlines()[0] for text in envs.render()] == ["score 0, move 0"] * 3
    assert gymnasium.make_vec(ID, 1).render() is None


def test_what_is_returned_is_the_callers():
    envs = GameVectorEnv(2)
    seen, info = envs.reset(seed=1)
    kept = seen.copy(), {key: each.copy() for key, each in info.items()}
    for _ in range(5):
        envs.step([0, 1])
    assert np.array_equal(seen, kept[0])
    assert all(np.array_equal(info[key], each) for key, each in kept[1].items())


def test_without_a_seed_games_differ_and_can_be_repeated():
    first, second = GameEnv(), GameEnv()
    seeds = {first.reset()[1]["seed"], second.reset()[1]["seed"]}
    assert len(seeds) == 2
    seen, info = first.reset()
    assert info["game"] == 1
    second.reset(seed=info["seed"])
    assert np.array_equal(second.reset()[0], seen)
    vector = GameVectorEnv(3)
    assert len(set(vector.reset()[1]["seed"].tolist())) == 3


def test_the_global_generator_is_left_alone():
    np.random.seed(0)
    state = np.random.get_state()[1].copy()
    GameEnv().reset()
    envs = GameVectorEnv(2)
    envs.reset()
    envs.step([0, 1])
    assert np.array_equal(np.random.get_state()[1], state)


def test_illegal_moves_raise_where_asked():
    env, envs = GameEnv(illegal="raise"), GameVectorEnv(2, illegal="raise")
    _, info = env.reset(seed=1)
    illegal = int(info["action_mask"].argmin())
    assert not info["action_mask"][illegal]
    with pytest.raises(ConfigError, match=rf"action of board 0: {illegal} is not allowed; expected one of the legal"):
        env.step(illegal)
    envs.reset(seed=[1, 1])
    legal = int(info["action_mask"].argmax())
    with pytest.raises(ConfigError, match=f"action of board 1: {illegal} is not allowed"):
        envs.step([legal, illegal])
    envs.step([legal, legal])
    while not envs.step(envs.unwrapped.action_masks().argmax(1))[2].any():
        pass
    envs.step(envs.action_masks().argmax(1))  # a finished board starts again, whatever its action


def test_render():
    env = GameEnv(size="2x3", render_mode="ansi")
    env.reset(seed=0)
    head, *rows = env.render().splitlines()
    assert head == "score 0, move 0"
    assert len(rows) == 2
    assert sum(word != "." for row in rows for word in row.split()) == 2
    assert GameEnv().render() is None


def test_pictures_of_moves():
    """Of the shape of the board, in the colours of its tiles, another one after each move, and never changed later."""
    env = gymnasium.make(ID, size="3x4", render_mode="rgb_array_list")
    _, info = env.reset(seed=1)
    boards = [env.unwrapped._boards.values[env.unwrapped._boards.grids[0]]]
    for _ in range(20):
        _, _, _, _, info = env.step(int(info["action_mask"].argmax()))
        boards.append(env.unwrapped._boards.values[env.unwrapped._boards.grids[0]])
    frames = env.render()
    assert {(each.shape, each.dtype) for each in frames} == {((174, 230, 3), np.dtype(np.uint8))}
    assert len(frames) == 21
    assert all((one != other).any() for one, other in itertools.pairwise(frames))
    for picture, board in zip(frames, boards, strict=True):
        for (row, column), value in np.ndenumerate(board):
            corner = picture[6 + 56 * row + 5, 6 + 56 * column + 5]  # no number reaches there
            assert tuple(corner) == rgb(tile_colours(int(value))[0])
    envs = gymnasium.make_vec(ID, 3, render_mode="rgb_array")
    envs.reset(seed=1)
    assert [each.shape for each in envs.render()] == [(230, 230, 3)] * 3


@pytest.mark.parametrize("size", [f"{rows}x{cols}" for rows in range(2, 6) for cols in range(2, 6)])
def test_codecs_take_every_board(size):
    env = GameEnv(size=size, render_mode="rgb_array")
    env.reset(seed=1)
    assert [side % 2 for side in env.render().shape[:2]] == [0, 0]


@pytest.mark.extra
def test_a_video_of_a_game(tmp_path):
    """By Gymnasium's wrapper, read again."""
    moviepy = pytest.importorskip("moviepy", reason="the extra video is not installed")
    env = RecordVideo(gymnasium.make(ID, size="2x2", render_mode="rgb_array"), str(tmp_path / "video"))
    _, info = env.reset(seed=1)
    ended, moves = False, 0
    while not ended:
        _, _, ended, _, info = env.step(int(info["action_mask"].argmax()))
        moves += 1
    last = env.render()
    env.close()
    with moviepy.VideoFileClip(str(tmp_path / "video" / "rl-video-episode-0.mp4")) as clip:
        assert (tuple(clip.size), clip.fps) == ((118, 118), 4)
        assert clip.duration == pytest.approx((moves + 1) / 4)
        shown = clip.get_frame(clip.duration - 0.1)
    assert np.abs(shown.astype(int) - last).mean() < 10  # but for what the codec leaves out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"observation": "plane"}, "observation: 'plane' is not allowed; .*did you mean 'planes'"),
        ({"illegal": "raises"}, "illegal: 'raises' is not allowed; .*did you mean 'raise'"),
        ({"game": "pow2"}, "game: 'pow2' is not allowed; .*did you mean '2048'"),
        ({"size": "4"}, "size: '4' is not allowed; .*did you mean '4x4'"),
        ({"tiles": "p90"}, "tiles: 'p90' is not allowed; expected one of p50_50, .*did you mean 'p90_10'"),
        ({"drop": [[1, 0.5]]}, "tiles.drop: the probabilities sum to 0.5"),
        ({"start": 2}, "tiles.start: 2 is not allowed; expected a list of tile indices"),
        ({"engine": "bit"}, "engine: 'bit' is not allowed; .*did you mean 'bits'"),
        ({"board_size": "4x4"}, "board_size: no such argument; expected one of game, size, .*; did you mean 'size'"),
        ({"render_mode": "human"}, "render_mode: 'human' is not allowed; expected ansi or rgb_array"),
    ],
)
@pytest.mark.parametrize("kind", [GameEnv, GameVectorEnv])
def test_wrong_arguments(kind, words, message):
    with pytest.raises(ConfigError, match=message):
        kind(**words)


@pytest.mark.parametrize("number", [np.int64, np.float32, float, np.array, lambda action: np.array([action])])
def test_actions_and_seeds_of_numpy(number):
    """As policies of PyTorch and Stable-Baselines3 give them."""
    env, plain = GameEnv(), GameEnv()
    env.reset(seed=np.int64(3)), plain.reset(seed=3)
    for action in (0, 1, 2, 3):
        assert np.array_equal(env.step(number(action))[0], plain.step(action)[0])
    envs, others = GameVectorEnv(2), GameVectorEnv(2)
    envs.reset(seed=np.array([3, 4])), others.reset(seed=3)
    for actions in ([0, 1], [2, 3]):
        assert np.array_equal(envs.step(np.stack([number(action) for action in actions]))[0], others.step(actions)[0])


@pytest.mark.parametrize("mode", ["vector_entry_point", "sync"])
def test_gymnasium_records_statistics(mode):
    """Its wrappers put them into `info["episode"]`, for one environment and for many."""
    env = RecordEpisodeStatistics(gymnasium.make(ID, size="2x2"))
    _, info = env.reset(seed=1)
    steps = 0
    while "episode" not in info:
        _, _, ended, _, info = env.step(int(info["action_mask"].argmax()))
        steps += 1
    assert ended
    assert (info["episode"]["r"], info["episode"]["l"]) == (info["score"], steps)
    envs = RecordVectorStatistics(gymnasium.make_vec(ID, 2, size="2x2", vectorization_mode=mode))
    _, info = envs.reset(seed=1)
    while "episode" not in info:
        _, _, ended, _, info = envs.step(info["action_mask"].argmax(1))
    assert info["episode"]["r"][ended].tolist() == info["score"][ended].tolist()


def test_wrong_calls():
    env, envs = GameEnv(), GameVectorEnv(2)
    for each, actions in ((env, 0), (envs, [0, 0])):
        with pytest.raises(ResetNeeded):
            each.step(actions)
    with pytest.raises(ConfigError, match="seed: -1 is not allowed"):
        env.reset(seed=-1)
    env.reset()
    with pytest.raises(ConfigError, match=r"action: 4 is not allowed; expected 0 \(up\), 1 \(right\)"):
        env.step(4)
    with pytest.raises(ConfigError, match=r"action: -1 is not allowed"):
        env.step(-1)
    with pytest.raises(ResetNeeded):
        envs.reset(options={"reset_mask": np.array([True, False])})
    with pytest.raises(ConfigError, match=r"seed: .* is not allowed; expected a whole number, or a list of 2"):
        envs.reset(seed=[1])
    with pytest.raises(ConfigError, match=r"reset_mask: .* expected a bool array of shape"):
        envs.reset(options={"reset_mask": [1, 0]})
    envs.reset(seed=1)
    for actions in ([0], 0, [[0, 1]], [0, [1, 2]], [True, False], "ab", None):
        with pytest.raises(ConfigError, match=r"actions: .* is not allowed; expected 2 of 0 \(up\), 1 \(right\)"):
            envs.step(actions)
    for wrong in (4, -1, 1.5, np.nan):
        with pytest.raises(ConfigError, match=rf"actions\[1\]: {wrong} is not allowed; expected 0 \(up\)"):
            envs.step([0, wrong])
    for each, options in ((env, {"board": [[2]]}), (envs, {"mask": [True, False]})):
        with pytest.raises(ConfigError, match=r"options: {.*} is not allowed; expected"):
            each.reset(options=options)
    for seed in ("ab", 1.5):
        with pytest.raises(ConfigError, match=r"seed: .* is not allowed; expected a whole number"):
            envs.reset(seed=seed)
        with pytest.raises(ConfigError, match=r"seed: .* is not allowed; expected a whole number"):
            env.reset(seed=seed)
    for words, message in (
        ({"autoreset_mode": "nextstep"}, "autoreset_mode: 'nextstep' is not allowed; .*did you mean 'NextStep'"),
        ({"max_episode_steps": 0}, "max_episode_steps: 0 is not allowed"),
        ({"num_envs": 0}, "num_envs: 0 is not allowed"),
    ):
        with pytest.raises(ConfigError, match=message):
            GameVectorEnv(**words)


def test_without_gymnasium_one_line_names_the_extra():
    """As on a machine that lacks it."""
    code = "import sys; sys.modules['gymnasium'] = None\nimport tdl.gym"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "ImportError: tdl.gym needs gymnasium, which is not installed: pip install 'tdl-ntuple[gym]'"
    )
