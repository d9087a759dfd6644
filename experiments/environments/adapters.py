"""Environments of 2048 that pip installs, for `tdl rules experiments.environments.adapters:NAME`.

A function of this module makes an environment as its package has it. A class plays one whose steps are not
Gymnasium's. None has a rule of the game. Each imports its package when called: requirements.txt has the versions.
"""

import random
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = list[list[int]]
Board = NDArray[np.int64]
Step = tuple[Any, float, bool, bool, dict[str, Any]]
DIRECTIONS = "up", "down", "left", "right"


def exponents(rows: Rows) -> Board:
    """Tile values as powers of two, an empty cell as 0."""
    return np.log2(np.maximum(rows, 1)).astype(np.int32)


def gymnasium_2048() -> Any:
    import gymnasium
    import gymnasium_2048.envs  # noqa: F401

    env: Any = gymnasium.make("gymnasium_2048/TwentyFortyEight-v0", disable_env_checker=True)
    env.set_board = lambda rows: setattr(env.unwrapped, "board", exponents(rows).astype(np.uint8))
    return env


def gym_2048_extended() -> Any:
    from gym_2048.env import Base2048Env

    env = Base2048Env()
    env.set_board = lambda rows: setattr(env, "board", np.array(rows))
    return env


def ash2048() -> Any:
    """Its modules import each other as `gym2048`, the name that its folder does not have when it is installed."""
    import sys
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    spec = PathFinder.find_spec("ash2048")
    if spec is None:
        raise ModuleNotFoundError("No module named 'ash2048'")
    sys.modules["gym2048"] = module_from_spec(spec)
    from gym2048.env import Game2048

    return Game2048()


def envpack() -> Any:
    import envpack  # noqa: F401
    import gymnasium

    env: Any = gymnasium.make("envpack/2048-v0", disable_env_checker=True)
    env.set_board = lambda rows: setattr(env.unwrapped, "_grid", np.array(rows, np.int32))
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
        board = exponents(rows)
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
        board = exponents(rows)
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
        return np.array(self.env.state.game_state["board"]), {}

    def step(self, action: int) -> Step:
        done, _ = self.env.step(f"[{DIRECTIONS[action]}]")
        state = self.env.state
        reward = state.rewards[0] if done else 0.0
        return np.array(state.game_state["board"]), reward, done, False, {"score": state.game_state["score"]}

    def set_board(self, rows: Rows) -> None:
        self.env.state.game_state["board"] = rows
        self.env.state.done, self.env.state.error_count = False, 0


class gem_llm:  # noqa: N801
    """GEM's game, whose moves are words."""

    def __init__(self) -> None:
        from gem.envs.game_env.game_2048 import Game2048Env

        self.env = Game2048Env()

    def reset(self, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
        self.env.reset(seed)
        return np.array(self.env.board), {}

    def step(self, action: int) -> Step:
        _, *results, _ = self.env.step(rf"\boxed{{{DIRECTIONS[action]}}}")
        return np.array(self.env.board), *results, {}

    def set_board(self, rows: Rows) -> None:
        self.env.board, self.env.max_tile_achieved = rows, max(map(max, rows))


def lightzero() -> Any:
    from zoo.game_2048.envs.game_2048_env import Game2048Env

    env = Game2048Env(Game2048Env.default_config())
    env.set_board = None  # its own takes boards that it has no observations of: with a tile 65536
    return env


class Engine:
    """A game without Gymnasium's steps and without seeds: `make` begins one, `play` makes a move."""

    def reset(self) -> tuple[Any, dict[str, Any]]:
        self.game = self.make()
        return self.seen(), {}

    def step(self, action: int) -> Step:
        reward, over = self.play(action)
        return self.seen(), float(reward), over, False, {}

    def make(self) -> Any:
        raise NotImplementedError

    def play(self, action: int) -> tuple[float, bool]:
        raise NotImplementedError

    def seen(self) -> Board:
        raise NotImplementedError


class twenty48(Engine):  # noqa: N801
    """As `Game.play_game` of the package plays."""

    def make(self) -> Any:
        from twenty48.Board import Board

        self.moves = Board.Move
        return Board()

    def play(self, action: int) -> tuple[float, bool]:
        score = self.game.get_score()
        if self.game.check_legal_move(move := self.moves(action)):
            self.game.move(move).set_random_square()
        return self.game.get_score() - score, not self.game.get_legal_moves()

    def seen(self) -> Board:
        return np.array(self.game.get_tiles()).reshape(4, 4)

    def set_board(self, rows: Rows) -> None:
        self.game.set_tile_value([*range(16)], [tile for row in rows for tile in row])


class py2048_engine(Engine):  # noqa: N801
    """It has no score, and raises its two exceptions when a move follows the last."""

    def make(self) -> Any:
        from Py2048_Engine.Exceptions import GameLostException, GameWonException
        from Py2048_Engine.Game import Game

        self.ends = GameLostException, GameWonException
        return Game()

    def play(self, action: int) -> tuple[float, bool]:
        getattr(self.game, DIRECTIONS[action])()
        try:
            self.game._canContinue()
        except self.ends:
            return 0, True
        return 0, False

    def seen(self) -> Board:
        return np.array([[tile or 0 for tile in row] for row in self.game.board])


class libtwenty(Engine):  # noqa: N801
    """Its score is the sum of the tiles: no reward."""

    def make(self) -> Any:
        from libtwenty import Board

        return Board()

    def play(self, action: int) -> tuple[float, bool]:
        self.game.move(action)
        return 0, self.game.possible_moves["over"]

    def seen(self) -> Board:
        return np.array(self.game.board)

    def set_board(self, rows: Rows) -> None:
        self.game.board = np.array(rows)


class term2048(Engine):  # noqa: N801
    """As its terminal plays: to 2048."""

    def make(self) -> Any:
        from term2048.board import Board

        return Board()

    def play(self, action: int) -> tuple[float, bool]:
        return self.game.move(action + 1), self.game.won() or not self.game.canMove()

    def seen(self) -> Board:
        return np.array(self.game.cells)

    def set_board(self, rows: Rows) -> None:
        self.game.cells = rows


class tui_2048(Engine):  # noqa: N801
    """The engine of a program for terminals."""

    def make(self) -> Any:
        from game2048.game import Direction, Game2048

        self.moves = [*Direction]
        return Game2048()

    def play(self, action: int) -> tuple[float, bool]:
        score = self.game.score
        self.game.move(self.moves[action])
        return self.game.score - score, self.game.game_over

    def seen(self) -> Board:
        return np.array(self.game.board)

    def set_board(self, rows: Rows) -> None:
        self.game.board, self.game.game_over = rows, False


class twothousand_forty_eight:  # noqa: N801
    """Moves of boards alone."""

    def move(self, board: Board, action: int) -> tuple[Board, float]:
        from twothousand_forty_eight.board import Board, check_move
        from twothousand_forty_eight.direction import Direction

        ours = Board(4, 4)
        for (y, x), tile in np.ndenumerate(board):
            ours.set_tile(x, y, int(tile))
        after = check_move(ours, Direction(action))
        return np.array([[tile.value for tile in row] for row in after.tiles]), after.score_gain
