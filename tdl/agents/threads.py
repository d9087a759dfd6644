"""A block of episodes, played by one or several threads."""

import threading
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tdl.agents.options import OnProgress
from tdl.agents.selfplay import SelfPlay
from tdl.checks import check_whole
from tdl.search.options import SearchOptions

SLICE = 1 << 19
"""Moves between two calls of `on_progress`, without search: some tenths of a second."""

PLY = 32
"""Each further ply of a search divides that number by this one."""


def slice_of(search: SearchOptions) -> int:
    """Moves between two calls of `on_progress`."""
    return 1 if search.seconds is not None else max(1, SLICE // PLY ** (search.deepest - 1))


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
    helpers = [_Helper(play, leader, first, episodes, moves) for play in plays[1:]]
    try:
        while not leader.advance(moves):
            if on_progress:
                on_progress(sum(play.finished for play in plays), sum(play.moves for play in plays))
    except BaseException:
        for helper in helpers:
            helper.cancelled = True
        raise
    finally:
        for helper in helpers:
            helper.join()
    for helper in helpers:
        if helper.error is not None:
            raise helper.error
    return leader.records


class _Helper(threading.Thread):
    """Another thread of a block: it takes the next episode of the same block until none is left."""

    def __init__(self, play: SelfPlay, leader: SelfPlay, first: int, episodes: int, moves: int) -> None:
        super().__init__(daemon=True)
        self.play, self.moves, self.cancelled = play, moves, False
        self.error: BaseException | None = None
        play.begin(first, episodes, leader)
        self.start()

    def run(self) -> None:
        try:
            while not self.cancelled and not self.play.advance(self.moves):
                pass
        except BaseException as error:
            self.error = error
