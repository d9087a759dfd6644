"""Replicas of a network: each plays and learns its part of a round alone, then all become one network again."""

import itertools
import time
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tdl.base.checks import check_whole
from tdl.base.machine import allocate, require_memory
from tdl.errors import TdlError, refuse
from tdl.game.engine import TRAINING
from tdl.game.lines import LineTables
from tdl.learning.merge import Merge
from tdl.learning.options import LearnerOptions
from tdl.learning.rounds import ReplicaOptions
from tdl.learning.state import (
    ACCUMULATORS,
    COUNTS,
    ENTERED,
    MOVED,
    LearnerState,
    chunks_of,
    marked_fours,
    merge_entered,
    new_state,
    state_bytes,
)
from tdl.network.ntuple import NTupleNetwork
from tdl.storage.records import RECORD
from tdl.training.options import OnProgress, PlayOptions
from tdl.training.rank_merge import RankMerge
from tdl.training.ranks import ALONE, MpiRanks, Ranks
from tdl.training.selfplay import SelfPlay
from tdl.training.threads import kernel, share_work, slice_of, steps, together

PARTS = 64
"""Parts of the tables that the threads take in turn to merge: moved entries lie close together."""

LONG = 1.5
"""In a long round a replica would set so many marks for each number of its tables: all numbers are compared instead.
Marks cost 8x6 TD a tenth of the time: in rounds of 4 to 6 M moves two replicas without them had 1.10 times the speed
(median of six pairs). Where it sets as many marks as there are numbers both cost the same, by an estimate."""

FIGURES = np.dtype([("errors", np.float64), ("number", np.int64), ("moves", np.int64)])
"""Of a replica's part of a round: the sum of the absolute TD errors, in points, their number, and the moves."""


