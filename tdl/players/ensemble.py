"""Ensembles: several trained networks of one shape as one, by the mean of their weights.

With a fixed step size the weights never come to rest, and a checkpoint is one sample of them; the mean of the last
checkpoints of a run, or of runs with different seeds, is nearer to what they move around. V is linear in the weights,
so the mean network's V is the mean of the members' V.

Source: Guei, Chen and Wu (2021), Optimistic Temporal Difference Learning for 2048, section on ensemble learning.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tdl.base.machine import allocate
from tdl.errors import CheckpointError, refuse
from tdl.network.ntuple import NTupleNetwork
from tdl.players.player import Player, load

CHUNK = 1 << 22
"""Entries averaged at a time, in double precision."""

Weights = NDArray[np.float32]


def average(checkpoints: Sequence[str | Path]) -> Player:
    """The player whose value function is the mean of those of several checkpoints.

    Parameters
    ----------
    checkpoints : folders, each of a checkpoint or of a run.

    Raises
    ------
    ConfigError : none is given.
    CheckpointError : missing, damaged, or of different networks, rules, targets or discounts.
    """
    if isinstance(checkpoints, str) or not isinstance(checkpoints, Sequence) or not checkpoints:
        raise refuse("checkpoints", checkpoints, "a list of at least one folder")
    players = [load(folder) for folder in checkpoints]
    shapes = [(player.rules, player.network.describe(), player.gamma, player.target) for player in players]
    for folder, shape in zip(checkpoints, shapes, strict=True):
        if shape != shapes[0]:
            raise CheckpointError(f"{folder}: of another network than {checkpoints[0]}; a mean needs networks alike")
    net = players[0].network
    mean = _mean([player.network.weights for player in players], net)
    return players[0].with_network(NTupleNetwork(net.rules, net.tuples, stages=net.stages, weights=mean))


def _mean(members: Sequence[Weights], network: NTupleNetwork) -> Weights:
    """The mean of the weights; an entry that a member never moved counts with what it is worth there by promotion."""
    mean = allocate("checkpoints", len(members[0]), f"the mean of {len(members)} networks")
    for first, last in parts(network):
        untouched = np.isnan([member[first:last] for member in members]).all(axis=0)
        total = sum(promoted(member, first, last, network).astype(np.float64) for member in members)
        mean[first:last] = np.where(untouched, np.nan, total / len(members))
    return mean


def parts(network: NTupleNetwork) -> Iterator[tuple[int, int]]:
    """Where parts of the weights begin and end that lie in one stage each."""
    entries = len(network.weights)
    for stage in range(0, entries, network.stride or entries):
        end = min(stage + (network.stride or entries), entries)
        yield from ((first, min(first + CHUNK, end)) for first in range(stage, end, CHUNK))


def promoted(weights: Weights, first: int, last: int, network: NTupleNetwork) -> Weights:
    """A part of the weights; entries without one of their own have a share of those of the stage before."""
    part, stride = weights[first:last], network.stride
    if first >= stride > 0 and np.isnan(part).any():
        before = promoted(weights, first - stride, last - stride, network)
        part = np.where(np.isnan(part), np.float32(network.stages.share) * before, part)
    return part
