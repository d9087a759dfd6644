"""What was packed comes back, and nothing else does; NumPy and zlib are the independent reader."""

import io
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tdl.errors import ConfigError
from tdl.storage.planes import PART, deflated, inflate

HALVES = np.array([0, 1, -2, 65504, 6e-8, 0.5, 1, 1], np.float16)


def unpack(stream, count=8, dtype=np.float16):
    array = np.empty(count, dtype)
    inflate(io.BytesIO(stream), array)
    return array


@given(hnp.arrays(st.sampled_from(["<f2", "<f4", ">f4", "|u1", "<u8"]), st.integers(0, 20)))
def test_comes_back_as_packed(array):
    assert unpack(deflated(array), len(array), array.dtype).tobytes() == array.tobytes()


def test_the_low_bytes_are_first():
    planes = zlib.decompress(deflated(np.array([0x0102, 0x0304], np.uint16)))
    assert planes == bytes([2, 4, 1, 3])


def test_longer_than_a_part():
    array = np.arange(PART + 7, dtype=np.uint16)
    assert (unpack(deflated(array), len(array), np.uint16) == array).all()


def test_every_other_length_is_refused():
    stream = deflated(HALVES)
    for size in range(len(stream)):
        with pytest.raises(ConfigError, match=r"^cut"):
            unpack(stream[:size])
    with pytest.raises(ConfigError, match="something follows"):
        unpack(stream + b"\0")


def test_a_flipped_bit_of_any_byte_is_refused():
    stream = deflated(HALVES)
    for place in range(len(stream)):
        bad = bytearray(stream)
        bad[place] ^= 1 << place % 8
        with pytest.raises(ConfigError, match=r"^(cut|corrupt)"):
            unpack(bytes(bad))


@pytest.mark.parametrize("count", [0, 1, 7, 9, 1000])
def test_another_number_of_numbers_is_refused(count):
    with pytest.raises(ConfigError, match=r"corrupt: (more|fewer)"):
        unpack(deflated(HALVES), count)


def test_never_more_than_asked_for(monkeypatch):
    """A stream of a thousand bytes that stands for a million."""
    bomb = zlib.compress(bytes(1 << 20))
    real, sizes = zlib.decompressobj, []

    class Watched:
        def __init__(self):
            self._inner = real()

        def __getattr__(self, name):
            return getattr(self._inner, name)

        def decompress(self, packed, most):
            sizes.append(most)
            return self._inner.decompress(packed, most)

    monkeypatch.setattr(zlib, "decompressobj", Watched)
    with pytest.raises(ConfigError, match="more than 16 bytes"):
        unpack(bomb)
    assert max(sizes) <= 8
