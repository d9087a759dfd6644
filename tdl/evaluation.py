"""The games of an evaluation: who plays them, and how; what is shown of them meanwhile, and left in the end."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tdl.agents.trainer import evaluate
from tdl.network.ntuple import NTupleNetwork
from tdl.progress import Progress
from tdl.runfiles import save_records
from tdl.search.placing import Judge, Placing
from tdl.search.searching import Searching
from tdl.statistics import Records, summary

FILE = "evaluation.npy"


@dataclass(frozen=True)
class Evaluation:
    """A player, its opponent, and how their games are played.

    Attributes
    ----------
    network, gamma, target, expectation : the value function and how moves are chosen by it.
    searching : how far the player looks ahead.
    placing, judge : who puts the tiles, and by whose values (None: the player's own).
    seed : of the games.
    threads, lanes, engine : change the speed and nothing else.
    """

    network: NTupleNetwork
    gamma: float
    target: str
    expectation: str
    searching: Searching
    placing: Placing
    judge: Judge | None
    seed: int
    threads: int
    lanes: int | str
    engine: str

    def play(self, episodes: int, folder: Path, stop: Callable[[], None]) -> tuple[Records, dict[str, Any]]:
        """Play, and leave a row for each game in `folder/evaluation.npy`, in one step.

        Parameters
        ----------
        episodes : number of games.
        stop : called now and then; it raises to give the games up, and then nothing is left.

        Returns
        -------
        the games, and their figures: those of `summary`, `seconds` and `moves_per_second`.
        """
        progress = Progress("evaluate", 0, episodes)

        def between(finished: int, moves: int) -> None:
            progress.update(finished, moves)
            stop()

        start = time.perf_counter()
        try:
            records: Records = self._games(episodes, between)
            seconds = time.perf_counter() - start
            moves = int(records["moves"].sum())
            progress.update(episodes, moves, float(records["score"].mean()))
        finally:
            progress.close()
        stop()
        save_records(folder / FILE, records)
        return records, {
            **summary(records, self.network.rules),
            "seconds": seconds,
            "moves_per_second": round(moves / seconds),
        }

    def _games(self, episodes: int, between: Callable[[int, int], None]) -> Records:
        return evaluate(
            self.network,
            episodes,
            seed=self.seed,
            gamma=self.gamma,
            target=self.target,
            expectation=self.expectation,
            lanes=self.lanes,
            threads=self.threads,
            engine=self.engine,
            placing=self.placing,
            judge=self.judge,
            searching=self.searching,
            between=between,
        )
