"""A trained network as a player."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tdl.dqn.choices import DQNChoices
from tdl.dqn.extra import torch
from tdl.dqn.moves import Moves, best_of, moves_of_boards
from tdl.dqn.networks import NOT_FINITE, Network, fill, new_network, q_values
from tdl.dqn.play import Actions
from tdl.errors import DivergenceError
from tdl.game.engine import Engine
from tdl.game.rules import Rules

if TYPE_CHECKING:
    from tdl.agents.player import BoardLike


class DQNPlayer:
    """Chooses the legal action of the largest Q, the first of equals.

    Parameters
    ----------
    network : of the values.
    rules : of the game.
    gamma : discount of the values of afterstates.

    Attributes
    ----------
    engine : the game.
    """

    def __init__(self, network: Network, rules: Rules, gamma: float = 1.0) -> None:
        self.network, self.rules, self.gamma = network, rules, gamma
        self.engine = Engine(rules)

    @torch.no_grad()
    def q(self, moves: Moves) -> NDArray[np.float32]:
        """Q of the four actions on boards, in points: shape (n, 4), nan where illegal.

        Raises
        ------
        DivergenceError : the network's values are not finite.
        """
        device = self.network.table.device
        legal = torch.from_numpy(moves.legal).to(device)
        tiles, after = (torch.from_numpy(each).to(device) for each in (moves.tiles, moves.after))
        gains = torch.from_numpy(moves.rewards).to(device).float()
        values = q_values(self.network, self.gamma, tiles, gains, after, legal).masked_fill(~legal, torch.nan)
        found: NDArray[np.float32] = values.cpu().numpy()
        if not np.isfinite(found[moves.legal]).all():
            raise DivergenceError(NOT_FINITE)
        return found

    def choose(self, moves: Moves) -> Actions:
        """The actions on boards that each have a legal one: int64 (n,)."""
        return best_of(self.q(moves))

    def values(self, board: BoardLike) -> NDArray[np.float64]:
        """Q of the four actions (up, right, down, left) on a board, in points: shape (4,), nan where illegal."""
        values: NDArray[np.float64] = self.q(moves_of_boards(self.engine, [self.engine.board(board)]))[0].astype(float)
        return values

    def best(self, board: BoardLike) -> int | None:
        """The action chosen, 0 to 3; None when the game is over."""
        values = self.values(board)
        return None if np.isnan(values).all() else int(np.nanargmax(values))


def player_of(choices: DQNChoices, rules: Rules, weights: NDArray[np.float32]) -> DQNPlayer:
    """The player of a checkpoint's array `tdl.dqn.learner.WEIGHTS`.

    Raises
    ------
    CheckpointError : the weights are of another network.
    """
    network = new_network(choices, rules, torch.Generator())
    fill(network.parameters(), weights)
    return DQNPlayer(network, rules, choices.gamma)
