"""Intervals are those of the textbooks, and where these have none cover as often as they claim.

Trusts scipy, and simulation.
"""

import math

import numpy as np
import pytest
from scipy import stats

from tdl.statistics.intervals import (
    chi_square_tail,
    contrast_interval,
    contrast_p,
    has_interval,
    holm,
    improvement,
    interval_text,
    mean_interval,
    p_text,
    share_interval,
    t_quantile,
    t_tails,
)

FREEDOM = (1, 1.3, 2, 2.7, 3, 5, 9, 17.3, 99, 1e3, 1e5)


@pytest.mark.parametrize("df", FREEDOM)
def test_students_t(df):
    for level in (0.5, 0.9, 0.95, 0.99, 1 - 0.05 / 66):
        assert t_quantile(level, df) == pytest.approx(stats.t.ppf((1 + level) / 2, df), rel=1e-8)
    for t in (0.0, 0.01, 0.5, 1, 2, 5, 20, 100, math.inf):
        assert t_tails(t, df) == pytest.approx(2 * stats.t.sf(t, df), rel=1e-8, abs=1e-11)


@pytest.mark.parametrize("df", [1, 2, 3, 8, 15, 24, 240, 1001])
def test_the_tail_of_chi_square(df):
    for x in (-1.0, 0.0, 1e-9, 0.3, 1, df, 2 * df + 20, 700, 1e5):
        assert chi_square_tail(x, df) == pytest.approx(stats.chi2.sf(x, df), rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("values", [[0.0, 2], [0.0, 3, 6], [0.0, 100] * 500])
def test_a_mean_is_students(values):
    assert mean_interval(np.array(values)) == pytest.approx(stats.ttest_1samp(values, 0).confidence_interval())


@pytest.mark.parametrize("spread", [0.0, 1.0])
@pytest.mark.parametrize("n", [2, 3, 5])
def test_a_mean_of_uncertain_values_is_covered_no_less_often(n, spread):
    """Runs differ by `spread`, and their games tell each to 1 (standard deviations): covered in 95%, or in more.

    Where the values of a sample lie closest together by chance, Student's t covers far less; with the errors of the
    values it does not.
    """
    samples = np.random.default_rng(n).normal(7.0, np.hypot(spread, 1.0), (3000, n))
    bounds = [np.array([mean_interval(sample, errors) for sample in samples]) for errors in (np.ones(n), None)]
    inside, without = ((low <= 7) & (high >= 7) for low, high in (each.T for each in bounds))
    assert (inside >= without).all()
    assert inside.mean() > 0.95 - 0.016
    close = samples.std(axis=1) < np.quantile(samples.std(axis=1), 0.1)
    assert without[close].mean() < 0.75
    assert inside[close].mean() > (0.92 if spread == 0 else without[close].mean() + 0.1)


def test_the_errors_of_values_are_the_least_width():
    rng = np.random.default_rng(4)
    for errors in (np.array([0.1, 5.0, 2.0]), np.array([9.0, np.nan, 30.0]), np.full(3, np.nan)):
        ours, theirs = rng.normal(5.0, 3.0, 3), rng.normal(2.0, 1.0, 5)
        least = stats.norm.ppf(0.975) * np.sqrt(np.nansum(errors**2) / 9 + 5 * 0.2**2 / 25)
        given = [ours, theirs], [1.0, -1.0]
        total, low, high = contrast_interval(*given)
        found = contrast_interval(*given, errors=[errors, np.full(5, 0.2)])
        half = max(least, (high - low) / 2)
        assert found == pytest.approx((total, total - half, total + half))
        p = max(contrast_p(*given), 2 * stats.norm.sf(abs(total) * stats.norm.ppf(0.975) / least))
        assert contrast_p(*given, errors=[errors, np.full(5, 0.2)]) == pytest.approx(p)
        assert (p < 0.05) == (not found[1] <= 0 <= found[2])
    assert all(map(math.isnan, mean_interval(np.array([4.0]), np.array([1.0]))))  # of one value nothing is known
    assert math.isnan(contrast_p([np.array([4.0])], [1.0], [np.array([1.0])]))


@pytest.mark.parametrize("sizes", [(3, 3), (2, 7), (10, 4)])
def test_a_difference_and_its_test_are_welchs(sizes):
    rng = np.random.default_rng(1)
    ours, theirs = rng.normal(5.0, 3.0, sizes[0]), rng.normal(2.0, 1.0, sizes[1])
    expected = stats.ttest_ind(ours, theirs, equal_var=False)
    assert contrast_p([ours, theirs], [1.0, -1.0]) == pytest.approx(expected.pvalue)
    for level in (0.95, 0.99):
        bounds = expected.confidence_interval(level)
        assert contrast_interval([ours, theirs], [1.0, -1.0], level=level) == pytest.approx(
            (ours.mean() - theirs.mean(), bounds.low, bounds.high)
        )


def test_a_rounded_zero_has_no_sign():
    assert interval_text(-0.2, -4, -0.4) == "0 [-4, 0]"


@pytest.mark.parametrize(
    ("values", "p"), [(([1.0, 1.0], [2.0, 2.0]), 0), (([1.0] * 2,) * 2, 1), (([1.0], [1, 2]), math.nan)]
)
def test_p_of_equal_values_and_of_a_single_one(values, p):
    assert contrast_p([*map(np.array, values)], [1.0, -1.0]) == pytest.approx(p, nan_ok=True)


def test_of_too_few_values_nothing_is_known():
    one, two = np.array([3.0]), np.array([1.0, 2.0])
    assert all(map(math.isnan, (*mean_interval(one), *mean_interval(one[:0]))))
    assert contrast_interval([one, two], [1.0, -1.0]) == pytest.approx((1.5, math.nan, math.nan), nan_ok=True)
    assert all(map(math.isnan, contrast_interval([], [])))
    assert all(map(math.isnan, contrast_interval([np.array([]), two], [1.0, -1.0])))
    assert contrast_interval([np.array([4.0, 4.0])], [1.0]) == (4.0, 4.0, 4.0)


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ([1, 2], False),  # too few
        ([1, 1, 9], True),  # two of three are always nearer to each other
        ([150, 153, 174, 184, 188], False),
        ([10, 11, 30, 31], False),
        ([10, 29, 30, 31, 32], True),  # one that lies apart is no group
        ([1000, 1001, 1009, 1010, 1011], True),  # less than a tenth apart
        ([10, 15, 20, 25, 30], True),
        ([7, 7, 7], True),
    ],
)
def test_two_clear_groups_have_no_interval(values, shown):
    for factor in (1, -3, 1e6):
        assert has_interval(factor * np.array(values, float)[::-1]) == shown


