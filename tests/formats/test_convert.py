"""Weight files of other programs become checkpoints and come back, value for value, or are refused by name.

Trusts `data/2x4patt_td.w`, which TDL2048+ wrote, and the values it printed of 200 boards with it; for the rest, files
that are put together here byte by byte, and values that are added up here.
"""

import hashlib
import io
import re
import shutil
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.programs import SMALL, checkpoint, files, inside, program

import tdl
from tdl import convert
from tdl.config.build import tuple_set
from tdl.config.files import group_file, group_names
from tdl.errors import WeightFileError
from tdl.formats import demo2048, tdl2048
from tdl.formats.exchange import features_of, import_weights
from tdl.game.engine import Engine
from tdl.learning.state import ACCUMULATORS
from tdl.network import allocation as memory
from tdl.network.reference import order_index
from tdl.network.stages import Stages
from tdl.network.tuples import symmetries
from tdl.storage.checkpoint import read_array, read_meta, write_checkpoint

DATA = Path(__file__).parents[1] / "data"
PEER_FILE = DATA / "2x4patt_td.w"
PAIRS = [line.split("\t") for line in (DATA / "2x4patt_td.pairs.tsv").read_text().splitlines()]

TINY = np.finfo(np.float32).tiny
ENDED = struct.pack("<H", 0)


def floats(seed, size):
    return np.random.default_rng(seed).random(size, np.float32) * 200 - 100


def sums_of(seed, size):
    """E and A as learning leaves them: |E| at most A, some entries never moved."""
    absolute = np.abs(floats(seed, size))
    signed = absolute * np.linspace(-1, 1, size, dtype=np.float32)
    signed[::3] = absolute[::3] = TINY
    return [signed, absolute]


def block(*columns, dtype="<f4"):
    data = b"".join(np.asarray(column, dtype).tobytes() for column in columns)
    return struct.pack("<HQ", np.dtype(dtype).itemsize, sum(map(len, columns))) + data


def label(name, digits=None):
    return struct.pack("<IHH", int(name, 16), len(name) if digits is None else digits, 0)


def table(name, *columns, dtype="<f4", more=b""):
    """A table of a `.w` file. `name`: cells, or 8 bytes."""
    first, rest = columns[0], columns[1:]
    sums = block(*rest, dtype=dtype) if rest else b""
    named = name if isinstance(name, bytes) else label(name)
    return b"\x04" + named + block(first, dtype=dtype) + sums + more + ENDED


def container(*tables, tag=b""):
    return tag + struct.pack("<BI", 0, len(tables)) + b"".join(tables)


def pattern(name, weights, title=None):
    """A table of a `.bin` file."""
    title = (f"{len(name)}-tuple pattern {name}" if title is None else title).encode()
    return struct.pack("<i", len(title)) + title + struct.pack("<Q", len(weights)) + weights.tobytes()


def demo(*patterns):
    return struct.pack("<Q", len(patterns)) + b"".join(patterns)


SMALL_TC = container(*(table(name, floats(i, 256), *sums_of(i, 256)) for i, name in enumerate(("01", "59"))))
SMALL_TD = container(table("01", floats(0, 256)), table("012", floats(1, 4096)))
SMALL_DEMO = demo(pattern("01", floats(0, 256)), pattern("59a", floats(1, 4096)))


def written(path, data):
    path.write_bytes(data)
    return path


def tdl_convert(*words):
    return inside(program=lambda: convert.main([str(word) for word in words]))


def converted(*words):
    done = tdl_convert(*words)
    assert done.returncode is None, done.stderr
    return Path(words[1]), done.stdout


def complaint(*words):
    """The one line with which the program ends."""
    done = tdl_convert(*words)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith("tdl: ")
    return line


def held(folder):
    """Description and arrays of a checkpoint that stands in its folder."""
    meta = read_meta(folder)
    return meta, {name: read_array(folder, meta, name) for name in meta["arrays"]}


