"""The tables of weight files, by their names; files that are cut, foreign or unlike are refused by one line.

Trusts files that are put together byte by byte.
"""

import os

import numpy as np
import pytest
from support.weight_files import (
    PEER_FILE,
    SMALL_DEMO,
    SMALL_TC,
    SMALL_TD,
    block,
    boards,
    container,
    demo,
    floats,
    label,
    mono,
    pattern,
    sums_of,
    table,
    written,
)

from tdl.config.files import group_file, group_names
from tdl.config.tuple_sets import tuple_set
from tdl.errors import ConfigError, WeightFileError
from tdl.formats import tdl2048
from tdl.formats.exchange import features_of
from tdl.formats.tdl2048 import TDL2048, Demo
from tdl.formats.weight_file import Cursor, Feature
from tdl.network.network_reference import order_index


@pytest.mark.parametrize(
    "name", [name for name in group_names("tuples") if group_file("tuples", name)["board"] == "4x4"]
)
def test_every_named_set_has_names_there(name):
    tuples = tuple_set(name)
    features = features_of(tuples)
    names = [TDL2048().name(feature) for feature in features]
    assert len(set(names)) == len(features) == len(tuples.cells) + len(tuples.orders) + len(tuples.counts)
    cursor = Cursor(PEER_FILE, "")
    for feature, named in zip(features, names, strict=True):
        size = 16 ** len(feature.reads) if feature.kind == "cells" else 2**24
        stored = tdl2048.write_name(named)
        assert tdl2048.feature_of(tdl2048.read_name(stored, size, cursor, ""), size, cursor) == feature


@pytest.mark.parametrize(
    ("form", "feature", "telling"),
    [
        (TDL2048(), Feature("orders", ((0, 1, 2, 3), (8, 9, 10, 11))), r"tuples\.orders: TDL2048\+ does not know"),
        (TDL2048(), Feature("counts", (1, 2)), r"tuples\.counts: TDL2048\+ does not know \(1, 2\)"),
        (Demo(), Feature("counts", tuple(range(8))), r"tuples\.counts: TDL2048-Demo has tuples only"),
    ],
)
def test_features_that_a_program_does_not_know(form, feature, telling):
    with pytest.raises(ConfigError, match=telling):
        form.name(feature)


@pytest.mark.parametrize(
    ("stored", "cells"),
    [
        (label("12", 0), (1, 2)),  # as old files have it: digits by the number of weights
        (label("01", 0), (0, 1)),
        (label("00000012"), (1, 2)),  # as with several stages: the first
        (label("00000001"), (0, 1)),
        (b"12      ", (1, 2)),
    ],
)
def test_names_of_tables(tmp_path, stored, cells):
    (found,) = TDL2048().read(written(tmp_path / "in.w", container(table(stored, floats(0, 256)))))
    assert found.feature == Feature("cells", cells)


WRONG_NAMES = [
    label("00012"),
    label("fedc", 2),  # more digits than said
    label("11"),
    label("1"),
    label("12", 9),
    b"merge   ",
    b"m@0123  ",  # as many weights as another
    b"\xff1\0\0\0\0\0\1",
]

UNLIKE = [
    *((TDL2048(), container(table(name, floats(0, 256))), "") for name in WRONG_NAMES),
    (TDL2048(), container(table("10000012", floats(0, 256))), r"table '10000012' is of a later stage \(100000\)"),
    (TDL2048(), container(), "it has no table"),
    (TDL2048(), SMALL_TD + b"\1", "a container begins with 0 or 'w', and byte 17,455 is 0x01"),
    (TDL2048(), b"c" + SMALL_TD, "a container begins with 0 or 'w', and byte 0 is 0x63"),
    (TDL2048(), container(b"\x05" + table("01", floats(0, 256))[1:]), "table 1 of 1 is of kind 5"),
    (TDL2048(), container(table("01", np.arange(256), dtype="<u1")), "numbers of 1 bytes, expected 2, 4 or 8"),
    (TDL2048(), container(table("0145", floats(0, 256))), "'0145' has 256 weights, and 4 cells have 65,536"),
    (TDL2048(), container(table(b"max#0   ", floats(0, 256))), "table 'max#0' is of no feature known here"),
    (TDL2048(), container(table(b"num@lt  ", floats(0, 256))), "'num@lt' has 256 weights, expected 16,777,216"),
    (
        TDL2048(),
        container(table("01", floats(0, 256), more=block(*sums_of(0, 256), dtype="<f8"))),
        "accumulators of 8",
    ),
    (Demo(), demo(), "it has no table"),
    (Demo(), SMALL_DEMO + b"\0", "1 bytes follow its 2 tables"),
    (Demo(), demo(pattern("01", floats(0, 16))), "table '01' has 16 weights, and 2 cells have 256"),
    (Demo(), demo(pattern("00", floats(0, 256))), "table '00' names a cell twice"),
    (Demo(), demo(pattern("01", floats(0, 256), "3-tuple pattern 01")), "is named '3-tuple pattern 01'"),
    (Demo(), demo(pattern("01", floats(0, 256), "x" * 300)), "the name of table 1 of 1 has 300 letters"),
    (Demo(), demo(*[pattern("01", floats(0, 256))] * 2), "table '01' is there twice"),
    (Demo(), b"w" + SMALL_TD, "it begins as those of TDL2048. do; read it with --format tdl2048"),
]


