"""Confidence intervals and tests of means, shares and ratios, by the normal distribution, Student's and chi-square.

SciPy has Student's distribution, too, and would add 35 MB to an installation and a second to each start; the tests
compare with it.
"""

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

Z95 = 1.959963984540054  # half width of a 95% interval in standard errors: the normal distribution's 97.5% point

MAX_STEPS, MAX_TERMS, PRECISION = 100, 300, 1e-15  # of Newton's method and of the continued fraction; of the latter

RESAMPLES, MIN_RESAMPLED = 2000, 10  # of the bootstrap; the interval of a smaller sample is far too narrow


def mean_interval(values: NDArray[Any], errors: NDArray[Any] | None = None) -> tuple[float, float]:
    """95% interval of the mean of independent values (Student's t), `errors` as of `contrast_interval`; else nan, nan.

    >>> mean_interval(np.array([1000.0, 1001, 1002]))  # doctest: +ELLIPSIS
    (998.5..., 1003.4...)
    >>> mean_interval(np.array([1000.0, 1001, 1002]), np.array([30.0, 30, 30]))  # doctest: +ELLIPSIS
    (967.0..., 1034.9...)
    """
    _, low, high = contrast_interval([values], [1.0], None if errors is None else [errors])
    return low, high


def has_interval(values: NDArray[Any]) -> bool:
    """Whether a figure shows an interval of the mean: of three values or more that are not in two clear groups.

    Two groups are clear where the largest gap between neighbouring values is more than half of their range and a tenth
    of their mean, and leaves at least two values on either side. A mean and its interval would stand where no value
    is. Five values of a normal distribution have the gap and its place in one case of six, whatever the mean.

    >>> has_interval(np.array([150.0, 153, 174, 184, 188])), has_interval(np.array([150.0, 153, 160, 167, 171]))
    (False, True)
    """
    if len(values) < 3:
        return False
    gaps = np.diff(np.sort(values))
    widest, place = gaps.max(), int(gaps.argmax())
    clear = widest > max(np.ptp(values) / 2, abs(np.mean(values)) / 10)
    return not (clear and 1 <= place <= len(values) - 3)


def contrast_interval(
    samples: Sequence[NDArray[Any]],
    weights: Sequence[float],
    errors: Sequence[NDArray[Any]] | None = None,
    level: float = 0.95,
) -> tuple[float, float, float]:
    """A weighted sum of the means of samples, with its interval.

    One sample with weight 1: its mean, by Student's t. Two with 1 and -1: the difference of their means, by Welch
    (1947), Biometrika 34, p. 28, who does not take their variances for equal. Several, as the seeds of each of some
    settings: by Satterthwaite (1946), Biometrics Bulletin 2, p. 110, of which Welch's is a case.

    A value may itself be known only so well, as the mean score of a run is by its games. Few values may by chance lie
    closer together than that; their mean is known no better for it. With `errors` the interval is at least as wide as
    these alone make it: never narrower than without, so it holds the true sum no less often.

    Parameters
    ----------
    samples : independent values.
    weights : one for each sample.
    errors : the standard error of each value of each sample, nan where it is not known; they are independent.
    level : the share of such intervals that hold the true sum.

    Returns
    -------
    the sum, low and high; low and high are nan where a sample has a single value, the sum too where one has none.
    """
    total, error, freedom = _contrast(samples, weights)
    half = t_quantile(level, freedom) * error if error > 0 else error
    least = NormalDist().inv_cdf((1 + level) / 2) * _error_of_values(weights, errors)
    half = half if math.isnan(half) else max(half, least)
    return total, total - half, total + half


def contrast_p(
    samples: Sequence[NDArray[Any]], weights: Sequence[float], errors: Sequence[NDArray[Any]] | None = None
) -> float:
    """The p value of the test, two-sided, that such a sum is 0; nan where a sample has less than two values.

    It is below 0.05 just where the 95% interval of `contrast_interval` leaves out 0.
    """
    total, error, freedom = _contrast(samples, weights)
    if math.isnan(error):
        return math.nan
    p, least = t_tails(total / error, freedom) if error > 0 else float(total == 0), _error_of_values(weights, errors)
    return max(p, math.erfc(abs(total) / least / math.sqrt(2))) if least > 0 else p


