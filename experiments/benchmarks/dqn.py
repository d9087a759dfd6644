"""The deep Q-learner: games one at a time against many at once, and an iteration against the published program's."""

import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from experiments.benchmarks.harness import Row, main, per_second
from tdl.benchmarks.versus import in_turn
from tdl.config.agent import dqn_choices
from tdl.dqn.dqn_trainer import DQNTrainer
from tdl.dqn.networks import Network
from tdl.dqn.pytorch import instructions, torch
from tdl.game.engine import Engine
from tdl.game.rules import Rules
from tdl.players.batch_play import BatchPlayer, Moves, play_games
from tdl.statistics.intervals import ratio_range

RULES = Rules(drop=((1, 0.8), (2, 0.2)), start=(1, 1))
"""Those of the published program."""

PUBLISHED_ITERATION = 180.0
"""Seconds: the published program took 30 minutes for 10 iterations, on a machine that is not named."""

BOARDS = 128


def measure(games: int = 5, threads: int = 1, precision: str = "float32", rounds: int = 5) -> Iterator[Row]:
    """An iteration of the published learner, the first one that fits, and then both ways to play in turn.

    The iteration has its games, the fit, and the game that is logged. Moves per second of 128 boards at once (many)
    and of one action of one board at a time (one), as the published program plays; above 1 many are faster.

    games: one at a time in each turn; 40 times as many at once
    threads: of PyTorch
    precision: of the updates, float32 or bfloat16
    rounds: turns of each
    """
    choices = replace(dqn_choices("dqn"), precision=precision)
    trainer, updates = DQNTrainer(RULES, choices, threads=threads), 0
    while not updates:
        start, moves = time.perf_counter(), trainer.moves
        trainer.train(choices.games)
        seconds, updates = time.perf_counter() - start, trainer.learner.updates
    iteration = {"iteration": seconds, "of published": PUBLISHED_ITERATION / seconds, "moves": trainer.moves - moves}
    sides: dict[str, tuple[BatchPlayer, int, int]] = {
        "many": (trainer.player, 40 * games, BOARDS),
        "one": (OneByOne(trainer.learner.network, RULES), games, 1),
    }

    def speed(side: str, turn: int) -> float:
        player, number, boards = sides[side]
        return per_second(lambda: int(play_games(player, number, turn, boards=boards)["moves"].sum()))

    speeds = in_turn(sides, rounds, speed)
    ratio = ratio_range(*speeds.values())
    yield {**iteration, "updates": updates, **speeds, "ratio": ratio, "instructions": instructions("cpu")}


class OneByOne(BatchPlayer):
    """Plays as the published program does: the network is asked for one action of one board at a time."""

    def __init__(self, network: Network, rules: Rules) -> None:
        self.network, self.engine = network, Engine(rules)

    @torch.no_grad()
    def q(self, moves: Moves) -> NDArray[np.float64]:
        """The values of the legal actions on each board."""
        values = np.full(moves.legal.shape, np.nan)
        for row, action in zip(*np.nonzero(moves.legal), strict=True):
            tiles = torch.from_numpy(moves.tiles[row : row + 1])
            values[row, action] = float(self.network(tiles, torch.tensor([int(action)])))
        return values


if __name__ == "__main__":
    main(measure)
