"""Agents in training: what a run asks each kind for, how it is built, and what a checkpoint holds of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from tdl.base.machine import require_memory
from tdl.config.setup import Setup
from tdl.cuda.device import CPU
from tdl.errors import naming, of_key, refuse
from tdl.game.engine import TRAINING
from tdl.learning.state import ACCUMULATORS
from tdl.network.expand_tuples import expand_tuples
from tdl.players.ensemble import average
from tdl.players.kinds import WEIGHTS, Agent, checkpoint_folder, read_accumulators, read_agent
from tdl.players.player import Baseline, Player, load
from tdl.runs.disk_space import checkpoint_bytes
from tdl.runs.evaluation import Evaluation, evaluation_of
from tdl.storage.checkpoint import Array, Meta, read_array
from tdl.storage.records import RECORD, Records
from tdl.training.options import OnProgress, PlayOptions
from tdl.training.ranks import ALONE, Ranks
from tdl.training.trainer import Trainer

if TYPE_CHECKING:
    from tdl.dqn.dqn_trainer import DQNTrainer  # not loaded: it needs PyTorch


class BlockTrainer(Protocol):
    """Plays and learns block by block, as `tdl.training.trainer.Trainer`: the size of one is in episodes or moves."""

    episode: int
    moves: int
    mean_abs_error: float
    spent: float | None

    def train(self, size: int, /, on_progress: OnProgress | None = None) -> Records: ...


class TrainingAgent:
    """An agent of a run. As it stands here it learns nothing, so that a checkpoint holds no arrays of it.

    Parameters
    ----------
    episode : number of its next episode.
    ranks : the processes that train it; this is one of them.
    """

    trainer: BlockTrainer

    def __init__(self, setup: Setup, episode: int, ranks: Ranks = ALONE) -> None:
        if ranks.size > 1 and not setup.kind.tables:
            raise refuse("agent.kind", setup.kind.name, f"ntuple with {ranks.size} processes")
        self.setup, self.play = setup, setup.play

    def player(self, checkpoints: Sequence[Path] = ()) -> Agent:
        """Plays by what has been learned, or by the mean of several checkpoints."""
        raise NotImplementedError

    @property
    def instructions(self) -> str:
        """What it computes with, for `result.json`."""
        return self.player().instructions

    def describe(self) -> dict[str, Any]:
        """What the agent is, for a checkpoint's `network`; a checkpoint that differs is of another agent."""
        return {"kind": self.setup.kind.name}

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

    def next_size(self, episode: int, moves: int) -> int:
        """What is trained at once, when so much has been: one block of episodes or several; or moves of a block."""
        assert self.setup.episodes is not None
        return min(self.episodes_until_sync(self.setup.block), self.setup.episodes - episode)

    def episodes_until_sync(self, block: int) -> int:
        """Episodes to train at once, one block of episodes or several, from where the training is."""
        return block

    def blocks_of(self, records: Records) -> int:
        """The games of a block, of those that were trained at once."""
        return self.setup.block

    def evaluation_records(self) -> Records:
        """Games of the last block that were played beside its training."""
        return np.zeros(0, RECORD)

    def evaluation(self, checkpoints: Sequence[Path]) -> Evaluation:
        """The final games, by what has been learned, or by the mean of these checkpoints."""
        games = self.setup.evaluation
        search = dataclasses.replace(self.play.search, plies=games.plies)
        lanes = "auto" if self.setup.learner.batched else self.play.lanes
        device = self.play.device if self.setup.kind.tables else CPU  # others have their own
        play = dataclasses.replace(self.play, search=search, lanes=lanes, device=device)
        return evaluation_of(self.player(checkpoints), play, games.drops)


