"""The environment of many games at once."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from tdl.base.checks import check_choice, check_whole, without_numpy
from tdl.errors import refuse
from tdl.game.boards import actions_of
from tdl.gym.boards import Boards, Frame, Info, Observation
from tdl.gym.env import GameEnv


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
        self._max_steps = max_episode_steps
        self._steps = np.zeros(num_envs, np.int64)
        self._ended = np.zeros(num_envs, np.bool_)
        self._rows = np.arange(num_envs)

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
        which = self._rows if mask is None else np.flatnonzero(mask)
        if self._boards.seeds is None and len(which) < self.num_envs:
            raise ResetNeeded("reset() of all comes before that of some")
        self._seed(seed, which)
        self._begin(which)
        return self._boards.observe(), self._info()

    def step(self, actions: ArrayLike) -> tuple[Observation, NDArray[Any], NDArray[Any], NDArray[Any], Info]:
        """Play a move on every board. `actions`: whole numbers 0 to 3, shape (num_envs,) or (num_envs, 1)."""
        boards, batch = self._boards, self._boards.batch
        if boards.seeds is None:
            raise ResetNeeded("reset() comes before the first step()")
        chosen = actions_of(actions, self.num_envs)
        starting = self._ended if self.autoreset_mode == AutoresetMode.NEXT_STEP else None
        rewards = self._play(chosen, starting)
        self._steps += 1
        if starting is not None and starting.any():
            self._begin(np.flatnonzero(starting))
        terminated = batch.over.copy()
        truncated = np.zeros(self.num_envs, np.bool_) if self._max_steps is None else self._steps >= self._max_steps
        self._ended = terminated | truncated
        final: Info = {}
        if self.autoreset_mode == AutoresetMode.SAME_STEP and self._ended.any():
            final = self._final(self._ended)
            self._begin(np.flatnonzero(self._ended))
        return boards.observe(), rewards, terminated, truncated, self._info() | final

    def action_masks(self) -> NDArray[np.bool_]:
        """Whether each action is legal: bool array of shape (num_envs, 4)."""
        return self._boards.batch.legal.copy()

    def render(self) -> tuple[Frame, ...] | None:
        """Each board as the render mode has it."""
        frames = self._boards.render(self.render_mode)
        return None if frames is None else tuple(frames)

    def _seed(self, seed: int | Sequence[int | None] | None, which: NDArray[np.int64]) -> None:
        """Note the seeds of boards that are to be reset; None leaves a board those it has."""
        seed = without_numpy(seed)
        if isinstance(seed, int):
            check_whole("seed", seed, 0, 2**63 - self.num_envs)
            VectorEnv.reset(self, seed=seed)  # which seeds `np_random`
            seed = [seed + i for i in range(self.num_envs)]
        if self._boards.seeds is None:
            self._boards.seed(self._rows, self.np_random.integers(2**63, size=self.num_envs))
        if seed is None:
            return
        if not isinstance(seed, Sequence) or isinstance(seed, str) or len(seed) != self.num_envs:
            raise refuse("seed", seed, f"a whole number, or a list of {self.num_envs}")
        for i in which:
            if (own := seed[i]) is not None:
                check_whole("seed", own, 0)
                self._boards.seed(self._rows[i : i + 1], np.array([own]))

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
        """The infos of all boards; `_key` marks the boards that have `key`, as in Gymnasium."""
        info = self._boards.info()
        return info | dict.fromkeys([f"_{key}" for key in info], np.ones(self.num_envs, np.bool_))

    def _final(self, ended: NDArray[np.bool_]) -> Info:
        """The last observations and infos of finished boards, before their next games begin."""
        seen, last = self._boards.observe(), np.full(self.num_envs, None, object)
        for i in np.flatnonzero(ended):
            last[i] = seen[i]
        info = {key: np.where(ended.reshape(-1, *[1] * (rows.ndim - 1)), rows, 0)
                for key, rows in self._boards.info().items()}  # fmt: skip
        info |= {f"_{key}": ended.copy() for key in info}
        return {"final_obs": last, "_final_obs": ended.copy(), "final_info": info, "_final_info": ended.copy()}
