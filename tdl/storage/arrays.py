"""Files of arrays, `.npy`, and what a checkpoint says of each: written so, and held against it when they are read."""

import hashlib
import io
import math
import os
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from tdl.base.checks import Check, check_file_name, check_list, check_object, check_text, check_whole
from tdl.errors import ConfigError, refuse, shown
from tdl.storage.atomic import open_new, sync_file
from tdl.storage.reading import reading

CHUNK = 1 << 24

Array = NDArray[Any]
ArrayEntry = dict[str, Any]
"""What is said of an array: its file, type, shape, the bytes of the file and of its head, and the file's SHA-256."""


def write_array(path: Path, array: Array) -> ArrayEntry:
    """Write an array to a new file, synced."""
    array = np.ascontiguousarray(array).reshape(array.shape)
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, np.lib.format.header_data_from_array_1_0(array))
    head, numbers = header.getvalue(), _bytes_of(array)
    digest = hashlib.sha256()
    with open_new(path) as file:
        for part in (memoryview(head), *_chunks(numbers)):
            digest.update(part)
            file.write(part)
        sync_file(file)
    return {
        "file": path.name,
        "dtype": array.dtype.str,
        "shape": list(array.shape),
        "bytes": len(head) + len(numbers),
        "data_offset": len(head),
        "sha256": digest.hexdigest(),
    }


def check_entry(key: str, entry: object) -> None:
    """Refuse an entry that has not all that `read_file` holds against the file, or a file of another folder."""
    check_object(key, entry, _ENTRY)


def check_shape(entry: ArrayEntry, shape: tuple[int, ...], dtype: np.dtype[Any], whose: str) -> None:
    """Refuse an entry that says another shape or type than `whose`, for the message; the file is not read."""
    if (entry["shape"], entry["dtype"]) != (list(shape), dtype.str):
        there = f"{shown(tuple(entry['shape']))} {shown(entry['dtype'])}"
        raise ConfigError(f"holds {there}, {whose} {shape} {dtype.str!r}")


def read_file(path: Path, entry: ArrayEntry, into: Array | None) -> Array:
    """The array in a file, verified: mapped read-only, or copied into memory.

    Raises
    ------
    CheckpointError : missing, cut, corrupt, or not as its entry says.
    """
    with reading(path) as file:
        if (size := os.fstat(file.fileno()).st_size) != entry["bytes"]:
            raise ConfigError(f"cut: {size:,} bytes, expected {entry['bytes']:,}")
        dtype, shape = read_head(file)
        check_shape(entry, shape, dtype, "its head says")
        offset = file.tell()
        if _digest(file, offset, into) != entry["sha256"]:
            raise ConfigError("corrupt (its SHA-256 does not match)")
        return np.memmap(file, dtype, "r", offset, shape) if into is None else into


def read_head(file: BinaryIO) -> tuple[np.dtype[Any], tuple[int, ...]]:
    """The type and shape of the array in an open file, which then stands at its numbers; all of them are there.

    Raises
    ------
    ConfigError : it is no `.npy` file of numbers, row by row, or ends before they do.
    """
    try:
        np.lib.format.read_magic(file)
        shape, by_columns, dtype = np.lib.format.read_array_header_1_0(file)
    except OSError:
        raise
    except Exception as error:  # of any kind: NumPy hands the head to Python's own parser, which evaluates nothing
        raise ConfigError("cut or corrupt: not the head of an array") from error
    if by_columns or dtype.hasobject or min(shape, default=0) < 0:
        raise ConfigError("cut or corrupt: not an array of this program")
    if file.tell() + math.prod(shape) * dtype.itemsize > os.fstat(file.fileno()).st_size:
        raise ConfigError("cut: its head says more numbers than the file has")
    return dtype, shape


def _digest(file: BinaryIO, offset: int, into: Array | None) -> str:
    """SHA-256 of the whole file; what follows `offset` is read into memory, if there is some."""
    file.seek(0)
    if into is None:
        return hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
    digest = hashlib.sha256(file.read(offset))
    for part in _chunks(_bytes_of(into)):
        file.readinto(part)  # type: ignore[attr-defined]
        digest.update(part)
    return digest.hexdigest()


def _bytes_of(array: Array) -> memoryview:
    return array.reshape(-1).view(np.uint8).data


def _chunks(data: memoryview) -> list[memoryview]:
    return [data[start : start + CHUNK] for start in range(0, len(data), CHUNK)]


def _check_npy(key: str, name: object) -> None:
    check_file_name(key, name)
    if not str(name).endswith(".npy"):  # what is no array is never deleted in the place of an old one
        raise refuse(key, name, "the name of a .npy file in this folder")


def _check_size(key: str, size: object) -> None:
    check_whole(key, size, least=0)


def _check_shape(key: str, shape: object) -> None:
    check_list(key, shape, _check_size)


_ENTRY: dict[str, Check] = {
    "file": _check_npy,
    "dtype": check_text,
    "shape": _check_shape,
    "bytes": _check_size,
    "sha256": check_text,
}
