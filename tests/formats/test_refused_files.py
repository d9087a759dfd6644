"""Weight files that are cut, damaged, foreign or too large are refused by one line that names the file.

Trusts files that are put together byte by byte.
"""

import os
import re

import numpy as np
import pytest
from support.weight_files import (
    SMALL_TC,
    SMALL_TD,
    block,
    complaint,
    container,
    demo,
    floats,
    network_of,
    pattern,
    sums_of,
    table,
    written,
)

from tdl.base import machine
from tdl.errors import WeightFileError
from tdl.formats import demo2048, tdl2048


@pytest.mark.parametrize(
    ("read", "content"), [(tdl2048.read, SMALL_TC), (demo2048.read, demo(pattern("01", floats(0, 256))))]
)
def test_every_cut_is_refused(tmp_path, read, content):
    """The only ends of a file that are ends of its tables are its own."""
    path = tmp_path / "cut"
    for size in {*range(100), *range(0, len(content), 41), *range(len(content) - 100, len(content))}:
        with pytest.raises(WeightFileError, match=r"/cut: "):
            read(written(path, content[:size]))
    assert read(written(path, content))


FOREIGN = [b"", bytes(5000), b"weights\n" * 9, b"\x93NUMPY" + bytes(1000), b'{"format": "tdl-checkpoint-1"}']


@pytest.mark.parametrize("content", FOREIGN)
@pytest.mark.parametrize("suffix", [".w", ".bin"])
def test_foreign_files(tmp_path, content, suffix):
    path = written(tmp_path / f"foreign{suffix}", content)
    line = complaint(path, tmp_path / "out")
    assert f"foreign{suffix}: " in line
    assert "empty" in line or "not a weight file of TDL2048" in line
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("content", "telling"),
    [
        (container(), "it has no table"),
        (SMALL_TD + b"\1", "a container begins with 0 or 'w', and byte 17,455 is 0x01"),
        (b"c" + SMALL_TD, "a container begins with 0 or 'w', and byte 0 is 0x63"),
        (container(b"\x05" + table("01", floats(0, 256))[1:]), "table 1 of 1 is of kind 5"),
        (
            container(table("01", np.arange(256), dtype="<u1")),
            "table 1 of 1 has numbers of 1 bytes, expected 2, 4 or 8",
        ),
        (container(table("0145", floats(0, 256))), "table '0145' has 256 weights, and 4 cells have 65,536"),
        (container(table(b"max#0   ", floats(0, 256))), "table 'max#0' is of no feature known here"),
        (container(table(b"num@lt  ", floats(0, 256))), "table 'num@lt' has 256 weights, expected 16,777,216"),
        (container(table("01", floats(0, 256), more=block(*sums_of(0, 256), dtype="<f8"))), "accumulators of 8"),
    ],
)
def test_files_of_the_format_with_something_else(tmp_path, content, telling):
    line = complaint(written(tmp_path / "in.w", content), tmp_path / "out")
    assert "in.w: not a weight file of TDL2048+: " in line
    assert telling in line


@pytest.mark.parametrize("column", range(3))
@pytest.mark.parametrize(("number", "dtype"), [(np.nan, "<f4"), (np.inf, "<f4"), (1e300, "<f8")])
def test_numbers_that_are_not_finite(tmp_path, column, number, dtype):
    columns = [floats(0, 256).astype(dtype), *(each.astype(dtype) for each in sums_of(0, 256))]
    columns[column][77] = number
    path = written(tmp_path / "in.w", container(table("01", *columns, dtype=dtype)))
    assert complaint(path, tmp_path / "out").endswith("in.w: table 01 has a number that is not finite")
    assert list(tmp_path.iterdir()) == [path]


def test_what_does_not_fit_into_the_memory(tmp_path, monkeypatch):
    path = written(tmp_path / "in.w", SMALL_TC)
    entries = network_of(((0, 1), (5, 9))).layout.entries
    for free, telling in ((4 * entries - 1, "tuples: the network's"), (4 * entries, "step: the")):
        monkeypatch.setattr(machine, "available_memory", lambda free=free: free)
        assert re.search(f"in.w: {telling} .* GiB are free", complaint(path, tmp_path / "out"))


@pytest.mark.parametrize("start", [b"", SMALL_TD], ids=["nothing", "a network"])
def test_a_file_with_a_hole_is_not_read_to_its_end(tmp_path, start):
    """Zeros are containers of no table."""
    path = written(tmp_path / "in.w", start)
    os.truncate(path, 1 << 32)
    assert complaint(path, tmp_path / "out").endswith("it has more than 100,000 parts")


@pytest.mark.parametrize("name", ["in.w", "in.bin"])
def test_a_pipe_is_no_weight_file(tmp_path, name):
    os.mkfifo(tmp_path / name)
    assert complaint(tmp_path / name, tmp_path / "out").endswith(f"{name}: cannot be read: not a regular file")
