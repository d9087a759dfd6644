"""`tdl convert`: names on the command line, and no run to resume."""

import pytest
from support.programs import files, inside
from support.weight_files import PEER_FILE, SMALL_DEMO, SMALL_TD, complaint, converted, stored, written


def test_names_on_the_command_line(tmp_path, imported):
    there = written(tmp_path / "there.w", SMALL_TD)
    known = "a weight file is known by its suffix, .w (TDL2048+), .bin (TDL2048-Demo); or name it with --format"
    for words, telling in (
        ((tmp_path / "nothing.w", tmp_path / "out"), "nothing.w: no such file or folder"),
        ((imported, there), "there.w: exists already, and is not overwritten; name another"),
        ((there, imported), f"{imported}: exists already, and is not overwritten; name another"),
        ((imported, tmp_path / "out.x"), f"out.x: {known}"),
        ((written(tmp_path / "in.dat", SMALL_TD), tmp_path / "out"), f"in.dat: {known}"),
        ((there, tmp_path / "out.bin"), "out.bin: a weight file is imported into a folder; export that in a second"),
        ((imported, tmp_path / "no" / "out.w"), f"there is no folder {tmp_path / 'no'}"),
        ((tmp_path, tmp_path / "out.w"), "no checkpoint here"),
    ):
        assert telling in complaint(*words)
    assert {path.name for path in tmp_path.iterdir()} == {"there.w", "in.dat"}
    assert there.read_bytes() == SMALL_TD


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
        assert line.startswith(f"tdl: {named}: a checkpoint without the run that made it")
    assert files(tmp_path) == before
    assert not list(tmp_path.rglob(".hydra"))
