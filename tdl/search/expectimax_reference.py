"""Expectimax in plain Python, the twin of `expectimax.pxd`: a naive recursion, without a table, board by board."""

from __future__ import annotations

import numpy as np

from tdl.game.packing import Board
from tdl.game.reference import move
from tdl.game.rules import DRAW_ONE
from tdl.learning.reference import ReferenceLearner
from tdl.search.downgrade_reference import lowered
from tdl.search.options import RADIX, PlacerOptions, SearchOptions


class ReferenceExpectimax:
    """The values of moves by a look ahead.

    Parameters
    ----------
    searching : the choices of a search; `table` and `seconds` do not count.
    learner : whose values count.
    placing : who puts the tiles; None: the drop law.
    """

    def __init__(
        self, searching: SearchOptions, learner: ReferenceLearner, placing: PlacerOptions | None = None
    ) -> None:
        self.searching, self.learner, self.rules = searching, learner, learner.network.rules
        self.cutoff = np.float32(searching.cutoff)
        placing = placing or PlacerOptions()
        self.worst = searching.against == "adversary" or (
            searching.against == "placer" and placing.kind == "adversary"
        )
        self.first_empty, self.chosen = self.worst and placing.first_empty, placing.tile == "chosen"
        before = [0, *(below for _, below in self.rules.thresholds)]
        self.drops = [
            (tile, (below - least) / DRAW_ONE)
            for (tile, below), least in zip(self.rules.thresholds, before, strict=False)
        ]

    def values(self, board: Board) -> dict[int, np.float32]:
        """Reward + gamma * value of each legal action."""
        searching = self.searching
        plies = next((p for empty, p in searching.by_empty if board.count(0) <= empty), searching.plies)
        if searching.downgrade is not None:
            limit = self.learner.network.radix - 1 if searching.downgrade == RADIX else int(searching.downgrade)
            board = lowered(board, limit, self.rules)
        return self._moves(board, plies, np.float32(1))

    def _moves(self, board: Board, plies: int, probability: np.float32) -> dict[int, np.float32]:
        made = ((action, move(board, action, self.rules)) for action in range(4))
        return {
            action: np.float32(each[1]) + self.learner.gamma * self._worth(each[0], plies - 1, probability)
            for action, each in made
            if each
        }

    def _worth(self, after: Board, plies: int, probability: np.float32) -> np.float32:
        """What an afterstate is worth when so many more of the player's moves are looked at."""
        if plies == 0:
            states = self.learner.choices.target == "state"
            return self.learner.expected(after) if states else self.learner.network.value(after)
        empty = [cell for cell, tile in enumerate(after) if not tile]
        if self.first_empty:
            empty = empty[:1]
        total, least = 0.0, []
        for tile, share in self.drops:
            reached = probability * np.float32(share)
            if not self.worst:
                reached = reached / np.float32(len(empty))
            further = 1 if reached < self.cutoff else plies
            left = [self._left(_with(after, cell, tile), further, reached) for cell in empty]
            least.append(min(left))
            of_tile = sum(map(float, left)) / len(left) if not self.worst or self.first_empty else float(min(left))
            total += share * of_tile
        return min(least) if self.worst and self.chosen else np.float32(total)

    def _left(self, board: Board, plies: int, probability: np.float32) -> np.float32:
        return max(self._moves(board, plies, probability).values(), default=np.float32(0))


def _with(board: Board, cell: int, tile: int) -> Board:
    return [tile if i == cell else content for i, content in enumerate(board)]
