"""A board as an agent judges it: the best direction, the values of all four, and what each other one loses."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.game.rules import ACTION_NAMES
from tdl.sessions.recorded_game import optional_values


def judged(values: NDArray[np.float64]) -> dict[str, Any]:
    """The answer for JSON, from the values of up, right, down, left, nan where illegal.

    `best` is the direction with the largest value, the first of equals; None: the game is over. `values` and `losses`,
    what each is worse than the best, are by direction, in points; None where illegal.
    """
    best = None if np.isnan(values).all() else int(np.nanargmax(values))
    losses = values if best is None else values[best] - values
    columns = {"values": values, "losses": losses}
    named = {key: dict(zip(ACTION_NAMES, optional_values(column), strict=True)) for key, column in columns.items()}
    return {"best": None if best is None else ACTION_NAMES[best], **named}


def answer_text(answer: dict[str, Any]) -> str:
    """The answer for people: the direction in a line of its own, or `none`, then the table."""
    if answer["best"] is None:
        return "none: the game is over"
    lines = [answer["best"], f"{'':5}  {'value':>12}  {'loses':>10}"]
    for name, value in answer["values"].items():
        figures = f"{'illegal':>12}" if value is None else f"{value:12,.1f}  {answer['losses'][name]:10,.1f}"
        lines.append(f"{name:5}  {figures}")
    return "\n".join(lines)
