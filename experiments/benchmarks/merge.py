"""What a merge of replicas costs, and what the model says of it; started by mpirun, on several processes."""

import time
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from experiments.benchmarks.harness import Row, main
from tdl.benchmarks.train import tuples_of
from tdl.game.rules import Rules
from tdl.learning.options import LearnerOptions
from tdl.learning.rounds import ReplicaOptions
from tdl.learning.rows import row_width
from tdl.learning.state import MOVED, chunks_of
from tdl.network.ntuple import NTupleNetwork
from tdl.training.options import PlayOptions
from tdl.training.ranks import connect
from tdl.training.replicas import Replicas
from tdl.training.trainer import Trainer

PAPER = 64, 4
"""Replicas and processes that the model is asked for."""

GIGABITS = (10, 100)
"""Speeds of a network, per second and direction, that the model is asked for."""

FAR = 1 << 40
"""The number of an episode at which all replicas play."""


def measure(tuples: str = "4x6", replicas: int = 4, episodes: int = 4_000, state: int = 20_000) -> Iterator[Row]:
    """One round of replicas that learn by TC(1), and its merge, as the first process sees it.

    On paper there are 64 replicas in 4 processes, a core for each replica, and every chunk was moved.

    tuples: a named tuple set, or its cells: [[0,1,2],[4,5,6]]
    replicas: of all processes
    episodes: of a replica in the round
    state: episodes of one network before
    """
    ranks, network = connect(), NTupleNetwork(Rules(), tuples_of(tuples))
    before, options = Trainer(network, alpha=1.0, step="coherent"), ReplicaOptions(replicas, episodes * replicas)
    ranks.check(options, LearnerOptions(), threads=1)
    if ranks.rank == 0:  # the others get it as the replicas do
        before.train(state)
    counted = _Counted(network, before.state, before.learner, PlayOptions(threads=1), options, ranks)
    counted.set_step(1.0, "coherent")
    start = time.process_time()
    counted.play(FAR, replicas * episodes, None)
    moved = sum(moved.item() for moved in ranks.gather(np.array([counted.moved]))) / replicas
    if ranks.rank > 0:
        return
    play, (merge, sent, received) = counted.before[0] - start, counted.after - counted.before
    chunks, merged = chunks_of(network), counted.merged_chunks
    share = ranks.size / replicas  # of the first process's CPU seconds, for a replica
    figures = {
        "chunks of the tables": chunks,
        "chunks moved by a replica": moved,
        "chunks moved by any": merged,
        "CPU seconds of play": play,
        "seconds of the merge": counted.merge_seconds,
        "CPU seconds of the merge": merge,
        "MB sent": sent / 1e6,
        "MB received": received / 1e6,
        "MB by the model": model_bytes(replicas, ranks.size, moved, merged) / 1e6,
        **on_paper(share * play, share * merge * chunks / merged, model_bytes(*PAPER, moved, chunks)),
    }
    yield from ({"figure": name, "value": value} for name, value in figures.items())


class _Counted(Replicas):
    """Replicas that count the chunks they moved, and CPU seconds, bytes sent and received before and after a merge."""

    def _merge_all(self) -> None:
        self.moved = sum(int(np.count_nonzero(state[MOVED])) for state in self.states)
        self.before = self._spent()
        super()._merge_all()
        self.after = self._spent()

    def _spent(self) -> NDArray[np.float64]:
        return np.array([time.process_time(), self.ranks.sent, self.ranks.received])


def model_bytes(replicas: int, processes: int, moved: float, merged: float) -> float:
    """Bytes that a process sends for a merge, and receives: chunks to their owners, and the owners' results to all.

    `moved` is the mean number of chunks that a replica has moved, `merged` that of the chunks that any has.
    """
    return (replicas / processes * moved + merged) * 4 * row_width(coherent=True) * (processes - 1) / processes


def on_paper(play: float, copies: float, sent: float) -> dict[str, float]:
    """Seconds of play and of copies, and bytes, as figures; with the time of merges over each network."""
    figures = {"on paper: seconds of play": play, "seconds of copies": copies, "MB sent and received": sent / 1e6}
    for speed in GIGABITS:
        seconds = sent * 8 / (speed * 1e9)
        figures[f"seconds at {speed} Gbit/s"] = seconds
        figures[f"share of merges at {speed} Gbit/s"] = (seconds + copies) / (seconds + copies + play)
    return figures


if __name__ == "__main__":
    main(measure)
