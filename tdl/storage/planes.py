"""Arrays packed for a file: the lowest byte of every number, then the next of every number, all of it deflated.

Bytes of one kind lie together, so zlib finds the repetition of signs and exponents that numbers one by one hide.
"""

import zlib
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import DTypeLike, NDArray

from tdl.errors import ConfigError

PART = 1 << 20
"""Bytes that are packed or unpacked at a time."""


def deflated(array: NDArray[Any]) -> bytes:
    """The numbers of an array, packed: a zlib stream."""
    packer, parts = zlib.compressobj(), []
    for plane in _planes(np.ascontiguousarray(array)):
        parts += [packer.compress(plane[first : first + PART].tobytes()) for first in range(0, len(plane), PART)]
    return b"".join([*parts, packer.flush()])


def inflated(stream: BinaryIO, dtype: DTypeLike, count: int, into: NDArray[Any] | None = None) -> NDArray[Any]:
    """The array of `count` numbers that a stream holds to its end, in `into` where that is given.

    Never more bytes than these numbers have are unpacked, whatever the stream is.

    Raises
    ------
    ConfigError : the stream is cut, corrupt, or holds another number of bytes.
    """
    array = np.empty(count, dtype) if into is None else into
    unpacker = _Unpacker(stream, array.nbytes)
    for plane in _planes(array):
        done = 0
        while done < len(plane):
            part = unpacker.read(min(PART, len(plane) - done))
            plane[done : done + len(part)] = np.frombuffer(part, np.uint8)
            done += len(part)
    unpacker.check_end()
    return array


def _planes(array: NDArray[Any]) -> NDArray[np.uint8]:
    """A view of an array without gaps: a row for each byte of its numbers, the lowest first."""
    planes: NDArray[np.uint8] = array.reshape(-1).view(np.uint8).reshape(-1, array.itemsize).T
    return planes if array.dtype.str[0] in "<|" else planes[::-1]


class _Unpacker:
    """The bytes that a stream of zlib stands for, a few at a time.

    Parameters
    ----------
    expected : bytes that it should hold, for messages.
    """

    def __init__(self, stream: BinaryIO, expected: int) -> None:
        self._stream, self._expected, self._zlib = stream, f"{expected:,} bytes", zlib.decompressobj()

    def read(self, most: int) -> bytes:
        """At least one byte, at most `most`."""
        while not (part := self._step(most)):
            if self._zlib.eof:
                raise ConfigError(f"corrupt: fewer than {self._expected} are packed in it")
        return part

    def check_end(self) -> None:
        """Refuse what follows the bytes that were read."""
        while not self._zlib.eof:
            if self._step(1):
                raise ConfigError(f"corrupt: more than {self._expected} are packed in it")
        if self._zlib.unused_data or self._stream.read(1):
            raise ConfigError("corrupt: something follows what is packed in it")

    def _step(self, most: int) -> bytes:
        packed = self._zlib.unconsumed_tail or self._stream.read(PART)
        try:
            part = self._zlib.decompress(packed, most)
        except zlib.error:
            raise ConfigError("cut or corrupt: not bytes as zlib packs them") from None
        if not (packed or part or self._zlib.eof):
            raise ConfigError(f"cut: it ends before {self._expected} are unpacked")
        return part
