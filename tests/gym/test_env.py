"""The Gymnasium environments: Gymnasium's own checker, and the games that they play.

Trusts `tdl.game.game_reference` for the games, and Gymnasium's `SyncVectorEnv` for what a vectorised environment does.
"""

import importlib
import itertools
import sys
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import RecordEpisodeStatistics, RecordVideo
from gymnasium.wrappers.vector import RecordEpisodeStatistics as RecordVectorStatistics
from support.gym_steps import beside
from support.reference_batch import ReferenceBatch
from support.shapes import RULES, each_engine

from tdl.errors import ConfigError
from tdl.game.engine import TRAINING
from tdl.game.rules import DROP, Rules
from tdl.gym import ID, OBSERVATIONS, GameEnv, GameVectorEnv
from tdl.sessions.pictures import rgb, tile_colours

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


@each_observation
@each_game
def test_gymnasium_finds_nothing_wrong(words, rules, observation):
    env = gymnasium.make(ID, **words, observation=observation, render_mode="ansi")
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
    assert beside({"size": "2x2", "observation": observation}, mode, 120, limit) > 10


def test_a_list_of_boards_is_as_many_games():
    envs = gymnasium.make_vec(ID, 3, render_mode="ansi")
    assert envs.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP  # Gymnasium's own default
    seen, info = envs.reset(seed=[4, 4, 5])
    assert np.array_equal(seen[0], seen[1])
    assert info["seed"].tolist() == [4, 4, 5]
    assert envs.unwrapped.action_masks().tolist() == info["action_mask"].astype(bool).tolist()
    assert [text.splitlines()[0] for text in envs.render()] == ["score 0, move 0"] * 3


def test_what_is_returned_is_the_callers():
    envs = GameVectorEnv(2)
    seen, info = envs.reset(seed=1)
    before = seen.copy(), {key: rows.copy() for key, rows in info.items()}
    for _ in range(5):
        envs.step([0, 1])
    assert np.array_equal(seen, before[0])
    assert all(np.array_equal(info[key], rows) for key, rows in before[1].items())


def test_without_a_seed_games_differ_and_can_be_repeated():
    """And the global generator is left alone."""
    np.random.seed(0)
    state = np.random.get_state()[1].copy()
    first, second = GameEnv(), GameEnv()
    assert first.reset()[1]["seed"] != second.reset()[1]["seed"]
    seen, info = first.reset()
    assert info["game"] == 1
    second.reset(seed=info["seed"])
    assert np.array_equal(second.reset()[0], seen)
    assert len(set(GameVectorEnv(3).reset()[1]["seed"].tolist())) == 3
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


def test_boards_as_text():
    env = GameEnv(size="2x3", render_mode="ansi")
    env.reset(seed=0)
    head, *rows = env.render().splitlines()
    assert head == "score 0, move 0"
    assert [len(row.split()) for row in rows] == [3, 3]
    assert " ".join(rows).split().count(".") == 4
    assert GameEnv().render() is GameVectorEnv(1).render() is None


def test_pictures_of_moves():
    """Of the shape of the board, in the colours of its tiles, another one after each move, and never changed later."""
    env = gymnasium.make(ID, size="3x4", render_mode="rgb_array_list")
    _, info = env.reset(seed=1)
    inner = env.unwrapped._boards
    boards = [inner.values[inner.grids[0]]]
    for _ in range(20):
        _, _, _, _, info = env.step(int(info["action_mask"].argmax()))
        boards.append(inner.values[inner.grids[0]])
    frames = env.render()
    assert {(frame.shape, frame.dtype) for frame in frames} == {((174, 230, 3), np.dtype(np.uint8))}
    assert len(frames) == 21
    assert all((one != other).any() for one, other in itertools.pairwise(frames))
    for picture, board in zip(frames, boards, strict=True):
        for (row, column), value in np.ndenumerate(board):
            corner = picture[6 + 56 * row + 5, 6 + 56 * column + 5]  # no number reaches there
            assert tuple(corner) == rgb(tile_colours(int(value))[0])


