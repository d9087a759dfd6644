"""The weight files of TDL2048+, `.w`: reading and writing.

One container after the other; all numbers little-endian, without gaps:

- a tag, the letter `w`, in files whose suffix begins with another letter; a 0 in its place is the container's own
- container: 0 (u8), number of tables (u32), the tables
- table: 4 (u8); 8 bytes of name; the size of a number (u16: 4, or 2 or 8 for half and double precision); number of
  weights (u64); the weights; then blocks of size of a number (u16; 0 ends the table), how many (u64), the numbers. The
  first block, with twice as many numbers as there are weights, is temporal coherence's E, then its A; others are
  passed over.
- name: the cells as a hex number (u32), the number of its digits (u16; 0 in old files), 0 (u16); for features that are
  no tuples 8 letters, the last of them blanks

Cells are numbered row by row. The first is the least significant digit of an index, to 16 symbols a cell. E and A sum
the scaled errors, as ours do; an entry that never moved has the smallest normal number in both (old files: 0).

Features beyond tuples: `m@0123` and its like are order features of the named line and the next one inwards, whose
index has for each pair of cells, lowest bit first, whether the first tile is at least as large and whether the second
one is (neither where both are empty); `num@lt` and `num@st` are count features of two halves of the tiles.

Source: github.com/moporgic/TDL2048, rev. a99f620: the stream operators, `save` and `load` of `weight`, `load_network`,
`indexmono`, `indexnumlt`, `indexnumst` and `resolve` in `2048.cpp`; `mono` in `board.h`.
"""

import struct
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from tdl.errors import ConfigError
from tdl.formats.weight_file import Cursor, Feature, Index, NewTable, Table, WeightFormat, cells_of, digits_of
from tdl.network.tuples import MAX_PAIRS, Lines, pairs_of
from tdl.network.tuples import symmetries as images_of

PROGRAM = "TDL2048+"
FRESH = float(np.finfo(np.float32).tiny)

COUNT_CAP = 7
"""Its counts are digits to base 8."""

_TAG = ord("w")
_SERIAL = 4
_NUMBERS = {2: "<f2", 4: "<f4", 8: "<f8"}

_NATURAL = range(2 * MAX_PAIRS)
_IN_FILE = [*range(0, 2 * MAX_PAIRS, 2), *range(1, 2 * MAX_PAIRS, 2)]
"""Bits of an order feature's index. The natural index says for all pairs whether the first tile is smaller, then for
all whether the second one is; that of the file says pair by pair whether they are not."""


def _orders() -> dict[str, Lines]:
    """Its order features: an outer line and the next one, that one and the one after it, each in 8 images."""
    bases: list[Lines] = [((0, 1, 2, 3), (4, 5, 6, 7)), ((4, 5, 6, 7), (8, 9, 10, 11))]
    lines = [
        tuple(tuple(image[cell] for cell in line) for line in base) for base in bases for image in images_of(4, 4)
    ]
    return {f"m@{digits_of(pair[0])}": pair for pair in lines}


_BEYOND: dict[str, dict[str, Any]] = {
    "orders": _orders(),
    "counts": {"num@lt": tuple(range(8, 16)), "num@st": tuple(range(8))},
}
"""Its features beyond tuples, by kind and name."""

LINES: dict[Any, Lines] = {pairs_of(lines): lines for lines in _BEYOND["orders"].values()}
"""The lines of its order features, by the pairs of cells that are compared."""

_BY_NAME = {name: Feature(kind, reads) for kind, named in _BEYOND.items() for name, reads in named.items()}

_NAMES = {feature: name for name, feature in _BY_NAME.items()}


def read(path: Path) -> list[Table]:
    """The tables of all containers; a WeightFileError where the file is cut, foreign, or has an unknown feature."""
    cursor = Cursor(path, f"a weight file of {PROGRAM}")
    tables: list[Table] = []
    while cursor.left:
        (code,) = cursor.take("<B", "a container")
        if code == _TAG:
            (code,) = cursor.take("<B", "a container")
        if code:
            raise cursor.foreign(f"a container begins with 0 or 'w', and byte {cursor.at - 1:,} is {code:#04x}")
        (count,) = cursor.take("<I", "the number of tables")
        for number in range(1, count + 1):
            tables.append(_table(cursor, f"table {number} of {count}"))
    if not tables:
        raise cursor.foreign("it has no table")
    return tables


def _table(cursor: Cursor, which: str) -> Table:
    (serial,) = cursor.take("<B", which)
    if serial != _SERIAL:
        raise cursor.foreign(f"{which} is of kind {serial}, and only kind {_SERIAL} is known")
    (label,) = cursor.take("<8s", f"the name of {which}")
    width, size = cursor.take("<HQ", f"the size of {which}")
    if width not in _NUMBERS:
        raise cursor.foreign(f"{which} has numbers of {width} bytes, expected 2, 4 or 8")
    name = read_name(label, size, cursor, which)
    feature = feature_of(name, size, cursor)
    columns = [cursor.array(_NUMBERS[width], size, f"the weights of {name}")]
    while (block := cursor.take("<H", f"the end of {name}")[0]) != 0:
        (count,) = cursor.take("<Q", f"a block of {name}")
        if len(columns) > 1 or count != 2 * size:
            cursor.array("u1", block * count, f"a block of {name}")
            continue
        if block != width:
            raise cursor.foreign(f"{name} has weights of {width} bytes and accumulators of {block}")
        columns += [cursor.array(_NUMBERS[width], size, f"the accumulators of {name}") for _ in range(2)]
    return Table(name, feature, tuple(columns))


