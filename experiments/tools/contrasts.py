"""Differences between settings of an experiment, with 95% intervals over seeds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tdl.statistics.intervals import contrast_interval, contrast_p, holm, holm_levels, mean_interval
from tdl.statistics.student import t_quantile

WELCH, PAIRED = "Welch", "pairs"
"""Intervals over independent runs; over the differences of two sets of games of each network."""

COLUMNS = ["setting", "less", "difference", "difference_low", "difference_high", "interval", "p"]

NEEDED, DRAWS, QUANTILES = 0.8, 1_000_000, 200
"""The chance to show a difference that is taken for enough; random numbers that its size is made of; of how many
degrees of freedom between the fewest and the most the quantiles are computed, the others read between them."""


def differences(
    samples: Mapping[str, NDArray[Any]],
    pairs: Iterable[tuple[str, str]],
    paired: Iterable[tuple[str, str]] = (),
    errors: Mapping[str, NDArray[Any]] | None = None,
) -> pd.DataFrame:
    """A row for each pair of settings: the first one's mean less the second one's.

    Parameters
    ----------
    samples : the scores of the seeds of each setting, by its name, in the order of the seeds.
    pairs : whose differences are wanted.
    paired : those of them in which both settings are games of the same networks.
    errors : the standard error that its games alone give each score, as of `contrast_interval`; not used for pairs.

    Returns
    -------
    `COLUMNS`; `p`, of Welch's test, is corrected by Holm for all rows of that kind, and nan for pairs. The interval
    goes with that p: it leaves out 0 just where p is below 0.05.
    """
    pairs, paired = [*pairs], set(paired)
    contrasts: list[tuple[Any, ...]] = [
        ([samples[a], samples[b]], [1.0, -1.0], None if errors is None else [errors[a], errors[b]]) for a, b in pairs
    ]
    p = [np.nan if pair in paired else contrast_p(*each) for pair, each in zip(pairs, contrasts, strict=True)]
    rows = []
    for pair, contrast, level, corrected in zip(pairs, contrasts, holm_levels(p).tolist(), holm(p), strict=True):
        if pair in paired:
            each = samples[pair[0]] - samples[pair[1]]
            rows.append((*pair, each.mean(), *mean_interval(each), PAIRED, np.nan))
        else:
            rows.append((*pair, *contrast_interval(*contrast, level), WELCH, float(f"{corrected:.3g}")))
    table = pd.DataFrame(rows, columns=COLUMNS)
    return table.round({"difference": 1, "difference_low": 1, "difference_high": 1})


def power(samples: Sequence[NDArray[Any]], rows: int) -> pd.DataFrame:
    """Which difference two settings must have to show it, from the spread of the seeds of all settings.

    Parameters
    ----------
    samples : the scores of the seeds of each setting.
    rows : differences for whose number p is corrected.

    Returns
    -------
    one row: `seeds` of a setting; `spread`, the standard deviation between seeds, pooled over the settings;
    `half_width` of the interval of a difference with that spread; `shown`, the true difference of which the interval
    leaves out 0 in `NEEDED` of all experiments; and `shown_corrected`, that whose p is below .05 in as many even where
    it is multiplied by `rows`, as Holm's correction does with the least.
    """
    seeds = min(len(sample) for sample in samples)
    spread = _spread(samples)
    half_width = t_quantile(0.95, 2 * (seeds - 1)) * spread * np.sqrt(2 / seeds)
    row = {"seeds": [seeds], "spread": spread, "half_width": half_width}
    row |= {"shown": shown(samples), "shown_corrected": shown(samples, rows)}
    return pd.DataFrame(row).round(1)


def shown(samples: Sequence[NDArray[Any]], rows: int = 1) -> float:
    """The `shown` of `power`, with p multiplied by `rows`; nan where a sample has less than two values."""
    seeds = min(len(sample) for sample in samples)
    if seeds < 2:
        return np.nan
    return float(_spread(samples) * np.sqrt(2 / seeds) * _errors_shown(seeds, 1 - 0.05 / rows))


def _spread(samples: Sequence[NDArray[Any]]) -> float:
    """The standard deviation between seeds, pooled over the settings."""
    return float(np.sqrt(np.mean([np.var(sample, ddof=1) for sample in samples])))


@cache
def _errors_shown(seeds: int, level: float) -> float:
    """The same in standard errors of the difference, by Welch at a level, of two settings alike spread."""
    draws = np.random.default_rng(0)
    ours, theirs = draws.chisquare(seeds - 1, (2, DRAWS)) / (seeds - 1)
    freedom = (seeds - 1) * (ours + theirs) ** 2 / (ours**2 + theirs**2)  # from seeds - 1 to twice as many
    grid = np.linspace(seeds - 1, 2 * (seeds - 1), QUANTILES)
    limit = np.interp(freedom, grid, [t_quantile(level, df) for df in grid.tolist()])
    # the test's statistic is (shown / error + noise) / scale, and must pass the limit
    scale, noise = np.sqrt((ours + theirs) / 2), draws.standard_normal(DRAWS)
    return float(np.quantile(limit * scale - noise, NEEDED))
