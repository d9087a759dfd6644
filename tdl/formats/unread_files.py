"""Files that a person may have instead of a weight file that is read here: what they are, by how they begin."""

import os
import re
import struct
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from tdl.errors import WeightFileError
from tdl.storage.reading import reading

HEAD = 4096  # bytes that are looked at
MAX_TABLES = 10_000

BEGINNINGS: Mapping[bytes, str] = {
    rb"\x80[\x02-\x05]": "a pickle of Python, which could run code when it is read",
    rb"PK\x03\x04": "a zip archive, as PyTorch (.pt) and NumPy (.npz) write",
    rb"\x93NUMPY": "an array of NumPy (.npy)",
    rb"\x89HDF\r\n": "an HDF5 file, as Keras writes",
    rb"\x1f\x8b|BZh|\xfd7zXZ|\x28\xb5\x2f\xfd": "compressed; unpack it first",
    rb"[^|\n@]*@\d+\|[^|\n]*": "games of NYCU's course framework (2048-Framework, --save=stats.txt), no weights",
    rb"[\t\n\r -~]{32}": "a text",
}
"""What a file is, by a pattern of its first bytes."""

ELSE = "expected the weight file of TDL2048+ or TDL2048-Demo"


def refuse_unread(path: Path) -> None:
    """Refuse a file that is known to be of another kind; the error says of which."""
    with reading(path, WeightFileError) as file:
        head, size = file.read(HEAD), os.fstat(file.fileno()).st_size
    if tables := _unnamed_tables(path, size):
        number = f"{len(tables)} {'table' if len(tables) == 1 else 'tables'}"
        sizes = ", ".join(f"{entries:,}" for entries in dict.fromkeys(tables))
        raise WeightFileError(
            f"{path}: {number} of {sizes} weights without names, as programs of NYCU's course framework "
            f"(2048-Framework) write: which cells they read is in the program alone; write the file of TDL2048-Demo, "
            f"which names them"
        )
    for beginning, kind in BEGINNINGS.items():
        if re.match(beginning, head):
            raise WeightFileError(f"{path}: {kind}; {ELSE}")


def _unnamed_tables(path: Path, size: int) -> list[int]:
    """The sizes of tables of floats that fill a file, each behind its size, all behind their number; else nothing."""
    for number in ("<I", "<Q"):
        if size > 16 and (tables := _chain(np.memmap(path, np.uint8, "r"), number)):
            return tables
    return []


def _chain(data: np.ndarray[tuple[int], np.dtype[np.uint8]], number: str) -> list[int]:
    at, tables = struct.calcsize(number), list[int]()
    (count,) = struct.unpack(number, data[:at].tobytes())
    while len(tables) < min(count, MAX_TABLES) and at + 8 <= len(data):
        (entries,) = struct.unpack("<Q", data[at : at + 8].tobytes())
        tables.append(entries)
        at += 8 + 4 * entries
    return tables if len(tables) == count and at == len(data) and all(tables) else []
