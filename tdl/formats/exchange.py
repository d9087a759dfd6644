"""Import of other programs' weight files into checkpoints, and export of checkpoints into such files.

Both go table by table, a part at a time: beside the network there is never more than a part in memory.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.errors import ConfigError, WeightFileError
from tdl.formats import demo2048, tdl2048
from tdl.formats.weight_file import Column, Feature, NewTable, Table, WeightFormat, parts
from tdl.game.rules import Rules
from tdl.learning.options import LearnerOptions
from tdl.learning.state import ACCUMULATORS, new_state
from tdl.network.allocation import allocate
from tdl.network.layout import entries_of
from tdl.network.ntuple import NTupleNetwork
from tdl.network.tuples import TupleSet, count_features, order_features, table_cells
from tdl.players.kinds import WEIGHTS, checkpoint_folder, read_accumulators, read_agent
from tdl.players.player import Player, load
from tdl.storage.atomic import new_file, new_folder
from tdl.storage.checkpoint import write_checkpoint
from tdl.storage.reading import reading

FORMATS: Mapping[str, WeightFormat] = {"tdl2048": tdl2048.FORMAT, "demo": demo2048.FORMAT}

IMPORTED = "imported"
"""Key of a checkpoint's description that says where its weights came from."""

_RULES = Rules()
"""The rules of these programs; their files do not say them."""

_KINDS = ("cells", "orders", "counts")  # in the order in which a network has their tables

_Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Exchanged:
    """A summary of a conversion: the program, its names of the tables, the number of weights, its options to play so.

    `sums` says whether E and A of temporal coherence were converted; None: the format has no place for them.
    """

    program: str
    tables: tuple[str, ...]
    weights: int
    sums: bool | None
    words: str


def import_weights(source: Path, target: Path, form: str, *, symmetries: bool = True) -> Exchanged:
    """Make the checkpoint folder `target` of a weight file in a form of `FORMATS`.

    The file does not say whether its tables are read in all symmetric images of the board; `symmetries` does. A
    WeightFileError where it is missing, cut, foreign, not finite, or too large for the memory.
    """
    weight_format = FORMATS[form]
    groups = _by_feature(weight_format.read(source), source)
    features = list(groups)
    cells, orders, counts = (tuple(f.reads for f in features if f.kind == kind) for kind in _KINDS)
    try:
        tuples = TupleSet(cells, symmetries, orders=orders, counts=counts, count_cap=tdl2048.COUNT_CAP)
        entries = entries_of(tuples, _RULES.rows, _RULES.cols, _RULES.radix)
        weights = allocate("tuples", entries, f"the network's {entries:,} weights")
        network = NTupleNetwork(_RULES, tuples, weights=weights)
        coherent = any(len(table.columns) > 1 for tables in groups.values() for table in tables)
        sums = new_state(network, LearnerOptions(step="coherent" if coherent else "fixed")).get(ACCUMULATORS)
    except ConfigError as error:
        raise WeightFileError(f"{source}: {error}") from error
    for number, feature in enumerate(features):
        _fill(network, sums, number, groups[feature], weight_format, source)
    meta = {
        "episode": 0,
        "rules": _RULES.to_dict(),
        "network": network.describe(),
        "learner": {"gamma": 1.0, "target": "afterstate"},
        IMPORTED: {"program": weight_format.program, "file": source.name, "sha256": _sha256(source)},
    }
    arrays: dict[str, NDArray[Any]] = {WEIGHTS: network.weights} | ({} if sums is None else {ACCUMULATORS: sums})
    with new_folder(target) as folder:
        write_checkpoint(folder, meta, arrays)
    return _exchanged(weight_format, network, features, sums is not None)


def _by_feature(tables: list[Table], source: Path) -> dict[Feature, list[Table]]:
    """The tables of each feature, in the order of a network's tables."""
    groups: dict[Feature, list[Table]] = {}
    for table in sorted(tables, key=lambda table: _KINDS.index(table.feature.kind)):
        groups.setdefault(table.feature, []).append(table)
    if next(iter(groups)).kind != "cells":
        raise WeightFileError(f"{source}: it has no tuple, and a network needs one")
    return groups


def _fill(
    network: NTupleNetwork, sums: _Floats | None, number: int, tables: list[Table], form: WeightFormat, source: Path
) -> None:
    """Fill a network's table. Several of a file are averaged, and their accumulators added up, as TDL2048+ does."""
    for natural in parts(network.layout.size(number)):
        memory = network.layout.map(number, natural)
        where = form.to_file(tables[0].feature, natural)
        parts_read = [[_finite(column[where], table, source) for column in table.columns] for table in tables]
        weights = reduce(np.add, [columns[0] for columns in parts_read])
        network.weights[memory] = weights / np.float32(len(tables)) if len(tables) > 1 else weights
        accumulators = [columns[1:] for columns in parts_read if len(columns) > 1]
        if sums is None or not accumulators:
            continue
        for signed, absolute in accumulators:
            fresh = (absolute == 0) | ((signed == form.fresh) & (absolute == form.fresh))
            signed[fresh] = absolute[fresh] = 0
        both = np.column_stack([reduce(np.add, columns) for columns in zip(*accumulators, strict=True)])
        _as_pairs(sums)[memory] = _as_pairs(both)


