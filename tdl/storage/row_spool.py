"""Rows of many groups that come in turns, kept on the disk, and packed group by group into one `.npz`."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
from numpy.typing import NDArray

BLOCK = 1 << 18
"""Rows in memory."""


class RowSpool:
    """Rows with the numbers of their groups.

    Those of a group keep their order. A block of them is sorted in memory and written, so that packing reads runs.

    Parameters
    ----------
    dtype : of a row; each field becomes an array.
    folder : on whose disk the rows lie meanwhile, in a file without a name.
    """

    def __init__(self, dtype: np.dtype[Any], folder: Path) -> None:
        self._file = TemporaryFile(dir=folder)  # noqa: SIM115 - `close` closes it
        self._rows, self._groups = np.zeros(BLOCK, dtype), np.zeros(BLOCK, np.int64)
        self._filled = self._written = 0
        self._runs: list[tuple[int, int, int]] = []  # group, first row in the file, rows

    def add(self, groups: NDArray[np.int64], columns: dict[str, NDArray[Any]]) -> None:
        """Add a row for each of the groups, at most `BLOCK`."""
        if self._filled + len(groups) > BLOCK:
            self._flush()
        rows = slice(self._filled, self._filled + len(groups))
        self._groups[rows] = groups
        for name, column in columns.items():
            self._rows[name][rows] = column
        self._filled = rows.stop

    def _flush(self) -> None:
        groups = self._groups[: self._filled]
        order = np.argsort(groups, kind="stable")
        numbers, first, rows = np.unique(groups[order], return_index=True, return_counts=True)
        self._runs += zip(numbers.tolist(), (self._written + first).tolist(), rows.tolist(), strict=True)
        self._file.write(self._rows[order].data)
        self._written, self._filled = self._written + self._filled, 0

    def close(self) -> None:
        """Give up the rows."""
        self._file.close()

    def pack(self, archive: ZipFile) -> None:
        """Write each column with the rows of the first group, of the second, and so on."""
        self._flush()
        self._file.flush()
        for name in self._rows.dtype.names or ():
            column = self._rows[name]
            _write(archive, name, column.dtype, (self._written, *column.shape[1:]), self._parts(name))

    def _parts(self, name: str) -> Iterator[NDArray[Any]]:
        rows: NDArray[Any] = np.memmap(self._file, self._rows.dtype, "r") if self._written else self._rows[:0]
        for _, first, number in sorted(self._runs):
            yield rows[name][first : first + number]


def new_archive(file: Any) -> ZipFile:
    """An `.npz` to write to a file."""
    return ZipFile(file, "w", ZIP_DEFLATED, compresslevel=1)


def write_array(archive: ZipFile, name: str, array: NDArray[Any]) -> None:
    """Write an array as `numpy.load` reads it."""
    _write(archive, name, array.dtype, array.shape, [array])


def _write(
    archive: ZipFile, name: str, dtype: np.dtype[Any], shape: tuple[int, ...], parts: Iterable[NDArray[Any]]
) -> None:
    head = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
    with archive.open(f"{name}.npy", "w", force_zip64=True) as out:
        np.lib.format.write_array_header_1_0(out, head)
        for part in parts:
            out.write(part.tobytes())
