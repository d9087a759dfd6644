"""The environments: of one game, and of many games at once."""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from tdl.base.checks import check_choice, check_whole, without_numpy
from tdl.errors import refuse
from tdl.gym.conventions import LegalDiscrete, LegalMultiDiscrete
from tdl.gym.observed_boards import ARGUMENTS, FIGURES, RENDER_MODES, Boards, Frame, Info, Observation, row_of


class _Settled:
    """An environment whose arguments are not assigned afterwards, which would change nothing."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ARGUMENTS:
            raise AttributeError(f"{name}: cannot be changed in an environment; make a new one")
        super().__setattr__(name, value)


class GameEnv(_Settled, gymnasium.Env[Observation, Any]):
    """2048 and its relatives.

    ## Description

    Tiles on a board slide towards one of its walls, and merge with their neighbours by the law of the game; then a new
    tile drops on a random empty cell.

    ## Action Space

    `Discrete(4)`: 0 up, 1 right, 2 down, 3 left, or in the order of `actions`, which the masks follow; also a name.
    `info["action_mask"]` (int8, 1 where legal) fits `action_space.sample(mask)`; `action_masks()` gives the same as
    bool, as sb3-contrib asks for it. An action that changes nothing is illegal. By `illegal`:

    - `"ignore"`: nothing happens (reward 0, no tile drops, the game goes on). A player that never looks at the mask
      may stand still for ever: give `gymnasium.make(..., max_episode_steps=...)`.
    - `"mask"`: the same, and the observation is a dictionary, `"observation"` and `"action_mask"`, as PettingZoo and
      RLlib have it.
    - `"end"`: the game ends: terminated, the board as it was, reward 0.
    - `"raise"`: it raises `ConfigError`. `action_space.sample()` gives legal actions of the board as it is; so does
      that of `GameVectorEnv`, but not of Gymnasium's own vectorisers.

    ## Observation Space

    By `observation`; L is the largest tile index that the board can hold (15 in 2048 on 4x4):

    - `"indices"`: `Box(0, L, (rows, cols), uint8)`, tile indices: 0 empty, then 1, 2, 3 ... in the order of
      the values.
    - `"values"`: `Box(0, ..., (rows, cols), int32)`, tile values, 0 empty.
    - `"scaled"`: `Box(0, 1, (rows, cols), float32)`, tile index / L.
    - `"planes"`: `MultiBinary((L + 1, rows, cols))`, plane i is 1 where the tile index is i; plane 0 marks
      empty cells.
    - `"planes_last"`: `MultiBinary((rows, cols, L + 1))`, the same.

    `info` holds `action_mask`, `score`, `moves` (legal ones), `max_tile` (its value), `seed` and `game` (which
    of that seed, from 0 on).

    ## Rewards

    A float. By `reward`:

    - `"score"`: the sum of the values of the tiles that the move made: what it adds to the score.
    - `"log2"`: the logarithm of that to base 2; 0 where the move made no tile.
    - `"regret"`: the value of the move minus that of the best one, by `player`: 0 at best. An illegal move that ends
      the game loses the whole value of the best one; one that is ignored has reward 0, so mask it.

    ## Starting State

    An empty board with the tiles of the start law. Game k (from 0) after `reset(seed=s)` is game k of the stream
    (s, training): the same drops for the same moves, here and in `tdl.Trainer`. Later resets without a seed go on with
    the next number. A new environment that is reset without a seed draws one from its own `np_random`;
    `info["seed"]` tells it.

    ## Episode End

    Terminated when no action is legal, or by an illegal one with `illegal="end"`. Never truncated by itself.

    ## Arguments

    game : "2048", "2584" or "threes_law".
    size : "2x2" to "5x5", rows first.
    tiles : a tile rule of `conf/tiles` by name, "p90_10" and others.
    drop, start : the drop law and the start law instead of that rule's, as `Rules` has them: `((1, 0.9), (2, 0.1))`,
        `("drop", "drop")`; a game that begins with one tile has `start=("drop",)`.
    engine : "bits" or "array", what boards are while they are played with: the same games.
    observation : "indices", "values", "planes", "planes_last" or "scaled".
    illegal : "ignore", "raise", "end" or "mask".
    actions : the order of the actions, "up,right,down,left".
    reward : "score", "log2" or "regret".
    player : who values moves for "regret": the folder of a run or checkpoint, "tdl:small", or an object with
        `values_of(boards)` or `values(board)` of packed boards, as `tdl.Player` has them; of the same game and board.
    render_mode : None; "ansi": `render()` returns board and score as text; "rgb_array": a picture of the board, uint8
        (height, width, 3), 230 x 230 pixels for 4x4.

    ## Version History

    * v0: first.

    Raises
    ------
    ConfigError : an argument that is not allowed; it names what is.
    CheckpointError : there is no such player.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 4}  # noqa: RUF012 - as Gymnasium has it

    def __init__(self, *, render_mode: str | None = None, **arguments: Any) -> None:
        self._boards = Boards(1, render_mode=render_mode, **arguments)
        self.render_mode = render_mode
        self.observation_space = self._boards.space
        self.action_space = LegalDiscrete(4) if self._boards.illegal == "raise" else spaces.Discrete(4)
        self._action = np.zeros(1, np.int64)
        self.__setstate__({})

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._mask: NDArray[np.int8] = self._boards.batch.legal[0].view(np.int8)  # a view: it follows the batch
        if isinstance(self.action_space, LegalDiscrete):
            self.action_space.masks = self.action_masks

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, Info]:
        """Begin a game: the first of `seed`, or the next one. There are no options."""
        if options:
            raise refuse("options", options, "none")
        if seed is not None:
            seed = without_numpy(seed)
            check_whole("seed", seed, 0)
        super().reset(seed=seed)
        boards, only = self._boards, np.zeros(1, np.int64)
        if seed is not None or boards.seeds is None:
            boards.seed(only, np.array([self.np_random.integers(2**63) if seed is None else seed], np.int64))
        boards.begin(only)
        return row_of(boards.observe(), 0), self._info()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, Info]:
        """Play a move; a step after the end of the game is an illegal one. `action`: also an array of one number."""
        boards, batch = self._boards, self._boards.batch
        if boards.seeds is None:
            raise ResetNeeded("reset() comes before the first step()")
        self._action[0] = action = boards.action_of(action)
        if boards.lost.item():
            reward = 0.0
        elif self._mask[action]:
            reward = boards.reward(batch, self._action).item()
        else:
            reward = boards.play_illegal(boards.rows, self._action).item()
        return row_of(boards.observe(), 0), float(reward), batch.over.item() or boards.lost.item(), False, self._info()

    def action_masks(self) -> NDArray[np.bool_]:
        """Whether each action is legal: bool array of shape (4,)."""
        return np.array(self._boards.legal[0])

    def render(self) -> Frame | None:
        """The board as the render mode has it."""
        return None if self.render_mode is None else self._boards.render(self.render_mode)[0]

    def _info(self) -> Info:
        """The info of the one board: plain numbers, but for the mask."""
        batch, seeds = self._boards.batch, self._boards.seeds
        assert seeds is not None
        return {
            "action_mask": self._mask[self._boards.order],
            **{key: getattr(batch, name).item() for key, name in FIGURES.items()},
            "seed": seeds.item(),
        }


