"""The kinds of agents: what every one of them answers, how each is loaded, and what a checkpoint says of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tdl.base.checks import (
    Check,
    check_choice,
    check_function,
    check_mapping,
    check_number,
    check_object,
    check_text,
    check_whole,
    without_numpy,
)
from tdl.cuda.device import CPU
from tdl.errors import CheckpointError, ConfigError, naming, refuse
from tdl.game.boards import BoardLike
from tdl.game.engine import Engine
from tdl.game.rules import Rules
from tdl.learning.state import ACCUMULATORS
from tdl.learning.stored_network import WEIGHTS as WEIGHTS
from tdl.search.options import MAX_PLIES, SearchOptions
from tdl.storage.checkpoint import META, Array, Meta, check_room, read_array, read_meta
from tdl.storage.records import Records, check_episodes
from tdl.storage.run_folder import CHECKPOINT, run_in
from tdl.storage.saved_folder import SAVED, save
from tdl.training.options import OnProgress, PlayOptions, play_options

Values = NDArray[np.float64]

ActionValues = Callable[[int], Values]
"""Values of up, right, down, left on a packed board, reward included: shape (4,), nan where illegal."""


class Agent:
    """Who plays. Not for two threads at once: a search has memory of its own.

    Attributes
    ----------
    engine : the game.
    banded : whether the scores of its games are also counted in bands of 1,000 points, as those of the deep Q-learner
        were published.
    devices : what can compute its games, of `PlayOptions.device`.
    """

    __slots__ = ()

    engine: Engine
    banded: ClassVar[bool] = True
    devices: ClassVar[tuple[str, ...]] = (CPU,)

    @property
    def rules(self) -> Rules:
        """Of the games it plays."""
        return self.engine.rules

    @property
    def instructions(self) -> str:
        """What it computes with, for `result.json`."""
        return "none"

    def say_memory(self) -> None:
        """Say beside the results what its weights take in memory, where that is much."""

    def use_threads(self, threads: int) -> None:
        """Compute with so many threads, where it values many boards at once."""

    def values(self, board: BoardLike) -> Values:
        """Values of the four actions (up, right, down, left), reward included: shape (4,), nan where illegal."""
        return self.action_values(SearchOptions())(self.engine.board(board))

    def values_of(self, boards: Sequence[int]) -> Values:
        """`values` of packed boards: shape (n, 4)."""
        return np.array([self.values(board) for board in boards], np.float64).reshape(-1, 4)

    def best(self, board: BoardLike) -> int | None:
        """The action with the largest of `values`, 0 to 3, the first of equals; None when the game is over."""
        values = self.values(board)
        return None if np.isnan(values).all() else int(np.nanargmax(values))

    def action_values(self, search: SearchOptions) -> ActionValues:
        """The action values by which it plays where it looks ahead by `search`.

        Raises
        ------
        ConfigError : it has no values, or no such search.
        """
        raise NotImplementedError

    def evaluate(
        self,
        episodes: int,
        seed: int | None = None,
        *,
        play: PlayOptions | None = None,
        on_progress: OnProgress | None = None,
        **keywords: Any,
    ) -> Records:
        """Play games without learning. Game k of a seed meets the same drops whoever plays.

        Parameters
        ----------
        episodes : number of games.
        seed : of the drops; None: that of `play`, 0 by default.
        play : how the games are played; None: the defaults of `PlayOptions`.
        on_progress : called now and then with the numbers of games and moves so far. May raise to give the games up,
            or `tdl.training.options.Enough` to have those before the first that is not finished.
        keywords : fields of `PlayOptions` and `SearchOptions`, which replace those of `play`: `threads=2, plies=3`.

        Returns
        -------
        structured array of dtype `tdl.storage.records.RECORD`, shape (episodes,): episode, score, moves, max_tile.

        Raises
        ------
        ConfigError : an unknown keyword, or a value out of its range.
        DivergenceError : the values are not finite or beyond all bounds.
        """
        episodes = without_numpy(episodes)
        check_episodes(episodes)
        check_function("on_progress", on_progress, "the numbers of games and moves")
        keywords |= {} if seed is None else {"seed": seed}
        options = play_options(play, keywords)
        if options.device not in self.devices:
            raise refuse("device", options.device, f"{CPU} unless an n-tuple network plays")
        records = self.play(episodes, options, on_progress)
        unfinished = np.append(records["max_tile"] == 0, True)
        return records[: unfinished.argmax()]

    def play(self, episodes: int, options: PlayOptions, on_progress: OnProgress | None = None) -> Records:
        """Play games as `options` say, as far as this kind has use for them."""
        raise NotImplementedError

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write a checkpoint that `tdl.load` and all programs read; what was saved in the folder before is replaced.

        Raises
        ------
        ConfigError : the folder holds something else, or the player is a function or a look ahead.
        CheckpointError : it could not be written (a full disk); what was saved there before is intact.
        """
        meta, arrays = self._saved()
        save(folder, {"episode": 0, SAVED: "player", "rules": self.rules.to_dict(), **meta}, arrays)

    def _saved(self) -> tuple[Meta, Mapping[str, Array]]:
        """What a checkpoint says of it, beside the rules, and its arrays."""
        raise ConfigError(f"save: a {type(self).__name__} has no network to save; a Player has one")


