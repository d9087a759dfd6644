"""Action values: reward plus value of each of the four moves of a board, as a player's search gives them."""

import dataclasses
import functools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tdl.learning.options import LearnerOptions
from tdl.learning.state import drop_table_of, shares_drops
from tdl.network.ntuple import NTupleNetwork
from tdl.players.player import Player
from tdl.search.options import SearchOptions

ActionValues = Callable[[int], NDArray[np.float64]]
"""Values of up, right, down, left on a packed board, reward included: shape (4,), nan where illegal."""


def action_values(player: Player, search: SearchOptions, expectation: str) -> ActionValues:
    """The action values by which the kernel plays an evaluation of this player, to the last bit."""
    if search.greedy and _shares_drops(player, expectation):
        return _by_drop_table(player)
    options = dataclasses.asdict(search)
    return functools.partial(player.values, plies=options.pop("plies"), **options)


def can_be_recorded(player: Player, search: SearchOptions, expectation: str = "auto") -> bool:
    """Whether `action_values` are those of an evaluation: a search has no table of the drops."""
    return search.greedy or not _shares_drops(player, expectation)


def optional_values(values: NDArray[np.float64]) -> tuple[float | None, ...]:
    """Action values with None in place of nan, as records and JSON have them."""
    return tuple(None if np.isnan(value) else value for value in values.tolist())


def _shares_drops(player: Player, expectation: str) -> bool:
    return shares_drops(player.network, LearnerOptions(target=player.target, expectation=expectation))


def _by_drop_table(player: Player) -> ActionValues:
    """Action values by the table of drops (`tdl/learning/drop_table.pxd`), which rounds unlike sums over boards."""
    network, engine, gamma = player.network, player.engine, np.float32(player.gamma)
    drop_table = NTupleNetwork(network.rules, network.tuples, weights=drop_table_of(network))

    def values(board: int) -> NDArray[np.float64]:
        out = np.full(4, np.nan)
        for action, after, reward in engine.afterstates(board):
            drops = np.float32(drop_table.value(after)) / np.float32(engine.empty(after))
            out[action] = np.float32(reward) + gamma * (np.float32(network.value(after)) + drops)
        return out

    return values
