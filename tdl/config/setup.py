"""A run, parsed once: every value is checked here, before the first game, and nothing below reads a key again.

The values themselves are in `conf/`, the types in `tdl.config.schema`. Hydra checks names and types while it composes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from omegaconf import DictConfig

from tdl.config.agent import check_use, deep_options
from tdl.config.compose import key_hash, to_plain, typed
from tdl.config.options import evaluator_of, options_of, play_of, rules_of
from tdl.config.schema import Budget, EvaluationOptions, RunConfig, Saving
from tdl.config.tuple_sets import check_numbering, tuple_set_of
from tdl.dqn.options import DQNOptions
from tdl.errors import refuse, within
from tdl.game.rules import Rules
from tdl.learning.options import LearnerOptions
from tdl.learning.rounds import ReplicaOptions
from tdl.learning.schedule import Schedule
from tdl.network.ntuple import NTupleNetwork
from tdl.network.stages import Stages
from tdl.network.tuples import TupleSet
from tdl.players.kinds import KINDS, Kind
from tdl.training.options import PlayOptions


@dataclass(frozen=True)
class NetworkOptions:
    """An n-tuple network.

    Attributes
    ----------
    tuples, stages : its shape.
    initial_value : V of every board before learning, in points.
    init : folder of a run, a checkpoint or an import whose tables it begins with; None: of none.
    init_accumulators : whether it begins with the E and A of that one, too.
    """

    tuples: TupleSet
    stages: Stages
    initial_value: float
    init: str | None
    init_accumulators: bool

    def check(self, rules: Rules, learner: LearnerOptions) -> None:
        """Refuse what does not go with these rules or this learner."""
        self.tuples.check_board(rules.rows, rules.cols)
        self.tuples.check_repeats(rules.rows, rules.cols)
        if self.init is not None and self.initial_value:
            raise refuse("learner.initial_value", self.initial_value, "0 with init, which gives the values")
        if not self.init_accumulators and (self.init is None or learner.step != "coherent"):
            raise refuse("init_accumulators", False, "true unless init names a run and learner.step=coherent")
        with within("learner", ("start", "stages", "expectation")):
            learner.check_network(self.stages.count, self.extras)

    @property
    def extras(self) -> bool:
        """Whether there are features that are not tuples."""
        return bool(self.tuples.orders or self.tuples.counts)

    def build(self, rules: Rules) -> NTupleNetwork:
        """A new network, without the tables of `init`."""
        return NTupleNetwork(rules, self.tuples, stages=self.stages, initial_value=self.initial_value)


@dataclass(frozen=True)
class Setup:
    """A run: who learns what, how games are played, for how long, and what stays.

    Attributes
    ----------
    kind : of the agent; `network`, `learner`, `schedule`, `play` and `replicas` are of an n-tuple network, `deep` and
        `device` of a deep Q-learner.
    judge : folder of the network by whose values an adversary judges; None: that which learns.
    episodes, block : games to train for, and between two blocks of statistics.
    logger : where else the figures of each block go.
    resume : folder of the run to go on with; None: a new one.
    plain : all of this by its keys, as `result.json` and `meta.json` have it.
    """

    kind: Kind
    rules: Rules
    network: NetworkOptions
    learner: LearnerOptions
    schedule: Schedule
    play: PlayOptions
    replicas: ReplicaOptions
    deep: DQNOptions | None
    device: str
    judge: str | None
    episodes: int
    block: int
    budget: Budget
    evaluation: EvaluationOptions
    saving: Saving
    logger: str
    resume: str | None
    plain: dict[str, Any]

    @classmethod
    def of(cls, config: DictConfig | Mapping[str, Any]) -> Self:
        """The run that Hydra composed, or that `meta.json` or `result.json` holds.

        Raises
        ------
        ConfigError : a value is not allowed; it names the key.
        """
        keys = typed(config, RunConfig)
        plain = to_plain(keys)
        check_use(plain)
        learner = options_of(LearnerOptions, "learner", keys.learner, alpha_per=keys.alpha_per, gamma=keys.gamma)
        kind = KINDS[keys.agent.kind]
        if kind.tables:
            check_numbering(keys.tuples, keys.size)
        return cls(
            kind=kind,
            rules=rules_of(keys),
            network=_network_of(keys),
            learner=learner,
            schedule=_schedule_of(keys),
            play=play_of(keys, keys.search.plies),
            replicas=ReplicaOptions(keys.replicas, keys.round),
            deep=deep_options(keys.agent, keys.gamma),
            device=keys.device,
            judge=keys.placer.network,
            episodes=keys.episodes,
            block=keys.block,
            budget=keys.budget,
            evaluation=keys.evaluate,
            saving=keys.save,
            logger=keys.logger,
            resume=keys.resume,
            plain=plain,
        )

    def __post_init__(self) -> None:
        """Refuse what does not go together."""
        games = self.evaluation
        self.kind.check_plies(games.plies)
        if games.average > self.saving.keep:
            raise refuse("evaluate.average", games.average, f"at most save.keep, {self.saving.keep}")
        if games.solution is not None and self.play.placer.kind != "random":
            raise refuse("evaluate.solution", games.solution, "null unless placer.kind=random")
        if self.kind.tables:
            self.network.check(self.rules, self.learner)
            self._check_seconds()
            self.replicas.check_learner(self.learner, self.play.threads)

    def _check_seconds(self) -> None:
        """The limit of time holds in training and in the games after it, one of which must look ahead."""
        search = self.play.search
        plies = max(search.plies, self.evaluation.plies if self.evaluation.episodes else 1)
        replace(search, plies=plies).check_seconds("search.plies, evaluate.plies")

    def judged_play(self) -> PlayOptions:
        """How games are played, with the values by which an adversary judges, read from their checkpoint."""
        return replace(self.play, evaluator=evaluator_of(self.judge, self.rules))

    @property
    def hash(self) -> str:
        """Eight hex digits that identify the configuration."""
        return key_hash(self.plain)

    @property
    def alpha(self) -> float:
        """The total step size."""
        return self.schedule.alpha

    def ends(self, episode: int, moves: int, seconds: float) -> bool:
        """Whether all episodes are played or a budget is used up."""
        return episode >= self.episodes or self.budget.spent(moves, seconds) >= 1


def _network_of(keys: RunConfig) -> NetworkOptions:
    section = keys.learner
    stages = Stages(
        tuple(section.stages), section.stage_by, section.promotion, section.stage_downgrade, section.promotion_share
    )
    return NetworkOptions(tuple_set_of(keys.tuples), stages, section.initial_value, keys.init, keys.init_accumulators)


def _schedule_of(keys: RunConfig) -> Schedule:
    section = keys.learner
    return Schedule(
        alpha=section.alpha if keys.alpha is None else keys.alpha,
        form=section.schedule,
        episodes=keys.episodes,
        fixed_share=section.fixed_share,
        fixed_alpha=section.fixed_alpha,
    )
