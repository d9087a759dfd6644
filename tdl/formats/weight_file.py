"""Weight files of other programs: the tables in them, and a reader that checks sizes against the file's length."""

import os
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.errors import WeightFileError
from tdl.storage.reading import reading

MAX_PARTS = 100_000
"""Of a file: a table has some five, and no network has a thousand tables."""


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
