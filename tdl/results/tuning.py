"""Learners at their own best step sizes: what was best, how it does on other seeds, and what finding it took."""

import math

import numpy as np
import pandas as pd

from tdl.results.comparison import EVALUATED, SCORE, means
from tdl.results.frames import runs


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
    over seeds, each with the value that does best on the others. It is nan with one seed.

    Raises
    ------
    ConfigError : a column that the table has not.

    >>> table = pd.DataFrame({"learner": ["td"] * 4, "alpha": [0.1, 0.1, 0.5, 0.5], "seed": [0, 1, 0, 1],
    ...                       "eval_mean": [10, 32, 30, 20]})
    >>> best_by("learner", tune="alpha", table=table)[["learner", "alpha", "mean", "tried", "held_out"]]
      learner  alpha  mean  tried  held_out
    0      td    0.5  25.0      2      15.0
    """
    table = _trained() if table is None else table
    scores = means(table, [by, tune], score).sort_values("mean", ascending=False, kind="stable")
    best = scores.drop_duplicates(by).reset_index(drop=True)
    rows = []
    for value in best[by]:
        group = table[_equals(table[by], value)]
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
    table = _trained() if table is None else table
    best = best_by(by, tune, table, score)
    picked = [_equals(table[by], a) & _equals(table[tune], b) for a, b in zip(best[by], best[tune], strict=True)]
    return table[np.any(picked, axis=0)] if picked else table[:0]


def _trained() -> pd.DataFrame:
    """The runs in `outputs`, without evaluations."""
    table = runs()
    return table[table[EVALUATED].isna()] if EVALUATED in table else table


def _equals(column: pd.Series, value: object) -> pd.Series:
    return column.isna() if value is None or value != value else column == value


def _held_out(group: pd.DataFrame, tune: str, score: str) -> float:
    """The mean over seeds of the score with the value that does best on the other seeds."""
    scores = group.pivot_table(index="seed", columns=tune, values=score, aggfunc="mean", dropna=False)
    others = {seed: scores.drop(index=seed).mean().dropna() for seed in scores.index}
    held_out = [scores.loc[seed, means.idxmax()] for seed, means in others.items() if len(means)]
    return float(pd.Series(held_out, dtype=float).mean())
