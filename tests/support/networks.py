"""Networks of random weights, of whole and of half precision."""

import numpy as np

from tdl.network.ntuple import NTupleNetwork


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
