"""Weight files of other programs: the tables in them, and a reader that checks every size against the file's length.

A format (`tdl2048`, `demo2048`) is a `WeightFormat`; none of them knows of networks or checkpoints.
"""

import os
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from tdl.errors import WeightFileError
from tdl.storage.reading import reading

PART = 1 << 22
"""Entries of a table that are converted at a time."""

Index = NDArray[np.uint32]
Column = Callable[[], Iterator[NDArray[np.float32]]]
"""A column of a table to write: its parts, from the first entry to the last."""


@dataclass(frozen=True)
class Feature:
    """What a table has weights of: the entry `reads` of the field `kind` of `TupleSet`, cells, orders or counts."""

    kind: str
    reads: tuple[Any, ...]


@dataclass(frozen=True)
class Table:
    """A table by its name in the file.

    The columns are the weights, or the weights, E and A of temporal coherence: arrays of shape (entries,), of floating
    point numbers of 2, 4 or 8 bytes, mapped from the file and in its order.
    """

    name: str
    feature: Feature
    columns: tuple[NDArray[Any], ...]


@dataclass(frozen=True)
class NewTable:
    """A table to write: one column, or three as `Table` has them."""

    feature: Feature
    size: int
    columns: tuple[Column, ...]


@dataclass(frozen=True)
class WeightFormat:
    """A format of files.

    Attributes
    ----------
    program : name of the program that writes such files.
    suffix : of its files.
    fresh : E and A of an entry that was never moved; None: the format has no place for them.
    read : reads the tables of a file; those of a feature that comes twice are to be averaged.
    write : writes tables to an open file; the path is its name.
    name : the name of a feature's table; refuses a feature that the program does not know.
    to_file : from natural indices of a feature to places in the file.
    to_natural : the inverse of `to_file`.
    words : the program's options that play with the tables of these features, read in all images or in one.
    """

    program: str
    suffix: str
    fresh: float | None
    read: Callable[[Path], list[Table]]
    write: Callable[[BinaryIO, Path, Sequence[NewTable]], None]
    name: Callable[[Feature], str]
    to_file: Callable[[Feature, Index], Index]
    to_natural: Callable[[Feature, Index], Index]
    words: Callable[[Iterable[Feature], bool], str]


def parts(size: int) -> Iterator[Index]:
    """The indices below `size`, a part at a time: uint32 arrays."""
    for start in range(0, size, PART):
        yield np.arange(min(PART, size - start), dtype=np.uint32) + np.uint32(start)


MAX_PARTS = 100_000
"""Of a file: a table has some five, and no network has a thousand tables."""


class Cursor:
    """Reads a file, of what errors call its kind, and checks every size against the file's length first.

    A file of more than `MAX_PARTS` is refused: one of gigabytes could be parts of nothing.
    """

    def __init__(self, path: Path, kind: str) -> None:
        self.path, self.kind, self.at, self.parts = path, kind, 0, 0
        with reading(path, WeightFileError) as file:
            self.size = os.fstat(file.fileno()).st_size
            if not self.size:
                raise WeightFileError(f"{path}: empty")
            self.data = np.memmap(file, np.uint8, "r")

    @property
    def left(self) -> int:
        """Number of bytes not read yet."""
        return self.size - self.at

    def take(self, layout: str, what: str) -> tuple[Any, ...]:
        """Read numbers of a `struct` layout; `what` names them in messages."""
        self.parts += 1
        if self.parts > MAX_PARTS:
            raise self.foreign(f"it has more than {MAX_PARTS:,} parts")
        return struct.unpack(layout, self._bytes(struct.calcsize(layout), what).tobytes())

    def array(self, dtype: str, count: int, what: str) -> NDArray[Any]:
        """The next `count` numbers, mapped from the file."""
        return self._bytes(count * np.dtype(dtype).itemsize, what).view(dtype)

    def foreign(self, why: str) -> WeightFileError:
        """The error that says why this is not such a file."""
        return WeightFileError(f"{self.path}: not {self.kind}: {why}")

    def _bytes(self, size: int, what: str) -> NDArray[np.uint8]:
        if size > self.left:
            raise WeightFileError(
                f"{self.path}: cut, or not {self.kind}: {what} at byte {self.at:,} would take {size:,} bytes, and the "
                f"file ends after {self.left:,}"
            )
        self.at += size
        data: NDArray[np.uint8] = self.data[self.at - size : self.at]
        return data


def cells_of(name: str, size: int, cursor: Cursor) -> Feature:
    """The tuple whose cells are the hex digits of `name`; a WeightFileError where `size` entries do not fit it."""
    if size != 16 ** len(name):
        raise cursor.foreign(f"table {name!r} has {size:,} weights, and {len(name)} cells have {16 ** len(name):,}")
    if len(set(name)) < len(name):
        raise cursor.foreign(f"table {name!r} names a cell twice")
    return Feature("cells", tuple(int(digit, 16) for digit in name))


def digits_of(cells: Sequence[int]) -> str:
    """Cells as hex digits."""
    return "".join(f"{cell:x}" for cell in cells)
