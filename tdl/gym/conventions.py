"""What environments differ in, by name: how boards are observed, what a move earns, which actions are sampled."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from tdl.errors import ConfigError, naming, of_key, refuse
from tdl.game.batch import Batch
from tdl.game.boards import pack
from tdl.game.engine import TRAINING
from tdl.game.rules import Rules
from tdl.players.kinds import agent_of, checkpoint_folder, read_agent
from tdl.search.options import check_same_board

Array = NDArray[Any]
Shape = tuple[int, int]


class Observed(NamedTuple):
    """How boards are observed, made of the tile values by index: the space of one, and new arrays of many.

    `show` gets tile indices of shape (n, rows, cols), and the values.
    """

    space: Callable[[Array, Shape], spaces.Space[Any]]
    show: Callable[[Array, Array], Array]


def _indices(grids: Array, values: Array) -> Array:
    return grids.copy()


def _values(grids: Array, values: Array) -> Array:
    return values.take(grids)  # in a fourth of the time of values[grids]


def _planes(grids: Array, values: Array) -> Array:
    symbols = np.arange(len(values), dtype=np.uint8)
    planes: Array = grids[:, None] == symbols[:, None, None]
    return planes.view(np.int8)


def _planes_last(grids: Array, values: Array) -> Array:
    return np.eye(len(values), dtype=np.int8).take(grids, axis=0)


def _scaled(grids: Array, values: Array) -> Array:
    return grids / np.float32(len(values) - 1)


OBSERVED = {
    "indices": Observed(lambda values, shape: spaces.Box(0, len(values) - 1, shape, np.uint8), _indices),
    "values": Observed(lambda values, shape: spaces.Box(0, int(values[-1]), shape, np.int32), _values),
    "planes": Observed(lambda values, shape: spaces.MultiBinary((len(values), *shape)), _planes),
    "planes_last": Observed(lambda values, shape: spaces.MultiBinary((*shape, len(values))), _planes_last),
    "scaled": Observed(lambda values, shape: spaces.Box(0, 1, shape, np.float32), _scaled),
}


Reward = Callable[..., Array]
"""Of a batch, legal actions, and the boards that they are of (None: all): plays them, and says what each earned."""


def score(batch: Batch, actions: Array, which: Array | None = None) -> Array:
    """What a move adds to the score."""
    return batch.step(actions, which)


def log2(batch: Batch, actions: Array, which: Array | None = None) -> Array:
    """The logarithm of that; 0 where it is 0."""
    return np.log2(np.maximum(batch.step(actions, which), 1))


class Regret:
    """What a move loses by a player's values of the four: its own less the largest, 0 at best.

    Parameters
    ----------
    player : a folder of a run or checkpoint, "tdl:small", or an object with `values_of` (of many packed boards) or
        `values` (of one), as `tdl.Player` has them.
    rules : of the games.

    Raises
    ------
    ConfigError, CheckpointError : no such player, of another game or board, or without values.
    """

    def __init__(self, player: Any, rules: Rules) -> None:
        self.player = _judge(player, rules)
        batch = Batch(rules)
        batch.start(None, 0, TRAINING, 0)
        with naming("player", ConfigError):
            self._values(batch, np.zeros(1, np.int64))

    def __call__(self, batch: Batch, actions: Array, which: Array | None = None) -> Array:
        """Play legal moves: what each loses."""
        boards = np.arange(batch.n) if which is None else which
        values = self._values(batch, boards)
        lost = values[np.arange(len(boards)), actions] - _best(values)
        batch.step(actions, which)
        return lost

    def of_ending(self, batch: Batch, which: Array) -> Array:
        """What it loses to end games here, which is worth 0: nothing where the best is worth less."""
        return np.fmin(-_best(self._values(batch, which)), 0)

    def _values(self, batch: Batch, which: Array) -> Array:
        """The values of up, right, down and left: shape (n, 4), nan where illegal."""
        rules, player = batch.rules, self.player
        whole = np.uint64 if rules.bits * rules.cells <= 64 else object
        boards = pack(batch.tiles[which].astype(whole).T, rules)
        values = player.values_of(boards) if hasattr(player, "values_of") else [*map(player.values, boards.tolist())]
        if which.size and np.shape(values) != (len(which), 4):
            raise refuse("values", f"shape {np.shape(values)}", "four of each board: up, right, down and left")
        legal, values = batch.legal[which], np.reshape(values, (-1, 4))
        if not (finite := np.isfinite(values[legal])).all():
            raise refuse("values", values[legal][finite.argmin()], "a finite one of each legal move")
        return np.where(legal, values, np.nan)


def _best(values: Array) -> Array:
    """The largest of each row, nan where there is none."""
    best: Array = np.fmax.reduce(values, axis=1)
    return best


def _judge(player: Any, rules: Rules) -> Any:
    """The player that is meant, of the same game and board."""
    if isinstance(player, str | os.PathLike):
        with of_key("player"):
            folder = checkpoint_folder(Path(player).expanduser())
            meta = read_agent(folder)
            check_same_board(Rules.from_dict(meta["rules"]), rules, "player")
            return agent_of(folder, meta, rules)
    if not hasattr(player, "values_of") and not hasattr(player, "values"):
        raise refuse("player", player, 'a folder, "tdl:small", or an object with values, as a tdl.Player')
    if isinstance(own := getattr(player, "rules", rules), Rules):
        check_same_board(own, rules, "player")
    return player


REWARDED: dict[str, Callable[[Any, Rules], Reward]] = {
    "score": lambda player, rules: score,
    "log2": lambda player, rules: log2,
    "regret": Regret,
}
"""Functions that make a reward, of the player to judge by and the rules."""


class _Legal:
    """A space that samples legal actions only, uniformly, where no other law is asked for.

    A copy of the space without its environment samples all actions. Where none is legal it gives 0.
    """

    masks: Callable[[], NDArray[np.bool_]] | None = None

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """Actions of the boards as they are."""
        if self.masks is None or mask is not None or probability is not None:
            return super().sample(mask, probability)  # type: ignore[misc] # of the space
        legal = self.masks()
        return (legal * (1 - self.np_random.random(legal.shape))).argmax(-1)  # type: ignore[attr-defined]

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "masks"}


class LegalDiscrete(_Legal, spaces.Discrete):
    """The action of one board."""


class LegalMultiDiscrete(_Legal, spaces.MultiDiscrete):
    """The actions of many boards."""
