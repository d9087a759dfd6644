"""A board as an agent judges it: the best direction, the values of all four, and what each other one loses."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tdl.game.rules import ACTION_NAMES


@dataclass(frozen=True)
class JudgedBoard:
    """The answer to the question for a move.

    Attributes
    ----------
    best : name of the direction with the largest value, the first of equals; None: the game is over.
    values : of the directions by name, in points, the move's reward included; None where illegal.
    losses : what each is worse than the best, in points; None where illegal.
    """

    best: str | None
    values: dict[str, float | None]
    losses: dict[str, float | None]

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> Self:
        """The answer from the values of up, right, down, left, nan where illegal."""
        legal = ~np.isnan(values)
        best = int(np.nanargmax(values)) if legal.any() else None
        losses = values[best] - values if best is not None else values

        def named(numbers: NDArray[np.float64]) -> dict[str, float | None]:
            return {
                name: float(number) if can else None
                for name, number, can in zip(ACTION_NAMES, numbers, legal, strict=True)
            }

        return cls(None if best is None else ACTION_NAMES[best], named(values), named(losses))

    def to_dict(self) -> dict[str, Any]:
        """The answer for JSON."""
        return {"best": self.best, "values": self.values, "losses": self.losses}

    def text(self) -> str:
        """The answer for people: the direction in a line of its own, or `none`, then the table."""
        lines = [self.best or "none: the game is over"]
        if self.best is not None:
            lines.append(f"{'':5}  {'value':>12}  {'loses':>10}")
        for name, value in self.values.items():
            loss = self.losses[name]
            if value is None or loss is None:
                lines += [f"{name:5}  {'illegal':>12}"] * (self.best is not None)
            else:
                lines.append(f"{name:5}  {value:12,.1f}  {loss:10,.1f}")
        return "\n".join(lines)
