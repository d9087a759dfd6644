"""What a sweep found, in words: its best setting, and what failed."""

from collections import Counter
from collections.abc import Mapping, Sequence
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
    keys, (first, *others) = _ranking(table, by, score)
    if first is None:
        return ""
    runs = f"{first['runs']:,} {what}{'s' if first['runs'] > 1 else ''}"
    mean = f"{_interval(first, 'mean', 'low', 'high')}, {runs}"
    if not others:
        return f"Mean {mean}{'' if first['runs'] > 1 else f'; {MORE_SEEDS} would give an interval'}."
    gap, p = _interval(others[0], "difference", "difference_low", "difference_high"), p_text(others[0]["p"])
    if not gap:
        verdict = "has nothing in common with it to compare"
    elif not p:
        verdict = f"is {gap} lower; one seed each cannot show a difference, {MORE_SEEDS} can"
    else:
        verdict = f"is {gap} lower, {'a clear' if others[0]['differs'] else 'no clear'} difference ({p})"
    return f"Best: {_title(first, keys)}, {mean}. The next, {_title(others[0], keys)}, {verdict}."


def finding(table: pd.DataFrame, by: Sequence[str] | None = None, score: str = SCORE) -> str:
    """The title of a figure: the setting that clearly scores most, or the question where none does.

    >>> table = pd.DataFrame({"alpha": [0.1, 0.1, 0.5, 0.5], "seed": [0, 1, 0, 1], "eval_mean": [10, 12, 30, 32]})
    >>> finding(table), finding(table[table["seed"] == 0])
    ('alpha 0.5 scores most: 31 [18, 44]', 'Which step size alpha?')
    """
    keys, (first, *others) = _ranking(table, by, score)
    if first is not None and not keys:
        return f"Mean score {_interval(first, 'mean', 'low', 'high')}"
    if first is not None and others and others[0]["differs"]:
        return f"{_title(first, keys)} scores most: {_interval(first, 'mean', 'low', 'high')}"
    return f"Which {' and '.join(map(label, keys))}?" if keys else "What does it learn?"


def _ranking(table: pd.DataFrame, by: Sequence[str] | None, score: str) -> tuple[list[str], list[Any]]:
    """The keys and the rows of `against_best`; in place of these None where no run has a score."""
    keys = list(factors(table) if by is None else by)
    scored = score in table and table[score].notna().any()
    return keys, against_best(table, keys, score).to_dict("records") if scored else [None]


def _interval(row: Mapping[str, Any], *names: str) -> str:
    return interval_text(*(float(row[name]) for name in names))


def _title(row: Mapping[str, Any], keys: Sequence[str]) -> str:
    return title({key: row[key] for key in keys})


def failures(table: pd.DataFrame) -> list[str]:
    """Settings with runs that are not finished, by what became of them: "td, alpha 1: 3 of 3 diverged; lower alpha".

    >>> failures(pd.DataFrame({"alpha": [1, 1], "seed": [0, 1], "status": "failed", "error": "learning diverged: a"}))
    ['2 of 2 runs diverged; lower alpha']
    """
    keys, lines = factors(table), []
    groups = table.groupby(keys, dropna=False, sort=True) if keys else [((), table)]
    for values, group in groups:
        known = any(value is not None and value == value for value in values)  # some job left no configuration
        name = title(dict(zip(keys, values, strict=True))) if known else ""
        unfinished = group[group["status"] != FINISHED]
        reasons = Counter(_reason(*row) for row in unfinished[["status", "error"]].to_numpy())
        for reason, number in reasons.items():
            count = f"{number} of {len(group)}"
            lines.append(f"{name}: {count} {reason}" if name else f"{count} runs {reason}")
    return lines


def _reason(status: str, error: object) -> str:
    """What became of a run, in a few words."""
    text = "" if error is None or error != error else str(error)
    if status != FAILED:
        return status
    if "diverged" in text:
        return "diverged; lower alpha"
    return f"failed: {printable(text)}" if text else FAILED
