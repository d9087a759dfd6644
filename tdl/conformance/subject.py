"""The environment that is checked, driven in one way whatever it is: single, vector, or functions of boards."""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.conformance.finding import raised
from tdl.conformance.slides import slid_boards
from tdl.errors import ConfigError, one_line, refuse
from tdl.game.rules import DROP, Rules

Lanes = NDArray[np.bool_]
Leaves = dict[str, NDArray[Any]]

BOARD = "board()"
"""Path of what an adapter reads by itself."""

FINALS = ("final_obs", "final_observation")
"""Where vector environments that begin games at once put the last observations."""


@dataclass(frozen=True)
class Answer:
    """What the environment says after a reset or a step, n rows in each array.

    Attributes
    ----------
    observations, infos : as they come from it.
    leaves : copies of all arrays of numbers in both, by their path; of a game that has ended those of its end.
    rewards, terminated, truncated : 0 and False after a reset.
    began : lanes in which no move was played, but a new game begun.
    """

    observations: Any
    infos: Any
    leaves: Leaves
    rewards: NDArray[np.float64]
    terminated: Lanes
    truncated: Lanes
    began: Lanes

    @property
    def ended(self) -> Lanes:
        """Lanes whose game is over."""
        return self.terminated | self.truncated

    @property
    def has_finals(self) -> bool:
        """Whether infos have last observations, beside the first of the next games."""
        return isinstance(self.infos, Mapping) and not {*FINALS}.isdisjoint(self.infos)


class Subject:
    """Drives an environment of one game: one of Gymnasium, or of the older Gym, whose `step` gives four things.

    Subclasses drive `n` games side by side.

    Attributes
    ----------
    native : the environment itself.
    name : how it is made, in Python.
    n, actions, first : games side by side; number of actions, and the first of them.
    lacks : what `Evidence.lacks` says.
    batched : whether observations have a row for each lane.
    sets_boards : whether `set_boards` can be called.
    """

    lacks: frozenset[str] = frozenset()
    n = 1
    batched = False

    def __init__(self, native: Any, name: str) -> None:
        self.native, self.name = native, name
        space = getattr(native, "single_action_space", None) or getattr(native, "action_space", None)
        self.actions, self.first = int(getattr(space, "n", 4)), int(getattr(space, "start", 0))
        self.sets_boards = callable(getattr(native, "set_board", None))
        self._board = _reader(native)
        self._ended = np.zeros(self.n, np.bool_)

    def reset(self, seed: int) -> Answer:
        """Begin new games in all lanes."""
        self._ended[:] = False
        return self._answer(*_reset(self.native, seed))

    def step(self, actions: NDArray[np.int64]) -> Answer:
        """Play a move in each lane."""
        observation, reward, *ends, info = self.native.step(int(actions[0]) + self.first)
        if len(ends) == 1:
            cut = isinstance(info, Mapping) and bool(info.get("TimeLimit.truncated", False))
            ends = [bool(ends[0]) and not cut, cut]
        return self._answer(observation, info, (reward, *ends))

    def begin(self) -> Leaves | None:
        """Begin new games where games have ended: what is seen then, n rows; None where the next `step` does so."""
        return self._answer(*_reset(self.native, None)).leaves

    def set_boards(self, grids: NDArray[np.int64]) -> None:
        """Put boards of tile values there, one in each lane: shape (n, rows, cols)."""
        self.native.set_board(grids[0].tolist())

    def sampled(self, seed: int) -> NDArray[np.int64] | None:
        """An action for each lane that the space of actions draws, if it has one."""
        space: Any = getattr(self.native, "action_space", None)
        if not callable(getattr(space, "sample", None)):
            return None
        space.seed(seed)
        return np.reshape(space.sample(), self.n).astype(np.int64) - self.first

    def placed_lines(self, board: NDArray[np.int64], action: int, comment: str) -> str:
        """Lines of Python that put a board of tile values there and play a move."""
        put = f"env.reset(); env.set_board({board.tolist()})"
        return f"{self.name}\n{put}\nprint(env.step({action + self.first}))  {comment}"

    def played_lines(self, first: str, seed: int, lane: int, actions: Sequence[int], comment: str) -> str:
        """Lines of Python that play a game: the first of them, the seed, all actions."""
        *before, last = (action + self.first for action in actions)
        lanes = ""
        if self.batched:
            lanes, comment = f" * {self.n}", comment.replace("#", f"# game {lane}:", 1)
        action, last_action = (f"[{item}]{lanes}" if lanes else f"{item}" for item in ("action", last))
        moves = f"; [env.step({action}) for action in {before}]" if before else ""
        return f"{first}\n{self._reset_line(seed)}{moves}\nprint(env.step({last_action}))  {comment}"

    def _reset_line(self, seed: int) -> str:
        if _takes(self.native.reset, "seed"):
            return f"env.reset(seed={seed})"
        return f"env.seed({seed}); env.reset()" if callable(getattr(self.native, "seed", None)) else "env.reset()"

    def _answer(self, observations: Any, infos: Any, results: tuple[Any, ...] = (0.0, False, False)) -> Answer:
        rewards, terminated, truncated, began = np.zeros(self.n), *np.zeros((3, self.n), np.bool_)
        rewards[:], terminated[:], truncated[:] = results
        leaves = dict(leaves_of({"observation": observations, "info": infos}, "", self.n, batched=self.batched))
        if self._board:
            leaves[BOARD] = np.array(self._board(observations), np.int64).reshape(self.n, -1)
        return Answer(observations, infos, leaves, rewards, terminated, truncated, began)


