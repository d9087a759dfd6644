"""Replicas of a network: each plays and learns its part of a round alone, then all become one network again."""

import itertools
import time
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tdl.agents.kernels import kernel
from tdl.agents.options import OnProgress, PlayOptions
from tdl.agents.selfplay import SelfPlay
from tdl.agents.threads import added_errors, slice_of, steps, together
from tdl.checks import check_whole
from tdl.game.lines import LineTables
from tdl.game.streams import TRAINING
from tdl.learning.merge import Merge
from tdl.learning.options import LearnerOptions
from tdl.learning.rounds import ReplicaOptions
from tdl.learning.state import (
    ACCUMULATORS,
    ENTERED,
    MOVED,
    LearnerState,
    chunks_of,
    merge_entered,
    new_state,
    state_bytes,
)
from tdl.network.allocation import allocate, require_memory
from tdl.network.ntuple import NTupleNetwork
from tdl.storage.records import RECORD

PARTS = 64
"""Parts of the tables that the threads take in turn to merge: moved entries lie close together."""


class Replicas:
    """The replicas of a network, and the threads that carry them.

    Parameters
    ----------
    network, state : what the replicas begin with and become, in place.
    learner, play, options : as those of `Trainer`.

    Attributes
    ----------
    moves, finished : played since `play` was called.
    errors : sum of the absolute TD errors of these moves, in points, and their number.
    merge_seconds : spent with merges since the replicas began.

    Raises
    ------
    ConfigError : the replicas do not fit into the free memory.
    """

    def __init__(
        self,
        network: NTupleNetwork,
        state: LearnerState,
        learner: LearnerOptions,
        play: PlayOptions,
        options: ReplicaOptions,
    ) -> None:
        self.network, self.state, self.options = network, state, options
        self.threads, self.slice = min(play.threads, options.replicas), slice_of(play.search)
        require_memory("replicas", replica_bytes(network, learner, options), f"{options.replicas} replicas")
        tables, build = LineTables(network.rules), kernel(network)
        self.plays: list[SelfPlay] = []
        self.states: list[LearnerState] = []
        for _ in range(options.replicas):
            copy = _replica_of(network)
            own = new_state(copy, learner, play.engine)
            own[MOVED] = allocate("replicas", chunks_of(network) // 4 + 1, "marks").view(np.uint8)[
                : chunks_of(network)
            ]
            self.states.append(own)
            self.plays.append(build(copy, tables, learner, play, role=TRAINING, state=own))
        parts = [
            (play.network.weights, own.get(ACCUMULATORS), own[MOVED])
            for play, own in zip(self.plays, self.states, strict=True)
        ]
        self._merge = Merge(network.weights, state.get(ACCUMULATORS), parts)
        self._copied = False
        self.moves, self.finished, self.errors = 0, 0, (0.0, 0)
        self.merge_seconds = 0.0

    def set_step(self, alpha: float, kind: str) -> None:
        """The step size and its kind from now on."""
        for play in self.plays:
            play.set_step(alpha, kind)

    def play(self, first: int, episodes: int, on_progress: OnProgress | None) -> NDArray[np.void]:
        """Play the `episodes` episodes from number `first` on, in whole rounds; their records.

        Raises
        ------
        DivergenceError : a value is not finite or beyond all bounds.
        """
        check_whole("episodes", episodes, 0)
        self.moves, self.finished, self.errors = 0, 0, (0.0, 0)
        self._copy()
        records = np.zeros(episodes, RECORD)
        for low, high in itertools.pairwise(self.options.borders(first, episodes)):
            self._play_round(low, high, on_progress)
            records[low - first : high - first] = np.concatenate([play.records for play in self.plays])
            self._merge_all()
        return records

    def _copy(self) -> None:
        """Give the replicas what the network knows, once; a replica's memory is then near the thread that uses it."""
        if self._copied:
            return
        together([self._copying(thread) for thread in range(self.threads)])
        self._copied = True

    def _copying(self, thread: int) -> Iterator[None]:
        for number in self._carried(thread):
            np.copyto(self.plays[number].network.weights, self.network.weights)
            for name, array in self.state.items():
                np.copyto(self.states[number][name], array)
            yield

    def _carried(self, thread: int) -> range:
        """The replicas that a thread plays."""
        return range(thread, len(self.plays), self.threads)

    def _play_round(self, low: int, high: int, on_progress: OnProgress | None) -> None:
        for number, play in enumerate(self.plays):
            play.begin(*self.options.part(number, low, high))
        moves, finished = self.moves, self.finished

        def count() -> None:
            self.moves = moves + sum(play.moves for play in self.plays)
            self.finished = finished + sum(play.finished for play in self.plays)
            if on_progress is not None:
                on_progress(self.finished, self.moves)

        together([self._playing(thread) for thread in range(self.threads)], count)
        count()
        self.errors = added_errors(self.plays, self.errors)

    def _playing(self, thread: int) -> Iterator[None]:
        return itertools.chain.from_iterable(steps(self.plays[number], self.slice) for number in self._carried(thread))

    def _merge_all(self) -> None:
        start, waiting = time.perf_counter(), iter(range(PARTS))
        together([self._merging(waiting) for _ in range(self.threads)])
        if ENTERED in self.state:
            merge_entered(self.state, self.states)
        self.merge_seconds += time.perf_counter() - start

    def _merging(self, waiting: Iterator[int]) -> Iterator[None]:
        """Merge parts until none is left; the same iterator feeds all threads."""
        for part in waiting:
            self._merge.chunks_between(*(self._merge.chunks * border // PARTS for border in (part, part + 1)))
            yield


def replica_bytes(network: NTupleNetwork, learner: LearnerOptions, options: ReplicaOptions) -> int:
    """Bytes that the replicas take beside the network itself."""
    entries = len(network.weights)
    state = state_bytes(entries, learner, stages=network.stages.count, extras=network.extras)
    return options.replicas * (4 * entries + state + chunks_of(network))


def _replica_of(network: NTupleNetwork) -> NTupleNetwork:
    """A network of the same shape with weights of its own."""
    weights = allocate("replicas", len(network.weights), "a replica")
    copy = NTupleNetwork(network.rules, network.tuples, stages=network.stages, weights=weights)
    copy.use_instructions(network.instructions)
    return copy
