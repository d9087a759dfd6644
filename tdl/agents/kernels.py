"""Which build of the self-play kernel plays: the one for every CPU, or the one for CPUs with AVX2.

Both are compiled from `selfplay.pyx` and compute the same bits. The second trains 4x6 at 1.05 times the speed of the
first.
"""

from __future__ import annotations

import importlib

from tdl.agents.selfplay import SelfPlay
from tdl.network.ntuple import NTupleNetwork

WIDE = ("avx2", "avx512")
"""Instruction sets of a network that imply AVX2."""


def kernel(network: NTupleNetwork) -> type[SelfPlay]:
    """The `SelfPlay` to use with a network, by the network's instruction set."""
    if network.instructions not in WIDE:
        return SelfPlay
    module = importlib.import_module("tdl.agents.selfplay_avx2")  # not at the top: other CPUs cannot run it
    wide: type[SelfPlay] = module.SelfPlay
    return wide
