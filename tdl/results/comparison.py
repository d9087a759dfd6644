"""How much better one setting is than another, and each at its own best step size."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tdl.errors import ConfigError, nearest, refuse
from tdl.results import frames
from tdl.results.design import factors, hashable, stops
from tdl.results.frames import ENDING, EVALUATED, EVALUATED_GAMES, REACH, SCORE, SCORE_BOUNDS, STOPPED, check_table
from tdl.statistics.intervals import Z95, contrast_interval, contrast_p, holm, improvement, share_interval
from tdl.storage.titles import title

SIGNED = ("eval_value_bias",)  # metrics of a run that may be below 0
RACED = "share of runs of stopped settings"  # a column beside means; between 0 and 1 where a mean is over further keys
MEANS = ["runs", "mean", "low", "high"]  # columns of `means`
DIFFERENCE = ["difference", "difference_low", "difference_high", "p", "differs"]  # columns that `against_best` adds

Values = tuple[object, ...]  # of some keys
Sample = tuple[NDArray[Any], NDArray[Any]]  # the scores of seeds, and their standard errors over games
Samples = Mapping[Values, Sample]  # by the values of further keys


def means(table: pd.DataFrame, by: str | Sequence[str] | None = None, score: str = SCORE) -> pd.DataFrame:
    """Mean scores of settings, with 95% intervals over their seeds (Student's t).

    No interval of mean scores or reach rates is narrower than the games of the runs alone make it: runs that lie
    closer together do so by chance (`tdl.statistics.intervals.contrast_interval`). None reaches what cannot be, as
    points below 0.

    Parameters
    ----------
    table : rows of `tdl.results.runs`; those without the score are left out.
    by : the key, or the keys, whose values make a setting; None: all that the runs differ in. A setting with several
        values of further keys is the mean over these values, with equal weights (its interval: Satterthwaite's).
    score : the column that is compared.

    Returns
    -------
    the keys, `runs` (their number), `mean`, `low`, `high` (nan where some value of a key has one run only).

    Raises
    ------
    ConfigError : a column that the table has not.

    >>> table = pd.DataFrame({"alpha": [0.1, 0.1, 0.5, 0.5], "seed": [0, 1, 0, 1], "eval_mean": [10, 12, 30, 32]})
    >>> means(table, by="alpha").round(1)
       alpha  runs  mean   low  high
    0    0.1     2  11.0   0.0  23.7
    1    0.5     2  31.0  18.3  43.7
    """
    keys = _keys(table, by, score)
    return _means(_samples(table, keys, score)[1], keys, score)


def against_best(table: pd.DataFrame, by: str | Sequence[str] | None = None, score: str = SCORE) -> pd.DataFrame:
    """The settings, best first, and by how much the best is above each of them.

    The best is picked from the same figures, so any two settings might have been the ones that are compared: p values
    are corrected for all pairs of settings. As of `means`, the games of the runs set the least width of intervals, and
    with it the least p values.

    Settings that a race stopped come last, the longest in it first. Their numbers of seeds depend on their scores, so
    no p value and no interval would hold: these are nan. What holds: in at most 5% of races the best setting is among
    them. So `differs` is true of them, where the first went on.

    Parameters
    ----------
    table, by, score : as of `means`.

    Returns
    -------
    the columns of `means`; `difference` of the best setting's mean minus this one's; `p`, that of Welch's test,
    corrected by Holm for all pairs; `difference_low` and `difference_high`, the interval that goes with this p, at
    least a 95% one; and `differs`: p < 0.05, where the interval leaves out 0. `difference` is nan for the best itself,
    and where a setting has no value of the further keys in common with it. After a race `stopped`, as of `runs`.

    >>> table = pd.DataFrame({"alpha": [0.1, 0.1, 0.5, 0.5], "seed": [0, 1, 0, 1], "eval_mean": [10, 12, 30, 32]})
    >>> against_best(table, "alpha")[["alpha", "difference", "differs"]]
       alpha  difference  differs
    0    0.5         NaN    False
    1    0.1        20.0     True
    """
    keys = _keys(table, by, score)
    groups, scores = _samples(table, keys, score)[1], settings_in(table, keys, score)
    samples, scores = [groups[number][1] for number in scores.index], scores.reset_index(drop=True)
    if not samples:
        return scores.reindex(columns=[*scores.columns, *DIFFERENCE]).drop(columns=RACED)
    raced = scores.pop(RACED)
    pairs = combinations(range(len(samples)), 2)  # those of the first come first
    tests = holm([1.0 if raced[i] or raced[j] else contrast_p(*_contrast(samples[i], samples[j])) for i, j in pairs])
    rows = [(math.nan,) * 4]
    for other, p, level in zip(samples[1:], *tests, strict=False):
        rows.append((*contrast_interval(*_contrast(samples[0], other), level=level), p))
    differences = pd.DataFrame(rows, columns=DIFFERENCE[:-1], index=scores.index, dtype=float)
    differences.loc[(raced > 0) | (raced[0] > 0), DIFFERENCE[1:-1]] = math.nan
    beaten = (raced == 1) & (raced[0] == 0)
    return pd.concat([scores, differences.assign(differs=(differences["p"] < 0.05) | beaten)], axis=1)


def compare(table: pd.DataFrame, key: str, a: object, b: object, score: str = SCORE) -> pd.Series:
    """How much better the runs with one value of a key are than those with another.

    Where the runs differ in further keys, only values that both have count, with equal weights. As of `means`, the
    games of the runs set the least width of the difference's interval.

    Parameters
    ----------
    table, score : as of `means`.
    key : a column of the table.
    a, b : two of its values; None where a run has none.

    Returns
    -------
    `a`, `b`, `difference` of the means (a less b) with its 95% interval `low` and `high` (Welch's), and `improvement`,
    the probability that a run with `a` is better than one with `b` (ties count half; Agarwal et al. (2021), section
    4.3), with `improvement_low` and `improvement_high` (bootstrap; nan below ten seeds). `left_out`: what did not
    count, a list of texts. Where a race stopped settings of these runs all intervals are nan: they would not hold.

    Raises
    ------
    ConfigError : a column or value that the table has not, or values that never meet.

    >>> table = pd.DataFrame({"alpha": [0.1, 0.1, 0.5, 0.5], "seed": [0, 1, 0, 1], "eval_mean": [10, 12, 30, 32]})
    >>> compare(table, "alpha", 0.5, 0.1)[["difference", "low", "high", "improvement"]].round(1).tolist()
    [20.0, 13.9, 26.1, 1.0]
    """
    others, groups = _samples(table, _keys(table, key, score), score)
    samples = {hashable(value): scores for (value,), scores in groups}
    for value in (a, b):
        if hashable(value) not in samples:
            values = table.loc[table[score].notna(), key].unique().tolist()
            raise refuse(key, value, f"one of {', '.join(map(repr, values))}")
    ours, theirs = samples[hashable(a)], samples[hashable(b)]
    common = [setting for setting in ours if setting in theirs]
    if not common:
        raise ConfigError(f"{key}: {a!r} and {b!r} have no setting of {', '.join(others)} in common")
    difference, low, high = contrast_interval(*_contrast(ours, theirs))
    probability, least, most = improvement([(ours[setting][0], theirs[setting][0]) for setting in common])
    missing = int(table[score].isna().sum())
    left_out = [f"{missing} of {len(table)} runs without a score"] if missing else []
    if stops(table)[table[key].map(hashable).isin([hashable(a), hashable(b)])].any():
        low = high = least = most = math.nan
        left_out.append("intervals, since a race stopped settings for their scores")
    for value, here, there in ((a, ours, theirs), (b, theirs, ours)):
        alone = [title(dict(zip(others, setting, strict=True))) for setting in here if setting not in there]
        left_out += [f"{text}: only with {title({key: value})}" for text in alone]
    return pd.Series({
        "a": a, "b": b,
        "difference": difference, "low": low, "high": high,
        "improvement": probability, "improvement_low": least, "improvement_high": most,
        "left_out": left_out,
    })  # fmt: skip


def best_by(by: str, tune: str, table: pd.DataFrame | None = None, score: str = SCORE) -> pd.DataFrame:
    """For each value of one key, as each learner, the value of another with which it did best, as its step size.

    Parameters
    ----------
    by : the key whose values are to be compared.
    tune : the key that each of them has its best value of.
    table : rows of `tdl.results.runs`; None: of all runs in `outputs`.
    score : the column that is compared.

    Returns
    -------
    a row for each value of `by`, best first: `by`, `tune` (its best value), `runs`, `mean`, `low`, `high` (as of
    `tdl.results.means`), and the cost of tuning: the number of values `tried`, in `tried_runs` with `tried_moves` and
    `tried_seconds`. A best mean is picked for being high, so it is too high by chance; `held_out` is not: the mean
    over seeds, each with that value among those that have it which does best on the others that these all have. It is
    nan with one seed. What a race stopped is best only where it stopped all values; then that which was longest in it.

    Raises
    ------
    ConfigError : a column that the table has not.

    >>> table = pd.DataFrame({"learner": ["td"] * 4, "alpha": [0.1, 0.1, 0.5, 0.5], "seed": [0, 1, 0, 1],
    ...                       "eval_mean": [10, 32, 30, 20]})
    >>> best_by("learner", tune="alpha", table=table)[["learner", "alpha", "mean", "tried", "held_out"]]
      learner  alpha  mean  tried  held_out
    0      td    0.5  25.0      2      15.0
    """
    table = _trained(table)
    keys = _keys(table, [by, tune], score)
    best = settings_in(table, keys, score)[[*keys, *MEANS]].drop_duplicates(by)
    best = best.sort_values("mean", ascending=False, kind="stable", ignore_index=True)
    groups = {hashable(value): runs for value, runs in table.groupby(by, dropna=False)}
    rows = []
    for value in best[by]:
        group = groups[hashable(value)]
        sums = [float(group[name].sum()) if name in group else math.nan for name in ("moves", "seconds")]
        rows.append((group[tune].nunique(dropna=False), len(group), *sums, _held_out(group, tune, score)))
    columns = ["tried", "tried_runs", "tried_moves", "tried_seconds", "held_out"]
    return pd.concat([best, pd.DataFrame(rows, columns=columns)], axis=1)


def best_runs(by: str, tune: str, table: pd.DataFrame | None = None, score: str = SCORE) -> pd.DataFrame:
    """The runs of each value of one key with its best value of another, as `best_by` picks it: for `compare`.

    >>> table = pd.DataFrame({"learner": ["td"] * 3 + ["tc"], "alpha": [0.1, 0.5, 0.5, 1.0], "seed": [0, 0, 1, 0],
    ...                       "eval_mean": [10, 32, 30, 50]})
    >>> best_runs("learner", tune="alpha", table=table)["eval_mean"].tolist()
    [32, 30, 50]
    """
    table = _trained(table)
    return table.merge(best_by(by, tune, table, score)[[by, tune]])


def _trained(table: pd.DataFrame | None) -> pd.DataFrame:
    """The table, or else the runs in `outputs`, without evaluations."""
    if table is not None:
        check_table(table)
        return table
    table = frames.runs()
    return table[table[EVALUATED].isna()] if EVALUATED in table else table


def _held_out(group: pd.DataFrame, tune: str, score: str) -> float:
    """The mean over seeds of the score with the value that does best on the other seeds.

    Of a seed only values that have it are judged, on seeds that they all have.
    """
    scores = group.pivot_table(index="seed", columns=tune, values=score, aggfunc="mean", dropna=False)
    held_out = []
    for seed in scores.index:
        row = scores.loc[seed].dropna()
        others = scores.drop(index=seed)[row.index].dropna().mean()
        held_out += [row[others.idxmax()]] if others.notna().any() else []
    return float(pd.Series(held_out, dtype=float).mean())


def _keys(table: pd.DataFrame, by: str | Sequence[str] | None, score: str) -> list[str]:
    check_table(table)
    keys = factors(table) if by is None else [by] if isinstance(by, str) else list(by)
    for name in (*keys, score):
        if name not in table.columns:
            raise ConfigError(f"{name}: no such column of the table{nearest(name, map(str, table.columns))}")
    return keys


def _samples(table: pd.DataFrame, keys: Sequence[str], score: str) -> tuple[list[str], list[tuple[Values, Samples]]]:
    """The other factors that vary within settings, and these with the samples by values of those."""
    played = table[table[score].notna()]
    groups = [*_groups(played, keys)]
    others = [name for name in factors(played) if name not in (*keys, score)
              and any(len({*map(hashable, part[name])}) > 1 for _, part in groups)]  # fmt: skip
    return others, [
        (values, {tuple(map(hashable, setting)): _sample(part, score) for setting, part in _groups(group, others)})
        for values, group in groups
    ]


def _groups(played: pd.DataFrame, keys: Sequence[str]) -> Iterator[tuple[Values, pd.DataFrame]]:
    """The runs of each setting."""
    if keys:
        yield from played.groupby(list(keys), dropna=False, observed=True)
    elif len(played):
        yield (), played


def _sample(runs: pd.DataFrame, score: str) -> Sample:
    """The scores of runs; their errors are nan where the score is not of games, or these are not known."""
    low = high = np.full(len(runs), np.nan)
    if score == SCORE and {*SCORE_BOUNDS} <= {*runs.columns}:
        low, high = runs[[*SCORE_BOUNDS]].to_numpy(float).T
    elif score.startswith(REACH) and EVALUATED_GAMES in runs.columns:
        games = runs[EVALUATED_GAMES].astype(float).fillna(0).astype(int)
        bounds = [share_interval(round(rate * n), n) for rate, n in zip(runs[score], games, strict=True)]
        low, high = np.reshape(bounds, (-1, 2)).T
    return runs[score].to_numpy(float), (high - low) / 2 / Z95


def _means(groups: Sequence[tuple[Values, Samples]], keys: Sequence[str], score: str) -> pd.DataFrame:
    """The table of `means` for the settings of `_samples`."""
    rows = [(*values, sum(len(scores) for scores, _ in samples.values()), *_interval([*samples.values()], score))
            for values, samples in groups]  # fmt: skip
    return pd.DataFrame(rows, columns=[*keys, *MEANS])


def settings_in(table: pd.DataFrame, keys: Sequence[str], score: str = SCORE) -> pd.DataFrame:
    """The rows of `means`, best first; those that a race stopped last, the longest in it first, without an interval.

    Besides `RACED`, and `stopped` where the table has it. The index is the place in `_samples`.
    """
    scores = _means(_samples(table, keys, score)[1], keys, score)
    groups = [runs for _, runs in _groups(table[table[score].notna()], keys)]
    scores[RACED] = [float(stops(runs).mean()) for runs in groups]
    scores.loc[scores[RACED] > 0, ["low", "high"]] = math.nan
    out = scores[RACED] == 1
    if STOPPED in table:
        scores[STOPPED] = [runs[STOPPED].iloc[0] if last else None for runs, last in zip(groups, out, strict=True)]
    order = pd.DataFrame({"out": out, "runs": -scores["runs"].where(out, 0), "mean": -scores["mean"]})
    return scores.loc[order.sort_values([*order.columns], kind="stable").index]


def run_mean(rows: pd.DataFrame, score: str = SCORE) -> tuple[float, float, float]:
    """The mean of a score over runs of one setting, with its interval as of `means`.

    >>> run_mean(pd.DataFrame({"eval_reach_2048": [0.9, 1.0]}), "eval_reach_2048")[::2]
    (0.95, 1.0)
    """
    return _interval([_sample(rows[rows[score].notna()], score)], score)


def _interval(parts: Sequence[Sample], score: str) -> tuple[float, float, float]:
    """The mean of the means of samples, low and high, within what the metric can be."""
    samples, errors = zip(*parts, strict=True)
    mean, *bounds = contrast_interval(samples, _equal_weights(parts), errors)
    unbounded = score in SIGNED or not (score.startswith("eval_") or score in ENDING)
    limits = (0.0, 1.0) if score.startswith(REACH) else (-math.inf if unbounded else 0.0, math.inf)
    low, high = np.clip(bounds, *limits).tolist()
    return mean, low, high


def _equal_weights(parts: Sequence[object]) -> list[float]:
    return [1 / max(1, len(parts))] * len(parts)


def _contrast(ours: Samples, theirs: Samples) -> tuple[list[NDArray[Any]], list[float], list[NDArray[Any]]]:
    """Samples, weights and errors of the mean of our settings less that of theirs, over those that both have."""
    common = [setting for setting in ours if setting in theirs]
    weights = _equal_weights(common)
    both = [ours[setting] for setting in common] + [theirs[setting] for setting in common]
    return [scores for scores, _ in both], [*weights, *(-weight for weight in weights)], [errors for _, errors in both]
