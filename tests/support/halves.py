"""A network with weights of half precision, and what it must equal to the last bit: one with the same in float32."""

import numpy as np

from tdl.network.ntuple import NTupleNetwork


def twins(rules, tuples, *, stages=None, scale=300.0, seed=0):
    """The network with weights of 16 bits, and that of 32: large, small, tiny and no weights, of either sign."""
    entries = len(NTupleNetwork(rules, tuples, stages=stages).weights)
    rng = np.random.default_rng(seed)
    weights = rng.normal(0, scale, entries) * rng.choice([1, 2.0**-10, 2.0**-24, 0, -0.0], entries)
    halves = weights.astype(np.float16)
    return tuple(
        NTupleNetwork(rules, tuples, stages=stages, weights=halves.astype(kind)) for kind in (np.float16, np.float32)
    )