class NTupleAgent(TrainingAgent):
    """An n-tuple network."""

    trainer: Trainer

    def __init__(self, setup: Setup, episode: int, ranks: Ranks = ALONE) -> None:
        super().__init__(setup, episode, ranks)
        self.play: PlayOptions = setup.judged_play
        if setup.learner.batched:
            require_memory("tuples", checkpoint_bytes(setup), "the network and what its learner keeps")
        self.network = setup.network.build(setup.rules)
        self.trainer = Trainer(
            self.network,
            learner=setup.learner,
            schedule=setup.schedule,
            play=self.play,
            replicas=setup.replicas,
            ranks=ranks,
            episode=episode,
        )

    def player(self, checkpoints: Sequence[Path] = ()) -> Player:
        learner = self.setup.learner
        network = average(checkpoints).network if len(checkpoints) > 1 else self.trainer.network
        return Player(network, learner.gamma, learner.target, learner.expectation)

    @property
    def instructions(self) -> str:
        return self.trainer.instructions

    def describe(self) -> dict[str, Any]:
        return self.network.describe()

    def learner(self) -> dict[str, Any]:
        return {**self.setup.config["learner"], "gamma": self.setup.learner.gamma, "alpha": self.setup.alpha}

    def next_size(self, episode: int, moves: int) -> int:
        if not self.setup.learner.batched:
            return super().next_size(episode, moves)
        block, budget = self.setup.block - moves % self.setup.block, self.setup.budget.moves
        return block if budget is None else min(block, budget - moves)

    def episodes_until_sync(self, block: int) -> int:
        return self.trainer.replicas.stretch(self.trainer.episode, block)

    def blocks_of(self, records: Records) -> int:
        return len(records) if self.setup.learner.batched else self.setup.block

    def arrays(self) -> Mapping[str, Array]:
        return self.trainer.arrays()

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
        with of_key("init"):
            source, target = load(options.init), self.setup.learner.target
        if source.target != target:
            raise refuse("init", f"a network of {source.target}s", f"one of {target}s: learner.target={target}")
        sums, source_sums = self.trainer.state.get(ACCUMULATORS), None
        if options.init_accumulators and sums is not None:
            folder = checkpoint_folder(options.init)
            source_sums = read_accumulators(folder, read_agent(folder), len(source.network.weights))
        beside = [] if sums is None or source_sums is None else [(sums, source_sums)]
        expand_tuples(self.network, source.network, beside=beside)

    def restore(self, folder: Path, meta: Meta) -> None:
        read_array(folder, meta, WEIGHTS, into=self.network.weights)
        self.trainer.moves = meta["moves"]
        self.trainer.restore(folder, meta)


class DQNAgent(TrainingAgent):
    """A deep Q-learner."""

    trainer: DQNTrainer

    def __init__(self, setup: Setup, episode: int, ranks: Ranks = ALONE) -> None:
        from tdl.dqn.dqn_trainer import DQNTrainer  # not at the top: it needs PyTorch

        super().__init__(setup, episode, ranks)
        assert setup.deep is not None
        self.trainer = DQNTrainer(
            setup.rules,
            setup.deep,
            seed=self.play.seed,
            threads=self.play.threads,
            episode=episode,
            engine=self.play.engine,
            device=self.play.device,
        )

    def player(self, checkpoints: Sequence[Path] = ()) -> Agent:
        return self.trainer.player

    def describe(self) -> dict[str, Any]:
        return self.trainer.describe()

    def learner(self) -> dict[str, Any]:
        return {"gamma": self.trainer.options.gamma}  # all other options are of the network's description

    def arrays(self) -> Mapping[str, Array]:
        return self.trainer.state()

    def restore(self, folder: Path, meta: Meta) -> None:
        arrays = {name: read_array(folder, meta, name, into=array) for name, array in self.arrays().items()}
        with naming(folder):
            self.trainer.load_state(arrays)
            if self.trainer.episode != meta["episode"]:
                raise refuse("counters", self.trainer.episode, f"{meta['episode']}, the episode of the description")

    def evaluation_records(self) -> Records:
        return self.trainer.logged


class BaselineAgent(TrainingAgent):
    """Plays without values; it is its own trainer, which learns nothing."""

    mean_abs_error = float("nan")
    spent: float | None = None

    def __init__(self, setup: Setup, episode: int, ranks: Ranks = ALONE) -> None:
        super().__init__(setup, episode, ranks)
        self.trainer = self
        self.episode, self.moves = episode, 0

    def player(self, checkpoints: Sequence[Path] = ()) -> Baseline:
        return Baseline(self.setup.rules, self.setup.kind.name)

    def train(self, episodes: int, on_progress: OnProgress | None = None) -> Records:
        """Play the next `episodes` games."""
        records = self.player().play_from(self.episode, episodes, self.play, TRAINING)
        self.episode += episodes
        self.moves += int(records["moves"].sum())
        return records


TRAINED: Mapping[str, Callable[[Setup, int, Ranks], TrainingAgent]] = {
    "ntuple": NTupleAgent,
    "dqn": DQNAgent,
    "random": BaselineAgent,
    "greedy": BaselineAgent,
}
"""How the agent of a run is built, by the name of its kind."""


def build_agent(setup: Setup, episode: int, ranks: Ranks = ALONE) -> TrainingAgent:
    """The agent of a run, whose next episode is number `episode`, in one of these processes.

    Raises
    ------
    ConfigError : it does not fit into the memory that is free, or needs an extra that is missing.
    """
    return TRAINED[setup.kind.name](setup, episode, ranks)
