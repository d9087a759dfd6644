"""The boards behind both environments: a batch, its observations and infos, and the seed of each board."""

from inspect import signature
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from tdl.base.checks import check_choice
from tdl.base.synonyms import like
from tdl.config.files import named_rules
from tdl.errors import ConfigError
from tdl.game.batch import Batch
from tdl.game.engine import TRAINING, grid_text
from tdl.sessions.pictures import frame

OBSERVATIONS = ("indices", "values", "planes")
ILLEGAL = ("ignore", "raise")
RENDER_MODES = ("ansi", "rgb_array")
FIGURES = {"score": "score", "moves": "moves", "max_tile": "max_tile", "game": "episode"}
"""Keys of `info` with what a batch calls them; under `episode` Gymnasium's wrappers put statistics."""

Observation = NDArray[Any]
Info = dict[str, Any]
Frame = str | NDArray[np.uint8]


class Boards:
    """A batch of boards: how they are observed, and the seed and next game of each.

    Parameters are those of `GameEnv`; `n` is the number of boards.
    """

    def __init__(
        self,
        n: int,
        game: str = "2048",
        size: str = "4x4",
        tiles: str = "p90_10",
        drop: Any = None,
        start: Any = None,
        engine: str = "bits",
        observation: str = "indices",
        illegal: str = "ignore",
        render_mode: str | None = None,
        **unknown: Any,
    ) -> None:
        for name in unknown:
            known = [*ARGUMENTS, "render_mode"]
            raise ConfigError(f"{name}: no such argument; expected one of {', '.join(known)}{like(name, known)}")
        check_choice("observation", observation, OBSERVATIONS)
        check_choice("illegal", illegal, ILLEGAL)
        if render_mode is not None:
            check_choice("render_mode", render_mode, RENDER_MODES)
        rules = named_rules(game, size, tiles, drop, start)
        self.batch, self.shape = Batch(rules, n, engine=engine), (rules.rows, rules.cols)
        self.raises = illegal == "raise"
        self.values = np.array([rules.value(tile) for tile in range(rules.largest + 1)], np.int32)
        self.observation = observation
        self.seeds: NDArray[np.int64] | None = None
        self.next_episode = np.zeros(n, np.int64)
        self.__setstate__({})

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.grids: Observation = self.batch.tiles.reshape(-1, *self.shape)  # a view: it follows the batch

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
        """The observations of all boards, a new array of shape (n, ...)."""
        if self.observation == "planes":
            symbols = np.arange(len(self.values), dtype=np.uint8)
            planes: Observation = self.grids[:, None] == symbols[:, None, None]
            return planes.view(np.int8)
        return self.values[self.grids] if self.observation == "values" else self.grids.copy()

    def info(self) -> Info:
        """The infos of all boards, new arrays with n rows."""
        batch = self.batch
        assert self.seeds is not None
        return {
            "action_mask": batch.legal.astype(np.int8),
            **{key: getattr(batch, name).copy() for key, name in FIGURES.items()},
            "seed": self.seeds.copy(),
        }

    def seed(self, which: NDArray[np.int64], seeds: NDArray[np.int64]) -> None:
        """Give boards other seeds; their next games are number 0 of them."""
        if self.seeds is None:
            self.seeds = np.zeros(self.batch.n, np.int64)
        self.seeds[which] = seeds
        self.next_episode[which] = 0

    def begin(self, which: NDArray[np.int64]) -> None:
        """Start the next game of some boards."""
        assert self.seeds is not None
        self.batch.start(which, self.seeds[which], TRAINING, self.next_episode[which])
        self.next_episode[which] += 1

    def render(self, mode: str) -> list[Frame]:
        """Each board as the render mode has it."""
        grids = self.values[self.grids]
        if mode == "rgb_array":
            return [frame(grid) for grid in grids]
        return [
            f"score {score}, move {moves}\n{grid_text(grid)}\n"
            for grid, score, moves in zip(grids, self.batch.score, self.batch.moves, strict=True)
        ]


ARGUMENTS = (*[*signature(Boards).parameters][1:-2],)
"""What an environment is made of, beside how it is shown."""
