"""Which build of a kernel runs: the one for every CPU, or the one for CPUs with AVX2.

Both are compiled from one source and compute the same bits. Self-play of the second trains 4x6 at 1.05 times the speed
of the first.
"""

import importlib
import importlib.util
from typing import TypeVar

from tdl.network.ntuple import NTupleNetwork
from tdl.training.selfplay import SelfPlay

Class = TypeVar("Class")

WIDE = ("avx2", "avx512")
"""Instruction sets of a network that imply AVX2."""


def kernel(network: NTupleNetwork) -> type[SelfPlay]:
    """The `SelfPlay` to use with a network, by the network's instruction set."""
    return built_for(network, SelfPlay)


def built_for(network: NTupleNetwork, plain: type[Class]) -> type[Class]:
    """The build of a compiled class to use with a network: its own module's, or that of `<module>_avx2`."""
    if network.instructions not in WIDE:
        return plain
    name = f"{plain.__module__}_avx2"
    if importlib.util.find_spec(name) is None:
        return plain  # a build for several kinds of CPU, as macOS has them
    wide: type[Class] = getattr(importlib.import_module(name), plain.__name__)  # not at the top: others cannot run it
    return wide
