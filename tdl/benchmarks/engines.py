"""Boards as packed bits against boards as arrays of bytes: each operation by itself, and training, in turn.

Both engines are compiled, and play the same games. The boards come from games that a network plays after some
training; each operation is repeated until it takes long enough to be timed.
"""

import statistics
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from tdl.agents.kernels import built_for
from tdl.agents.player import Player
from tdl.agents.trainer import Trainer
from tdl.benchmarks.arguments import add_tuples, tuples_of
from tdl.benchmarks.operations import OPERATIONS, Operations
from tdl.benchmarks.paired import Advance, in_turn, millions, paired, progress, train
from tdl.benchmarks.registry import Report
from tdl.checks import check_whole
from tdl.game.engine import ENGINES, Stream
from tdl.game.lines import LineTables
from tdl.game.packing import unpack
from tdl.game.rules import Rules
from tdl.game.streams import EVALUATION
from tdl.network.ntuple import NTupleNetwork
from tdl.network.tuples import TupleSet
from tdl.runs import environment
from tdl.statistics.intervals import ratio_range, ratio_text

GAMES = ("2048", "2584")

BOARDS = 1 << 14
"""Boards of a sample, whose rows are then as varied as in play."""

SECONDS = 0.03
"""Least time of a measurement of an operation."""


def arguments(parser: ArgumentParser) -> None:
    add_tuples(parser)
    parser.add_argument("--blank", type=int, default=3_000, help="episodes of each training run (3000)")
    parser.add_argument("--rounds", type=int, default=7, help="turns of each (7)")


def measure(options: Namespace) -> Report:
    """Nanoseconds of each operation, moves per second of training (forward), and the ratios of bits to array."""
    tuples = tuples_of(options.tuples)
    check_whole("--blank", options.blank, 1)
    check_whole("--rounds", options.rounds, 1)
    figures = {"tuples": options.tuples, **compare(tuples, options.blank, options.rounds)}
    return Report(figures, text(figures))


def compare(
    tuples: TupleSet, episodes: int, rounds: int, boards: int = BOARDS, seconds: float = SECONDS
) -> dict[str, Any]:
    """The figures of each game. A ratio is the speed of bits over the speed of the array."""
    figures: dict[str, Any] = {}
    with progress("boards", len(GAMES) * rounds * (len(OPERATIONS) + 1)) as advance:
        for game in GAMES:
            network = NTupleNetwork(Rules(game), tuples)
            speed(network, episodes, "bits")
            sample = sample_boards(network, boards)
            operations = {
                name: compare_operation(sample, name, boards, rounds, seconds, advance) for name in OPERATIONS
            }
            speeds = in_turn(ENGINES, rounds, partial(speed, network, episodes), advance)
            figures[game] = {"operations": operations, "training": paired(speeds)}
    return figures | environment.describe(network.instructions)


def compare_operation(
    sample: dict[str, Operations], name: str, boards: int, rounds: int, seconds: float, advance: Advance
) -> dict[str, Any]:
    """Nanoseconds of an operation on a board, by engine, and the ratio of the speeds."""
    passes = 1
    while (spent := _seconds(sample["bits"], name, passes)) < seconds:
        passes = max(2 * passes, int(1.2 * passes * seconds / spent))
    sides = in_turn(ENGINES, rounds, lambda engine, _: _seconds(sample[engine], name, passes), advance)
    times = {engine: [round(1e9 * spent / (passes * boards), 4) for spent in side] for engine, side in sides.items()}
    return {**times, **ratio_range(sides["array"], sides["bits"])}


def speed(network: NTupleNetwork, episodes: int, engine: str, turn: int = 0) -> float:
    """Moves per second of training from blank; the network keeps what it learns."""
    network.weights.fill(0)  # touched before the clock runs
    return train(Trainer(network, alpha=0.1, order="forward", engine=engine), episodes).speed


def sample_boards(network: NTupleNetwork, n: int) -> dict[str, Operations]:
    """The operations of each engine on the same `n` boards of games that the network plays."""
    player, before, after, game = Player(network), list[int](), list[int](), 0
    while len(before) < n:
        stream = Stream(0, EVALUATION, game)
        board, game = player.engine.start(stream), game + 1
        while len(before) < n and (action := player.best(board)) is not None:
            before.append(board)
            after.append(player.engine.move(board, action)[0])
            board = player.engine.place(after[-1], stream)
    tables, rules, build = LineTables(network.rules), network.rules, built_for(network, Operations)
    states, afterstates = (np.array([unpack(board, rules) for board in side], np.uint8) for side in (before, after))
    return {engine: build(network, tables, states, afterstates, engine) for engine in ENGINES}


def _seconds(operations: Operations, name: str, passes: int) -> float:
    start = time.perf_counter()
    operations.run(name, passes)
    return time.perf_counter() - start


def text(figures: dict[str, Any]) -> str:
    """The figures as tables, one for each game."""
    lines = [", ".join(str(figures[key]) for key in ("tuples", "instructions", "cpu"))]
    for game in GAMES:
        lines += [f"{game:<18} {'bits':>9} {'array':>9}  bits/array, speeds"]
        for name, part in figures[game]["operations"].items():
            lines.append(_line(name, [f"{statistics.median(part[engine]):.2f} ns" for engine in ENGINES], part))
        part = figures[game]["training"]
        lines.append(_line("training", [f"{millions(part[engine])} M/s" for engine in ENGINES], part))
    return "\n".join(lines)


def _line(name: str, sides: Sequence[str], part: dict[str, Any]) -> str:
    return f"{name:<18} {sides[0]:>9} {sides[1]:>9}  {ratio_text(part)}"
