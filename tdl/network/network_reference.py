"""The reference implementation of the n-tuple network: a dictionary for each table, in natural order."""

import numpy as np

from tdl.game.boards import Board
from tdl.game.game_reference import downgraded
from tdl.game.rules import Rules
from tdl.network.stages import Stages
from tdl.network.tuples import Pairs, TupleSet, count_features, features, order_features

Entry = tuple[int, int]
"""A table's number and a natural index in it."""


class ReferenceNetwork:
    """V(board) = sum over the features of one table entry each; entries never touched are `initial_value` / m."""

    def __init__(
        self, rules: Rules, tuples: TupleSet, initial_value: float = 0.0, stages: Stages | None = None
    ) -> None:
        self.rules, self.tuples = rules, tuples
        self.stages = stages or Stages()
        self.features = features(tuples, rules.rows, rules.cols)
        self.orders = order_features(tuples, rules.rows, rules.cols)
        self.counts = count_features(tuples, rules.rows, rules.cols)
        self.cap = tuples.count_cap
        features_of_all = [*self.features, *self.orders, *self.counts]
        self.m = len(features_of_all)
        self.radix = tuples.radix or rules.radix
        self.initial = np.float32(initial_value) / np.float32(self.m)
        self.copy = 1 + features_of_all[-1][0]
        self.tables: list[dict[int, np.float32]] = [{} for _ in range(self.copy * self.stages.count)]

    def active(self, board: Board) -> list[Entry]:
        """The active entries: (table, natural index), in the order of the features.

        Tables are numbered through the stages: table k of stage s is number s * tables of a stage + k.
        """
        stage = self.stages.of([self.rules.value(tile) for tile in board])
        if stage and self.stages.downgrade is not None:
            board = downgraded(board, self.stages.downgrade, self.rules)
        first = self.copy * stage
        return [
            *((first + table, self._tuple_index(board, cells)) for table, cells in self.features),
            *((first + table, order_index(board, pairs)) for table, pairs in self.orders),
            *((first + table, count_index(board, tiles, self.cap)) for table, tiles in self.counts),
        ]

    def _tuple_index(self, board: Board, cells: tuple[int, ...]) -> int:
        return sum(min(board[cell], self.radix - 1) * self.radix**j for j, cell in enumerate(cells))

    def value(self, board: Board) -> np.float32:
        """V of a board, summed as the kernel does: feature f goes to partial sum f % 4."""
        return self.add_up([self.weight(entry) for entry in self.active(board)])

    def add_up(self, weights: list[np.float32]) -> np.float32:
        """The sum of one number for each feature, in the kernel's order."""
        part = [np.float32(0)] * 4 if self.m < 4 else weights[:4]  # 0 + w is not always w: w may be -0
        for f in range(0 if self.m < 4 else 4, self.m):
            part[f % 4] += weights[f]
        return (part[0] + part[1]) + (part[2] + part[3])

    def shift(self, board: Board, delta: np.float32) -> None:
        """Add `delta` to every active entry."""
        for entry in self.active(board):
            self.shift_entry(entry, delta)

    def weight(self, entry: Entry) -> np.float32:
        """The weight of an entry; by promotion a share of that of the stage before where it was never moved."""
        table, index = entry
        if index not in self.tables[table] and table >= self.copy and self.stages.promotion:
            return np.float32(self.stages.share) * self.weight((table - self.copy, index))
        return self.tables[table].get(index, self.initial)

    def shift_entry(self, entry: Entry, delta: np.float32) -> None:
        """Add `delta` to one entry."""
        self.set_entry(entry, self.weight(entry) + delta)

    def set_entry(self, entry: Entry, weight: np.float32) -> None:
        """Give one entry a weight of its own."""
        table, index = entry
        self.tables[table][index] = weight


def order_index(board: Board, pairs: Pairs) -> int:
    """The natural index of an order feature: of P pairs, pair p has its first bit at p and its second at P + p.

    The first bit says that the pair's first tile is smaller, the second that it is larger; both that both cells are
    empty, none that they hold equal tiles. Tiles are compared as they are, whatever the radix of the tuples.
    """
    index = 0
    for p, (a, b) in enumerate(pairs):
        empty = board[a] == board[b] == 0
        if empty or board[a] < board[b]:
            index += 2**p
        if empty or board[a] > board[b]:
            index += 2 ** (len(pairs) + p)
    return index


def count_index(board: Board, tiles: tuple[int, ...], cap: int) -> int:
    """The natural index of a count feature: counts, at most `cap`, as digits, the first tile's least significant."""
    counts = [list(board).count(tile) for tile in tiles]
    return sum(min(count, cap) * (cap + 1) ** j for j, count in enumerate(counts))
