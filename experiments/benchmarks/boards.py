"""Boards as packed bits against boards as arrays of bytes: each operation by itself, and training, in turn."""

from collections.abc import Iterator
from functools import partial
from importlib import import_module
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from experiments.benchmarks.harness import Row, main, per_second
from experiments.benchmarks.operations import OPERATIONS, on_page, repeat
from tdl.benchmarks.train import train, tuples_of
from tdl.benchmarks.versus import in_turn
from tdl.game.boards import unpack
from tdl.game.engine import ENGINES, EVALUATION, Stream
from tdl.game.lines import LineTables
from tdl.game.rules import Rules
from tdl.network.ntuple import NTupleNetwork
from tdl.players.player import Player
from tdl.statistics.intervals import ratio_range
from tdl.training.threads import WIDE
from tdl.training.trainer import Trainer

GAMES = ("2048", "2584")

PASSES, SECONDS = 200, 0.03
"""Passes over all boards between two readings of the clock, and the least time of a measurement."""

Sides = dict[str, partial[int]]
"""For each engine `repeat` on the same boards; it wants an operation and the number of passes."""


def measure(tuples: str = "4x6", blank: int = 3_000, rounds: int = 7, boards: int = 16_384) -> Iterator[Row]:
    """Packed bits against an array of bytes, on boards of games that a network plays after some training.

    Nanoseconds of each operation on a board; at the end of each game moves per second of training, TD(0) forward. The
    ratio is the speed of bits over the speed of the array.

    tuples: a named tuple set, or its cells: [[0,1,2],[4,5,6]]
    blank: episodes of each training run, from blank
    rounds: turns of each
    boards: of the sample, whose rows are then as varied as in play
    """
    for game in GAMES:
        network = NTupleNetwork(Rules(game), tuples_of(tuples))
        training(network, blank, "bits")
        sides = sample(network, boards)
        for name in OPERATIONS:
            times = in_turn(ENGINES, rounds, partial(nanoseconds, sides, boards, name))
            ratio = ratio_range(times["array"], times["bits"])
            yield {"game": game, "operation": name, **times, "unit": "ns", "ratio": ratio}
        speeds = in_turn(ENGINES, rounds, partial(training, network, blank))
        ratio = ratio_range(*speeds.values())
        yield {"game": game, "operation": "training", **speeds, "unit": "moves/s", "ratio": ratio}


def training(network: NTupleNetwork, episodes: int, engine: str, turn: int = 0) -> float:
    """Moves per second of training from blank; the network keeps what it learns."""
    network.weights.fill(0)  # touched before the clock runs
    return train(Trainer(network, alpha=0.1, order="forward", engine=engine), episodes).speed


def nanoseconds(sides: Sides, boards: int, operation: str, engine: str, turn: int) -> float:
    """Of an operation on a board."""

    def work() -> int:
        sides[engine](operation, PASSES)
        return PASSES * boards

    return 1e9 / per_second(work, SECONDS)


def sample(network: NTupleNetwork, n: int) -> Sides:
    """Both engines on `n` boards of games that the network plays: those to move on, and those after the moves."""
    player, before, after, game = Player(network), list[int](), list[int](), 0
    while len(before) < n:
        stream = Stream(0, EVALUATION, game)
        board, game = player.engine.start(stream), game + 1
        while len(before) < n and (action := player.best(board)) is not None:
            before.append(board)
            after.append(player.engine.move(board, action)[0])
            board = player.engine.place(after[-1], stream)
    wide, run, rules = "experiments.benchmarks.operations_avx2", repeat, network.rules
    if network.instructions in WIDE and find_spec(wide):
        run = import_module(wide).repeat
    return {
        engine: partial(
            run, network, LineTables(rules), engine, packed(before, rules, engine), packed(after, rules, engine)
        )
        for engine in ENGINES
    }


def packed(boards: list[int], rules: Rules, engine: str) -> NDArray[np.uint8]:
    """The memory of boards as an engine has them."""
    if engine == "array":
        data = b"".join(bytes(unpack(board, rules)).ljust(32, b"\0") for board in boards)
    else:
        data = b"".join(board.to_bytes({4: 8, 5: 16}[rules.bits], "little") for board in boards)
    memory = on_page(len(data))
    memory[:] = np.frombuffer(data, np.uint8)
    return memory


if __name__ == "__main__":
    main(measure)
