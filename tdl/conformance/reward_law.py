"""By which law an environment rewards moves: that which most of the moves that merge keep."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Law:
    """A reward that is `base` and `factor` times what `name` says.

    `expected` has it for each step, `fit` is the share of merging moves that have it.
    """

    name: str
    base: float
    factor: float
    expected: Numbers
    fit: float

    @property
    def is_score(self) -> bool:
        """Whether it is the score as it stands."""
        return (self.name, self.base, self.factor) == ("the score", 0, 1) and self.fit >= 0.5

    @property
    def text(self) -> str:
        """In words."""
        if self.factor == 0:
            return f"{self.base:g} for each move"
        scale = "" if self.factor == 1 else f"{self.factor:g} x "
        return f"{scale}{self.name}" + (f" {'+' if self.base > 0 else '-'} {abs(self.base):g}" if self.base else "")


def reward_law(steps: NDArray[Any], use: Mask) -> Law:
    """The known law that fits most of the moves that merge."""
    reward, merging = steps["reward"], use & (steps["merges"] > 0)
    base = most_common(reward[use & (steps["merges"] == 0)])
    amounts = {"the score": steps["gained"], "the sum of log2 of the merged tiles": steps["logs"],
               "the number of merges": steps["merges"],
               "log2 of the score": np.log2(np.maximum(steps["gained"], 1))}  # fmt: skip
    laws = []
    for name, amount in amounts.items():
        factor = most_common((reward[merging] - base) / amount[merging])
        expected = base + factor * amount.astype(np.float64)
        fit = float(near(reward, expected)[merging].mean()) if merging.any() else 0.0
        laws.append(Law(name, base, factor, expected, fit))
    return max(laws, key=lambda law: law.fit)


def near(a: Numbers, b: Numbers) -> Mask:
    """Whether numbers are the same but for rounding."""
    return np.isclose(a, b, rtol=1e-4, atol=1e-6)


def most_common(numbers: Numbers) -> float:
    """The number that occurs most often, to six digits."""
    if not len(numbers):
        return 0.0
    numbers, counts = np.unique(numbers, return_counts=True)
    values, which = np.unique([float(f"{number:.6g}") for number in numbers], return_inverse=True)
    return float(values[np.bincount(which, counts).argmax()])


def so_far(steps: NDArray[Any], amounts: NDArray[Any]) -> Numbers:
    """Of each game, the sum of amounts up to each step."""
    order = np.lexsort((steps["move"], steps["game"]))
    amounts, games = amounts[order].astype(np.float64), steps["game"][order]
    sums, first = np.cumsum(amounts), np.flatnonzero(np.diff(games, prepend=-2))
    totals = np.zeros(len(steps))
    totals[order] = sums - np.repeat((sums - amounts)[first], np.diff([*first, len(steps)]))
    return totals
