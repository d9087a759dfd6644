"""Environments of 2048 that pip installs, for `tdl rules experiments.environments.adapters:NAME`.

A function of this module makes an environment as its package has it. A class plays one whose steps are not
Gymnasium's. None has a rule of the game. Each imports its package when it is called: requirements.txt has the versions.
"""

import random
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]
Step = tuple[Any, float, bool, bool, dict[str, Any]]


def exponents(rows: Rows) -> Rows:
    """Tile values as powers of two, an empty cell as 0."""
    return np.log2(np.maximum(rows, 1)).astype(np.int64)


def gymnasium_2048() -> Any:
    import gymnasium
    import gymnasium_2048.envs  # noqa: F401

    env: Any = gymnasium.make("gymnasium_2048/TwentyFortyEight-v0", disable_env_checker=True)
    env.set_board = lambda rows: setattr(env.unwrapped, "board", exponents(rows).astype(np.uint8))
    return env


def gym_2048() -> Any:
    from gym_2048.env import Base2048Env

    env = Base2048Env()
    env.set_board = lambda rows: setattr(env, "board", rows.copy())
    return env


gym_2048_extended = gym_2048
"""Both packages have a module of this name."""


def ash2048() -> Any:
    """Its modules import each other as `gym2048`, the name that its folder does not have when it is installed."""
    import sys
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    found = PathFinder.find_spec("ash2048")
    sys.modules["gym2048"] = module_from_spec(found)  # type: ignore[arg-type]
    from gym2048.env import Game2048

    env = Game2048()
    env.set_board = lambda rows: setattr(env, "board", rows.astype(float))
    return env


def envpack() -> Any:
    import envpack  # noqa: F401
    import gymnasium

    env: Any = gymnasium.make("envpack/2048-v0", disable_env_checker=True)
    env.set_board = lambda rows: setattr(env.unwrapped, "_grid", rows.astype(np.int32))
    return env


def envpool_jumanji() -> Any:
    import envpool

    return envpool.make("Game2048-v1", env_type="gymnasium", num_envs=16, seed=0)


def envpool_pgx() -> Any:
    import envpool

    return envpool.make("Play2048-v1", env_type="gymnasium", num_envs=16, seed=0)


class jumanji:  # noqa: N801
    """Jumanji's environment, whose states its caller keeps."""

    def __init__(self) -> None:
        import jax
        from jumanji.environments import Game2048

        self.env, self.key = Game2048(), jax.random.PRNGKey
        self._reset, self._step, self._mask = map(jax.jit, (self.env.reset, self.env.step, self.env._get_action_mask))

    def reset(self, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
        self.state, timestep = self._reset(self.state.key if seed is None else self.key(seed))
        return timestep.observation, {}

    def step(self, action: int) -> Step:
        self.state, timestep = self._step(self.state, action)
        return timestep.observation, float(timestep.reward), bool(timestep.last()), False, {}

    def set_board(self, rows: Rows) -> None:
        board = exponents(rows).astype(np.int32)
        self.state = self.state.replace(board=board, action_mask=self._mask(board))


class pgx:  # noqa: N801
    """Pgx's environment, whose states and random keys its caller keeps."""

    def __init__(self) -> None:
        import jax
        from pgx import play2048

        self.env, self.jax, self._mask = play2048.Play2048(), jax, jax.jit(play2048._legal_action_mask)
        self._init, self._step, self._split = map(jax.jit, (self.env.init, self.env.step, jax.random.split))

    def reset(self, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
        self.key, key = self._split(self.key if seed is None else self.jax.random.PRNGKey(seed))
        self.state = self._init(key)
        return self.state.observation, {"legal_action_mask": self.state.legal_action_mask}

    def step(self, action: int) -> Step:
        self.key, key = self._split(self.key)
        self.state = state = self._step(self.state, action, key)
        info = {"legal_action_mask": state.legal_action_mask}
        return state.observation, float(state.rewards[0]), bool(state.terminated), bool(state.truncated), info

    def set_board(self, rows: Rows) -> None:
        board = exponents(rows).astype(np.int32)
        mask = self._mask(board)
        self.state = self.state.replace(_board=board.ravel(), legal_action_mask=mask, terminated=~mask.any())


class open_spiel:  # noqa: N801
    """OpenSpiel's game; its chance outcomes are drawn here, with the probabilities that it states."""

    def __init__(self) -> None:
        import pyspiel

        self.game = pyspiel.load_game("2048")

    def reset(self, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
        if seed is not None:
            self.rng = random.Random(seed)
        self.state = self.game.new_initial_state()
        return self._seen()

    def step(self, action: int) -> Step:
        self.state.apply_action(action)
        reward = self.state.rewards()[0]
        return (observed := self._seen())[0], reward, self.state.is_terminal(), False, observed[1]

    def _seen(self) -> tuple[Any, dict[str, Any]]:
        while self.state.is_chance_node() and not self.state.is_terminal():
            outcomes, shares = zip(*self.state.chance_outcomes(), strict=True)
            self.state.apply_action(self.rng.choices(outcomes, shares)[0])
        mask = None if self.state.is_terminal() else self.state.legal_actions_mask()
        return np.array(self.state.observation_tensor(0)), {"legal": mask or [0] * 4}


class textarena:  # noqa: N801
    """TextArena's game, whose moves are words."""

    def __init__(self) -> None:
        from textarena.envs.Game2048.env import Game2048Env

        self.env = Game2048Env()

    def reset(self, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
        self.env.reset(num_players=1, seed=seed)
        return self._board(), {}

    def step(self, action: int) -> Step:
        done, info = self.env.step(("[Up]", "[Down]", "[Left]", "[Right]")[action])
        reward = self.env.state.rewards[0] if done else 0.0
        return self._board(), reward, done, False, {"score": self.env.state.game_state["score"]}

    def set_board(self, rows: Rows) -> None:
        self.env.state.game_state["board"] = rows.tolist()
        self.env.state.done, self.env.state.error_count = False, 0

    def _board(self) -> Rows:
        return np.array(self.env.state.game_state["board"])


def lightzero() -> Any:
    from zoo.game_2048.envs.game_2048_env import Game2048Env

    env = Game2048Env(Game2048Env.default_config())
    env.set_board = lambda rows: setattr(env, "board", rows.astype(np.int32))
    return env