class GameVectorEnv(_Settled, VectorEnv[Observation, Any, NDArray[Any]]):
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
        raises = self._boards.illegal == "raise"
        self.action_space = LegalMultiDiscrete([4] * num_envs) if raises else spaces.MultiDiscrete([4] * num_envs)
        self._max_steps = np.iinfo(np.int64).max if max_episode_steps is None else max_episode_steps
        self._steps = np.zeros(num_envs, np.int64)
        self._ended = np.zeros(num_envs, np.bool_)
        self.__setstate__({})

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if isinstance(self.action_space, LegalMultiDiscrete):
            self.action_space.masks = self.action_masks

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, Info]:
        """Begin a game on every board, or on those of the bool array `options["reset_mask"]`."""
        options = options or {}
        if options.keys() - {"reset_mask"}:
            raise refuse("options", options, "reset_mask alone")
        mask = options.get("reset_mask")
        if mask is not None and not (np.shape(mask) == (self.num_envs,) and np.asarray(mask).dtype.kind == "b"):
            raise refuse("reset_mask", mask, f"a bool array of shape {(self.num_envs,)}")
        which = self._boards.rows if mask is None else np.flatnonzero(mask)
        if self._boards.seeds is None and len(which) < self.num_envs:
            raise ResetNeeded("reset() of all comes before that of some")
        self._seed(seed, which)
        self._begin(which)
        return self._boards.observe(), self._info()

    def step(self, actions: ArrayLike) -> tuple[Observation, NDArray[Any], NDArray[Any], NDArray[Any], Info]:
        """Play a move on every board. `actions`: whole numbers 0 to 3, shape (num_envs,) or (num_envs, 1)."""
        boards = self._boards
        if boards.seeds is None:
            raise ResetNeeded("reset() comes before the first step()")
        starting = self._ended if self.autoreset_mode == AutoresetMode.NEXT_STEP else None
        rewards = boards.play(boards.actions_of(actions), starting)
        self._steps[:] += 1
        if starting is not None and starting.any():
            self._begin(np.flatnonzero(starting))
        terminated, truncated = boards.over, self._steps >= self._max_steps
        self._ended[:] = terminated | truncated
        final: Info = {}
        if self.autoreset_mode == AutoresetMode.SAME_STEP and self._ended.any():
            final = self._final(self._ended)
            self._begin(np.flatnonzero(self._ended))
        return boards.observe(), rewards, terminated, truncated, self._info() | final

    def action_masks(self) -> NDArray[np.bool_]:
        """Whether each action is legal: bool array of shape (num_envs, 4)."""
        return self._boards.legal.copy()

    def render(self) -> tuple[Frame, ...] | None:
        """Each board as the render mode has it."""
        return None if self.render_mode is None else tuple(self._boards.render(self.render_mode))

    def _seed(self, seed: int | Sequence[int | None] | None, which: NDArray[np.int64]) -> None:
        """Note the seeds of boards that are to be reset; None leaves a board those it has."""
        boards, seeds = self._boards, without_numpy(seed)
        if isinstance(seeds, int):
            check_whole("seed", seeds, 0, 2**63 - self.num_envs)
            VectorEnv.reset(self, seed=seeds)  # which seeds `np_random`
            seeds = [seeds + i for i in range(self.num_envs)]
        if boards.seeds is None:
            boards.seed(self._boards.rows, self.np_random.integers(2**63, size=self.num_envs))
        if seeds is None:
            return
        if not isinstance(seeds, Sequence) or isinstance(seeds, str) or len(seeds) != self.num_envs:
            raise refuse("seed", seeds, f"a whole number, or a list of {self.num_envs}")
        for i in which:
            if seeds[i] is not None:
                check_whole("seed", seeds[i], 0)
                boards.seed(self._boards.rows[i : i + 1], np.array([seeds[i]]))

    def _begin(self, which: NDArray[np.int64]) -> None:
        self._boards.begin(which)
        self._steps[which] = 0
        self._ended[which] = False

    def _info(self) -> Info:
        """The infos of all boards; `_key` marks the boards that have `key`, as in Gymnasium."""
        info = self._boards.info()
        return info | dict.fromkeys([f"_{key}" for key in info], np.ones(self.num_envs, np.bool_))

    def _final(self, ended: NDArray[np.bool_]) -> Info:
        """The last observations and infos of finished boards, before their next games begin."""
        seen, last = self._boards.observe(), np.full(self.num_envs, None, object)
        for i in np.flatnonzero(ended):
            last[i] = row_of(seen, i)
        info = self._boards.info()
        for rows in info.values():
            rows[~ended] = 0
        info |= {f"_{key}": ended.copy() for key in info}
        return {"final_obs": last, "_final_obs": ended.copy(), "final_info": info, "_final_info": ended.copy()}
