"""Figures of a set of games against values worked out by hand.

Trusts a pocket calculator and the printed tables: z = 1.96, and Student's t as every textbook has it.
"""

import math

import numpy as np
import pytest

from tdl.game.rules import Rules
from tdl.statistics.intervals import mean_interval, share_interval
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


def test_row_has_the_tiles_of_the_game_whatever_was_reached():
    rules = Rules(rows=2, cols=5)
    row = block_row(GAMES, rules, 90, seconds=1, mean_abs_error=0)
    assert [name for name in row if name.startswith("reach_")] == [f"reach_{tile}" for tile in rules.tiles]


def test_row_of_no_time():
    assert block_row(GAMES, Rules(), 90, seconds=0, mean_abs_error=0)["moves_per_second"] == 0


@pytest.mark.parametrize(("tile", "games"), [(2, 4), (64, 4), (65, 3), (128, 3), (256, 1), (512, 0)])
def test_reach_counts_games_with_at_least_the_tile(tile, games):
    assert reach(GAMES, tile) == games


@pytest.mark.parametrize(
    ("values", "half"),
    [
        ([1, 2, 3, 4], 3.18245 * 1.29099 / 2),  # t * standard deviation / root of n
        ([1, 3] * 5, 2.26216 * 1.05409 / 3.16228),
        ([0, 100] * 500, 1.96234 * 50.0250 / 31.6228),
        ([10] * 5, 0),
    ],
    ids=["four", "ten", "a thousand", "all equal"],
)
def test_interval_of_a_mean(values, half):
    mean = sum(values) / len(values)
    assert mean_interval(np.array(values)) == pytest.approx((mean - half, mean + half), abs=2e-3 * half)


@pytest.mark.parametrize(("values", "half"), [([0, 2], 12.7062), ([0, 3, 6], 4.30265 * 3 / 1.73205)])
def test_interval_of_very_few_values_is_wide_enough(values, half):
    """Two or three seeds: the place where a normal interval would be much too narrow."""
    low, high = mean_interval(np.array(values))
    assert (high - low) / 2 == pytest.approx(half, rel=0.02)


@pytest.mark.parametrize("values", [[], [5]])
def test_no_interval_below_two_values(values):
    assert all(math.isnan(end) for end in mean_interval(np.array(values)))


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    [
        (0, 10, 0, 0.27753),  # z2 / (n + z2) with z2 = 3.84146
        (10, 10, 0.72247, 1),
        (5, 10, 0.23659, 0.76341),
        (1, 4, 0.04559, 0.69936),
        (500, 1000, 0.46907, 0.53093),
    ],
)
def test_interval_of_a_share(hits, n, low, high):
    assert share_interval(hits, n) == pytest.approx((low, high), abs=1e-5)


def test_interval_of_a_share_of_nothing():
    assert all(math.isnan(end) for end in share_interval(0, 0))


def test_interval_of_a_share_covers_as_often_as_it_says():
    """Exactly, over the binomial law: near 95% on the whole, as Wilson's interval is known to."""
    n, shares = 40, np.linspace(0.05, 0.95, 91)
    ends = [share_interval(hits, n) for hits in range(n + 1)]
    covered = [
        sum(math.comb(n, hits) * p**hits * (1 - p) ** (n - hits) for hits, (a, b) in enumerate(ends) if a <= p <= b)
        for p in shares
    ]
    assert np.mean(covered) == pytest.approx(0.95, abs=0.01)


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
