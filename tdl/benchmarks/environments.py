"""Steps per second of the environments, against 2048 as one writes it with NumPy, and any environment of others.

All take uniformly random actions, an illegal one changing nothing, and begin a new game when one ends. A step is an
action on one board.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

import tdl.gym
from tdl.checks import check_above_zero, check_whole
from tdl.errors import ConfigError, refuse
from tdl.game.batch import Batch
from tdl.game.streams import TRAINING
from tdl.runs import environment
from tdl.statistics.intervals import ratio_range, ratio_text

CHUNK = 1 << 10
"""Steps of one environment, or of all boards at once, between two looks at the clock: short beside any second."""

OURS = ("batch", "vector", "single")
PLAIN = "plain"
"""The names of the sides in the report; a public environment has its own."""

Play = Callable[[], int]
"""Plays on for a while: the steps played."""

Board = NDArray[np.int64]


class PlainGame:
    """2048 with NumPy: the board is an array, turned so that every move slides to the left.

    Actions are those of ours: up, right, down, left.
    """

    TURNS = (1, 2, 3, 0)

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.reset()

    def reset(self) -> Board:
        """An empty board with two tiles."""
        self.board = np.zeros((4, 4), np.int64)
        self._drop()
        self._drop()
        return self.board.copy()

    def step(self, action: int) -> tuple[Board, float, bool]:
        """Board, reward and whether the game is over."""
        turned = np.rot90(self.board, self.TURNS[action])
        slid, reward = slide(turned)
        if np.array_equal(slid, turned):
            return self.board.copy(), 0.0, False
        self.board = np.rot90(slid, -self.TURNS[action])
        self._drop()
        return self.board.copy(), float(reward), self._over()

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


def compare(boards: int, seconds: float, rounds: int, public: str | None = None) -> dict[str, Any]:
    """Steps per second of each side, in turn, and ours over the others'.

    Parameters
    ----------
    boards : of the batch and of the vectorised environment.
    seconds : of each turn, about.
    rounds : how often they take turns.
    public : "MODULE:ID" of an environment that `gymnasium.make` makes, with a `Discrete` action space; None: none.

    Raises
    ------
    ConfigError : a number that is not allowed, or no such environment.
    """
    check_whole("--boards", boards, 1, 2**20)
    check_above_zero("--seconds", seconds)
    check_whole("--rounds", rounds, 1)
    sides = {
        "batch": of_batch(boards),
        "vector": of_vector(boards),
        "single": of_single(tdl.gym.ID),
        PLAIN: of_plain(),
    }
    if public is not None:
        try:
            sides[public] = of_single(public)
        except (gymnasium.error.Error, ImportError) as error:
            raise ConfigError(f"--public: {public} cannot be made: {error}") from error
    speeds: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(rounds):
        for name, play in sides.items():
            speeds[name].append(speed(play, seconds))
    figures: dict[str, Any] = {
        "boards": boards,
        "steps_per_second": {n: [round(s) for s in each] for n, each in speeds.items()},
    }
    figures["ratios"] = {
        f"{ours}/{other}": ratio_range(speeds[ours], speeds[other])
        for other in sides
        if other not in OURS
        for ours in OURS
    }
    return figures | environment.describe("")


def speed(play: Play, seconds: float) -> float:
    """Steps per second over about so many seconds."""
    steps, start = 0, time.perf_counter()
    while (passed := time.perf_counter() - start) < seconds:
        steps += play()
    return steps / passed


def _actions(boards: int) -> NDArray[np.int64]:
    """Actions for a chunk, drawn before the clock runs."""
    return np.random.default_rng(0).integers(4, size=(CHUNK, boards))


def of_batch(boards: int) -> Play:
    """`tdl.game.batch.Batch` as Python drives it."""
    batch, rows, episodes = Batch(n=boards), np.arange(boards), np.arange(boards)
    batch.start(None, 0, TRAINING, episodes)
    actions = _actions(boards)[:64]

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
    envs, actions = gymnasium.make_vec(tdl.gym.ID, num_envs=boards), _actions(boards)[:64]
    envs.reset(seed=0)

    def play() -> int:
        for chosen in actions:
            envs.step(chosen)
        return actions.size

    return play


def of_single(name: str) -> Play:
    """One environment by its name, without the wrappers that check it."""
    env = gymnasium.make(name, disable_env_checker=True).unwrapped
    if not isinstance(env.action_space, gymnasium.spaces.Discrete):
        raise refuse("--public", name, f"an environment of Discrete actions, not {env.action_space}")
    actions = np.random.default_rng(0).integers(env.action_space.n, size=CHUNK).tolist()
    env.reset(seed=0)

    def play() -> int:
        for action in actions:
            _, _, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                env.reset()
        return CHUNK

    return play


def of_plain() -> Play:
    """The plain game."""
    game, actions = PlainGame(0), _actions(1)[:, 0].tolist()

    def play() -> int:
        for action in actions:
            if game.step(action)[2]:
                game.reset()
        return CHUNK

    return play


def text(figures: dict[str, Any]) -> str:
    """The figures as a table."""
    speeds, head = figures["steps_per_second"], f"{figures['boards']} boards in batch and vector, {figures['cpu']}"
    rows = [f"{statistics.median(each):>12,.0f} steps/s  {name}" for name, each in speeds.items()]
    return "\n".join([head, *rows, *(f"{pair}: {ratio_text(part)}" for pair, part in figures["ratios"].items())])
