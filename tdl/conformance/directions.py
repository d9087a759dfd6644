"""Which action moves where: found by the boards that follow, also where some moves are wrong."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from tdl.conformance.evidence import Boards, Directions
from tdl.conformance.shown_boards import Reading, possible_readings
from tdl.conformance.slides import readable, slid_boards
from tdl.conformance.subject import Leaves
from tdl.errors import ConfigError
from tdl.game.rules import Rules

MAX_DROPS = 2
"""Tiles that may be new after a move, where moves are only looked for."""

EXPLAINED, CLEAR = 0.25, 1.5
"""A direction explains at least this share of the boards that an action changes, and so many times what others do."""


def follows(after: Boards, seen: Boards) -> NDArray[np.bool_]:
    """Whether boards are afterstates with a few new tiles on empty cells; over the last axis."""
    new = (after == 0) & (seen != 0)
    fits: NDArray[np.bool_] = np.all((after == seen) | new, axis=-1) & (np.sum(new, axis=-1) <= MAX_DROPS)
    return fits


def directions_of(
    before: Boards, actions: NDArray[np.int64], seen: Boards, n: int, rules: Rules
) -> tuple[Directions, float]:
    """The direction of each of `n` actions, -1 where none explains them; the share that they explain."""
    use = readable(before, rules) & readable(seen, rules) & (before != seen).any(axis=1)
    fits = follows(slid_boards(before[use], rules).after, seen[use][:, None])
    directions, explained = np.full(n, -1, np.int8), 0.0
    for action in range(n):
        chosen = fits[actions[use] == action]
        if not len(chosen):
            continue
        shares = chosen.mean(axis=0)
        *_, second, best = np.sort(shares)
        if best >= max(EXPLAINED, CLEAR * second):
            directions[action] = shares.argmax()
            explained += chosen[:, shares.argmax()].sum()
    return directions, explained / max(1, len(before))


def find_reading(
    leaves: Leaves, pairs: Iterable[tuple[int, int, int]], n: int, rules: Rules
) -> tuple[Reading, Directions]:
    """How boards are shown and what actions do.

    Parameters
    ----------
    leaves : with a row for each moment.
    pairs : moves as (row before, action, row after).
    """
    rows = np.array([*pairs], np.int64).reshape(-1, 3)
    best: tuple[float, Reading | None, Directions] = (0.0, None, np.full(n, -1, np.int8))
    for reading in possible_readings(leaves, rules):
        boards = reading.boards(leaves)
        directions, share = directions_of(boards[rows[:, 0]], rows[:, 1], boards[rows[:, 2]], n, rules)
        if share > best[0] + 1e-9:
            best = share, reading, directions
    if best[1] is None:
        shown = ", ".join(f"{path} {leaf.dtype}{list(leaf.shape[1:])}" for path, leaf in leaves.items())
        raise ConfigError(
            f"env: no board of {rules.name} is seen in {shown or 'anything it shows'}; "
            "expected boards of this game and size, or an adapter with board(observation), rows of tile values"
        )
    return best[1], best[2]
