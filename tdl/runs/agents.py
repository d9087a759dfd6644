"""The types of agents of a run: how each is made, what a checkpoint holds of it, how it plays the final games."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from tdl.agents.ensemble import average
from tdl.agents.options import OnProgress
from tdl.agents.player import WEIGHTS, Player
from tdl.agents.ranks import ALONE, Ranks
from tdl.agents.trainer import Trainer
from tdl.config import agent as agent_config
from tdl.config import build, compose
from tdl.config.schema import RunConfig
from tdl.errors import naming, refuse
from tdl.game.streams import TRAINING
from tdl.learning.state import check_entered
from tdl.runs.evaluation import (
    SIMPLE,
    Evaluation,
    PolicyEvaluation,
    SimpleEvaluation,
    looking_ahead,
    network_evaluation,
)
from tdl.storage.arrays import Array
from tdl.storage.checkpoint import Meta, read_array
from tdl.storage.records import RECORD, Records

if TYPE_CHECKING:
    from tdl.dqn.trainer import DQNTrainer  # not loaded: it needs PyTorch


class BlockTrainer(Protocol):
    """Plays and learns block by block, as `tdl.agents.trainer.Trainer`."""

    episode: int
    moves: int
    mean_abs_error: float

    def train(self, episodes: int, on_progress: OnProgress | None = None) -> Records: ...


class Agent:
    """The agent of a run. As it stands here it learns nothing, so that a checkpoint holds no arrays of it."""

    trainer: BlockTrainer
    instructions: str = "none"  # what it computes with, for `result.json`

    def describe(self) -> dict[str, Any]:
        """What the agent is, for a checkpoint's `network`; a checkpoint that differs is of another agent."""
        raise NotImplementedError

    def learner(self) -> dict[str, Any]:
        """How the agent learns, for a checkpoint's `learner`."""
        return {}

    def arrays(self) -> Mapping[str, Array]:
        """All that has been learned."""
        return {}

    def begin(self) -> None:
        """Take over what a new run starts from."""

    def restore(self, folder: Path, meta: Meta) -> None:
        """Read what `arrays` returned back from a checkpoint."""

    def proceed(self, spent: float) -> None:
        """Take note of the share of the run that is over, which a step size may go by."""

    def stretch(self, block: int) -> int:
        """Episodes to train at once, one block of episodes or several, from where the training is."""
        return block

    def logged(self) -> Records:
        """Games of the last block that were played beside its training."""
        return np.zeros(0, RECORD)

    def evaluation(self, checkpoints: Sequence[Path]) -> Evaluation:
        """The final games, by what has been learned, or by the mean of these checkpoints."""
        raise NotImplementedError


class NTupleAgent(Agent):
    """An n-tuple network."""

    trainer: Trainer

    def __init__(self, settings: RunConfig, episode: int, ranks: Ranks = ALONE) -> None:
        self.settings = settings
        self.network = build.build_network(settings)
        self.trainer = build.build_trainer(settings, self.network, episode, ranks)
        self.instructions = self.network.instructions

    def describe(self) -> dict[str, Any]:
        return self.network.describe()

    def learner(self) -> dict[str, Any]:
        own = {"gamma": self.settings.gamma, "alpha": build.alpha(self.settings)}
        return {**compose.to_plain(self.settings)["learner"], **own}

    def proceed(self, spent: float) -> None:
        self.trainer.spent = spent

    def stretch(self, block: int) -> int:
        return self.trainer.replicas.stretch(self.trainer.episode, block)

    def arrays(self) -> Mapping[str, Array]:
        return {WEIGHTS: self.network.weights, **self.trainer.state}

    def begin(self) -> None:
        if self.settings.init is not None:
            build.initialise(self.network, self.trainer.state, self.settings)

    def restore(self, folder: Path, meta: Meta) -> None:
        for name, array in self.arrays().items():
            read_array(folder, meta, name, into=array)
        with naming(folder):
            learner = self.trainer.learner
            check_entered(self.trainer.state, self.network.rules, self.settings.engine, learner.target)

    def evaluation(self, checkpoints: Sequence[Path]) -> Evaluation:
        settings, learner = self.settings, self.trainer.learner
        network = average(checkpoints).network if len(checkpoints) > 1 else self.network
        player = Player(network, learner.gamma, learner.target, learner.expectation)
        search = build.search(settings.search, settings.evaluate.plies)
        play = dataclasses.replace(self.trainer.play, search=search)
        return network_evaluation(player, settings.evaluate.drops, play)