def saved(folder, network, sums=None, **learner):
    """A checkpoint of a network."""
    meta = {"episode": 3, "rules": network.rules.to_dict(), "network": network.describe(),
            "learner": {"gamma": 1.0, "target": "afterstate", **learner}}  # fmt: skip
    write_checkpoint(folder, meta, {"weights": network.weights} | ({} if sums is None else {ACCUMULATORS: sums}))
    return folder


def network_of(cells, **more):
    """A network with random weights."""
    network = tdl.NTupleNetwork(more.pop("rules", tdl.Rules()), tdl.TupleSet(cells, **more))
    for number in range(len(network.lengths)):
        network.set_table(number, floats(number, network.layout.size(number)))
    return network


def images(board, turned=True):
    """A board, given as 16 tile indices, in all its symmetric images."""
    return [[board[cell] for cell in image] for image in symmetries(4, 4)[: None if turned else 1]]


def boards(count=50):
    rng = np.random.default_rng(0)
    return [[int(tile) for tile in rng.integers(0, 16, 16) * (rng.random(16) < 0.6)] for _ in range(count)]


def packed(board):
    return sum(tile << 4 * cell for cell, tile in enumerate(board))


# What TDL2048+ wrote


@pytest.fixture(scope="module")
def imported(tmp_path_factory):
    return converted(PEER_FILE, tmp_path_factory.mktemp("imported") / "net")[0]


def test_values_are_those_that_the_peer_printed(imported):
    """Ours are added up in another order: 2 units in the last place of a float32, 0.0005 points of 5,000."""
    values = tdl.load(imported).network.values(np.array([int(board, 16) for board, _ in PAIRS], np.uint64))
    printed = np.array([value for _, value in PAIRS], np.float64).astype(np.float32)
    assert len(PAIRS) == 200
    assert (np.abs(values - printed) <= 2 * np.spacing(printed)).all()


def test_weights_are_those_that_the_peer_added_up(imported):
    """In its order of summation (images by a flip and a transposition in turn) all 9 digits are those it printed."""
    network = tdl.load(imported).network
    tables = [network.table(0), network.table(1)]
    for text, printed in PAIRS:
        rows = np.array([int(digit, 16) for digit in text[::-1]]).reshape(4, 4)
        total = np.float32(0)
        for image in range(8):
            rows = rows if image == 0 else rows[::-1] if image % 2 else rows.T
            board = rows.reshape(-1)
            entries = [sum(int(board[4 * row + j]) << 4 * j for j in range(4)) for row in range(2)]
            total += tables[0][entries[0]] + tables[1][entries[1]]
        assert float(f"{total:.9g}") == float(printed)


def test_it_says_where_it_came_from_and_plays(imported):
    meta, arrays = held(imported)
    told = {
        "program": "TDL2048+",
        "file": PEER_FILE.name,
        "sha256": hashlib.sha256(PEER_FILE.read_bytes()).hexdigest(),
    }
    assert meta["imported"] == told
    assert list(arrays) == ["weights"]
    player = tdl.load(imported)
    assert (player.gamma, player.target, player.network.rules) == (1.0, "afterstate", tdl.Rules())
    assert player.network.tuples.cells == ((0, 1, 2, 3), (4, 5, 6, 7))
    assert player.evaluate(50)["score"].mean() > 2000  # random play: 1,100


def test_exported_again_it_is_the_same_file(imported, tmp_path):
    again, told = converted(imported, tmp_path / "again.w")
    assert again.read_bytes() == PEER_FILE.read_bytes()
    assert told.splitlines() == [
        f"{again}: 2 tables (0123 4567), 131,072 weights, without the accumulators of temporal coherence",
        "TDL2048+: -n 0123 4567",
    ]
    tagged, _ = converted(imported, tmp_path / "again.bin", "--format=tdl2048")
    assert tagged.read_bytes() == b"w" + PEER_FILE.read_bytes()
    back, _ = converted(tagged, tmp_path / "back", "--format=tdl2048")
    assert held(back)[1]["weights"].tobytes() == held(imported)[1]["weights"].tobytes()


