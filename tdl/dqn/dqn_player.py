"""A trained deep Q-network as a player, and what a checkpoint says of it."""

from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.base.checks import built
from tdl.dqn.networks import NOT_FINITE, Network, fill, flat, new_network, parameter_count, q_values
from tdl.dqn.options import DQNOptions
from tdl.dqn.pytorch import Repeated, instructions, prepare, torch
from tdl.errors import CheckpointError, DivergenceError, naming
from tdl.game.engine import Engine
from tdl.game.rules import Rules
from tdl.network.texts import number_text
from tdl.players.batch_play import BatchPlayer, Moves
from tdl.players.kinds import WEIGHTS, checkpoint_folder, kind_of, read_agent
from tdl.storage.checkpoint import META, Array, Meta, check_room, read_array
from tdl.training.options import Settled

CHUNK = 1024
"""Boards that a graphics card values at a time."""


class DQNPlayer(Settled, BatchPlayer):
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

    __slots__ = ("_values", "engine", "gamma", "network")

    def __init__(self, network: Network, rules: Rules, gamma: float = 1.0) -> None:
        self.network, self.engine, self.gamma = network, Engine(rules), gamma
        self._values = Repeated(lambda tiles, gains, after: q_values(network, gamma, tiles, gains, after, None))

    def __reduce__(self) -> tuple[Any, ...]:
        return DQNPlayer, (self.network, self.rules, self.gamma)

    def __repr__(self) -> str:
        weights = sum(values.numel() for values in self.network.parameters())
        return f"DQNPlayer({self.rules.name}, {number_text(weights)} weights)"

    @property
    def instructions(self) -> str:
        """The CPU's instructions that PyTorch computes with, or the name of another device."""
        return instructions(self.network.table.device.type)

    def _saved(self) -> tuple[Meta, Mapping[str, Array]]:
        """What a checkpoint says of it, beside the rules, and its weights."""
        options = replace(self.network.options, gamma=self.gamma)
        return {"network": describe(options), "learner": {"gamma": self.gamma}}, {
            WEIGHTS: flat(self.network.parameters())
        }

    def use_threads(self, threads: int) -> None:
        """Compute with so many threads of PyTorch."""
        prepare(threads, self.network.table.device.type)

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
        arrays = (array.take(rows, axis=0, mode="clip") for array in (moves.tiles, gains, after))
        values = self._values(*map(torch.from_numpy, arrays))
        q: NDArray[np.float32] = values[:n].cpu().numpy()
        return q


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
    if not kind_of(meta).deep:
        raise CheckpointError(f"{folder}: not of a deep Q-network; tdl.load reads it")
    return player_of(folder, meta, rules)


def player_of(folder: Path, meta: Meta, rules: Rules | None = None, *, copy: bool = False) -> DQNPlayer:
    """The player of the checkpoint in `folder`, as `tdl.players.kinds.agent_of`; its weights are always a copy."""
    older = [option.name for option in fields(DQNOptions)]  # a checkpoint from before there was one may lack it
    with naming(folder / META):
        options = built(DQNOptions, "network.choices", meta["network"].get("choices"), optional=older)
        trained_by = Rules.from_dict(meta["rules"])
    check_room(folder, meta, WEIGHTS, (parameter_count(options, trained_by),), np.float32)
    return player_of_weights(options, rules or trained_by, read_array(folder, meta, WEIGHTS))


def player_of_weights(options: DQNOptions, rules: Rules, weights: NDArray[np.float32]) -> DQNPlayer:
    """The player of a checkpoint's array `weights`; CheckpointError where they are of another network."""
    network = new_network(options, rules, torch.Generator())
    fill(network.parameters(), weights)
    return DQNPlayer(network, rules, options.gamma)
