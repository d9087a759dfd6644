"""The games of an evaluation: who plays them, and how; what is shown of them meanwhile, and left in the end."""

import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tdl.cuda.device import CUDA
from tdl.players.batch_play import one_sampled_look_ahead
from tdl.players.cuda_games import check_player
from tdl.players.kinds import Agent
from tdl.players.player import Player
from tdl.runs.progress import Progress
from tdl.search.options import SearchOptions
from tdl.statistics.summary import score_bands, summary
from tdl.storage.records import Records, save_records
from tdl.storage.run_folder import EVALUATION
from tdl.training.options import PlayOptions


@dataclass(frozen=True)
class Evaluation:
    """An agent, and how it plays."""

    agent: Agent
    options: PlayOptions

    @property
    def instructions(self) -> str:
        """What computes: the CPU's instructions, or the name of a graphics card, which has to be there."""
        if self.options.device == CUDA and isinstance(self.agent, Player):
            return check_player(self.agent).name
        return self.agent.instructions

    def play(self, episodes: int, folder: Path, stop: Callable[[], None]) -> tuple[Records, dict[str, Any]]:
        """Play, and leave a row for each game in `folder/evaluation.npy`, in one step; as `games`."""
        records, figures = self.games(episodes, stop)
        stop()
        save_records(folder / EVALUATION, records)
        return records, figures

    def games(self, episodes: int, stop: Callable[[], None]) -> tuple[Records, dict[str, Any]]:
        """Play: the games and their figures.

        `stop` is called now and then: it raises to give the games up, or `Enough` to have those so far.
        """
        progress = Progress("evaluate", episodes, "moves")

        def on_progress(finished: int, moves: int) -> None:
            progress.update(finished, moves)
            stop()

        start = time.perf_counter()
        with closing(progress):
            records = self.agent.evaluate(episodes, play=self.options, on_progress=on_progress)
            seconds = time.perf_counter() - start
            moves = int(records["moves"].sum())
            if len(records):
                progress.update(len(records), moves, f"mean {records['score'].mean():,.0f}")
        figures = summary(records, self.agent.rules)
        figures |= {"seconds": seconds, "moves_per_second": round(moves / seconds)}
        if self.agent.banded:
            figures["score_bands"] = {str(low): games for low, games in score_bands(records)}
        return records, figures


def evaluation_of(agent: Agent, options: PlayOptions, drops: str) -> Evaluation:
    """Games of an agent; where it looks ahead over "one" drop that is sampled, no search of its own counts."""
    if drops == "one":
        return Evaluation(one_sampled_look_ahead(agent, options.seed), replace(options, search=SearchOptions()))
    return Evaluation(agent, options)
