"""Sides measured in turn, A B A B ...: the ratio of their speeds holds on a machine whose speed drifts."""

import math
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from tqdm import tqdm

from tdl.statistics.intervals import ratio_range
from tdl.training.trainer import Trainer

BLOCK = 1000
"""Episodes of a block of training."""

Side = TypeVar("Side")
Figure = TypeVar("Figure")


def in_turn(sides: Iterable[Side], turns: int, measure: Callable[[Side, int], Figure]) -> dict[Side, list[Figure]]:
    """The figures of each side; `measure` gets the side and the number of the turn, from 0."""
    figures: dict[Side, list[Figure]] = {side: [] for side in sides}
    for turn in tqdm(range(turns), "turns", disable=None, leave=False):
        for side, measured in figures.items():
            measured.append(measure(side, turn))
    return figures


def paired(speeds: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """The speeds of two sides, rounded, and the ratio of the first to the second: median, least and largest."""
    rounded = {name: [round(speed) for speed in side] for name, side in speeds.items()}
    return {**rounded, **ratio_range(*speeds.values())}


def millions(speeds: Sequence[float]) -> str:
    """The median of moves per second, in millions."""
    return f"{statistics.median(speeds) / 1e6:.2f}"


@dataclass(frozen=True)
class Training:
    """Episodes of training: their moves, seconds, and the mean score of the last block."""

    episodes: int
    moves: int
    seconds: float
    mean: float

    @property
    def speed(self) -> float:
        """Moves per second."""
        return self.moves / self.seconds


def train(trainer: Trainer, episodes: int) -> Training:
    """Train the next episodes in blocks, or in rounds of replicas; the clock stands still between two of them."""
    moves, seconds, mean, end = trainer.moves, 0.0, 0.0, trainer.episode + episodes
    with tqdm(total=episodes, desc="episodes", disable=None, leave=False) as bar:
        while trainer.episode < end:
            block = min(trainer.replicas.stretch(trainer.episode, BLOCK), end - trainer.episode)
            start = time.perf_counter()
            scores = trainer.train(block)["score"]
            seconds += time.perf_counter() - start
            mean = float(scores.mean()) if len(scores) else math.nan
            bar.update(block)
    return Training(episodes, trainer.moves - moves, seconds, mean)
