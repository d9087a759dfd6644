"""A trained deep Q-network as a player, and what a checkpoint says of it."""

from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.base.checks import built
from tdl.dqn.graph import Repeated
from tdl.dqn.networks import NOT_FINITE, Network, fill, new_network, parameter_count, q_values
from tdl.dqn.options import DQNOptions
from tdl.dqn.pytorch import torch
from tdl.errors import CheckpointError, DivergenceError, naming
from tdl.game.boards import BoardLike
from tdl.game.engine import Engine
from tdl.game.rules import Rules
from tdl.network.texts import number_text
from tdl.players.batch_moves import Moves, best_of, moves_of_boards
from tdl.players.batch_play import Actions
from tdl.players.description import kind_of, read_agent
from tdl.players.player import WEIGHTS, checkpoint_folder
from tdl.storage.checkpoint import META, check_room, read_array

_DEFAULTS = [each.name for each in fields(DQNOptions)]
"""Options that a checkpoint from before there were any may lack."""


CHUNK = 1024
"""Boards that a graphics card values at a time."""


class DQNPlayer:
    """Plays the legal action of the largest Q, the first of equals.

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
        self._values = Repeated(lambda tiles, gains, after: q_values(network, gamma, tiles, gains, after, None))

    def __repr__(self) -> str:
        weights = sum(values.numel() for values in self.network.parameters())
        return f"DQNPlayer({self.rules.name}, {number_text(weights)} weights)"

    @torch.no_grad()
    def q(self, moves: Moves) -> NDArray[np.float32]:
        """Q of the four actions on boards, in points: shape (n, 4), nan where illegal.

        Raises
        ------
        DivergenceError : the network's values are not finite.
        """
        q = self._on_card(moves) if self.network.table.is_cuda else self._on_cpu(moves)
        if not np.isfinite(q[moves.legal]).all():
            raise DivergenceError(NOT_FINITE)
        q[~moves.legal] = np.nan
        return q

    def _on_cpu(self, moves: Moves) -> NDArray[np.float32]:
        tiles, gains, after, legal = map(torch.from_numpy, (moves.tiles, moves.rewards, moves.after, moves.legal))
        q: NDArray[np.float32] = q_values(self.network, self.gamma, tiles, gains.float(), after, legal).numpy()
        return q

    def _on_card(self, moves: Moves) -> NDArray[np.float32]:
        n = len(moves.legal)
        parts = [self._part_on_card(moves[first : first + CHUNK]) for first in range(0, n, CHUNK)]
        return np.concatenate([np.zeros((0, 4), np.float32), *parts])

    def _part_on_card(self, moves: Moves) -> NDArray[np.float32]:
        """Of all four actions, and of as many boards as a power of two: a few graphs, however many games are left."""
        n = len(moves.legal)
        rows = np.arange(1 << (n - 1).bit_length())
        gains, after = moves.rewards.astype(np.float32), np.where(moves.legal[..., None], moves.after, 0)
        arrays = (each.take(rows, axis=0, mode="clip") for each in (moves.tiles, gains, after))
        values = self._values(*(torch.from_numpy(each) for each in arrays))
        q: NDArray[np.float32] = values[:n].cpu().numpy()
        return q

    def select_actions(self, moves: Moves) -> Actions:
        """The actions on boards that each have a legal one: int64 (n,)."""
        return best_of(self.q(moves))

    def values(self, board: BoardLike) -> NDArray[np.float64]:
        """Q of the four actions (up, right, down, left) on a board, in points: shape (4,), nan where illegal."""
        values: NDArray[np.float64] = self.q(moves_of_boards(self.engine, [self.engine.board(board)]))[0].astype(float)
        return values

    def best(self, board: BoardLike) -> int | None:
        """The action of the largest Q, 0 to 3; None when the game is over."""
        values = self.values(board)
        return None if np.isnan(values).all() else int(np.nanargmax(values))


def describe(options: DQNOptions) -> dict[str, Any]:
    """The description of the network in a checkpoint, for `meta.json`."""
    return {"kind": "dqn", "choices": asdict(options)}


def load(checkpoint: str | Path, rules: Rules | None = None) -> DQNPlayer:
    """The player of a checkpoint: its folder, or the folder of a run.

    Parameters
    ----------
    rules : of the games to play, of the same game and board; None: those of the checkpoint.

    Raises
    ------
    CheckpointError : missing, cut, corrupt, of another version, or not of a deep Q-network.
    """
    folder = checkpoint_folder(checkpoint)
    meta = read_agent(folder)
    if kind_of(meta) != "dqn":
        raise CheckpointError(f"{folder}: not of a deep Q-network; tdl.load reads it")
    with naming(folder / META):
        options = built(DQNOptions, "network.choices", meta["network"].get("choices"), optional=_DEFAULTS)
        trained = Rules.from_dict(meta["rules"])
    check_room(folder, meta, WEIGHTS, (parameter_count(options, trained),), np.float32)
    return player_of(options, rules or trained, read_array(folder, meta, WEIGHTS))


def player_of(options: DQNOptions, rules: Rules, weights: NDArray[np.float32]) -> DQNPlayer:
    """The player of a checkpoint's array `weights`; CheckpointError where they are of another network."""
    network = new_network(options, rules, torch.Generator())
    fill(network.parameters(), weights)
    return DQNPlayer(network, rules, options.gamma)
