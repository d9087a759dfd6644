"""The n-tuple network in plain Python: a dictionary for each table, in natural order. The twin of `NTupleNetwork`."""

from __future__ import annotations

import numpy as np

from tdl.game.reference import Board
from tdl.game.rules import Rules
from tdl.network.stages import Stages
from tdl.network.tuples import TupleSet, features

Entry = tuple[int, int]
"""A table's number and a natural index in it."""


class ReferenceNetwork:
    """V(board) = sum over the features of one table entry each; entries never touched are `initial_value` / m."""

    def __init__(
        self, rules: Rules, tuples: TupleSet, initial_value: float = 0.0, stages: Stages | None = None
    ) -> None:
        self.rules, self.cells = rules, tuples.cells
        self.stages = stages or Stages()
        self.features = features(tuples, rules.rows, rules.cols)
        self.m = len(self.features)
        self.radix = tuples.radix or 1 << rules.bits
        self.initial = np.float32(initial_value) / np.float32(self.m)
        self.copy = 1 + self.features[-1][0]
        self.tables: list[dict[int, np.float32]] = [{} for _ in range(self.copy * self.stages.count)]

    def active(self, board: Board) -> list[Entry]:
        """The active entries: (table, natural index), in the order of the features.

        Tables are numbered through the stages: table k of stage s is number s * tables of a stage + k.
        """
        first = self.copy * self.stages.of([self.rules.value(tile) for tile in board])
        return [
            (first + table, sum(min(board[cell], self.radix - 1) * self.radix**j for j, cell in enumerate(cells)))
            for table, cells in self.features
        ]

    def value(self, board: Board) -> np.float32:
        """V of a board, summed as the kernel does: feature f goes to partial sum f % 4."""
        return self.add_up([self.weight(entry) for entry in self.active(board)])

    def add_up(self, weights: list[np.float32]) -> np.float32:
        """The sum of one number for each feature, in the kernel's order."""
        part = [np.float32(0)] * 4 if self.m < 4 else weights[:4]  # 0 + w is not always w: w may be -0
        for f in range(0 if self.m < 4 else 4, self.m):
            part[f % 4] += weights[f]
        return (part[0] + part[1]) + (part[2] + part[3])

    def unturned(self) -> list[int]:
        """The features that read the board as it is: the first image of each tuple."""
        images = self.m // len(self.cells)
        return [f for f in range(self.m) if f % images == 0]

    def shift(self, board: Board, delta: np.float32) -> None:
        """Add `delta` to every active entry."""
        for entry in self.active(board):
            self.shift_entry(entry, delta)

    def weight(self, entry: Entry) -> np.float32:
        """The weight of an entry; by promotion that of the stage before where it was never moved."""
        table, index = entry
        if index not in self.tables[table] and table >= self.copy and self.stages.promotion:
            return self.weight((table - self.copy, index))
        return self.tables[table].get(index, self.initial)

    def shift_entry(self, entry: Entry, delta: np.float32) -> None:
        """Add `delta` to one entry."""
        self.set_entry(entry, self.weight(entry) + delta)

    def set_entry(self, entry: Entry, weight: np.float32) -> None:
        """Give one entry a weight of its own."""
        table, index = entry
        self.tables[table][index] = weight
