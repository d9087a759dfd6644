"""A trained n-tuple network as a player: values of moves and boards, and games; and players without values."""

import contextlib
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.base import streams
from tdl.base.checks import check_choice, check_instance, check_share, without_numpy
from tdl.cuda.device import CUDA, DEVICES
from tdl.errors import CheckpointError, ConfigError
from tdl.game.boards import BoardLike, unpack
from tdl.game.engine import EVALUATION, Engine
from tdl.game.rules import Rules
from tdl.learning.options import EXPECTATIONS, TARGETS, LearnerOptions
from tdl.learning.state import DROP_TABLE, drop_table_of, shares_drops
from tdl.learning.stored_network import read_network
from tdl.network.ntuple import NTupleNetwork
from tdl.network.texts import memory_text
from tdl.players import cuda_games
from tdl.players.baselines import play_greedy, play_random
from tdl.players.kinds import (
    KINDS,
    WEIGHTS,
    ActionValues,
    Agent,
    Values,
    checkpoint_folder,
    kind_of,
    read_agent,
)
from tdl.search.expectimax import Expectimax
from tdl.search.options import PlacerOptions, SearchOptions
from tdl.storage.checkpoint import Array, Meta
from tdl.storage.records import Records
from tdl.training.options import Enough, OnProgress, PlayOptions, Settled, sort_keywords
from tdl.training.threads import kernel, play_block, slice_of


