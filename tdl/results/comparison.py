"""What runs differ in, and how much better one setting is than another."""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tdl.errors import ConfigError, nearest, refuse
from tdl.statistics.intervals import Z95, contrast_interval, contrast_p, holm, improvement, share_interval
from tdl.storage.run_folder import FAILED
from tdl.storage.titles import title

SCORE, REACH = "eval_mean", "eval_reach_"
"""Columns of `tdl.results.runs`: mean score of the games after training; share of them that reached the tile named."""

GAMES, EVALUATED_GAMES = ("eval_low", "eval_high"), "evaluate.episodes"
"""The bounds of the mean score's 95% interval over the games of a run; how many games."""

SIGNED = ("eval_value_bias",)
"""Figures of a run that may be below 0."""

SUMMARY = ("status", "error", "episodes", "moves", "seconds", "moves_per_second", "peak_memory_bytes", "config_hash")
"""Columns of `tdl.results.runs` for the end of a run, whatever it is a run of."""

NO_FACTORS = {"run", "seed", "resume", "logger", *SUMMARY}
"""Columns that are no factor of an experiment."""

Sample = tuple[NDArray[Any], NDArray[Any]]
"""The scores of seeds, and their standard errors over games."""

Values = tuple[object, ...]
"""The values of some keys."""

Samples = Mapping[Values, Sample]
"""Samples by the values of further keys."""

EVALUATED = "checkpoint"
"""The column of `tdl.results.runs` that only evaluations of finished networks have."""

DIFFERENCE = ["difference", "difference_low", "difference_high", "p", "differs"]
"""Columns of `against_best` beyond those of `means`."""


def differing(table: pd.DataFrame) -> list[str]:
    """The columns of `runs` or `load` in which its runs differ.

    A key that follows from the name of its group, as `tuples.cells` from `tuples`, is left out. A figure that a failed
    run lacks is no difference, nor is what evaluations of networks have and runs that train have not.

    >>> differing(pd.DataFrame({"alpha": [0.1, 0.5], "gamma": [1.0, 1.0], "seed": [0, 0]}))
    ['alpha']
    """
    evaluates = table[EVALUATED].notna() if EVALUATED in table else pd.Series(False, table.index)
    names = {name for _, part in table.groupby(evaluates) for name in _differing(part)}
    return [name for name in table.columns if name in names]


def _differing(table: pd.DataFrame) -> list[str]:
    """The same for runs of one kind, in sets of text: pandas would take tens of milliseconds for 150 columns."""
    texts = {str(name): _texts(table[name]) for name in table.columns}
    failed = table["status"] == FAILED if "status" in table else [False] * len(table)

    def differs(values: Sequence[str | None]) -> bool:
        played = {value for value, lost in zip(values, failed, strict=True) if not lost}
        return len(played) > 1 or len({*values} - {None}) > 1

    def follows_group(name: str) -> bool:
        group, _, key = name.partition(".")
        return bool(key) and group in texts and _follows(texts[name], texts[group])

    return [name for name, values in texts.items() if differs(values) and not follows_group(name)]


def _texts(column: pd.Series) -> list[str | None]:
    return [None if value is None or value != value else str(value) for value in column]


def follows(table: pd.DataFrame, name: str, key: str) -> bool:
    """Whether a column has one value for each value of another, as a step size that goes with its learner."""
    return _follows(_texts(table[name]), _texts(table[key]))


def _follows(values: Sequence[str | None], leaders: Sequence[str | None]) -> bool:
    return len({*zip(leaders, values, strict=True)}) == len({*leaders})


def factors(table: pd.DataFrame) -> list[str]:
    """The configuration keys among `differing`, without `seed`: the factors of a sweep.

    >>> factors(pd.DataFrame({"alpha": [0.1, 0.5], "seed": [0, 1], "moves": [9, 8], "eval_mean": [70.5, 80.0]}))
    ['alpha']
    """
    return [name for name in differing(table) if name not in NO_FACTORS and not name.startswith("eval_")]


