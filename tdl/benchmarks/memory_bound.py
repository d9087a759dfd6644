"""How near training comes to what the memory allows: a run against its own table accesses, replayed without the game.

The replay reads, adds to and prefetches the same entries of the same network in the same order with the same number
of lanes ahead, but neither plays nor computes an index. Its speed is a bound for this layout on this machine.
"""

from __future__ import annotations

import time
from typing import Any

from tdl.agents.options import PlayOptions
from tdl.agents.selfplay import SelfPlay
from tdl.agents.trainer import Trainer
from tdl.benchmarks.memory_trace import record, replay
from tdl.checks import check_whole
from tdl.game.lines import LineTables
from tdl.game.rules import Rules
from tdl.game.streams import TRAINING
from tdl.network.ntuple import NTupleNetwork
from tdl.network.tuples import TupleSet
from tdl.runs import environment
from tdl.runs.progress import Progress
from tdl.statistics.intervals import ratio_range

BLOCK = 1000

TURNS = 100_000
"""Moves that are recorded: of 4x6 60 MB of indices, far more than a cache holds."""


def compare(name: str, tuples: TupleSet, lanes: int | str, state: int, pairs: int) -> dict[str, Any]:
    """Moves per second of training (forward) and of the replay, in turn, and their ratio.

    Parameters
    ----------
    name : of the tuple set, for the report.
    tuples : the set.
    lanes : "auto" or a number.
    state : episodes of training before the comparison.
    pairs : how often the two take turns.

    Raises
    ------
    ConfigError : a number that is not allowed.
    """
    check_whole("--state", state, 0)
    check_whole("--pairs", pairs, 1)
    network = NTupleNetwork(Rules(), tuples)
    network.weights.fill(0)  # touched before the clock runs
    trainer = Trainer(network, alpha=0.1, order="forward", lanes=lanes)
    progress = Progress("limit", state + pairs * BLOCK, "moves")
    for _ in range(0, state, BLOCK):
        mean = trainer.train(BLOCK)["score"].mean()
        progress.update(trainer.episode, trainer.moves, f"mean {mean:,.0f}")
    play = SelfPlay(network, LineTables(network.rules), trainer.learner, PlayOptions(1, lanes), role=TRAINING)
    play.set_step(0.1, "fixed")
    play.begin(0, TURNS)  # more episodes than can end while this is recorded
    entries, counts = record(play, TURNS)
    runs, replays = [], []
    for _ in range(pairs):
        before, start = trainer.moves, time.perf_counter()
        score = float(trainer.train(BLOCK)["score"].mean())
        runs.append((trainer.moves - before) / (time.perf_counter() - start))
        times = max(1, round((trainer.moves - before) / TURNS))
        start = time.perf_counter()
        for _ in range(times):
            replay(network, entries, counts, play.lanes)
        replays.append(times * TURNS / (time.perf_counter() - start))
        progress.update(trainer.episode, trainer.moves, f"mean {score:,.0f}")
    progress.close()
    return {
        "tuples": name,
        "layout": network.layout.name,
        "lanes": play.lanes,
        "state": state,
        "run": [round(run) for run in runs],
        "limit": [round(bound) for bound in replays],
        **ratio_range(runs, replays),
        **environment.describe(network.instructions),
    }
