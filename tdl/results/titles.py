"""Short titles of runs: what those of a table differ in."""

from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd

from tdl.errors import printable
from tdl.results.comparison import EVALUATED, factors
from tdl.storage.titles import title

COMMON = ("tuples", "learner", "alpha")
"""Keys that title runs which differ in nothing but their seeds; those without a learner have their agent."""


def titles(table: pd.DataFrame) -> pd.Series:
    """A short title for each run of a table, of what these runs differ in; no two are the same.

    Values of groups stand alone, those of other keys with their names; the seed is last. Runs that differ in nothing
    have their network and learner. A run without a configuration, or one of several of the same title, has its folder.

    Parameters
    ----------
    table : rows of `tdl.results.runs`.

    Returns
    -------
    a column of texts, with the table's index.

    >>> table = pd.DataFrame({"run": ["a", "b"], "learner": ["td", "tc"], "alpha": [0.1, 1.0], "seed": [0, 2]})
    >>> titles(table).tolist()
    ['td, alpha 0.1, seed 0', 'tc, alpha 1, seed 2']
    """
    index, table = table.index, table.reset_index(drop=True)
    known = table.reindex(columns=["seed"])["seed"].notna()  # a job that could not begin may have no configuration
    evaluates = table.reindex(columns=[EVALUATED])[EVALUATED].notna()
    of_row: dict[Any, str] = {}
    for _, part in table[known].groupby(evaluates[known]):
        rows = part[[*_keys(part), "seed"]].astype(object).to_dict("records")
        shown = [
            {str(key): value for key, value in row.items() if value == value and value is not None} for row in rows
        ]
        of_row |= dict(zip(part.index, (title(row, table.columns) for row in shown), strict=True))
    texts = [of_row.get(number, "") for number in table.index]
    runs = [printable(str(run)) for run in table.get("run", table.index)]
    for folders in ([Path(run).name for run in runs], runs):
        count = Counter(texts)
        texts = [text if text and count[text] == 1 else ", ".join(filter(None, (text, folder)))
                 for text, folder in zip(texts, folders, strict=True)]  # fmt: skip
    return pd.Series(texts, index=index, dtype=object)


def _keys(runs: pd.DataFrame) -> list[str]:
    """The keys that title runs of one kind."""
    if keys := factors(runs):
        return keys
    known = {str(name) for name in runs.columns[runs.notna().any()]}
    names = (EVALUATED, "evaluate.plies") if EVALUATED in known else COMMON if "learner" in known else ("agent",)
    return [name for name in names if name in known]
