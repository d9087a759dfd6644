"""Speed of training: moves per second from a blank network, against those of a network that is trained already."""

from argparse import ArgumentParser, Namespace
from dataclasses import replace
from typing import Any

from tdl.benchmarks.arguments import add_training, tuples_of
from tdl.benchmarks.paired import Training, train
from tdl.benchmarks.registry import Report
from tdl.game.rules import GAMES, Rules
from tdl.learning.options import ORDERS
from tdl.network.ntuple import NTupleNetwork
from tdl.runs import environment
from tdl.training.options import lane_count
from tdl.training.trainer import Trainer


def arguments(parser: ArgumentParser) -> None:
    add_training(parser)
    parser.add_argument("--game", default="2048", choices=GAMES, help="(2048)")
    parser.add_argument("--radix", type=int, help="tile symbols of a cell (as many as the game says)")
    parser.add_argument("--order", default="backward", choices=ORDERS)
    parser.add_argument("--measured", type=int, default=5_000, help="episodes of the second measurement (5000)")


def measure(options: Namespace) -> Report:
    """The first `--blank` episodes, and `--measured` episodes after `--state` of them."""
    tuples = tuples_of(options.tuples)
    if options.radix is not None:
        tuples = replace(tuples, radix=options.radix)
    network = NTupleNetwork(Rules(options.game), tuples)
    network.weights.fill(0)  # touched before the clock runs
    trainer = Trainer(network, alpha=0.1, order=options.order, lanes=options.lanes)
    figures: dict[str, Any] = {
        "tuples": options.tuples,
        "game": options.game,
        "radix": network.layout.radix,
        "order": options.order,
        "lanes": lane_count(options.lanes, network.m),
        "weights_mib": round(network.weights.nbytes / 2**20, 2),
    }
    figures["blank"] = _figures(train(trainer, options.blank))
    if options.state:
        train(trainer, options.state - options.blank)
        figures[f"after_{options.state}"] = _figures(train(trainer, options.measured))
    figures |= environment.describe(network.instructions)
    return Report(figures, text(figures))


def _figures(training: Training) -> dict[str, float]:
    return {
        "episodes": training.episodes,
        "moves": training.moves,
        "seconds": round(training.seconds, 6),
        "moves_per_second": round(training.speed),
        "last_block_mean": training.mean,
    }


def text(figures: dict[str, Any]) -> str:
    """The figures for people."""
    head = ", ".join(str(figures[key]) for key in ("game", "tuples", "order", "instructions", "cpu"))
    size = f"radix {figures['radix']}, {figures['weights_mib']:,.0f} MiB of weights"
    rows = [
        f"{name:>14}: {part['moves_per_second'] / 1e6:6.2f} M moves/s over {part['episodes']} episodes "
        f"({part['seconds']:.1f} s), mean score of the last block {part['last_block_mean']:,.0f}"
        for name, part in figures.items()
        if isinstance(part, dict) and "moves_per_second" in part
    ]
    return "\n".join([f"{head}, {figures['lanes']} lanes, {size}", *rows])
