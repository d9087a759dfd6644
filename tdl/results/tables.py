"""The settings of a sweep as a table: in words for screens and pages, and as LaTeX for a paper."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from tdl.results.comparison import REACH, SCORE, factors, means, reach_columns
from tdl.results.labels import label
from tdl.statistics.intervals import interval_text, p_text
from tdl.storage.titles import value_text

MAX_TILES = 4
"""The most reach rates of a table, those of the largest tiles."""

SPEED = "moves_per_second"


def in_words(settings: pd.DataFrame, keys: Sequence[str], runs: pd.DataFrame) -> pd.DataFrame:
    """The rows of `against_best` as text, empty where nothing is known: one column for each of their figures.

    Parameters
    ----------
    settings : rows of `tdl.results.against_best` by the keys; one without figures is of a setting without a score.
    runs : those whose reach rates and speed are shown.

    Returns
    -------
    the keys, `runs`, `mean score`, `below the best`, `differs`, the largest tiles by their values, `moves/s`.
    """
    shared = [*reach_columns(runs)[-MAX_TILES:], SPEED]
    figures = runs.reindex(columns=[*keys, *shared]).assign(all=0).groupby([*keys, "all"], dropna=False)[shared].mean()
    rows = settings.assign(all=0).merge(figures.reset_index(), how="left", on=[*keys, "all"])
    words = {key: [value_text(key, value) for value in settings[key]] for key in keys} | {
        "runs": rows["runs"].fillna(0).map("{:.0f}".format),
        "mean score": intervals_in_words(rows, "mean", "low", "high"),
        "below the best": intervals_in_words(rows, "difference", "difference_low", "difference_high"),
        "differs": [f"{'yes' if p < 0.05 else 'no'}, {p_text(p)}" if p == p else "" for p in rows["p"]],
    }
    return pd.DataFrame(words | reach_in_words(rows) | {"moves/s": figures_in_words(rows[SPEED])})


def reach_in_words(rows: pd.DataFrame) -> dict[str, list[str]]:
    """The shares of games that reached the largest tiles, by the values of these."""
    names = reach_columns(rows)[-MAX_TILES:]
    return {name.removeprefix(REACH): figures_in_words(rows[name], ".1%") for name in names}


def intervals_in_words(rows: pd.DataFrame, *names: str) -> list[str]:
    """Means with their intervals, of the columns with mean, low and high."""
    return [interval_text(*row) for row in rows[[*names]].to_numpy(float)]


def figures_in_words(column: pd.Series, form: str = ",.0f") -> list[str]:
    """Numbers in a format, nothing for nan."""
    return ["" if pd.isna(value) else f"{value:{form}}" for value in column]


def latex(table: pd.DataFrame, by: Sequence[str] | None = None, score: str = SCORE) -> str:
    r"""The settings and their means over seeds as a LaTeX table, the best first; nothing where no run has a score.

    It needs the package `booktabs`. Columns have names in words, as figures.

    Parameters
    ----------
    table, by, score : as of `tdl.results.means`.

    >>> table = pd.DataFrame({"alpha": [0.1, 0.1, 0.5, 0.5], "seed": [0, 1, 0, 1], "eval_mean": [10, 12, 30, 32]})
    >>> print(latex(table))
    \begin{tabular}{lrrr}
    \toprule
    step size alpha & seeds & mean score & 95\% interval \\
    \midrule
    0.5 & 2 & 31 & 18 to 44 \\
    0.1 & 2 & 11 & 0 to 24 \\
    \bottomrule
    \end{tabular}
    <BLANKLINE>
    """
    if score not in table or table[score].isna().all():
        return ""
    keys = list(factors(table) if by is None else by)
    rows = means(table, keys, score).sort_values("mean", ascending=False, kind="stable")
    cells = {label(key): [value_text(key, value) for value in rows[key]] for key in keys}
    cells |= {label("runs"): rows["runs"].map(str).tolist(), label(score): rows["mean"].map("{:,.0f}".format).tolist()}
    if rows["low"].notna().any():
        bounds = zip(*(figures_in_words(rows[side]) for side in ("low", "high")), strict=True)
        cells["95% interval"] = [" to ".join(filter(None, pair)) for pair in bounds]
    columns = "l" * len(keys) + "r" * (len(cells) - len(keys))
    return pd.DataFrame(cells).to_latex(index=False, escape=True, column_format=columns)
