"""`tdl convert`: what a weight file cannot say, names on the command line, writes that fail, and no run to resume."""

import re

import pytest
from support.programs import files, inside
from support.shapes import Repeated
from support.weight_files import PEER_FILE, SMALL_TD, complaint, converted, held, network_of, saved, written

import tdl
from tdl.network.stages import Stages

ORDERS = (((0, 1, 2, 3), (8, 9, 10, 11)),)

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
    "symmetries": (lambda: network_of(((0, 1),), symmetries=False), {}, "read in one image of the board"),
    "share": (lambda: network_of(((0, 1),), share=False), {}, "read in one image of the board"),
    "order": (lambda: network_of(((0, 1),), orders=ORDERS), {}, "tuples.orders: TDL2048+ does not know"),
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
    kept = saved(tmp_path / "kept" / "0000000003", network_of(((0, 1),)))
    converted(PEER_FILE, tmp_path / "net")
    assert {path.name for path in tmp_path.iterdir()} == {"net", "kept"}
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
