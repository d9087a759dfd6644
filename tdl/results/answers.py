"""What a sweep found: its best setting and what failed in sentences, its settings as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from tdl.errors import has_diverged, printable
from tdl.results.comparison import against_best, settings_in
from tdl.results.design import factors, hashable, stops
from tdl.results.frames import REACH, SCORE, STOPPED, check_table, reach_columns
from tdl.results.labels import label
from tdl.statistics.intervals import interval_text, p_text
from tdl.storage.run_folder import FAILED, FINISHED, PAUSED
from tdl.storage.titles import title, value_text

MORE_SEEDS = "seed='range(0,5)'"

MAX_TILES = 4  # the most reach rates of a table, those of the largest tiles
SPEED = "moves_per_second"


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
    keys, ranked = _ranking(table, by, score)
    if not ranked:
        return ""
    best, *others = ranked
    several = best["runs"] > 1
    mean = f"{_interval(best, 'mean', 'low', 'high')}, {best['runs']:,} {what}{'s' * several}"
    if not others:
        return f"Mean {mean}{'' if several else f'; {MORE_SEEDS} would give an interval'}."
    if hashable(others[0].get(STOPPED)) is not None:
        return f"Best: {_title(best, keys)}, {mean}. The race stopped all others."
    gap, p = _interval(others[0], "difference", "difference_low", "difference_high"), p_text(others[0]["p"])
    if not gap:
        verdict = "has nothing in common with it to compare"
    elif not p:
        verdict = f"is {gap} lower; one seed each cannot show a difference, {MORE_SEEDS} can"
    else:
        verdict = f"is {gap} lower, {'a clear' if others[0]['differs'] else 'no clear'} difference ({p})"
    return f"Best: {_title(best, keys)}, {mean}. The next, {_title(others[0], keys)}, {verdict}."


def of_race(settings: pd.DataFrame) -> list[str]:
    """What may be concluded after a race and what not, of the rows of `against_best`; nothing where none stopped.

    >>> of_race(pd.DataFrame({"alpha": [0.5, 0.1], "stopped": [None, "after 2 seeds: diverged"]}))[0]
    'In at most 5% of races the best setting is among those that stopped.'
    """
    if not stops(settings).any():
        return []
    early = settings[STOPPED].astype(str).str.contains("of the budget").any()
    return [
        "In at most 5% of races the best setting is among those that stopped"
        + (", unless it would have caught up after a rung." if early else "."),
        "Their order is not known, and their means are too low: they stopped for low scores.",
        "The best mean is too high, as it was picked; its score on further seeds is not.",
    ]


def finding(table: pd.DataFrame, by: Sequence[str] | None = None, score: str = SCORE) -> str:
    """The title of a figure: the setting that clearly scores most, or the question where none does.

    >>> table = pd.DataFrame({"alpha": [0.1, 0.1, 0.5, 0.5], "seed": [0, 1, 0, 1], "eval_mean": [10, 12, 30, 32]})
    >>> finding(table), finding(table[table["seed"] == 0])
    ('alpha 0.5 scores most: 31 [18, 44]', 'Which step size alpha?')
    """
    keys, ranked = _ranking(table, by, score)
    if ranked and not keys:
        return f"Mean score {_interval(ranked[0], 'mean', 'low', 'high')}"
    if len(ranked) > 1 and ranked[1]["differs"]:
        return f"{_title(ranked[0], keys)} scores most: {_interval(ranked[0], 'mean', 'low', 'high')}"
    return f"Which {' and '.join(map(label, keys))}?" if keys else "What does it learn?"


def _ranking(table: pd.DataFrame, by: Sequence[str] | None, score: str) -> tuple[list[str], list[Any]]:
    """The keys and the rows of `against_best`, none where no run has a score."""
    check_table(table)
    keys = list(factors(table) if by is None else by)
    scored = score in table and table[score].notna().any()
    return keys, against_best(table, keys, score).to_dict("records") if scored else []


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
    for values, group in table.groupby(keys, dropna=False, sort=True) if keys else [((), table)]:
        configured = any(hashable(value) is not None for value in values)  # some job left no configuration
        name = title(dict(zip(keys, values, strict=True))) if configured else ""
        unfinished = group[group["status"] != FINISHED]
        rows = unfinished.reindex(columns=["status", "error", "episodes", STOPPED])
        reasons = Counter(_reason(*row) for row in rows.itertuples(index=False))
        for reason, number in reasons.items():
            count = f"{number} of {len(group)}"
            lines.append(f"{name}: {count} {reason}" if name else f"{count} runs {reason}")
    return lines


def _reason(status: str, error: object, episodes: float, stopped: object) -> str:
    """What became of a run, in a few words."""
    if status == PAUSED:
        why = "" if hashable(stopped) is None else f"; stopped {stopped}"
        return f"{status} after {episodes:,.0f} games{why}"
    text = "" if hashable(error) is None else str(error)
    if status != FAILED:
        return status
    if has_diverged(text):
        return "diverged; lower alpha"
    return f"failed: {printable(text)}" if text else FAILED


def in_words(settings: pd.DataFrame, keys: Sequence[str], runs: pd.DataFrame) -> pd.DataFrame:
    """The rows of `against_best` by the keys as text, empty where nothing is known; reach rates and speed of the runs.

    The columns are the keys, `runs`, `mean score`, `below the best`, `differs`, `stopped` by a race, tiles by their
    values, `moves/s`.
    """
    shared, by = [*reach_columns(runs)[-MAX_TILES:], SPEED], [*keys, "all"]
    shares = runs.reindex(columns=[*keys, *shared]).assign(all=0).groupby(by, dropna=False)[shared].mean()
    rows = settings.assign(all=0).merge(shares.reset_index(), how="left", on=by)
    words = {key: [value_text(key, value) for value in settings[key]] for key in keys} | {
        "runs": rows["runs"].fillna(0).map("{:.0f}".format),
        "mean score": interval_words(rows, "mean", "low", "high"),
        "below the best": interval_words(rows, "difference", "difference_low", "difference_high"),
        "differs": [f"{'yes' if p < 0.05 else 'no'}, {p_text(p)}" if pd.notna(p) else "" for p in rows["p"]],
        STOPPED: [hashable(why) or "" for why in rows.get(STOPPED, [None] * len(rows))],
    }
    return pd.DataFrame(words | reach_words(rows) | {"moves/s": number_words(rows[SPEED])})


def reach_words(rows: pd.DataFrame) -> dict[str, list[str]]:
    """The shares of games that reached the largest tiles, by the values of these."""
    names = reach_columns(rows)[-MAX_TILES:]
    return {name.removeprefix(REACH): number_words(rows[name], ".1%") for name in names}


def interval_words(rows: pd.DataFrame, *names: str) -> list[str]:
    """Means with their intervals, of the columns with mean, low and high."""
    return [interval_text(*row) for row in rows[[*names]].to_numpy(float)]


def number_words(column: pd.Series, form: str = ",.0f") -> list[str]:
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
    check_table(table)
    if score not in table or table[score].isna().all():
        return ""
    keys = list(factors(table) if by is None else by)
    rows = settings_in(table, keys, score)
    cells = {label(key): [value_text(key, value) for value in rows[key]] for key in keys}
    cells |= {label("runs"): rows["runs"].map(str).tolist(), label(score): number_words(rows["mean"])}
    if rows["low"].notna().any():
        bounds = zip(number_words(rows["low"]), number_words(rows["high"]), strict=True)
        cells["95% interval"] = [" to ".join(filter(None, pair)) for pair in bounds]
    columns = "l" * len(keys) + "r" * (len(cells) - len(keys))
    return pd.DataFrame(cells).to_latex(index=False, escape=True, column_format=columns)