def read_name(label: bytes, size: int, cursor: Cursor, which: str) -> str:
    """The name of a table, from its 8 bytes: cells as hex digits, or the name of another feature."""
    number, digits, kind = struct.unpack("<IHH", label)
    if kind == 0:
        # What digits it had is said by their number; old files left that to the size of the table.
        digits = digits or (size.bit_length() - 1) // 4
        if digits > 8:
            raise cursor.foreign(f"the name of {which} has {digits} digits")
        return f"{number:0{digits if digits >= len(f'{number:x}') else 8}x}"
    text = label.decode("latin-1")
    if not text.isascii() or not text.isprintable():
        raise cursor.foreign(f"{which} is named {text!r}")
    return text.split(" ")[0]


def feature_of(name: str, size: int, cursor: Cursor) -> Feature:
    """The feature of a table of `size` entries, by its name."""
    if name in _BY_NAME:
        if size != 4**MAX_PAIRS:
            raise cursor.foreign(f"table {name!r} has {size:,} weights, expected {4**MAX_PAIRS:,}")
        return _BY_NAME[name]
    if not name or set(name) - set("0123456789abcdef"):
        raise cursor.foreign(
            f"table {name!r} is of no feature known here; expected cells as hex digits, or {', '.join(_BY_NAME)}"
        )
    length = (size.bit_length() - 1) // 4
    if len(name) == 8 and 0 < length < 8 and size == 16**length:
        stage = name[: 8 - length]  # as it numbers the tables of several stages
        if stage.strip("0"):
            raise cursor.foreign(f"table {name!r} is of a later stage ({stage}); networks of one stage are read here")
        name = name[8 - length :]
    return cells_of(name, size, cursor)


def write(file: BinaryIO, path: Path, tables: Sequence[NewTable]) -> None:
    """Write tables as one container, with a tag unless the program takes a file of this name for one without."""
    if not path.suffix.startswith(".w"):
        file.write(bytes([_TAG]))
    file.write(struct.pack("<BI", 0, len(tables)))
    for table in tables:
        file.write(struct.pack("<B8sHQ", _SERIAL, write_name(_name(table.feature)), 4, table.size))
        for number, column in enumerate(table.columns):
            if number == 1:
                file.write(struct.pack("<HQ", 4, 2 * table.size))
            for part in column():
                file.write(part.astype("<f4", copy=False).tobytes())
        file.write(struct.pack("<H", 0))


def write_name(name: str) -> bytes:
    """The 8 bytes of a table's name."""
    if name in _BY_NAME:
        return name.ljust(8).encode()
    return struct.pack("<IHH", int(name, 16), len(name), 0)


def _name(feature: Feature) -> str:
    if feature.kind == "cells":
        return digits_of(feature.reads)
    if feature not in _NAMES:
        known = ", ".join(f"{name} {reads}" for name, reads in _BEYOND[feature.kind].items())
        raise ConfigError(f"tuples.{feature.kind}: {PROGRAM} does not know {feature.reads}; it has {known}")
    return _NAMES[feature]


def _to_file(feature: Feature, index: Index) -> Index:
    return _inverted(index, _NATURAL, _IN_FILE) if feature.kind == "orders" else index


def _to_natural(feature: Feature, index: Index) -> Index:
    return _inverted(index, _IN_FILE, _NATURAL) if feature.kind == "orders" else index


def _inverted(index: Index, read: Sequence[int], write: Sequence[int]) -> Index:
    """Bit read[i] of an index, inverted, moved to bit write[i]."""
    out = np.zeros_like(index)
    for source, target in zip(read, write, strict=True):
        out |= (~index >> np.uint32(source) & np.uint32(1)) << np.uint32(target)
    return out


def _words(features: Iterable[Feature], symmetries: bool) -> str:
    """The words of its `-n`; without them it reads tables that are no tuples' in one image only."""
    return "-n " + " ".join(_word(feature, symmetries) for feature in features)


def _word(feature: Feature, symmetries: bool) -> str:
    name = _name(feature)
    if feature.kind == "counts":
        return name
    if feature.kind == "cells":
        return name if symmetries else f"{name}:{name}"
    where = ",".join(f"m@{digits_of([image[cell] for cell in feature.reads[0]])}" for image in images_of(4, 4))
    return f"{name}[^24]:{where if symmetries else name}"


FORMAT = WeightFormat(PROGRAM, ".w", FRESH, read, write, _name, _to_file, _to_natural, _words)
