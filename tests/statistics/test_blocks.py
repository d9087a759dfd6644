"""The figures of a `blocks.csv`: those that a run writes come back, and what is none is refused without much memory.

Trusts numpy as the independent reader.
"""

import os
import tracemalloc

import numpy as np
import pytest
from support.programs import blocks_of

from tdl.errors import TdlError
from tdl.statistics.summary import MAX_BYTES, read_blocks
from tdl.storage.reading import MAX_LINE


def test_what_a_run_writes_comes_back(small_run):
    path = small_run("episodes=40") / "blocks.csv"
    table = read_blocks(path)
    expected = blocks_of(path.parent)
    assert list(table) == list(expected)
    for name, column in table.items():
        assert column.dtype == expected[name].dtype
        np.testing.assert_array_equal(column, expected[name])  # of which NaN equals NaN


def test_a_line_in_the_making_is_left_out(tmp_path):
    path = tmp_path / "blocks.csv"
    for text, episodes in (("", []), ("episode,mean,max\n", []), ("episode,mean,max\n10,2.5,4\n20,3", [10])):
        path.write_text(text)
        assert read_blocks(path)["episode"].tolist() == episodes


@pytest.mark.parametrize(
    ("content", "telling"),
    [
        ("episode,mean,max\n1,2\n", "2 numbers in a line, not 3"),
        ("episode,mean,max\n\n1,2,3\n4\n", "cut or corrupt"),
        ("episode,mean,max\n1,2,3\n1,2\n", "cut or corrupt"),
        ("episode,mean,max\n1,2,x\n", "cut or corrupt"),
        ("episode,mean,max\n1,2,\n", "cut or corrupt"),
        ("episode,mean,max\n1,nan,3\n", "mean, max: not all are numbers"),
        ("episode,mean,max,moves\n1,2,3,inf\n", "a figure is beyond"),
        ("episode,mean,max,max\n1,2,3,4\n", "not the blocks of a run"),
        ("episode,mean,max,run\n1,2,3,4\n", "'run': no such column"),
        ("episode,mean,max\n" + "1" * (MAX_LINE + 1), "a line of more than"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path, content, telling):
    (tmp_path / "blocks.csv").write_text(content)
    with pytest.raises(TdlError, match=telling) as told:
        read_blocks(tmp_path / "blocks.csv")
    assert str(tmp_path / "blocks.csv") in str(told.value)


def test_a_huge_file_takes_no_memory(tmp_path):
    """One with a hole, which is no larger on the disk than its first line."""
    path = tmp_path / "blocks.csv"
    for size, telling in ((10 << 30, "10,737,418,240 bytes"), (MAX_BYTES, "a line of more than")):
        path.write_text("episode,mean,max\n")
        os.truncate(path, size)
        tracemalloc.start()
        with pytest.raises(TdlError, match=telling):
            read_blocks(path)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
        tracemalloc.stop()
