"""Games with an environment, and all that was seen of them."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count, takewhile

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from tdl.conformance.choosers import Actions, RandomChooser, SkilledChooser
from tdl.conformance.directions import find_reading
from tdl.conformance.evidence import Boards, Directions, Evidence, Failure, compared, step_type
from tdl.conformance.finding import raised
from tdl.conformance.shown_boards import Reading
from tdl.conformance.subject import Answer, Leaves, Subject
from tdl.game.rules import Rules

PROBED, PER_SEED, FAILED = 2_000, 5_000, 20
"""Steps before boards can be read; turns of many games until all begin anew; exceptions until play ends."""

STARTS, UNUSED = 2_000, 1_000_000
"""First boards that are looked at beside those of games, and how far above the seed of the games their seeds begin."""


@dataclass(frozen=True)
class Turn:
    """A move in each lane: since reset `seed` it is number `number`. `answer` is None where it raised `error`."""

    seed: int
    number: int
    seen: Leaves
    actions: Actions
    answer: Answer | None
    error: str = ""


def begin_all(subject: Subject, seed: int) -> Leaves:
    """What is seen first after a reset; also the shared random numbers of Python and NumPy begin anew."""
    random.seed(seed)
    np.random.seed(seed % 2**32)
    return subject.reset(seed).leaves


def turns(subject: Subject, chooser: RandomChooser, first_seed: int) -> Iterator[Turn]:
    """Play for ever; a single game begins with a seed of its own."""
    for seed in count(first_seed, subject.n):
        seen = begin_all(subject, seed)
        chooser.begin()
        for number in range(PER_SEED if subject.n > 1 else 10**9):
            actions = chooser.choose(seen)
            try:
                answer = subject.step(actions.copy())
            except Exception as error:  # whatever it is
                yield Turn(seed, number, seen, actions, None, raised(error))
                break
            yield Turn(seed, number, seen, actions, answer)
            seen = answer.leaves
            if chooser.stuck or (answer.ended.any() and subject.n == 1):
                break
            if answer.ended.any() and (first := subject.begin()) is not None:
                seen = {path: _mixed(answer.ended, first[path], leaf) for path, leaf in seen.items() if path in first}


def _mixed(rows: NDArray[np.bool_], there: NDArray[np.generic], elsewhere: NDArray[np.generic]) -> NDArray[np.generic]:
    """Rows of one array, and of another."""
    mixed = elsewhere.copy()
    mixed[rows] = there[rows]
    return mixed


def probe(subject: Subject, rules: Rules, seconds: float, seed: int) -> tuple[Reading, Directions]:
    """How the environment shows boards and what its actions do, by so many random moves, or as time allows."""
    rows: list[Leaves] = []
    pairs: list[tuple[int, int, int]] = []
    errors: list[str] = []
    chooser, n, end = RandomChooser(subject, seed), subject.n, time.monotonic() + seconds
    for turn in tqdm(turns(subject, chooser, seed), desc="probe", total=PROBED // n, disable=None, leave=False):
        if turn.answer is None:
            errors.append(turn.error)
            chooser.by_space = True
        else:
            first = len(rows) * n
            lanes = np.flatnonzero(~turn.answer.began).tolist()
            pairs += [(first + lane, int(turn.actions[lane]), first + n + lane) for lane in lanes]
            rows += [turn.seen, turn.answer.leaves]
        if max(len(pairs), len(errors)) >= PROBED or time.monotonic() > end:
            break
    if not rows:
        raise RuntimeError(f"step raised {errors[0]}")
    return find_reading(_stacked(rows), pairs, subject.actions, rules)


def _stacked(rows: list[Leaves]) -> Leaves:
    """The arrays that all have in one shape, one after the other."""
    shared = set.intersection(*({(path, leaf.shape) for path, leaf in row.items()} for row in rows))
    paths = [path for path, leaf in rows[0].items() if (path, leaf.shape) in shared]
    return {path: np.concatenate([row[path] for row in rows]) for path in paths}


class Recorder:
    """Notes what is seen, of so many steps or a turn more."""

    def __init__(self, player: SkilledChooser, steps: int) -> None:
        n = player.subject.n
        self.player, self.steps, self.count = player, np.zeros(steps + n, step_type(player.rules)), 0
        self.starts: list[Boards] = []
        self.figures: Leaves = {}
        self.failures: list[Failure] = []
        self.errors = 0
        self.game, self.move = np.full(n, -1), np.zeros(n, np.int64)
        self.history: list[Actions] = []

    def add(self, turn: Turn) -> None:
        """Note a turn."""
        if turn.number == 0:
            self.game[:], self.history = -1, []
        self.history.append(turn.actions)
        if turn.answer is None:
            self._fail(turn)
            return
        lanes = np.flatnonzero(~turn.answer.began)
        self._begin_games(lanes[self.game[lanes] < 0])
        self._note(turn, turn.answer, lanes)
        self.move[lanes] += 1
        self.game[turn.answer.ended] = -1
        self.player.look(turn.actions, turn.answer)

    def _begin_games(self, lanes: NDArray[np.int64]) -> None:
        for lane in lanes:
            self.game[lane], self.move[lane] = len(self.starts), 0
            self.starts.append(self.player.boards[lane])

    def _note(self, turn: Turn, answer: Answer, lanes: NDArray[np.int64]) -> None:
        """The step of each of these lanes, and what may be a score or a mask."""
        rows = slice(self.count, self.count + len(lanes))
        part, self.count = self.steps[rows], rows.stop
        part["seed"], part["turn"], part["lane"] = turn.seed, turn.number, lanes
        columns = {
            "game": self.game, "move": self.move, "action": turn.actions, "before": self.player.boards,
            "next": self.player.boards_of(answer.leaves), "reward": answer.rewards,
            "terminated": answer.terminated, "truncated": answer.truncated,
        }  # fmt: skip
        for name, column in columns.items():
            part[name] = column[lanes]
        if rows.start == 0:
            self.figures = self._new_figures(answer.leaves)
        for path, figure in [*self.figures.items()]:
            if path in answer.leaves and answer.leaves[path][0].size == figure.shape[1]:
                figure[rows] = answer.leaves[path][lanes].reshape(len(lanes), -1)
            else:
                del self.figures[path]

    def _new_figures(self, leaves: Leaves) -> Leaves:
        """Room for all that has a number for each lane, or for each of its actions."""
        sizes = {path: leaf[0].size for path, leaf in leaves.items() if path != self.player.reading.path}
        small = (1, self.player.subject.actions)
        return {path: np.zeros((len(self.steps), size)) for path, size in sizes.items() if size in small}

    def _fail(self, turn: Turn) -> None:
        """Note an exception, of the first lane whose move was illegal, or else of the first."""
        illegal = self.player.illegal(turn.actions)
        lane = int(illegal.argmax())
        actions = tuple(int(actions[lane]) for actions in self.history)
        board, legal = self.player.boards[lane], not illegal[lane]
        self.failures.append(Failure(turn.error, board, turn.seed, lane, actions, legal))
        self.errors += legal
        self.player.harm += 1
        self.player.less = 0.0  # all lanes begin anew

    def evidence(self) -> Evidence:
        """All of it."""
        rules, subject = self.player.rules, self.player.subject
        steps = compared(self.steps[: self.count], self.player.directions, rules)
        starts = np.array(self.starts, np.uint8).reshape(-1, rules.cells)
        figures = {path: rows[: self.count] for path, rows in self.figures.items()}
        return Evidence(rules, steps, starts, subject.lacks, figures, tuple(self.failures))


def play(player: SkilledChooser, steps: int, seconds: float, seed: int) -> Evidence:
    """Play so many steps, or so long."""
    recorder, end = Recorder(player, steps), time.monotonic() + seconds
    with tqdm(total=steps, desc="steps", unit="", unit_scale=True, disable=None, leave=False) as bar:
        for turn in turns(player.subject, player, seed):
            recorder.add(turn)
            bar.update(recorder.count - bar.n)
            if recorder.count >= steps or time.monotonic() > end or recorder.errors >= FAILED:
                break
    return recorder.evidence()


def with_more_starts(player: SkilledChooser, played: Evidence, seconds: float, seed: int) -> Evidence:
    """The evidence with first boards of more resets, as time allows: of long games a cell may never have a first tile.

    Lanes have seeds that follow each other.
    """
    subject, end = player.subject, time.monotonic() + seconds
    resets = takewhile(lambda _: time.monotonic() < end, range(0, STARTS, subject.n))
    leaves = [begin_all(subject, seed + UNUSED + first) for first in resets]
    boards = [player.reading.boards(seen) for seen in leaves]
    apart = [rows if (rows != rows[0]).any() else rows[:1] for rows in boards]  # lanes that are alike are one
    return replace(played, starts=np.concatenate([played.starts, *apart]))
