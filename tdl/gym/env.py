"""The environment of one game."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from tdl.base.checks import check_whole, without_numpy
from tdl.errors import refuse
from tdl.game.boards import action_of
from tdl.gym.boards import FIGURES, RENDER_MODES, Boards, Frame, Info, Observation


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

    `info` holds `action_mask`, `score`, `moves` (legal ones), `max_tile` (its value), `seed` and `game` (which
    of that seed, from 0 on).

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

    game : "2048", "2584" or "threes_law".
    size : "2x2" to "5x5", rows first.
    tiles : a tile rule of `conf/tiles` by name, "p90_10" and others.
    drop, start : the drop law and the start law instead of that rule's, as `Rules` has them: `((1, 0.9), (2, 0.1))`,
        `("drop", "drop")`.
    engine : "bits" or "array", what boards are while they are played with: the same games.
    observation : "indices", "values" or "planes".
    illegal : "ignore" or "raise".
    render_mode : None; "ansi": `render()` returns board and score as text; "rgb_array": a picture of the board, uint8
        (height, width, 3), 230 x 230 pixels for 4x4.

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
        return boards.observe()[0], self._info()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, Info]:
        """Play a move; a step after the end of the game is an illegal one. `action`: also an array of one number."""
        boards, batch = self._boards, self._boards.batch
        if boards.seeds is None:
            raise ResetNeeded("reset() comes before the first step()")
        action = action_of(action)
        reward = 0.0
        if boards.raises or self._mask[action]:
            self._action[0] = action
            reward = float(batch.step(self._action).item())
        return boards.observe()[0], reward, batch.over.item(), False, self._info()

    def action_masks(self) -> NDArray[np.bool_]:
        """Whether each action is legal: bool array of shape (4,)."""
        return np.array(self._boards.batch.legal[0])

    def render(self) -> Frame | None:
        """The board as the render mode has it."""
        frames = self._boards.render(self.render_mode)
        return None if frames is None else frames[0]

    def _info(self) -> Info:
        """The info of the one board: plain numbers, but for the mask."""
        batch, seeds = self._boards.batch, self._boards.seeds
        assert seeds is not None
        return {
            "action_mask": self._mask.copy(),
            **{key: getattr(batch, name).item() for key, name in FIGURES.items()},
            "seed": seeds.item(),
        }
