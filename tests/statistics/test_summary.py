"""Figures of sets of games against values worked out by hand, and a `blocks.csv` read back or refused.

Trusts a pocket calculator and the printed tables: z = 1.96, and Student's t as every textbook has it; numpy as the
independent reader.
"""

import os
import tracemalloc

import numpy as np
import pytest
from support.programs import blocks_of

from tdl.errors import TdlError
from tdl.game.rules import Rules
from tdl.statistics.summary import (
    MAX_BYTES,
    block_row,
    reach,
    read_blocks,
    score_bands,
    statistics_block,
    summary,
)  # fmt: skip
from tdl.storage.reading import MAX_LINE
from tdl.storage.records import RECORD

GAMES = np.array([(96, 100, 10, 64), (97, 300, 20, 128), (98, 200, 30, 128), (99, 1000, 40, 256)], RECORD)
TILES = [2**i for i in range(1, 16)]
ALL_REACHED = [2, 4, 8, 16, 32, 64]


def test_block_as_the_field_prints_it():
    """Means have six digits, shares four."""
    assert statistics_block(GAMES, 100, 1234.56) == (
        "100\tmean = 400\tmax = 1000\tops = 1235\n\t64 \t100%\t(25%)\n\t128 \t75%\t(50%)\n\t256 \t25%\t(25%)\n"
    )
    games = np.array([(0, 19389, 1, 4), (1, 19390, 1, 2), (2, 19390, 1, 2)], RECORD)
    assert statistics_block(games, 3, 2.5e6).splitlines() == [
        "3\tmean = 19389.7\tmax = 19390\tops = 2500000",
        "\t2 \t100%\t(66.67%)",
        "\t4 \t33.33%\t(33.33%)",
    ]


def test_row_of_a_block():
    row = block_row(GAMES, Rules(), 90, seconds=0.5, mean_abs_error=3.25)
    reached = {f"reach_{tile}": row.pop(f"reach_{tile}") for tile in TILES}
    assert row == {"episode": 100, "mean": 400.0, "median": 250.0, "max": 1000, "moves": 90, "seconds": 0.5,
                   "moves_per_second": 180, "mean_abs_error": 3.25}  # fmt: skip
    assert reached == {f"reach_{tile}": {128: 0.75, 256: 0.25}.get(tile, float(tile <= 64)) for tile in TILES}


def test_row_of_no_time_has_the_tiles_of_the_game():
    rules = Rules(rows=2, cols=5)
    row = block_row(GAMES, rules, 90, seconds=0, mean_abs_error=0)
    assert row["moves_per_second"] == 0
    assert [name for name in row if name.startswith("reach_")] == [f"reach_{tile}" for tile in rules.tiles]


@pytest.mark.parametrize(("tile", "games"), [(2, 4), (64, 4), (65, 3), (128, 3), (256, 1), (512, 0)])
def test_reach_counts_games_with_at_least_the_tile(tile, games):
    assert reach(GAMES, tile) == games


def test_summary():
    told = summary(GAMES, Rules())
    reached = told.pop("reach")
    half = 3.18245 * 408.2483 / 2  # t of 3 degrees of freedom * standard deviation / root of n
    assert told.pop("mean_ci95") == pytest.approx([400 - half, 400 + half], abs=3)
    assert told == {"episodes": 4, "mean": 400.0, "median": 250.0, "max": 1000, "moves": 100}
    assert list(reached) == [str(tile) for tile in (*ALL_REACHED, 128, 256)]
    assert reached["64"]["rate"] == 1
    assert reached["256"]["rate"] == 0.25
    assert reached["256"]["ci95"] == pytest.approx([0.04559, 0.69936], abs=1e-5)


def test_summary_of_one_and_of_no_game():
    assert summary(GAMES[:1], Rules())["mean_ci95"] is None
    assert summary(GAMES[:0], Rules()) == {"episodes": 0}


def test_scores_in_bands():
    games = np.array([(k, score, 1, 2) for k, score in enumerate((0, 999, 1000, 3500, 3999))], RECORD)
    assert score_bands(games) == [(0, 2), (1000, 1), (2000, 0), (3000, 2)]
    assert score_bands(games, 2000) == [(0, 3), (2000, 2)]
    assert score_bands(games[:0]) == []


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
        ("episode,mean,max\n1,2,3\n1,2\n", "cut or corrupt"),
        ("episode,mean,max\n1,2,x\n", "cut or corrupt"),
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
