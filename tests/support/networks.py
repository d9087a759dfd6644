"""Networks of random weights, of whole and of half precision."""

import numpy as np

from tdl.network.ntuple import NTupleNetwork
from tdl.network.tuples import TupleSet

# For kernels of a GPU, on 4x4.
SMALL = TupleSet(((0, 1, 2, 3), (4, 5, 6, 7)))  # 2x4
WOVEN = TupleSet(((0, 1, 2, 4, 5), (4, 5, 6, 8, 9), (1, 2, 3, 5), (0,)))  # paired and packed, runs both ways
EXTRAS = TupleSet(
    ((0, 1, 4, 5), (0, 1, 2, 3)),
    orders=(((0, 1, 2, 3),), ((4, 5), (1, 0, 4))),
    counts=tuple((tile, tile + 1) for tile in range(9)),  # more than a warp has images
    count_cap=4,
)


def random_network(rules, tuples, stages=None, precision=np.float32):
    """A network of weights that this precision holds; of those of later stages a half are not their own."""
    network = NTupleNetwork(rules, tuples, stages=stages)
    rng = np.random.default_rng(5)
    weights = rng.normal(0, 100, len(network.weights)).astype(precision)
    network.weights[:] = np.where(np.isnan(network.weights) & (rng.random(len(weights)) < 0.5), np.nan, weights)
    return network


def twins(rules, tuples, *, stages=None, scale=300.0, seed=0):
    """Networks of 16 and of 32 bits with the same weights: large, small, tiny and no numbers, of either sign."""
    entries = len(NTupleNetwork(rules, tuples, stages=stages).weights)
    rng = np.random.default_rng(seed)
    weights = rng.normal(0, scale, entries) * rng.choice([1, 2.0**-10, 2.0**-24, 0, -0.0], entries)
    halves = weights.astype(np.float16)
    return tuple(
        NTupleNetwork(rules, tuples, stages=stages, weights=halves.astype(kind)) for kind in (np.float16, np.float32)
    )
