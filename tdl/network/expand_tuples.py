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
    _check_alike(network, source, key)
    number_of = {features: number for number, features in _readers(network).items()}
    tables = _readers(source)
    for number, features in tables.items():
        if features not in number_of:
            every = (*source.features, *source.orders, *source.counts)
            first = next([*feature] for table, feature in every if table == number)
            line = f"its feature {first} is none of this run's tuples, of which all of its must be"
            raise ConfigError(f"{key}: {line} (in the same order of cells, or an image of it)")
    stages = [(stage, stage if source.stages.count > 1 else 0) for stage in range(network.stages.count)]
    if source.stages.count == 1 and network.stages.promotion:
        stages = [(0, 0)]
    for number, features in tables.items():
        for stage, origin in stages:
            to = network.table_entries(number_of[features], stage)
            rows = source.table_entries(number, origin)
            for target, values in ((network.weights, source.weights), *beside):
                target[to] = values[rows]


def _readers(network: NTupleNetwork) -> dict[int, Hashable]:
    """What reads each table: all features that share it."""
    readers: dict[int, set[Hashable]] = {}
    for kind, features in (("cells", network.features), ("orders", network.orders), ("counts", network.counts)):
        for number, feature in features:
            readers.setdefault(number, set()).add((kind, feature))
    return {number: frozenset(features) for number, features in readers.items()}


def _check_alike(network: NTupleNetwork, source: NTupleNetwork, key: str) -> None:
    if source.rules.name != network.rules.name:
        raise refuse(key, f"a network of {source.rules.name}", f"one of {network.rules.name}")
    if source.layout.radix != network.layout.radix:
        expected = f"tuples.radix={network.layout.radix}, as this run has"
        raise refuse(key, f"a network with tuples.radix={source.layout.radix}", expected)
    if source.counts and source.tuples.count_cap != network.tuples.count_cap:
        expected = f"tuples.count_cap={network.tuples.count_cap}, as this run has"
        raise refuse(key, f"a network with tuples.count_cap={source.tuples.count_cap}", expected)
    if source.stages.count > 1 and source.stages != network.stages:
        expected = "the same stages as this run's, of the same laws, or a single one"
        raise refuse(key, f"a network with learner.stages={list(source.stages.thresholds)}", expected)
