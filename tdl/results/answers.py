"""What a sweep found, in words: its best setting, and what failed."""

import math
from collections import Counter
from collections.abc import Sequence

import pandas as pd

from tdl.results.comparison import SCORE, against_best, factors, setting_text
from tdl.statistics.intervals import interval_text
from tdl.storage.run_folder import FAILED, FINISHED

MORE_SEEDS = "seed='range(0,5)'"


def sentence(table: pd.DataFrame, by: Sequence[str] | None = None, score: str = SCORE) -> str:
    """The best setting of a table of runs, and whether the next differs from it; nothing where no run has a score.

    >>> table = pd.DataFrame({"alpha": [0.1, 0.1, 0.5, 0.5], "seed": [0, 1, 0, 1], "eval_mean": [10, 12, 30, 32]})
    >>> sentence(table)
    'Best: alpha 0.5, 31 [18, 44], 2 runs. The next, alpha 0.1, is 20 [14, 26] lower, more than chance explains.'
    """
    keys = list(factors(table) if by is None else by)
    if score not in table or table[score].isna().all():
        return ""
    settings = against_best(table, keys, score)
    name = setting_text(settings.loc[0, keys].to_dict())
    mean = interval_text(*settings.loc[0, ["mean", "low", "high"]])
    number = int(settings.loc[0, "runs"])
    runs = f"{number} runs" if number > 1 else "1 run"
    if len(settings) == 1:
        return f"Mean {mean}, {runs}{'' if number > 1 else f'; {MORE_SEEDS} would give an interval'}."
    best = f"Best: {name}, {mean}, {runs}."
    following = settings.loc[1]
    other = setting_text(following[keys].to_dict())
    if math.isnan(following["difference"]):
        return f"{best} The next, {other}, has nothing in common with it to compare."
    gap = interval_text(*following[["difference", "difference_low", "difference_high"]])
    if math.isnan(following["difference_low"]):
        return (
            f"{best} The next, {other}, is {gap} lower; one seed each cannot tell chance from gain, {MORE_SEEDS} can."
        )
    if following["differs"]:
        return f"{best} The next, {other}, is {gap} lower, more than chance explains."
    return f"{best} The next, {other}, is {gap} lower: these runs do not tell them apart."


def failures(table: pd.DataFrame) -> list[str]:
    """Settings with runs that are not finished, by what became of them: "td, alpha 1: 3 of 3 diverged; lower alpha".

    >>> failures(pd.DataFrame({"alpha": [1, 1], "seed": [0, 1], "status": "failed", "error": "learning diverged: a"}))
    ['2 of 2 runs diverged; lower alpha']
    """
    keys, lines = factors(table), []
    groups = table.groupby(keys, dropna=False, sort=True) if keys else [((), table)]
    for values, group in groups:
        name = setting_text(dict(zip(keys, values, strict=True)))
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
    return f"failed: {text}" if text else FAILED
