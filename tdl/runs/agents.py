"""The kinds of agents of a run: how each is made, what a checkpoint holds of it, how it plays the final games."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tdl.agents.ensemble import average
from tdl.agents.player import WEIGHTS, Player
from tdl.agents.trainer import Between
from tdl.config import agent as agent_config
from tdl.config import build, compose
from tdl.config.schema import RunConfig
from tdl.game.streams import TRAINING
from tdl.runs.evaluation import (
    SIMPLE,
    Evaluation,
    PolicyEvaluation,
    SimpleEvaluation,
    looking_ahead,
    network_evaluation,
)
from tdl.storage.checkpoint import Meta, read_array
from tdl.storage.records import RECORD, Records

Array = NDArray[Any]


class Learns(Protocol):
    """What plays and learns block by block, as `tdl.agents.trainer.Trainer`."""

    episode: int
    moves: int
    mean_abs_error: float

    def train(self, episodes: int, between: Between | None = None) -> Records: ...


class Agent(Protocol):
    """The agent of a run.

    Attributes
    ----------
    instructions : what it computes with, for `result.json`.
    """

    instructions: str

    @property
    def trainer(self) -> Learns:
        """Plays and learns, block by block."""

    def describe(self) -> dict[str, Any]:
        """What it is, for a checkpoint's `network`; one that says otherwise is of another agent."""

    def learner(self) -> dict[str, Any]:
        """How it learns, for a checkpoint's `learner`."""

    def arrays(self) -> Mapping[str, Array]:
        """All that has been learned."""

    def restore(self, folder: Path, meta: Meta) -> None:
        """Take in what `arrays` gave, from a checkpoint."""

    def logged(self) -> Records:
        """Games of the last block that were played beside its training."""

    def evaluation(self, checkpoints: Sequence[Path]) -> Evaluation:
        """The final games, by what has been learned, or by the mean of these checkpoints."""


NONE: Records = np.zeros(0, RECORD)


class NTupleAgent:
    """An n-tuple network."""

    def __init__(self, settings: RunConfig, episode: int) -> None:
        self.settings = settings
        self.network = build.build_network(settings)
        self.trainer = build.build_trainer(settings, self.network, episode)
        self.instructions = self.network.instructions

    def describe(self) -> dict[str, Any]:
        """See `Agent`."""
        return self.network.describe()

    def learner(self) -> dict[str, Any]:
        """See `Agent`."""
        own = {"gamma": self.settings.gamma, "alpha": build.alpha(self.settings)}
        return {**compose.to_plain(self.settings)["learner"], **own}

    def arrays(self) -> Mapping[str, Array]:
        """See `Agent`."""
        return {WEIGHTS: self.network.weights, **self.trainer.memory}

    def restore(self, folder: Path, meta: Meta) -> None:
        """See `Agent`."""
        for name, array in self.arrays().items():
            read_array(folder, meta, name, into=array)

    def logged(self) -> Records:
        """See `Agent`; none."""
        return NONE

    def evaluation(self, checkpoints: Sequence[Path]) -> Evaluation:
        """See `Agent`."""
        settings = self.settings
        network = average(checkpoints).network if len(checkpoints) > 1 else self.network
        return network_evaluation(
            Player(network, settings.gamma, settings.learner.target),
            settings.evaluate.drops,
            expectation=settings.learner.expectation,
            searching=build.searching(settings, settings.evaluate.plies),
            placing=build.placing(settings),
            judge=self.trainer.judge,
            seed=settings.seed,
            threads=settings.threads,
            lanes=settings.lanes,
            engine=settings.engine,
        )


class DQNAgent:
    """A deep Q-learner."""

    def __init__(self, settings: RunConfig, episode: int) -> None:
        from tdl.dqn import player, pytorch, trainer  # not at the top: they need PyTorch

        assert settings.agent.device is not None
        self.settings, self.choices = settings, agent_config.choices(settings)
        self.trainer = trainer.DQNTrainer(
            build.rules(settings),
            self.choices,
            seed=settings.seed,
            threads=settings.threads,
            episode=episode,
            engine=settings.engine,
            device=settings.agent.device,
        )
        self.instructions = pytorch.instructions(settings.agent.device)
        self._describe = player.describe

    def describe(self) -> dict[str, Any]:
        """See `Agent`."""
        return self._describe(self.choices)

    def learner(self) -> dict[str, Any]:
        """See `Agent`; all that is chosen is of the network's description."""
        return {"gamma": self.settings.gamma}

    def arrays(self) -> Mapping[str, Array]:
        """See `Agent`."""
        return self.trainer.state()

    def restore(self, folder: Path, meta: Meta) -> None:
        """See `Agent`."""
        state = {name: read_array(folder, meta, name, into=array) for name, array in self.trainer.state().items()}
        self.trainer.load_state(state)

    def logged(self) -> Records:
        """See `Agent`."""
        return self.trainer.logged

    def evaluation(self, checkpoints: Sequence[Path]) -> Evaluation:
        """See `Agent`."""
        evaluate, seed = self.settings.evaluate, self.settings.seed
        policy = looking_ahead(self.trainer.player, evaluate.plies, evaluate.drops, seed)
        return PolicyEvaluation(self.trainer.rules, seed, self.instructions, policy)


class SimpleAgent:
    """One that learns nothing; it is its own trainer, which only plays."""

    instructions = "none"
    mean_abs_error = float("nan")

    def __init__(self, settings: RunConfig, episode: int) -> None:
        self.settings = settings
        self.rules, self.kind = build.rules(settings), settings.agent.kind
        self.episode, self.moves = episode, 0

    @property
    def trainer(self) -> SimpleAgent:
        """See `Agent`."""
        return self

    def train(self, episodes: int, between: Between | None = None) -> Records:
        """Play the next `episodes` games."""
        settings = self.settings
        records = SIMPLE[self.kind](
            self.rules, episodes, seed=settings.seed, role=TRAINING, first=self.episode, engine=settings.engine
        )
        self.episode += episodes
        self.moves += int(records["moves"].sum())
        return records

    def describe(self) -> dict[str, Any]:
        """See `Agent`."""
        return {"kind": self.kind}

    def learner(self) -> dict[str, Any]:
        """See `Agent`."""
        return {}

    def arrays(self) -> Mapping[str, Array]:
        """See `Agent`; nothing."""
        return {}

    def restore(self, folder: Path, meta: Meta) -> None:
        """See `Agent`."""

    def logged(self) -> Records:
        """See `Agent`; none."""
        return NONE

    def evaluation(self, checkpoints: Sequence[Path]) -> Evaluation:
        """See `Agent`."""
        settings = self.settings
        return SimpleEvaluation(self.rules, settings.seed, self.instructions, self.kind, settings.engine)


def build_agent(settings: RunConfig, episode: int) -> Agent:
    """The agent of a run, whose next episode is number `episode`.

    Raises
    ------
    ConfigError : it does not fit into the memory that is free, or needs an extra that is missing.
    """
    kinds: dict[str, Callable[[RunConfig, int], Agent]] = {"ntuple": NTupleAgent, "dqn": DQNAgent}
    return kinds.get(settings.agent.kind, SimpleAgent)(settings, episode)