# There and back


@pytest.mark.parametrize("content", [SMALL_TC, SMALL_TD, container(table("01234567"[:1], floats(0, 16)))])
def test_files_come_back_byte_for_byte(tmp_path, content):
    folder, _ = converted(written(tmp_path / "in.w", content), tmp_path / "net")
    assert converted(folder, tmp_path / "out.w")[0].read_bytes() == content


def test_accumulators_of_entries_that_never_moved_are_0_here(tmp_path):
    signed, absolute = sums_of(0, 256)
    old = [np.where(each == TINY, 0, each) for each in (signed, absolute)]  # as old files have them
    found = []
    for name, sums in (("new.w", (signed, absolute)), ("old.w", old)):
        path = written(tmp_path / name, container(table("01", floats(0, 256), *sums)))
        folder, _ = converted(path, tmp_path / name.replace(".", "_"))
        network, sums = tdl.load(folder).network, held(folder)[1][ACCUMULATORS]
        where = network.layout.map(0, np.arange(256, dtype=np.uint32))
        np.testing.assert_array_equal(sums[where], np.column_stack(old))
        found.append(sums.tobytes())
    assert found[0] == found[1]


@pytest.mark.parametrize("learner", ["td", "tc"])
def test_a_run_comes_back(tmp_path, learner):
    run = tmp_path / "run"
    done = inside(*SMALL, "episodes=20", f"learner={learner}", f"hydra.run.dir={run}")
    assert done.returncode == 0, done.stderr
    file, told = converted(run, tmp_path / "net.w")
    assert f"{'with' if learner == 'tc' else 'without'} the accumulators" in told
    again = held(converted(file, tmp_path / "again")[0])[1]
    before = checkpoint(run)[1]
    assert {name: array.tobytes() for name, array in again.items()} == {
        name: array.tobytes() for name, array in before.items()
    }


def test_a_checkpoint_of_a_run_may_be_named_itself(tmp_path):
    run = saved(tmp_path / "run" / "checkpoint", network_of(((0, 1),))).parent
    assert (
        converted(run, tmp_path / "a.w")[0].read_bytes()
        == converted(run / "checkpoint", tmp_path / "b.w")[0].read_bytes()
    )


def test_learning_goes_on_with_imported_accumulators(tmp_path):
    """As if it had never been a file: the same weights after further games."""
    before = network_of(((0, 1, 2), (4, 5)))
    trainer = tdl.Trainer(before, alpha=1.0, step="coherent", seed=1)
    trainer.train(20)
    source = saved(tmp_path / "net", before, trainer.state[ACCUMULATORS])
    _, arrays = held(converted(converted(source, tmp_path / "net.w")[0], tmp_path / "again")[0])
    after = tdl.NTupleNetwork(before.rules, before.tuples, weights=arrays["weights"].copy())
    further = tdl.Trainer(after, alpha=1.0, step="coherent", seed=1, episode=20)
    further.state[ACCUMULATORS][:] = arrays[ACCUMULATORS]
    assert further.train(20).tobytes() == trainer.train(20).tobytes()
    assert after.weights.tobytes() == before.weights.tobytes()


# Every kind of table


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
        stored = tdl2048._write_name(each)
        assert tdl2048._feature(tdl2048._read_name(stored, size, cursor, ""), size, cursor) == feature


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


# The demo program


