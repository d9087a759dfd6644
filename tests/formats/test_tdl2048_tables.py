"""Every kind of table of TDL2048+'s weight files: names, order and count features, precisions, tables that come twice.

Trusts files that are put together byte by byte, and values that are added up here.
"""

import shutil

import numpy as np
import pytest
from support.weight_files import (
    PEER_FILE,
    TINY,
    block,
    boards,
    complaint,
    container,
    converted,
    floats,
    held,
    images,
    label,
    network_of,
    packed,
    saved,
    sums_of,
    table,
    written,
)

import tdl
from tdl.config.files import group_file, group_names
from tdl.config.tuple_sets import tuple_set
from tdl.errors import WeightFileError
from tdl.formats import tdl2048
from tdl.formats.exchange import features_of
from tdl.learning.state import ACCUMULATORS
from tdl.network.network_reference import order_index


@pytest.mark.parametrize(
    "name", [name for name in group_names("tuples") if group_file("tuples", name)["board"] == "4x4"]
)
def test_every_named_set_has_names_there(name):
    tuples = tuple_set(name)
    features = features_of(tuples)
    names = [tdl2048.FORMAT.name(feature) for feature in features]
    assert len(set(names)) == len(features) == len(tuples.cells) + len(tuples.orders) + len(tuples.counts)
    cursor = tdl2048.Cursor(PEER_FILE, "")
    for feature, each in zip(features, names, strict=True):
        size = 16 ** len(feature.reads) if feature.kind == "cells" else 2**24
        stored = tdl2048.write_name(each)
        assert tdl2048.feature_of(tdl2048.read_name(stored, size, cursor, ""), size, cursor) == feature


@pytest.mark.parametrize(
    ("stored", "cells"),
    [
        (label("00012"), None),
        (label("12", 0), ((1, 2),)),  # as old files have it: digits by the number of weights
        (label("01", 0), ((0, 1),)),
        (label("00000012"), ((1, 2),)),  # as with several stages: the first
        (label("00000001"), ((0, 1),)),
        (label("fedc", 2), None),  # more digits than said
        (label("10000012"), None),
        (label("11"), None),
        (label("1"), None),
        (label("12", 9), None),
        (b"merge   ", None),
        (b"12      ", ((1, 2),)),
        (b"m@0123  ", None),  # as many weights as another
        (b"\xff1\0\0\0\0\0\1", None),
    ],
)
def test_names(tmp_path, stored, cells):
    path = written(tmp_path / "in.w", container(table(stored, floats(0, 256))))
    if cells is None:
        with pytest.raises(WeightFileError, match=r"in\.w: not a weight file of TDL2048\+: "):
            tdl2048.read(path)
    else:
        (found,) = tdl2048.read(path)
        assert (found.feature.kind, (found.feature.reads,)) == ("cells", cells)


def test_a_later_stage_is_named(tmp_path):
    path = written(tmp_path / "in.w", container(table("10000012", floats(0, 256))))
    assert "table '10000012' is of a later stage (100000)" in complaint(path, tmp_path / "out")


def test_any_cells_are_read_as_the_format_says(tmp_path):
    """Tuples of 1 to 4 cells in any order; values added up here."""
    names = ["f", "07", "f50a", "a05f", "3b7"]
    weights = [floats(i, 16 ** len(name)) for i, name in enumerate(names)]
    path = written(tmp_path / "in.w", container(*map(table, names, weights)))
    network = tdl.load(converted(path, tmp_path / "net")[0]).network
    for board in boards():
        found = [
            float(values[sum(image[int(cell, 16)] << 4 * j for j, cell in enumerate(name))])
            for image in images(board)
            for name, values in zip(names, weights, strict=True)
        ]
        assert network.value(packed(board)) == pytest.approx(sum(found), rel=1e-5, abs=0.01)


def mono(board, lines):
    """The index of an order feature there, by its definition in the docstring of `tdl2048`."""
    index = bit = 0
    for line in lines:
        for i in range(4):
            for j in range(i + 1, 4):
                one, other = board[line[i]], board[line[j]]
                if one or other:
                    index |= (one >= other) << bit | (other >= one) << bit + 1
                bit += 2
    return index


def test_features_beyond_tuples(tmp_path):
    """In one file with a tuple: values added up here, and byte for byte back."""
    lines = {"m@0123": ((0, 1, 2, 3), (4, 5, 6, 7))}
    counted = {"num@lt": range(8, 16)}
    weights = {name: floats(i, 2**24 if "@" in name else 256) for i, name in enumerate(["01", *lines, *counted])}
    content = container(*(table(n.ljust(8).encode() if "@" in n else n, w) for n, w in weights.items()))
    folder, _ = converted(written(tmp_path / "in.w", content), tmp_path / "net")
    network = tdl.load(folder).network
    assert network.tuples == tdl.TupleSet(
        ((0, 1),), orders=tuple(lines.values()), counts=tuple(map(tuple, counted.values()))
    )
    for board in boards():
        found = [weights["01"][image[0] + 16 * image[1]] for image in images(board)]
        found += [weights[name][mono(image, each)] for name, each in lines.items() for image in images(board)]
        for name, tiles in counted.items():
            found.append(weights[name][sum(min(board.count(tile), 7) << 3 * j for j, tile in enumerate(tiles))])
        assert network.value(packed(board)) == pytest.approx(sum(map(float, found)), rel=1e-5, abs=0.01)
    file, told = converted(folder, tmp_path / "out.w")
    assert file.read_bytes() == content
    words = told.splitlines()[1].split()[2:]
    assert words[0] == "01"
    assert words[1].startswith("m@0123[^24]:m@0123,")
    assert sorted(words[1].split(":")[1].split(",")) == sorted(
        ["m@0123", "m@37bf", "m@fedc", "m@c840", "m@3210", "m@fb73", "m@cdef", "m@048c"]
    )
    assert words[2:] == ["num@lt"]
    shutil.rmtree(tmp_path)  # 0.4 GB, which pytest would keep


