"""The text beside a figure of runs: what was held fixed, how many games and seeds, and how intervals were made."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from tdl.results.comparison import SCORE, hashable
from tdl.results.design import failed_in, followers, placed
from tdl.results.labels import label
from tdl.statistics.intervals import has_interval
from tdl.storage.run_folder import FAILED, FINISHED
from tdl.storage.titles import title, value_text

FIXED = {"agent": "ntuple", "tuples": None, "learner": None, "alpha": None, "tiles": "p90_10", "placer": "random",
         "gamma": 1.0, "threads": 1, "replicas": 1, "round": "auto", "alpha_per": "total", "learner.td_lambda": 0.0,
         "learner.start": "empty", "learner.schedule": None, "episodes": None, "budget.moves": None,
         "budget.seconds": None, "evaluate.episodes": 0}  # fmt: skip
"""Keys that are said, each but where it has the usual value."""


def caption_of(table: pd.DataFrame, runs: pd.DataFrame, keys: Sequence[str], *, curves: bool) -> str:
    """The caption of scores and curves, a sentence for each thing.

    Parameters
    ----------
    table, runs : all, and those that are shown, with scores where there are such; `keys` are what these differ in.
    curves : whether there are learning curves.
    """
    scores = placed(runs[runs[SCORE].notna()] if runs[SCORE].notna().any() else runs, keys)
    seeds = scores.groupby("setting", observed=True)[SCORE]
    several, certain = seeds.size().max() > 1, seeds.agg(has_interval).astype(bool)
    counts = " to ".join(map(str, sorted({seeds.size().min(), seeds.size().max()})))
    fixed = ", ".join(filter(None, (held_fixed(scores, keys), f"seeds {counts}")))
    words = [f"{fixed[0].upper()}{fixed[1:]}."]
    if certain.any():
        points = "Points and curves" if curves else "Points"
        words.append(f"{points} are means over seeds with 95% intervals (Student's t), faint dots single runs.")
    if several and not certain.all():
        dots = "Full dots and thin lines" if curves else "Full dots"
        words.append(f"{dots} are single runs: of fewer than three seeds, or in two clear groups.")
    for key, leader in followers(runs).items():
        pairs = runs[[leader, key]].drop_duplicates().itertuples(index=False, name=None)
        values = "; ".join(title({leader: a, key: b}) for a, b in pairs)
        words.append(f"{label(key).capitalize()} goes with {label(leader)} ({values}).")
    return " ".join([*words, *failures_of(table)])


def held_fixed(table: pd.DataFrame, but: Sequence[str] = ()) -> str:
    """What runs have in common: game, board, network, learner, budget.

    >>> held_fixed(pd.DataFrame({"game": ["2048"] * 2, "size": ["4x4"] * 2, "alpha": [0.1, 0.3]}), ["alpha"])
    '2048 on 4x4'
    >>> held_fixed(pd.DataFrame({"learner": ["tc"], "learner.td_lambda": [0.5], "episodes": [3000]}))
    'learner tc, lambda 0.5, episodes 3,000'
    """
    keys = [key for key in ("game", "size", *FIXED) if key in table and key not in but]
    values = {key: {*map(hashable, table[key])} for key in keys}
    fixed = {key: value for key, (value, *others) in values.items() if not others}
    board = " on ".join(value_text(key, fixed.pop(key)) for key in ("game", "size") if key in fixed)
    words = [f"{label(key)} {f'{value:,.12g}' if pd.api.types.is_number(value) else value_text(key, value)}"
             for key, usual in FIXED.items() if (value := fixed.get(key)) not in (None, usual)]  # fmt: skip
    return ", ".join(filter(None, [board, *words]))


def failures_of(table: pd.DataFrame) -> list[str]:
    """What the crosses are, and which runs are not drawn."""
    failed, words = failed_in(table), []
    if len(failed):
        word = "diverged" if failed["error"].map(str).str.contains("diverged").all() else FAILED
        words.append(f"Crosses: {len(failed)} of {len(table)} runs {word} and are in no mean.")
    if refused := (table["status"] == FAILED).sum() - len(failed):
        words.append(f"{refused} more failed before {'its' if refused == 1 else 'their'} first game.")
    cut = table.loc[~table["status"].isin([FAILED, FINISHED]), "status"].value_counts()
    return [*words, *(f"{number} {status}: curve only." for status, number in cut.items())]
