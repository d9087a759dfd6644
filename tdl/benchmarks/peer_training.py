"""Paired speed comparison with a TDL2048+ binary that the user built (github.com/moporgic/TDL2048, its own `make`).

Both programs train the same setting in turn, A B A B ..., each in one thread; the ratio is taken pair by pair, so that
it holds when the machine's speed drifts. Moves per second are each program's own count over its own training time.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.agents.trainer import Trainer
from tdl.checks import check_whole
from tdl.config.build import tuple_set
from tdl.config.files import group_file
from tdl.errors import TdlError, refuse
from tdl.game.rules import Rules
from tdl.network.ntuple import NTupleNetwork
from tdl.runs.progress import Progress
from tdl.statistics.intervals import ratio_range

UNIT = 1000
"""Episodes of one line of the peer's output, and of one of our blocks."""

_LINE = re.compile(r"(?m)^\d+/\d+ (\d+)ms ([\d.]+)ops")


@dataclass(frozen=True)
class Setting:
    """What both programs train.

    Attributes
    ----------
    tuples : a named set that the peer knows too, as "4x6" (its `4x6patt`).
    order : "backward" or "forward".
    learner : "td" (the peer's `-a 0.1`) or "tc" (its `-a 1.0 coherence`), each with its own step size.
    td_lambda : above 0 in backward order only (the peer's `-l`).
    lanes : ours.
    """

    tuples: str
    order: str
    learner: str = "td"
    td_lambda: float = 0.0
    lanes: int | str = "auto"

    def __post_init__(self) -> None:
        if self.td_lambda and self.order != "backward":
            raise refuse("--td-lambda", self.td_lambda, "0 unless --order=backward, as the peer's -l")

    def peer_words(self) -> list[str]:
        """The same for the peer."""
        alpha = group_file("learner", self.learner)["alpha"]
        words = ["-n", f"{self.tuples}patt", "-a", str(alpha), *["coherence"] * (self.learner == "tc")]
        # With a lambda and no mode it learns backward; its mode `backward` with a lambda stays at 1,000 points.
        return [*words, *(["-l", str(self.td_lambda)] if self.td_lambda else ["-tt", self.order]), "-e", "0"]

    def trainer(self, network: NTupleNetwork, episode: int) -> Trainer:
        """A trainer of ours."""
        group = group_file("learner", self.learner)
        return Trainer(
            network,
            alpha=group["alpha"],
            step=group["step"],
            order=self.order,
            td_lambda=self.td_lambda,
            lanes=self.lanes,
            episode=episode,
        )


def compare(binary: str, setting: Setting, pairs: int, blank: int, state: int) -> dict[str, Any]:
    """Moves per second of both programs, from blank and at a later state, and their ratios.

    Parameters
    ----------
    binary : path of the peer's program.
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
        peer = _Peer([binary, *setting.peer_words()], Path(folder))
        ours = _Ours(setting)
        progress = Progress("pairs", pairs * (2 if state else 1))
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
        progress.update(progress.done + 1)
    ours, peers = zip(*speeds, strict=True)
    return {
        "ours": [round(each) for each in ours],
        "peer": [round(each) for each in peers],
        **ratio_range(ours, peers),
    }


class _Ours:
    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.network = NTupleNetwork(Rules(), tuple_set(setting.tuples))
        self.saved: list[NDArray[np.float32]] = []

    def _from_blank(self) -> Trainer:
        trainer = self.setting.trainer(self.network, 0)
        for array in _learned(trainer):
            array.fill(0)  # touched before the clock runs, as the peer's are
        return trainer

    def blank(self, episodes: int) -> float:
        return _speed(self._from_blank(), episodes)

    def prepare(self, state: int) -> None:
        trainer = self._from_blank()
        _speed(trainer, state)
        self.saved = [array.copy() for array in _learned(trainer)]

    def later(self, state: int, episodes: int) -> float:
        trainer = self.setting.trainer(self.network, state)
        for array, saved in zip(_learned(trainer), self.saved, strict=True):
            array[:] = saved
        return _speed(trainer, episodes)


def _learned(trainer: Trainer) -> list[NDArray[np.float32]]:
    return [trainer.network.weights, *trainer.state.values()]


def _speed(trainer: Trainer, episodes: int) -> float:
    start = time.perf_counter()
    for _ in range(episodes // UNIT):
        trainer.train(UNIT)
    return trainer.moves / (time.perf_counter() - start)


class _Peer:
    def __init__(self, words: list[str], folder: Path) -> None:
        self.words = words
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