def reach_columns(table: pd.DataFrame) -> list[str]:
    """The columns of tiles that some games reached and some did not, the smallest tile first.

    >>> reach_columns(tdl.results.runs("outputs/alpha"))
    ['eval_reach_128', 'eval_reach_256', 'eval_reach_512', 'eval_reach_1024']
    """
    names = [str(name) for name in table.columns if str(name).startswith(REACH) and 0 < table[name].mean() < 1]
    return sorted(names, key=lambda name: int(name.removeprefix(REACH)))


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

    Parameters
    ----------
    table, by, score : as of `means`.

    Returns
    -------
    the columns of `means`; `difference` of the best setting's mean minus this one's; `p`, that of Welch's test,
    corrected by Holm for all pairs; `difference_low` and `difference_high`, the interval that goes with this p, at
    least a 95% one; and `differs`: p < 0.05, where the interval leaves out 0. `difference` is nan for the best itself,
    and where a setting has no value of the further keys in common with it.

    >>> table = pd.DataFrame({"alpha": [0.1, 0.1, 0.5, 0.5], "seed": [0, 1, 0, 1], "eval_mean": [10, 12, 30, 32]})
    >>> against_best(table, "alpha")[["alpha", "difference", "differs"]]
       alpha  difference  differs
    0    0.5         NaN    False
    1    0.1        20.0     True
    """
    keys = _keys(table, by, score)
    _, groups = _samples(table, keys, score)
    scores = _means(groups, keys, score).sort_values("mean", ascending=False, kind="stable")
    samples = [groups[number][1] for number in scores.index]
    scores = scores.reset_index(drop=True)
    if not samples:
        return scores.reindex(columns=[*scores.columns, *DIFFERENCE])
    p = [contrast_p(*_contrast(*pair)) for pair in combinations(samples, 2)]  # those of the first come first
    rows = [(math.nan,) * 4]
    for other, corrected, level in zip(samples[1:], *holm(p), strict=False):
        rows.append((*contrast_interval(*_contrast(samples[0], other), level=level), corrected))
    differences = pd.DataFrame(rows, columns=DIFFERENCE[:-1], index=scores.index, dtype=float)
    return pd.concat([scores, differences.assign(differs=differences["p"] < 0.05)], axis=1)


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
    count, a list of texts.

    Raises
    ------
    ConfigError : a column or value that the table has not, or values that never meet.

    >>> table = pd.DataFrame({"alpha": [0.1, 0.1, 0.5, 0.5], "seed": [0, 1, 0, 1], "eval_mean": [10, 12, 30, 32]})
    >>> compare(table, "alpha", 0.5, 0.1)[["difference", "low", "high", "improvement"]].round(1).tolist()
    [20.0, 13.9, 26.1, 1.0]
    """
    keys = _keys(table, key, score)
    others, groups = _samples(table, keys, score)
    samples = {hashable(value): scores for (value,), scores in groups}
    for value in (a, b):
        if hashable(value) not in samples:
            raise refuse(key, value, f"one of {', '.join(map(repr, _scored(table, score)[key].unique().tolist()))}")
    ours, theirs = samples[hashable(a)], samples[hashable(b)]
    common = [setting for setting in ours if setting in theirs]
    if not common:
        raise ConfigError(f"{key}: {a!r} and {b!r} have no setting of {', '.join(others)} in common")
    difference, low, high = contrast_interval(*_contrast(ours, theirs))
    probability, least, most = improvement([(ours[setting][0], theirs[setting][0]) for setting in common])
    missing = int(table[score].isna().sum())
    left_out = [f"{missing} of {len(table)} runs without a score"] if missing else []
    for value, here, there in ((a, ours, theirs), (b, theirs, ours)):
        alone = [title(dict(zip(others, setting, strict=True))) for setting in here if setting not in there]
        left_out += [f"{text}: only with {title({key: value})}" for text in alone]
    return pd.Series({
        "a": a, "b": b,
        "difference": difference, "low": low, "high": high,
        "improvement": probability, "improvement_low": least, "improvement_high": most,
        "left_out": left_out,
    })  # fmt: skip


def _keys(table: pd.DataFrame, by: str | Sequence[str] | None, score: str) -> list[str]:
    keys = factors(table) if by is None else [by] if isinstance(by, str) else list(by)
    for name in (*keys, score):
        if name not in table.columns:
            raise ConfigError(f"{name}: no such column of the table{nearest(name, map(str, table.columns))}")
    return keys


