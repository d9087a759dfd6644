"""Games with an environment: random ones, and those of a player that comes to large tiles; all that was seen."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count, product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from tdl.conformance.directions import Directions, find_reading
from tdl.conformance.evidence import Boards, Evidence, Failure, step_type
from tdl.conformance.shown_boards import Reading
from tdl.conformance.slides import readable, slid_boards, tile_values
from tdl.conformance.subject import Answer, Leaves, Subject
from tdl.game.boards import pack
from tdl.game.engine import Engine
from tdl.game.rules import LEFT, UP, Rules
from tdl.players.kinds import SMALL, load_agent

Actions = NDArray[np.int64]

PROBED, PER_SEED, STUCK, CHUNK = 2_000, 5_000, 40, 4_096
"""Steps before boards can be read; turns of many games until all begin anew; turns without a change until a game does;
turns that are put together."""

SKILLED, TRIED, HARMED, FAILED = 0.6, 0.03, 20, 20
"""Share of steps by the player, and of its moves that are illegal; illegal moves that end games, until few are tried;
exceptions, until play ends."""

MAX_ROWS = 65_536

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


class Probe:
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


def turns(subject: Subject, chooser: Probe, seeds: Iterator[int]) -> Iterator[Turn]:
    """Play for ever; a single game begins with a seed of its own."""
    for seed in seeds:
        seen = begin_all(subject, seed)
        chooser.begin()
        for number in range(PER_SEED if subject.n > 1 else 10**9):
            actions = chooser.choose(seen)
            try:
                answer = subject.step(actions.copy())
            except Exception as error:  # whatever it is
                yield Turn(seed, number, seen, actions, None, f"{type(error).__name__}: {error}")
                break
            yield Turn(seed, number, seen, actions, answer)
            seen, ended = answer.leaves, answer.terminated | answer.truncated
            if chooser.stuck or (ended.any() and subject.n == 1):
                break
            if ended.any() and (first := subject.begin()) is not None:
                seen = {path: _mixed(ended, first[path], leaf) for path, leaf in seen.items() if path in first}


def _mixed(rows: NDArray[np.bool_], there: NDArray[Any], elsewhere: NDArray[Any]) -> NDArray[Any]:
    """Rows of one array, and of another."""
    mixed = elsewhere.copy()
    mixed[rows] = there[rows]
    return mixed


def probe(subject: Subject, rules: Rules, seed: int) -> tuple[Reading, Directions]:
    """How the environment shows boards and what its actions do, by random moves."""
    rows: list[Leaves] = []
    pairs: list[tuple[int, int, int]] = []
    errors: list[str] = []
    chooser = Probe(subject, seed)
    for turn in turns(subject, chooser, count(seed, subject.n)):
        if turn.answer is None:
            errors.append(turn.error)
            chooser.by_space = True
        else:
            first, n = len(rows) * subject.n, subject.n
            lanes = np.flatnonzero(~turn.answer.began).tolist()
            pairs += [(first + i, int(turn.actions[i]), first + n + i) for i in lanes]
            rows += [turn.seen, turn.answer.leaves]
        if len(pairs) >= PROBED or len(errors) >= PROBED:
            break
    shared = set.intersection(*({*row} for row in rows)) if rows else set()
    same = [
        path for path in (rows[0] if rows else ()) if path in shared and len({row[path].shape for row in rows}) == 1
    ]
    leaves = {path: np.concatenate([row[path] for row in rows]) for path in same}
    if not rows:
        raise RuntimeError(f"step raised {errors[0]}")
    return find_reading(leaves, pairs, subject.actions, rules)


class Player(Probe):
    """Chooses actions of boards: in some games at random, in others those of a player, and few that are illegal."""

    def __init__(self, subject: Subject, rules: Rules, reading: Reading, directions: Directions, seed: int) -> None:
        super().__init__(subject, seed)
        self.rules, self.reading, self.directions = rules, reading, directions
        self.engine, self.agent = Engine(rules), None
        if rules.game == "2048" and (rules.rows, rules.cols) == (4, 4):
            self.agent = load_agent(SMALL)
        known = [np.flatnonzero(directions == direction) for direction in range(4)]
        self.action_of = np.array([actions[0] if len(actions) else -1 for actions in known])
        self.less = TRIED / 10
        self.harm, self.resets, self.counts = 0, 0, np.zeros(2)
        self.skilled = np.zeros(subject.n, np.bool_)
        self.boards: Boards = np.zeros((subject.n, rules.cells), np.uint8)
        self.still = np.zeros(subject.n, np.int64)
        self._leaves: Leaves | None = None
        self._next = self.boards

    def begin(self) -> None:
        """Decide which games are those of the player."""
        n, self.resets, self.stuck = self.subject.n, self.resets + 1, False
        self.still[:] = 0
        if n == 1:
            self.skilled[:] = self.counts[1] <= SKILLED * self.counts.sum()
        else:
            self.skilled = (np.arange(n) + self.resets) % 5 < 5 * SKILLED

    def choose(self, seen: Leaves) -> Actions:
        """An action for each lane."""
        self.boards = self._next if seen is self._leaves else self.reading.boards(seen)
        actions = super().choose(seen)
        careful = self.skilled if self.harm < HARMED else np.ones_like(self.skilled)
        lanes = np.flatnonzero(careful & readable(self.boards, self.rules))
        if len(lanes):
            chosen = self.action_of[self._directions(lanes)]
            actions[lanes] = np.where(chosen >= 0, chosen, actions[lanes])
        self.counts += [self.subject.n - self.skilled.sum(), self.skilled.sum()]
        return actions

    def _directions(self, lanes: NDArray[np.int64]) -> Actions:
        """A direction for each of some lanes: the best by the player, or any legal one, and now and then another."""
        if self.agent is not None and self.skilled[lanes].all():
            values = self.agent.values_of([pack(board, self.rules) for board in self.boards[lanes].tolist()])
        else:
            values = self._by_points(lanes)
        illegal = np.isnan(values)
        tries = self.rng.random(len(lanes)) < (TRIED if self.harm < HARMED else self.less)
        tries |= illegal.all(axis=1)
        values = np.where(illegal, -np.inf, values)
        values[tries] = np.where(illegal[tries], self.rng.random((tries.sum(), 4)), values[tries] - 1e9)
        best: Actions = values.argmax(axis=1)
        return best

    def _by_points(self, lanes: NDArray[np.int64]) -> NDArray[np.float64]:
        """Any order in random games; in the others points count first, then the way to a corner; nan where illegal."""
        order = self.rng.random((len(lanes), 4))
        order[:, [UP, LEFT]] += self.skilled[lanes, None]
        points = self.points(self.boards[lanes])
        return order + np.where(self.skilled[lanes, None], points, 0 * points)

    def points(self, boards: Boards) -> NDArray[np.float64]:
        """The reward of each direction, nan where it is illegal: shape (n, 4)."""
        if len(boards) > 8:
            slides = slid_boards(boards, self.rules)
            return np.where(slides.legal, slides.gained, np.nan)
        points = np.full((len(boards), 4), np.nan)
        for row, board in enumerate(boards.tolist()):
            for direction, _, reward in self.engine.afterstates(pack(board, self.rules)):
                points[row, direction] = reward
        return points

    def look(self, turn: Turn, after: Boards) -> None:
        """Notice games that stand still, and illegal moves that end games."""
        self.still = np.where((after == self.boards).all(axis=1), self.still + 1, 0)
        self.stuck = bool((self.still >= STUCK).mean() >= 0.5)
        if turn.answer is None:
            return
        self._leaves, self._next = turn.answer.leaves, after  # which most often is what is seen next
        for lane in np.flatnonzero(turn.answer.terminated | turn.answer.truncated):
            self.still[lane] = 0
            direction = self.directions[turn.actions[lane]]
            if self.harm < HARMED and direction >= 0 and readable(self.boards[lane], self.rules):
                illegal = np.isnan(self.points(self.boards[lane : lane + 1])[0])
                self.harm += bool(illegal[direction] and not illegal.all())


class Recorder:
    """Puts together what was seen."""

    def __init__(self, player: Player) -> None:
        self.player, self.subject, self.rules = player, player.subject, player.rules
        self.parts: list[NDArray[Any]] = []
        self.rows: list[tuple[Any, ...]] = []
        self.starts: list[Boards] = []
        self.figures: dict[str, list[NDArray[Any]]] = {}
        self.failures: list[Failure] = []
        n = self.subject.n
        self.game, self.move = np.full(n, -1), np.zeros(n, np.int64)
        self.history: list[Actions] = []

    def add(self, turn: Turn) -> int:
        """Note a turn; how many moves that are."""
        before, answer = self.player.boards, turn.answer
        if turn.number == 0:
            self.game[:], self.history = -1, []
        self.history.append(turn.actions)
        if answer is None:
            self._fail(turn)
            return 0
        after = self.player.reading.boards(answer.leaves)
        lanes = np.flatnonzero(~answer.began)
        for lane in lanes[self.game[lanes] < 0]:
            self.game[lane], self.move[lane] = len(self.starts), 0
            self.starts.append(before[lane])
        numbers = (
            self.game[lanes],
            self.move[lanes],
            np.full(len(lanes), turn.seed),
            lanes,
            np.full(len(lanes), turn.number),
        )
        boards = (turn.actions[lanes], before[lanes], after[lanes])
        self.rows.append((*numbers, *boards, answer.rewards[lanes], answer.terminated[lanes], answer.truncated[lanes]))
        self._note_figures(answer.leaves, lanes)
        self.move[lanes] += 1
        self.game[answer.terminated | answer.truncated] = -1
        self.player.look(turn, after)
        if len(self.rows) >= CHUNK:
            self._put_together()
        return len(lanes)

    def _note_figures(self, leaves: Leaves, lanes: NDArray[np.int64]) -> None:
        """Keep what may be a score or a mask, of all steps."""
        if not self.figures and not self.parts:
            small = (1, self.subject.actions)
            self.figures = {
                path: [] for path, leaf in leaves.items() if leaf[0].size in small and path != self.player.reading.path
            }
        for path in [*self.figures]:
            if path in leaves and leaves[path][0].size in (1, self.subject.actions):
                self.figures[path].append(leaves[path][lanes].reshape(len(lanes), leaves[path][0].size))
            else:
                del self.figures[path]

    def _fail(self, turn: Turn) -> None:
        """Note an exception, of the first lane whose move was illegal, or else of the first."""
        player, boards = self.player, self.player.boards
        directions = player.directions[turn.actions]
        legal = (directions < 0) | ~readable(boards, self.rules)
        rows = np.flatnonzero(~legal)
        legal[rows] = ~np.isnan(player.points(boards[rows]))[np.arange(len(rows)), directions[rows]]
        lane = int(legal.argmin())
        actions = tuple(int(actions[lane]) for actions in self.history)
        self.failures.append(Failure(turn.error, boards[lane], turn.seed, lane, actions, bool(legal[lane])))
        player.harm += 1
        player.less = 0.0  # all lanes begin anew

    def _put_together(self) -> None:
        names = (
            "game",
            "move",
            "seed",
            "lane",
            "turn",
            "action",
            "before",
            "next",
            "reward",
            "terminated",
            "truncated",
        )
        columns = [np.concatenate(column) for column in zip(*self.rows, strict=True)] if self.rows else []
        steps = np.zeros(len(columns[0]) if columns else 0, step_type(self.rules))
        for name, column in zip(names, columns, strict=False):
            steps[name] = column
        self.parts.append(compared(steps, self.player.directions, self.rules))
        self.figures = {path: [np.concatenate(rows)] for path, rows in self.figures.items() if rows}
        self.rows = []

    def evidence(self) -> Evidence:
        """All of it."""
        self._put_together()
        starts = np.array(self.starts, np.uint8).reshape(-1, self.rules.cells)
        figures = {path: rows[0] for path, rows in self.figures.items()}
        steps = np.concatenate(self.parts)
        return Evidence(self.rules, steps, starts, self.subject.lacks, figures, tuple(self.failures))


def compared(steps: NDArray[Any], directions: Directions, rules: Rules) -> NDArray[Any]:
    """The steps with what the reference says of them."""
    steps["direction"], steps["after"] = directions[steps["action"]], steps["before"]
    for first in range(0, len(steps), 20_000):
        part = steps[first : first + 20_000]
        rows = np.flatnonzero((part["direction"] >= 0) & readable(part["before"], rules))
        slides, chosen = slid_boards(part["before"][rows], rules), part["direction"][rows]
        for name in ("after", "legal", "gained", "merges", "logs"):
            part[name][rows] = getattr(slides, name)[np.arange(len(rows)), chosen]
    return steps


def play(player: Player, steps: int, seconds: float, seed: int) -> Evidence:
    """Play so many steps, or so long."""
    recorder, end = Recorder(player), time.monotonic() + seconds
    with tqdm(total=steps, desc="steps", unit="", unit_scale=True, disable=None, leave=False) as bar:
        played = 0
        for turn in turns(player.subject, player, count(seed, player.subject.n)):
            played += (more := recorder.add(turn))
            bar.update(more)
            bad = sum(failure.legal for failure in recorder.failures)
            if played >= steps or time.monotonic() > end or bad >= FAILED:
                break
    return recorder.evidence()


def with_more_starts(player: Player, played: Evidence, seed: int) -> Evidence:
    """The evidence with first boards of more resets: games are long, and a cell may never have a first tile.

    Lanes have seeds that follow each other.
    """
    subject = player.subject
    leaves = [begin_all(subject, seed + UNUSED + first) for first in range(0, STARTS, subject.n)]
    boards = [player.reading.boards(seen) for seen in leaves]
    apart = [rows if (rows != rows[0]).any() else rows[:1] for rows in boards]  # lanes that are alike are one
    return replace(played, starts=np.concatenate([played.starts, *apart]))


def placed_answer(player: Player, boards: Boards, action: int) -> dict[str, NDArray[Any]]:
    """What follows a move on boards that are put there, one in each lane: by the fields of a step."""
    subject, rules = player.subject, player.rules
    subject.set_boards(tile_values(rules)[boards].reshape(-1, rules.rows, rules.cols))
    answer = subject.step(np.full(subject.n, action))
    if (answer.terminated | answer.truncated).any():
        subject.begin()
    seen: NDArray[Any] = player.reading.boards(answer.leaves)
    ends = {"terminated": answer.terminated, "truncated": answer.truncated}
    return {"next": seen, "reward": answer.rewards, **ends}


def place(player: Player, seed: int) -> Evidence:
    """Put every row there, and play it in all directions; of more than `MAX_ROWS` so many at random."""
    subject, rules, n = player.subject, player.rules, player.subject.n
    parts: list[NDArray[Any]] = []
    failures: list[Failure] = []
    begin_all(subject, seed)
    for direction in np.flatnonzero(player.action_of >= 0).tolist():
        action = int(player.action_of[direction])
        for boards in _boards_of_rows(direction, rules, n, seed).reshape(-1, n, rules.cells):
            part = np.zeros(n, step_type(rules))
            part["game"], part["action"], part["before"] = -1, action, boards
            try:
                for name, column in placed_answer(player, boards, action).items():
                    part[name] = column
            except Exception as error:  # whatever it is
                failures.append(Failure(f"{type(error).__name__}: {error}", boards[0], seed, 0, (action,), True))
                begin_all(subject, seed)
            else:
                parts.append(part)
    steps = np.concatenate([np.zeros(0, step_type(rules)), *parts])
    steps = compared(steps, player.directions, rules)
    return Evidence(rules, steps, player.boards[:0], failures=tuple(failures[:FAILED]))


def _boards_of_rows(direction: int, rules: Rules, n: int, seed: int) -> Boards:
    """Boards that have all lines along a direction; as many as fill groups of n."""
    along_columns = direction % 2 == 0
    length, width = (rules.rows, rules.cols) if along_columns else (rules.cols, rules.rows)
    symbols = rules.largest + 1
    if symbols**length <= MAX_ROWS:
        lines = np.array([*product(range(symbols), repeat=length)], np.uint8)
    else:
        lines = np.random.default_rng(seed).integers(symbols, size=(MAX_ROWS, length)).astype(np.uint8)
    lines = np.concatenate([lines, np.zeros((-len(lines) % (width * n), length), np.uint8)])
    grids = lines.reshape(-1, width, length)
    return (grids.transpose(0, 2, 1) if along_columns else grids).reshape(-1, rules.cells)