class Replicas:
    """The replicas of a network, and the threads and processes that carry them.

    Parameters
    ----------
    network, state : what the replicas begin with and become, in place.
    learner, play, options, ranks : as those of `Trainer`.

    Attributes
    ----------
    moves, finished : played since `play` was called by all processes, estimated from this one's while a round is on.
    errors : sum of the absolute TD errors of these moves, in points, and their number.
    merge_seconds : spent with merges since the replicas began.
    merged_chunks : chunks of the tables (`tdl.learning.moved`) that some replica had moved before the last merge.

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
        ranks: Ranks = ALONE,
    ) -> None:
        self.network, self.state, self.options, self.ranks = network, state, options, ranks
        self._numbers = ranks.carried(options.replicas)
        self.threads, self.slice = min(play.threads, len(self._numbers)), slice_of(play.search)
        if unmerged := state.keys() - {ACCUMULATORS, ENTERED, COUNTS}:
            raise refuse("replicas", options.replicas, f"1 where {min(unmerged)} is kept, which cannot be merged")
        number = ranks.here * len(self._numbers)
        require_memory("replicas", number * replica_bytes(network, learner), f"{number} replicas")
        tables, build = LineTables(network.rules), kernel(network)
        self.plays: list[SelfPlay] = []
        self.states: list[LearnerState] = []
        for _ in self._numbers:
            weights = allocate("replicas", len(network.weights), "a replica")
            copy = NTupleNetwork(network.rules, network.tuples, stages=network.stages, weights=weights)
            copy.use_instructions(network.instructions)
            copy_state = new_state(copy, learner, play.engine)
            copy_state[MOVED] = np.zeros(chunks_of(network), np.uint8)
            self.states.append(copy_state)
            self.plays.append(build(copy, tables, learner, play, role=TRAINING, state=copy_state))
        parts = [
            (play.network.weights, copy_state.get(ACCUMULATORS), copy_state[MOVED])
            for play, copy_state in zip(self.plays, self.states, strict=True)
        ]
        self._merge: Merge | RankMerge
        if isinstance(ranks, MpiRanks):
            self._merge = RankMerge(ranks, self.threads, (network.weights, state.get(ACCUMULATORS)), parts)
        else:
            self._merge = Merge(network.weights, state.get(ACCUMULATORS), parts)
        self._long = LONG * sum(array.size for array in parts[0][:2] if array is not None)
        self._marks = 4 * len(marked_fours(network))  # for a move
        self._length = 0.0  # of an episode of the last round, in moves
        self._copied = False
        self.moves, self.finished, self.errors = 0, 0, (0.0, 0)
        self.merge_seconds, self.merged_chunks = 0.0, 0

    def set_step(self, alpha: float, kind: str) -> None:
        """The step size and its kind from now on."""
        for play in self.plays:
            play.set_step(alpha, kind)

    def play(self, first: int, episodes: int, on_progress: OnProgress | None) -> NDArray[np.void]:
        """Play the `episodes` episodes from number `first` on, in whole rounds; their records.

        Raises
        ------
        DivergenceError : a value is not finite or beyond all bounds, in whatever process.
        """
        check_whole("episodes", episodes, 0)
        self.moves, self.finished, self.errors = 0, 0, (0.0, 0)
        if not self._copied:
            for array in (self.network.weights, *self.state.values()):
                self.ranks.broadcast(array)
            share_work([partial(self._copy_to, number) for number in range(len(self.plays))], self.threads)
            self._copied = True
        records = np.zeros(episodes, RECORD)
        for low, high in itertools.pairwise(self.options.borders(first, episodes)):
            records[low - first : high - first] = self._play_round(low, high, on_progress)
            self._merge_all()
        return records

    def _copy_to(self, number: int) -> None:
        """Give a replica of this process what the network knows."""
        np.copyto(self.plays[number].network.weights, self.network.weights)
        for name, array in self.state.items():
            np.copyto(self.states[number][name], array)

    def _play_round(self, low: int, high: int, on_progress: OnProgress | None) -> NDArray[np.void]:
        """The records of a round, of the replicas of all processes in their order, as are the sums."""
        parts = [self.options.part(number, low, high) for number in self._numbers]
        self._begin(parts)
        moves, finished = self.moves, self.finished
        here = sum(episodes for _, episodes in parts)
        scale = (high - low) / here if here else 0  # for each episode of this process one of all

        def report() -> None:
            self.moves = moves + round(scale * sum(play.moves for play in self.plays))
            self.finished = finished + round(scale * sum(play.finished for play in self.plays))
            if on_progress is not None:
                on_progress(self.finished, self.moves)

        error = None
        try:
            together([self._playing(thread) for thread in range(self.threads)], report)
        except TdlError as raised:
            error = raised
        self.ranks.sync_error(error)
        local = np.array([(*play.errors, play.moves) for play in self.plays], FIGURES)
        figures = np.concatenate(self.ranks.gather(local))
        total, number = self.errors
        self.errors = sum(figures["errors"].tolist(), total), number + int(figures["number"].sum())
        played = int(figures["moves"].sum())
        self._length = played / max(1, high - low)
        self.moves, self.finished = moves + played, finished + high - low
        if on_progress is not None:
            on_progress(self.finished, self.moves)
        return np.concatenate(self.ranks.gather(np.concatenate([play.records for play in self.plays])))

    def _begin(self, parts: Sequence[tuple[int, int]]) -> None:
        """Begin a round, in whose parts what moves is marked, unless it is cheaper to compare all tables after it."""
        longest = max(episodes for _, episodes in parts)
        long = self._marks * self._length * longest > self._long
        marks = not long or isinstance(self._merge, RankMerge)  # which sends what is marked
        for play, state, part in zip(self.plays, self.states, parts, strict=True):
            play.mark_moved(marks)
            if not marks:
                state[MOVED].fill(True)
            play.begin(*part)

    def _playing(self, thread: int) -> Iterator[None]:
        """The work of a thread: the games of some of the replicas, one after the other."""
        for play in self.plays[thread :: self.threads]:
            yield from steps(play, self.slice)

    def _merge_all(self) -> None:
        start = time.perf_counter()
        if isinstance(self._merge, RankMerge):
            self.merged_chunks = self._merge.merge()
        else:
            borders = [self._merge.chunks * part // PARTS for part in range(PARTS + 1)]
            tasks = [partial(self._merge.chunks_between, *part) for part in itertools.pairwise(borders)]
            self.merged_chunks = sum(share_work(tasks, self.threads))
        if ENTERED in self.state:
            merge_entered(self.state, self.states)
        self.merge_seconds += time.perf_counter() - start


def replica_bytes(network: NTupleNetwork, learner: LearnerOptions) -> int:
    """Bytes that a replica takes."""
    entries = len(network.weights)
    state = state_bytes(entries, learner, stages=network.stages.count, extras=network.extras)
    return 4 * entries + state + chunks_of(network)
