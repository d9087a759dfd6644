"""Advisor: the action values of a checkpoint of any kind of agent, by a search of any depth."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from tdl.errors import ConfigError
from tdl.game.rules import Rules
from tdl.players.description import kind_of, read_agent
from tdl.players.lookahead import Valued, check_depth, look_ahead
from tdl.players.player import Player, checkpoint_folder, load, playing_by
from tdl.search.options import SearchOptions
from tdl.sessions.action_values import ActionValues, action_values, can_be_recorded
from tdl.storage.checkpoint import Meta


class Advisor:
    """A trained agent, to be asked about single boards. Not for two threads at once."""

    def __init__(
        self, folder: Path, meta: Meta, rules: Rules, values_by: Callable[[SearchOptions], ActionValues]
    ) -> None:
        self.folder, self.digest, self.episode = folder, str(meta["digest"]), int(meta["episode"])
        self.rules, self._values_by, self._kind = rules, values_by, kind_of(meta)

    def action_values(self, search: SearchOptions) -> ActionValues:
        """Its action values when it looks ahead by `search`."""
        check_depth(search.plies, self._kind, "plies")
        return self._values_by(search)


def load_advisor(checkpoint: str | Path, rules: Rules | None = None) -> Advisor:
    """The agent of a checkpoint: its folder, or the folder of a run.

    Parameters
    ----------
    rules : to play by: those it was trained by, or with another tile rule. None: those it was trained by.

    Raises
    ------
    CheckpointError : missing, cut, corrupt, of another version, or of an agent without values.
    """
    folder = checkpoint_folder(checkpoint)
    meta = read_agent(folder)
    if kind_of(meta) == "dqn":
        from tdl.dqn import dqn_player as deep  # not at the top: it needs PyTorch

        network = deep.load(folder, rules)
        return Advisor(folder, meta, network.rules, lambda search: _of_deep_network(network, search))
    player = load(folder)
    player = player if rules is None else playing_by(player, rules)
    expectation = str(meta.get("learner", {}).get("expectation", "auto"))
    return Advisor(folder, meta, player.network.rules, lambda search: _of_player(player, search, expectation))


def _of_player(player: Player, search: SearchOptions, expectation: str) -> ActionValues:
    if not can_be_recorded(player, search, expectation):
        expectation = "direct"  # it has no table of the drops when it looks ahead
    return action_values(player, search, expectation)


def _of_deep_network(network: Valued, search: SearchOptions) -> ActionValues:
    if search != SearchOptions(search.plies):
        raise ConfigError("search: of an agent of kind dqn only the number of plies can be chosen")
    player = network if search.plies == 1 else look_ahead(network, search.plies)
    return lambda board: np.asarray(player.values(board), np.float64)
