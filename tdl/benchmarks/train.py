"""Speed of training: moves per second from a blank network, against those of a network that is trained already."""

import json
import math
import time
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass, replace
from typing import Any

from tqdm import tqdm

from tdl.benchmarks import Report
from tdl.config.tuple_sets import tuple_set
from tdl.errors import refuse
from tdl.game.rules import GAMES, Rules
from tdl.learning.options import ORDERS
from tdl.network.ntuple import NTupleNetwork
from tdl.network.tuples import TupleSet
from tdl.runs import environment
from tdl.training.options import lane_count
from tdl.training.trainer import Trainer

BLOCK = 1000
"""Episodes of a block of training."""


def arguments(parser: ArgumentParser) -> None:
    add_training(parser)
    parser.add_argument("--game", default="2048", choices=GAMES, help="(2048)")
    parser.add_argument("--radix", type=int, help="tile symbols of a cell (as many as the game says)")
    parser.add_argument("--order", default="backward", choices=ORDERS)
    parser.add_argument("--measured", type=int, default=5_000, help="episodes of the second measurement (5000)")


def add_training(parser: ArgumentParser) -> None:
    """The options of training that is measured twice: `--tuples`, `--lanes`, `--blank` and `--state`."""
    parser.add_argument("--tuples", default="4x6", help="a named tuple set (4x6), or its cells: [[0,1,2],[4,5,6]]")
    parser.add_argument(
        "--lanes", type=lambda text: int(text) if text.isdigit() else text, default="auto", help="auto or a number"
    )
    parser.add_argument("--blank", type=int, default=20_000, help="episodes measured from blank (20000)")
    parser.add_argument("--state", type=int, default=100_000, help="episodes before the second measurement; 0: none")


def tuples_of(text: str) -> TupleSet:
    """The tuple set of `--tuples`: a name, or cells as JSON."""
    if not text.startswith("["):
        return tuple_set(text)
    try:
        return TupleSet(json.loads(text))
    except ValueError as error:
        raise refuse("--tuples", text, "a name, or cells as [[0,1,2],[4,5,6]]") from error


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

    def figures(self) -> dict[str, float]:
        """As `tdl bench train --json` prints them."""
        return {
            "episodes": self.episodes,
            "moves": self.moves,
            "seconds": round(self.seconds, 6),
            "moves_per_second": round(self.speed),
            "last_block_mean": self.mean,
        }


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


def measure(options: Namespace) -> Report:
    """The first `--blank` episodes, and `--measured` episodes after `--state` of them."""
    tuples = tuples_of(options.tuples)
    if options.radix is not None:
        tuples = replace(tuples, radix=options.radix)
    network = NTupleNetwork(Rules(options.game), tuples)
    network.weights.fill(0)  # touched before the clock runs
    trainer = Trainer(network, alpha=0.1, order=options.order, lanes=options.lanes)
    parts = {"blank": train(trainer, options.blank)}
    if options.state:
        train(trainer, options.state - options.blank)
        parts[f"after_{options.state}"] = train(trainer, options.measured)
    figures: dict[str, Any] = {
        "tuples": options.tuples,
        "game": options.game,
        "radix": network.layout.radix,
        "order": options.order,
        "lanes": lane_count(options.lanes, network.m),
        "weights_mib": round(network.weights.nbytes / 2**20, 2),
        **{name: part.figures() for name, part in parts.items()},
        **environment.describe(network.instructions),
    }
    head = ", ".join(str(figures[key]) for key in ("game", "tuples", "order", "instructions", "cpu"))
    size = f"radix {figures['radix']}, {figures['weights_mib']:,.0f} MiB of weights"
    rows = [
        f"{name:>14}: {part.speed / 1e6:6.2f} M moves/s over {part.episodes} episodes "
        f"({part.seconds:.1f} s), mean score of the last block {part.mean:,.0f}"
        for name, part in parts.items()
    ]
    return Report(figures, "\n".join([f"{head}, {figures['lanes']} lanes, {size}", *rows]))
