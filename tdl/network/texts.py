"""A network in few words, for people who print one."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from tdl.network.tuples import TupleSet

if TYPE_CHECKING:
    from tdl.network.ntuple import NTupleNetwork

LOOKED_THROUGH = 2**28
"""Of more weights, 1 GiB, nobody looks whether all are equal."""

CHUNK = 2**20

LARGE = 100 << 20
"""Bytes of weights from which on it is said how much memory they take."""


def network_text(network: NTupleNetwork) -> str:
    """Rules, tuples, stages, number of weights, and what is known of their values."""
    stages = network.stages.count
    parts = [
        network.rules.name,
        tuples_text(network.tuples),
        *([f"{stages} stages"] if stages > 1 else []),
        _weights(network),
        *_values(network),
    ]
    return f"NTupleNetwork({', '.join(parts)})"


def _weights(network: NTupleNetwork) -> str:
    number = network.stages.count * sum(map(network.layout.size, range(len(network.lengths))))
    bits = " of 16 bits" if network.weights.dtype == np.float16 else ""
    room = memory_text(network)
    return f"{number_text(number)} weights{bits}{room and f' in {room}'}"


def memory_text(network: NTupleNetwork) -> str:
    """What its weights take where that is much: "512 MiB"; "(mapped)" where they are read from a file on demand."""
    size = network.weights.nbytes
    mapped = " (mapped)" if isinstance(network.weights, np.memmap) else ""
    return f"{size >> 20:,} MiB{mapped}" if size >= LARGE else ""


def tuples_text(tuples: TupleSet) -> str:
    """How many tuples of how many cells: "4 tuples of 6 cells", or "2 tuples of 6 cells, 1 tuple of 1 cell"."""
    lengths = Counter(len(cells) for cells in tuples.cells)
    parts = [f"{_counted(number, 'tuple')} of {_counted(cells, 'cell')}" for cells, number in lengths.items()]
    for features, what in ((tuples.orders, "order feature"), (tuples.counts, "count feature")):
        if features:
            parts.append(_counted(len(features), what))
    return ", ".join(parts)


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def number_text(number: int) -> str:
    """A number as short as it says what it should: "950", "66k", "67M", "1.1G"."""
    size = float(number)
    for unit in ("", "k", "M"):
        if size < 999.5:
            return f"{size:.0f}{unit}" if size >= 9.95 or not unit else f"{size:.1f}{unit}"
        size /= 1000
    return f"{size:.1f}G"


def _values(network: NTupleNetwork) -> list[str]:
    """Whether a network has learned; "blank" or its initial value if all weights are equal."""
    weights = network.weights[: network.layout.entries]  # of the first stage; others follow it
    first = weights[0]
    if weights.size > LOOKED_THROUGH:
        return []
    for start in range(0, weights.size, CHUNK):
        if (weights[start : start + CHUNK] != first).any():
            return ["trained"]
    return ["blank" if first == 0 else f"initial value {np.float32(first) * network.m:,.0f}"]
