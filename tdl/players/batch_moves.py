"""The moves of many boards at once, as a policy sees them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.game.batch import Batch
from tdl.game.boards import unpack
from tdl.game.engine import Engine


@dataclass(frozen=True)
class Moves:
    """Boards with their moves.

    Attributes
    ----------
    tiles : uint8 (n, cells), tile indices.
    legal : bool (n, 4): up, right, down, left.
    rewards : int32 (n, 4), points; of illegal moves anything.
    after : uint8 (n, 4, cells), afterstates; of illegal moves anything.
    """

    tiles: NDArray[np.uint8]
    legal: NDArray[np.bool_]
    rewards: NDArray[np.int32]
    after: NDArray[np.uint8]

    def __getitem__(self, rows: Any) -> Moves:
        return Moves(self.tiles[rows], self.legal[rows], self.rewards[rows], self.after[rows])


def moves_of(batch: Batch, which: NDArray[np.int64]) -> Moves:
    """The moves of some games that are being played."""
    return Moves(batch.tiles[which], batch.legal[which], batch.rewards[which], batch.afterstates()[which])


def moves_of_boards(engine: Engine, boards: Sequence[int]) -> Moves:
    """The moves of packed boards, one call of the game a board."""
    n, rules = len(boards), engine.rules
    moves = Moves(
        np.zeros((n, rules.cells), np.uint8),
        np.zeros((n, 4), np.bool_),
        np.zeros((n, 4), np.int32),
        np.zeros((n, 4, rules.cells), np.uint8),
    )
    for row, board in enumerate(boards):
        moves.tiles[row] = unpack(board, rules)
        for action, after, reward in engine.afterstates(board):
            moves.legal[row, action], moves.rewards[row, action] = True, reward
            moves.after[row, action] = unpack(after, rules)
    return moves


def best_of(values: NDArray[np.floating[Any]]) -> NDArray[np.int64]:
    """The first of the best actions, nan being illegal: values of shape (n, 4) to int64 (n,)."""
    best: NDArray[np.int64] = np.where(np.isnan(values), -np.inf, values).argmax(axis=1)
    return best
