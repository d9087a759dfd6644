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

from tdl.base.machine import allocate
from tdl.errors import ConfigError, WeightFileError, naming
from tdl.formats.tdl2048 import COUNT_CAP, LINES, TDL2048, Demo, Index, to_file, to_natural
from tdl.formats.weight_file import Feature, Table
from tdl.game.rules import Rules
from tdl.learning.options import LearnerOptions
from tdl.learning.state import ACCUMULATORS, new_state
from tdl.network.layout import entries_of
from tdl.network.ntuple import NTupleNetwork
from tdl.network.tuples import TupleSet, count_features, order_features, table_cells
from tdl.players.kinds import WEIGHTS, checkpoint_folder, read_accumulators, read_agent
from tdl.players.player import Player, load
from tdl.storage.atomic import new_file, new_folder
from tdl.storage.checkpoint import write_checkpoint
from tdl.storage.reading import reading

WeightFormat = TDL2048 | Demo

FORMATS: Mapping[str, WeightFormat] = {"tdl2048": TDL2048(), "demo": Demo()}

IMPORTED = "imported"
"""Key of a checkpoint's description that says where its weights came from."""

_RULES = Rules()
"""The rules of these programs; their files do not say them."""

_KINDS = ("cells", "orders", "counts")  # in the order in which a network has their tables

_PART = 1 << 22
"""Entries of a table that are converted at a time."""

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
    groups: dict[Feature, list[Table]] = {}
    for table in sorted(weight_format.read(source), key=lambda table: _KINDS.index(table.feature.kind)):
        groups.setdefault(table.feature, []).append(table)
    features = list(groups)
    cells, orders, counts = (tuple(f.reads for f in features if f.kind == kind) for kind in _KINDS)
    with naming(source, WeightFileError):
        tuples = TupleSet(cells, symmetries, orders=orders, counts=counts, count_cap=COUNT_CAP)
        entries = entries_of(tuples, _RULES.rows, _RULES.cols, _RULES.radix)
        weights = allocate("tuples", entries, f"the network's {entries:,} weights")
        network = NTupleNetwork(_RULES, tuples, weights=weights)
        coherent = any(len(table.columns) > 1 for tables in groups.values() for table in tables)
        sums = new_state(network, LearnerOptions(step="coherent" if coherent else "fixed")).get(ACCUMULATORS)
    for number, feature in enumerate(features):
        _fill(network, sums, number, groups[feature], weight_format, source)
    with reading(source, WeightFileError) as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    meta = {
        "episode": 0,
        "rules": _RULES.to_dict(),
        "network": network.describe(),
        "learner": {"gamma": 1.0, "target": "afterstate"},
        IMPORTED: {"program": weight_format.program, "file": source.name, "sha256": sha256},
    }
    arrays: dict[str, NDArray[Any]] = {WEIGHTS: network.weights}
    if sums is not None:
        arrays[ACCUMULATORS] = sums
    with new_folder(target) as folder:
        write_checkpoint(folder, meta, arrays)
    return _exchanged(weight_format, network, features, sums is not None)


def _fill(
    network: NTupleNetwork, sums: _Floats | None, number: int, tables: list[Table], form: WeightFormat, source: Path
) -> None:
    """Fill a network's table. Several of a file are averaged, and their accumulators added up, as TDL2048+ does."""
    for natural in _parts(network.layout.size(number)):
        memory = network.layout.map(number, natural)
        where = to_file(tables[0].feature, natural)
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


def _parts(size: int) -> Iterator[Index]:
    """The indices below `size`, a part at a time."""
    for start in range(0, size, _PART):
        yield np.arange(min(_PART, size - start), dtype=np.uint32) + np.uint32(start)


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
    network = player.network
    features = features_of(network.tuples)
    with naming(source, ConfigError):
        _check(player, symmetries, features, weight_format)
    folder = checkpoint_folder(source)
    meta = read_agent(folder)
    held = ACCUMULATORS in meta["arrays"]
    sums = read_accumulators(folder, meta, len(network.weights)) if weight_format.fresh is not None else None
    tables = [
        (feature, network.layout.size(number), _columns(network, sums, number, feature, weight_format))
        for number, feature in enumerate(features)
    ]
    try:
        with new_file(target) as file:
            weight_format.write(file, target, tables)
    except OSError as error:
        raise WeightFileError(f"{target}: could not be written: {error}") from error
    return _exchanged(weight_format, network, features, None if held and sums is None else held)


def _check(player: Player, symmetries: bool, features: list[Feature], form: WeightFormat) -> None:
    """Refuse what no file of the program can represent."""
    network, tuples, program = player.network, player.network.tuples, form.program
    ours, theirs = network.rules.to_dict(), _RULES.to_dict()
    compared = [(key, ours[key], theirs[key]) for key in ("game", "rows", "cols", "drop")]
    compared += [("target", player.target, "afterstate"), ("gamma", player.gamma, 1.0)]
    compared += [("radix", network.layout.radix, 16), ("stages", list(network.stages.thresholds), [])]
    if network.counts:
        compared.append(("tuples.count_cap", tuples.count_cap, COUNT_CAP))
    for key, value, known in compared:
        if value != known:
            raise ConfigError(f"{key} is {value}; {program} has only {known}")
    shared = tuples.symmetries and tuples.share
    if shared != symmetries:
        how = "in 8 images of the board" if shared else "in one image of the board"
        raise ConfigError(
            f"each of its tables is read {how}; a file does not say so: "
            f"{'without' if shared else 'with'} --no-symmetries it is written for a {program} that is told"
        )
    names = [form.name(feature) for feature in features]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ConfigError(f"tuples: two tables of the same cells, {twice[0]}; {program} knows them by these")


def features_of(tuples: TupleSet) -> list[Feature]:
    """The feature of each table of a network on 4x4: the first one that reads it."""
    board = _RULES.rows, _RULES.cols
    orders = dict(reversed(order_features(tuples, *board)))
    return [
        *(Feature("cells", cells) for cells in table_cells(tuples, *board)),
        *(Feature("orders", LINES.get(orders[table], orders[table])) for table in sorted(orders)),
        *(Feature("counts", tiles) for _, tiles in count_features(tuples, *board)),
    ]


def _columns(
    network: NTupleNetwork, sums: _Floats | None, number: int, feature: Feature, form: WeightFormat
) -> Iterator[Iterator[_Floats]]:
    """The columns of a table, each in the order of the file."""

    def memory() -> Iterator[NDArray[np.uint32]]:
        for index in _parts(network.layout.size(number)):
            yield network.layout.map(number, to_natural(feature, index))

    def accumulator(sums: _Floats, which: int) -> Iterator[_Floats]:
        for where in memory():
            both = _as_pairs(sums)[where].view(np.float32).reshape(-1, 2)
            yield np.where(both[:, 1] == 0, np.float32(form.fresh or 0), both[:, which]).astype("<f4", copy=False)

    yield (network.weights[where].astype("<f4", copy=False) for where in memory())
    if sums is not None:
        yield accumulator(sums, 0)
        yield accumulator(sums, 1)


def _exchanged(form: WeightFormat, network: NTupleNetwork, features: list[Feature], sums: bool | None) -> Exchanged:
    shared = network.tuples.symmetries and network.tuples.share
    entries = sum(network.layout.size(number) for number in range(len(features)))
    names = tuple(form.name(feature) for feature in features)
    return Exchanged(form.program, names, entries, sums, form.words(features, shared))
