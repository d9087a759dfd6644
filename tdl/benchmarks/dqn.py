"""The deep Q-learner: games one at a time against many at once, and an iteration against the published program's."""

import time
from argparse import ArgumentParser, Namespace
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.agents.batch_moves import Moves, best_of
from tdl.agents.batch_play import play_games
from tdl.benchmarks.paired import in_turn, per_second, progress
from tdl.benchmarks.registry import Report
from tdl.checks import check_choice, check_whole
from tdl.config.agent import dqn_choices
from tdl.dqn.networks import Network
from tdl.dqn.options import CUDA, DEVICES, PRECISIONS, DQNOptions
from tdl.dqn.player import DQNPlayer
from tdl.dqn.pytorch import instructions, torch
from tdl.dqn.trainer import DQNTrainer
from tdl.game.rules import Rules
from tdl.runs import environment
from tdl.statistics.intervals import ratio_range, ratio_text

RULES = Rules(drop=((1, 0.8), (2, 0.2)), start=(1, 1))
"""Those of the published program."""

PUBLISHED_ITERATION = 180.0
"""Seconds: the published program took 30 minutes for 10 iterations, on a machine that is not named."""

BOARDS = 128


class OneByOne:
    """Plays as the published program does: the network is asked for one action of one board at a time."""

    def __init__(self, network: Network, rules: Rules) -> None:
        self.network, self.rules = network, rules

    @torch.no_grad()
    def select_actions(self, moves: Moves) -> NDArray[np.int64]:
        """The legal action of the largest value on each board."""
        values = np.full(moves.legal.shape, np.nan)
        for row, action in zip(*np.nonzero(moves.legal), strict=True):
            tiles = torch.from_numpy(moves.tiles[row : row + 1]).to(self.network.table.device)
            values[row, action] = float(self.network(tiles, torch.tensor([int(action)], device=tiles.device)))
        return best_of(values)


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--games", type=int, default=5, help="one at a time in each turn (5)")
    parser.add_argument("--threads", type=int, default=1, help="of PyTorch (1)")
    parser.add_argument("--precision", default="float32", help="of the updates: float32 or bfloat16 (float32)")
    parser.add_argument("--device", default="cpu", help="cpu or cuda (cpu)")
    parser.add_argument("--rounds", type=int, default=5, help="turns of each (5)")


def measure(options: Namespace) -> Report:
    """One iteration of the published learner, the first that fits, and then both ways to play in turn."""
    for key in ("rounds", "games", "threads"):
        check_whole(f"--{key}", getattr(options, key), 1)
    check_choice("--precision", options.precision, PRECISIONS)
    check_choice("--device", options.device, DEVICES)
    choices = replace(dqn_choices("dqn"), precision=options.precision)
    trainer = DQNTrainer(RULES, choices, threads=options.threads, device=options.device)
    with progress("iterate", 1) as advance:
        iteration = _iteration(trainer, choices)
        advance()
    one, games = OneByOne(trainer.learner.network, RULES), options.games

    def speed(side: str, turn: int) -> float:
        if side == "one":
            return per_second(lambda: _moves(one, games, 1, turn))
        return per_second(lambda: _moves(trainer.player, 40 * games, BOARDS, turn))

    with progress("play", options.rounds) as advance:
        speeds = in_turn(("one", "many"), options.rounds, speed, advance)
    figures = {
        **environment.describe(instructions(options.device)),
        "threads": options.threads,
        "precision": options.precision,
        "moves_per_second": {name: float(np.median(side)) for name, side in speeds.items()},
        "playing": ratio_range(speeds["many"], speeds["one"]),
        "iteration": iteration,
        "of_published": PUBLISHED_ITERATION / iteration["seconds"],
    }
    return Report(figures, text(figures))


def _iteration(trainer: DQNTrainer, choices: DQNOptions) -> dict[str, float]:
    """The first iteration that ends with a fit: its games, the fit, and the game that is logged.

    The second such iteration on a graphics card, where the first one records what is repeated.
    """
    fits = 2 if trainer.learner.device == CUDA else 1
    while fits:
        start, moves, updates = time.perf_counter(), trainer.moves, trainer.learner.updates
        trainer.train(choices.games)
        seconds, made = time.perf_counter() - start, trainer.learner.updates - updates
        fits -= made > 0
    return {"seconds": seconds, "moves": trainer.moves - moves, "updates": made}


def _moves(player: OneByOne | DQNPlayer, games: int, boards: int, seed: int) -> int:
    return int(play_games(player, games, seed, boards=boards)["moves"].sum())


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
