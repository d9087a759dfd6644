"""Heads of `.npy` files: what they say of the array behind them, held against what is expected, and never executed."""

import math
import re
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from tdl import machine
from tdl.errors import ConfigError

MAGIC = b"\x93NUMPY\x01\x00"

MAX_HEAD = len(MAGIC) + 2 + 0xFFFF
"""Bytes of the longest head."""

_TEXT = re.compile(r"\{'descr': (.{1,500}?), 'fortran_order': (False|True), 'shape': \(([\d, ]{0,100})\),? ?\} *\n?")


class Head(NamedTuple):
    """What a head says: the type of the numbers as its text, the shape, and the bytes of the head itself."""

    descr: str
    shape: tuple[int, ...]
    size: int


def read_head(file: BinaryIO) -> Head:
    """The head of an open file, which then stands behind it.

    Raises
    ------
    ConfigError : it is no head of version 1.0 of an array in C order.
    """
    start = file.read(len(MAGIC) + 2)
    length = int.from_bytes(start[len(MAGIC) :], "little")
    text = file.read(length)
    known = _TEXT.fullmatch(text.decode("latin-1")) if start.startswith(MAGIC) and len(text) == length else None
    if known is None or known[2] == "True":
        raise ConfigError("head: not that of an array of this program")
    shape = tuple(int(number) for number in known[3].replace(" ", "").split(",") if number)
    return Head(known[1], shape, len(start) + length)


def check_head(head: Head, dtype: np.dtype[Any], shape: tuple[int, ...]) -> None:
    """Refuse a head that says something else."""
    if head.descr != repr(np.lib.format.dtype_to_descr(dtype)) or head.shape != shape:
        raise ConfigError(f"head: it says {head.shape} numbers {head.descr}; expected {shape} of {dtype}")


def rows_of(file: BinaryIO, dtype: np.dtype[Any], size: int) -> np.ndarray[Any, np.dtype[Any]]:
    """The rows behind the head of an open file of so many bytes, of one axis; memory is asked for when all is checked.

    Raises
    ------
    ConfigError : the head is another one, or says more rows than the file has, or than there is memory for: a file
        with holes is larger than the room that it takes on the disk.
    """
    head = read_head(file)
    check_head(head, dtype, head.shape[:1])
    rows = math.prod(head.shape)
    if size < head.size + rows * dtype.itemsize:
        raise ConfigError(f"cut: its head says {rows:,} rows, and the file ends after {size:,} bytes")
    need, free = rows * dtype.itemsize, machine.available_memory()
    if need > free:
        raise ConfigError(f"{rows:,} rows need {need / 2**30:.1f} GiB of memory; {free / 2**30:.1f} GiB are free")
    read = np.empty(rows, dtype)
    if file.readinto(read.view(np.uint8).data) != need:  # type: ignore[attr-defined]
        raise ConfigError("cut while it was read")
    return read
