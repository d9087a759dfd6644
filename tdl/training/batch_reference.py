"""The batch learner in plain Python: the reference implementation of `tdl.training.batch_learner`, all in float32."""

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np

from tdl.game.boards import Board, drawn
from tdl.game.engine import TRAINING
from tdl.game.game_reference import MASK, Stream, move, splitmix
from tdl.game.rules import DROP
from tdl.learning.learning_reference import TINY, ZERO
from tdl.learning.options import LearnerOptions
from tdl.network.network_reference import Entry, ReferenceNetwork
from tdl.training.lane_state import TRAIL, reach_of

UNIT = np.float32(256)
"""Errors are summed up in parts of a point."""

FEWEST = 64
"""Lanes that play from the first step on."""


@dataclass
class Lane:
    """A game that goes on.

    Attributes
    ----------
    board : that is to move.
    random : what was drawn so far.
    path, errors : the afterstates of the game, and the error of each but the last.
    reached, at : milestones that the game came to, and the afterstate that came to the last one.
    game, attempts : of the episode: its games before this one, and those in a row from the same milestone.
    """

    random: int
    board: Board = field(default_factory=list)
    score: int = 0
    path: list[Board] = field(default_factory=list)
    errors: list[np.float32] = field(default_factory=list)
    reached: int = 0
    at: int = 0
    game: int = 0
    attempts: int = 0