@dataclass(frozen=True)
class Kind:
    """A kind of agents.

    Attributes
    ----------
    name : as in `agent.kind`.
    loader : module and function that make an agent of a checkpoint, as `agent_of`. The module is imported when it is
        asked for one: that of deep networks needs PyTorch.
    max_plies : of a look ahead; 1: it has no values to look ahead with.
    tables : whether its values are an n-tuple network, which alone has use for all keys and all options of a search.
    deep : whether its values are a deep Q-network.
    """

    name: str
    loader: str
    max_plies: int = 1
    tables: bool = False
    deep: bool = False

    def check_plies(self, plies: int, key: str = "evaluate.plies") -> None:
        """Refuse a look ahead that agents of this kind do not have."""
        if self.max_plies > 1:
            check_whole(key, plies, 1, self.max_plies + 1)
        elif plies != 1:
            raise refuse(key, plies, f"1 with agent.kind={self.name}: it has no values to look ahead with")


NTUPLE = "ntuple"

MAX_DEEP_PLIES = 5
"""One more costs a hundred times as much: there is no kernel for it."""

KINDS = {
    kind.name: kind
    for kind in (
        Kind(NTUPLE, "tdl.players.player:player_of", MAX_PLIES, tables=True),
        Kind("dqn", "tdl.dqn.dqn_player:player_of", MAX_DEEP_PLIES, deep=True),
        Kind("random", "tdl.players.player:baseline_of"),
        Kind("greedy", "tdl.players.player:baseline_of"),
    )
}


def kind_of(meta: Meta) -> Kind:
    """The kind of the agent of a checkpoint."""
    return KINDS[meta["network"].get("kind", NTUPLE)]


SMALL = "tdl:small"
"""The name of the network in the package; `tdl/small/card.md` says what it is."""


def is_small(path: str | os.PathLike[str]) -> bool:
    """Whether this names the network in the package; another name that begins like its own is refused."""
    if str(path).startswith("tdl:") and str(path) != SMALL:
        raise CheckpointError(f"{path}: no such network; expected a folder, or {SMALL}, the network in the package")
    return str(path) == SMALL


def checkpoint_folder(path: str | Path) -> Path:
    """The folder of a checkpoint, by its own path, that of its run, or of a sweep that is this run alone.

    `SMALL` is the folder of the network in the package.
    """
    if not isinstance(path, str | os.PathLike):
        raise refuse("checkpoint", path, "a folder")
    if is_small(path):
        return Path(__file__).resolve().parents[1] / "small"
    folder = run_in(Path(path))
    return folder / CHECKPOINT if (folder / CHECKPOINT).is_dir() else folder


def load_agent(checkpoint: str | Path, rules: Rules | None = None) -> Agent:
    """The agent of a checkpoint, of any kind; as `agent_of`."""
    folder = checkpoint_folder(checkpoint)
    return agent_of(folder, read_agent(folder), rules)


def agent_of(folder: Path, meta: Meta, rules: Rules | None = None, *, copy: bool = False) -> Agent:
    """The agent of the checkpoint in `folder`, which `meta` describes.

    Parameters
    ----------
    rules : to play by: those it was trained by, or with another tile rule. None: those it was trained by.
    copy : whether its weights are read into memory, not mapped: faster over many games.

    Raises
    ------
    CheckpointError : an array is missing, cut, corrupt, or of another network.
    ConfigError : an extra is missing that it needs; or it does not fit into the memory that is free.
    """
    agent: Agent = resolve_name(kind_of(meta).loader)(folder, meta, rules, copy=copy)
    return agent


def read_agent(folder: Path) -> Meta:
    """The description of the agent of the checkpoint in `folder`, verified and checked.

    What only a run reads, its `config`, is checked by the configuration; network and learner by what makes a player.

    Raises
    ------
    CheckpointError : missing, cut, corrupt, of another version, or with an entry that is missing, of another type, or
        out of range; it names the file and the entry.
    """
    meta = read_meta(folder)
    with naming(folder / META):
        check_object("", meta, _ENTRIES, optional=(*OF_RUN, "imported"))
        Rules.from_dict(meta["rules"])
    return meta


def check_resumable(folder: Path, meta: Meta) -> None:
    """Refuse a checkpoint that has not all that a run goes on with."""
    with naming(folder / META):
        check_object("", meta, {name: _ENTRIES[name] for name in OF_RUN})


def read_accumulators(folder: Path, meta: Meta, entries: int) -> NDArray[np.float32] | None:
    """E and A of a checkpoint whose network has so many entries: shape (entries, 2), read-only; None: it has none.

    Raises
    ------
    CheckpointError : cut, corrupt, or of another network.
    """
    if ACCUMULATORS not in meta["arrays"]:
        return None
    check_room(folder, meta, ACCUMULATORS, (entries, 2), np.dtype(np.float32))
    return read_array(folder, meta, ACCUMULATORS)


def _check_network(key: str, network: Any) -> None:
    check_object(key, network, {"kind": partial(check_choice, choices=tuple(KINDS))}, optional=("kind",))


def _check_imported(key: str, origin: Any) -> None:
    check_object(key, origin, dict.fromkeys(("program", "file", "sha256"), check_text))


_ENTRIES: dict[str, Check] = {
    "rules": check_mapping,
    "network": _check_network,
    "learner": check_mapping,
    "moves": partial(check_whole, least=0),
    "seconds": partial(check_number, least=0),
    "names": partial(check_mapping, check=check_text),
    "config": check_mapping,
    "imported": _check_imported,
}

OF_RUN = ("learner", "moves", "seconds", "names", "config")
"""Entries that the checkpoint of a run has; of an imported one some are missing."""
