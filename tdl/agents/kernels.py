"""Which build of a kernel runs: the one for every CPU, or the one for CPUs with AVX2.

Both are compiled from one source and compute the same bits. Self-play of the second trains 4x6 at 1.05 times the speed
of the first.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, TypeVar

from tdl.agents.selfplay import SelfPlay
from tdl.network.ntuple import NTupleNetwork

if TYPE_CHECKING:
    from tdl.network.operations import Operations

Kind = TypeVar("Kind")

WIDE = ("avx2", "avx512")
"""Instruction sets of a network that imply AVX2."""


def kernel(network: NTupleNetwork) -> type[SelfPlay]:
    """The `SelfPlay` to use with a network, by the network's instruction set."""
    return _built(network, SelfPlay)


def operations(network: NTupleNetwork) -> type[Operations]:
    """The `Operations` to use with a network."""
    from tdl.network.operations import Operations  # not at the top: only a benchmark needs it

    return _built(network, Operations)


def _built(network: NTupleNetwork, plain: type[Kind]) -> type[Kind]:
    if network.instructions not in WIDE:
        return plain
    # Not at the top: other CPUs cannot run it.
    wide: type[Kind] = getattr(importlib.import_module(f"{plain.__module__}_avx2"), plain.__name__)
    return wide
