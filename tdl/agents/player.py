"""A trained network as a player: values of moves and boards."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tdl.errors import CheckpointError, ConfigError
from tdl.game.engine import Engine
from tdl.game.rules import Rules
from tdl.network.ntuple import NTupleNetwork
from tdl.network.storage import Meta, read_array, read_meta
from tdl.network.tuples import TupleSet

WEIGHTS = "weights"

BoardLike = int | ArrayLike
"""A packed board (cell 0 in the lowest bits) or rows of tile values."""


class Player:
    """Chooses the move with the largest reward + gamma * V(afterstate), the first of equals.

    Attributes
    ----------
    engine : the game; `engine.show(board)` prints a board, `engine.array(board)` gives its tile values.
    network : the value function.
    """

    def __init__(self, network: NTupleNetwork, gamma: float = 1.0) -> None:
        self.network = network
        self.engine = Engine(network.rules)
        self.gamma = gamma

    def value(self, board: BoardLike) -> float:
        """V of an afterstate, in points: the expected reward still to come, without the move that led to it."""
        return float(self.network.value(self.engine.board(board)))

    def values(self, board: BoardLike) -> NDArray[np.float64]:
        """Reward + gamma * V of the four moves (up, right, down, left): shape (4,), nan where illegal."""
        out = np.full(4, np.nan)
        for action, after, reward in self.engine.afterstates(board):
            # float32, as in the kernel: the same move where two are nearly equal
            out[action] = np.float32(reward) + np.float32(self.gamma) * np.float32(self.network.value(after))
        return out

    def best(self, board: BoardLike) -> int | None:
        """The action chosen, 0 to 3 (up, right, down, left); None when the game is over."""
        values = self.values(board)
        return None if np.isnan(values).all() else int(np.nanargmax(values))


def load(checkpoint: str | Path) -> Player:
    """The player of a checkpoint: its folder, or the folder of a run. The weights are memory-mapped, read-only.

    Raises
    ------
    CheckpointError : missing, cut, corrupt, or of another version.
    """
    folder = Path(checkpoint)
    if (folder / "checkpoint").is_dir():
        folder = folder / "checkpoint"
    meta = read_meta(folder)
    rules, tuples = describe(meta, folder)
    network = NTupleNetwork(rules, tuples, weights=read_array(folder, meta, WEIGHTS))
    if network.describe() != meta["network"]:
        raise CheckpointError(f"{folder}: its layout {meta['network']} is not the one of this version")
    return Player(network, meta["learner"]["gamma"])


def describe(meta: Meta, folder: Path) -> tuple[Rules, TupleSet]:
    """The rules and tuples of a checkpoint.

    Raises
    ------
    CheckpointError : they are not known to this version.
    """
    try:
        return Rules.from_dict(meta["rules"]), TupleSet(**meta["network"]["tuples"])
    except ConfigError as error:
        raise CheckpointError(f"{folder}: {error}") from error
