"""Speed of the deep Q-learner: its games one at a time against many at once, and a whole iteration."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.agents.batch_moves import Moves, best_of
from tdl.agents.batch_play import play_games
from tdl.checks import check_choice, check_whole
from tdl.config.agent import dqn_choices
from tdl.dqn.networks import Network
from tdl.dqn.options import PRECISIONS, DQNOptions
from tdl.dqn.player import DQNPlayer
from tdl.dqn.pytorch import instructions, torch
from tdl.dqn.trainer import DQNTrainer
from tdl.game.rules import Rules
from tdl.runs import environment
from tdl.runs.progress import Progress
from tdl.statistics.intervals import ratio_range, ratio_text

RULES = Rules(drop=((1, 0.8), (2, 0.2)), start=(1, 1))
"""Those of the published program."""

PUBLISHED_ITERATION = 180.0
"""Seconds: the published program took 30 minutes for 10 iterations, on a machine that is not named."""

BOARDS = 128


class OneByOne:
    """Plays as the published program does: the network is asked for one action of one board at a time.

    Parameters
    ----------
    network : of values of actions.
    rules : of the game.
    """

    def __init__(self, network: Network, rules: Rules) -> None:
        self.network, self.rules = network, rules

    @torch.no_grad()
    def select_actions(self, moves: Moves) -> NDArray[np.int64]:
        """The legal action of the largest value on each board."""
        values = np.full(moves.legal.shape, np.nan)
        for row, action in zip(*np.nonzero(moves.legal), strict=True):
            tiles, given = torch.from_numpy(moves.tiles[row : row + 1]), torch.tensor([int(action)])
            values[row, action] = float(self.network(tiles, given))
        return best_of(values)


def measure(rounds: int, games: int, threads: int, precision: str) -> dict[str, Any]:
    """Playing in turn, then one iteration of the published learner from the first that fits.

    Parameters
    ----------
    rounds : turns of each way to play.
    games : played one at a time in each turn; at once 40 times as many are.
    threads : PyTorch's.
    precision : of the updates.
    """
    for key, value in (("--rounds", rounds), ("--games", games), ("--threads", threads)):
        check_whole(key, value, 1)
    check_choice("--precision", precision, PRECISIONS)
    choices = replace(dqn_choices("dqn"), precision=precision)
    trainer = DQNTrainer(RULES, choices, threads=threads)
    progress = Progress("iterate", 1)
    iteration = _iteration(trainer, choices)
    progress.close()
    one, many = OneByOne(trainer.learner.network, RULES), trainer.player
    speeds: dict[str, list[float]] = {"one": [], "many": []}
    progress = Progress("play", rounds)
    for turn in range(rounds):
        speeds["one"].append(_speed(one, games, 1, turn))
        speeds["many"].append(_speed(many, 40 * games, BOARDS, turn))
        progress.update(turn + 1)
    progress.close()
    return {
        **environment.describe(instructions("cpu")),
        "threads": threads,
        "precision": precision,
        "moves_per_second": {name: float(np.median(each)) for name, each in speeds.items()},
        "playing": ratio_range(speeds["many"], speeds["one"]),
        "iteration": iteration,
        "of_published": PUBLISHED_ITERATION / iteration["seconds"],
    }


def _iteration(trainer: DQNTrainer, choices: DQNOptions) -> dict[str, float]:
    """The first iteration that ends with a fit: its games, the fit, and the game that is logged."""
    while not len(trainer.logged):
        start, moves = time.perf_counter(), trainer.moves
        trainer.train(choices.games)
    return {"seconds": time.perf_counter() - start, "moves": trainer.moves - moves, "updates": trainer.learner.updates}


def _speed(player: OneByOne | DQNPlayer, games: int, boards: int, seed: int) -> float:
    start = time.perf_counter()
    moves = int(play_games(player, games, seed, boards=boards)["moves"].sum())
    return moves / (time.perf_counter() - start)


def text(figures: dict[str, Any]) -> str:
    """The figures for people."""
    speed, iteration = figures["moves_per_second"], figures["iteration"]
    return "\n".join(
        [
            f"the published deep Q-learner, {figures['precision']}, {figures['threads']} threads, "
            f"torch {figures['versions']['torch']} {figures['instructions']}, {figures['cpu']}",
            f"{'one by one':>12}: {speed['one']:10,.0f} moves/s, one action of one board at a time",
            f"{BOARDS:>5} boards: {speed['many']:10,.0f} moves/s, {ratio_text(figures['playing'])}",
            f"{'iteration':>12}: {iteration['seconds']:10.1f} s ({iteration['moves']:,} moves, "
            f"{iteration['updates']:,} updates); published {PUBLISHED_ITERATION:.0f} s: {figures['of_published']:.1f}",
        ]
    )
