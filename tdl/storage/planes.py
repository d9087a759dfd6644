"""Arrays packed for a file: the lowest byte of every number, then the next of every number, all of it deflated.

Bytes of one kind lie together, so zlib finds the repetition of signs and exponents that numbers one by one hide.
"""

import zlib
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from tdl.errors import ConfigError

PART = 1 << 20
"""Bytes that are packed or unpacked at a time."""


def deflated(array: NDArray[Any]) -> bytes:
    """The numbers of an array, packed: a zlib stream."""
    packer, parts = zlib.compressobj(), []
    for plane in _planes(np.ascontiguousarray(array)):
        parts += [packer.compress(plane[first : first + PART].tobytes()) for first in range(0, len(plane), PART)]
    return b"".join([*parts, packer.flush()])


def inflate(stream: BinaryIO, array: NDArray[Any]) -> None:
    """Fill an array with the numbers that a stream holds to its end.

    Never more bytes than the array has are unpacked, whatever the stream is.

    Raises
    ------
    ConfigError : the stream is cut, corrupt, or holds another number of bytes.
    """
    unpacker, whole = zlib.decompressobj(), f"{array.nbytes:,} bytes are packed in it"
    for plane in _planes(array):
        done = 0
        while done < len(plane):
            part = _next(stream, unpacker, min(PART, len(plane) - done))
            if not part:
                raise ConfigError(f"corrupt: fewer than {whole}")
            plane[done : done + len(part)] = np.frombuffer(part, np.uint8)
            done += len(part)
    if _next(stream, unpacker, 1):
        raise ConfigError(f"corrupt: more than {whole}")
    if unpacker.unused_data or stream.read(1):
        raise ConfigError("corrupt: something follows what is packed in it")


def _planes(array: NDArray[Any]) -> NDArray[np.uint8]:
    """A view of an array without gaps: a row for each byte of its numbers, the lowest first."""
    planes: NDArray[np.uint8] = array.reshape(-1).view(np.uint8).reshape(-1, array.itemsize).T
    return planes if array.dtype.str[0] in "<|" else planes[::-1]


def _next(stream: BinaryIO, unpacker: Any, most: int) -> bytes:
    """The next bytes that a stream of zlib stands for, at most `most`; none at its end."""
    part = b""
    while not part and not unpacker.eof:
        packed = unpacker.unconsumed_tail or stream.read(PART)
        try:
            part = unpacker.decompress(packed, most)
        except zlib.error:
            raise ConfigError("cut or corrupt: not bytes as zlib packs them") from None
        if not (packed or part or unpacker.eof):
            raise ConfigError("cut: it ends before all is unpacked")
    return part
