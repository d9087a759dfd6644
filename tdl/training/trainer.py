"""Training a network by self-play, block by block."""

import copy
import os
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tdl.base.checks import (
    MAX_COUNT,
    check_function,
    check_instance,
    check_number,
    check_whole,
    or_null,
    without_numpy,
)
from tdl.errors import ConfigError, naming, refuse
from tdl.learning.options import LearnerOptions
from tdl.learning.rounds import ReplicaOptions
from tdl.learning.schedule import Schedule
from tdl.learning.state import LearnerState, check_entered, new_state
from tdl.learning.stored_network import WEIGHTS
from tdl.network.ntuple import NTupleNetwork
from tdl.storage.checkpoint import META, Array, Meta, read_array
from tdl.storage.records import check_episodes
from tdl.storage.saved_folder import SAVED, path_of, save
from tdl.training.batches import LANES, Batch
from tdl.training.lane_state import check_playable
from tdl.training.options import OnProgress, PlayOptions, Settled, check_batch, training_options
from tdl.training.ranks import ALONE, Ranks
from tdl.training.replicas import Replicas
from tdl.training.saved_trainer import TRAINER, read_trainer
from tdl.training.threads import Threads


class Trainer(Settled):
    """TD learning by self-play.

    Parameters
    ----------
    network : `NTupleNetwork` that plays and learns, in place.
    learner : how it learns; None: the defaults of `LearnerOptions`.
    schedule : the step size over the episodes, a `Schedule`; anything else is taken for the `form` of one. So a
        function may be given: of the number of the next episode, it gives the step size of the block that begins with
        it, above 0. Functions are not saved, and the runs of `tdl.train` take none.
    play : how the games are played; None: the defaults of `PlayOptions`.
    replicas : how many networks learn apart and are merged; None or the number of them: `ReplicaOptions`.
    ranks : the processes that carry the replicas, each an equal number of them with `threads` threads: `connect()` of
        `tdl.training.ranks`, in a program that mpirun starts several times. All do the same then.
    episode : number of the next episode (not 0 when training is continued).
    keywords : fields of these four, which replace theirs: `alpha=0.1, order="forward", seed=1, threads=2`.

    Attributes
    ----------
    alpha : step size of the next block. One that is assigned holds from then on, whatever the schedule was.
    learner, schedule, play_options, replicas : the options.
    episode, moves : episodes and moves played so far.
    spent : share of the run that is over, by which a schedule in percent goes; None: that of `schedule.episodes`.
    mean_abs_error : of the last block, in points.

    Raises
    ------
    ConfigError : an unknown keyword, a value out of its range, or options that exclude each other.
    AttributeError : where another attribute is assigned, which would change nothing.
    """

    __slots__ = (
        "_network",
        "_players",
        "_state",
        "episode",
        "learner",
        "mean_abs_error",
        "moves",
        "play_options",
        "replicas",
        "schedule",
        "spent",
    )

    CHANGEABLE = ("alpha", "episode", "moves", "spent")

    def __init__(
        self,
        network: NTupleNetwork,
        *,
        learner: LearnerOptions | None = None,
        schedule: Schedule | Any = None,
        play: PlayOptions | None = None,
        replicas: ReplicaOptions | int | None = None,
        ranks: Ranks = ALONE,
        episode: int = 0,
        **keywords: Any,
    ) -> None:
        check_instance("network", network, NTupleNetwork)
        check_instance("ranks", ranks, Ranks, "as connect() of tdl.training.ranks gives")
        self._network, replicas = network, without_numpy(replicas)
        if isinstance(replicas, int):
            replicas, keywords["replicas"] = None, replicas
        self.learner, self.schedule, self.play_options, self.replicas = training_options(
            learner, schedule, play, replicas, keywords
        )
        self.episode, self.moves = without_numpy(episode), 0
        self.spent: float | None = None
        self.mean_abs_error = float("nan")
        self._check(ranks)
        apart, options = self.replicas.own_learner(self.learner), self.play_options
        self._state = new_state(network, apart, options.engine)
        self._players: Threads | Replicas | Batch
        if self.replicas.several:
            self._players = Replicas(network, self._state, apart, options, self.replicas, ranks)
        elif self.learner.batched:
            self._players = Batch(network, self._state, self.learner, options)
        else:
            self._players = Threads(network, self._state, apart, options)

    def __reduce__(self) -> tuple[Any, ...]:
        if isinstance(self._players, Replicas) and self._players.ranks.size > 1:
            raise TypeError("a Trainer that several processes carry cannot be copied; copy its network")
        options = self.learner, self.schedule, self.play_options, self.replicas
        progress = self.episode, self.moves, self.spent, self.mean_abs_error
        further = getattr(self, "__dict__", None)  # attributes of a class of one's own
        state = {name: array for name, array in self.arrays().items() if name != WEIGHTS}
        return _copied, (type(self), self.network, options, progress, state), further

    def __deepcopy__(self, memo: dict[int, Any]) -> "Trainer":
        _, (kind, network, options, progress, state), further = self.__reduce__()
        copied = _copied(kind, *copy.deepcopy((network, options, progress), memo), state)
        if further:
            vars(copied).update(copy.deepcopy(further, memo))
        return copied

    def __repr__(self) -> str:
        return f"Trainer({self._network!r}, alpha {self.alpha:g}, {self.episode:,} episodes)"

    def _check(self, ranks: Ranks) -> None:
        network = self._network
        self.learner.check_network(network.stages.count, network.extras)
        self.play_options.check_board(network.rules)
        self.replicas.check_learner(self.learner, self.play_options.threads)
        check_batch(self.learner, self.play_options, self.replicas)
        if not self.learner.batched:
            self.schedule.check_counted()
        ranks.check(self.replicas, self.learner, self.play_options.threads)
        check_whole("episode", self.episode, 0, MAX_COUNT + 1)
        if network.weights.dtype != np.float32:
            raise ConfigError("network: its weights have 16 bits, too few to learn; a run with init= makes 32 of them")
        if not network.weights.flags.writeable:
            raise ConfigError(
                "network: its weights are read-only, as those of a loaded player are; copy.deepcopy(network) learns"
            )

    @property
    def network(self) -> NTupleNetwork:
        """The network that plays and learns."""
        self._settle()
        return self._network

    @property
    def state(self) -> LearnerState:
        """What the learner keeps beside the weights, arrays by name; checkpoints hold them."""
        self._settle()
        return self._state

    def _settle(self) -> None:
        if isinstance(self._players, Batch):
            self._players.settle()

    @property
    def alpha(self) -> float:
        """The step size of the next block."""
        return self.schedule.at(self.episode, self.spent)

    @alpha.setter
    def alpha(self, alpha: float) -> None:
        alpha = without_numpy(alpha)
        constant = replace(self.schedule, alpha=alpha, form=None, fixed_alpha=alpha)
        object.__setattr__(self, "schedule", constant)

    @property
    def instructions(self) -> str:
        """The CPU's instructions that it computes with, or the name of the graphics card."""
        return self._players.computes_with if isinstance(self._players, Batch) else self._network.instructions

    @property
    def merge_seconds(self) -> float | None:
        """Seconds that merges of replicas took so far; None without replicas."""
        return self._players.merge_seconds if isinstance(self._players, Replicas) else None

    def train(self, episodes: int, on_progress: OnProgress | None = None) -> NDArray[np.void]:
        """Play and learn a block: the next `episodes` episodes.

        With a `batch_sum` games are played in step: a block is at least so many moves, and has the episodes that ended
        in it, at least one, numbered in the order in which they ended.

        Returns
        -------
        structured array of dtype `tdl.storage.records.RECORD`, a row for each: episode, score, moves, max_tile.

        Raises
        ------
        ConfigError : no number of episodes, or a function as schedule gives no step size.
        DivergenceError : a value is not finite or beyond all bounds; the network is not to be used further.
        """
        episodes = without_numpy(episodes)
        if self.learner.batched:
            check_whole("moves", episodes, 0)
        else:
            check_episodes(episodes)
        check_function("on_progress", on_progress, "the numbers of games and moves")
        check_whole("episode", self.episode, 0, MAX_COUNT + 1)  # these may be assigned
        check_whole("moves", self.moves, 0, MAX_COUNT + 1)
        or_null(check_number)("spent", self.spent)
        if self.spent is None:
            self.schedule.check_counted()
        step = "fixed" if self.schedule.is_fixed(self.episode, self.spent) else self.learner.step
        self._players.set_step(self.alpha, step)
        if isinstance(self._players, Batch):
            self._players.total = self.moves
        records = self._players.play(self.episode, episodes, on_progress)
        self.episode += len(records)
        self.moves += self._players.moves
        total, number = self._players.errors
        object.__setattr__(self, "mean_abs_error", total / number if number else float("nan"))
        return records

    def arrays(self) -> Mapping[str, Array]:
        """All that has been learned, for a checkpoint: the weights and the state."""
        return {WEIGHTS: self.network.weights, **self.state}

    def restore(self, folder: Path, meta: Meta) -> None:
        """Read `state` back from the checkpoint in `folder`, which `meta` describes."""
        for name, array in self.state.items():
            read_array(folder, meta, name, into=array)
        with naming(folder):
            check_entered(self.state, self.network.rules, self.play_options.engine, self.learner.target)
            if LANES in self.state:
                check_playable(self.state[LANES], self.network.rules)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write a checkpoint from which `Trainer.load` goes on, and which `tdl.load` and all programs play.

        What was saved in the folder before is replaced.

        Raises
        ------
        ConfigError : the folder holds something else; the schedule is a function, or an adversary has a network.
        CheckpointError : it could not be written (a full disk); what was saved there before is intact.
        """
        play, network = self.play_options, self.network
        if play.evaluator is not None:
            raise refuse("evaluator", play.evaluator, "None where a trainer is saved; save its player apart")
        options = {"schedule": self.schedule.to_dict(), "play": asdict(play), "replicas": asdict(self.replicas)}
        meta = {
            "episode": self.episode,
            "moves": self.moves,
            SAVED: TRAINER,
            "rules": network.rules.to_dict(),
            "network": network.describe(),
            "learner": asdict(self.learner),
            TRAINER: without_numpy({**options, "spent": self.spent}),
        }
        save(folder, meta, self.arrays())

    @classmethod
    def load(cls, folder: str | os.PathLike[str], *, device: str | None = None) -> Self:
        """The trainer that was saved in a folder. It goes on as the one that was saved does, to the last bit.

        Parameters
        ----------
        device : what computes from now on; None: what did.

        Raises
        ------
        CheckpointError : missing, cut, corrupt, of another version, or not saved by a trainer.
        ConfigError : it does not fit into the memory that is free.
        """
        path = path_of(folder)
        meta, options = read_trainer(path)
        if device is not None:
            options["play"] = replace(options["play"], device=device)
        with naming(path / META):
            trainer = cls(**options)
        trainer.moves, trainer.spent = meta["moves"], meta[TRAINER]["spent"]
        trainer.restore(path, meta)
        return trainer


def _copied(kind: type[Trainer], network: NTupleNetwork, options: Any, progress: Any, state: LearnerState) -> Trainer:
    """A trainer that goes on as another one, from the parts that its `__reduce__` names."""
    if not network.weights.flags.writeable:  # joblib maps large arrays
        network = copy.deepcopy(network)
    learner, schedule, play, replicas = options
    trainer = kind(network, learner=learner, schedule=schedule, play=play, replicas=replicas)
    trainer.episode, trainer.moves, trainer.spent, error = progress
    object.__setattr__(trainer, "mean_abs_error", error)
    for name, array in state.items():
        np.copyto(trainer.state[name], array)
    return trainer
