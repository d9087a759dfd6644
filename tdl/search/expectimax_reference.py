"""Expectimax in plain Python: the reference implementation of `expectimax.pxd`, a naive recursion without a table."""

import numpy as np

from tdl.game.boards import Board
from tdl.game.game_reference import downgraded, move
from tdl.game.rules import DRAW_ONE
from tdl.learning.learning_reference import ReferenceLearner
from tdl.search.options import RADIX, PlacerOptions, SearchOptions


class ReferenceExpectimax:
    """The values of moves by a look ahead.

    Parameters
    ----------
    options : of the search; `table` and `seconds` do not count.
    learner : whose values count.
    placer : who puts the tiles; None: the drop law.
    """

    def __init__(self, options: SearchOptions, learner: ReferenceLearner, placer: PlacerOptions | None = None) -> None:
        self.options, self.learner, self.rules = options, learner, learner.network.rules
        self.cutoff = np.float32(options.cutoff)
        placer = placer or PlacerOptions()
        self.worst = options.against == "adversary" or (options.against == "placer" and placer.kind == "adversary")
        self.first_empty, self.chosen = self.worst and placer.first_empty, placer.tile == "chosen"
        before = [0, *(below for _, below in self.rules.thresholds)]
        self.drops = [
            (tile, (below - least) / DRAW_ONE)
            for (tile, below), least in zip(self.rules.thresholds, before, strict=False)
        ]

    def values(self, board: Board) -> dict[int, np.float32]:
        """Reward + gamma * value of each legal action."""
        options = self.options
        plies = next((p for empty, p in options.by_empty if board.count(0) <= empty), options.plies)
        if options.downgrade is not None:
            limit = self.learner.network.radix - 1 if options.downgrade == RADIX else int(options.downgrade)
            board = downgraded(board, limit, self.rules)
        return self._moves(board, plies, np.float32(1))

    def _moves(self, board: Board, plies: int, probability: np.float32) -> dict[int, np.float32]:
        moves = ((action, move(board, action, self.rules)) for action in range(4))
        return {
            action: np.float32(result[1]) + self.learner.gamma * self._after(result[0], plies - 1, probability)
            for action, result in moves
            if result
        }

    def _after(self, after: Board, plies: int, probability: np.float32) -> np.float32:
        """The value of an afterstate, `plies` more of the player's moves deep."""
        if plies == 0:
            states = self.learner.options.target == "state"
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
            left = [self._left(with_tile(after, cell, tile), further, reached) for cell in empty]
            least.append(min(left))
            of_tile = sum(map(float, left)) / len(left) if not self.worst or self.first_empty else float(min(left))
            total += share * of_tile
        return min(least) if self.worst and self.chosen else np.float32(total)

    def _left(self, board: Board, plies: int, probability: np.float32) -> np.float32:
        return max(self._moves(board, plies, probability).values(), default=np.float32(0))


def with_tile(board: Board, cell: int, tile: int) -> Board:
    """The board with a tile in one cell more."""
    return [tile if i == cell else content for i, content in enumerate(board)]
