"""The weight files of TDL2048+, `.w`, and of TDL2048-Demo, `2048.bin`: reading and writing.

All numbers are little-endian, without gaps. Cells are numbered row by row; the first is the least significant digit of
an index, to 16 symbols a cell.

TDL2048+ writes one container after the other:

- a tag, the letter `w`, in files whose suffix begins with another letter; a 0 in its place is the container's own
- container: 0 (u8), number of tables (u32), the tables
- table: 4 (u8); 8 bytes of name; the size of a number (u16: 4, or 2 or 8 for half and double precision); number of
  weights (u64); the weights; then blocks of size of a number (u16; 0 ends the table), how many (u64), the numbers. The
  first block, with twice as many numbers as there are weights, is temporal coherence's E, then its A; others are
  passed over.
- name: the cells as a hex number (u32), the number of its digits (u16; 0 in old files), 0 (u16); for features that are
  no tuples 8 letters, the last of them blanks

E and A sum the scaled errors, as ours do; an entry that never moved has the smallest normal number in both (old files:
0).

Features beyond tuples: `m@0123` and its like are order features of the named line and the next one inwards, whose
index has for each pair of cells, lowest bit first, whether the first tile is at least as large and whether the second
one is (neither where both are empty); `num@lt` and `num@st` are count features of two halves of the tiles.

TDL2048-Demo writes a number of tables (u64), then for each the length of its name (i32), the name as "6-tuple pattern
012345", the number of its weights (u64) and the weights (float32). Its C++ and its Python program write the same.

Sources: github.com/moporgic/TDL2048, rev. a99f620: the stream operators, `save` and `load` of `weight`,
`load_network`, `indexmono`, `indexnumlt`, `indexnumst` and `resolve` in `2048.cpp`; `mono` in `board.h`.
github.com/moporgic/TDL2048-Demo, the same since its first version of 2017: the stream operators of `feature`,
`learning::save` and `pattern::name` of `2048.cpp`.
"""

import re
import struct
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

import numpy as np
from numpy.typing import NDArray

from tdl.errors import ConfigError
from tdl.formats.weight_file import Cursor, Feature, Table, cells_of, digits_of
from tdl.network.tuples import MAX_PAIRS, Lines, pairs_of
from tdl.network.tuples import symmetries as images_of

Index = NDArray[np.uint32]

NewTable = tuple[Feature, int, Iterable[Iterable[NDArray[np.float32]]]]
"""A table to write: its feature, its number of entries, and its columns as `Table` has them, each in parts."""

COUNT_CAP = 7
"""TDL2048+'s counts are digits to base 8."""

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
    lines = {}
    for base in bases:
        for image in images_of(4, 4):
            turned = tuple(tuple(image[cell] for cell in line) for line in base)
            lines[f"m@{digits_of(turned[0])}"] = turned
    return lines


_EXTRA: dict[str, dict[str, Any]] = {
    "orders": _orders(),
    "counts": {"num@lt": tuple(range(8, 16)), "num@st": tuple(range(8))},
}
"""Its features beyond tuples, by kind and name."""

LINES: dict[Any, Lines] = {pairs_of(lines): lines for lines in _EXTRA["orders"].values()}
"""The lines of its order features, by the pairs of cells that are compared."""

_BY_NAME = {name: Feature(kind, reads) for kind, named in _EXTRA.items() for name, reads in named.items()}

_NAMES = {feature: name for name, feature in _BY_NAME.items()}


class TDL2048:
    """The files of TDL2048+.

    Attributes
    ----------
    program : name of the program.
    suffix : of its files.
    fresh : E and A of an entry that was never moved; None: the format has no place for them.
    """

    program, suffix = "TDL2048+", ".w"
    fresh: ClassVar[float | None] = float(np.finfo(np.float32).tiny)

    def read(self, path: Path) -> list[Table]:
        """The tables of a file; those of a feature that comes twice are to be averaged.

        Raises
        ------
        WeightFileError : cut, foreign, or with an unknown feature.
        """
        cursor = Cursor(path, f"a weight file of {self.program}")
        tables: list[Table] = []
        while cursor.left:
            (code,) = cursor.take("<B", "a container")
            if code == _TAG:
                (code,) = cursor.take("<B", "a container")
            if code:
                raise cursor.foreign(f"a container begins with 0 or 'w', and byte {cursor.at - 1:,} is {code:#04x}")
            (count,) = cursor.take("<I", "the number of tables")
            tables += [_read_table(cursor, f"table {number} of {count}") for number in range(1, count + 1)]
        if not tables:
            raise cursor.foreign("it has no table")
        return tables

    def write(self, file: BinaryIO, path: Path, tables: Sequence[NewTable]) -> None:
        """Write tables as one container, with a tag unless the program takes a file of this name for one without."""
        if not path.suffix.startswith(".w"):
            file.write(bytes([_TAG]))
        file.write(struct.pack("<BI", 0, len(tables)))
        for feature, size, columns in tables:
            file.write(struct.pack("<B8sHQ", _SERIAL, write_name(self.name(feature)), 4, size))
            for number, column in enumerate(columns):
                if number == 1:
                    file.write(struct.pack("<HQ", 4, 2 * size))
                for part in column:
                    file.write(part.tobytes())
            file.write(struct.pack("<H", 0))

    def name(self, feature: Feature) -> str:
        """The name of a feature's table; a ConfigError where the program does not know the feature."""
        if feature.kind == "cells":
            return digits_of(feature.reads)
        if feature not in _NAMES:
            known = ", ".join(f"{name} {reads}" for name, reads in _EXTRA[feature.kind].items())
            raise ConfigError(f"tuples.{feature.kind}: {self.program} does not know {feature.reads}; it has {known}")
        return _NAMES[feature]

    def words(self, features: Iterable[Feature], symmetries: bool) -> str:
        """The program's options that play with these tables, read in all images of the board or in one.

        Without them it reads tables that are no tuples' in one image only.
        """
        return "-n " + " ".join(self._word(feature, symmetries) for feature in features)

    def _word(self, feature: Feature, symmetries: bool) -> str:
        name = self.name(feature)
        if feature.kind == "counts":
            return name
        if feature.kind == "cells":
            return name if symmetries else f"{name}:{name}"
        images = [digits_of([image[cell] for cell in feature.reads[0]]) for image in images_of(4, 4)]
        return f"{name}[^24]:{','.join(f'm@{image}' for image in images) if symmetries else name}"


