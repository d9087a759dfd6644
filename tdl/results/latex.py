"""The settings of a sweep as a table for a paper."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from tdl.results.comparison import SCORE, factors, means
from tdl.results.labels import label
from tdl.statistics.intervals import interval_text
from tdl.storage.titles import value_text


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
    texts = [interval_text(*bounds).partition(" ") for bounds in rows[["mean", "low", "high"]].to_numpy(float)]
    cells = {label(key): [value_text(key, value) for value in rows[key]] for key in keys}
    cells |= {label("runs"): rows["runs"].map(str).tolist(), label(score): [mean for mean, _, _ in texts]}
    if any(bounds for _, _, bounds in texts):
        cells["95% interval"] = [bounds.strip("[]").replace(", ", " to ") for _, _, bounds in texts]
    columns = "l" * len(keys) + "r" * (len(cells) - len(keys))
    return pd.DataFrame(cells).to_latex(index=False, escape=True, column_format=columns)