def _reader(native: Any) -> Callable[[Any], Any] | None:
    """The method `board(observation)` of an adapter; `board` may be anything else."""
    board = getattr(native, "board", None)
    try:
        inspect.signature(board).bind(None)  # type: ignore[arg-type] # or it raises
    except (TypeError, ValueError):
        return None
    return board


def leaves_of(tree: Any, path: str, n: int, *, batched: bool) -> Iterator[tuple[str, NDArray[Any]]]:
    """Copies of the arrays of numbers in a tree of dictionaries and tuples, each with n rows, with their paths."""
    tree = tree._asdict() if hasattr(tree, "_asdict") else tree
    if type(tree) is tuple and any(hasattr(item, "__len__") and not isinstance(item, str) for item in tree):
        tree = dict(enumerate(tree))
    if isinstance(tree, dict):
        for key, item in tree.items():
            yield from leaves_of(item, f"{path}.{key}" if path else str(key), n, batched=batched)
        return
    try:
        leaf = np.array(tree)
    except Exception:  # of whatever an info may hold
        return
    leaf = leaf if batched else leaf[None]
    if leaf.dtype.kind in "biuf" and leaf.shape[:1] == (n,):
        yield path, leaf


def _reset(env: Any, seed: int | None) -> tuple[Any, Any]:
    """Observation and info of a new game."""
    if seed is not None and not _takes(env.reset, "seed"):
        if callable(getattr(env, "seed", None)):
            env.seed(seed)
        seed = None
    first = env.reset() if seed is None else env.reset(seed=seed)
    return first if isinstance(first, tuple) and len(first) == 2 and isinstance(first[1], Mapping) else (first, {})