def test_the_demo_program_comes_back_byte_for_byte(tmp_path):
    folder, _ = converted(written(tmp_path / "2048.bin", SMALL_DEMO), tmp_path / "net")
    assert held(folder)[0]["imported"]["program"] == "TDL2048-Demo"
    file, told = converted(folder, tmp_path / "out.bin")
    assert file.read_bytes() == SMALL_DEMO
    assert told.splitlines()[1] == (
        "TDL2048-Demo: tdl.add_feature(pattern({ 0, 1 })); tdl.add_feature(pattern({ 5, 9, 10 }));"
    )
    other, _ = converted(written(tmp_path / "2048", SMALL_DEMO), tmp_path / "other", "--format=demo")
    assert held(other)[1]["weights"].tobytes() == held(folder)[1]["weights"].tobytes()


def test_both_formats_hold_the_same_values(imported, tmp_path):
    file, _ = converted(imported, tmp_path / "net.bin")
    again = tdl.load(converted(file, tmp_path / "net")[0]).network
    assert again.weights.tobytes() == tdl.load(imported).network.weights.tobytes()


def test_the_demo_program_has_no_place_for_accumulators(tmp_path):
    folder, _ = converted(written(tmp_path / "in.w", SMALL_TC), tmp_path / "net")
    file, told = converted(folder, tmp_path / "out.bin")
    assert "512 weights, not with the accumulators of temporal coherence" in told
    assert list(held(converted(file, tmp_path / "again")[0])[1]) == ["weights"]


@pytest.mark.parametrize(
    ("content", "telling"),
    [
        (demo(), "it has no table"),
        (SMALL_DEMO + b"\0", "1 bytes follow its 2 tables"),
        (demo(pattern("01", floats(0, 16))), "table '01' has 16 weights, and 2 cells have 256"),
        (demo(pattern("00", floats(0, 256))), "table '00' names a cell twice"),
        (demo(pattern("01", floats(0, 256), "3-tuple pattern 01")), "table 1 of 1 is named '3-tuple pattern 01'"),
        (demo(pattern("01", floats(0, 256), "axe")), "table 1 of 1 is named 'axe'"),
        (demo(pattern("01", floats(0, 256), "x" * 300)), "the name of table 1 of 1 has 300 letters"),
        (demo(*[pattern("01", floats(0, 256))] * 2), "table '01' is there twice"),
        (b"w" + SMALL_TD, "it begins as those of TDL2048+ do; read it with --format tdl2048"),
    ],
)
def test_what_the_demo_program_does_not_write(tmp_path, content, telling):
    line = complaint(written(tmp_path / "2048.bin", content), tmp_path / "out")
    assert f"2048.bin: not a weight file of TDL2048-Demo: {telling}" in line


# What is refused


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


@pytest.mark.parametrize(("read", "content"), [(tdl2048.read, SMALL_TC), (demo2048.read, SMALL_DEMO)])
@given(data=st.data())
@settings(max_examples=300, deadline=None)
def test_nothing_else_happens_with_damaged_files(tmp_path_factory, read, content, data):
    """Read or refused: no other error, and no array is longer than the file."""
    damaged = bytearray(data.draw(st.sampled_from([content, b""])) or data.draw(st.binary(max_size=400)))
    for _ in range(data.draw(st.integers(0, 3)) if damaged else 0):
        where = data.draw(st.integers(0, min(60, len(damaged) - 1)) | st.integers(0, len(damaged) - 1))
        damaged[where] = data.draw(st.integers(0, 255))
    path = written(tmp_path_factory.getbasetemp() / "damaged", bytes(damaged))
    try:
        tables = read(path)
    except WeightFileError as error:
        assert re.fullmatch(".*/damaged: .*", str(error))  # noqa: PT017 (either outcome is right)
    else:
        assert sum(column.nbytes for each in tables for column in each.columns) < len(damaged)


def npy():
    buffer = io.BytesIO()
    np.save(buffer, np.zeros(1000))
    return buffer.getvalue()


FOREIGN = {
    "empty": b"",
    "zeros": bytes(5000),
    "text": b"weights\n" * 9,
    "npy": npy(),
    "json": b'{"format": "tdl-checkpoint-1"}',
}


