"""Steps per second of the environments, of 2048 as one writes it with NumPy, and of environments of others."""

from collections.abc import Iterator
from importlib import import_module
from itertools import cycle
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

import tdl.gym
from experiments.benchmarks.harness import Row, main, per_second
from tdl.benchmarks.versus import in_turn
from tdl.errors import ConfigError, refuse
from tdl.game.batch import Batch
from tdl.game.engine import TRAINING
from tdl.statistics.intervals import ratio_range

Steps = Iterator[int]
"""Plays on for a while each time, and says how many steps."""

Board = NDArray[np.int64]


class PlainGame:
    """2048 with NumPy, used as `tdl.gym` is: the board is an array, turned so that every move slides to the left."""

    TURNS = (1, 2, 3, 0)
    action_space = gymnasium.spaces.Discrete(4)

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


def measure(
    boards: int = 1024, seconds: float = 1.0, rounds: int = 5, public: str = "", peer: str = ""
) -> Iterator[Row]:
    """Steps per second of each side, a step being an action on one board, and of ours the ratio to each other one.

    All take uniformly random actions, an illegal one changing nothing, and begin a new game when one ends. `rendered`
    draws each board, as for a video; `plain` is 2048 as one writes it with NumPy.

    boards: of batch and vector
    seconds: of each turn
    rounds: turns of each
    public: another environment, MODULE:ID as gymnasium.make has it
    peer: many boards by another program, envpool:Play2048-v1 or pgx:2048, where it is installed
    """
    ours = {"batch": of_batch(boards), "vector": of_vector(boards), "single": of_single(made(tdl.gym.ID))}
    rendered = {"rendered": of_single(made(tdl.gym.ID, render_mode="rgb_array"), rendered=True)}
    others = {"plain": of_single(PlainGame())} | ({public: of_single(made(public))} if public else {})
    others |= {peer: of_peer(peer, boards)} if peer else {}
    sides = ours | rendered | others
    for side in sides.values():
        next(side)  # made before the clock runs
    speeds = in_turn(sides, rounds, lambda name, _: per_second(sides[name].__next__, seconds))
    for name, side in speeds.items():
        ratios = {f"over {other}": ratio_range(side, speeds[other]) for other in others if name in ours}
        yield {"side": name, "steps/s": side, **ratios}


def of_batch(boards: int) -> Steps:
    """`tdl.game.batch.Batch` as Python drives it."""
    batch, rows, episodes = Batch(n=boards), np.arange(boards), np.arange(boards)
    batch.start(None, 0, TRAINING, episodes)
    for actions in cycle(_actions(boards)):
        which = np.flatnonzero(batch.legal[rows, actions])
        batch.step(actions[which], which)
        if batch.over.any():
            ended = np.flatnonzero(batch.over)
            episodes[ended] += boards
            batch.start(ended, 0, TRAINING, episodes[ended])
        yield boards


def of_vector(boards: int) -> Steps:
    """The vectorised environment."""
    envs = gymnasium.make_vec(tdl.gym.ID, num_envs=boards)
    envs.reset(seed=0)
    for actions in cycle(_actions(boards)):
        envs.step(actions)
        yield boards


def of_peer(name: str, boards: int) -> Steps:
    """The vectorised environment of another program, with its defaults."""
    program, _, game = name.partition(":")
    if program not in PEERS:
        raise refuse("--peer", name, "envpool:TASK or pgx:GAME")
    try:
        import_module(program)
    except ImportError as error:
        raise ConfigError(f"--peer: {program} is not installed: {error}") from error
    return PEERS[program](game, boards)


def of_envpool(task: str, boards: int) -> Steps:
    """A task of EnvPool."""
    envs = import_module("envpool").make_gymnasium(task, num_envs=boards)
    envs.reset()
    for actions in cycle(_actions(boards).astype(np.int32)):
        envs.step(actions)
        yield boards


def of_pgx(game: str, boards: int) -> Steps:
    """A game of Pgx, compiled; random keys are drawn before the clock runs, as actions are."""
    jax, env = import_module("jax"), import_module("pgx").make(game)
    auto_reset = import_module("pgx.experimental").auto_reset
    step = jax.jit(jax.vmap(auto_reset(env.step, env.init)))
    keys = jax.random.split(jax.random.PRNGKey(0), (64, boards))
    states = jax.jit(jax.vmap(env.init))(keys[0])
    for actions, key in cycle(zip(jax.numpy.array(_actions(boards)), keys, strict=True)):
        states = jax.block_until_ready(step(states, actions, key))
        yield boards


PEERS = {"envpool": of_envpool, "pgx": of_pgx}


def _actions(boards: int) -> NDArray[np.int64]:
    """Actions on all boards, drawn before the clock runs."""
    return np.random.default_rng(0).integers(4, size=(64, boards))


def of_single(env: Any, rendered: bool = False) -> Steps:
    """One environment; `rendered`: each board is drawn, as for a video."""
    env.action_space.seed(0)
    actions = np.array([env.action_space.sample() for _ in range(1024)]).tolist()
    env.reset(seed=0)
    while True:
        for action in actions:
            _, _, terminated, truncated, _ = env.step(action)
            if rendered:
                env.render()
            if terminated or truncated:
                env.reset()
        yield len(actions)


def made(name: str, **options: Any) -> Any:
    """An environment without the wrappers that check it."""
    try:
        return gymnasium.make(name, disable_env_checker=True, **options).unwrapped
    except (gymnasium.error.Error, ImportError) as error:
        raise ConfigError(f"--public: {name} cannot be made: {error}") from error


if __name__ == "__main__":
    main(measure)
