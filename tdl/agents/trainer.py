"""Training and evaluating a network, block by block."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tdl.agents.kernels import kernel
from tdl.agents.selfplay import MAX_LANES, SelfPlay
from tdl.checks import check_above_zero, check_choice, check_share, check_whole
from tdl.errors import refuse
from tdl.game.lines import LineTables
from tdl.game.reference import EVALUATION, TRAINING
from tdl.network.memory import allocate
from tdl.network.ntuple import NTupleNetwork

MAX_ALPHA = 10.0
"""Above 2 a single entry diverges; experiments with divergence need somewhat more."""

FEW_FEATURES = 48
"""Between 4x6 (32 features: 3 lanes 1.07 times the speed of 2) and 8x6 (64: 2 lanes 1.05 times that of 3)."""

ORDERS = ("backward", "forward")

STEPS = ("fixed", "coherent")

SUMS = "sums"
"""Name of temporal coherence's E and A in a checkpoint."""

SLICE = 1 << 19
"""Moves between two looks at the clock, the keyboard and the progress bar: some tenths of a second."""

Between = Callable[[int, int], None]
"""Called now and then while a block is played: (episodes finished, moves played). May raise to give the block up."""


def lane_count(lanes: int | str, features: int) -> int:
    """The number of lanes that `lanes` (a number or "auto") asks for.

    "auto" is the fastest number on the machines measured (docs/speed.md): 3, and 2 where the entries that a lane asks
    for fill a cache by themselves. It depends on the configuration alone, which so gives the same run everywhere.

    Raises
    ------
    ConfigError : anything else.
    """
    if lanes == "auto":
        return 3 if features <= FEW_FEATURES else 2
    if isinstance(lanes, bool) or not isinstance(lanes, int) or not 1 <= lanes <= MAX_LANES:
        raise refuse("lanes", lanes, f"auto or a whole number from 1 to {MAX_LANES}")
    return lanes


class Trainer:
    """TD(lambda)-afterstate learning by self-play.

    Parameters
    ----------
    network : `NTupleNetwork` that plays and learns, in place.
    alpha : total step size, above 0; each of the m active entries moves by alpha / m times the error.
    order : "backward" (after each game, last afterstate first) or "forward" (after each move).
    step : "fixed", or "coherent": temporal coherence, each entry's own share of alpha by how steadily its errors point
        one way. It keeps two more numbers for each entry.
    td_lambda : 0 to 1, the share of the rest of the game in each target (1: Monte Carlo) against that of the next
        afterstate's value. Backward order only.
    gamma : discount of the next value, 0 to 1.
    seed : of the random stream; episode k of a seed always meets the same drops.
    lanes : games played in turn by the one thread; 1 is the textbook algorithm move for move.
    episode : number of the next episode (not 0 when training is continued).

    Attributes
    ----------
    episode, moves : episodes and moves played so far.
    mean_abs_error : of the last block, in points.
    memory : what the learner keeps beside the weights, arrays by name; checkpoints hold them.

    Raises
    ------
    ConfigError : a parameter out of its range.
    """

    def __init__(
        self,
        network: NTupleNetwork,
        *,
        alpha: float,
        order: str = "backward",
        step: str = "fixed",
        td_lambda: float = 0.0,
        gamma: float = 1.0,
        seed: int = 0,
        lanes: int | str = "auto",
        episode: int = 0,
    ) -> None:
        check_choice("order", order, ORDERS)
        check_choice("step", step, STEPS)
        check_above_zero("alpha", alpha, MAX_ALPHA)
        check_share("td_lambda", td_lambda)
        check_share("gamma", gamma)
        check_whole("seed", seed, 0)
        check_whole("episode", episode, 0)
        self.network = network
        self.episode = episode
        self.moves = 0
        self.mean_abs_error = float("nan")
        self.memory: dict[str, NDArray[np.float32]] = {}
        if step == "coherent":
            entries = len(network.weights)
            sums = allocate("step", 2 * entries, f"temporal coherence's {2 * entries:,} sums")
            self.memory[SUMS] = sums.reshape(entries, 2)
        self._play = kernel(network)(
            network,
            LineTables(network.rules),
            order=order,
            alpha=alpha,
            gamma=gamma,
            td_lambda=td_lambda,
            sums=self.memory.get(SUMS),
            seed=seed,
            role=TRAINING,
            lanes=lane_count(lanes, network.m),
        )

    def train(self, episodes: int, between: Between | None = None) -> NDArray[np.void]:
        """Play and learn a block: the next `episodes` episodes.

        Returns
        -------
        structured array of dtype `tdl.agents.records.RECORD`, shape (episodes,): episode, score, moves, max_tile.

        Raises
        ------
        DivergenceError : a value is not finite or beyond all bounds; the network is not to be used further.
        """
        records = _play_block(self._play, self.episode, episodes, between)
        self.episode += episodes
        self.moves += self._play.moves
        self.mean_abs_error = self._play.mean_abs_error
        return records


def evaluate(
    network: NTupleNetwork,
    episodes: int,
    *,
    seed: int = 0,
    gamma: float = 1.0,
    lanes: int | str = "auto",
    between: Between | None = None,
) -> NDArray[np.void]:
    """Play greedy games without learning (1-ply: argmax of reward + gamma * V).

    The games draw from a stream of their own: evaluating never changes training, and game k of a seed meets the same
    drops whatever the number of lanes.

    Returns
    -------
    structured array of dtype `tdl.agents.records.RECORD`, shape (episodes,).

    Raises
    ------
    ConfigError : a parameter out of its range.
    DivergenceError : the network's values are not finite or beyond all bounds.
    """
    check_share("gamma", gamma)
    check_whole("seed", seed, 0)
    play = kernel(network)(
        network,
        LineTables(network.rules),
        order="none",
        gamma=gamma,
        seed=seed,
        role=EVALUATION,
        lanes=lane_count(lanes, network.m),
    )
    return _play_block(play, 0, episodes, between)


def _play_block(play: SelfPlay, first: int, episodes: int, between: Between | None) -> NDArray[np.void]:
    check_whole("episodes", episodes, 0)
    play.begin(first, episodes)
    while not play.advance(SLICE):
        if between:
            between(play.finished, play.moves)
    return play.records
