"""`tdl convert`: names on the command line, and no run to resume."""

import pickle
import struct

import numpy as np
import pytest
from support.programs import files, inside
from support.weight_files import PEER_FILE, SMALL_DEMO, SMALL_TD, complaint, converted, stored, written

from tdl.errors import CheckpointError
from tdl.players.player import load


def test_names_on_the_command_line(tmp_path, imported):
    there = written(tmp_path / "there.w", SMALL_TD)
    (link := tmp_path / "link.w").symlink_to("nothing")
    known = "a weight file is known by its suffix, .w (TDL2048+), .bin (TDL2048-Demo); or name it with --format"
    for words, telling in (
        ((tmp_path / "nothing.w", tmp_path / "out"), "nothing.w: no such file or folder"),
        ((imported, there), "there.w: exists already, and is not overwritten; name another"),
        ((there, imported), f"{imported}: exists already, and is not overwritten; name another"),
        ((imported, link), "link.w: exists already, and is not overwritten; name another"),
        ((imported, tmp_path / "out.x"), f"out.x: {known}"),
        ((written(tmp_path / "in.dat", SMALL_TD), tmp_path / "out"), f"in.dat: {known}"),
        ((there, tmp_path / "out.bin"), "out.bin: a weight file is imported into a folder; export that in a second"),
        ((imported, tmp_path / "no" / "out.w"), f"there is no folder {tmp_path / 'no'}"),
        ((tmp_path, tmp_path / "out.w"), "no checkpoint here"),
    ):
        assert telling in complaint(*words)
    assert {path.name for path in tmp_path.iterdir()} == {"there.w", "in.dat", "link.w"}
    assert there.read_bytes() == SMALL_TD


COURSE = np.zeros(16, "<f4").tobytes()

STATS = b"dummy:random@1634|#2#5r[4](1)u|dummy@1640\n"


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (struct.pack("<IQ", 1, 16) + COURSE, "1 table of 16 weights without names, as programs of NYCU's course"),
        (struct.pack("<QQ", 2, 16) + COURSE + struct.pack("<Q", 16) + COURSE, "2 tables of 16 weights without names"),
        (STATS, "games of NYCU's course framework (2048-Framework, --save=stats.txt), no weights"),
        (pickle.dumps([1]), "a pickle of Python, which could run code when it is read; expected the weight file of"),
        (b"PK\x03\x04" + bytes(60), "a zip archive"),
        (b"\x93NUMPY" + bytes(60), "an array of NumPy"),
        (b"\x1f\x8b" + bytes(60), "compressed; unpack it first"),
        (b'{"game": 2048, "weights": [1, 2, 3, 4, 5]}', "a text"),
    ],
    ids=range(8),
)
@pytest.mark.parametrize("name", ["weights.bin", "a.w", "stats.txt"])
def test_files_that_are_not_read_are_named(tmp_path, content, kind, name):
    assert f"{name}: {kind}" in complaint(written(tmp_path / name, content), tmp_path / "out")


def test_a_weight_file_is_no_checkpoint(tmp_path):
    there = written(tmp_path / "there.w", SMALL_TD)
    with pytest.raises(CheckpointError, match=r"there\.w: a file, .* tdl convert makes one"):
        load(there)


def test_a_file_of_another_name(tmp_path):
    folder, _ = converted(written(tmp_path / "2048", SMALL_DEMO), tmp_path / "net", "--format=demo")
    assert stored(folder)[0]["imported"]["program"] == "TDL2048-Demo"
    assert converted(folder, tmp_path / "out.bin")[1].splitlines()[1] == (
        "TDL2048-Demo: tdl.add_feature(pattern({ 0, 1 })); tdl.add_feature(pattern({ 5, 9, 10 }));"
    )


@pytest.mark.parametrize("name", ["net", "net/checkpoint"])
def test_there_is_no_run_to_resume(tmp_path, name):
    (tmp_path / name).parent.mkdir(exist_ok=True)
    folder, _ = converted(PEER_FILE, tmp_path / name)
    before = files(tmp_path)
    for named in {folder, tmp_path / "net"}:
        done = inside(f"resume={named}")
        assert done.returncode == 2
        (line,) = done.stderr.splitlines()
        assert line.startswith(f"tdl: resume: {named}: a checkpoint without the run that made it")
    assert files(tmp_path) == before
    assert not list(tmp_path.rglob(".hydra"))
