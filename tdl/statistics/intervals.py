"""Confidence intervals of means, shares and ratios."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Z95 = 1.959963984540054
"""Half width of a 95% interval, in standard errors (the normal distribution's 97.5% point)."""


def t95(df: int) -> float:
    """Half width of a 95% interval in estimated standard errors: Student's t with df degrees of freedom.

    Exact for 1 and 2; above, the expansion of Abramowitz and Stegun (1964), 26.7.5, which is off by 0.1% at 3.
    """
    if df == 1:
        return math.tan(0.95 * math.pi / 2)
    if df == 2:
        return 0.95 * math.sqrt(2 / (1 - 0.95**2))
    z = Z95
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / float(df) ** (i + 1) for i, term in enumerate(terms))


def mean_interval(values: NDArray[Any]) -> tuple[float, float]:
    """95% interval of the mean of independent values (Student's t); (nan, nan) below two values."""
    if len(values) < 2:
        return math.nan, math.nan
    half = t95(len(values) - 1) * float(np.std(values, ddof=1)) / math.sqrt(len(values))
    return float(np.mean(values)) - half, float(np.mean(values)) + half


def interval_text(mean: float, low: float, high: float) -> str:
    """For a table, "22,779 [22,528, 23,030]"; the mean alone where a bound is nan, nothing where the mean is."""
    if math.isnan(mean):
        return ""
    return f"{mean:,.0f}" + ("" if math.isnan(low) else f" [{low:,.0f}, {high:,.0f}]")


def ratio_range(ours: Sequence[float], theirs: Sequence[float]) -> dict[str, float]:
    """The ratios of two sides' speeds, pair by pair: median, least and largest."""
    ratios = [one / other for one, other in zip(ours, theirs, strict=True)]
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


RESAMPLES = 2000

Sample = NDArray[np.float64]
Statistic = Callable[[Sequence[Sample]], Sample]


def mean_of_strata(samples: Sequence[Sample]) -> Sample:
    """The mean of the means of strata, all of the same weight, over the last axis."""
    mean: Sample = np.mean([sample.mean(axis=-1) for sample in samples], axis=0)
    return mean


def bootstrap_interval(
    strata: Sequence[NDArray[Any]],
    statistic: Statistic = mean_of_strata,
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> tuple[float, float]:
    """The percentile interval of a statistic of several samples; each sample is resampled by itself.

    Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapters 8.3 and 13; stratified as Agarwal et al.
    (2021), Deep Reinforcement Learning at the Edge of the Statistical Precipice, section 4.1, do for runs of several
    tasks.

    Parameters
    ----------
    strata : samples of independent values, as the scores of the seeds in each setting.
    statistic : maps arrays (resamples, n), one for each stratum, to one (resamples,).
    level : the share of resamples in the interval.
    seed : the same seed gives the same interval.

    Returns
    -------
    low and high; nan where a stratum has a single value.
    """
    if not strata or any(len(sample) < 2 for sample in strata):
        return math.nan, math.nan
    rng = np.random.default_rng(seed)
    resampled = [np.asarray(s, float)[rng.integers(0, len(s), (resamples, len(s)))] for s in strata]
    low, high = np.quantile(statistic(resampled), [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
