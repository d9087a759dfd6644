"""Many games in step as a block of moves: the batch learner with what it needs."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tdl.base.machine import cores, require_memory
from tdl.cuda import device
from tdl.game.lines import LineTables
from tdl.learning.options import LearnerOptions
from tdl.learning.state import LearnerState
from tdl.network.ntuple import NTupleNetwork
from tdl.storage.records import RECORD
from tdl.training.cuda_learner import CudaLearner
from tdl.training.lane_state import lane_type, reach_of
from tdl.training.options import OnProgress, PlayOptions, batch_lanes
from tdl.training.threads import batch_kernel

if TYPE_CHECKING:
    from tdl.training.batch_learner import BatchLearner

LANES = "lanes"
"""The games, among the arrays of a learner's state and of a checkpoint."""

HITS = 8 * 4 * 18
"""Bytes of a thread for each lane: 8 entries of a table, a quarter of whose places of 18 bytes is filled."""


class Batch:
    """Games in step that share what they learn; the bits depend neither on the number of threads nor on the device.

    Parameters
    ----------
    network, state : which learn, in place; the games become part of the state.
    learner, play : as those of `Trainer`.

    Attributes
    ----------
    total : moves before the next block, by which the number of lanes grows; to be set.
    computes_with : the CPU's instructions, or the name of the graphics card.
    moves, errors : of the last block, as those of `Threads`.

    Raises
    ------
    ConfigError : the lanes do not fit into the free memory, or the device is missing or not made for this.
    """

    def __init__(
        self, network: NTupleNetwork, state: LearnerState, learner: LearnerOptions, play: PlayOptions
    ) -> None:
        play, lanes = replace(play, threads=min(play.threads, cores())), batch_lanes(play)
        need = lane_bytes(learner, play) + step_bytes(network.m, play)
        require_memory("lanes", need, f"{lanes:,} lanes")
        card = device.open_device() if play.device == device.CUDA else None
        make = batch_kernel(network) if card is None else partial(CudaLearner, device=card)
        self._batch: BatchLearner | CudaLearner = make(network, LineTables(network.rules), learner, play, state=state)
        self.computes_with = network.instructions if card is None else card.name
        state[LANES] = self._batch.lanes
        self.total, self.moves, self.errors = 0, 0, (0.0, 0)

    def set_step(self, alpha: float, kind: str) -> None:
        """The step size and its kind from now on."""
        self._batch.set_step(alpha, kind)

    def play(self, first: int, moves: int, on_progress: OnProgress | None) -> NDArray[np.void]:
        """Play steps until so many moves are made, and then until a game has ended; the records of those that did.

        They are numbered from `first` on, in the order in which they ended: by step, and within one by lane.
        """
        batch, total, number = self._batch, 0.0, 0
        batch.games, batch.moves, end = first, self.total, self.total + moves
        records = np.zeros(0, RECORD)
        while batch.moves < end or (moves and not len(records)):
            begun = batch.moves - self.total
            records = batch.play(max(1, end - batch.moves), _later(on_progress, begun))
            total, number = total + batch.errors[0], number + batch.errors[1]
        self.moves, self.errors = batch.moves - self.total, (total, number)
        return records

    def settle(self) -> None:
        """Let the network and the state of the learner be what was learned, wherever that is."""
        if isinstance(self._batch, CudaLearner):
            self._batch.settle()


def _later(on_progress: OnProgress | None, begun: int) -> OnProgress | None:
    """Told of the moves of a block of which so many were made, and in which no game has ended yet."""
    return on_progress and (lambda finished, moves: on_progress(finished, begun + moves))


def lane_bytes(learner: LearnerOptions, play: PlayOptions) -> int:
    """Bytes of the lanes in a checkpoint."""
    return batch_lanes(play) * lane_type(reach_of(learner.td_lambda), learner.start).itemsize


def step_bytes(features: int, play: PlayOptions) -> int:
    """Bytes of a step, at most: the entries of boards that move, twice while they grow, and those that were hit."""
    return batch_lanes(play) * (2 * (4 * features + 8) + play.threads * HITS)
