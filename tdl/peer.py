"""Paired speed comparison with a TDL2048+ binary that the user built (github.com/moporgic/TDL2048, its own `make`).

Both programs train the same setting in turn, A B A B ..., each in one thread; the ratio is taken pair by pair, so that
it holds when the machine's speed drifts. Moves per second are each program's own count over its own training time.
"""

from __future__ import annotations

import re
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.agents.trainer import Trainer
from tdl.checks import check_whole
from tdl.config import tuple_set
from tdl.errors import TdlError, refuse
from tdl.game.rules import Rules
from tdl.network.ntuple import NTupleNetwork
from tdl.progress import Progress

UNIT = 1000
"""Episodes of one line of the peer's output, and of one of our blocks."""

ALPHA = 0.1

_LINE = re.compile(r"(?m)^\d+/\d+ (\d+)ms ([\d.]+)ops")


def compare(
    binary: str, tuples: str, order: str, lanes: int | str, pairs: int, blank: int, state: int
) -> dict[str, Any]:
    """Moves per second of both programs, from blank and at a later state, and their ratios.

    Parameters
    ----------
    binary : path of the peer's program.
    tuples : a named set that the peer knows too, as "4x6" (its `4x6patt`).
    pairs : how often the two take turns.
    blank : episodes from a blank network, a multiple of 1,000.
    state : episodes before the second comparison, a multiple of 1,000 (0: none); it lasts a quarter of `blank`.

    Raises
    ------
    TdlError : a number of episodes that is not allowed; the program cannot be run, or prints no speed.
    """
    check_whole("--pairs", pairs, 1)
    for key, episodes, least in (("--blank", blank, UNIT), ("--state", state, 0)):
        check_whole(key, episodes, least)
        if episodes % UNIT:
            raise refuse(key, episodes, f"a multiple of {UNIT}")
    with tempfile.TemporaryDirectory() as folder:
        peer = _Peer(binary, tuples, order, Path(folder))
        ours = _Ours(tuples, order, lanes)
        progress = Progress("pairs", 0, pairs * (2 if state else 1))
        result: dict[str, Any] = {"blank": _pairs(pairs, progress, lambda: (ours.blank(blank), peer.run(blank)))}
        if state:
            ours.prepare(state)
            peer.prepare(state)
            again = max(UNIT, blank // 4 // UNIT * UNIT)
            result[f"after_{state}"] = _pairs(pairs, progress, lambda: (ours.later(state, again), peer.later(again)))
        progress.close()
    return result


def _pairs(pairs: int, progress: Progress, run: Any) -> dict[str, Any]:
    """Figures of several pairs: both sides, and the ratio's median with its range."""
    speeds = []
    for _ in range(pairs):
        speeds.append(run())
        progress.update(progress.done + 1, 0)
    ratios = [ours / peer for ours, peer in speeds]
    return {
        "ours": [round(ours) for ours, _ in speeds],
        "peer": [round(peer) for _, peer in speeds],
        "ratio_median": statistics.median(ratios),
        "ratio_min": min(ratios),
        "ratio_max": max(ratios),
    }


class _Ours:
    def __init__(self, tuples: str, order: str, lanes: int | str) -> None:
        self.tuples, self.order, self.lanes = tuple_set(tuples), order, lanes
        self.saved: NDArray[np.float32] | None = None
        self.network = NTupleNetwork(Rules(), self.tuples)

    def _trainer(self, episode: int) -> Trainer:
        return Trainer(self.network, alpha=ALPHA, order=self.order, lanes=self.lanes, episode=episode)

    def blank(self, episodes: int) -> float:
        self.network.weights.fill(0)  # touched before the clock runs, as the peer's are
        return _speed(self._trainer(0), episodes)

    def prepare(self, state: int) -> None:
        self.network.weights.fill(0)
        _speed(self._trainer(0), state)
        self.saved = self.network.weights.copy()

    def later(self, state: int, episodes: int) -> float:
        assert self.saved is not None
        self.network.weights[:] = self.saved
        return _speed(self._trainer(state), episodes)


def _speed(trainer: Trainer, episodes: int) -> float:
    start = time.perf_counter()
    for _ in range(episodes // UNIT):
        trainer.train(UNIT)
    return trainer.moves / (time.perf_counter() - start)


class _Peer:
    def __init__(self, binary: str, tuples: str, order: str, folder: Path) -> None:
        self.words = [binary, "-n", f"{tuples}patt", "-a", str(ALPHA), "-tt", order, "-e", "0"]
        self.saved = folder / "state.w"

    def run(self, episodes: int, *more: str) -> float:
        words = [*self.words, "-t", f"{episodes // UNIT}x{UNIT}", *more]
        try:
            done = subprocess.run(words, capture_output=True, text=True, check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise TdlError(f"{words[0]}: cannot be run: {error}") from error
        blocks = [(int(ms) / 1000, float(speed)) for ms, speed in _LINE.findall(done.stdout)]
        if len(blocks) != episodes // UNIT:
            raise TdlError(f"{words[0]}: printed {len(blocks)} lines of speed, expected {episodes // UNIT}")
        return sum(seconds * speed for seconds, speed in blocks) / sum(seconds for seconds, _ in blocks)

    def prepare(self, state: int) -> None:
        self.run(state, "-o", str(self.saved))

    def later(self, episodes: int) -> float:
        return self.run(episodes, "-i", str(self.saved))
