"""Weight files of TDL2048-Demo become checkpoints and come back, or are refused.

Trusts files that are put together byte by byte.
"""

import pytest
from support.weight_files import (
    SMALL_DEMO,
    SMALL_TC,
    SMALL_TD,
    complaint,
    converted,
    demo,
    floats,
    held,
    network_of,
    pattern,
    saved,
    written,
)

import tdl


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


def test_the_demo_program_has_tuples_only(tmp_path):
    folder = saved(tmp_path / "net", network_of(((0, 1),), counts=((1, 2),)))
    assert complaint(folder, tmp_path / "out.bin").endswith("net: tuples.counts: TDL2048-Demo has tuples only")
