"""Weight files become checkpoints and come back, value for value.

Trusts `data/2x4patt_td.w`, which TDL2048+ wrote, the values it printed of 200 boards with it, and files that are put
together byte by byte.
"""

import hashlib
import re
import shutil

import numpy as np
import pytest
from support.programs import SMALL, checkpoint, inside
from support.shapes import Repeated
from support.weight_files import (
    PAIRS,
    PEER_FILE,
    SMALL_DEMO,
    SMALL_TC,
    SMALL_TD,
    TINY,
    boards,
    complaint,
    container,
    converted,
    floats,
    images,
    mono,
    network_of,
    packed,
    saved,
    stored,
    sums_of,
    table,
    written,
)

import tdl
from tdl.base import machine
from tdl.learning.state import ACCUMULATORS
from tdl.network.stages import Stages


def test_values_are_those_that_the_peer_printed(imported):
    """Ours are added up in another order: 2 units in the last place of a float32, 0.0005 points of 5,000."""
    values = tdl.load(imported).network.values(np.array([int(board, 16) for board, _ in PAIRS], np.uint64))
    printed = np.array([value for _, value in PAIRS], np.float64).astype(np.float32)
    assert len(PAIRS) == 200
    assert (np.abs(values - printed) <= 2 * np.spacing(printed)).all()


def test_it_says_where_it_came_from_and_plays(imported):
    meta, arrays = stored(imported)
    assert meta["imported"] == {
        "program": "TDL2048+",
        "file": PEER_FILE.name,
        "sha256": hashlib.sha256(PEER_FILE.read_bytes()).hexdigest(),
    }
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
    weights = stored(imported)[1]["weights"].tobytes()
    demo, _ = converted(imported, tmp_path / "demo.bin")
    for file, words in ((tagged, ["--format=tdl2048"]), (demo, [])):
        back, _ = converted(file, tmp_path / f"of_{file.stem}", *words)
        assert stored(back)[1]["weights"].tobytes() == weights


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.w", SMALL_TC), ("a.w", SMALL_TD), ("a.w", container(table("0", floats(0, 16)))), ("2048.bin", SMALL_DEMO)],
)
def test_files_come_back_byte_for_byte(tmp_path, name, content):
    folder, _ = converted(written(tmp_path / name, content), tmp_path / "net")
    assert converted(folder, tmp_path / f"out_{name}")[0].read_bytes() == content


def test_the_demo_program_has_no_place_for_accumulators(tmp_path):
    folder, _ = converted(written(tmp_path / "in.w", SMALL_TC), tmp_path / "net")
    file, told = converted(folder, tmp_path / "out.bin")
    assert "512 weights, not with the accumulators of temporal coherence" in told
    assert list(stored(converted(file, tmp_path / "again")[0])[1]) == ["weights"]


def test_accumulators_of_entries_that_never_moved_are_0_here(tmp_path):
    signed, absolute = sums_of(0, 256)
    old = [np.where(column == TINY, 0, column) for column in (signed, absolute)]  # as old files have them
    for name, sums in (("new", (signed, absolute)), ("old", old)):
        path = written(tmp_path / f"{name}.w", container(table("01", floats(0, 256), *sums)))
        folder, _ = converted(path, tmp_path / name)
        where = tdl.load(folder).network.layout.map(0, np.arange(256, dtype=np.uint32))
        np.testing.assert_array_equal(stored(folder)[1][ACCUMULATORS][where], np.column_stack(old))


@pytest.mark.parametrize("learner", ["td", "tc"])
def test_a_run_comes_back(tmp_path, learner):
    run = tmp_path / "run"
    done = inside(*SMALL, "episodes=20", f"learner={learner}", f"hydra.run.dir={run}")
    assert done.returncode == 0, done.stderr
    file, told = converted(run, tmp_path / "net.w")
    assert f"{'with' if learner == 'tc' else 'without'} the accumulators" in told
    assert converted(run / "checkpoint", tmp_path / "same.w")[0].read_bytes() == file.read_bytes()
    again, before = stored(converted(file, tmp_path / "again")[0])[1], checkpoint(run)[1]
    assert again.keys() == before.keys()
    assert all(again[name].tobytes() == before[name].tobytes() for name in before)


# Every kind of table


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