@pytest.mark.parametrize("name", FOREIGN)
@pytest.mark.parametrize("suffix", [".w", ".bin"])
def test_foreign_files(tmp_path, name, suffix):
    path = written(tmp_path / f"{name}{suffix}", FOREIGN[name])
    before = files(tmp_path)
    line = complaint(path, tmp_path / "out")
    assert f"{name}{suffix}: " in line
    assert "empty" in line or "not a weight file of TDL2048" in line
    assert files(tmp_path) == before
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
    for free, telling in ((4 * entries - 1, "tuples: the network's"), (4 * entries, "step: temporal coherence's")):
        monkeypatch.setattr(memory, "available_memory", lambda free=free: free)
        assert re.search(f"in.w: {telling} .* GiB are free", complaint(path, tmp_path / "out"))


ORDERS = (((0, 1, 2, 3), (8, 9, 10, 11)),)

UNSAYABLE = {
    "size": (lambda: network_of(((0, 1),), rules=tdl.Rules(rows=3, cols=3)), {}, "rows is 3; TDL2048+ has only 4"),
    "game": (lambda: network_of(((0, 1),), rules=tdl.Rules("fib")), {}, "game is fib; TDL2048+ has only pow2"),
    "drop": (
        lambda: network_of(((0, 1),), rules=tdl.Rules(drop=((1, 0.5), (2, 0.5)))), {},
        "drop is [[1, 0.5], [2, 0.5]]; TDL2048+ has only [[1, 0.9], [2, 0.1]]",
    ),
    "radix": (lambda: network_of(((0, 1),), radix=12), {}, "radix is 12; TDL2048+ has only 16"),
    "target": (lambda: network_of(((0, 1),)), {"target": "state"}, "target is state; TDL2048+ has only afterstate"),
    "gamma": (lambda: network_of(((0, 1),)), {"gamma": 0.5}, "gamma is 0.5; TDL2048+ has only 1.0"),
    "stages": (
        lambda: tdl.NTupleNetwork(tdl.Rules(), tdl.TupleSet(((0, 1),)), stages=Stages((512,))), {},
        "stages is [512]; TDL2048+ has only []",
    ),
    "symmetries": (lambda: network_of(((0, 1),), symmetries=False), {}, "read in one image of the board"),
    "share": (lambda: network_of(((0, 1),), share=False), {}, "read in one image of the board"),
    "order": (lambda: network_of(((0, 1),), orders=ORDERS), {}, "tuples.orders: TDL2048+ does not know"),
    "count": (lambda: network_of(((0, 1),), counts=((1, 2),)), {}, "counts: TDL2048+ does not know (1, 2)"),
    "cap": (
        lambda: network_of(((0, 1),), counts=(tuple(range(8)),), count_cap=2), {},
        "tuples.count_cap is 2; TDL2048+ has only 7",
    ),
    "twice": (lambda: network_of(((0, 1), (0, 1))), {}, "tuples: two tables of the same cells, 01"),
}  # fmt: skip


@pytest.mark.parametrize("name", UNSAYABLE)
def test_what_a_file_cannot_say_is_named(tmp_path, name):
    make, learner, telling = UNSAYABLE[name]
    folder = saved(tmp_path / "net", make(), **learner)
    assert re.search(f"net: .*{re.escape(telling)}", complaint(folder, tmp_path / "out.w"))
    assert list(tmp_path.iterdir()) == [folder]


def test_the_demo_program_has_tuples_only(tmp_path):
    folder = saved(tmp_path / "net", network_of(((0, 1),), counts=((1, 2),)))
    assert complaint(folder, tmp_path / "out.bin").endswith("net: tuples.counts: TDL2048-Demo has tuples only")


def test_shared_tables_are_not_written_as_read_once(imported, tmp_path):
    line = complaint(imported, tmp_path / "out.w", "--no-symmetries")
    assert "is read in 8 images of the board; a file does not say so: without --no-symmetries" in line


