"""Differences between sets of runs, with 95% intervals over seeds: pairs.csv, differences.csv and power.csv.

A row of pairs.csv is a pair. Its author writes `name`, by which a page asks for it; `ours` and `theirs`, the runs as
`FILE KEY=VALUE ...`, several files with ` + `; and `figure`, the column that is compared. The command
`python -m experiments.tools.pages` writes the rest: both means, the difference, the ratio, p (Welch) and `can_show`,
the true difference that such seeds show in 80% of cases.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from experiments.tools.requests import Request, rows_of
from experiments.tools.tables import GREEDY, TableError, errors_of
from tdl.statistics.intervals import Z95, contrast_interval, contrast_p, holm, mean_interval, t_quantile

PAIRS = "pairs.csv"
WRITTEN = ["name", "ours", "theirs", "figure"]  # the columns of pairs.csv that an author writes
DIFFERENCE = ["difference", "difference_low", "difference_high"]
WELCH, PAIRED = "Welch", "pairs"  # over independent runs; over the differences of two sets of games of each network
ENOUGH = 0.8  # the share of experiments that show a difference
DRAWS, QUANTILES = 1_000_000, 200  # simulated experiments; degrees of freedom between which quantiles are interpolated


def contrast(ours: pd.DataFrame, theirs: pd.DataFrame, figure: str = GREEDY) -> dict[str, Any]:
    """Two sets of runs for `contrast_interval`: their figures, weights, and the errors of these by their games."""
    parts = (ours, theirs)
    samples, errors = [part[figure].to_numpy(float) for part in parts], [errors_of(part, figure) for part in parts]
    return {"samples": samples, "weights": [1.0, -1.0], "errors": errors}


def differences(
    settings: Mapping[Any, pd.DataFrame], pairs: Sequence[tuple[Any, Any]], paired: Collection[tuple[Any, Any]] = ()
) -> pd.DataFrame:
    """The rows of differences.csv: for each pair of settings, the first one's mean score less the second one's.

    `settings` has the rows of each by its name, in the order of the seeds; both settings of a pair of `paired` are
    games of the same networks. `p`, of Welch's test, is corrected by Holm for all rows of that kind, and nan for the
    others. The interval goes with that p: it leaves out 0 just where p is below 0.05.
    """
    contrasts = [contrast(settings[ours], settings[less]) for ours, less in pairs]
    p = [math.nan if pair in paired else contrast_p(**each) for pair, each in zip(pairs, contrasts, strict=True)]
    rows = []
    for pair, each, corrected, level in zip(pairs, contrasts, *holm(p), strict=True):
        bounds, kind = contrast_interval(**each, level=level), WELCH
        if pair in paired:
            less = np.subtract(*each["samples"])
            bounds, kind = (less.mean(), *mean_interval(less)), PAIRED
        rows.append((*pair, *bounds, kind, float(f"{corrected:.3g}")))
    table = pd.DataFrame(rows, columns=["setting", "less", *DIFFERENCE, "interval", "p"])
    return table.round(dict.fromkeys(DIFFERENCE, 1))


def filled_pairs(folder: Path) -> str:
    """The text of a folder's pairs.csv with all that is computed made anew. A TableError says what is not there."""
    rows = pd.read_csv(folder / PAIRS, dtype=str, usecols=WRITTEN)[WRITTEN]
    if rows["name"].duplicated().any():
        raise TableError(f"{folder.name}/{PAIRS}: two rows {rows['name'][rows['name'].duplicated()].iloc[0]}")
    computed = []
    for name, ours, theirs, figure in rows.itertuples(index=False, name=None):
        try:
            computed.append(_compared(_runs(folder, ours, figure), _runs(folder, theirs, figure), figure))
        except (TableError, KeyError) as error:
            raise TableError(f"{folder.name}/{PAIRS}: {name}: {error}") from None
    return str(pd.concat([rows, pd.DataFrame(computed)], axis=1).to_csv(index=False, float_format="%.6g"))


def _runs(folder: Path, names: str, figure: str) -> pd.DataFrame:
    """The rows of all sources `FILE KEY=VALUE ...` that have the figure."""
    sources = [source.split() for source in names.split(" + ")]
    rows = pd.concat([rows_of(Request(file=file, where=tuple(words)), folder) for file, *words in sources])
    if figure not in rows or rows[figure].isna().all():
        raise TableError(f"{names} has no {figure}")
    return rows[rows[figure].notna()]


def _compared(ours: pd.DataFrame, theirs: pd.DataFrame, figure: str) -> dict[str, Any]:
    """What is computed of a row of pairs.csv."""
    both = contrast(ours, theirs, figure)
    samples, errors = both["samples"], both["errors"]
    difference, low, high = contrast_interval(**both)
    if len(ours) == len(theirs) == 1:  # two runs are compared by their games
        half = Z95 * math.hypot(errors[0][0], errors[1][0])
        low, high = difference - half, difference + half
    mean, other_mean = (sample.mean() for sample in samples)
    means = {"seeds": len(ours), "mean": mean, "other_seeds": len(theirs), "other_mean": other_mean}
    bounds = dict(zip(DIFFERENCE, (difference, low, high), strict=True))
    tested = {"p": contrast_p(**both), "can_show": shown(samples)}
    return means | bounds | _ratio(samples, errors) | tested


def _ratio(samples: Sequence[NDArray[Any]], errors: Sequence[NDArray[Any]]) -> dict[str, float]:
    """The ratio of the means, and the gain, one less, with 95% intervals on the scale of logarithms (delta method)."""
    ratio = half = math.nan
    means = [float(sample.mean()) for sample in samples]
    if min(means) > 0:
        shares = [[values / mean for values, mean in zip(each, means, strict=True)] for each in (samples, errors)]
        _, low, high = contrast_interval(shares[0], [1.0, -1.0], shares[1])
        ratio, half = means[0] / means[1], (high - low) / 2
    ratios = {"ratio": ratio, "ratio_low": ratio * math.exp(-half), "ratio_high": ratio * math.exp(half)}
    return ratios | {name.replace("ratio", "gain"): value - 1 for name, value in ratios.items()}


def power(samples: Sequence[NDArray[Any]], rows: int) -> dict[str, float]:
    """A row of power.csv: `spread` between seeds, pooled over the settings, `half_width` of the interval of a
    difference, the difference that is `shown`, and that which is where p is corrected for `rows`.
    """
    seeds = min(map(len, samples))
    half_width = t_quantile(0.95, 2 * (seeds - 1)) * _spread(samples) * math.sqrt(2 / seeds)
    row = {"seeds": seeds, "spread": _spread(samples), "half_width": half_width}
    row |= {"shown": shown(samples), "shown_corrected": shown(samples, rows)}
    return {name: round(value, 1) for name, value in row.items()}


def shown(samples: Sequence[NDArray[Any]], rows: int = 1) -> float:
    """The true difference that `ENOUGH` of all experiments with that spread of the seeds show: p is below .05, even
    where it is multiplied by `rows`, as Holm's correction does with the least. It is nan of single runs.
    """
    seeds = min(map(len, samples))
    return math.nan if seeds < 2 else _spread(samples) * math.sqrt(2 / seeds) * _errors_shown(seeds, 1 - 0.05 / rows)


def _spread(samples: Sequence[NDArray[Any]]) -> float:
    return math.sqrt(np.mean([np.var(sample, ddof=1) for sample in samples]))


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
    return float(np.quantile(limit * scale - noise, ENOUGH))
