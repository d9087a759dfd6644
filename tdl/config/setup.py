"""A run, parsed once: every value is checked here, before the first game, and nothing below reads a key again."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

from omegaconf import DictConfig
from omegaconf.errors import OmegaConfBaseException

from tdl.base.checks import check_choice, check_fields, check_mapping
from tdl.config.agent import check_use, deep_options, step_size
from tdl.config.compose import Schema, key_hash, options_of
from tdl.config.schema import (
    PLACER,
    RUN,
    STAGES,
    Budget,
    EvaluationOptions,
    NetworkOptions,
    RunOptions,
    Saving,
    judge_of,
    placer_of,
    play_of,
    rules_of,
)
from tdl.config.tuple_sets import check_numbering, tuple_set_of
from tdl.cuda.device import CPU
from tdl.cuda.kernel_text import check_shape
from tdl.dqn.options import DQNOptions
from tdl.errors import MAX_SHOWN, ConfigError, printable, refuse, within
from tdl.game.rules import Rules
from tdl.learning.options import LearnerOptions
from tdl.learning.rounds import ReplicaOptions
from tdl.learning.schedule import Schedule
from tdl.network.stages import Stages
from tdl.players.cuda_games import check_games
from tdl.players.kinds import KINDS, Kind
from tdl.training.lane_state import reach_of
from tdl.training.options import PlayOptions, batch_lanes, check_batch

KEY = "config"
"""The entry of `meta.json` and `result.json`."""


@dataclass(frozen=True, kw_only=True)
class Setup(RunOptions):
    """A run: who learns what, how games are played, for how long, and what stays.

    Attributes
    ----------
    kind : of the agent; `network`, `learner`, `schedule`, `play` and `replicas` are of an n-tuple network, `deep` of
        a deep Q-learner.
    judge : folder of the network by whose values an adversary judges; None: that which learns.
    config : all of this by its keys, as `result.json` and `meta.json` have it.
    """

    kind: Kind
    rules: Rules
    network: NetworkOptions
    learner: LearnerOptions
    schedule: Schedule
    play: PlayOptions
    replicas: ReplicaOptions
    deep: DQNOptions | None
    judge: str | None
    budget: Budget
    evaluation: EvaluationOptions
    saving: Saving
    config: dict[str, Any]

    @classmethod
    def of(cls, config: DictConfig | Mapping[str, Any]) -> Self:
        """The run that Hydra composed, or that `meta.json` or `result.json` holds.

        Raises
        ------
        ConfigError : a value is not allowed; it names the key.
        """
        values = RUN.read(config)
        check_choice("agent.kind", values["agent"]["kind"], tuple(KINDS))
        values["alpha"] = step_size(values)
        check_use(values)
        section, gamma = values["learner"], values["gamma"]
        return cls(
            **vars(options_of(RunOptions, "", values)),
            kind=KINDS[values["agent"]["kind"]],
            rules=rules_of(values),
            network=options_of(
                NetworkOptions,
                "",
                values,
                tuples=tuple_set_of(values["tuples"]),
                stages=options_of(Stages, "", section, names=STAGES),
                initial_value=section["initial_value"],
            ),
            learner=options_of(LearnerOptions, "learner", section, alpha_per=values["alpha_per"], gamma=gamma),
            schedule=options_of(
                Schedule,
                "",
                section,
                names={"form": "schedule"},
                alpha=section["alpha"] if values["alpha"] is None else values["alpha"],
                episodes=values["episodes"],
            ),
            play=play_of(values),
            replicas=options_of(ReplicaOptions, "", values),
            deep=deep_options(values["agent"], gamma),
            judge=values["placer"]["network"],
            budget=options_of(Budget, "budget", values["budget"]),
            evaluation=options_of(EvaluationOptions, "evaluate", values["evaluate"]),
            saving=options_of(Saving, "save", values["save"]),
            config=values,
        )

    def __post_init__(self) -> None:
        """Refuse what does not go together; of a run that is to go on this is known with the keys that it keeps."""
        check_fields(self)
        if self.resume is not None:
            return
        games = self.evaluation
        self.kind.check_plies(games.plies)
        if games.average > self.saving.keep:
            raise refuse("evaluate.average", games.average, f"at most save.keep, {self.saving.keep}")
        if games.solution is not None and self.play.placer.kind != "random":
            raise refuse("evaluate.solution", games.solution, "null unless placer.kind=random")
        if self.kind.tables:
            check_numbering(self.config["tuples"], self.config["size"])
            self.network.check(self.rules, self.learner)
            self._check_seconds()
            self.replicas.check_learner(self.learner, self.play.threads)
            self._check_device()
        self._check_end()

    def _check_device(self) -> None:
        """Games in step, and what computes; with `resume` that is a word for the run that it names."""
        play = self.play if self.resume is None else replace(self.play, device=CPU)
        check_batch(self.learner, play, self.replicas)
        if play.device != CPU:
            check_shape(self.rules, self.network.tuples)
            self._check_games()

    def _check_games(self) -> None:
        """Refuse final games that a graphics card does not play."""
        games = self.evaluation
        if games.drops != "all":
            raise refuse("evaluate.drops", games.drops, "all with device=cuda")
        with within("evaluate", ("plies",)):
            check_games(replace(self.play.search, plies=games.plies), self.play.placer)

    def _check_end(self) -> None:
        """A run has an end: a number of games, which those that play in step may have no use for, or a budget."""
        if self.learner.batched:
            with within("learner", ("td_lambda",)):
                reach_of(self.learner.td_lambda)
            if self.block < (lanes := batch_lanes(self.play)):
                raise refuse("block", self.block, f"with learner=batch, moves, at least lanes, {lanes}")
            if self.episodes is None and self.budget == Budget(None, None):
                raise refuse("budget.moves", None, "a number of moves, or budget.seconds, where episodes=null")
        elif self.episodes is None:
            raise refuse("episodes", None, "a whole number unless learner=batch")

    def _check_seconds(self) -> None:
        """The limit of time holds in training and in the games after it, one of which must look ahead."""
        search = self.play.search
        plies = max(search.plies, self.evaluation.plies if self.evaluation.episodes else 1)
        replace(search, plies=plies).check_seconds("search.plies, evaluate.plies")

    @cached_property
    def judged_play(self) -> PlayOptions:
        """How games are played, with the values by which an adversary judges, read from their checkpoint."""
        return replace(self.play, evaluator=judge_of(self.judge, self.rules))

    @property
    def hash(self) -> str:
        """Eight hex digits that identify the configuration."""
        return key_hash(self.config)

    @property
    def alpha(self) -> float:
        """The total step size."""
        return self.schedule.alpha

    def share(self, episode: int, moves: int, seconds: float) -> float:
        """The part of the training that is done: of its episodes, or of the budget that is used up first."""
        played = 0.0 if self.episodes is None else episode / self.episodes if self.episodes else 1.0
        return max(played, self.budget.spent(moves, seconds))

    def ends(self, episode: int, moves: int, seconds: float) -> bool:
        """Whether all episodes are played or a budget is used up."""
        return self.share(episode, moves, seconds) >= 1


def stored_setup(values: object) -> Setup:
    """The run whose configuration a checkpoint has.

    Raises
    ------
    ConfigError : a value that a command line could not give either, or one to be computed, as `${oc.env:HOME}`.
    """
    check_mapping(KEY, values, _check_written)
    assert isinstance(values, Mapping)
    with _of_file():
        return Setup.of({**values, "resume": None})


def stored_placer(config: Mapping[str, Any]) -> dict[str, Any] | None:
    """Who put the tiles by such a configuration; None where it does not say so. Raises as `stored_setup`."""
    if "placer" not in config:
        return None
    check_mapping(f"{KEY}.placer", config["placer"], _check_written)
    with _of_file():
        values = _PLACER.read({"placer": config["placer"]})
        placer_of(values)
    return dict(values["placer"])


_PLACER = Schema(__name__, PLACER)


def _check_written(key: str, value: object) -> None:
    """Refuse text that OmegaConf would take for more than text."""
    if isinstance(value, str):
        if "${" in value or value == "???":
            raise refuse(key, value, "a value that is there, not one to be computed")
    elif isinstance(value, Mapping):
        check_mapping(key, value, _check_written)
    elif isinstance(value, list):
        for item in value:
            _check_written(key, item)


@contextlib.contextmanager
def _of_file() -> Iterator[None]:
    """While this context is open a key that is refused is one of the file's configuration."""
    try:
        yield
    except ConfigError as error:
        raise ConfigError(f"{KEY}.{error}") from error
    except OmegaConfBaseException as error:
        line = printable((str(error).splitlines() or [""])[0])
        if len(line) > 2 * MAX_SHOWN:
            line = f"{line[:MAX_SHOWN]}…{line[-MAX_SHOWN:]}"
        raise ConfigError(f"{KEY}.{error.full_key or ''}: {line}") from error
