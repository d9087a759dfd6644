"""Bootstrap intervals: how a figure would vary with other seeds, by drawing from the seeds there are."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 2000

Sample = NDArray[np.float64]
Statistic = Callable[[Sequence[Sample]], Sample]


def mean_of_strata(samples: Sequence[Sample]) -> Sample:
    """The mean of the means of some strata, each as heavy as any other, over the last axis."""
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
    """The percentile interval of a statistic of several samples, each of which is resampled alone.

    Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapters 8.3 and 13; stratified as Agarwal et al.
    (2021), Deep Reinforcement Learning at the Edge of the Statistical Precipice, section 4.1, do for runs of several
    tasks.

    Parameters
    ----------
    strata : samples of independent values, as the scores of the seeds in each setting.
    statistic : gets an array (resamples, n) for each stratum, gives one (resamples,).
    level : the share of resamples in the interval.
    seed : the same seed gives the same interval.

    Returns
    -------
    low and high; nan where a stratum has a single value, which says nothing of others.
    """
    if not strata or any(len(sample) < 2 for sample in strata):
        return math.nan, math.nan
    rng = np.random.default_rng(seed)
    drawn = [np.asarray(each, float)[rng.integers(0, len(each), (resamples, len(each)))] for each in strata]
    low, high = np.quantile(statistic(drawn), [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