@pytest.mark.parametrize("side", range(2, 6))
def test_codecs_take_every_board(side):
    envs = GameVectorEnv(2, size=f"{side}x{7 - side}", render_mode="rgb_array")
    envs.reset(seed=1)
    assert [length % 2 for picture in envs.render() for length in picture.shape[:2]] == [0] * 4


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
        ({"autoreset_mode": "nextstep"}, "autoreset_mode: 'nextstep' is not allowed; .*did you mean 'NextStep'"),
        ({"max_episode_steps": 0}, "max_episode_steps: 0 is not allowed"),
        ({"num_envs": 0}, "num_envs: 0 is not allowed"),
    ],
)
def test_wrong_arguments(words, message):
    with pytest.raises(ConfigError, match=message):
        GameVectorEnv(**words)
    if not words.keys() & {"autoreset_mode", "max_episode_steps", "num_envs"}:
        with pytest.raises(ConfigError, match=message):
            GameEnv(**words)


@pytest.mark.parametrize("number", [np.int64, np.float32, float, np.array, lambda action: np.array([action])])
def test_actions_and_seeds_of_numpy(number):
    """As policies of PyTorch and Stable-Baselines3 give them."""
    env, values = GameEnv(), GameEnv()
    env.reset(seed=np.int64(3)), values.reset(seed=3)
    for action in (0, 1, 2, 3):
        assert np.array_equal(env.step(number(action))[0], values.step(action)[0])
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


@pytest.mark.parametrize("env", [GameEnv(), GameVectorEnv(2)], ids=["one", "many"])
@pytest.mark.parametrize("name", ["game", "size", "tiles", "drop", "start", "engine", "observation", "illegal"])
def test_arguments_cannot_be_assigned_afterwards(env, name):
    with pytest.raises(AttributeError, match=f"{name}: cannot be changed in an environment; make a new one"):
        setattr(env, name, "5x5")
    env.note = name  # anything else can be
    assert env.note == name


def test_wrong_calls():
    env, envs = GameEnv(), GameVectorEnv(2)
    for unready in (lambda: env.step(0), lambda: envs.step([0, 0]), lambda: envs.reset(options=mask(True, False))):
        with pytest.raises(ResetNeeded):
            unready()
    env.reset(), envs.reset()
    for call, message in (
        (lambda: env.reset(seed=-1), "seed: -1 is not allowed"),
        (lambda: env.reset(seed="ab"), "seed: 'ab' is not allowed; expected a whole number"),
        (lambda: env.reset(options={"board": [[2]]}), r"options: {.*} is not allowed; expected none"),
        (lambda: env.step(4), r"action: 4 is not allowed; expected 0 \(up\), 1 \(right\)"),
        (lambda: env.step(-1), "action: -1 is not allowed"),
        (lambda: envs.reset(seed=[1]), "seed: .* is not allowed; expected a whole number, or a list of 2"),
        (lambda: envs.reset(seed=1.5), "seed: 1.5 is not allowed; expected a whole number"),
        (lambda: envs.reset(options={"mask": [True]}), r"options: {.*} is not allowed; expected reset_mask alone"),
        (lambda: envs.reset(options=mask(1, 0)), "reset_mask: .* expected a bool array of shape"),
        *[
            (lambda actions=actions: envs.step(actions), r"actions: .* is not allowed; expected 2 of 0 \(up\), 1")
            for actions in ([0], 0, [[0, 1]], [0, [1, 2]], "ab", None)
        ],
        *[
            (
                lambda number=number: envs.step([0, number]),
                rf"actions\[1\]: {number} is not allowed; expected 0 \(up\)",
            )
            for number in (4, -1, 1.5, np.nan)
        ],
    ):
        with pytest.raises(ConfigError, match=message):
            call()


def mask(*boards):
    return {"reset_mask": np.array(boards)}


def test_without_gymnasium_one_line_names_the_extra(monkeypatch):
    """As on a machine that lacks it."""
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    monkeypatch.delitem(sys.modules, "tdl.gym")
    with pytest.raises(ImportError, match=r"^tdl\.gym needs gymnasium, .*: pip install 'tdl-ntuple\[gym\]'$"):
        importlib.import_module("tdl.gym")