def holm(p: Sequence[float]) -> tuple[list[float], list[float]]:
    """P values of several tests corrected for their number, and the level of the interval that goes with each.

    Holm (1979), Scandinavian Journal of Statistics 6, p. 65: calling those below 0.05 different is wrong about any of
    them in at most 5% of such families of tests. An interval of the level leaves out 0 just where the corrected p is
    below 0.05; no level is below 0.95. A nan is no test: it stays nan, its level is 0.95.
    """
    values = np.maximum(np.asarray(p, float), np.finfo(float).tiny)  # of two equal samples' zero, too
    order = np.argsort(values)  # nan last
    tests = int(np.isfinite(values).sum())
    multiplied = values[order] * np.maximum(1, tests - np.arange(len(values)))
    factors = np.empty(len(values))
    factors[order] = np.maximum.accumulate(multiplied) / values[order]
    corrected = np.minimum(1, np.asarray(p, float) * factors)
    return corrected.tolist(), (1 - 0.05 / np.nan_to_num(factors, nan=1)).tolist()


def _contrast(samples: Sequence[NDArray[Any]], weights: Sequence[float]) -> tuple[float, float, float]:
    """A weighted sum of means, its standard error (nan where a sample has a single value) and degrees of freedom."""
    if not samples or any(len(sample) == 0 for sample in samples):
        return math.nan, math.nan, math.nan
    total = float(sum(w * np.mean(sample) for w, sample in zip(weights, samples, strict=True)))
    if any(len(sample) < 2 for sample in samples):
        return total, math.nan, math.nan
    parts = [w * w * float(np.var(s, ddof=1)) / len(s) for w, s in zip(weights, samples, strict=True)]
    variance = sum(parts)
    if variance == 0:
        return total, 0.0, math.inf
    freedom = 1 / sum((part / variance) ** 2 / (len(s) - 1) for part, s in zip(parts, samples, strict=True))
    return total, math.sqrt(variance), freedom


def _error_of_values(weights: Sequence[float], errors: Sequence[NDArray[Any]] | None) -> float:
    """The standard error of a weighted sum of means that those of the values alone make."""
    parts = [
        w * w * float(np.nansum(e**2)) / len(e) ** 2 for w, e in zip(weights, errors or [], strict=False) if len(e)
    ]
    return math.sqrt(sum(parts))


def t_tails(t: float, df: float) -> float:
    """The probability that a t distributed value is further from 0 than t, for df > 0 degrees of freedom.

    I_x(df/2, 1/2) at x = df/(df + t^2): Abramowitz and Stegun (1964), 26.7.1 and 26.5.27.
    """
    if math.isinf(t):
        return 0.0
    return _incomplete_beta(df / 2, 0.5, t * t / (df + t * t))


