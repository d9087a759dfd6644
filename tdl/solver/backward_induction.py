"""Backward induction over layers: the value of every state and afterstate under best, random or greedy play.

Backward from the largest sum of tiles, for a drop raises it (Bellman 1957, Dynamic Programming): V(s') is the mean of
V(s) over the drops, and V(s) what the player makes of reward + V(s') over the moves, 0 when there are none.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.solver.enumeration import OnProgress, Reachable, ignore_progress, start_laws
from tdl.solver.layer_values import value_afterstates, value_states

Values = NDArray[np.float64]


def layer_order(boards: Reachable) -> list[tuple[int, bool, int]]:
    """All layers in the order in which games pass them, as (sum of tiles, whether of afterstates, number)."""
    states = [(total, False, layer) for layer, total in enumerate(boards.states.sums.tolist())]
    return sorted(states + [(total, True, layer) for layer, total in enumerate(boards.afterstates.sums.tolist())])


def sweep(
    boards: Reachable,
    policy: str = "best",
    *,
    reach: int = 0,
    on_progress: OnProgress = ignore_progress,
    **player: Any,
) -> tuple[Values, Values]:
    """The values of all states and of all afterstates, float64, in their order.

    Parameters
    ----------
    boards : all that can be reached.
    policy : "best", "random" or "greedy"; `player` are further arguments of `tdl.solver.layer_values.value_states`.
    reach : 0: values are expected scores; else probabilities that a tile of at least this value is ever on the board.
    on_progress : called after each layer.
    """
    values, after_values = np.empty(len(boards.states)), np.empty(len(boards.afterstates))
    total, done = len(values) + len(after_values), 0
    for _, after, layer in reversed(layer_order(boards)):
        if after:
            value_afterstates(boards.afterstates, layer, boards.states, values, boards.rules.drop, after_values, reach)
            done += len(after_values[boards.afterstates.slice_of(layer)])
        else:
            value_states(boards.states, layer, boards.afterstates, after_values, values, policy, reach, **player)
            done += len(values[boards.states.slice_of(layer)])
        on_progress(f"solve {policy}", done, total)
    return values, after_values


def value_of_start(boards: Reachable, values: Values) -> float:
    """The value of a game before its first tile, from the values of all states."""
    following, following_values = boards.starts[-1], values[boards.states.find(boards.starts[-1].boards)]
    for level, law in zip(reversed(boards.starts[:-1]), reversed(start_laws(boards.rules)), strict=True):
        level_values = np.empty(len(level))
        for layer in range(len(level.sums)):
            value_afterstates(level, layer, following, following_values, law, level_values)
        following, following_values = level, level_values
    return float(following_values[0])
