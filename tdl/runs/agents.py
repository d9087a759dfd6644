"""The types of agents of a run: how each is made, what a checkpoint holds of it, how it plays the final games."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from tdl.config.setup import Setup
from tdl.dqn.options import DQNOptions
from tdl.errors import naming, refuse
from tdl.game.engine import TRAINING
from tdl.learning.state import ACCUMULATORS, check_entered
from tdl.network.expand_tuples import expand_tuples
from tdl.players.description import read_accumulators, read_agent
from tdl.players.ensemble import average
from tdl.players.player import WEIGHTS, Player, checkpoint_folder, load
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
from tdl.training.options import OnProgress
from tdl.training.ranks import ALONE, Ranks
from tdl.training.trainer import Trainer

if TYPE_CHECKING:
    from tdl.dqn.dqn_trainer import DQNTrainer  # not loaded: it needs PyTorch


class BlockTrainer(Protocol):
    """Plays and learns block by block, as `tdl.training.trainer.Trainer`."""

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

    def __init__(self, setup: Setup, episode: int, ranks: Ranks = ALONE) -> None:
        self.setup = setup
        self.network = setup.network.build(setup.rules)
        self.trainer = Trainer(
            self.network,
            learner=setup.learner,
            schedule=setup.schedule,
            play=setup.judged_play(),
            replicas=setup.replicas,
            ranks=ranks,
            episode=episode,
        )
        self.instructions = self.network.instructions

    def describe(self) -> dict[str, Any]:
        return self.network.describe()

    def learner(self) -> dict[str, Any]:
        return {**self.setup.plain["learner"], "gamma": self.setup.learner.gamma, "alpha": self.setup.alpha}

    def proceed(self, spent: float) -> None:
        self.trainer.spent = spent

    def stretch(self, block: int) -> int:
        return self.trainer.replicas.stretch(self.trainer.episode, block)

    def arrays(self) -> Mapping[str, Array]:
        return {WEIGHTS: self.network.weights, **self.trainer.state}

    def begin(self) -> None:
        """Take over the tables of the network that `init` names, and its E and A where both sides have them.

        Raises
        ------
        CheckpointError : missing, cut, corrupt, or not of an n-tuple network.
        ConfigError : one whose tables this network does not have, or whose values are of another target.
        """
        options = self.setup.network
        if options.init is None:
            return
        source, target = load(options.init), self.setup.learner.target
        if source.target != target:
            raise refuse("init", f"a network of {source.target}s", f"one of {target}s: learner.target={target}")
        own, sums = self.trainer.state.get(ACCUMULATORS), None
        if options.init_accumulators and own is not None:
            folder = checkpoint_folder(options.init)
            sums = read_accumulators(folder, read_agent(folder), len(source.network.weights))
        expand_tuples(self.network, source.network, beside=[] if own is None or sums is None else [(own, sums)])

    def restore(self, folder: Path, meta: Meta) -> None:
        for name, array in self.arrays().items():
            read_array(folder, meta, name, into=array)
        with naming(folder):
            learner = self.trainer.learner
            check_entered(self.trainer.state, self.network.rules, self.setup.play.engine, learner.target)

    def evaluation(self, checkpoints: Sequence[Path]) -> Evaluation:
        games, learner, play = self.setup.evaluation, self.trainer.learner, self.trainer.play_options
        network = average(checkpoints).network if len(checkpoints) > 1 else self.network
        player = Player(network, learner.gamma, learner.target, learner.expectation)
        search = dataclasses.replace(play.search, plies=games.plies)
        return network_evaluation(player, games.drops, dataclasses.replace(play, search=search))


class DQNAgent(Agent):
    """A deep Q-learner."""

    trainer: DQNTrainer

    def __init__(self, setup: Setup, options: DQNOptions, episode: int) -> None:
        from tdl.dqn import dqn_player, dqn_trainer, pytorch  # not at the top: they need PyTorch

        self.setup, self.options = setup, options
        self.trainer = dqn_trainer.DQNTrainer(
            setup.rules,
            options,
            seed=setup.play.seed,
            threads=setup.play.threads,
            episode=episode,
            engine=setup.play.engine,
            device=setup.device,
        )
        self.instructions = pytorch.instructions(setup.device)
        self._describe = dqn_player.describe

    def describe(self) -> dict[str, Any]:
        return self._describe(self.options)

    def learner(self) -> dict[str, Any]:
        return {"gamma": self.options.gamma}  # all other options are of the network's description

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
        games, seed = self.setup.evaluation, self.setup.play.seed
        policy = looking_ahead(self.trainer.player, games.plies, games.drops, seed)
        return PolicyEvaluation(self.trainer.rules, seed, self.instructions, policy)


class SimpleAgent(Agent):
    """Plays without values; it is its own trainer, which learns nothing."""

    mean_abs_error = float("nan")

    def __init__(self, setup: Setup, episode: int) -> None:
        self.setup, self.trainer = setup, self
        self.episode, self.moves = episode, 0

    def train(self, episodes: int, on_progress: OnProgress | None = None) -> Records:
        """Play the next `episodes` games."""
        rules, play = self.setup.rules, self.setup.play
        records = SIMPLE[self.setup.kind](
            rules, episodes, seed=play.seed, role=TRAINING, first=self.episode, engine=play.engine
        )
        self.episode += episodes
        self.moves += int(records["moves"].sum())
        return records

    def describe(self) -> dict[str, Any]:
        return {"kind": self.setup.kind}

    def evaluation(self, checkpoints: Sequence[Path]) -> Evaluation:
        setup, play = self.setup, self.setup.play
        return SimpleEvaluation(setup.rules, play.seed, self.instructions, setup.kind, play.engine)


def build_agent(setup: Setup, episode: int, ranks: Ranks = ALONE) -> Agent:
    """The agent of a run, whose next episode is number `episode`, in one of these processes.

    Raises
    ------
    ConfigError : it does not fit into the memory that is free, or needs an extra that is missing.
    """
    if setup.kind == "ntuple":
        return NTupleAgent(setup, episode, ranks)
    if ranks.size > 1:
        raise refuse("agent.kind", setup.kind, f"ntuple with {ranks.size} processes")
    return SimpleAgent(setup, episode) if setup.deep is None else DQNAgent(setup, setup.deep, episode)
