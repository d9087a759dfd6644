"""TD learning of board values in plain Python: the reference implementation of `tdl.learning`, all in float32."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.game.boards import Board
from tdl.game.game_reference import move
from tdl.game.rules import Rules
from tdl.learning.options import LearnerOptions, history_of
from tdl.network.network_reference import Entry, ReferenceNetwork
from tdl.network.tuples import identity_features

TINY = np.float32(1e-30)
"""Makes 0 / 0 the 1 that the share of a new entry is, and is lost in the rounding of everything else."""

ZERO = np.float32(0)

Seen = tuple[Board, int]
"""A learned board and the reward that led to it."""


@dataclass
class Game:
    """What is known of the game that is played.

    Attributes
    ----------
    board : that is to move on.
    stage : highest stage the game has entered.
    attempts : games of the episode so far from the milestone that it began at.
    score : rewards so far.
    path : the learned boards.
    states, stored : of each the board that was to move on and its value when the move was chosen, for the variants.
    errors : of each learned board, against the next.
    """

    board: Board
    stage: int
    attempts: int = 0
    score: int = 0
    path: list[Seen] = field(default_factory=list)
    states: list[Board] = field(default_factory=list)
    stored: list[np.float32] = field(default_factory=list)
    errors: list[np.float32] = field(default_factory=list)


class ReferenceLearner:
    """Moves V of learned boards towards their targets, and keeps the absolute errors."""

    def __init__(
        self, network: ReferenceNetwork, alpha: float, options: LearnerOptions | None = None, *, shared: bool = True
    ) -> None:
        self.network, rules = network, network.rules
        self.options = options or LearnerOptions()
        self.shared = shared and self.options.target == "state"
        self.gamma = np.float32(self.options.gamma)
        self.td_lambda = np.float32(self.options.td_lambda)
        self.kept = np.float32(self.options.kept)
        self.sums: dict[Entry, tuple[np.float32, np.float32]] = {}
        self.spread: dict[Entry, np.float32] = {}
        self.moved = (
            list(range(network.m))
            if self.options.update_symmetries
            else identity_features(network.tuples, rules.rows, rules.cols)
        )
        total = self.options.alpha_per == "total"
        self.rate = np.float32(alpha) / np.float32(len(self.moved)) if total else np.float32(alpha)
        self.errors: list[np.float32] = []

    # Choosing ---------------------------------------------------------------------------------------------------

    def backup(self, reward: int, after: Board) -> np.float32:
        """What a move is chosen by: r + gamma V(s'), or r + gamma E[V(s'')]."""
        value = self.expected(after) if self.options.target == "state" else self.network.value(after)
        return np.float32(reward) + self.gamma * value

    def expected(self, after: Board) -> np.float32:
        """Mean of V over the boards that a drop can make of `after`."""
        rules = self.network.rules
        empty = [cell for cell, tile in enumerate(after) if not tile]
        if self.shared:
            spread = [self.spread.get(entry, ZERO) for entry in self.network.active(after)]
            return self.network.value(after) + self.network.add_up(spread) / np.float32(len(empty))
        total = ZERO
        for cell in empty:
            for tile, share in shares(rules):
                total += share * self.network.value([tile if c == cell else t for c, t in enumerate(after)])
        return total / np.float32(len(empty))

    # Moving a value ---------------------------------------------------------------------------------------------

    def update(self, board: Board, target: np.float32) -> None:
        """One TD update of V."""
        error = target - self.network.value(board)
        self.correct(board, error)
        self.errors.append(abs(error))

    def correct(self, board: Board, error: np.float32) -> None:
        """Move the active entries by a step size's part of an error."""
        delta = self.rate * error
        active = [self.network.active(board)[f] for f in self.moved]
        moved = self._coherent(active, delta) if self.options.step == "coherent" else [delta] * len(active)
        for entry, distance in zip(active, moved, strict=True):
            self.network.shift_entry(entry, distance)
        if self.shared:
            self._follow(board, moved)

    def _coherent(self, active: list[Entry], delta: np.float32) -> list[np.float32]:
        """Every entry's own share of `delta`: all shares are read before the first sum receives it."""
        before = [self.sums.get(entry, (ZERO, ZERO)) for entry in active]
        for entry in active:
            signed, absolute = self.sums.get(entry, (ZERO, ZERO))
            self.sums[entry] = self.kept * signed + delta, self.kept * absolute + abs(delta)
        return [(abs(signed) + TINY) / (absolute + TINY) * delta for signed, absolute in before]

    def _follow(self, board: Board, moved: list[np.float32]) -> None:
        """Keep `spread` right: see `drop_table.pxd`."""
        radix, features = self.network.radix, self.network.features
        for f, entry in enumerate(self.network.active(board)):
            empty = sum(board[cell] == 0 for cell in features[f][1])
            self.spread[entry] = self.spread.get(entry, ZERO) - np.float32(empty) * moved[f]
        for cell, tile in enumerate(board):
            same = [p for drop, p in self.network.rules.drop if min(drop, radix - 1) == min(tile, radix - 1)]
            if not tile or not same:
                continue
            lighter = self.network.active([0 if c == cell else t for c, t in enumerate(board)])
            for f, (_, cells) in enumerate(features):
                if cell in cells:
                    self.spread[lighter[f]] = self.spread.get(lighter[f], ZERO) + np.float32(sum(same)) * moved[f]

    # Backward order ---------------------------------------------------------------------------------------------

    def replay_backward(self, game: Game, final: np.float32) -> None:
        """Update the learned boards of a finished game, last to first."""
        path, values = game.path, dict[int, np.float32]()
        options, target = self.options, final
        for t in range(len(path) - 1, -1, -1):
            board, reward = path[t]
            before = self.network.value(board)
            error = target - (game.stored[t] if options.stored_value else before)
            if options.cleared and t == len(path) - 1:
                active = self.network.active(game.states[t] if options.cleared == "state" else board)
                for f in self.moved:
                    self.network.set_entry(active[f], ZERO)
            else:
                self.correct(board, error)
            self.errors.append(abs(error))
            values[t] = self._returned(before, self.network.value(board), error)
            if options.rechoose:
                moves = [move(game.states[t], action, self.network.rules) for action in range(4)]
                target = max(self.backup(gained, after) for after, gained in filter(None, moves))
            elif options.n_step > 1:
                target = self._n_step(path, t - 1, values, final)
            else:
                bootstrap = np.float32(1) - self.td_lambda
                target = bootstrap * values[t] + self.td_lambda * target
                target = np.float32(reward) + self.gamma * target

    def _returned(self, before: np.float32, after: np.float32, error: np.float32) -> np.float32:
        """V of a board for the targets of those before it, by V before and after its update."""
        if not self.options.running_value:
            return after
        return np.float32(0.5) * ((before + np.float32(self.network.m) * self.rate * error) + after)

    def _n_step(self, path: list[Seen], t: int, values: dict[int, np.float32], final: np.float32) -> np.float32:
        last = t + self.options.n_step
        target = values[last] if last < len(path) else final
        for _, reward in reversed(path[t + 1 : last + 1]):
            target = np.float32(reward) + self.gamma * target
        return target

    # Forward orders ---------------------------------------------------------------------------------------------

    def observe(self, game: Game) -> None:
        """The last board of the game's path is new: do all updates that it allows."""
        path, (board, reward) = game.path, game.path[-1]
        value = self.network.value(board)
        if self.options.n_step > 1:
            first = len(path) - 1 - self.options.n_step
            if first >= 0:
                self.update(path[first][0], self._backed_up(path[first + 1 :], value))
        elif len(path) > 1:
            self._spread_error(game, path[:-1], np.float32(reward) + self.gamma * value)

    def finish(self, game: Game, final: np.float32) -> None:
        """The game is over: do the updates that are still to come."""
        path = game.path
        if self.options.n_step > 1:
            for t in range(max(0, len(path) - self.options.n_step), len(path)):
                self.update(path[t][0], self._backed_up(path[t + 1 :], final))
            return
        self._spread_error(game, path, final)
        if self.options.order == "delayed":
            for t in range(max(0, len(path) - history_of(self.options.td_lambda) + 1), len(path)):
                self._delayed(game, t)

    def _backed_up(self, later: list[Seen], value: np.float32) -> np.float32:
        for _, reward in reversed(later):
            value = np.float32(reward) + self.gamma * value
        return value

    def _spread_error(self, game: Game, path: list[Seen], target: np.float32) -> None:
        """The error of the last of `path`, and what the boards before it learn of it."""
        error = target - self.network.value(path[-1][0])
        self.errors.append(abs(error))
        reach = history_of(self.options.td_lambda)
        if self.options.order == "delayed":
            game.errors.append(error)
            if len(path) >= reach:
                self._delayed(game, len(path) - reach)
            return
        decay = np.float32(1)
        for board, _ in reversed(path[-reach:]):
            self.correct(board, decay * error)
            decay = decay * (self.gamma * self.td_lambda)

    def _delayed(self, game: Game, t: int) -> None:
        """Board t, by the decayed sum of all errors since."""
        total = ZERO
        for error in reversed(game.errors[t:]):
            total = error + (self.gamma * self.td_lambda) * total
        self.correct(game.path[t][0], total)


def shares(rules: Rules) -> list[tuple[int, np.float32]]:
    """The tiles of the drop law with their probabilities, as the 32 bits of a draw give them."""
    before, out = 0, []
    for tile, below in rules.thresholds:
        out.append((tile, np.float32((below - before) / 2**32)))
        before = below
    return out


Array = NDArray[Any]

GAIN, MOST_GAIN = np.float32(0.5), np.float32(1.5)


def merged(
    weights: Array, sums: Array | None, replicas: Sequence[tuple[Array, Array | None]]
) -> tuple[Array, Array | None]:
    """The weights and sums of the network that replicas become which began with `weights` and `sums`."""
    zero = np.zeros(len(weights), np.float32)
    before = np.where(np.isnan(weights), np.float32(0), weights)
    weighed, total, learned, count = zero.copy(), zero.copy(), zero.copy(), np.zeros(len(weights), np.int32)
    new, new_sums = weights.copy(), None if sums is None else sums.copy()
    grown = None if sums is None else np.zeros_like(sums)
    for own, own_sums in replicas:
        moved = own.view(np.uint32) != weights.view(np.uint32)
        if sums is not None and own_sums is not None and grown is not None and new_sums is not None:
            moved |= (own_sums.view(np.uint32) != sums.view(np.uint32)).any(axis=1)
            grown += own_sums - sums
            new_sums[moved] = own_sums[moved]
            growth = own_sums[:, 1] - sums[:, 1]
        else:
            growth = zero
        change = np.where(moved, own - before, np.float32(0))
        weighed += growth * change
        learned += growth
        total += change
        count += moved
        new[moved] = own[moved]
    several = count > 1
    signed = zero if grown is None else grown[:, 0]
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(learned > 0, weighed / learned, total / count.astype(np.float32))
        agreed = np.where(learned > 0, np.abs(signed) / learned, np.float32(0))
    gain = np.minimum(GAIN * (count - 1).astype(np.float32), MOST_GAIN)
    gain[np.isnan(weights)] = 0  # it would grow the promoted part, too
    new[several] = (before + (1 + gain * agreed) * mean)[several]
    if sums is not None and new_sums is not None:
        new_sums[several] = (sums + grown)[several]
    return new, new_sums
