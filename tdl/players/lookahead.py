"""A look ahead over any player with values: over one sampled successor of each action, or over all of them."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tdl.base.checks import check_whole
from tdl.errors import refuse
from tdl.game.boards import BoardLike, pack, unpack
from tdl.game.engine import EXPLORATION, Engine, Stream
from tdl.players.batch_moves import Moves, best_of, moves_of_boards
from tdl.players.batch_play import Actions
from tdl.search.options import check_plies

Values = NDArray[np.floating[Any]]

MAX_PLIES = 5
"""Of a look ahead: one more costs a hundred times as much."""


class Valued(Protocol):
    """A player with values of the four actions, nan where illegal."""

    engine: Engine

    def values(self, board: BoardLike) -> Values: ...


class LookAhead:
    """A policy: the action with the largest reward + value of the best action after the drop.

    Parameters
    ----------
    player : whose values count, reward included. One that has `q` is asked for many boards at once.
    sampled : the drop is one that is drawn, for each action anew; else the mean over all drops is taken.
    seed : of the drops that are drawn; they are not those of the game.
    """

    def __init__(self, player: Valued, *, sampled: bool, seed: int = 0) -> None:
        check_whole("seed", seed, 0)
        self.player, self.sampled = player, sampled
        self.engine, self.rules = player.engine, player.engine.rules
        self._drops = Stream(seed, EXPLORATION, 0)

    def q(self, moves: Moves) -> Values:
        """Values of the four actions on boards: float64 (n, 4), nan where illegal."""
        rows, actions = np.nonzero(moves.legal)
        successors: list[int] = []
        shares: list[float] = []
        action_of: list[int] = []
        for number, (row, action) in enumerate(zip(rows, actions, strict=True)):
            after = pack(moves.after[row, action].tolist(), self.rules)
            for board, share in self._successors(after):
                successors.append(board)
                shares.append(share)
                action_of.append(number)
        expected = np.zeros(len(rows))
        np.add.at(expected, action_of, np.array(shares) * self._state_values(successors))
        out = np.full(moves.legal.shape, np.nan)
        out[rows, actions] = moves.rewards[rows, actions] + expected
        return out

    def _successors(self, after: int) -> list[tuple[int, float]]:
        """Boards after a drop, and how probable each is."""
        if self.sampled:
            return [(self.engine.place(after, self._drops), 1.0)]
        cells = [cell for cell, tile in enumerate(unpack(after, self.rules)) if not tile]
        return [
            (after | tile << self.rules.bits * cell, share / len(cells))
            for cell in cells
            for tile, share in self.rules.drop
        ]

    def _state_values(self, boards: Sequence[int]) -> NDArray[np.float64]:
        """The value of the best action on each board; 0 where the game is over."""
        if hasattr(self.player, "q"):
            values = np.asarray(self.player.q(moves_of_boards(self.engine, boards)), np.float64)
        else:
            values = np.array([self.player.values(board) for board in boards], np.float64).reshape(-1, 4)
        return np.where(np.isnan(values).all(axis=1), 0, np.where(np.isnan(values), -np.inf, values).max(axis=1))

    def select_actions(self, moves: Moves) -> Actions:
        """The actions on boards that each have a legal one: int64 (n,)."""
        return best_of(self.q(moves))

    def values(self, board: BoardLike) -> Values:
        """Values of the four actions on a board: shape (4,), nan where illegal."""
        values: Values = self.q(moves_of_boards(self.engine, [self.engine.board(board)]))[0]
        return values

    def best(self, board: BoardLike) -> int | None:
        """The action chosen, 0 to 3; None when the game is over."""
        values = self.values(board)
        return None if np.isnan(values).all() else int(np.nanargmax(values))


def one_sampled_look_ahead(player: Valued, seed: int = 0) -> LookAhead:
    """For each legal action one sampled successor, then greedy: the look-ahead of the published DQN."""
    return LookAhead(player, sampled=True, seed=seed)


def look_ahead(player: Valued, plies: int = 2) -> LookAhead:
    """Expectimax over a player's values: all drops are weighed; 2 plies are one drop and one more move, and so on."""
    check_whole("plies", plies, 2, MAX_PLIES + 1)
    ahead = LookAhead(player, sampled=False)
    for _ in range(plies - 2):
        ahead = LookAhead(ahead, sampled=False)
    return ahead


def check_depth(plies: int, kind: str, key: str = "evaluate.plies") -> None:
    """Refuse a look ahead that this kind of agent does not have."""
    if kind == "dqn":
        check_whole(key, plies, 1, MAX_PLIES + 1)
    elif kind == "ntuple":
        check_plies(key, plies)
    elif plies != 1:
        raise refuse(key, plies, f"1 with agent.kind={kind}: it has no values to look ahead with")
