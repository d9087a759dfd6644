"""The boards behind both environments: a batch, its observations and infos, and the seed of each board."""

from collections.abc import Callable
from inspect import signature
from typing import Any, NoReturn

import numpy as np
from gymnasium import spaces
from numpy.typing import ArrayLike, NDArray

from tdl.base.checks import check_choice
from tdl.base.synonyms import like
from tdl.config.files import named_rules
from tdl.errors import ConfigError, refuse
from tdl.game.batch import Batch
from tdl.game.boards import action_names, action_of, actions_of
from tdl.game.engine import TRAINING, grid_text
from tdl.game.rules import ACTION_NAMES
from tdl.gym.conventions import OBSERVED, REWARDED, Regret
from tdl.sessions.pictures import frame

OBSERVATIONS, REWARDS = (*OBSERVED,), (*REWARDED,)
RENDER_MODES = ("ansi", "rgb_array")
FIGURES = {"score": "score", "moves": "moves", "max_tile": "max_tile", "game": "episode"}
"""Keys of `info` with what a batch calls them; under `episode` Gymnasium's wrappers put statistics."""

Observation = NDArray[Any] | dict[str, NDArray[Any]]
Info = dict[str, Any]
Frame = str | NDArray[np.uint8]


class Boards:
    """A batch of boards: their moves, how they are observed, and the seed and next game of each.

    Parameters are those of `GameEnv`; `n` is the number of boards. Here actions are up, right, down, left, but for
    what is public in an environment: `actions_of`, `legal`, and messages.
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
        actions: str = ",".join(ACTION_NAMES),
        reward: str = "score",
        player: Any = None,
        render_mode: str | None = None,
        **unknown: Any,
    ) -> None:
        for name in unknown:
            known = [*ARGUMENTS, "render_mode"]
            raise ConfigError(f"{name}: no such argument; expected one of {', '.join(known)}{like(name, known)}")
        check_choice("observation", observation, OBSERVATIONS)
        check_choice("illegal", illegal, ILLEGAL)
        check_choice("reward", reward, REWARDS)
        if player is not None and reward != "regret":
            raise refuse("player", player, f"None with reward={reward}, which asks nobody")
        if render_mode is not None:
            check_choice("render_mode", render_mode, RENDER_MODES)
        self.names = action_names(actions)
        rules = named_rules(game, size, tiles, drop, start)
        self.batch, self.shape = Batch(rules, n, engine=engine), (rules.rows, rules.cols)
        self.values = np.array([rules.value(tile) for tile in range(rules.largest + 1)], np.int32)
        self.space, self.show = OBSERVED[observation].space(self.values, self.shape), OBSERVED[observation].show
        self.illegal, self.reward = illegal, REWARDED[reward](player, rules)
        self.directions = [ACTION_NAMES.index(name) for name in self.names]
        self.order = np.array(self.directions)
        self.ordered = self.names == [*ACTION_NAMES]
        self.rows, self.lost = np.arange(n), np.zeros(n, np.bool_)
        self.first = 4 * self.rows
        if illegal == "mask":
            mask = spaces.Box(0, 1, (4,), np.int8)
            self.space = spaces.Dict({"action_mask": mask, "observation": self.space})
        self.seeds: NDArray[np.int64] | None = None
        self.next_episode = np.zeros(n, np.int64)
        self.__setstate__({})

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        tiles, legal = self.batch.tiles, self.batch.legal  # views of them: they follow the batch
        self.grids: NDArray[np.uint8] = tiles.reshape(-1, *self.shape)
        self.can: NDArray[np.bool_] = legal.reshape(-1)

    def observe(self) -> Observation:
        """The observations of all boards, a new array of shape (n, ...), or two of them."""
        seen = self.show(self.grids, self.values)
        return {"action_mask": self.legal.astype(np.int8), "observation": seen} if self.illegal == "mask" else seen

    @property
    def legal(self) -> NDArray[np.bool_]:
        """Whether each action is legal: shape (n, 4), in the order of the environment."""
        return self.batch.legal if self.ordered else self.batch.legal[:, self.order]

    @property
    def over(self) -> NDArray[np.bool_]:
        """Whether each game is over: shape (n,), a new array."""
        return self.batch.over | self.lost

    def action_of(self, action: Any) -> int:
        """The action that the environment calls so."""
        return self.directions[action_of(action, "action", self.names)]

    def actions_of(self, actions: ArrayLike) -> NDArray[np.int64]:
        """The actions that the environment calls so: shape (n,)."""
        numbers = actions_of(actions, self.batch.n, self.names)
        return numbers if self.ordered else self.order[numbers]

    def play(self, actions: NDArray[Any], starting: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
        """Play a move on every board but those whose games are `starting`: the rewards of all, shape (n,)."""
        idle = self.lost if starting is None else self.lost | starting
        plays = self.can.take(self.first + actions)  # in a third of the time of a row and a column
        plays &= ~idle
        if plays.all():
            return self.reward(self.batch, actions).astype(np.float64, copy=False)
        rewards = np.zeros(self.batch.n)
        if ON_ILLEGAL[self.illegal]:
            which = np.flatnonzero(~(plays | idle))
            rewards[which] = self.play_illegal(which, actions)
        which = np.flatnonzero(plays)
        rewards[which] = self.reward(self.batch, actions[which], which)
        return rewards

    def play_illegal(self, which: NDArray[np.int64], actions: NDArray[Any]) -> NDArray[np.float64]:
        """Do what illegal moves of some boards do: the rewards of these."""
        rewards = np.zeros(len(which))
        if (consequence := ON_ILLEGAL[self.illegal]) and which.size:
            rewards[:] = consequence(self, which, actions)
        return rewards

    def info(self) -> Info:
        """The infos of all boards, new arrays with n rows."""
        batch = self.batch
        assert self.seeds is not None
        return {
            "action_mask": self.legal.astype(np.int8),
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
        self.lost[which] = False

    def render(self, mode: str) -> list[Frame]:
        """Each board as the render mode has it."""
        grids = self.values[self.grids]
        if mode == "rgb_array":
            return [frame(grid) for grid in grids]
        return [
            f"score {score}, move {moves}\n{grid_text(grid)}\n"
            for grid, score, moves in zip(grids, self.batch.score, self.batch.moves, strict=True)
        ]


def row_of(seen: Any, board: int | np.integer[Any]) -> Any:
    """The observation of one board."""
    return {key: rows[board] for key, rows in seen.items()} if type(seen) is dict else seen[board]


def _refuse(boards: Boards, which: NDArray[np.int64], actions: NDArray[Any]) -> NoReturn:
    """Refuse the first of some illegal moves."""
    board = which[0]
    action = boards.names.index(ACTION_NAMES[actions[board]])
    if boards.batch.over[board]:
        raise ConfigError(f"action of board {board}: {action} is not allowed; the game is over")
    legal = np.flatnonzero(boards.legal[board]).tolist()
    raise refuse(f"action of board {board}", action, f"one of the legal actions {legal}")


def _end(boards: Boards, which: NDArray[np.int64], actions: NDArray[Any]) -> Any:
    """End the games of some illegal moves: what these earn."""
    boards.lost[which] = True
    return boards.reward.of_ending(boards.batch, which) if isinstance(boards.reward, Regret) else 0.0


ON_ILLEGAL: dict[str, Callable[[Boards, NDArray[np.int64], NDArray[Any]], Any] | None] = {
    "ignore": None,
    "raise": _refuse,
    "end": _end,
    "mask": None,
}
"""What illegal moves do: a function of the boards, which of them, and the actions on all; None: nothing."""

ILLEGAL = (*ON_ILLEGAL,)

ARGUMENTS = (*[*signature(Boards).parameters][1:-2],)
"""What an environment is made of, beside how it is shown."""
