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


def network_text(network: NTupleNetwork) -> str:
    """Rules, tuples, stages, number of weights, and what is known of their values."""
    stages = network.stages.count
    parts = [
        network.rules.name,
        tuples_text(network.tuples),
        *([f"{stages} stages"] if stages > 1 else []),
        f"{number_text(stages * sum(map(network.layout.size, range(len(network.lengths)))))} weights",
        *_values(network),
    ]
    return f"NTupleNetwork({', '.join(parts)})"


def tuples_text(tuples: TupleSet) -> str:
    """How many tuples of how many cells: "4x6", or "2x6+1x4"."""
    lengths = Counter(len(cells) for cells in tuples.cells)
    parts = ["+".join(f"{number}x{cells}" for cells, number in lengths.items())] if lengths else []
    for features, what in ((tuples.orders, "order"), (tuples.counts, "count")):
        if features:
            parts.append(f"{len(features)} {what} {'feature' if len(features) == 1 else 'features'}")
    return " and ".join(parts)


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