def _read_table(cursor: Cursor, which: str) -> Table:
    serial, label, width, size = cursor.take("<B8sHQ", which)
    if serial != _SERIAL:
        raise cursor.foreign(f"{which} is of kind {serial}, and only kind {_SERIAL} is known")
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


def write_name(name: str) -> bytes:
    """The 8 bytes of a table's name."""
    if name in _BY_NAME:
        return name.ljust(8).encode()
    return struct.pack("<IHH", int(name, 16), len(name), 0)


def to_file(feature: Feature, index: Index) -> Index:
    """From natural indices of a feature to places in the file."""
    return _inverted(index, _NATURAL, _IN_FILE) if feature.kind == "orders" else index


def to_natural(feature: Feature, index: Index) -> Index:
    """The inverse of `to_file`."""
    return _inverted(index, _IN_FILE, _NATURAL) if feature.kind == "orders" else index


def _inverted(index: Index, read: Sequence[int], write: Sequence[int]) -> Index:
    """Bit read[i] of an index, inverted, moved to bit write[i]."""
    out = np.zeros_like(index)
    for source, target in zip(read, write, strict=True):
        out |= (~index >> np.uint32(source) & np.uint32(1)) << np.uint32(target)
    return out


class Demo:
    """The files of TDL2048-Demo; members as those of `TDL2048`."""

    program, suffix, fresh = "TDL2048-Demo", ".bin", None

    def read(self, path: Path) -> list[Table]:
        """The tables of a file; a WeightFileError where it is cut, foreign, or longer than its tables."""
        cursor = Cursor(path, f"a weight file of {self.program}")
        (count,) = cursor.take("<Q", "the number of tables")
        if count & 0xFFFF == _TAG and count > 0xFFFF:
            raise cursor.foreign("it begins as those of TDL2048+ do; read it with --format tdl2048")
        if not count:
            raise cursor.foreign("it has no table")
        tables: dict[Feature, Table] = {}
        for number in range(1, count + 1):
            table = _read_pattern(cursor, f"table {number} of {count}")
            if table.feature in tables:
                raise cursor.foreign(f"table {table.name!r} is there twice")
            tables[table.feature] = table
        if cursor.left:
            raise cursor.foreign(f"{cursor.left:,} bytes follow its {count} tables")
        return list(tables.values())

    def write(self, file: BinaryIO, path: Path, tables: Sequence[NewTable]) -> None:
        """Write tables of one column."""
        file.write(struct.pack("<Q", len(tables)))
        for feature, size, (weights,) in tables:
            name = f"{len(feature.reads)}-tuple pattern {self.name(feature)}".encode()
            file.write(struct.pack("<i", len(name)) + name + struct.pack("<Q", size))
            for part in weights:
                file.write(part.tobytes())

    def name(self, feature: Feature) -> str:
        """Cells as hex digits."""
        if feature.kind != "cells":
            raise ConfigError(f"tuples.{feature.kind}: {self.program} has tuples only")
        return digits_of(feature.reads)

    def words(self, features: Iterable[Feature], symmetries: bool) -> str:
        """The lines of its `main` that play with such tables."""
        last = "" if symmetries else ", 1"
        patterns = [", ".join(map(str, feature.reads)) for feature in features]
        return " ".join(f"tdl.add_feature(pattern({{ {cells} }}{last}));" for cells in patterns)


_PATTERN = re.compile(rb"([1-8])-tuple pattern ([0-9a-f]{1,8})")


def _read_pattern(cursor: Cursor, which: str) -> Table:
    (length,) = cursor.take("<i", f"the length of the name of {which}")
    if not 0 < length <= len("8-tuple pattern 01234567"):
        raise cursor.foreign(f"the name of {which} has {length} letters")
    name, size = cursor.take(f"<{length}sQ", f"the name and the size of {which}")
    match = _PATTERN.fullmatch(name)
    if not match or int(match[1]) != len(match[2]):
        raise cursor.foreign(f"{which} is named {name.decode('latin-1')!r}")
    digits = match[2].decode()
    feature = cells_of(digits, size, cursor)
    return Table(digits, feature, (cursor.array("<f4", size, f"the weights of {which}"),))