def _as_pairs(sums: _Floats) -> NDArray[np.uint64]:
    """E and A of an entry as one number: NumPy moves single numbers to scattered places at several times the speed."""
    return sums.view(np.uint64)[:, 0]


def _finite(numbers: NDArray[Any], table: Table, source: Path) -> _Floats:
    with np.errstate(over="ignore"):
        single: _Floats = numbers.astype(np.float32)
    if not np.isfinite(single).all():
        raise WeightFileError(f"{source}: table {table.name} has a number that is not finite")
    return single


def export_weights(source: Path, target: Path, form: str, *, symmetries: bool = True) -> Exchanged:
    """Make the weight file `target`, in a form of `FORMATS`, of a checkpoint or of the run's folder that has it.

    `symmetries` says whether the program will read the tables in all symmetric images of the board. A ConfigError
    names what of the checkpoint the format cannot represent.
    """
    weight_format, player = FORMATS[form], load(source)
    network, program = player.network, weight_format.program
    _check(player, source, program, symmetries)
    features = features_of(network.tuples)
    try:
        names = [weight_format.name(feature) for feature in features]
    except ConfigError as error:
        raise ConfigError(f"{source}: {error}") from error
    if network.counts and network.tuples.count_cap != tdl2048.COUNT_CAP:
        raise ConfigError(f"{source}: tuples.count_cap is {network.tuples.count_cap}; {program} has only 7")
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ConfigError(f"{source}: tuples: two tables of the same cells, {twice[0]}; {program} knows them by these")
    folder = checkpoint_folder(source)
    meta = read_agent(folder)
    held = ACCUMULATORS in meta["arrays"]
    sums = read_accumulators(folder, meta, len(network.weights)) if weight_format.fresh is not None else None
    tables = [
        NewTable(feature, network.layout.size(number), _columns(network, sums, number, feature, weight_format))
        for number, feature in enumerate(features)
    ]
    try:
        with new_file(target) as file:
            weight_format.write(file, target, tables)
    except OSError as error:
        raise WeightFileError(f"{target}: could not be written: {error}") from error
    return _exchanged(weight_format, network, features, None if held and sums is None else held)


def _check(player: Player, source: Path, program: str, symmetries: bool) -> None:
    """Refuse what no file of these programs can represent."""
    network, tuples = player.network, player.network.tuples
    ours, theirs = network.rules.to_dict(), _RULES.to_dict()
    differing = [(key, ours[key], theirs[key]) for key in ("game", "rows", "cols", "drop")]
    differing += [("target", player.target, "afterstate"), ("gamma", player.gamma, 1.0)]
    differing += [("radix", network.layout.radix, 16), ("stages", list(network.stages.thresholds), [])]
    for key, value, known in differing:
        if value != known:
            raise ConfigError(f"{source}: {key} is {value}; {program} has only {known}")
    shared = tuples.symmetries and tuples.share
    if shared != symmetries:
        how = "in 8 images of the board" if shared else "in one image of the board"
        raise ConfigError(
            f"{source}: each of its tables is read {how}; a file does not say so: "
            f"{'without' if shared else 'with'} --no-symmetries it is written for a {program} that is told"
        )


def features_of(tuples: TupleSet) -> list[Feature]:
    """The feature of each table of a network on 4x4: the first one that reads it."""
    board = _RULES.rows, _RULES.cols
    orders: dict[int, Feature] = {}
    for table, pairs in order_features(tuples, *board):
        orders.setdefault(table, Feature("orders", tdl2048.LINES.get(pairs, pairs)))
    return [
        *(Feature("cells", cells) for cells in table_cells(tuples, *board)),
        *orders.values(),
        *(Feature("counts", tiles) for _, tiles in count_features(tuples, *board)),
    ]


def _columns(
    network: NTupleNetwork, sums: _Floats | None, number: int, feature: Feature, form: WeightFormat
) -> tuple[Column, ...]:
    """The columns of a table, each in the order of the file."""

    def memory() -> Iterator[NDArray[np.uint32]]:
        for index in parts(network.layout.size(number)):
            yield network.layout.map(number, form.to_natural(feature, index))

    def weights() -> Iterator[_Floats]:
        return (network.weights[where] for where in memory())

    def accumulator(which: int) -> Iterator[_Floats]:
        assert sums is not None
        for where in memory():
            both = _as_pairs(sums)[where].view(np.float32).reshape(-1, 2)
            yield np.where(both[:, 1] == 0, np.float32(form.fresh or 0), both[:, which])

    if sums is None:
        return (weights,)
    return weights, lambda: accumulator(0), lambda: accumulator(1)


def _exchanged(form: WeightFormat, network: NTupleNetwork, features: list[Feature], sums: bool | None) -> Exchanged:
    shared = network.tuples.symmetries and network.tuples.share
    entries = sum(network.layout.size(number) for number in range(len(features)))
    names = tuple(form.name(feature) for feature in features)
    return Exchanged(form.program, names, entries, sums, form.words(features, shared))


def _sha256(path: Path) -> str:
    with reading(path, WeightFileError) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