def _scored(table: pd.DataFrame, score: str) -> pd.DataFrame:
    return table[table[score].notna()]


def _settings(played: pd.DataFrame, keys: Sequence[str]) -> Iterable[tuple[Values, pd.DataFrame]]:
    """The runs of each setting."""
    if not keys:
        return [((), played)] if len(played) else []
    return iter(played.groupby(list(keys), dropna=False, observed=True))  # pandas 2.2 cannot count groups of nan


def _samples(table: pd.DataFrame, keys: Sequence[str], score: str) -> tuple[list[str], list[tuple[Values, Samples]]]:
    """The other factors that vary within settings, and these with the scores of their seeds by values of those."""
    played = _scored(table, score)
    groups = list(_settings(played, keys))
    others = [name for name in factors(played) if name not in (*keys, score)
              and any(len({*_texts(group[name])}) > 1 for _, group in groups)]  # fmt: skip
    return others, [
        (values, {tuple(map(hashable, setting)): _sample(part, score) for setting, part in _settings(group, others)})
        for values, group in groups
    ]


def _sample(runs: pd.DataFrame, score: str) -> Sample:
    return runs[score].to_numpy(float), _errors(runs, score)


def _means(groups: Sequence[tuple[Values, Samples]], keys: Sequence[str], score: str) -> pd.DataFrame:
    """The table of `means` for the settings of `_samples`."""
    rows = []
    for values, samples in groups:
        parts = list(samples.values())
        rows.append((*values, sum(len(scores) for scores, _ in parts), *_interval(parts, score)))
    return pd.DataFrame(rows, columns=[*keys, "runs", "mean", "low", "high"])


def run_mean(rows: pd.DataFrame, score: str = SCORE) -> tuple[float, float, float]:
    """The mean of a score over runs of one setting, with its interval as of `means`.

    >>> run_mean(pd.DataFrame({"eval_reach_2048": [0.9, 1.0]}), "eval_reach_2048")[::2]
    (0.95, 1.0)
    """
    return _interval([_sample(_scored(rows, score), score)], score)


def _interval(parts: Sequence[Sample], score: str) -> tuple[float, float, float]:
    """The mean of the means of samples, low and high."""
    samples, errors = [scores for scores, _ in parts], [errors for _, errors in parts]
    mean, *bounds = contrast_interval(samples, _equal(samples), errors)
    low, high = np.clip(bounds, *_limits(score)).tolist()
    return mean, low, high


def _errors(rows: pd.DataFrame, score: str) -> NDArray[Any]:
    """The standard error of each run's score over its games; nan where it is not of games, or they are not known."""
    if score == SCORE and {*GAMES} <= {*rows.columns}:
        bounds = rows[[*GAMES]].to_numpy(float)
    elif score.startswith(REACH) and EVALUATED_GAMES in rows.columns:
        games = zip(rows[score], rows[EVALUATED_GAMES].astype(float), strict=True)
        bounds = np.array(
            [share_interval(round(rate * n), int(n)) if n > 0 else (np.nan, np.nan) for rate, n in games]
        )
    else:
        return np.full(len(rows), np.nan)
    low, high = bounds.reshape(-1, 2).T
    return np.asarray((high - low) / 2 / Z95)


def _limits(score: str) -> tuple[float, float]:
    """What a figure of a run cannot be below and above."""
    if score.startswith(REACH):
        return 0.0, 1.0
    known = score.startswith("eval_") or score in SUMMARY
    return (0.0 if known and score not in SIGNED else -math.inf), math.inf


def hashable(value: Any) -> Hashable:
    """A value of a table, with None for nan, which is not equal to itself."""
    return None if value is None or value != value else value


def _equal(samples: Sequence[object]) -> list[float]:
    return [1 / max(1, len(samples))] * len(samples)


def _contrast(ours: Samples, theirs: Samples) -> tuple[list[NDArray[Any]], list[float], list[NDArray[Any]]]:
    """Samples, weights and errors of the mean of our settings less that of theirs, over those that both have."""
    common = [setting for setting in ours if setting in theirs]
    weights = _equal(common)
    both = [ours[setting] for setting in common] + [theirs[setting] for setting in common]
    return [scores for scores, _ in both], [*weights, *(-weight for weight in weights)], [errors for _, errors in both]
