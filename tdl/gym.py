"""The games as Gymnasium environments: `import tdl.gym` registers `tdl/Game-v0`, alone and vectorised."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tdl.checks import check_choice, check_whole
from tdl.config.files import group_file
from tdl.errors import refuse
from tdl.game.batch import Batch
from tdl.game.engine import grid_text
from tdl.game.rules import Rules, parse_size
from tdl.game.streams import TRAINING

try:
    import gymnasium
except ModuleNotFoundError as error:
    if error.name != "gymnasium":
        raise
    raise ImportError(
        "tdl.gym needs gymnasium, which is not installed; it comes with the extra `gym`: pip install '.[gym]'"
    ) from error

from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

ID = "tdl/Game-v0"

OBSERVATIONS = ("indices", "values", "planes")
ILLEGAL = ("ignore", "raise")
RENDER_MODES = ("ansi",)

Observation = NDArray[Any]
Info = dict[str, Any]


class Boards:
    """What both environments are made of: a batch, how it is observed, and the seed and next game of each board.

    Parameters are those of `GameEnv`; `n` is the number of boards.
    """

    def __init__(
        self,
        n: int,
        game: str = "pow2",
        size: str = "4x4",
        tiles: str = "p90_10",
        drop: Any = None,
        start: Any = None,
        engine: str = "bits",
        observation: str = "indices",
        illegal: str = "ignore",
        render_mode: str | None = None,
    ) -> None:
        check_choice("observation", observation, OBSERVATIONS)
        check_choice("illegal", illegal, ILLEGAL)
        if render_mode is not None:
            check_choice("render_mode", render_mode, RENDER_MODES)
        law = group_file("tiles", tiles)
        rows, cols = parse_size(size)
        laws = {"drop": law["drop"] if drop is None else drop, "start": law["start"] if start is None else start}
        rules = Rules(game, rows, cols, **laws)
        self.batch = Batch(rules, n, engine=engine)
        self.grids: Observation = self.batch.tiles.reshape(n, rows, cols)  # a view: it follows the batch
        self.raises = illegal == "raise"
        self.shape = (rows, cols)
        self.values = np.array([rules.value(tile) for tile in range(rules.largest + 1)], np.int32)
        self.observation = observation
        self.seeds: NDArray[np.int64] | None = None
        self.next_episode = np.zeros(n, np.int64)

    @property
    def space(self) -> spaces.Space[Any]:
        """The observations of one board."""
        largest = len(self.values) - 1
        if self.observation == "planes":
            return spaces.MultiBinary((largest + 1, *self.shape))
        if self.observation == "values":
            return spaces.Box(0, int(self.values[-1]), self.shape, np.int32)
        return spaces.Box(0, largest, self.shape, np.uint8)

    def observe(self) -> Observation:
        """What is seen of all boards, a new array of shape (n, ...)."""
        if self.observation == "planes":
            symbols = np.arange(len(self.values), dtype=np.uint8)
            planes: Observation = self.grids[:, None] == symbols[:, None, None]
            return planes.view(np.int8)
        return self.values[self.grids] if self.observation == "values" else self.grids.copy()

    def info(self) -> Info:
        """What is told of all boards, new arrays with n rows."""
        batch = self.batch
        assert self.seeds is not None
        return {
            "action_mask": batch.legal.astype(np.int8),
            "score": batch.score.copy(),
            "moves": batch.moves.copy(),
            "max_tile": batch.max_tile.copy(),
            "episode": batch.episode.copy(),
            "seed": self.seeds.copy(),
        }

    def seed(self, which: NDArray[np.int64], seeds: NDArray[np.int64]) -> None:
        """Give boards the games of other seeds, from number 0 on."""
        if self.seeds is None:
            self.seeds = np.zeros(self.batch.n, np.int64)
        self.seeds[which] = seeds
        self.next_episode[which] = 0

    def begin(self, which: NDArray[np.int64]) -> None:
        """Start the next game of some boards."""
        assert self.seeds is not None
        self.batch.start(which, self.seeds[which], TRAINING, self.next_episode[which])
        self.next_episode[which] += 1

    def text(self) -> list[str]:
        """Each board and its score, as text."""
        grids = self.values[self.grids]
        return [
            f"score {score}, move {moves}\n{grid_text(grid)}\n"
            for grid, score, moves in zip(grids, self.batch.score, self.batch.moves, strict=True)
        ]


class GameEnv(gymnasium.Env[Observation, Any]):
    """2048 and its relatives.

    ## Description

    Tiles on a board slide towards one of its walls, and merge with their neighbours by the law of the game; then a new
    tile drops on a random empty cell.

    ## Action Space

    `Discrete(4)`: 0 up, 1 right, 2 down, 3 left. An action that changes nothing is illegal: by default it is ignored
    (reward 0, no tile drops, the game goes on), with `illegal="raise"` it raises `ConfigError`. `info["action_mask"]`
    (int8, 1 where legal) fits `action_space.sample(mask)`; `action_masks()` gives the same as bool, as
    sb3-contrib asks for it. A player that never looks at the mask may stand still for ever: give
    `gymnasium.make(..., max_episode_steps=...)`.

    ## Observation Space

    By `observation`:

    - `"indices"`: `Box(0, L, (rows, cols), uint8)`, tile indices: 0 empty, then 1, 2, 3 ... in the order of
      the values; L is the largest the board can hold (15 in 2048 on 4x4).
    - `"values"`: `Box(0, ..., (rows, cols), int32)`, tile values, 0 empty.
    - `"planes"`: `MultiBinary((L + 1, rows, cols))`, plane i is 1 where the tile index is i; plane 0 marks
      empty cells.

    `info` holds `action_mask`, `score`, `moves` (legal ones), `max_tile` (its value), `seed` and `episode`.

    ## Rewards

    The sum of the values of the tiles that the move made, a float: what it adds to the score.

    ## Starting State

    An empty board with the tiles of the start law. Game k (from 0) after `reset(seed=s)` is game k of the stream
    (s, training): the same drops for the same moves, here and in `tdl.Trainer`. Later resets without a seed go on with
    the next number. A new environment that is reset without a seed draws one from its own `np_random`;
    `info["seed"]` tells it.

    ## Episode End

    Terminated when no action is legal. Never truncated by itself.

    ## Arguments

    game : "pow2" (2048), "fib" (2584) or "threes_law".
    size : "2x2" to "5x5", rows first.
    tiles : a tile rule of `conf/tiles` by name, "p90_10" and others.
    drop, start : the drop law and the start law instead of that rule's, as `Rules` has them: `((1, 0.9), (2, 0.1))`,
        `("drop", "drop")`.
    engine : "bits" or "array", what boards are while they are played with: the same games.
    observation : "indices", "values" or "planes".
    illegal : "ignore" or "raise".
    render_mode : None, or "ansi": `render()` returns the board as text.

    ## Version History

    * v0: first.

    Raises
    ------
    ConfigError : an argument that is not allowed; it names what is.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 4}  # noqa: RUF012 - as Gymnasium has it

    def __init__(self, *, render_mode: str | None = None, **arguments: Any) -> None:
        self._boards = Boards(1, render_mode=render_mode, **arguments)
        self.render_mode = render_mode
        self.observation_space = self._boards.space
        self.action_space = spaces.Discrete(4)
        self._action = np.zeros(1, np.int64)
        self._mask: NDArray[np.int8] = self._boards.batch.legal[0].view(np.int8)  # it follows the batch

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, Info]:
        """Begin a game: the first of `seed`, or the next one. There are no options."""
        if seed is not None:
            check_whole("seed", seed, 0)
        super().reset(seed=seed)
        boards, only = self._boards, np.zeros(1, np.int64)
        if seed is not None or boards.seeds is None:
            boards.seed(only, np.array([self.np_random.integers(2**63) if seed is None else seed], np.int64))
        boards.begin(only)
        return boards.observe()[0], self._info()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, Info]:
        """Play a move; a step after the end of the game is an illegal one."""
        boards, batch = self._boards, self._boards.batch
        if boards.seeds is None:
            raise ResetNeeded("reset() comes before the first step()")
        action = index(action)
        if not 0 <= action < 4:
            raise refuse("action", action, "0 (up), 1 (right), 2 (down) or 3 (left)")
        reward = 0.0
        if boards.raises or self._mask[action]:
            self._action[0] = action
            reward = float(batch.step(self._action).item())
        return boards.observe()[0], reward, batch.over.item(), False, self._info()

    def action_masks(self) -> NDArray[np.bool_]:
        """Whether each action is legal: bool array of shape (4,)."""
        return np.array(self._boards.batch.legal[0])

    def render(self) -> str | None:
        """The board as text, in the render mode "ansi"."""
        return self._boards.text()[0] if self.render_mode == "ansi" else None

    def _info(self) -> Info:
        """What `Boards.info` tells, of the one board: plain numbers, but for the mask."""
        batch, seeds = self._boards.batch, self._boards.seeds
        assert seeds is not None
        return {
            "action_mask": self._mask.copy(),
            "score": batch.score.item(),
            "moves": batch.moves.item(),
            "max_tile": batch.max_tile.item(),
            "episode": batch.episode.item(),
            "seed": seeds.item(),
        }


