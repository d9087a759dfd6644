"""TD(0)-afterstate in plain Python: the twin of `tdl.learning.td`. All arithmetic is float32, as in the kernel."""

from __future__ import annotations

import numpy as np

from tdl.game.reference import Board
from tdl.network.reference import ReferenceNetwork


class ReferenceLearner:
    """Moves V(s') towards a target by a total step size alpha, and keeps the sum of absolute errors."""

    def __init__(self, network: ReferenceNetwork, alpha: float, gamma: float = 1.0) -> None:
        self.network = network
        self.rate = np.float32(alpha) / np.float32(network.m)
        self.gamma = np.float32(gamma)
        self.errors: list[np.float32] = []

    def backup(self, reward: int, after: Board) -> np.float32:
        """R + gamma V(s'): what a move is chosen by, and the target of the afterstate before it."""
        return np.float32(reward) + self.gamma * self.network.value(after)

    def update(self, after: Board, target: np.float32) -> None:
        """One TD update of V(s')."""
        error = target - self.network.value(after)
        self.network.shift(after, self.rate * error)
        self.errors.append(abs(error))

    def replay_backward(self, path: list[tuple[Board, int]]) -> None:
        """Update the afterstates of a finished game, last to first; each comes with the reward that led to it."""
        target = np.float32(0)
        for after, reward in reversed(path):
            self.update(after, target)
            target = self.backup(reward, after)
