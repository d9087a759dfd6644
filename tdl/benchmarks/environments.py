"""Steps per second of the environments, against 2048 as one writes it with NumPy, and against a public environment.

All take uniformly random actions, an illegal one changing nothing, and begin a new game when one ends. A step is an
action on one board.
"""

import statistics
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

import tdl.gym
from tdl.benchmarks.paired import in_turn
from tdl.benchmarks.registry import Report
from tdl.checks import check_above_zero, check_whole
from tdl.errors import ConfigError, refuse
from tdl.game.batch import Batch
from tdl.game.streams import TRAINING
from tdl.runs import environment
from tdl.statistics.intervals import ratio_range, ratio_text

CHUNK, STEPS = 1 << 10, 64
"""Steps of one environment, and of all boards at once, between two readings of the clock."""

Play = Callable[[], int]
"""Plays on for a while and returns the steps."""

Board = NDArray[np.int64]


class PlainGame:
    """2048 with NumPy: the board is an array, turned so that every move slides to the left.

    It is used as Gymnasium's environments are. Its actions are those of `tdl.gym`: up, right, down, left.
    """

    TURNS = (1, 2, 3, 0)

    def __init__(self) -> None:
        self.random = np.random.default_rng()

    def reset(self, seed: int | None = None) -> tuple[Board, dict[str, Any]]:
        """A board with two tiles."""
        if seed is not None:
            self.random = np.random.default_rng(seed)
        self.board = np.zeros((4, 4), np.int64)
        self._drop()
        self._drop()
        return self.board.copy(), {}

    def step(self, action: int) -> tuple[Board, float, bool, bool, dict[str, Any]]:
        """Board, reward, whether the game is over, whether it was cut (never), and nothing more."""
        turned = np.rot90(self.board, self.TURNS[action])
        slid, reward = slide(turned)
        if np.array_equal(slid, turned):
            return self.board.copy(), 0.0, False, False, {}
        self.board = np.rot90(slid, -self.TURNS[action])
        self._drop()
        return self.board.copy(), float(reward), self._over(), False, {}

    def _drop(self) -> None:
        """A 2 (90%) or a 4 on a random empty cell."""
        rows, cols = np.nonzero(self.board == 0)
        cell = self.random.integers(len(rows))
        self.board[rows[cell], cols[cell]] = 2 if self.random.random() < 0.9 else 4

    def _over(self) -> bool:
        """No empty cell, and no two equal neighbours."""
        board = self.board
        return bool(board.all() and (board[1:] != board[:-1]).all() and (board[:, 1:] != board[:, :-1]).all())


def slide(board: Board) -> tuple[Board, int]:
    """All rows slid to the left, and the reward."""
    slid, reward = np.zeros_like(board), 0
    for row, line in enumerate(board):
        tiles = line[line != 0].tolist()
        out: list[int] = []
        while tiles:
            tile = tiles.pop(0)
            if tiles and tiles[0] == tile:
                tile += tiles.pop(0)
                reward += tile
            out.append(tile)
        slid[row, : len(out)] = out
    return slid, reward


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--boards", type=int, default=1024, help="of the vectorised environment (1024)")
    parser.add_argument("--seconds", type=float, default=1.0, help="of each turn (1)")
    parser.add_argument("--rounds", type=int, default=5, help="turns of each (5)")
    parser.add_argument("--public", metavar="MODULE:ID", help="another environment, as gymnasium.make has it")


def measure(options: Namespace) -> Report:
    """Steps per second of each side, and the ratios of ours to the others."""
    check_whole("--boards", options.boards, 1, 2**20)
    check_above_zero("--seconds", options.seconds)
    check_whole("--rounds", options.rounds, 1)
    sides = {
        "batch": of_batch(options.boards),
        "vector": of_vector(options.boards),
        "single": of_single(gymnasium.make(tdl.gym.ID, disable_env_checker=True).unwrapped),
        "rendered": of_single(gymnasium.make(tdl.gym.ID, render_mode="rgb_array").unwrapped, rendered=True),
        "plain": of_single(PlainGame()),
    }
    ours, others = ("batch", "vector", "single"), ["plain"]
    if options.public is not None:
        others.append(options.public)
        sides[options.public] = public_side(options.public)
    speeds = in_turn(sides, options.rounds, lambda name, _: speed(sides[name], options.seconds))
    figures = {
        "boards": options.boards,
        "steps_per_second": {name: [round(each) for each in side] for name, side in speeds.items()},
        "ratios": {f"{one}/{other}": ratio_range(speeds[one], speeds[other]) for other in others for one in ours},
        **environment.describe(""),
    }
    return Report(figures, text(figures))


def speed(play: Play, seconds: float) -> float:
    """Steps per second, over about these seconds."""
    steps, start = 0, time.perf_counter()
    while (passed := time.perf_counter() - start) < seconds:
        steps += play()
    return steps / passed


def _actions(boards: int) -> NDArray[np.int64]:
    """Actions of some steps on all boards, drawn before the clock runs."""
    return np.random.default_rng(0).integers(4, size=(STEPS, boards))


def of_batch(boards: int) -> Play:
    """`tdl.game.batch.Batch` as Python drives it."""
    batch, rows, episodes = Batch(n=boards), np.arange(boards), np.arange(boards)
    batch.start(None, 0, TRAINING, episodes)
    actions = _actions(boards)

    def play() -> int:
        for chosen in actions:
            which = np.flatnonzero(batch.legal[rows, chosen])
            batch.step(chosen[which], which)
            if batch.over.any():
                ended = np.flatnonzero(batch.over)
                episodes[ended] += boards
                batch.start(ended, 0, TRAINING, episodes[ended])
        return actions.size

    return play


def of_vector(boards: int) -> Play:
    """The vectorised environment."""
    envs, actions = gymnasium.make_vec(tdl.gym.ID, num_envs=boards), _actions(boards)
    envs.reset(seed=0)

    def play() -> int:
        for chosen in actions:
            envs.step(chosen)
        return actions.size

    return play


def of_single(env: Any, actions: int = 4, rendered: bool = False) -> Play:
    """One environment that takes so many actions; `rendered`: each board is drawn, as for a video."""
    chosen = np.random.default_rng(0).integers(actions, size=CHUNK).tolist()
    env.reset(seed=0)

    def play() -> int:
        for action in chosen:
            _, _, terminated, truncated, _ = env.step(action)
            if rendered:
                env.render()
            if terminated or truncated:
                env.reset()
        return CHUNK

    return play


def public_side(name: str) -> Play:
    """One environment of somebody else, without the wrappers that check it."""
    try:
        env = gymnasium.make(name, disable_env_checker=True).unwrapped
    except (gymnasium.error.Error, ImportError) as error:
        raise ConfigError(f"--public: {name} cannot be made: {error}") from error
    if not isinstance(env.action_space, gymnasium.spaces.Discrete):
        raise refuse("--public", name, f"an environment of Discrete actions, not {env.action_space}")
    return of_single(env, int(env.action_space.n))


def text(figures: dict[str, Any]) -> str:
    """The figures as a table."""
    speeds, head = figures["steps_per_second"], f"{figures['boards']} boards in batch and vector, {figures['cpu']}"
    rows = [f"{statistics.median(each):>12,.0f} steps/s  {name}" for name, each in speeds.items()]
    return "\n".join([head, *rows, *(f"{pair}: {ratio_text(part)}" for pair, part in figures["ratios"].items())])
