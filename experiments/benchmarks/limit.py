"""Training against what the memory allows: its own table accesses, replayed without the game."""

from collections.abc import Iterator
from itertools import count

import numpy as np
from numpy.typing import NDArray

from experiments.benchmarks.harness import Row, main, per_second
from experiments.benchmarks.replay import replay
from tdl.benchmarks.train import BLOCK, train, tuples_of
from tdl.benchmarks.versus import in_turn
from tdl.game.engine import TRAINING, Engine, Stream
from tdl.game.rules import Rules
from tdl.network.ntuple import NTupleNetwork
from tdl.statistics.intervals import ratio_range
from tdl.training.options import lane_count
from tdl.training.trainer import Trainer

Entries = NDArray[np.uint32]

TIMES = 30
"""How often a turn replays what is recorded: as many moves as a block of training has, or so."""


def measure(tuples: str = "4x6", state: int = 20_000, rounds: int = 5, turns: int = 100_000) -> Iterator[Row]:
    """Moves per second of training (TD(0) forward), those of its table accesses alone, and the ratio.

    The replay reads, adds to and prefetches the entries that games of the trained network have active, in their order
    and with the same number of lanes ahead, but neither plays nor computes an index. Its speed is a bound for this
    layout on this machine.

    tuples: a named tuple set, or its cells: [[0,1,2],[4,5,6]]
    state: episodes trained before
    rounds: turns of each
    turns: moves that are recorded; of 4x6 100,000 have 60 MB of indices, far more than a cache holds
    """
    network = NTupleNetwork(Rules(), tuples_of(tuples))
    network.weights.fill(0)  # touched before the clock runs
    trainer = Trainer(network, alpha=0.1, order="forward")
    trainer.train(state)
    lanes = lane_count("auto", network.m)
    entries, counts = record(network, turns, lanes)

    def replayed() -> int:
        for _ in range(TIMES):
            replay(network, entries, counts, lanes)
        return TIMES * turns

    sides = {"training": lambda: train(trainer, BLOCK).speed, "accesses": lambda: per_second(replayed)}
    speeds = in_turn(sides, rounds, lambda side, _: sides[side]())
    yield {"tuples": tuples, "lanes": lanes, **speeds, "ratio": ratio_range(*speeds.values())}


def record(network: NTupleNetwork, turns: int, lanes: int) -> tuple[Entries, NDArray[np.int32]]:
    """Entries and counts, as `replay` takes them, of so many turns of `lanes` interleaved games."""
    games = [played(network, lane, lanes) for lane in range(lanes)]
    rows = [next(games[turn % lanes]) for turn in range(turns)]
    counts = np.array([len(active) for active in rows], np.int32)
    entries = np.zeros((counts.sum(), -(-network.m // 16) * 16), np.uint32)
    entries[:, : network.m] = np.concatenate(rows)
    return entries, counts


def played(network: NTupleNetwork, first: int, step: int) -> Iterator[list[Entries]]:
    """Of each turn of games without end: the entries of the afterstates, and of the one before, which is updated.

    Where a game begins nothing is updated: its first afterstate stands in. Where it ends there is only the one before.
    """
    engine, weights = Engine(network.rules), network.weights
    for game in count(first, step):
        stream, updated = Stream(0, TRAINING, game), None
        board = engine.start(stream)
        while moves := engine.afterstates(board):
            active = [network.entries(after) for _, after, _ in moves]
            yield [*active, active[0] if updated is None else updated]
            best = max(range(len(moves)), key=lambda i: moves[i][2] + weights[active[i]].sum())
            updated, board = active[best], engine.place(moves[best][1], stream)
        yield [updated]


if __name__ == "__main__":
    main(measure)
