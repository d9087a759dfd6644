"""Training and evaluating a network, block by block."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.agents.kernels import kernel
from tdl.agents.selfplay import MAX_LANES, SelfPlay
from tdl.checks import check_choice, check_whole
from tdl.errors import refuse
from tdl.game.engine import ENGINES
from tdl.game.lines import LineTables
from tdl.game.streams import EVALUATION, TRAINING
from tdl.learning.options import LearnerOptions
from tdl.learning.schedule import Schedule
from tdl.learning.state import DROP_TABLE, Array, drop_table_of, new_memory, shares_drops
from tdl.network.ntuple import NTupleNetwork
from tdl.search.options import Evaluator, PlacerOptions, SearchOptions

FEW_FEATURES = 48
"""Between 4x6 (32 features: 3 lanes 1.07 times the speed of 2) and 8x6 (64: 2 lanes 1.05 times that of 3)."""

MAX_THREADS = 256

SLICE = 1 << 19
"""Moves between two looks at the clock, the keyboard and the progress bar, without search: some tenths of a second."""

PLY = 32
"""By so much fewer for each further ply of a search."""

Between = Callable[[int, int], None]
"""Called now and then while a block is played: (episodes finished, moves played). May raise to give the block up."""


def lane_count(lanes: int | str, features: int) -> int:
    """The number of lanes that `lanes` (a number or "auto") asks for.

    "auto" is the fastest number on the machines measured (docs/performance.md): 3, and 2 where the entries that a lane
    asks for fill a cache by themselves. It depends on the configuration alone, which so gives the same run everywhere.

    Raises
    ------
    ConfigError : anything else.
    """
    if lanes == "auto":
        return 3 if features <= FEW_FEATURES else 2
    if isinstance(lanes, bool) or not isinstance(lanes, int) or not 1 <= lanes <= MAX_LANES:
        raise refuse("lanes", lanes, f"auto or a whole number from 1 to {MAX_LANES}")
    return lanes


def check_threads(threads: object) -> None:
    """Refuse anything but a number of threads."""
    check_whole("threads", threads, 1, MAX_THREADS + 1)


class Trainer:
    """TD learning by self-play.

    Parameters
    ----------
    network : `NTupleNetwork` that plays and learns, in place.
    alpha : step size, above 0: total, or of one entry, by `alpha_per`.
    step : "fixed", or "coherent": temporal coherence, each entry's own share of alpha by how steadily its errors point
        one way. It keeps two more numbers for each entry.
    schedule, fixed_share, fixed_alpha, episodes : of the step size, see `Schedule` (`form` there is `schedule` here).
    seed : of the random stream; episode k of a seed always meets the same drops.
    lanes : games played in turn by one thread; 1 is the textbook algorithm move for move.
    threads : threads that play and learn at once, without locks. With one the result is the same bit for bit, always
        and everywhere; with more it is not.
    engine : what boards are while they are played with, "bits" or "array" (a byte a cell). Both play the same games.
    placing : `PlacerOptions`, who puts the tiles; None: the drop law.
    judge : the `Player` whose values an adversary goes by; None: those of `network` as they are learned.
    searching : `SearchOptions`, how the player looks ahead before it chooses; None: it is greedy. The target keeps its
        form: search only changes the choice.
    episode : number of the next episode (not 0 when training is continued).
    choices : those of `LearnerOptions`: order, target, td_lambda, n_step, gamma, epsilon, start ...

    Attributes
    ----------
    episode, moves : episodes and moves played so far.
    mean_abs_error : of the last block, in points.
    memory : what the learner keeps beside the weights, arrays by name; checkpoints hold them.
    judge : as given.

    Raises
    ------
    ConfigError : a parameter out of its range, or choices that exclude each other.
    """

    def __init__(
        self,
        network: NTupleNetwork,
        *,
        alpha: float,
        step: str = "fixed",
        schedule: Any = None,
        fixed_share: float = 0.0,
        fixed_alpha: float = 0.1,
        episodes: int | None = None,
        seed: int = 0,
        lanes: int | str = "auto",
        threads: int = 1,
        engine: str = "bits",
        placing: PlacerOptions | None = None,
        judge: Evaluator | None = None,
        searching: SearchOptions | None = None,
        episode: int = 0,
        **choices: Any,
    ) -> None:
        learning = LearnerOptions(step=step, **choices)
        learning.check(stages=network.stages.count, extras=network.extras)
        self.schedule = Schedule(alpha, step, schedule, episodes, fixed_share, fixed_alpha)
        check_whole("seed", seed, 0)
        check_whole("episode", episode, 0)
        check_threads(threads)
        self.network = network
        self.episode = episode
        self.moves = 0
        self.mean_abs_error = float("nan")
        self.judge = judge
        self._slice = _slice(searching)
        check_choice("engine", engine, ENGINES)
        self.memory = new_memory(network, learning, engine)
        tables, kind = LineTables(network.rules), kernel(network)
        options: dict[str, Any] = {**asdict(learning), "seed": seed, "lanes": lane_count(lanes, network.m)}
        options |= {"engine": engine, "placing": placing, "judge": judge, "searching": searching}
        self._plays = [
            kind(network, tables, alpha=alpha, memory=self.memory, role=TRAINING, **options) for _ in range(threads)
        ]

    def train(self, episodes: int, between: Between | None = None) -> NDArray[np.void]:
        """Play and learn a block: the next `episodes` episodes.

        Returns
        -------
        structured array of dtype `tdl.storage.records.RECORD`, shape (episodes,): episode, score, moves, max_tile.

        Raises
        ------
        DivergenceError : a value is not finite or beyond all bounds; the network is not to be used further.
        """
        for play in self._plays:
            play.set_step(*self.schedule.at(self.episode))
        records = _play_block(self._plays, self.episode, episodes, between, self._slice)
        self.episode += episodes
        self.moves += sum(play.moves for play in self._plays)
        total, number = (sum(parts) for parts in zip(*(play.errors for play in self._plays), strict=True))
        self.mean_abs_error = total / number if number else float("nan")
        return records


def evaluate(
    network: NTupleNetwork,
    episodes: int,
    *,
    seed: int = 0,
    gamma: float = 1.0,
    target: str = "afterstate",
    expectation: str = "auto",
    lanes: int | str = "auto",
    threads: int = 1,
    engine: str = "bits",
    placing: PlacerOptions | None = None,
    judge: Evaluator | None = None,
    searching: SearchOptions | None = None,
    between: Between | None = None,
) -> NDArray[np.void]:
    """Play games without learning, greedily (argmax of reward + gamma * V, or of the expectation of V) or by a search.

    The games draw from a stream of their own: evaluating never changes training, and game k of a seed meets the same
    drops whatever the number of lanes and threads.

    Parameters
    ----------
    target : what the network was trained to value, "afterstate" or "state".
    engine, placing, judge, searching : as those of `Trainer`.

    Returns
    -------
    structured array of dtype `tdl.storage.records.RECORD`, shape (episodes,).

    Raises
    ------
    ConfigError : a parameter out of its range.
    DivergenceError : the network's values are not finite or beyond all bounds.
    """
    check_whole("seed", seed, 0)
    check_threads(threads)
    choices: dict[str, Any] = {"gamma": gamma, "target": target, "expectation": expectation}
    memory: Mapping[str, Array] = {}
    if shares_drops(network, LearnerOptions(**choices)):
        memory = {DROP_TABLE: drop_table_of(network)}
    tables, kind, count = LineTables(network.rules), kernel(network), lane_count(lanes, network.m)
    plays = [
        kind(
            network,
            tables,
            order="none",
            memory=memory,
            seed=seed,
            role=EVALUATION,
            lanes=count,
            engine=engine,
            placing=placing,
            judge=judge,
            searching=searching,
            **choices,
        )
        for _ in range(threads)
    ]
    return _play_block(plays, 0, episodes, between, _slice(searching))


def _slice(searching: SearchOptions | None) -> int:
    """Moves between two looks."""
    if searching is None:
        return SLICE
    return 1 if searching.seconds is not None else max(1, SLICE // PLY ** (searching.deepest - 1))


def _play_block(
    plays: list[SelfPlay], first: int, episodes: int, between: Between | None, moves: int
) -> NDArray[np.void]:
    """Play a block with a thread for each of `plays`; the first is the caller's, which looks up every `moves`."""
    check_whole("episodes", episodes, 0)
    leader = plays[0]
    leader.begin(first, episodes)
    helpers = [_Helper(play, leader, first, episodes, moves) for play in plays[1:]]
    try:
        while not leader.advance(moves):
            if between:
                between(sum(play.finished for play in plays), sum(play.moves for play in plays))
    except BaseException:
        for helper in helpers:
            helper.given_up = True
        raise
    finally:
        for helper in helpers:
            helper.join()
    for helper in helpers:
        if helper.error is not None:
            raise helper.error
    return leader.records


class _Helper(threading.Thread):
    """Another thread of a block: it takes the next episode of the same block until none is left."""

    def __init__(self, play: SelfPlay, leader: SelfPlay, first: int, episodes: int, moves: int) -> None:
        super().__init__(daemon=True)
        self.play, self.moves, self.given_up = play, moves, False
        self.error: BaseException | None = None
        play.begin(first, episodes, leader)
        self.start()

    def run(self) -> None:
        try:
            while not self.given_up and not self.play.advance(self.moves):
                pass
        except BaseException as error:
            self.error = error
