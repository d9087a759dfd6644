"""A network begins with the tables of another one, and may have more tuples than that had."""

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from tdl.errors import ConfigError, refuse
from tdl.network.ntuple import NTupleNetwork

Floats = NDArray[np.float32]


def expand_tuples(
    network: NTupleNetwork, source: NTupleNetwork, key: str = "init", beside: Sequence[tuple[Floats, Floats]] = ()
) -> None:
    """Give a network the tables of another; tables that it has beside them keep their values.

    A table goes where the same features are read: tuples may stand in another order, or be other images of the board.
    Where further tables hold zeros every board is worth what it was worth there, but for the rounding of the sum.

    Parameters
    ----------
    source : of the same game and board; its drop law may be another one. With several stages: of the same stages. With
        one: each stage begins with its tables; where later stages take over from earlier ones, the first alone does.
    key : for messages: what names the source.
    beside : arrays with a row for each entry, of the network and of the source: rows go where the weights go.

    Raises
    ------
    ConfigError : another game or board, other stages, other tile symbols, or a table that the network does not have.
    """
    _check(network, source, key)
    own = {features: number for number, features in _tables(network).items()}
    tables = _tables(source)
    for number, features in tables.items():
        if features not in own:
            line = f"its feature {_first(source, number)} is none of this run's tuples, of which all of its must be"
            raise ConfigError(f"{key}: {line} (in the same order of cells, or an image of it)")
    for number, features in tables.items():
        for stage, origin in _stages(network, source):
            to, of = network.table_entries(own[features], stage), source.table_entries(number, origin)
            for ours, theirs in ((network.weights, source.weights), *beside):
                ours[to] = theirs[of]


def _stages(network: NTupleNetwork, source: NTupleNetwork) -> list[tuple[int, int]]:
    """The stages to be filled, each with the source's stage that it takes the tables of."""
    if source.stages.count > 1:
        return [(stage, stage) for stage in range(network.stages.count)]
    filled = 1 if network.stages.promotion else network.stages.count
    return [(stage, 0) for stage in range(filled)]


def _tables(network: NTupleNetwork) -> dict[int, Hashable]:
    """What reads each table: all features that share it."""
    found: dict[int, set[Hashable]] = {}
    for kind, features in (("cells", network.features), ("orders", network.orders), ("counts", network.counts)):
        for number, feature in features:
            found.setdefault(number, set()).add((kind, feature))
    return {number: frozenset(features) for number, features in found.items()}


def _check(network: NTupleNetwork, source: NTupleNetwork, key: str) -> None:
    if source.rules.name != network.rules.name:
        raise refuse(key, f"a network of {source.rules.name}", f"one of {network.rules.name}")
    caps = ("tuples.count_cap", network.tuples.count_cap, source.tuples.count_cap)
    for name, ours, theirs in (
        ("tuples.radix", network.layout.radix, source.layout.radix),
        *[caps] * bool(source.counts),
    ):
        if ours != theirs:
            raise refuse(key, f"a network with {name}={theirs}", f"{name}={ours}, as this run has")
    if source.stages.count > 1 and source.stages != network.stages:
        thresholds = list(source.stages.thresholds)
        expected = "the same stages as this run's, of the same laws, or a single one"
        raise refuse(key, f"a network with learner.stages={thresholds}", expected)


def _first(network: NTupleNetwork, number: int) -> str:
    """The first feature that reads a table, as lists."""
    every = (*network.features, *network.orders, *network.counts)
    return next(str([*feature]) for table, feature in every if table == number)
