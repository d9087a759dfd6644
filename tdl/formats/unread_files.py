"""Files that a person may have instead of a weight file that is read here: what they are, by how they begin."""

import contextlib
import re
from collections.abc import Mapping
from pathlib import Path

from tdl.errors import WeightFileError
from tdl.formats.weight_file import Cursor
from tdl.storage.reading import reading

HEAD = 4096  # bytes that are looked at

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
        head = file.read(HEAD)
    if tables := _unnamed_tables(path):
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


def _unnamed_tables(path: Path) -> list[int]:
    """The sizes of tables of floats that fill a file, each behind its size, all behind their number; else nothing."""
    for number in ("<I", "<Q"):
        cursor, tables = Cursor(path, "tables without names"), list[int]()
        with contextlib.suppress(WeightFileError):  # the file ends before they do
            (count,) = cursor.take(number, "their number")
            while cursor.left and len(tables) < count:
                tables += cursor.take("<Q", "a size")
                cursor.array("<f4", tables[-1], "weights")
            if len(tables) == count and not cursor.left and all(tables):
                return tables
    return []
