"""Work that several threads do at once, and a block of episodes played so."""

import threading
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tdl.base.checks import check_whole
from tdl.game.engine import TRAINING
from tdl.game.lines import LineTables
from tdl.learning.options import LearnerOptions
from tdl.learning.state import LearnerState
from tdl.network.ntuple import NTupleNetwork
from tdl.search.options import SearchOptions
from tdl.training.kernels import kernel
from tdl.training.options import OnProgress, PlayOptions
from tdl.training.selfplay import SelfPlay

SLICE = 1 << 19
"""Moves between two calls of `on_progress`, without search: some tenths of a second."""

PLY = 32
"""Each further ply of a search divides that number by this one."""


def slice_of(search: SearchOptions) -> int:
    """Moves between two calls of `on_progress`."""
    return 1 if search.seconds is not None else max(1, SLICE // PLY ** (search.deepest - 1))


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
    helpers = [_Helper(each) for each in work[1:]]
    given_up = True
    try:
        for _ in work[0]:
            if any(helper.error for helper in helpers):
                break
            between()
        else:
            given_up = False
    finally:
        for helper in helpers:
            helper.given_up = given_up
        for helper in helpers:
            helper.join()
    for helper in helpers:
        if helper.error is not None:
            raise helper.error


class _Helper(threading.Thread):
    """Another thread."""

    def __init__(self, work: Iterator[None]) -> None:
        super().__init__(daemon=True)
        self.work, self.given_up = work, False
        self.error: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            for _ in self.work:
                if self.given_up:
                    return
        except BaseException as error:
            self.error = error
