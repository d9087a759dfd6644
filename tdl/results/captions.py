"""The text under a figure of runs: what was held fixed, how many games and seeds, and how intervals were made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from tdl.results.comparison import plain
from tdl.results.plots import failed_in, failed_word
from tdl.storage.run_folder import FAILED, FINISHED
from tdl.storage.titles import title, value_text

USUAL = {"tiles": "p90_10", "placer": "random", "gamma": 1.0, "engine": "bits", "threads": 1, "replicas": 1,
         "round": "auto", "alpha_per": "total", "learner.td_lambda": 0.0, "learner.start": "empty",
         "learner.schedule": None}  # fmt: skip
"""Keys that are said only where they have another value."""

NETWORK = ("tuples", "learner", "alpha")
"""Keys of an n-tuple network; deep Q-learners have an agent instead."""


def held_fixed(table: pd.DataFrame, but: Sequence[str] = ()) -> str:
    """What all runs have in common: game, board, network, learner.

    >>> held_fixed(pd.DataFrame({"game": ["2048"] * 2, "size": ["4x4"] * 2, "alpha": [0.1, 0.3]}), ["alpha"])
    '2048 on 4x4'
    >>> held_fixed(pd.DataFrame({"learner": ["tc"], "learner.td_lambda": [0.5], "learner.schedule": [None]}))
    'learner tc, learner.td_lambda 0.5'
    """
    fixed = {key: plain(table[key].iloc[0]) for key in table if key not in but and table[key].map(str).nunique() == 1}
    words = [value_text("game", fixed["game"])] if "game" in fixed else []
    if "size" in fixed:
        words = [" on ".join([*words, str(fixed["size"])])]
    if fixed.get("agent", "ntuple") == "ntuple":
        words += [f"{key} {value_text(key, fixed[key])}" for key in NETWORK if key in fixed]
    else:
        words.append(str(fixed["agent"]))
    words += [
        f"{key} {value_text(key, fixed[key])}" for key, value in USUAL.items() if key in fixed and fixed[key] != value
    ]
    return ", ".join(words)


def games_of(table: pd.DataFrame) -> str:
    """How many games each run has, to learn and after it.

    >>> games_of(pd.DataFrame({"episodes": [3000], "evaluate.episodes": [200], "eval_mean": [9.0]}))
    '3,000 episodes of training and 200 games after it in each run'
    >>> games_of(pd.DataFrame({"budget.moves": [2e8], "evaluate.episodes": [200], "eval_mean": [9.0]}))
    '200,000,000 moves of training and 200 games after it in each run'
    """
    done = table[table["status"] == FINISHED] if "status" in table else table
    budgets = [name for name in ("budget.moves", "budget.seconds") if name in done and done[name].nunique() == 1]
    words = [f"{done[name].iloc[0]:,.10g} {name.partition('.')[2]} of training" for name in budgets]
    if not budgets and "episodes" in done and done["episodes"].notna().any():
        words.append(f"{_numbers(done['episodes'])} episodes of training")
    after = (
        done["evaluate.episodes"] if "evaluate.episodes" in done and "eval_mean" in done else pd.Series(dtype=float)
    )
    if after.gt(0).any() and done["eval_mean"].notna().any():
        words.append(f"{_numbers(after)} games after it")
    return " and ".join(words) + " in each run" if words else ""


def seeds_of(table: pd.DataFrame, keys: Sequence[str]) -> str:
    """The number of runs that a setting's mean is of."""
    counts = table.groupby(list(keys), dropna=False, observed=True).size() if keys else pd.Series([len(table)])
    if counts.max() == 1:
        return "one run each, so no intervals over seeds"
    return f"n = {_numbers(counts)} seeds"


def failures_of(table: pd.DataFrame) -> str:
    """What the crosses are, and which runs are not drawn."""
    failed = failed_in(table)
    words = []
    if len(failed):
        words.append(f"Crosses: {len(failed)} of {len(table)} runs {failed_word(failed)}; they are in no mean.")
    if "status" in table:
        refused = (table["status"] == FAILED).sum() - len(failed)
        if refused:
            words.append(f"{refused} more failed before {'its' if refused == 1 else 'their'} first game.")
        cut = table.loc[~table["status"].isin([FAILED, FINISHED]), "status"].value_counts()
        words += [f"{number} {status}: curve only." for status, number in cut.items()]
    return " ".join(words)


def goes_with(table: pd.DataFrame, followers: Mapping[str, str]) -> str:
    """Keys that follow from another one and have no place of their own, as the learners' own step sizes."""
    texts = []
    for key, group in followers.items():
        pairs = table[[group, key]].drop_duplicates()
        values = "; ".join(title({group: a, key: b}) for a, b in pairs.itertuples(index=False, name=None))
        texts.append(f"{key} goes with {group} ({values}).")
    return " ".join(texts)


def _numbers(column: pd.Series) -> str:
    """A number, or the range of several."""
    least, most = column.min(), column.max()
    return f"{least:,.0f}" if least == most else f"{least:,.0f} to {most:,.0f}"