def test_features_beyond_tuples(tmp_path):
    """In one file with a tuple: values added up here."""
    lines, tiles = ((0, 1, 2, 3), (4, 5, 6, 7)), tuple(range(8, 16))
    cells, orders, counts = floats(0, 256), floats(1, 2**24), floats(2, 2**24)
    content = container(table("01", cells), table(b"m@0123  ", orders), table(b"num@lt  ", counts))
    folder, _ = converted(written(tmp_path / "in.w", content), tmp_path / "net")
    network = tdl.load(folder).network
    assert network.tuples == tdl.TupleSet(((0, 1),), orders=(lines,), counts=(tiles,))
    for board in boards():
        found = [cells[image[0] + 16 * image[1]] for image in images(board)]
        found += [orders[mono(image, lines)] for image in images(board)]
        found.append(counts[sum(min(board.count(tile), 7) << 3 * j for j, tile in enumerate(tiles))])
        assert network.value(packed(board)) == pytest.approx(sum(map(float, found)), rel=1e-5, abs=0.01)
    shutil.rmtree(tmp_path)  # 0.3 GB, which pytest would keep


@pytest.mark.parametrize(("dtype", "digits"), [("<f2", 11), ("<f8", 24)])
def test_other_precisions(tmp_path, dtype, digits):
    weights = floats(0, 256)
    path = written(tmp_path / "in.w", container(table("01", weights, *sums_of(0, 256), dtype=dtype)))
    folder, _ = converted(path, tmp_path / "net")
    np.testing.assert_allclose(tdl.load(folder).network.table(0), weights, rtol=2.0**-digits)


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
    network, sums = tdl.load(folder).network, stored(folder)[1][ACCUMULATORS]
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


# What is refused


UNSAYABLE = {
    "size": (lambda: network_of(((0, 1),), rules=tdl.Rules(rows=3, cols=3)), {}, "rows is 3; TDL2048+ has only 4"),
    "game": (lambda: network_of(((0, 1),), rules=tdl.Rules("2584")), {}, "game is 2584; TDL2048+ has only 2048"),
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
    "symmetries": (
        lambda: network_of(((0, 1),), symmetries=False), {},
        "read in one image of the board; a file does not say so: with --no-symmetries",
    ),
    "share": (lambda: network_of(((0, 1),), share=False), {}, "read in one image of the board"),
    "count": (lambda: network_of(((0, 1),), counts=((1, 2),)), {}, "counts: TDL2048+ does not know (1, 2)"),
    "cap": (
        lambda: network_of(((0, 1),), counts=(tuple(range(8)),), count_cap=2), {},
        "tuples.count_cap is 2; TDL2048+ has only 7",
    ),
    "twice": (lambda: network_of(((0, 1), (0, 1)), kind=Repeated), {}, "tuples: two tables of the same cells, 01"),
}  # fmt: skip


@pytest.mark.parametrize("name", UNSAYABLE)
def test_what_a_file_cannot_say_is_named(tmp_path, name):
    make, learner, telling = UNSAYABLE[name]
    folder = saved(tmp_path / "net", make(), **learner)
    assert re.search(f"net: .*{re.escape(telling)}", complaint(folder, tmp_path / "out.w"))
    assert list(tmp_path.iterdir()) == [folder]


def test_shared_tables_are_not_written_as_read_once(imported, tmp_path):
    line = complaint(imported, tmp_path / "out.w", "--no-symmetries")
    assert "is read in 8 images of the board; a file does not say so: without --no-symmetries" in line


@pytest.mark.parametrize("column", range(3))
@pytest.mark.parametrize(("number", "dtype"), [(np.nan, "<f4"), (1e300, "<f8")])
def test_numbers_that_are_not_finite(tmp_path, column, number, dtype):
    columns = [floats(0, 256).astype(dtype), *(sums.astype(dtype) for sums in sums_of(0, 256))]
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


def test_a_write_that_fails_leaves_nothing(imported, tmp_path, monkeypatch):
    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    assert "out.w: could not be written: [Errno 28]" in complaint(imported, tmp_path / "out.w")
    assert "could not be written" in complaint(PEER_FILE, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_an_import_clears_what_a_killed_one_left_and_nothing_else(tmp_path):
    left = tmp_path / ".net.new" / "net"
    left.mkdir(parents=True)
    written(left / "weights-0000000000.npy", b"half")
    other = saved(tmp_path / "other" / "0000000003", network_of(((0, 1),)))
    converted(PEER_FILE, tmp_path / "net")
    assert {path.name for path in tmp_path.iterdir()} == {"net", "other"}
    assert stored(other)
