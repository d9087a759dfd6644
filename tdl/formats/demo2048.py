"""The weight files of TDL2048-Demo, `2048.bin`: reading and writing.

A number of tables (u64), then for each the length of its name (i32), the name as "6-tuple pattern 012345", the number
of its weights (u64) and the weights (float32); all little-endian, without gaps. The pattern's digits are cells, row by
row; the first is the least significant digit of an index, to 16 symbols a cell. Its C++ and its Python program write
the same.

Source: github.com/moporgic/TDL2048-Demo, the stream operators of `feature`, `learning::save` and `pattern::name` of
`2048.cpp`; the same since its first version of 2017.
"""

import re
import struct
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import BinaryIO

from tdl.errors import ConfigError
from tdl.formats.weight_file import Cursor, Feature, Index, NewTable, Table, WeightFormat, cells_of, digits_of

PROGRAM = "TDL2048-Demo"

_NAME = re.compile(rb"([1-8])-tuple pattern ([0-9a-f]{1,8})")
_LONGEST = len(b"8-tuple pattern 01234567")


def read(path: Path) -> list[Table]:
    """The tables of a file; a WeightFileError where it is cut, foreign, or longer than its tables."""
    cursor = Cursor(path, f"a weight file of {PROGRAM}")
    (count,) = cursor.take("<Q", "the number of tables")
    if count & 0xFFFF == ord("w") and count > 0xFFFF:
        raise cursor.foreign("it begins as those of TDL2048+ do; read it with --format tdl2048")
    tables: list[Table] = []
    for number in range(1, count + 1):
        tables.append(_table(cursor, f"table {number} of {count}"))
        if tables[-1].feature in [table.feature for table in tables[:-1]]:
            raise cursor.foreign(f"table {tables[-1].name!r} is there twice")
    if not tables:
        raise cursor.foreign("it has no table")
    if cursor.left:
        raise cursor.foreign(f"{cursor.left:,} bytes follow its {count} tables")
    return tables


def _table(cursor: Cursor, which: str) -> Table:
    (length,) = cursor.take("<i", f"the length of the name of {which}")
    if not 0 < length <= _LONGEST:
        raise cursor.foreign(f"the name of {which} has {length} letters")
    (name,) = cursor.take(f"<{length}s", f"the name of {which}")
    match = _NAME.fullmatch(name)
    if not match or int(match[1]) != len(match[2]):
        raise cursor.foreign(f"{which} is named {name.decode('latin-1')!r}")
    (size,) = cursor.take("<Q", f"the number of weights of {which}")
    digits = match[2].decode()
    feature = cells_of(digits, size, cursor)
    return Table(digits, feature, (cursor.array("<f4", size, f"the weights of {which}"),))


def write(file: BinaryIO, path: Path, tables: Sequence[NewTable]) -> None:
    """Write tables of one column."""
    file.write(struct.pack("<Q", len(tables)))
    for table in tables:
        name = f"{len(table.feature.reads)}-tuple pattern {_name(table.feature)}".encode()
        file.write(struct.pack("<i", len(name)) + name + struct.pack("<Q", table.size))
        for part in table.columns[0]():
            file.write(part.astype("<f4", copy=False).tobytes())


def _name(feature: Feature) -> str:
    if feature.kind != "cells":
        raise ConfigError(f"tuples.{feature.kind}: {PROGRAM} has tuples only")
    return digits_of(feature.reads)


def _same(feature: Feature, index: Index) -> Index:
    return index


def _words(features: Iterable[Feature], symmetries: bool) -> str:
    """The lines of its `main` that play with such tables."""
    last = "" if symmetries else ", 1"
    return " ".join(
        f"tdl.add_feature(pattern({{ {', '.join(map(str, feature.reads))} }}{last}));" for feature in features
    )


FORMAT = WeightFormat(PROGRAM, ".bin", None, read, write, _name, _same, _same, _words)
