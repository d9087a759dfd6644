"""What runs differ in, and how much better one setting is than another."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tdl.errors import ConfigError, nearest, refuse
from tdl.statistics.intervals import RESAMPLES, Sample, bootstrap_interval, mean_of_strata

SCORE, REACH = "eval_mean", "eval_reach_"
"""Columns of `tdl.results.runs`: mean score of the games after training; share of them that reached the tile named."""

SUMMARY = ("status", "error", "episodes", "moves", "seconds", "moves_per_second", "peak_memory_bytes", "config_hash")
"""Columns of `tdl.results.runs` for the end of a run, whatever it is a run of."""

NO_FACTORS = {"run", "seed", "resume", *SUMMARY}
"""Columns that are no factor of an experiment."""


def differing(table: pd.DataFrame) -> list[str]:
    """The columns of `runs` or `load` in which its runs differ.

    A key that follows from the name of its group, as `tuples.cells` from `tuples`, is left out. A figure that a failed
    run lacks is no difference.

    >>> differing(pd.DataFrame({"alpha": [0.1, 0.5], "gamma": [1.0, 1.0], "seed": [0, 0]}))
    ['alpha']
    """
    return [name for name in table.columns if _differs(table, name) and not _follows_group(table, name)]


def factors(table: pd.DataFrame) -> list[str]:
    """The configuration keys among `differing`, without `seed`: the factors of a sweep.

    >>> factors(pd.DataFrame({"alpha": [0.1, 0.5], "seed": [0, 1], "moves": [9, 8], "eval_mean": [70.5, 80.0]}))
    ['alpha']
    """
    return [name for name in differing(table) if name not in NO_FACTORS and not name.startswith("eval_")]


def means(
    table: pd.DataFrame, by: Sequence[str] | None = None, score: str = SCORE, resamples: int = RESAMPLES
) -> pd.DataFrame:
    """Mean scores of settings, with 95% bootstrap intervals over their seeds.

    Parameters
    ----------
    table : rows of `tdl.results.runs`; those without the score are left out.
    by : the keys whose values make a setting; None: all that the runs differ in. A setting with several values of
        further keys is the mean over these values, with equal weights; seeds are resampled within each of them.
    score : the column that is compared.
    resamples : of the bootstrap.

    Returns
    -------
    the keys, `runs` (their number), `mean`, `low`, `high` (nan where some value of a key has one run only).

    Raises
    ------
    ConfigError : a column that the table has not.

    >>> table = pd.DataFrame({"alpha": [0.1, 0.1, 0.5, 0.5], "seed": [0, 1, 0, 1], "eval_mean": [10, 12, 30, 32]})
    >>> means(table, by=["alpha"])
       alpha  runs  mean   low  high
    0    0.1     2  11.0  10.0  12.0
    1    0.5     2  31.0  30.0  32.0
    """
    by = list(factors(table) if by is None else by)
    _check_columns(table, [*by, score])
    played = table[table[score].notna()]
    rows = []
    for values, group in played.groupby(by, sort=True, dropna=False) if by else [((), played)]:
        strata = _strata(group, by, score)
        low, high = bootstrap_interval(strata, resamples=resamples)
        rows.append((*values, len(group), float(mean_of_strata(strata)), low, high))
    return pd.DataFrame(rows, columns=[*by, "runs", "mean", "low", "high"])


def compare(
    table: pd.DataFrame, key: str, a: object, b: object, score: str = SCORE, resamples: int = RESAMPLES
) -> pd.Series:
    """How much better the runs with one value of a key are than those with another.

    Where the runs differ in further keys, only values that both have count, with equal weights.

    Parameters
    ----------
    table, score, resamples : as of `means`.
    key : a column of the table.
    a, b : two of its values; None where a run has none.

    Returns
    -------
    `a`, `b`, `difference` of the means (a less b) with `low` and `high`, and `improvement`, the probability that a run
    with `a` is better than one with `b` (ties count half; Agarwal et al. (2021), section 4.3), with `improvement_low`
    and `improvement_high`. All intervals are 95% and by the stratified bootstrap over seeds.

    Raises
    ------
    ConfigError : a column or value that the table has not, or values that never meet.

    >>> table = pd.DataFrame({"alpha": [0.1, 0.1, 0.5, 0.5], "seed": [0, 1, 0, 1], "eval_mean": [10, 12, 30, 32]})
    >>> compare(table, "alpha", 0.5, 0.1)[["difference", "low", "high", "improvement"]].tolist()
    [20.0, 18.0, 22.0, 1.0]
    """
    _check_columns(table, [key, score])
    played = table[table[score].notna()]
    ours, theirs = (_of_value(played, key, value, score) for value in (a, b))
    common = [setting for setting in ours if setting in theirs]
    if not common:
        others = ", ".join(name for name in factors(played) if name != key)
        raise ConfigError(f"{key}: {a!r} and {b!r} have no setting of {others} in common")
    samples = [ours[setting] for setting in common] + [theirs[setting] for setting in common]
    low, high = bootstrap_interval(samples, _difference, resamples=resamples)
    improvement_low, improvement_high = bootstrap_interval(samples, _improvement, resamples=resamples)
    return pd.Series({
        "a": a, "b": b,
        "difference": float(_difference(samples)), "low": low, "high": high,
        "improvement": float(_improvement(samples)),
        "improvement_low": improvement_low, "improvement_high": improvement_high,
    })  # fmt: skip


def text_of(value: Any) -> str:
    """A value of a configuration, as the command line takes it.

    >>> text_of(None), text_of(0.5), text_of(3.0), text_of("4x6")
    ('null', '0.5', '3', '4x6')
    """
    if value is None or value != value:
        return "null"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _difference(samples: Sequence[Sample]) -> Sample:
    """The mean of the first half of the samples less that of the second."""
    half = len(samples) // 2
    return mean_of_strata(samples[:half]) - mean_of_strata(samples[half:])


def _improvement(samples: Sequence[Sample]) -> Sample:
    half = len(samples) // 2
    pairs = [(a[..., :, None], b[..., None, :]) for a, b in zip(samples[:half], samples[half:], strict=True)]
    better: Sample = np.mean([((a > b) + 0.5 * (a == b)).mean(axis=(-2, -1)) for a, b in pairs], axis=0)
    return better


def _strata(group: pd.DataFrame, by: Sequence[str], score: str) -> list[NDArray[Any]]:
    """The scores of the seeds, for each setting of the other factors."""
    others = [name for name in factors(group) if name not in by and name != score]
    if not others:
        return [group[score].to_numpy(float)]
    return [rows[score].to_numpy(float) for _, rows in group.groupby(others, dropna=False)]


def _of_value(played: pd.DataFrame, key: str, value: object, score: str) -> dict[tuple[object, ...], NDArray[Any]]:
    """The scores of the runs with this value, by the setting of the other factors of all runs."""
    rows = played[played[key].isna() if value is None or value != value else played[key] == value]
    if rows.empty:
        raise refuse(key, value, f"one of {', '.join(map(repr, played[key].unique().tolist()))}")
    others = [name for name in factors(played) if name not in (key, score) and not _follows(played, name, key)]
    if not others:
        return {(): rows[score].to_numpy(float)}
    return {setting: group[score].to_numpy(float) for setting, group in rows.groupby(others, dropna=False)}


def _follows(table: pd.DataFrame, name: str, key: str) -> bool:
    """Whether a column has one value for each value of another, as a step size that goes with its learner."""
    return bool((table[name].map(str).groupby(table[key].map(str)).nunique() <= 1).all())


def _check_columns(table: pd.DataFrame, names: Sequence[str]) -> None:
    for name in names:
        if name not in table.columns:
            raise ConfigError(f"{name}: no such column of the table{nearest(name, map(str, table.columns))}")


def _differs(table: pd.DataFrame, name: str) -> bool:
    if "status" not in table.columns:
        return table[name].map(str).nunique() > 1
    played = table[table["status"] != "failed"]
    return played[name].map(str).nunique() > 1 or table[name].dropna().map(str).nunique() > 1


def _follows_group(table: pd.DataFrame, name: str) -> bool:
    """Whether a key of a group, as `tuples.cells`, follows from the name of the group."""
    group, _, key = name.partition(".")
    return bool(key) and group in table.columns and _follows(table, name, group)
