"""Who chooses the actions: chance, which finds out how boards are shown, then a player that comes to large tiles."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.conformance.evidence import Boards, Directions
from tdl.conformance.shown_boards import Reading
from tdl.conformance.slides import readable
from tdl.conformance.subject import Answer, Leaves, Subject
from tdl.game.boards import pack
from tdl.game.engine import Engine
from tdl.game.rules import LEFT, UP, Rules
from tdl.players.kinds import SMALL, load_agent

Actions = NDArray[np.int64]

SKILLED, TRIED = 0.6, 0.03
"""Share of steps by the player, and of its moves that are illegal."""

STUCK, HARMED = 40, 20
"""Turns without a change until a game begins anew; illegal moves that end games, until few are tried."""


class RandomChooser:
    """Chooses actions at random."""

    def __init__(self, subject: Subject, seed: int) -> None:
        self.subject, self.rng = subject, np.random.default_rng(seed)
        self.stuck = self.by_space = False

    def begin(self) -> None:
        """Begin a seed."""

    def choose(self, _seen: Leaves) -> Actions:
        """An action for each lane; with `by_space` one that its space draws, which may know what is legal."""
        if self.by_space and (actions := self.subject.sampled(int(self.rng.integers(2**31)))) is not None:
            return actions
        return self.rng.integers(self.subject.actions, size=self.subject.n)


class SkilledChooser(RandomChooser):
    """Chooses actions of boards: in some games at random, in others those of a player, and few that are illegal."""

    def __init__(self, subject: Subject, rules: Rules, reading: Reading, directions: Directions, seed: int) -> None:
        super().__init__(subject, seed)
        self.rules, self.reading, self.directions = rules, reading, directions
        self.engine = Engine(rules)
        self.agent = load_agent(SMALL) if (rules.game, rules.rows, rules.cols) == ("2048", 4, 4) else None
        known = [np.flatnonzero(directions == direction) for direction in range(4)]
        self.action_of = np.array([actions[0] if len(actions) else -1 for actions in known])
        self.harm, self.less, self.resets, self.counts = 0, TRIED / 10, 0, np.zeros(2)
        self.skilled, self.still = np.zeros(subject.n, np.bool_), np.zeros(subject.n, np.int64)
        self.boards: Boards = np.zeros((subject.n, rules.cells), np.uint8)
        self._read: tuple[Leaves, Boards] = ({}, self.boards)

    def begin(self) -> None:
        """Decide which games are those of the player."""
        n, self.resets, self.stuck = self.subject.n, self.resets + 1, False
        self.still[:] = 0
        if n == 1:
            self.skilled[:] = self.counts[1] <= SKILLED * self.counts.sum()
        else:
            self.skilled = (np.arange(n) + self.resets) % 5 < 5 * SKILLED

    def boards_of(self, seen: Leaves) -> Boards:
        """What is read of these leaves, which most often are the last ones."""
        if seen is not self._read[0]:
            self._read = seen, self.reading.boards(seen)
        return self._read[1]

    def choose(self, seen: Leaves) -> Actions:
        """An action for each lane."""
        self.boards = self.boards_of(seen)
        actions = super().choose(seen)
        lanes = np.flatnonzero((self.skilled | (self.harm >= HARMED)) & readable(self.boards, self.rules))
        if len(lanes):
            chosen = self.action_of[self._directions(lanes)]
            actions[lanes] = np.where(chosen >= 0, chosen, actions[lanes])
        self.counts += [self.subject.n - self.skilled.sum(), self.skilled.sum()]
        return actions

    def _directions(self, lanes: Actions) -> Actions:
        """A direction for each of some lanes: the best by the player, or any legal one, and now and then another."""
        if self.agent is not None and self.skilled[lanes].all():
            values = self.agent.values_of([pack(board, self.rules) for board in self.boards[lanes].tolist()])
        else:
            values = self._by_points(lanes)
        illegal = np.isnan(values)
        tries = self.rng.random(len(lanes)) < (TRIED if self.harm < HARMED else self.less)
        tries |= illegal.all(axis=1)
        values = np.where(illegal, -np.inf, values)
        if tries.any():
            values[tries] = np.where(illegal[tries], self.rng.random((tries.sum(), 4)), values[tries] - 1e9)
        best: Actions = values.argmax(axis=1)
        return best

    def _by_points(self, lanes: Actions) -> NDArray[np.float64]:
        """Any order in random games; in the others points count first, then the way to a corner; nan where illegal."""
        order, skilled = self.rng.random((len(lanes), 4)), self.skilled[lanes, None]
        order[:, [UP, LEFT]] += skilled
        return order + self.points(lanes) * skilled

    def points(self, lanes: Actions) -> NDArray[np.float64]:
        """The reward of each direction, nan where it is illegal, or the board unknown: shape (n, 4)."""
        points = np.full((len(lanes), 4), np.nan)
        for row, board in enumerate(self.boards[lanes].tolist()):
            if max(board) <= self.rules.largest:
                for direction, _, reward in self.engine.afterstates(pack(board, self.rules)):
                    points[row, direction] = reward
        return points

    def illegal(self, actions: Actions) -> NDArray[Any]:
        """The lanes whose action is known to be illegal."""
        directions, lanes = self.directions[actions], np.arange(len(actions))
        known = (directions >= 0) & readable(self.boards, self.rules)
        return known & np.isnan(self.points(lanes)[lanes, directions])

    def look(self, actions: Actions, answer: Answer) -> None:
        """Notice games that stand still, and illegal moves that end games which have a legal one."""
        same = (self.boards_of(answer.leaves) == self.boards).all(axis=1)
        self.still = np.where(same, self.still + 1, 0)
        self.stuck = bool((self.still >= STUCK).mean() >= 0.5)
        self.still[answer.ended] = 0
        if self.harm < HARMED and answer.ended.any():
            alive = ~np.isnan(self.points(np.arange(len(actions)))).all(axis=1)
            self.harm += int((answer.ended & alive & self.illegal(actions)).sum())
