"""A trained network as a player: values of moves and boards, and games."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.base.checks import check_choice, check_instance, check_share, without_numpy
from tdl.errors import CheckpointError, refuse, shown
from tdl.game.boards import BoardLike, unpack
from tdl.game.engine import Engine
from tdl.game.rules import Rules
from tdl.learning.options import EXPECTATIONS, TARGETS
from tdl.network.allocation import allocate
from tdl.network.ntuple import NTupleNetwork
from tdl.players.description import WEIGHTS as WEIGHTS
from tdl.players.description import describe, read_agent
from tdl.players.evaluation import evaluate
from tdl.search.expectimax import Expectimax
from tdl.search.options import PlacerOptions, SearchOptions
from tdl.storage.checkpoint import META, read_array
from tdl.storage.run_folder import CHECKPOINT
from tdl.training.options import OnProgress, PlayOptions, Settled, sort_keywords


class Player(Settled):
    """Chooses the move with the largest reward + gamma * V(afterstate), the first of equals, or looks further ahead.

    Not for two threads at once where it looks ahead: a search has memory of its own.

    Parameters
    ----------
    network : the value function.
    gamma : discount of V.
    target : what it values: "afterstate", or "state"; then V(afterstate) is the expectation over all drops.
    expectation : how `evaluate` computes that: "shared" work between drops, "direct" evaluation of each successor, or
        "auto". They differ by rounding.

    Attributes
    ----------
    engine : the game; `engine.show(board)` prints a board, `engine.array(board)` gives its tile values.

    Raises
    ------
    ConfigError : no network, an unknown target, or a discount that is no number from 0 to 1.
    """

    __slots__ = ("_expectimax", "_searched", "engine", "expectation", "gamma", "network", "target")

    def __init__(
        self, network: NTupleNetwork, gamma: float = 1.0, target: str = "afterstate", expectation: str = "auto"
    ) -> None:
        check_instance("network", network, NTupleNetwork)
        check_choice("target", target, TARGETS)
        check_choice("expectation", expectation, EXPECTATIONS)
        check_share("gamma", gamma)
        self.network = network
        self.engine = Engine(network.rules)
        self.gamma, self.target, self.expectation = gamma, target, expectation
        self._searched: tuple[SearchOptions, PlacerOptions | None] | None = None
        self._expectimax: Expectimax | None = None

    def __repr__(self) -> str:
        gamma = "" if self.gamma == 1 else f", gamma {self.gamma:g}"
        return f"Player({self.network!r}, values of {self.target}s{gamma})"

    def evaluate(
        self,
        episodes: int,
        seed: int | None = None,
        *,
        play: PlayOptions | None = None,
        on_progress: OnProgress | None = None,
        **keywords: Any,
    ) -> NDArray[np.void]:
        """Play games without learning. Game k of a seed meets the same drops whoever plays.

        Parameters
        ----------
        episodes : number of games.
        seed : of the drops; None: that of `play`, 0 by default.
        play : how the games are played; None: the defaults of `PlayOptions`.
        on_progress : called now and then with the numbers of games and moves so far. May raise to give the games up.
        keywords : fields of `PlayOptions` and `SearchOptions`, which replace those of `play`: `threads=2, plies=3`.

        Returns
        -------
        structured array of dtype `tdl.storage.records.RECORD`, shape (episodes,): episode, score, moves, max_tile.

        Raises
        ------
        ConfigError : an unknown keyword, or a value out of its range.
        DivergenceError : the network's values are not finite or beyond all bounds.
        """
        keywords |= {} if seed is None else {"seed": seed}
        fields, search = sort_keywords(keywords, PlayOptions, SearchOptions)
        if play is not None:
            check_instance("play", play, PlayOptions)
        options = replace(play or PlayOptions(), **fields)
        options = replace(options, search=replace(options.search, **search))
        return evaluate(self, self.engine.tables, without_numpy(episodes), options, on_progress)

    def value(self, board: BoardLike) -> float:
        """V of an afterstate (or state, by the target), in points: the expected reward still to come."""
        return float(self.network.value(board))

    def values(
        self, board: BoardLike, plies: int = 1, *, placer: PlacerOptions | None = None, **search: Any
    ) -> NDArray[np.float64]:
        """Reward + gamma * value of the four moves (up, right, down, left): shape (4,), nan where illegal.

        Parameters
        ----------
        board : to move on.
        plies : the player's moves that are looked at. 1: the value of a move is V of its afterstate; 2: the mean, over
            all drops, of what the best move that follows is worth, and so on.
        placer : who puts the tiles; None: the drop law.
        search : fields of `tdl.search.options.SearchOptions`, as `cutoff=0.001`.

        Raises
        ------
        ConfigError : no such board, or an option out of range.
        """
        plies = without_numpy(plies)
        if plies != 1 or placer is not None or search:
            (fields,) = sort_keywords({"plies": plies, **search}, SearchOptions)
            return self._search(SearchOptions(**fields), placer).values(board)
        out = np.full(4, np.nan)
        for action, after, reward in self.engine.afterstates(board):
            value = self.network.value(after) if self.target == "afterstate" else self._expected(after)
            # float32, as in the kernel: the same move where two are nearly equal
            out[action] = np.float32(reward) + np.float32(self.gamma) * np.float32(value)
        return out

    def afterstate_values(self, afterstates: NDArray[np.uint64]) -> NDArray[np.float32]:
        """The values of many packed afterstates: V, or the mean of V over all drops.

        Parameters
        ----------
        afterstates : uint64 array of shape (n,); boards of at most 64 bits, each with an empty cell.

        Raises
        ------
        ConfigError : the boards need more than 64 bits.
        """
        if self.target == "afterstate":
            return self.network.values(afterstates)
        rules, total, empty = self.network.rules, np.zeros(len(afterstates)), np.zeros(len(afterstates))
        for cell in range(rules.cells):
            shift = np.uint64(rules.bits * cell)
            free = afterstates >> shift & np.uint64(rules.cell_mask) == 0
            empty += free
            for tile, share in rules.drop:
                total[free] += share * self.network.values(afterstates[free] | np.uint64(tile) << shift)
        return (total / empty).astype(np.float32)

    def _expected(self, after: int) -> float:
        """The mean of V over all drops."""
        rules = self.network.rules
        empty = [rules.bits * cell for cell, tile in enumerate(unpack(after, rules)) if not tile]
        values = [share * self.network.value(after | tile << shift) for shift in empty for tile, share in rules.drop]
        return sum(values) / len(empty)

    def _search(self, search: SearchOptions, placer: PlacerOptions | None) -> Expectimax:
        """The search of such options; the last one is kept with its memory."""
        if placer is not None:
            check_instance("placer", placer, PlacerOptions, 'as PlacerOptions("adversary")')
        if self._searched != (search, placer):
            self._expectimax = Expectimax(
                self.network, search, self.engine.tables, gamma=self.gamma, target=self.target, placer=placer
            )
            self._searched = search, placer
        assert self._expectimax is not None
        return self._expectimax

    def best(self, board: BoardLike, plies: int = 1, **options: Any) -> int | None:
        """The action with the largest of `values`, 0 to 3 (up, right, down, left); None when the game is over."""
        values = self.values(board, plies, **options)
        return None if np.isnan(values).all() else int(np.nanargmax(values))


def load(checkpoint: str | Path, *, copy: bool = False) -> Player:
    """The player of a checkpoint: its folder, or the folder of a run.

    Parameters
    ----------
    copy : False: the weights stay on disk, mapped into memory, read-only. True: they are read into memory of their
        own, for many games: that of a file is in small pages (searching 2 plies, 4x6: 1.17 times the speed).

    Raises
    ------
    CheckpointError : missing, cut, corrupt, or of another version.
    ConfigError : the copy does not fit into the memory that is free.
    """
    folder = checkpoint_folder(checkpoint)
    meta = read_agent(folder)
    rules, tuples, stages = describe(meta, folder)
    room = None
    if copy:
        room = allocate("checkpoint", meta["arrays"][WEIGHTS]["shape"][0], f"the weights of {folder}")
    weights = read_array(folder, meta, WEIGHTS, into=room)
    network = NTupleNetwork(rules, tuples, stages=stages, weights=weights)
    if network.describe() != meta["network"]:
        layout = shown(meta["network"])
        raise CheckpointError(f"{folder / META}: network: its layout {layout} is not the one of this version")
    learner = meta["learner"]
    return Player(network, learner["gamma"], learner.get("target", "afterstate"), learner.get("expectation", "auto"))


def checkpoint_folder(path: str | Path) -> Path:
    """The folder of a checkpoint, by its own path or that of its run."""
    if not isinstance(path, str | os.PathLike):
        raise refuse("checkpoint", path, "a folder")
    folder = Path(path)
    return folder / CHECKPOINT if (folder / CHECKPOINT).is_dir() else folder


def playing_by(trained: Player, rules: Rules) -> Player:
    """The player in games of these rules: those it was trained by, or with another tile rule."""
    net = trained.network
    if net.rules != rules:
        net = NTupleNetwork(rules, net.tuples, stages=net.stages, weights=net.weights)
    return Player(net, trained.gamma, trained.target, trained.expectation)
