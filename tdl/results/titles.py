"""Short titles of runs: what those of a table differ in."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from tdl.errors import printable
from tdl.results.comparison import EVALUATED, NO_FACTORS
from tdl.storage.titles import title

ALIKE = ("tuples", "learner", "alpha")
"""Keys that title runs which differ in nothing but their seeds; those without a learner have their agent."""

Row = Mapping[str, Any]


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
    rows = [{str(key): value for key, value in row.items()} for row in table.astype(object).to_dict("records")]
    return pd.Series(titles_of(rows), index=table.index, dtype=object)


def titles_of(rows: Sequence[Row]) -> list[str]:
    """The same for rows as `tdl.results.row_of` makes them, without the cost of a data frame."""
    given = [{key: value for key, value in row.items() if value is not None and value == value} for row in rows]
    keys = {kind: _keys([row for row in given if _kind(row) == kind]) for kind in {_kind(row) for row in given}}
    names = dict.fromkeys(key for row in rows for key in row)
    named = [(*keys[_kind(row)], "seed") if "seed" in row else () for row in given]
    shown = [{key: row[key] for key in own if key in row} for own, row in zip(named, given, strict=True)]
    texts = [title(row, names) for row in shown]
    runs = [printable(str(row.get("run", number))) for number, row in enumerate(rows)]
    for folders in ([Path(run).name for run in runs], runs):
        count = Counter(texts)
        texts = [text if text and count[text] == 1 else ", ".join(filter(None, (text, folder)))
                 for text, folder in zip(texts, folders, strict=True)]  # fmt: skip
    return texts


def _kind(row: Row) -> bool:
    """Whether it is an evaluation of a network, and no run that trains one."""
    return EVALUATED in row


def _keys(rows: Sequence[Row]) -> list[str]:
    """The keys that title rows of one kind."""
    known = [row for row in rows if "seed" in row]  # a job that could not begin may have no configuration
    if found := _factors(known):
        return found
    if any(map(_kind, known)):
        return [EVALUATED, "evaluate.plies"]
    return [*ALIKE] if any("learner" in row for row in known) else ["agent"]


def _factors(rows: Sequence[Row]) -> list[str]:
    """The keys in which rows differ, as `tdl.results.factors`."""
    keys = dict.fromkeys(key for row in rows for key in row if key not in NO_FACTORS and not key.startswith("eval_"))
    texts = {key: [str(row.get(key)) for row in rows] for key in keys}
    return [key for key, values in texts.items() if len(set(values)) > 1 and not _follows_group(key, texts)]


def _follows_group(key: str, texts: Mapping[str, Sequence[str]]) -> bool:
    """Whether a key of a group has one value for each choice of the group."""
    group, _, last = key.partition(".")
    if not last or group not in texts:
        return False
    return len(set(zip(texts[group], texts[key], strict=True))) == len(set(texts[group]))