class Player(Settled, Agent):
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
        gamma = without_numpy(gamma)
        check_share("gamma", gamma)
        self.network = network
        self.engine = Engine(network.rules)
        self.gamma, self.target, self.expectation = gamma, target, expectation
        self._searched: tuple[SearchOptions, PlacerOptions | None] | None = None
        self._expectimax: Expectimax | None = None

    def __getstate__(self) -> object:
        state: Any = super().__getstate__()
        return state[0], {**state[1], "_searched": None, "_expectimax": None}  # each searches with memory of its own

    banded = False  # there would be hundreds
    devices = DEVICES

    @property
    def instructions(self) -> str:
        """The CPU's instructions that its network computes with."""
        return self.network.instructions

    def say_memory(self) -> None:
        """Say beside the results what its weights take in memory, where that is much."""
        if text := memory_text(self.network):
            streams.say(f"tdl: the agent's weights take {text}")

    def with_network(self, network: NTupleNetwork) -> "Player":
        """A player that values as this one does, by another network."""
        return Player(network, self.gamma, self.target, self.expectation)

    def __repr__(self) -> str:
        gamma = "" if self.gamma == 1 else f", gamma {self.gamma:g}"
        return f"Player({self.network!r}, values of {self.target}s{gamma})"

    def play(self, episodes: int, options: PlayOptions, on_progress: OnProgress | None = None) -> Records:
        """Play games by the kernels, greedily on reward + gamma * V (or the expectation of V), or by a search.

        The games draw from a stream of their own, so evaluating never changes training.
        """
        options.check_board(self.rules)
        if options.device == CUDA:
            return cuda_games.play(self, episodes, options, on_progress)
        learner, state = self._learner(), {}
        learner.check_network(self.network.stages.count, self.network.extras)
        if self.shares_drops:
            state = {DROP_TABLE: drop_table_of(self.network)}
        build = kernel(self.network)
        plays = [
            build(self.network, self.engine.tables, learner, options, role=EVALUATION, state=state, learns=False)
            for _ in range(options.threads)
        ]
        with contextlib.suppress(Enough):
            play_block(plays, 0, episodes, slice_of(options.search), on_progress)
        return plays[0].records

    def _saved(self) -> tuple[Meta, Mapping[str, Array]]:
        """What a checkpoint says of it, beside the rules, and its weights."""
        learner = {"gamma": self.gamma, "target": self.target, "expectation": self.expectation}
        return {"network": self.network.describe(), "learner": learner}, {WEIGHTS: self.network.weights}

    def _learner(self) -> LearnerOptions:
        return LearnerOptions(target=self.target, gamma=self.gamma, expectation=self.expectation)

    @property
    def shares_drops(self) -> bool:
        """Whether `evaluate` reads expectations over drops from a table of their own, which no search has."""
        return shares_drops(self.network, self._learner())

    def value(self, board: BoardLike) -> float:
        """V of an afterstate (or state, by the target), in points: the expected reward still to come."""
        return float(self.network.value(board))

    def values(
        self, board: BoardLike, plies: int = 1, *, placer: PlacerOptions | None = None, **search: Any
    ) -> Values:
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

    def values_of(self, boards: Iterable[BoardLike]) -> Values:
        """`values` of many boards, to the last bit: shape (n, 4)."""
        if self.target != "afterstate" or self.rules.bits * self.rules.cells > 64:
            return np.array([self.values(board) for board in boards]).reshape(-1, 4)
        after, rewards, legal = self.engine.afterstates_of(boards)
        out = np.full(after.shape, np.nan)
        values = np.float32(self.gamma) * self.network.values(after[legal])
        out[legal] = rewards[legal].astype(np.float32) + values
        return out

    def action_values(self, search: SearchOptions) -> ActionValues:
        """The values of the moves of a board by which `evaluate` plays with this search, to the last bit."""
        if search.greedy and self.shares_drops:
            return self._values_by_drop_table()
        return partial(self._searched_values, search)

    def _searched_values(self, search: SearchOptions, board: BoardLike) -> Values:
        """`values` by options that are checked already: at one ply six times as many boards a second."""
        return self._search(search, None).values(board)

    def _values_by_drop_table(self) -> ActionValues:
        """By the table of drops (`tdl/learning/drop_table.pxd`), which rounds unlike sums over boards."""
        network, engine, gamma = self.network, self.engine, np.float32(self.gamma)
        drop_table = NTupleNetwork(network.rules, network.tuples, weights=drop_table_of(network))

        def values(board: int) -> Values:
            out = np.full(4, np.nan)
            for action, after, reward in engine.afterstates(board):
                drops = np.float32(drop_table.value(after)) / np.float32(engine.empty(after))
                out[action] = np.float32(reward) + gamma * (np.float32(network.value(after)) + drops)
            return out

        return values

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
        own, for many games: that of a file is in small pages (searching 2 plies, 4x6: 1.17 times the speed). Those of
        a compact checkpoint, which have 16 bits, always are.

    Raises
    ------
    CheckpointError : missing, cut, corrupt, or of another version.
    ConfigError : the copy does not fit into the memory that is free.
    """
    folder = checkpoint_folder(checkpoint)
    return player_of(folder, read_agent(folder), copy=copy)


def player_of(folder: Path, meta: Meta, rules: Rules | None = None, *, copy: bool = False) -> Player:
    """The player of the checkpoint in `folder`, as `tdl.players.kinds.agent_of`."""
    kind = kind_of(meta)
    if not kind.tables:
        reader = "; tdl.dqn.dqn_player.load reads it" if kind.deep else ""
        raise CheckpointError(f"{folder}: not of an n-tuple network but of an agent of kind {kind.name}{reader}")
    network, learner = read_network(folder, meta, copy=copy)
    player = Player(network, learner.gamma, learner.target, learner.expectation)
    return playing_by(player, rules or network.rules)


def playing_by(trained: Player, rules: Rules) -> Player:
    """The player in games of these rules: those it was trained by, or with another tile rule."""
    net = trained.network
    if net.rules == rules:
        return trained
    return trained.with_network(NTupleNetwork(rules, net.tuples, stages=net.stages, weights=net.weights))


class Baseline(Agent):
    """Plays without values: random legal moves, or the largest reward.

    Parameters
    ----------
    kind : "random" or "greedy".
    """

    def __init__(self, rules: Rules, kind: str) -> None:
        self.engine, self.kind = Engine(rules), kind

    def _saved(self) -> tuple[Meta, Mapping[str, Array]]:
        """What a checkpoint says of it, beside the rules: its kind."""
        return {"network": {"kind": self.kind}}, {}

    def action_values(self, search: SearchOptions) -> ActionValues:
        """Refuse the question."""
        raise ConfigError(f"checkpoint: of an agent of kind {self.kind}, which has no values of moves")

    def play(self, episodes: int, options: PlayOptions, on_progress: OnProgress | None = None) -> Records:
        """Play games; of the options seed and engine count."""
        KINDS[self.kind].check_plies(options.search.deepest, "plies")
        return self.play_from(0, episodes, options, EVALUATION)

    def play_from(self, first: int, episodes: int, options: PlayOptions, role: int) -> Records:
        """Play games from number `first` on, by the stream of this role."""
        play = {"random": play_random, "greedy": play_greedy}[self.kind]
        return play(self.rules, episodes, seed=options.seed, role=role, first=first, engine=options.engine)


def baseline_of(folder: Path, meta: Meta, rules: Rules | None = None, *, copy: bool = False) -> Baseline:
    """The agent of a checkpoint without values, as `tdl.players.kinds.agent_of`."""
    return Baseline(rules or Rules.from_dict(meta["rules"]), kind_of(meta).name)
