"""Means and differences of settings with intervals over seeds.

Trusts numbers worked out by hand, and scipy's bootstrap of a single sample.
"""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from tdl.errors import ConfigError
from tdl.results.comparison import compare, differing, factors, means
from tdl.statistics.intervals import bootstrap_interval, mean_of_strata


def runs(rows, *columns):
    return pd.DataFrame(rows, columns=[*columns, "eval_mean"])


SWEEP = runs(
    [
        (0.1, "4x6", 0, 10.0), (0.1, "4x6", 1, 14.0), (0.1, "8x6", 0, 110.0), (0.1, "8x6", 1, 114.0),
        (0.5, "4x6", 0, 20.0), (0.5, "4x6", 1, 24.0), (0.5, "8x6", 0, 111.0), (0.5, "8x6", 1, 113.0),
    ],
    "alpha", "tuples", "seed",
)  # fmt: skip


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_interval_of_one_sample_is_scipys(level):
    sample = np.random.default_rng(1).gamma(2.0, 100.0, 12)
    ours = bootstrap_interval([sample], level=level, resamples=50_000)
    theirs = stats.bootstrap(
        (sample,), np.mean, n_resamples=50_000, confidence_level=level, method="percentile", rng=2
    ).confidence_interval
    assert ours == pytest.approx(theirs, abs=0.03 * (theirs.high - theirs.low))


def test_intervals_cover_as_often_as_they_say():
    """Of 400 means of 20 normal values; a percentile interval of so few is a little too narrow, by theory 93.6%."""
    rng = np.random.default_rng(3)
    inside = [low <= 0 <= high for low, high in (bootstrap_interval([rng.normal(size=20)]) for _ in range(400))]
    assert 0.89 <= np.mean(inside) <= 0.97


def test_strata_are_resampled_alone():
    """How far they lie apart does not count: the interval is that of what varies within them."""
    near, far = ([np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, 1.0, 2.0, 3.0]) + gap] for gap in (0, 1000))
    low, high = bootstrap_interval(near)
    assert bootstrap_interval(far) == pytest.approx((low + 500, high + 500))
    assert high - low < 3


def test_an_interval_is_the_same_every_time():
    sample = np.random.default_rng(4).normal(size=10)
    assert bootstrap_interval([sample]) == bootstrap_interval([sample])
    assert bootstrap_interval([sample]) != bootstrap_interval([sample], seed=1)


@pytest.mark.parametrize("strata", [[], [np.array([1.0])], [np.array([1.0, 2.0]), np.array([1.0])]])
def test_one_value_says_nothing_of_others(strata):
    assert all(map(math.isnan, bootstrap_interval(strata)))


def test_strata_weigh_the_same():
    assert mean_of_strata([np.array([1.0]), np.array([2.0, 4.0, 6.0])]) == 2.5


def test_means_of_all_settings():
    found = means(SWEEP)
    assert list(found.columns) == ["alpha", "tuples", "runs", "mean", "low", "high"]
    assert found[["alpha", "tuples", "mean"]].to_numpy().tolist() == [
        [0.1, "4x6", 12.0], [0.1, "8x6", 112.0], [0.5, "4x6", 22.0], [0.5, "8x6", 112.0]]  # fmt: skip
    assert (found["runs"] == 2).all()
    assert found[["low", "high"]].iloc[0].tolist() == [10.0, 14.0]  # of two seeds: a quarter of resamples is one twice


def test_means_over_further_keys_are_stratified():
    found = means(SWEEP, by=["alpha"])
    assert found[["alpha", "runs", "mean"]].to_numpy().tolist() == [[0.1, 4, 62.0], [0.5, 4, 67.0]]
    assert found[["low", "high"]].to_numpy().tolist() == [[60.0, 64.0], [65.5, 68.5]]


def test_means_of_everything():
    found = means(SWEEP, by=[])
    assert found[["runs", "mean"]].to_numpy().tolist() == [[8, 64.5]]


def test_runs_without_a_score_are_left_out():
    table = pd.concat([SWEEP, runs([(0.9, "4x6", 0, np.nan), (0.1, "4x6", 2, np.nan)], "alpha", "tuples", "seed")])
    assert means(table).equals(means(SWEEP))