def chi_square_tail(x: float, df: int) -> float:
    """The probability that a chi-square distributed value is above x, for a whole number df > 0 degrees of freedom.

    A finite sum: Abramowitz and Stegun (1964), 26.4.4 for odd df and 26.4.5 for even ones.

    >>> round(chi_square_tail(3.841, 1), 4), round(chi_square_tail(24.996, 15), 4)
    (0.05, 0.05)
    """
    if x <= 0:
        return 1.0
    half, powers = x / 2, (df % 2 / 2 + i for i in range(df // 2))
    terms = (math.exp(power * math.log(half) - half - math.lgamma(power + 1)) for power in powers)
    return math.fsum(terms) + (math.erfc(math.sqrt(half)) if df % 2 else 0)


@lru_cache(maxsize=1024)
def t_quantile(level: float, df: float) -> float:
    """Half width, in estimated standard errors, of the interval that holds a share `level` of a t distribution.

    >>> round(t_quantile(0.95, 2), 3), round(t_quantile(0.95, 1e6), 3)
    (4.303, 1.96)
    """
    t = NormalDist().inv_cdf((1 + level) / 2)  # the tails of t are heavier
    scale = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(df * math.pi)
    for _ in range(MAX_STEPS):  # of Newton: from the left of a convex function they never go beyond the root
        density = scale * (1 + t * t / df) ** (-(df + 1) / 2)
        step = (t_tails(t, df) - (1 - level)) / (2 * density)
        t += step
        if abs(step) <= 1e-12 * t:
            break
    return t


def _incomplete_beta(a: float, b: float, y: float) -> float:
    """The regularized incomplete beta function I_x(a, b) at x = 1 - y; y, as x may be near 1."""
    x = 1 - y
    if x <= 0 or y <= 0:
        return float(y <= 0)
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log1p(-y) + b * math.log(y)
    if x < (a + 1) / (a + b + 2):
        return math.exp(log_front) * _continued_fraction(a, b, x) / a
    return 1 - math.exp(log_front) * _continued_fraction(b, a, y) / b


def _continued_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of I_x(a, b): Abramowitz and Stegun (1964), 26.5.8, by the method of Lentz (1976)."""
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    total = d
    for m in range(1, MAX_TERMS):
        for term in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                     -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):  # fmt: skip
            c, d = 1 + term / c, 1 / (1 + term * d)
            total *= c * d
        if abs(c * d - 1) < PRECISION:
            break
    return total


def interval_text(mean: float, low: float, high: float) -> str:
    """For a table, "22,779 [22,528, 23,030]"; the mean alone where a bound is nan, nothing where the mean is."""
    if math.isnan(mean):
        return ""
    return f"{mean:z,.0f}" + ("" if math.isnan(low) else f" [{low:z,.0f}, {high:z,.0f}]")


def p_text(p: float) -> str:
    """A p value for a sentence: "p = 0.03", "p = 0.049", "p < 0.001"; nothing for nan."""
    if math.isnan(p):
        return ""
    exact = p < 0.01 or f"{p:.2f}" == "0.05"  # on which side of 0.05 it is
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}" if exact else f"p = {p:.2f}"


def ratio_range(ours: Sequence[float], theirs: Sequence[float]) -> dict[str, float]:
    """The ratios of two sides' speeds, pair by pair: median, least and largest."""
    ratios = np.divide(ours, theirs).tolist()
    return {"ratio_median": float(np.median(ratios)), "ratio_min": min(ratios), "ratio_max": max(ratios)}


def ratio_text(part: Mapping[str, Any]) -> str:
    """The result of `ratio_range` for a table: "2.90 (2.88 to 2.91)"."""
    return f"{part['ratio_median']:.2f} ({part['ratio_min']:.2f} to {part['ratio_max']:.2f})"


def share_interval(hits: int, n: int) -> tuple[float, float]:
    """95% interval of a share of hits/n: Wilson (1927), JASA 22, p. 209. It stays in [0, 1] for 0 hits too."""
    if n == 0:
        return math.nan, math.nan
    p, z2 = hits / n, Z95**2 / n
    centre, half = p + z2 / 2, Z95 * math.sqrt(p * (1 - p) / n + z2 / (4 * n))
    return max(0.0, (centre - half) / (1 + z2)), min(1.0, (centre + half) / (1 + z2))


def improvement(pairs: Sequence[tuple[NDArray[Any], NDArray[Any]]]) -> tuple[float, float, float]:
    """The probability that a value of the first sample is above one of the second, and its 95% interval.

    Ties count half. Several pairs, as of some settings, weigh the same (Agarwal et al. (2021), Deep Reinforcement
    Learning at the Edge of the Statistical Precipice, section 4.3). The interval is the percentile bootstrap's, each
    sample resampled by itself (Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapters 8.3 and 13),
    the same every time; nan where a sample has fewer than `MIN_RESAMPLED` values.
    """
    probability = float(_share_above(pairs))
    if min(len(sample) for pair in pairs for sample in pair) < MIN_RESAMPLED:
        return probability, math.nan, math.nan
    rng = np.random.default_rng(0)
    resampled = [
        tuple(s[rng.integers(0, len(s), (RESAMPLES, len(s)))] for s in map(np.asarray, pair)) for pair in pairs
    ]
    low, high = np.quantile(_share_above(resampled), [0.025, 0.975])
    return probability, float(low), float(high)


def _share_above(pairs: Sequence[tuple[NDArray[Any], ...]]) -> NDArray[np.float64]:
    """The shares of pairs of values whose first is the larger one, over the last axis; the mean over the pairs."""
    shares = []
    for ours, theirs in pairs:
        left, right = ours[..., :, None], theirs[..., None, :]
        shares.append(((left > right) + 0.5 * (left == right)).mean(axis=(-2, -1)))
    return np.asarray(np.mean(shares, axis=0))
