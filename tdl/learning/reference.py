"""TD(lambda)-afterstate in plain Python: the twin of `tdl.learning`. All arithmetic is float32, as in the kernel."""

from __future__ import annotations

import numpy as np

from tdl.game.reference import Board
from tdl.network.reference import ReferenceNetwork

TINY = np.float32(1e-30)
"""Makes 0 / 0 the 1 that the share of a new entry is, and is lost in the rounding of everything else."""


class ReferenceLearner:
    """Moves V(s') towards a target by a total step size alpha, and keeps the absolute errors."""

    def __init__(
        self,
        network: ReferenceNetwork,
        alpha: float,
        gamma: float = 1.0,
        *,
        td_lambda: float = 0.0,
        coherent: bool = False,
    ) -> None:
        self.network = network
        self.td_lambda = np.float32(td_lambda)
        self.coherent = coherent
        self.sums: dict[tuple[int, int], tuple[np.float32, np.float32]] = {}
        self.rate = np.float32(alpha) / np.float32(network.m)
        self.gamma = np.float32(gamma)
        self.errors: list[np.float32] = []

    def backup(self, reward: int, after: Board) -> np.float32:
        """R + gamma V(s'): what a move is chosen by, and the target of the afterstate before it."""
        return np.float32(reward) + self.gamma * self.network.value(after)

    def update(self, after: Board, target: np.float32) -> None:
        """One TD update of V(s')."""
        error = target - self.network.value(after)
        if self.coherent:
            self._shift_coherent(after, self.rate * error)
        else:
            self.network.shift(after, self.rate * error)
        self.errors.append(abs(error))

    def _shift_coherent(self, after: Board, delta: np.float32) -> None:
        """Every entry by its own share of `delta`: all shares are read before the first sum receives it."""
        zero = (np.float32(0), np.float32(0))
        active = self.network.active(after)
        before = [self.sums.get(entry, zero) for entry in active]
        shares = [(abs(signed) + TINY) / (absolute + TINY) for signed, absolute in before]
        for entry, share in zip(active, shares, strict=True):
            self.network.shift_entry(entry, share * delta)
            signed, absolute = self.sums.get(entry, zero)
            self.sums[entry] = signed + delta, absolute + abs(delta)

    def replay_backward(self, path: list[tuple[Board, int]]) -> None:
        """Update the afterstates of a finished game, last to first; each comes with the reward that led to it."""
        target = np.float32(0)
        for after, reward in reversed(path):
            self.update(after, target)
            bootstrap = np.float32(1) - self.td_lambda
            target = bootstrap * self.network.value(after) + self.td_lambda * target
            target = np.float32(reward) + self.gamma * target
