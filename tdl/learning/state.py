"""What a learner keeps beside the weights: arrays by name, which checkpoints hold."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.base.checks import MAX_COUNT
from tdl.base.machine import allocate
from tdl.errors import ConfigError
from tdl.game.rules import Rules
from tdl.learning.options import ACCUMULATORS as ACCUMULATORS
from tdl.learning.options import STEP_ARRAYS, LearnerOptions
from tdl.network.ntuple import NTupleNetwork

Array = NDArray[Any]
LearnerState = dict[str, Array]

DROP_TABLE = "spread"
"""The table of `tdl.learning.drop_table`: float32, shape (entries,)."""

ENTERED, COUNTS = "entered", "entered_counts"
"""The carousel's boards, uint64, shape (stages, room), or (stages, room, words) where a board has more than 64 bits;
how many ever entered each stage, int64, shape (stages,)."""

MOVED = "moved"
"""Of a replica alone: the chunks of `CHUNK` entries that moved since the last merge are 1, uint8, shape (chunks,)."""

CHUNK = 64
"""Entries of a chunk; `tdl.learning.moved` has the same for the kernels."""

ROOM = 1000
"""Boards the carousel keeps of each stage."""


def new_state(network: NTupleNetwork, learner: LearnerOptions, engine: str = "bits") -> LearnerState:
    """The state of a learner of this network that starts from its present weights.

    Raises
    ------
    ConfigError : there is no room for it.
    """
    entries = len(network.weights)
    state: LearnerState = {}
    for name, width in STEP_ARRAYS[learner.step].items():
        numbers = allocate("step", width * entries, f"the {width * entries:,} numbers of step={learner.step}")
        state[name] = numbers.reshape(entries, width)
    if shares_drops(network, learner):
        state[DROP_TABLE] = drop_table_of(network)
    if learner.start == "carousel":
        words = 4 if engine == "array" else 2 if network.rules.bits > 4 else 1
        shape = (network.stages.count, ROOM, words)
        state[ENTERED] = np.zeros(shape if words > 1 else shape[:2], np.uint64)
        state[COUNTS] = np.zeros(network.stages.count, np.int64)
    return state


def state_bytes(entries: int, learner: LearnerOptions, *, stages: int, extras: bool) -> int:
    """Bytes of the state of a learner of a network of so many entries, without the carousel's boards, which are few.

    `extras`: the network has features beyond tuples.
    """
    numbers = sum(STEP_ARRAYS[learner.step].values()) + _shares_drops(learner, stages, extras)
    return 4 * entries * numbers


def shares_drops(network: NTupleNetwork, learner: LearnerOptions) -> bool:
    """Whether expectations over drops are read from a table of their own (see `tdl.learning.drop_table`)."""
    return _shares_drops(learner, network.stages.count, network.extras)


def _shares_drops(learner: LearnerOptions, stages: int, extras: bool) -> bool:
    return learner.target == "state" and learner.expectation != "direct" and stages == 1 and not extras


def drop_table_of(network: NTupleNetwork) -> NDArray[np.float32]:
    """The drop table of a network of one stage, from its weights, by the definition in `drop_table.pxd`."""
    entries = len(network.weights)
    spread = allocate("target", entries, f"the state target's {entries:,} expectations")
    if (network.weights == network.weights[0]).all():
        return spread  # blank or optimistic: no drop changes anything
    radix, layout = network.layout.radix, network.layout
    laws = [(min(tile, radix - 1), share) for tile, share in network.rules.drop]
    for number in range(len(network.lengths)):
        natural = np.arange(layout.size(number), dtype=np.uint32)
        where = layout.map(number, natural)
        weights = network.table(number).reshape((radix,) * network.lengths[number])
        total = np.zeros_like(weights)
        for axis in range(weights.ndim):
            digits = np.moveaxis(weights, axis, 0)
            empty = np.moveaxis(total, axis, 0)[:1]  # a view, also of a table of one cell
            for digit, share in laws:
                empty += np.float32(share) * (digits[digit : digit + 1] - digits[:1])
        spread[where] = total.reshape(-1)
    return spread


def digit_shares(network: NTupleNetwork) -> list[float]:
    """The probability, for each tile index, of the drops that the network reads as the same symbol; 0 for none."""
    last = network.layout.radix - 1
    tiles = range(1, network.rules.largest + 1)
    return [0.0] + [sum(p for drop, p in network.rules.drop if min(drop, last) == min(tile, last)) for tile in tiles]


def feature_masks(network: NTupleNetwork, engine: str) -> NDArray[np.uint64]:
    """The cells of each feature, as `marks_of` in `drop_table.pxd` marks them: shape (m,)."""
    apart = 4 if network.rules.bits == 4 and engine == "bits" else 1
    return np.array([sum(1 << apart * cell for cell in cells) for _, cells in network.features], np.uint64)


def features_of_cell(network: NTupleNetwork) -> NDArray[np.int32]:
    """The features that hold each cell, in their order, ended by -1: shape (cells, m + 1)."""
    holders = np.full((network.rules.cells, network.m + 1), -1, np.int32)
    for cell in range(network.rules.cells):
        features = [f for f, (_, cells) in enumerate(network.features) if cell in cells]
        holders[cell, : len(features)] = features
    return holders


def marked_fours(network: NTupleNetwork) -> NDArray[np.int32]:
    """The first features of the fours whose entries' chunks are marked: all but those of which others do it.

    Two paired tables lie in one region, and on any board two features that share all cells but their own one have
    entries in the same 32 (`tdl.network.layout`). A last group of fewer than four features is always marked.
    """
    tables, seen = network.layout.tables, set[object]()
    leads: list[bool] = []
    aligned = network.stride % 32 == 0
    for number, cells in network.features:
        table = tables[number]
        key: object = len(leads)
        if aligned and table.paired and table.base % 32 in (0, 8):
            key = table.base // 32, tuple(cells[place] for place in table.order[1:])
        leads.append(key not in seen)
        seen.add(key)
    leads += [True] * (network.m - len(leads))
    return np.array([f for f in range(0, network.m - 3, 4) if any(leads[f : f + 4])], np.int32)


def chunks_of(network: NTupleNetwork) -> int:
    """Chunks of all the network's entries."""
    return -(-len(network.weights) // CHUNK)


def check_entered(state: LearnerState, rules: Rules, engine: str = "bits", target: str = "afterstate") -> None:
    """Refuse boards of the carousel that no game of these rules has: the kernels trust theirs.

    `target` tells what they are: afterstates have an empty cell, where the next tile drops.
    """
    if ENTERED not in state:
        return
    if (wrong := state[COUNTS][(state[COUNTS] < 0) | (state[COUNTS] > MAX_COUNT)]).size:
        raise ConfigError(f"{COUNTS}: {wrong[0]} is not allowed; expected numbers from 0 to {MAX_COUNT}")
    boards = state[ENTERED].reshape(len(state[COUNTS]) * ROOM, -1)
    if engine == "array":
        array = boards.view(np.uint8)
        tiles, beyond = array[:, : rules.cells], array[:, rules.cells :]
    else:
        bits = np.unpackbits(boards.view(np.uint8), axis=1, bitorder="little")
        used = rules.bits * rules.cells
        cells = bits[:, :used].reshape(len(bits), rules.cells, rules.bits)
        tiles, beyond = np.packbits(cells, axis=2, bitorder="little"), bits[:, used:]
    if (tiles > rules.largest).any() or beyond.any():
        raise ConfigError(f"{ENTERED}: a board has what is no tile of the game")
    if target == "afterstate" and tiles.all(axis=1).any():
        raise ConfigError(f"{ENTERED}: a board has no empty cell, as every afterstate has")


def merge_entered(state: LearnerState, replicas: Sequence[LearnerState]) -> None:
    """Merge what replicas keep for the carousel: each stage's boards that they added, in the order of the replicas."""
    boards, counts = state[ENTERED], state[COUNTS]
    for stage, before in enumerate(counts.copy()):
        for replica in replicas:
            last = replica[COUNTS][stage]
            for number in range(max(before, last - ROOM), last):
                boards[stage, counts[stage] % ROOM] = replica[ENTERED][stage, number % ROOM]
                counts[stage] += 1
    for replica in replicas:
        replica[ENTERED][:] = boards
        replica[COUNTS][:] = counts
