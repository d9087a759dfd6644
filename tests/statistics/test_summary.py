"""Figures of a set of games against values worked out by hand.

Trusts a pocket calculator and the printed tables: z = 1.96, and Student's t as every textbook has it.
"""

import numpy as np
import pytest

from tdl.game.rules import Rules
from tdl.statistics.summary import block_row, reach, score_bands, statistics_block, summary
from tdl.storage.records import RECORD

GAMES = np.array([(96, 100, 10, 64), (97, 300, 20, 128), (98, 200, 30, 128), (99, 1000, 40, 256)], RECORD)
TILES = [2**i for i in range(1, 16)]
ALL_REACHED = [2, 4, 8, 16, 32, 64]


def test_block_as_the_field_prints_it():
    assert statistics_block(GAMES, 100, 1234.56) == (
        "100\tmean = 400\tmax = 1000\tops = 1235\n\t64 \t100%\t(25%)\n\t128 \t75%\t(50%)\n\t256 \t25%\t(25%)\n"
    )


def test_block_rounds_to_what_is_read():
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