def _takes(function: Callable[..., Any], name: str) -> bool:
    """Whether a function takes an argument of this name."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return True
    return name in parameters or any(item.kind == item.VAR_KEYWORD for item in parameters.values())


@contextmanager
def shared_numbers_restored() -> Iterator[None]:
    """Afterwards the random numbers that all of Python and NumPy share go on as if nothing had been."""
    python, numpy = random.getstate(), np.random.get_state()
    try:
        yield
    finally:
        random.setstate(python)
        np.random.set_state(numpy)


class VectorSubject(Subject):
    """A Gymnasium vector environment, of any mode of auto-reset."""

    batched = True

    def __init__(self, native: Any, name: str) -> None:
        self.n = int(native.num_envs)
        super().__init__(native, name)
        self.sets_boards = False
        mode = getattr(native, "metadata", {}).get("autoreset_mode")
        self.mode = str(getattr(mode, "value", mode or "NextStep"))
        self._next: Leaves | None = None

    def step(self, actions: NDArray[np.int64]) -> Answer:
        """Play a move in each lane; with "NextStep" lanes that have ended begin anew."""
        observations, *results, infos = self.native.step(actions + self.first)
        answer = self._answer(observations, infos, tuple(results))
        if self.mode == "NextStep":
            answer.began[:] = self._ended
        self._ended = answer.ended
        if self._ended.any() and answer.has_finals:
            self.mode = "SameStep"
            self._next = {path: leaf.copy() for path, leaf in answer.leaves.items()}
            self._put_finals(answer)
        return answer

    def _put_finals(self, answer: Answer) -> None:
        """Of games that have ended, their last boards instead of the first of the next games."""
        last = next(answer.infos[key] for key in FINALS if key in answer.infos)
        batch = dict(leaves_of(answer.infos.get("final_info", {}), "info", self.n, batched=True))
        for lane in np.flatnonzero(self._ended):
            final = {path: leaf[0] for path, leaf in leaves_of(last[lane], "observation", 1, batched=False)}
            final |= {path: leaf[lane] for path, leaf in batch.items()}
            for path in answer.leaves.keys() & final.keys():
                answer.leaves[path][lane] = final[path]

    def begin(self) -> Leaves | None:
        """Begin new games where games have ended, if the next step does not."""
        if self.mode == "NextStep":
            return None
        if self.mode == "SameStep" and self._next is not None:
            return self._next
        leaves = self._answer(*self.native.reset(options={"reset_mask": self._ended.copy()})).leaves
        self._ended[:] = False
        return leaves


class FunctionSubject(Subject):
    """Functions of boards: `move(board, action) -> (board, reward)`, and where there are such, `drop(board, rng)`,
    `over(board)`, `start(rng)`. Boards are int64 arrays of tile values.

    What is not there the rules of tdl do. A move that changes nothing is illegal: no tile drops.
    """

    n = 16
    batched = True

    def __init__(self, native: Any, name: str, rules: Rules) -> None:
        super().__init__(native, name)
        self.rules, self.sets_boards = rules, True
        self.functions = {name for name in ("start", "drop", "over") if callable(getattr(native, name, None))}
        done = {"starts": self.functions & {"start", "drop"}, "drops": "drop" in self.functions,
                "ends": "over" in self.functions}  # fmt: skip
        self.lacks = frozenset(part for part, by_it in done.items() if not by_it)
        self._rng = np.random.default_rng(0)
        self._boards = np.zeros((self.n, rules.rows, rules.cols), np.int64)

    def reset(self, seed: int) -> Answer:
        """Begin new games in all lanes."""
        self._rng = np.random.default_rng(seed)
        self._ended[:] = True
        self.begin()
        return self._answer(self._boards.copy(), {})

    def step(self, actions: NDArray[np.int64]) -> Answer:
        """Play a move in each lane."""
        rewards, self._ended = np.zeros(self.n), np.zeros(self.n, np.bool_)
        for lane, action in enumerate(actions.tolist()):
            before = self._boards[lane].copy()
            after, rewards[lane] = self.native.move(before.copy(), action)
            self._boards[lane] = after
            if not np.array_equal(after, before):
                self._boards[lane] = self._drop(self._boards[lane].copy())
            self._ended[lane] = self._over(self._boards[lane].copy())
        return self._answer(self._boards.copy(), {}, (rewards, self._ended, False))

    def begin(self) -> Leaves | None:
        """Begin new games where games have ended."""
        for lane in np.flatnonzero(self._ended):
            self._boards[lane] = self._start()
        self._ended[:] = False
        return {"observation": self._boards.copy()}

    def set_boards(self, grids: NDArray[np.int64]) -> None:
        """Put boards of tile values there."""
        self._boards[:] = grids

    def placed_lines(self, board: NDArray[np.int64], action: int, comment: str) -> str:
        """Lines of Python that play a move on a board of tile values."""
        put = f"import numpy; board = numpy.array({board.tolist()})"
        return f"{self.name}\n{put}\nprint(env.move(board, {action}))  {comment}"

    def _start(self) -> NDArray[np.int64]:
        if "start" in self.functions:
            return np.asarray(self.native.start(self._rng))
        board = np.zeros((self.rules.rows, self.rules.cols), np.int64)
        for tile in self.rules.start:
            board = self._drop(board) if tile == DROP else self._place(board, int(tile))
        return board

    def _drop(self, board: NDArray[np.int64]) -> NDArray[np.int64]:
        if "drop" in self.functions:
            return np.asarray(self.native.drop(board, self._rng))
        tiles, shares = zip(*self.rules.drop, strict=True)
        return self._place(board, int(self._rng.choice(tiles, p=shares)))

    def _place(self, board: NDArray[np.int64], tile: int) -> NDArray[np.int64]:
        board.flat[self._rng.choice(np.flatnonzero(board == 0))] = self.rules.value(tile)
        return board

    def _over(self, board: NDArray[np.int64]) -> bool:
        if "over" in self.functions:
            return bool(self.native.over(board))
        tiles = np.array([[self.rules.index_of.get(int(value), 0) for value in board.flat]], np.uint8)
        return not slid_boards(tiles, self.rules).legal.any()


def subject_of(env: Any, rules: Rules, name: str = "") -> Subject:
    """The adapter of an environment, a function or class that makes one, or an object with functions of boards.

    `name` is the line of Python that makes `env`.
    """
    name = name or "# env is the environment that was checked"
    if is_maker(env):
        try:
            env = env()
        except (Exception, SystemExit) as error:  # whatever it does
            raise ConfigError(f"env: making it raised {one_line(raised(error))}") from error
    if not _plays(env):
        raise refuse("env", env, "an environment with reset and step, or an object with move")
    if not callable(getattr(env, "step", None)):
        return FunctionSubject(env, name, rules)
    return VectorSubject(env, name) if hasattr(env, "num_envs") else Subject(env, name)


def is_maker(env: Any) -> bool:
    """Whether this is no environment, but makes one."""
    return isinstance(env, type) or (callable(env) and not _plays(env))


def _plays(env: Any) -> bool:
    """Whether this is an object that games are played with."""
    has = {name for name in ("reset", "step", "move") if callable(getattr(env, name, None))}
    return "move" in has or {"reset", "step"} <= has
