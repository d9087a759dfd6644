"""The games of an evaluation: who plays them, and how; what is shown of them meanwhile, and left in the end."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from tdl.game.rules import Rules
from tdl.players.baselines import play_greedy, play_random
from tdl.players.batch_play import Policy, play_games
from tdl.players.lookahead import look_ahead, one_sampled_look_ahead
from tdl.players.player import Player
from tdl.runs.progress import Progress
from tdl.statistics.summary import score_bands, summary
from tdl.storage.records import Records, save_records
from tdl.storage.run_folder import EVALUATION
from tdl.training.options import OnProgress, PlayOptions

if TYPE_CHECKING:
    from tdl.dqn.dqn_player import DQNPlayer  # not loaded: it needs PyTorch


@dataclass(frozen=True)
class Evaluation:
    """A player and the games it plays."""

    rules: Rules
    seed: int
    instructions: str  # what the player computes with, for `result.json`
    banded: ClassVar[bool] = True
    """Whether the scores are also counted in bands of 1,000 points, as those of the deep Q-learner were published."""

    def play(self, episodes: int, folder: Path, stop: Callable[[], None]) -> tuple[Records, dict[str, Any]]:
        """Play, and leave a row for each game in `folder/evaluation.npy`, in one step; the games and their figures.

        `stop` is called now and then: it raises to give the games up, and then nothing is left.
        """
        progress = Progress("evaluate", episodes, "moves")

        def on_progress(finished: int, moves: int) -> None:
            progress.update(finished, moves)
            stop()

        start = time.perf_counter()
        with closing(progress):
            records: Records = self.games(episodes, on_progress)
            seconds = time.perf_counter() - start
            moves = int(records["moves"].sum())
            progress.update(episodes, moves, f"mean {records['score'].mean():,.0f}")
        stop()
        save_records(folder / EVALUATION, records)
        speed = {"seconds": seconds, "moves_per_second": round(moves / seconds)}
        bands = {"score_bands": {str(low): games for low, games in score_bands(records)}} if self.banded else {}
        return records, {**summary(records, self.rules), **speed, **bands}

    def games(self, episodes: int, on_progress: OnProgress) -> Records:
        """Play the games."""
        raise NotImplementedError


@dataclass(frozen=True)
class NetworkEvaluation(Evaluation):
    """Games of an n-tuple network, by its kernels."""

    banded: ClassVar[bool] = False  # there would be hundreds
    player: Player
    options: PlayOptions

    def games(self, episodes: int, on_progress: OnProgress) -> Records:
        """Play the games."""
        return self.player.evaluate(episodes, play=self.options, on_progress=on_progress)


@dataclass(frozen=True)
class PolicyEvaluation(Evaluation):
    """Games of a policy, many boards at once."""

    policy: Policy

    def games(self, episodes: int, on_progress: OnProgress) -> Records:
        """Play the games."""
        return play_games(self.policy, episodes, self.seed, on_progress=on_progress)


@dataclass(frozen=True)
class SimpleEvaluation(Evaluation):
    """Games without values."""

    kind: str  # one of `SIMPLE`
    engine: str

    def games(self, episodes: int, on_progress: OnProgress) -> Records:
        """Play the games."""
        return SIMPLE[self.kind](self.rules, episodes, seed=self.seed, engine=self.engine)


SIMPLE = {"random": play_random, "greedy": play_greedy}
"""Games of agents without values, by the agent's kind."""


def network_evaluation(player: Player, drops: str, options: PlayOptions) -> Evaluation:
    """Games of an n-tuple network; where it looks ahead over "one" drop, of the options only the seed counts."""
    rules, instructions = player.network.rules, player.network.instructions
    if drops == "one":
        return PolicyEvaluation(rules, options.seed, instructions, one_sampled_look_ahead(player, options.seed))
    return NetworkEvaluation(rules, options.seed, instructions, player, options)


def looking_ahead(player: DQNPlayer, plies: int, drops: str, seed: int) -> Policy:
    """The policy of a deep network that looks `plies` moves ahead, over all drops or over "one" that is sampled."""
    if drops == "one":
        return one_sampled_look_ahead(player, seed)
    return player if plies == 1 else look_ahead(player, plies)