def test_difference_and_improvement():
    told = compare(SWEEP, "alpha", 0.5, 0.1)
    assert (told["a"], told["b"], told["difference"]) == (0.5, 0.1, 5.0)
    # Half of the sum of four means that are off by 2, 1, 2 and 2 in a quarter of the resamples, each way: 3.5 in 0.4%
    # of them, 3 in 0.8%, 2.5 in 2.7%.
    assert (told["low"], told["high"]) == (5 - 2.5, 5 + 2.5)
    # 4x6: all four pairs; 8x6: 111 and 113 beat 110, not 114: half.
    assert told["improvement"] == 0.75
    assert (told["improvement_low"], told["improvement_high"]) == (0.5, 1.0)
    back = compare(SWEEP, "alpha", 0.1, 0.5)
    assert (back["difference"], back["improvement"]) == (-5.0, 0.25)


def test_ties_count_half():
    table = runs([("a", 0, 1.0), ("a", 1, 2.0), ("b", 0, 2.0), ("b", 1, 3.0)], "agent", "seed")
    assert compare(table, "agent", "a", "b")["improvement"] == 0.125


def test_only_settings_that_both_have_count():
    table = SWEEP[(SWEEP["alpha"] == 0.1) | (SWEEP["tuples"] == "4x6")]
    assert compare(table, "alpha", 0.5, 0.1)["difference"] == 10.0
    table = SWEEP[(SWEEP["alpha"] == 0.1) ^ (SWEEP["tuples"] == "8x6")]
    assert compare(table, "alpha", 0.5, 0.1)["difference"] == 100.0  # tuples go with alpha, as one choice
    apart = pd.concat([table, runs([(0.1, "5x6", 0, 1.0), (0.5, "7x6", 0, 1.0)], "alpha", "tuples", "seed")])
    with pytest.raises(ConfigError, match=r"alpha: 0.5 and 0.1 have no setting of tuples in common"):
        compare(apart, "alpha", 0.5, 0.1)


def test_keys_that_follow_are_no_obstacle():
    """Learners have step sizes of their own."""
    table = runs([("td", 0.1, 0, 1.0), ("td", 0.1, 1, 2.0), ("tc", 1.0, 0, 3.0), ("tc", 1.0, 1, 5.0)],
                 "learner", "alpha", "seed")  # fmt: skip
    assert compare(table, "learner", "tc", "td")["difference"] == 2.5


def test_no_value_is_a_value():
    table = runs([(None, 0.1, 0, 1.0), (None, 0.1, 1, 2.0), ("halving:5", 0.2, 0, 3.0), ("halving:5", 0.2, 1, 5.0)],
                 "schedule", "alpha", "seed")  # fmt: skip
    assert compare(table, "schedule", "halving:5", None)["difference"] == 2.5
    numbers = runs([(np.nan, 0, 1.0), (16.0, 0, 3.0)], "radix", "seed")
    assert compare(numbers, "radix", 16, None)["difference"] == 2.0
    with pytest.raises(ConfigError, match=r"schedule: 'halving:6' is not allowed"):
        compare(table, "schedule", "halving:6", None)


def test_mistakes_are_named():
    with pytest.raises(ConfigError, match=r"alhpa: no such column of the table; did you mean 'alpha'\?"):
        means(SWEEP, by=["alhpa"])
    with pytest.raises(ConfigError, match=r"alpha: 0.7 is not allowed; expected one of 0.1, 0.5"):
        compare(SWEEP, "alpha", 0.7, 0.1)


def test_factors_are_choices_that_differ():
    table = SWEEP.assign(status="finished", run=[str(i) for i in range(8)], gamma=1.0, moves=range(8))
    table["tuples.cells"] = table["tuples"].map({"4x6": "[[0]]", "8x6": "[[1]]"})
    assert factors(table) == ["alpha", "tuples"]
    assert set(differing(table)) == {"alpha", "tuples", "seed", "run", "moves", "eval_mean"}
    failed = table.assign(error=["no"] + [None] * 7, status=["failed"] + ["finished"] * 7)
    assert factors(failed) == ["alpha", "tuples"]


def test_no_value_differs_from_one():
    table = runs([(0, 1.0), (1, 2.0)], "seed").assign(
        schedule=["halving:5", None], radix=[16.0, None], note=[None, None]
    )
    assert factors(table) == ["schedule", "radix"]
