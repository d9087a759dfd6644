"""Checkpoints of any kind as one thing: what they take moves to be worth, as far ahead as asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from tdl.agents.lookahead import Valued, check_depth, look_ahead
from tdl.agents.player import Player, checkpoint_folder, kind_of, load, playing_by
from tdl.errors import ConfigError
from tdl.game.rules import Rules
from tdl.search.options import SearchOptions
from tdl.sessions import recorded_game
from tdl.sessions.recorded_game import ActionValues
from tdl.storage.checkpoint import Meta, read_meta


class Advisor:
    """An agent that was trained, to be asked about single boards. Not for two threads at once.

    Attributes
    ----------
    folder : of its checkpoint.
    digest : of its checkpoint.
    rules : it plays by.
    episode : games it was trained for.
    """

    def __init__(self, folder: Path, meta: Meta, rules: Rules, by: Callable[[SearchOptions], ActionValues]) -> None:
        self.folder, self.digest, self.episode = folder, str(meta["digest"]), int(meta["episode"])
        self.rules, self._by, self._kind = rules, by, kind_of(meta)

    def at(self, searching: SearchOptions) -> ActionValues:
        """What it takes moves to be worth when it looks ahead so.

        Raises
        ------
        ConfigError : it cannot, or a value is out of range.
        """
        searching.check()
        check_depth(searching.plies, self._kind, "plies")
        return self._by(searching)


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
    meta = read_meta(folder)
    if kind_of(meta) == "dqn":
        from tdl.dqn import player as deep  # not at the top: it needs PyTorch

        network = deep.load(folder, rules)
        return Advisor(folder, meta, network.rules, lambda searching: _deep(network, searching))
    player = load(folder)
    player = player if rules is None else playing_by(player, rules)
    expectation = str(meta.get("learner", {}).get("expectation", "auto"))
    return Advisor(folder, meta, player.network.rules, lambda searching: _tables(player, searching, expectation))


def _tables(player: Player, searching: SearchOptions, expectation: str) -> ActionValues:
    if not recorded_game.can_be_recorded(player, searching, expectation):
        expectation = "direct"  # it has no table of the drops when it looks ahead
    return recorded_game.values_by(player, searching, expectation)


def _deep(network: Valued, searching: SearchOptions) -> ActionValues:
    if searching != SearchOptions(searching.plies):
        raise ConfigError("search: of an agent of kind dqn only the number of plies can be chosen")
    player = network if searching.plies == 1 else look_ahead(network, searching.plies)
    return lambda board: np.asarray(player.values(board), np.float64)
