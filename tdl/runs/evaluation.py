"""The games of an evaluation: who plays them, and how; what is shown of them meanwhile, and left in the end."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from tdl.agents.baselines import play_greedy, play_random
from tdl.agents.batch_play import Policy, play_games
from tdl.agents.lookahead import look_ahead, one_sampled_look_ahead
from tdl.agents.player import Player
from tdl.agents.trainer import evaluate
from tdl.game.rules import Rules
from tdl.runs.progress import Progress
from tdl.search.options import Evaluator, PlacerOptions, SearchOptions
from tdl.statistics.summary import score_bands, summary
from tdl.storage.records import Records, save_records
from tdl.storage.run_folder import EVALUATION

if TYPE_CHECKING:
    from tdl.dqn.player import DQNPlayer  # not loaded: it needs PyTorch

Between = Callable[[int, int], None]


@dataclass(frozen=True)
class Evaluation:
    """A player and the games it plays.

    Attributes
    ----------
    rules : of the games.
    seed : of the games.
    instructions : what the player computes with, for `result.json`.
    """

    rules: Rules
    seed: int
    instructions: str
    banded: ClassVar[bool] = True
    """Whether the scores are also counted in bands of 1,000 points, as those of the deep Q-learner were published."""

    def play(self, episodes: int, folder: Path, stop: Callable[[], None]) -> tuple[Records, dict[str, Any]]:
        """Play, and leave a row for each game in `folder/evaluation.npy`, in one step.

        Parameters
        ----------
        episodes : number of games.
        stop : called now and then; it raises to give the games up, and then nothing is left.

        Returns
        -------
        the games, and their figures: those of `summary`, `seconds`, `moves_per_second`, and for some `score_bands`.
        """
        progress = Progress("evaluate", episodes, "moves")

        def between(finished: int, moves: int) -> None:
            progress.update(finished, moves)
            stop()

        start = time.perf_counter()
        try:
            records: Records = self.games(episodes, between)
            seconds = time.perf_counter() - start
            moves = int(records["moves"].sum())
            progress.update(episodes, moves, f"mean {records['score'].mean():,.0f}")
        finally:
            progress.close()
        stop()
        save_records(folder / EVALUATION, records)
        speed = {"seconds": seconds, "moves_per_second": round(moves / seconds)}
        bands = {"score_bands": {str(low): games for low, games in score_bands(records)}} if self.banded else {}
        return records, {**summary(records, self.rules), **speed, **bands}

    def games(self, episodes: int, between: Between) -> Records:
        """Play the games."""
        raise NotImplementedError


@dataclass(frozen=True)
class NetworkEvaluation(Evaluation):
    """Games of an n-tuple network, by its kernels.

    Attributes
    ----------
    player, expectation : the value function and how moves are chosen by it.
    searching : how far the player looks ahead.
    placing, judge : who puts the tiles, and by whose values (None: the player's own).
    threads, lanes, engine : change the speed and nothing else.
    """

    banded: ClassVar[bool] = False  # there would be hundreds
    player: Player
    expectation: str
    searching: SearchOptions
    placing: PlacerOptions
    judge: Evaluator | None
    threads: int
    lanes: int | str
    engine: str

    def games(self, episodes: int, between: Between) -> Records:
        """Play the games."""
        return evaluate(
            self.player.network,
            episodes,
            seed=self.seed,
            gamma=self.player.gamma,
            target=self.player.target,
            expectation=self.expectation,
            lanes=self.lanes,
            threads=self.threads,
            engine=self.engine,
            placing=self.placing,
            judge=self.judge,
            searching=self.searching,
            between=between,
        )


@dataclass(frozen=True)
class PolicyEvaluation(Evaluation):
    """Games of whoever chooses moves on many boards at once.

    Attributes
    ----------
    policy : who plays.
    """

    policy: Policy

    def games(self, episodes: int, between: Between) -> Records:
        """Play the games."""
        return play_games(self.policy, episodes, self.seed, between=between)


@dataclass(frozen=True)
class SimpleEvaluation(Evaluation):
    """Games without values.

    Attributes
    ----------
    kind : one of `SIMPLE`.
    engine : changes the speed and nothing else.
    """

    kind: str
    engine: str

    def games(self, episodes: int, between: Between) -> Records:
        """Play the games."""
        return SIMPLE[self.kind](self.rules, episodes, seed=self.seed, engine=self.engine)


SIMPLE = {"random": play_random, "greedy": play_greedy}
"""Games of agents without values, by the agent's kind."""


def network_evaluation(player: Player, drops: str, *, seed: int, **how: Any) -> Evaluation:
    """Games of an n-tuple network.

    Parameters
    ----------
    drops : "one": the player looks ahead over one drop for each move, and nothing else of `how` counts.
    how : the other attributes of `NetworkEvaluation`.
    """
    rules, instructions = player.network.rules, player.network.instructions
    if drops == "one":
        return PolicyEvaluation(rules, seed, instructions, one_sampled_look_ahead(player, seed))
    return NetworkEvaluation(rules, seed, instructions, player, **how)


def looking_ahead(player: DQNPlayer, plies: int, drops: str, seed: int) -> Policy:
    """The player of a deep network, so many of its moves ahead, by the mean over all drops or by one that is drawn."""
    if drops == "one":
        return one_sampled_look_ahead(player, seed)
    return player if plies == 1 else look_ahead(player, plies)