def test_improvement():
    ours, theirs = np.arange(12.0), np.arange(12.0) - 3
    probability, low, high = improvement([(ours, theirs)])
    wins = np.mean([(a > b) + 0.5 * (a == b) for a in ours for b in theirs])
    assert probability == pytest.approx(wins)
    assert low < probability < high
    assert improvement([(ours, theirs)]) == (probability, low, high)  # the same every time
    assert all(map(math.isnan, improvement([(ours, theirs), (ours[:9], theirs)])[1:]))


@pytest.mark.parametrize("hits", [0, 1, 5, 10])
def test_a_share_is_wilsons(hits):
    assert share_interval(hits, 10) == pytest.approx(
        stats.binomtest(hits, 10).proportion_ci(method="wilson"), abs=1e-9
    )
    assert all(map(math.isnan, share_interval(0, 0)))


def test_holms_correction():
    # 4 tests: .01 * 4, then .02 * 3, then .03 * 2 which may not be less, then .9
    corrected, levels = holm([0.02, 0.9, math.nan, 0.01, 0.03])
    assert corrected == pytest.approx([0.06, 0.9, math.nan, 0.04, 0.06], nan_ok=True)
    # .05 over what each p is multiplied by: 4 for .01, 3 for .02, 2 for .03, 1 for .9; none for nan
    assert levels == pytest.approx([1 - 0.05 / 3, 0.95, 0.95, 1 - 0.05 / 4, 0.975])
    assert holm([]) == ([], [])
    assert holm([0.7, 0.8])[0] == [1, 1]


def test_the_interval_of_a_corrected_p_leaves_out_0_just_where_it_is_small():
    rng = np.random.default_rng(3)
    for _ in range(50):
        contrasts = [([rng.normal(gap, 1, 4), rng.normal(0, 2, 5)], [1.0, -1.0]) for gap in (0, 1, 3, 6)]
        p = [contrast_p(*each) for each in contrasts]
        for each, corrected, level in zip(contrasts, *holm(p), strict=True):
            _, low, high = contrast_interval(*each, level=level)
            assert (low > 0 or high < 0) == (corrected < 0.05)


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (1e-9, "p < 0.001"),
        (0.0051, "p = 0.005"),
        (0.0499, "p = 0.050"),
        (0.0461, "p = 0.046"),
        (0.0539, "p = 0.054"),
        (0.044, "p = 0.04"),
        (1.0, "p = 1.00"),
        (math.nan, ""),
    ],
)
def test_a_p_value_in_words(p, text):
    assert p_text(p) == text