@pytest.mark.parametrize(("form", "content", "telling"), UNLIKE)
def test_files_unlike_those_of_the_program(tmp_path, form, content, telling):
    with pytest.raises(WeightFileError, match=rf"in: not a weight file of TDL2048.*: .*{telling}"):
        form.read(written(tmp_path / "in", content))


FOREIGN = [b"", bytes(5000), b"weights\n" * 9, b"\x93NUMPY" + bytes(1000), b'{"format": "tdl-checkpoint-1"}']


@pytest.mark.parametrize("form", [TDL2048(), Demo()])
def test_foreign_files(tmp_path, form):
    for content in FOREIGN:
        with pytest.raises(WeightFileError, match=r"/in: .*(empty|not a weight file of TDL2048)"):
            form.read(written(tmp_path / "in", content))
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(WeightFileError, match="pipe: cannot be read: not a regular file"):
        form.read(tmp_path / "pipe")


@pytest.mark.parametrize(("form", "content"), [(TDL2048(), SMALL_TC), (Demo(), demo(pattern("01", floats(0, 256))))])
def test_every_cut_is_refused(tmp_path, form, content):
    """The only ends of a file that are ends of its tables are its own."""
    path = written(tmp_path / "cut", content)
    assert form.read(path)
    for size in sorted({*range(100), *range(0, len(content), 199), *range(len(content) - 60, len(content))})[::-1]:
        os.truncate(path, size)
        with pytest.raises(WeightFileError, match=r"/cut: "):
            form.read(path)


def test_a_file_with_a_hole_is_not_read_to_its_end(tmp_path):
    """Zeros are containers of no table."""
    path = written(tmp_path / "in.w", SMALL_TD)
    os.truncate(path, 1 << 32)
    with pytest.raises(WeightFileError, match="it has more than 100,000 parts"):
        TDL2048().read(path)


def test_unknown_blocks_are_passed_over(tmp_path):
    more = block(np.arange(10), dtype="<u2") + block(np.arange(3), dtype="<u8")
    columns = [floats(0, 256), *sums_of(0, 256)]
    content = container(table("01", *columns, more=more), table("45", floats(1, 256), more=more))
    first, second = TDL2048().read(written(tmp_path / "in.w", content))
    np.testing.assert_array_equal(first.columns, columns)
    np.testing.assert_array_equal(second.columns, [floats(1, 256)])


def test_the_order_of_order_features_is_a_bijection():
    feature = next(feature for feature in features_of(tuple_set("8x6_order_count")) if feature.kind == "orders")
    natural = np.arange(2**24, dtype=np.uint32)[::4099]
    there = tdl2048.to_file(feature, natural)
    np.testing.assert_array_equal(tdl2048.to_natural(feature, there), natural)
    pairs = [(a, b) for line in feature.reads for i, a in enumerate(line) for b in line[i + 1 :]]
    for board in boards():
        ours = np.array([order_index(board, pairs)], np.uint32)
        assert tdl2048.to_file(feature, ours) == mono(board, feature.reads)


def test_words_that_play_with_the_tables():
    features = [Feature("cells", (0, 1)), tdl2048._BY_NAME["m@0123"], tdl2048._BY_NAME["num@lt"]]
    _, cells, order, count = TDL2048().words(features, True).split()
    assert (cells, count) == ("01", "num@lt")
    assert order.startswith("m@0123[^24]:m@0123,")
    assert sorted(order.split(":")[1].split(",")) == sorted(
        ["m@0123", "m@37bf", "m@fedc", "m@c840", "m@3210", "m@fb73", "m@cdef", "m@048c"]
    )
    assert TDL2048().words(features[:1], False) == "-n 01:01"
    assert Demo().words(features[:1], False) == "tdl.add_feature(pattern({ 0, 1 }, 1));"