class DQNAgent(Agent):
    """A deep Q-learner."""

    trainer: DQNTrainer

    def __init__(self, settings: RunConfig, episode: int) -> None:
        from tdl.dqn import player, pytorch, trainer  # not at the top: they need PyTorch

        self.settings, self.options = settings, agent_config.choices(settings)
        self.trainer = trainer.DQNTrainer(
            build.rules(settings),
            self.options,
            seed=settings.seed,
            threads=settings.threads,
            episode=episode,
            engine=settings.engine,
            device=settings.device,
        )
        self.instructions = pytorch.instructions(settings.device)
        self._describe = player.describe

    def describe(self) -> dict[str, Any]:
        return self._describe(self.options)

    def learner(self) -> dict[str, Any]:
        return {"gamma": self.settings.gamma}  # all other options are of the network's description

    def arrays(self) -> Mapping[str, Array]:
        return self.trainer.state()

    def restore(self, folder: Path, meta: Meta) -> None:
        arrays = {name: read_array(folder, meta, name, into=array) for name, array in self.arrays().items()}
        with naming(folder):
            self.trainer.load_state(arrays)
            if self.trainer.episode != meta["episode"]:
                raise refuse("counters", self.trainer.episode, f"{meta['episode']}, the episode of the description")

    def logged(self) -> Records:
        return self.trainer.logged

    def evaluation(self, checkpoints: Sequence[Path]) -> Evaluation:
        evaluate, seed = self.settings.evaluate, self.settings.seed
        policy = looking_ahead(self.trainer.player, evaluate.plies, evaluate.drops, seed)
        return PolicyEvaluation(self.trainer.rules, seed, self.instructions, policy)


class SimpleAgent(Agent):
    """Plays without values; it is its own trainer, which learns nothing."""

    mean_abs_error = float("nan")

    def __init__(self, settings: RunConfig, episode: int) -> None:
        self.settings, self.trainer = settings, self
        self.rules, self.kind = build.rules(settings), settings.agent.kind
        self.episode, self.moves = episode, 0

    def train(self, episodes: int, on_progress: OnProgress | None = None) -> Records:
        """Play the next `episodes` games."""
        settings = self.settings
        records = SIMPLE[self.kind](
            self.rules, episodes, seed=settings.seed, role=TRAINING, first=self.episode, engine=settings.engine
        )
        self.episode += episodes
        self.moves += int(records["moves"].sum())
        return records

    def describe(self) -> dict[str, Any]:
        return {"kind": self.kind}

    def evaluation(self, checkpoints: Sequence[Path]) -> Evaluation:
        settings = self.settings
        return SimpleEvaluation(self.rules, settings.seed, self.instructions, self.kind, settings.engine)


def build_agent(settings: RunConfig, episode: int, ranks: Ranks = ALONE) -> Agent:
    """The agent of a run, whose next episode is number `episode`, in one of these processes.

    Raises
    ------
    ConfigError : it does not fit into the memory that is free, or needs an extra that is missing.
    """
    kind = settings.agent.kind
    if kind == "ntuple":
        return NTupleAgent(settings, episode, ranks)
    if ranks.size > 1:
        raise refuse("agent.kind", kind, f"ntuple with {ranks.size} processes")
    return DQNAgent(settings, episode) if kind == "dqn" else SimpleAgent(settings, episode)
