"""Packed bits against an array of bytes: every operation on boards by itself, and whole training runs, in turn.

Both kinds of boards are compiled, and play the same games. The boards come from games that a network plays after some
training; each operation is repeated until it takes long enough to be timed, on the one and then on the other kind.
"""

from __future__ import annotations

import statistics
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.agents.kernels import built_for
from tdl.agents.player import Player
from tdl.agents.trainer import Trainer
from tdl.benchmarks.operations import OPERATIONS, Operations
from tdl.checks import check_whole
from tdl.game.engine import ENGINES, Stream
from tdl.game.lines import LineTables
from tdl.game.packing import unpack
from tdl.game.rules import Rules
from tdl.game.streams import EVALUATION
from tdl.network.ntuple import NTupleNetwork
from tdl.network.tuples import TupleSet
from tdl.runs import environment
from tdl.runs.progress import Progress
from tdl.statistics.intervals import ratio_range, ratio_text

GAMES = ("pow2", "fib")

SAMPLE = 1 << 14
"""Boards: so many that the rows among them are as varied as in play."""

BLOCK = 1000

SECONDS = 0.03
"""Of each measurement of an operation, at least."""


def compare(name: str, tuples: TupleSet, episodes: int, rounds: int) -> dict[str, Any]:
    """Nanoseconds of each operation and moves per second of training (forward), of bits and array, and their ratios.

    A ratio is speed of bits over speed of the array: above 1 bits are faster.

    Parameters
    ----------
    name : of the tuple set, for the report.
    tuples : the set.
    episodes : of each training run, from blank.
    rounds : how often the two take turns.

    Raises
    ------
    ConfigError : a number that is not allowed.
    """
    check_whole("--blank", episodes, 1)
    check_whole("--rounds", rounds, 1)
    figures: dict[str, Any] = {"tuples": name}
    progress = Progress("boards", len(GAMES) * rounds * (len(OPERATIONS) + 1))
    for game in GAMES:
        network = NTupleNetwork(Rules(game), tuples)
        network.weights.fill(0)  # touched before the clock runs
        train(network, "bits", episodes)
        made = sampled(network, SAMPLE)
        parts = {}
        for operation in OPERATIONS:
            parts[operation] = compare_operation(made, operation, rounds)
            progress.update(progress.done + rounds)
        speeds: dict[str, list[float]] = {engine: [] for engine in ENGINES}
        for _ in range(rounds):
            for engine in ENGINES:
                network.weights.fill(0)
                speeds[engine].append(train(network, engine, episodes))
            progress.update(progress.done + 1)
        whole = {engine: [round(speed) for speed in each] for engine, each in speeds.items()}
        figures[game] = {"operations": parts, "training": {**whole, **ratio_range(speeds["bits"], speeds["array"])}}
    progress.close()
    return figures | environment.describe(network.instructions)


def train(network: NTupleNetwork, engine: str, episodes: int) -> float:
    """Moves per second of the next `episodes` episodes."""
    trainer = Trainer(network, alpha=0.1, order="forward", engine=engine)
    start = time.perf_counter()
    for first in range(0, episodes, BLOCK):
        trainer.train(min(BLOCK, episodes - first))
    return trainer.moves / (time.perf_counter() - start)


def sampled(network: NTupleNetwork, n: int) -> dict[str, Operations]:
    """The operations of each engine on the same `n` boards of games that the network plays."""
    player, before, after, game = Player(network), list[int](), list[int](), 0
    while len(before) < n:
        stream = Stream(0, EVALUATION, game)
        board, game = player.engine.start(stream), game + 1
        while len(before) < n and (action := player.best(board)) is not None:
            before.append(board)
            after.append(player.engine.move(board, action)[0])
            board = player.engine.place(after[-1], stream)
    tables, kind, rules = LineTables(network.rules), operations(network), network.rules
    states, afterstates = _tiles(before, rules), _tiles(after, rules)
    return {engine: kind(network, tables, states, afterstates, engine) for engine in ENGINES}


def _tiles(boards: list[int], rules: Rules) -> NDArray[np.uint8]:
    return np.array([unpack(board, rules) for board in boards], np.uint8)


def compare_operation(made: dict[str, Operations], operation: str, rounds: int) -> dict[str, Any]:
    """Nanoseconds of an operation on a board, by engine, and the ratio of the speeds."""
    passes = 1
    while (seconds := _seconds(made["bits"], operation, passes)) < SECONDS:
        passes = max(2 * passes, int(1.2 * passes * SECONDS / seconds))
    spent: dict[str, list[float]] = {engine: [] for engine in ENGINES}
    for _ in range(rounds):
        for engine in ENGINES:
            spent[engine].append(_seconds(made[engine], operation, passes))
    times = {engine: [round(1e9 * s / (passes * SAMPLE), 4) for s in each] for engine, each in spent.items()}
    return {**times, **ratio_range(spent["array"], spent["bits"])}


def _seconds(made: Operations, operation: str, passes: int) -> float:
    start = time.perf_counter()
    made.run(operation, passes)
    return time.perf_counter() - start


def text(figures: dict[str, Any]) -> str:
    """The figures as tables, one for each game."""
    lines = [", ".join(str(figures[key]) for key in ("tuples", "instructions", "cpu"))]
    for game in GAMES:
        lines += [f"{game:<18} {'bits':>9} {'array':>9}  bits/array, speeds"]
        parts = figures[game]
        for operation, part in parts["operations"].items():
            bits, array = (f"{statistics.median(part[engine]):.2f} ns" for engine in ENGINES)
            lines.append(f"{operation:<18} {bits:>9} {array:>9}  {ratio_text(part)}")
        bits, array = (f"{statistics.median(parts['training'][engine]) / 1e6:.2f} M/s" for engine in ENGINES)
        lines.append(f"{'training':<18} {bits:>9} {array:>9}  {ratio_text(parts['training'])}")
    return "\n".join(lines)


def operations(network: NTupleNetwork) -> type[Operations]:
    """The `Operations` to use with a network."""
    return built_for(network, Operations)
