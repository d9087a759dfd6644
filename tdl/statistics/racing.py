"""A race of settings over seeds: which are worse than the leader beyond doubt, and which runs are due next.

Everything follows from the scores alone, so a race that was killed goes on as if nothing had been.
"""

import math
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tdl.statistics.intervals import t_quantile

DIVERGED = -math.inf
"""The score of a run that diverged: below that of any other."""

FIRST, ERROR, LAPSES = 2, 0.05, 2
"""Seeds of every setting; how often the best setting stops at most; runs that diverge until their setting stops."""


@dataclass(frozen=True)
class Standing:
    """Where a race stands.

    Attributes
    ----------
    seeds : int array of shape (settings,), how many seeds each setting has played, as far as they counted.
    stopped : bool array of shape (settings,), those that play no more.
    due : the runs that the next decision waits for, as (setting, seed); empty when the race is over.
    """

    seeds: NDArray[np.int64]
    stopped: NDArray[np.bool_]
    due: list[tuple[int, int]]


def standing(
    scores: NDArray[np.float64], first: int = FIRST, error: float = ERROR, out: Collection[int] = ()
) -> Standing:
    """Hold a race, round by round, as far as the scores go.

    In round n each setting that is left has played the seeds 0 to n - 1. Then those that are `beaten` stop. The race
    is over when one setting is left or all seeds are played.

    Parameters
    ----------
    scores : shape (settings, seeds), in the order of the seeds: nan where a run is missing, `DIVERGED` where it
        diverged.
    first : rounds before the first decision, at least 2.
    error : the probability at most that the best setting stops, over the whole race, where the logarithms of all
        settings are normal and have one variance.
    out : settings that take no part.
    """
    settings, most = scores.shape
    seeds, stopped = np.zeros(settings, np.int64), np.isin(np.arange(settings), [*out])
    for n in range(min(first, most), most + 1):
        left = np.flatnonzero(~stopped)
        due = [(int(i), int(seed)) for seed in range(n) for i in left if np.isnan(scores[i, seed])]
        if due:
            return Standing(seeds, stopped, due)
        seeds[left] = n
        if n >= 2:
            stopped = stopped | beaten(
                [row[:played] for row, played in zip(scores, seeds, strict=True)], stopped, error
            )
        if (~stopped).sum() <= 1:
            break
    return Standing(seeds, stopped, [])


def beaten(rows: list[NDArray[np.float64]], stopped: NDArray[np.bool_], error: float) -> NDArray[np.bool_]:
    """The settings that stop now: worse than the leader beyond doubt, or diverged twice.

    Student's t of the logarithms, one-sided, of the leader against each other one, with the variance of all settings
    pooled: two seeds of eight settings give 8 degrees of freedom. Looks repeat and settings are many, so look n at one
    of k settings has the error `error / (k - 1) / (n * (n - 1))`; over all n the last factor sums to 1 (Bonferroni).
    So no decision depends on how many seeds are to come. That settings with less than two finite scores stop by
    nothing but divergence leaves the bound as it is.

    Racing: Maron and Moore (1994), Hoeffding races, NIPS 6; Birattari et al. (2002), A racing algorithm for
    configuring metaheuristics, GECCO, who test without a bound on the whole race.
    """
    lapses = np.array([np.isneginf(row).sum() for row in rows])
    lost = ~stopped & (lapses >= LAPSES)
    values = _logarithms(rows)
    means = np.array([row.mean() if len(row) else DIVERGED for row in values])
    known = [row for row, lapse in zip(values, lapses, strict=True) if len(row) > 1 and not lapse]
    freedom = sum(len(row) - 1 for row in known)
    left = ~stopped & ~lost & np.isfinite(means)
    if freedom == 0 or left.sum() < 2:
        return lost
    variance = sum(float(((row - row.mean()) ** 2).sum()) for row in known) / freedom
    n = max(len(row) for row in values)
    level = error / (len(rows) - 1) / (n * (n - 1))
    margin = t_quantile(1 - 2 * level, freedom) * math.sqrt(2 * variance / n)
    behind = means[left].max() - means
    worse: NDArray[np.bool_] = lost | (left & (behind > margin) & (variance > 0))
    return worse


def _logarithms(rows: list[NDArray[np.float64]]) -> list[NDArray[np.float64]]:
    """The logarithms of the scores, whose spread is about a share of them; the scores where one is not above 0."""
    if all((row[np.isfinite(row)] > 0).all() for row in rows):
        return [np.where(np.isfinite(row), np.log(np.maximum(row, np.finfo(float).tiny)), row) for row in rows]
    return rows