class ReferenceBatchLearner:
    """Lanes that play by the same weights, and then one move of each entry that was hit.

    Parameters
    ----------
    network : that learns.
    learner, lanes, seed : its options, and those of `PlayOptions`.
    alpha : total step size, or, with alpha_per="entry", that of an entry.
    """

    def __init__(
        self, network: ReferenceNetwork, learner: LearnerOptions, alpha: float, *, lanes: int, seed: int = 0
    ) -> None:
        self.network, self.rules, self.options = network, network.rules, learner
        self.cap, self.kept = np.float32(learner.cap), np.float32(learner.kept)
        m = np.float32(network.m)
        self.alpha, self.rate = np.float32(alpha), np.float32(alpha) / m
        if learner.alpha_per == "entry":
            self.alpha, self.rate = np.float32(alpha) * m, np.float32(alpha)
        self.reach = reach_of(learner.td_lambda)
        self.gamma = np.float32(learner.gamma)
        self.decay = self.gamma * np.float32(learner.td_lambda)
        self.sums: dict[Entry, tuple[np.float32, np.float32]] = {}
        self.records: list[tuple[int, int, int, int]] = []
        self.errors: list[np.float32] = []
        self.moves = 0
        self.lanes = [Lane(Stream(seed, TRAINING, number).state[0]) for number in range(lanes)]
        for lane in self.lanes:
            self._start_episode(lane)

    @property
    def active(self) -> int:
        """How many lanes play in the next step."""
        if not self.options.moves_per_lane:
            return len(self.lanes)
        return min(len(self.lanes), max(FEWEST, self.moves // self.options.moves_per_lane))

    def step(self) -> None:
        """All lanes play; then all entries that were hit move."""
        hits: dict[Entry, list[int]] = defaultdict(list)
        for lane in self.lanes[: self.active]:
            for board, error in self._play(lane):
                for entry in self.network.active(board):
                    hits[entry].append(int(np.rint(error * UNIT)))
        for entry in hits:  # those of later stages begin with what they are worth before any other moves
            self.network.set_entry(entry, self.network.weight(entry))
        for entry, errors in hits.items():
            moved = self._step_of(entry, np.float32(len(errors)), np.float32(sum(errors)) / UNIT)
            self.network.shift_entry(entry, moved)

    def value(self, board: Board) -> np.float32:
        """V of a board: feature f goes to partial sum f % 8, and these are added in pairs."""
        part = [ZERO] * 8
        for f, entry in enumerate(self.network.active(board)):
            part[f % 8] += self.network.weight(entry)
        return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]))

    # Playing ----------------------------------------------------------------------------------------------------

    def _play(self, lane: Lane) -> list[tuple[Board, np.float32]]:
        """A lane's move, or the end of its game: the afterstates that are to move, with their errors."""
        moves = [made for action in range(4) if (made := move(lane.board, action, self.rules))]
        backups = [np.float32(reward) + self.gamma * self.value(after) for after, reward in moves]
        target = max(backups, default=ZERO)
        due = self._observe(lane, target - self.value(lane.path[-1]), not moves) if lane.path else []
        if moves:
            after, reward = moves[backups.index(target)]
            self._move(lane, after, reward)
        else:
            self._end_game(lane)
        return due

    def _observe(self, lane: Lane, error: np.float32, over: bool) -> list[tuple[Board, np.float32]]:
        """Note the error of a lane's last afterstate. Each moves once, when it has no more errors to come."""
        lane.errors.append(error)
        self.errors.append(abs(error))
        n = len(lane.errors)
        first, end = max(0, n - self.reach), n if over else max(0, n - self.reach + 1)
        return [(lane.path[t], self._sum_up(lane.errors[t:])) for t in range(first, end)]

    def _sum_up(self, errors: list[np.float32]) -> np.float32:
        total = ZERO
        for error in reversed(errors):
            total = error + self.decay * total
        return total

    def _move(self, lane: Lane, after: Board, reward: int) -> None:
        reached = sum(map(self.rules.value, after)) // self.options.milestone
        if self.options.start == "milestone" and reached > lane.reached:
            lane.reached, lane.at = reached, len(lane.path)
        lane.path.append(after)
        lane.score += reward
        self.moves += 1
        self._drop(lane, after)

    def _drop(self, lane: Lane, board: Board, tile: int | str = DROP) -> None:
        """Put a tile on a random empty cell, and let the lane move on."""
        lane.random, draw = splitmix(lane.random & MASK)
        empty = [cell for cell, content in enumerate(board) if content == 0]
        cell = empty[(draw >> 32) * len(empty) >> 32]
        put = drawn(draw, self.rules) if tile == DROP else int(tile)
        lane.board = [put if i == cell else content for i, content in enumerate(board)]

    def _end_game(self, lane: Lane) -> None:
        if lane.game == 0:
            largest = max(map(self.rules.value, lane.board))
            self.records.append((len(self.records), lane.score, len(lane.path), largest))
        begin = self._next_start(lane)
        if begin is None:
            self._start_episode(lane)
            return
        lane.game += 1
        self._drop(lane, begin)
        self._start_game(lane)

    def _next_start(self, lane: Lane) -> Board | None:
        """The afterstate from which the next game of a lane's episode begins, if there is one."""
        options, n = self.options, len(lane.path)
        if options.start == "restart" and n >= options.restart_moves:
            spacing = 1
            while (n - 1) // spacing >= TRAIL:  # every so many afterstates are there
                spacing *= 2
            at = int(np.float32(n - 1) * np.float32(options.restart_at)) // spacing * spacing
            return lane.path[at] if at else None
        if options.start == "milestone" and lane.reached:
            lane.attempts = 1 if lane.at else lane.attempts + 1
            if lane.attempts <= options.attempts:
                return lane.path[lane.at]
        return None

    def _start_game(self, lane: Lane) -> None:
        lane.score, lane.path, lane.errors, lane.reached, lane.at = 0, [], [], 0, 0

    def _start_episode(self, lane: Lane) -> None:
        lane.board, lane.game, lane.attempts = [0] * self.rules.cells, 0, 0
        for tile in self.rules.start:
            self._drop(lane, lane.board, tile)
        self._start_game(lane)

    # Learning ---------------------------------------------------------------------------------------------------

    def _step_of(self, entry: Entry, n: np.float32, total: np.float32) -> np.float32:
        """How far an entry moves that was hit n times, by errors that add up to `total`."""
        mean, share = total / n, np.float32(1)
        if self.options.step == "coherent":
            signed, absolute = self.sums.get(entry, (ZERO, ZERO))
            share = min((abs(signed) + TINY) / (absolute + TINY), np.float32(1))
            self.sums[entry] = self.kept * signed + mean, self.kept * absolute + abs(mean)
        if self.options.batch_sum == "mean":
            return share * (self.rate * mean)
        gain = n * share * self.alpha
        return share * (self.rate * total) * (self.cap / gain if gain > self.cap else np.float32(1))
