"""Work that several threads do at once, and a block of episodes played so."""

import importlib
import importlib.util
import threading
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from tdl.base.checks import check_whole
from tdl.errors import ConfigError
from tdl.game.engine import TRAINING
from tdl.game.lines import LineTables
from tdl.learning.options import LearnerOptions
from tdl.learning.state import LearnerState
from tdl.network.ntuple import NTupleNetwork
from tdl.search.options import SearchOptions
from tdl.training.options import OnProgress, PlayOptions
from tdl.training.selfplay import SelfPlay

if TYPE_CHECKING:
    from tdl.training.batch_learner import BatchLearner

Result = TypeVar("Result")

SLICE = 1 << 19
"""Moves between two calls of `on_progress`, without search: some tenths of a second."""

PLY = 32
"""Each further ply of a search divides that number by this one."""


def slice_of(search: SearchOptions) -> int:
    """Moves between two calls of `on_progress`."""
    return 1 if search.seconds is not None else max(1, SLICE // PLY ** (search.deepest - 1))


WIDE = ("avx2", "avx512")
"""Instruction sets of a network that imply AVX2."""


def kernel(network: NTupleNetwork) -> type[SelfPlay]:
    """The build of `SelfPlay` for a network's instruction set: the one for every CPU, or the one for CPUs with AVX2.

    Both are compiled from one source and compute the same bits; the second trains 4x6 at 1.05 times the speed.
    """
    build: type[SelfPlay] = _build("selfplay", network).SelfPlay
    return build


def batch_kernel(network: NTupleNetwork) -> "type[BatchLearner]":
    """The same of `BatchLearner`."""
    build: type[BatchLearner] = _build("batch_learner", network).BatchLearner
    return build


def _build(module: str, network: NTupleNetwork) -> ModuleType:
    name = f"tdl.training.{module}"
    # A build for several kinds of CPU, as macOS has them, has no second one; other CPUs cannot run it.
    wide = network.instructions in WIDE and importlib.util.find_spec(f"{name}_avx2") is not None
    return importlib.import_module(f"{name}_avx2" if wide else name)


class Threads:
    """Threads that play with one network, and share what they learn without locks.

    Parameters
    ----------
    network, state : which learn, in place.
    learner, play : as those of `Trainer`.

    Attributes
    ----------
    moves : of the last block.
    errors : sum of its absolute TD errors, in points, and their number.
    """

    def __init__(
        self, network: NTupleNetwork, state: LearnerState, learner: LearnerOptions, play: PlayOptions
    ) -> None:
        tables, build = LineTables(network.rules), kernel(network)
        self._plays = [build(network, tables, learner, play, role=TRAINING, state=state) for _ in range(play.threads)]
        self._slice = slice_of(play.search)

    def set_step(self, alpha: float, kind: str) -> None:
        """The step size and its kind from now on."""
        for play in self._plays:
            play.set_step(alpha, kind)

    def play(self, first: int, episodes: int, on_progress: OnProgress | None) -> NDArray[np.void]:
        """Play a block, as `play_block`."""
        return play_block(self._plays, first, episodes, self._slice, on_progress)

    @property
    def moves(self) -> int:
        return sum(play.moves for play in self._plays)

    @property
    def errors(self) -> tuple[float, int]:
        totals, numbers = zip(*(play.errors for play in self._plays), strict=True)
        return sum(totals), sum(numbers)


def play_block(
    plays: Sequence[SelfPlay], first: int, episodes: int, moves: int, on_progress: OnProgress | None
) -> NDArray[np.void]:
    """Play the `episodes` episodes from number `first` on, with a thread for each of `plays`.

    The caller's own thread plays with the first of them and calls `on_progress` after every `moves` moves.

    Returns
    -------
    structured array of dtype `tdl.storage.records.RECORD`, shape (episodes,).

    Raises
    ------
    ConfigError : `episodes` is not a whole number from 0 on.
    DivergenceError : a value is not finite or beyond all bounds.
    """
    check_whole("episodes", episodes, 0)
    leader = plays[0]
    leader.begin(first, episodes)
    for play in plays[1:]:
        play.begin(first, episodes, leader)
    work = [steps(play, moves) for play in plays]
    if on_progress is None:
        together(work)
    else:
        together(work, lambda: on_progress(sum(play.finished for play in plays), sum(play.moves for play in plays)))
    return leader.records


def steps(play: SelfPlay, moves: int) -> Iterator[None]:
    """Play a block that has begun to its end, with a pause after every `moves` moves."""
    while not play.advance(moves):
        yield


def together(work: Sequence[Iterator[None]], between: Callable[[], None] = lambda: None) -> None:
    """Do all of `work` to its end, each in a thread of its own; the first in the caller's, which calls `between` in
    its pauses. An exception in one of them, or in `between`, ends the others at their next pause, and is raised.
    """
    helpers: list[_Helper] = []
    cancelled = True
    try:
        for part in work[1:]:
            helpers.append(_Helper(part))
        for _ in work[0]:
            if any(helper.error for helper in helpers):
                break
            between()
        else:
            cancelled = False
    finally:
        for helper in helpers:
            helper.cancelled = cancelled
        for helper in helpers:
            helper.join()
    for helper in helpers:
        if helper.error is not None:
            raise helper.error


def share_work(tasks: Sequence[Callable[[], Result]], threads: int) -> list[Result]:
    """The results of all tasks, which so many threads take in turn."""
    waiting = iter(tasks)  # feeds all threads
    results: dict[Callable[[], Result], Result] = {}

    def work() -> Iterator[None]:
        for task in waiting:
            results[task] = task()
            yield

    together([work() for _ in range(threads)])
    return [results[task] for task in tasks]


class _Helper(threading.Thread):
    """Another thread."""

    def __init__(self, work: Iterator[None]) -> None:
        super().__init__(daemon=True)
        self.work, self.cancelled = work, False
        self.error: BaseException | None = None
        try:
            self.start()
        except RuntimeError as error:  # no memory for it, or no process
            raise ConfigError(f"threads: not all could be started: {error}") from error

    def run(self) -> None:
        try:
            for _ in self.work:
                if self.cancelled:
                    return
        except BaseException as error:
            self.error = error