class GameVectorEnv(VectorEnv[Observation, Any, NDArray[Any]]):
    """Many games at once, each as `GameEnv` plays it: the same seeds and actions give the same games.

    Board i of `reset(seed=s)` has the seed s + i, as with Gymnasium's own vectorisers; a list gives each its own.

    Parameters
    ----------
    num_envs : number of boards.
    autoreset_mode : when a finished board starts its next game: `AutoresetMode.NEXT_STEP` (the next `step` ignores its
        action, and starts), `SAME_STEP` (at once; `info["final_obs"]` and `info["final_info"]` hold what was), or
        `DISABLED` (by `reset(options={"reset_mask": mask})`, mask a bool array). Names as "NextStep" do as well.
    max_episode_steps : steps after which a game is truncated; None: never.
    arguments : those of `GameEnv`.

    Raises
    ------
    ConfigError : an argument that is not allowed; it names what is.
    """

    metadata = {**GameEnv.metadata, "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012

    def __init__(
        self,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
        **arguments: Any,
    ) -> None:
        names = [mode.value for mode in AutoresetMode]
        check_choice("autoreset_mode", getattr(autoreset_mode, "value", autoreset_mode), names)
        if max_episode_steps is not None:
            check_whole("max_episode_steps", max_episode_steps, 1)
        check_whole("num_envs", num_envs, 1, 2**31)
        self._boards = Boards(num_envs, render_mode=render_mode, **arguments)
        self.num_envs, self.render_mode = num_envs, render_mode
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**type(self).metadata, "autoreset_mode": self.autoreset_mode}
        self.single_observation_space = self._boards.space
        self.single_action_space = spaces.Discrete(4)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._most = max_episode_steps
        self._steps = np.zeros(num_envs, np.int64)
        self._ended = np.zeros(num_envs, np.bool_)
        self._rows = np.arange(num_envs)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, Info]:
        """Begin a game on every board, or on those of the bool array `options["reset_mask"]`."""
        mask = (options or {}).get("reset_mask")
        if mask is not None and not (np.shape(mask) == (self.num_envs,) and np.asarray(mask).dtype.kind == "b"):
            raise refuse("reset_mask", mask, f"a bool array of shape {(self.num_envs,)}")
        which = self._rows if mask is None else np.flatnonzero(mask)
        if self._boards.seeds is None and len(which) < self.num_envs:
            raise ResetNeeded("reset() of all comes before that of some")
        self._seed(seed, which)
        self._begin(which)
        return self._boards.observe(), self._info()

    def step(self, actions: ArrayLike) -> tuple[Observation, NDArray[Any], NDArray[Any], NDArray[Any], Info]:
        """Play a move on every board. `actions`: whole numbers 0 to 3, shape (num_envs,)."""
        boards, batch = self._boards, self._boards.batch
        if boards.seeds is None:
            raise ResetNeeded("reset() comes before the first step()")
        chosen = np.asarray(actions)
        if chosen.shape != (self.num_envs,) or chosen.dtype.kind not in "iu" or chosen.min() < 0 or chosen.max() > 3:
            raise refuse("actions", chosen.tolist(), f"{self.num_envs} of 0 (up), 1 (right), 2 (down) and 3 (left)")
        starting = self._ended if self.autoreset_mode == AutoresetMode.NEXT_STEP else None
        rewards = self._play(chosen, starting)
        self._steps += 1
        if starting is not None and starting.any():
            self._begin(np.flatnonzero(starting))
        terminated = batch.over.copy()
        truncated = np.zeros(self.num_envs, np.bool_) if self._most is None else self._steps >= self._most
        self._ended = terminated | truncated
        final: Info = {}
        if self.autoreset_mode == AutoresetMode.SAME_STEP and self._ended.any():
            final = self._final(self._ended)
            self._begin(np.flatnonzero(self._ended))
        return boards.observe(), rewards, terminated, truncated, self._info() | final

    def action_masks(self) -> NDArray[np.bool_]:
        """Whether each action is legal: bool array of shape (num_envs, 4)."""
        return self._boards.batch.legal.copy()

    def render(self) -> tuple[str, ...] | None:
        """The boards as text, in the render mode "ansi"."""
        return tuple(self._boards.text()) if self.render_mode == "ansi" else None

    def _seed(self, seed: int | Sequence[int | None] | None, which: NDArray[np.int64]) -> None:
        """Note the seeds of boards that are to be reset; None leaves a board those it has."""
        if isinstance(seed, int):
            check_whole("seed", seed, 0, 2**63 - self.num_envs)
            VectorEnv.reset(self, seed=seed)  # which seeds `np_random`
            seed = [seed + i for i in range(self.num_envs)]
        if self._boards.seeds is None:
            self._boards.seed(self._rows, self.np_random.integers(2**63, size=self.num_envs))
        if seed is None:
            return
        if len(seed) != self.num_envs:
            raise refuse("seed", seed, f"a whole number, or a list of {self.num_envs}")
        for i in which:
            if (given := seed[i]) is not None:
                check_whole("seed", given, 0)
                self._boards.seed(self._rows[i : i + 1], np.array([given]))

    def _play(self, chosen: NDArray[Any], starting: NDArray[np.bool_] | None) -> NDArray[np.float64]:
        """Play the moves that are to be played: the rewards of all boards."""
        batch = self._boards.batch
        plays = np.ones(self.num_envs, np.bool_) if self._boards.raises else batch.legal[self._rows, chosen]
        if starting is not None:
            plays &= ~starting
        if plays.all():
            return batch.step(chosen).astype(np.float64)
        rewards = np.zeros(self.num_envs)
        which = np.flatnonzero(plays)
        rewards[which] = batch.step(chosen[which], which)
        return rewards

    def _begin(self, which: NDArray[np.int64]) -> None:
        self._boards.begin(which)
        self._steps[which] = 0
        self._ended[which] = False

    def _info(self) -> Info:
        """Every number of every board, and by `_key`, as Gymnasium has it, that it is told."""
        told = self._boards.info()
        return told | dict.fromkeys([f"_{key}" for key in told], np.ones(self.num_envs, np.bool_))

    def _final(self, ended: NDArray[np.bool_]) -> Info:
        """What is seen and told of finished boards, before their next games begin."""
        seen, last = self._boards.observe(), np.full(self.num_envs, None, object)
        for i in np.flatnonzero(ended):
            last[i] = seen[i]
        told = {key: np.where(ended.reshape(-1, *[1] * (each.ndim - 1)), each, 0)
                for key, each in self._boards.info().items()}  # fmt: skip
        told |= {f"_{key}": ended.copy() for key in told}
        return {"final_obs": last, "_final_obs": ended.copy(), "final_info": told, "_final_info": ended.copy()}


gymnasium.register(id=ID, entry_point=f"{__name__}:GameEnv", vector_entry_point=f"{__name__}:GameVectorEnv")
