"""What files of other programs' weights have in common: the tables in them, and reading with every size checked.

A format (`tdl2048`, `demo2048`) is a `WeightFormat`; none of them knows of networks or checkpoints.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from tdl.errors import WeightFileError

PART = 1 << 22
"""Entries of a table that are handled at a time."""

Index = NDArray[np.uint32]
Column = Callable[[], Iterator[NDArray[np.float32]]]
"""A column of a table to write: its parts, from the first entry to the last."""


@dataclass(frozen=True)
class Feature:
    """What a table is of.

    Attributes
    ----------
    kind : the field of `TupleSet` that it is an entry of: "cells", "orders" or "counts".
    reads : that entry.
    """

    kind: str
    reads: tuple[Any, ...]


@dataclass(frozen=True)
class Table:
    """A table of a file.

    Attributes
    ----------
    name : as the file has it.
    feature : what it is of.
    columns : the weights, or the weights, E and A of temporal coherence: arrays of shape (entries,), of floating point
        numbers of 2, 4 or 8 bytes, mapped from the file and in its order.
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
    program : whose it is.
    suffix : of its files.
    fresh : what E and A of an entry are that was never moved; None: the format has no place for them.
    read : the tables of a file; a feature that comes twice is to be averaged.
    write : writes tables to an open file, whose name is given too.
    name : the name of a feature's table; refuses a feature that the program does not know.
    to_file : where the entries of a feature lie in the file, of natural indices.
    to_natural : the inverse.
    words : how the program is told to play with the tables of these features, read in all images or in one.
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


class Cursor:
    """A file that is read from its beginning on. Nothing is taken from it before its length was looked at.

    Parameters
    ----------
    path : the file.
    kind : what it should be, for complaints.

    Raises
    ------
    WeightFileError : missing, empty, or not to be read.
    """

    def __init__(self, path: Path, kind: str) -> None:
        self.path, self.kind, self.at = path, kind, 0
        try:
            self.size = path.stat().st_size
            if not self.size:
                raise WeightFileError(f"{path}: empty")
            self.data = np.memmap(path, np.uint8, "r")
        except (OSError, ValueError) as error:
            raise WeightFileError(f"{path}: cannot be read: {error}") from error

    @property
    def left(self) -> int:
        """Bytes that were not read yet."""
        return self.size - self.at

    def take(self, layout: str, what: str) -> tuple[Any, ...]:
        """Numbers of a `struct` layout."""
        return struct.unpack(layout, self._bytes(struct.calcsize(layout), what).tobytes())

    def array(self, dtype: str, count: int, what: str) -> NDArray[Any]:
        """`count` numbers, mapped."""
        return self._bytes(count * np.dtype(dtype).itemsize, what).view(dtype)

    def skip(self, size: int, what: str) -> None:
        """Pass over `size` bytes."""
        self._bytes(size, what)

    def foreign(self, why: str) -> WeightFileError:
        """The complaint about what no such file has."""
        return WeightFileError(f"{self.path}: not {self.kind}: {why}")

    def _bytes(self, size: int, what: str) -> NDArray[np.uint8]:
        if size > self.left:
            raise WeightFileError(
                f"{self.path}: cut, or not {self.kind}: {what} at byte {self.at:,} would take {size:,} bytes, and the "
                f"file ends after {self.left:,}"
            )
        self.at += size
        taken: NDArray[np.uint8] = self.data[self.at - size : self.at]
        return taken


def cells_of(name: str, size: int, cursor: Cursor) -> Feature:
    """The tuple whose cells are the hex digits of `name`, of a table of `size` entries.

    Raises
    ------
    WeightFileError : the table has not 16 entries to the power of the number of cells, or a cell stands there twice.
    """
    if size != 16 ** len(name):
        raise cursor.foreign(f"table {name!r} has {size:,} weights, and {len(name)} cells have {16 ** len(name):,}")
    if len(set(name)) < len(name):
        raise cursor.foreign(f"table {name!r} names a cell twice")
    return Feature("cells", tuple(int(digit, 16) for digit in name))


def digits_of(cells: Sequence[int]) -> str:
    """Cells as hex digits."""
    return "".join(f"{cell:x}" for cell in cells)
