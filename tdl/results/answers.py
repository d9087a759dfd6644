"""What a sweep found, in words: its best setting, and what failed."""

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import pandas as pd

from tdl.errors import printable
from tdl.results.comparison import SCORE, against_best, factors
from tdl.results.labels import label
from tdl.statistics.intervals import interval_text, p_text
from tdl.storage.run_folder import FAILED, FINISHED
from tdl.storage.titles import title

MORE_SEEDS = "seed='range(0,5)'"


def sentence(table: pd.DataFrame, by: Sequence[str] | None = None, score: str = SCORE, what: str = "run") -> str:
    """The best setting of a table of runs, and whether the next differs from it; nothing where no run has a score.

    Parameters
    ----------
    table, by, score : as of `tdl.results.means`.
    what : a row is, for the text.

    >>> table = pd.DataFrame({"alpha": [0.1, 0.1, 0.5, 0.5], "seed": [0, 1, 0, 1], "eval_mean": [10, 12, 30, 32]})
    >>> sentence(table).partition(" The next, ")[::2]  # doctest: +NORMALIZE_WHITESPACE
    ('Best: alpha 0.5, 31 [18, 44], 2 runs.',
     'alpha 0.1, is 20 [14, 26] lower, a clear difference (p = 0.005).')
    """
    keys = list(factors(table) if by is None else by)
    if score not in table or table[score].isna().all():
        return ""
    first, *others = against_best(table, keys, score).to_dict("records")
    runs = f"{first['runs']:,} {what}{'s' if first['runs'] > 1 else ''}"
    mean = f"{_interval(first, 'mean', 'low', 'high')}, {runs}"
    if not others:
        return f"Mean {mean}{'' if first['runs'] > 1 else f'; {MORE_SEEDS} would give an interval'}."
    best, other = (title({key: row[key] for key in keys}) for row in (first, others[0]))
    gap = _interval(others[0], "difference", "difference_low", "difference_high")
    p = p_text(others[0]["p"])
    if not gap:
        told = "has nothing in common with it to compare"
    elif math.isnan(others[0]["difference_low"]):
        told = f"is {gap} lower; one seed each cannot show a difference, {MORE_SEEDS} can"
    elif others[0]["differs"]:
        told = f"is {gap} lower, a clear difference ({p})"
    else:
        told = f"is {gap} lower, no clear difference ({p})"
    return f"Best: {best}, {mean}. The next, {other}, {told}."


def finding(table: pd.DataFrame, by: Sequence[str] | None = None, score: str = SCORE) -> str:
    """The title of a figure: the setting that clearly scores most, or the question where none does.

    >>> table = pd.DataFrame({"alpha": [0.1, 0.1, 0.5, 0.5], "seed": [0, 1, 0, 1], "eval_mean": [10, 12, 30, 32]})
    >>> finding(table), finding(table[table["seed"] == 0])
    ('alpha 0.5 scores most: 31 [18, 44]', 'Which step size alpha?')
    """
    keys = list(factors(table) if by is None else by)
    question = f"Which {' and '.join(map(label, keys))}?" if keys else "What does it learn?"
    if score not in table or table[score].isna().all():
        return question
    first, *others = against_best(table, keys, score).to_dict("records")
    mean = _interval(first, "mean", "low", "high")
    if not others:
        return f"Mean score {mean}" if not keys else question
    return f"{title({key: first[key] for key in keys})} scores most: {mean}" if others[0]["differs"] else question


def _interval(row: Mapping[Hashable, Any], *names: str) -> str:
    return interval_text(*(float(row[name]) for name in names))


def failures(table: pd.DataFrame) -> list[str]:
    """Settings with runs that are not finished, by what became of them: "td, alpha 1: 3 of 3 diverged; lower alpha".

    >>> failures(pd.DataFrame({"alpha": [1, 1], "seed": [0, 1], "status": "failed", "error": "learning diverged: a"}))
    ['2 of 2 runs diverged; lower alpha']
    """
    keys, lines = factors(table), []
    groups = table.groupby(keys, dropna=False, sort=True) if keys else [((), table)]
    for values, group in groups:
        setting = dict(zip(keys, values, strict=True))
        name = (
            "" if all(value is None or value != value for value in values) else title(setting)
        )  # some job left no configuration
        unfinished = group[group["status"] != FINISHED]
        reasons = Counter(_reason(*row) for row in unfinished[["status", "error"]].to_numpy())
        for reason, number in reasons.items():
            said = f"{number} of {len(group)}{'' if name else ' runs'} {reason}"
            lines.append(f"{name}: {said}" if name else said)
    return lines


def _reason(status: str, error: object) -> str:
    """What became of a run, in a few words."""
    text = "" if error is None or error != error else str(error)
    if status != FAILED:
        return status
    if "diverged" in text:
        return "diverged; lower alpha"
    return f"failed: {printable(text)}" if text else FAILED