def test_the_order_of_order_features_is_a_bijection():
    feature = next(feature for feature in features_of(tuple_set("8x6_order_count")) if feature.kind == "orders")
    natural = np.arange(2**24, dtype=np.uint32)[::4099]
    there = tdl2048.FORMAT.to_file(feature, natural)
    np.testing.assert_array_equal(tdl2048.FORMAT.to_natural(feature, there), natural)
    pairs = [(a, b) for line in feature.reads for i, a in enumerate(line) for b in line[i + 1 :]]
    for board in boards():
        ours = np.array([order_index(board, pairs)], np.uint32)
        assert tdl2048.FORMAT.to_file(feature, ours) == mono(board, feature.reads)


@pytest.mark.parametrize(("dtype", "digits"), [("<f2", 11), ("<f8", 24)])
def test_other_precisions(tmp_path, dtype, digits):
    weights = floats(0, 256)
    path = written(tmp_path / "in.w", container(table("01", weights, *sums_of(0, 256), dtype=dtype)))
    folder, _ = converted(path, tmp_path / "net")
    np.testing.assert_allclose(tdl.load(folder).network.table(0), weights, rtol=2.0**-digits)


def test_unknown_blocks_are_passed_over(tmp_path):
    more = block(np.arange(10), dtype="<u2") + block(np.arange(3), dtype="<u8")
    data = [floats(0, 256), *sums_of(0, 256)]
    path = written(tmp_path / "in.w", container(table("01", *data, more=more), table("45", floats(1, 256), more=more)))
    folder, _ = converted(path, tmp_path / "net")
    network = tdl.load(folder).network
    assert [network.table(0).tobytes(), network.table(1).tobytes()] == [data[0].tobytes(), floats(1, 256).tobytes()]
    assert np.count_nonzero(held(folder)[1][ACCUMULATORS]) > 0


@pytest.mark.parametrize("several", [True, False], ids=["containers", "one container"])
def test_what_comes_twice_is_averaged_and_its_accumulators_added(tmp_path, several):
    weights, (signed, absolute) = [floats(i, 256) for i in range(3)], sums_of(0, 256)
    parts = [
        table("01", weights[0], signed, absolute),
        table("45", weights[2]),
        table("01", weights[1], signed, absolute),
    ]
    content = b"".join(map(container, parts)) if several else container(*parts)
    folder, _ = converted(written(tmp_path / "in.w", content), tmp_path / "net")
    network, sums = tdl.load(folder).network, held(folder)[1][ACCUMULATORS]
    assert len(network.lengths) == 2
    np.testing.assert_array_equal(network.table(0), (weights[0] + weights[1]) / np.float32(2))
    np.testing.assert_array_equal(network.table(1), weights[2])
    where = [network.layout.map(number, np.arange(256, dtype=np.uint32)) for number in range(2)]
    twice = np.where(absolute == TINY, 0, 2 * np.array([signed, absolute])).T
    np.testing.assert_array_equal(sums[where[0]], twice)
    assert not sums[where[1]].any()


def test_tables_that_are_read_once(tmp_path):
    weights = [floats(i, 256) for i in range(2)]
    content = container(table("01", weights[0]), table("f3", weights[1]))
    folder, _ = converted(written(tmp_path / "in.w", content), tmp_path / "net", "--no-symmetries")
    network = tdl.load(folder).network
    assert network.m == 2
    for board in boards():
        found = weights[0][board[0] + 16 * board[1]] + weights[1][board[15] + 16 * board[3]]
        assert network.value(packed(board)) == pytest.approx(float(found), rel=1e-5, abs=0.01)
    line = complaint(folder, tmp_path / "out.w")
    assert "each of its tables is read in one image of the board; a file does not say so: with --no-symmetries" in line
    file, told = converted(folder, tmp_path / "out.w", "--no-symmetries")
    assert file.read_bytes() == content
    assert told.splitlines()[1] == "TDL2048+: -n 01:01 f3:f3"


def test_images_with_tables_of_their_own(tmp_path):
    network = network_of(((0, 1),), share=False)
    folder = saved(tmp_path / "net", network)
    file, _ = converted(folder, tmp_path / "out.w", "--no-symmetries")
    again = tdl.load(converted(file, tmp_path / "again", "--no-symmetries")[0]).network
    assert len(again.lengths) == again.m == 8
    for board in boards():
        assert again.value(packed(board)) == network.value(packed(board))
