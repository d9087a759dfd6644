"""The adversary in plain Python: the reference implementation of `adversary.pxd`."""

import numpy as np

from tdl.game.boards import Board, drawn
from tdl.game.game_reference import Stream, move
from tdl.learning.learning_reference import shares
from tdl.network.network_reference import ReferenceNetwork
from tdl.search.expectimax_reference import with_tile
from tdl.search.options import PlacerOptions


class ReferenceAdversary:
    """Puts each tile where it leaves the player least, by the values of a network.

    Parameters
    ----------
    options : of an adversary.
    network : whose values it uses.
    gamma, target : how these count.
    """

    def __init__(
        self, options: PlacerOptions, network: ReferenceNetwork, gamma: float = 1.0, target: str = "afterstate"
    ) -> None:
        self.options, self.network, self.rules = options, network, network.rules
        self.gamma, self.values_states = np.float32(gamma), target == "state"

    def place(self, board: Board, stream: Stream) -> Board:
        """The board with a tile more. It takes one draw."""
        tile = drawn(stream.next(), self.rules)
        if self.options.first_empty:
            return with_tile(board, board.index(0), tile)
        tiles = [index for index, _ in self.rules.drop] if self.options.tile == "chosen" else [tile]
        return min(
            (with_tile(board, cell, choice) for choice in tiles for cell in _empty(board)),
            key=lambda placed: self.left(placed, self.options.depth),
        )

    def left(self, board: Board, depth: int) -> np.float32:
        """What a board leaves the player."""
        moves = [result for result in (move(board, action, self.rules) for action in range(4)) if result]
        if not moves:
            return np.float32(0)
        if depth == 1 and self.values_states:
            return self.network.value(board)
        return max(np.float32(reward) + self.gamma * self._after(after, depth) for after, reward in moves)

    def _after(self, after: Board, depth: int) -> np.float32:
        """What an afterstate leaves the player; from depth 2 on after the adversary's reply."""
        if depth == 1:
            return self.network.value(after)
        least = [
            (share, min(self.left(with_tile(after, cell, tile), depth - 1) for cell in _empty(after)))
            for tile, share in shares(self.rules)
        ]
        if self.options.tile == "chosen":
            return min(left for _, left in least)
        mean = np.float32(0)
        for share, left in least:
            mean += share * left
        return mean


def _empty(board: Board) -> list[int]:
    return [cell for cell, tile in enumerate(board) if not tile]
