"""Moves per second of training."""

from __future__ import annotations

import json
import time
from typing import Any

from tdl.agents.options import lane_count
from tdl.agents.trainer import Trainer
from tdl.config.build import tuple_set
from tdl.errors import refuse
from tdl.network.ntuple import NTupleNetwork
from tdl.network.tuples import TupleSet
from tdl.runs import environment
from tdl.runs.progress import Progress

BLOCK = 1000


def given_tuples(text: str) -> TupleSet:
    """A tuple set as the command line gives it: a name, or cells as JSON.

    Raises
    ------
    ConfigError : neither.
    """
    if not text.startswith("["):
        return tuple_set(text)
    try:
        return TupleSet(json.loads(text))
    except ValueError as error:
        raise refuse("--tuples", text, "a name, or cells as [[0,1,2],[4,5,6]]") from error


def train_speed(
    network: NTupleNetwork, order: str, lanes: int | str, blank: int, state: int, measured: int
) -> dict[str, Any]:
    """Moves per second of training: of the first `blank` episodes, and of `measured` episodes after `state` ones."""
    network.weights.fill(0)  # touched before the clock runs
    trainer = Trainer(network, alpha=0.1, order=order, lanes=lanes)
    figures: dict[str, Any] = {"game": network.rules.game, "radix": network.layout.radix, "order": order}
    figures |= {"lanes": lane_count(lanes, network.m), "weights_mib": round(network.weights.nbytes / 2**20, 2)}
    progress = Progress("bench", state + measured if state else blank, "moves")
    figures["blank"] = _measure(trainer, blank, progress)
    if state:
        _measure(trainer, state - blank, progress)
        figures[f"after_{state}"] = _measure(trainer, measured, progress)
    progress.close()
    return figures | environment.describe(network.instructions)


def _measure(trainer: Trainer, episodes: int, progress: Progress) -> dict[str, float]:
    moves, seconds, score = trainer.moves, 0.0, 0.0
    for start in range(0, episodes, BLOCK):
        before = time.perf_counter()
        records = trainer.train(min(BLOCK, episodes - start))
        seconds += time.perf_counter() - before
        score = float(records["score"].mean())
        progress.update(trainer.episode, trainer.moves, f"mean {score:,.0f}")
    played = trainer.moves - moves
    return {
        "episodes": episodes,
        "moves": played,
        "seconds": round(seconds, 6),
        "moves_per_second": round(played / seconds),
        "last_block_mean": score,
    }