def test_a_damaged_checkpoint(imported, tmp_path):
    folder = saved(tmp_path / "net", network_of(((0, 1),)))
    next(folder.glob("*.npy")).write_bytes(b"")
    assert "cut: 0 bytes" in complaint(folder, tmp_path / "out.w")


# The program


def test_names_on_the_command_line(tmp_path, imported):
    there = written(tmp_path / "there.w", SMALL_TD)
    known = "a weight file is known by its suffix, .w (TDL2048+), .bin (TDL2048-Demo); or name it with --format"
    for words, telling in (
        ((tmp_path / "nothing.w", tmp_path / "out"), "nothing.w: no such file or folder"),
        ((imported, there), "there.w: exists already, and is not overwritten; name another"),
        ((there, imported), f"{imported}: exists already, and is not overwritten; name another"),
        ((imported, tmp_path / "out.x"), f"out.x: {known}"),
        ((imported, tmp_path / "out"), f"out: {known}"),
        ((written(tmp_path / "in.dat", SMALL_TD), tmp_path / "out"), f"in.dat: {known}"),
        (
            (there, tmp_path / "out.bin"),
            "out.bin: a weight file is imported into a folder; export that in a second step",
        ),
        ((there, tmp_path / "no" / "out"), f"there is no folder {tmp_path / 'no'}"),
        ((imported, tmp_path / "no" / "out.w"), f"there is no folder {tmp_path / 'no'}"),
        ((tmp_path, tmp_path / "out.w"), "no checkpoint here"),
    ):
        assert telling in complaint(*words)
    assert {path.name for path in tmp_path.iterdir()} == {"there.w", "in.dat"}
    assert there.read_bytes() == SMALL_TD


def test_as_a_program(tmp_path):
    written(tmp_path / "in.w", SMALL_TD)
    done = program(tmp_path, "in.w", "out", module="tdl.convert")
    assert (done.returncode, done.stderr) == (0, "")
    assert "out: 2 tables (01 012), 4,352 weights, without the accumulators" in done.stdout
    done = program(tmp_path, "in.w", "out", module="tdl.convert")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "tdl: out: exists already, and is not overwritten; name another\n"


def test_a_write_that_fails_leaves_nothing(imported, tmp_path, monkeypatch):
    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    assert "out.w: could not be written: [Errno 28]" in complaint(imported, tmp_path / "out.w")
    assert "could not be written" in complaint(PEER_FILE, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_a_killed_import_is_no_hindrance(tmp_path):
    left = tmp_path / ".net.new" / "net"
    left.mkdir(parents=True)
    written(left / "weights-0000000000.npy", b"half")
    converted(PEER_FILE, tmp_path / "net")
    assert list(tmp_path.iterdir()) == [tmp_path / "net"]


def test_an_import_beside_kept_checkpoints_leaves_them_alone(tmp_path):
    kept = saved(tmp_path / "kept" / "0000000003", network_of(((0, 1),)))
    import_weights(PEER_FILE, tmp_path / "net", "tdl2048")
    assert held(kept)


@pytest.mark.parametrize("name", ["net", "net/checkpoint"])
def test_there_is_no_run_to_resume(tmp_path, name):
    (tmp_path / name).parent.mkdir(exist_ok=True)
    folder, _ = converted(PEER_FILE, tmp_path / name)
    before = files(tmp_path)
    for given_ in {folder, tmp_path / "net"}:
        done = inside(f"resume={given_}")
        assert done.returncode == 2
        (line,) = done.stderr.splitlines()
        assert line.startswith(f"tdl: {given_}: a checkpoint without the run that made it")
    assert files(tmp_path) == before
    assert not list(tmp_path.rglob(".hydra"))


def test_engine_shows_what_is_meant_by_a_cell():
    """Cell 0 is the upper left one in both programs, and in the lowest bits."""
    assert Engine(tdl.Rules()).array(0x0000000000000021).tolist()[0] == [2, 4, 0, 0]
