"""What runs are called in plots, tables and pages: labels of columns, titles of runs, captions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from tdl.errors import printable
from tdl.results.design import confounded_keys, factors, failed_in, hashable, placed, stops
from tdl.results.frames import EVALUATED, SCORE, check_table
from tdl.statistics.intervals import has_interval
from tdl.storage.run_folder import FAILED, FINISHED
from tdl.storage.titles import title, value_text

LABELS = {
    "alpha": "step size alpha",
    "eval_mean": "mean score",
    "evaluate.episodes": "games after training",
    "learner.alpha": "step size alpha",
    "learner.td_lambda": "lambda",
    "runs": "seeds",
    "size": "board",
    "tiles": "tile rule",
}

# Keys that title runs which differ in nothing but their seeds: those of the first list whose first key they have.
DEFAULT_KEYS = ((EVALUATED, "evaluate.plies"), ("learner", "tuples", "alpha"), ("agent",))

CAPTION_KEYS = {  # with their usual values, which a caption leaves out
    "agent": "ntuple", "tuples": None, "learner": None, "alpha": None, "tiles": "p90_10", "placer": "random",
    "gamma": 1.0, "threads": 1, "replicas": 1, "round": "auto", "alpha_per": "total", "learner.td_lambda": 0.0,
    "learner.start": "empty", "learner.schedule": None, "episodes": None, "budget.moves": None,
    "budget.seconds": None, "evaluate.episodes": 0,
}  # fmt: skip


def label(key: str) -> str:
    """A column in words; one without words of its own by the last part of its key.

    >>> label("alpha"), label("learner.reward_shift")
    ('step size alpha', 'reward shift')
    """
    return LABELS.get(key, key.rpartition(".")[2].replace("_", " "))


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
    check_table(table)
    index, table = table.index, table.reset_index(drop=True)
    texts = pd.Series("", table.index, dtype=object)
    configured = table[table.reindex(columns=["seed"])["seed"].notna()]  # of a job that could not begin there is none
    for _, part in configured.groupby(configured.reindex(columns=[EVALUATED])[EVALUATED].notna()):
        default = next((keys for keys in DEFAULT_KEYS if part.reindex(columns=keys[:1]).notna().any(axis=None)), ())
        keys = factors(part) or [key for key in default if key in part and part[key].notna().any()]
        rows = part[[*keys, "seed"]].astype(object).to_dict("records")
        shown = [{str(key): value for key, value in row.items() if hashable(value) is not None} for row in rows]
        texts.update(pd.Series([title(values, table.columns) for values in shown], part.index))
    folders = table.get("run", table.index.to_series()).map(lambda run: printable(str(run)))
    for names in (folders.map(lambda folder: Path(folder).name), folders):
        unclear = (texts == "") | texts.duplicated(keep=False)
        texts[unclear] = (texts[unclear] + ", " + names[unclear]).str.removeprefix(", ")
    return texts.set_axis(index)


def caption_of(table: pd.DataFrame, runs: pd.DataFrame, keys: Sequence[str], *, curves: bool) -> str:
    """The caption of scores and curves: what was held fixed, how many seeds, how intervals were made, what failed.

    `table` has all runs, `runs` those that are shown, with scores where there are such; these differ in the `keys`.
    """
    scores = placed(runs[runs[SCORE].notna()] if runs[SCORE].notna().any() else runs, keys)
    seeds, stopped = scores.groupby("setting", observed=True)[SCORE], stops(scores)
    several = seeds.size().max() > 1
    certain = scores[~stopped].groupby("setting", observed=True)[SCORE].agg(has_interval).astype(bool)
    counts = " to ".join(map(str, sorted({seeds.size().min(), seeds.size().max()})))
    fixed = ", ".join(filter(None, (held_fixed(scores, keys), f"{counts} {'seed' if counts == '1' else 'seeds'}")))
    words = [f"{fixed[0].upper()}{fixed[1:]}."]
    if certain.any():
        points = "Points and curves" if curves else "Points"
        words.append(f"{points} are means over seeds with 95% intervals (Student's t), faint dots single runs.")
    if several and not certain.all():
        dots = "Full dots and thin lines" if curves else "Full dots"
        words.append(f"{dots} are single runs: of fewer than three seeds, or in two clear groups.")
    if stopped.any():
        lines = " and thin lines" if curves else ""
        words.append(f"Triangles{lines} are runs of settings that a race stopped: their means are too low.")
    for key, leader in confounded_keys(runs).items():
        pairs: list[Any] = runs[[leader, key]].drop_duplicates().to_dict("records")
        words.append(f"{label(key).capitalize()} goes with {label(leader)} ({'; '.join(map(title, pairs))}).")
    return " ".join([*words, *_failures(table)])


def held_fixed(table: pd.DataFrame, but: Sequence[str] = ()) -> str:
    """What runs have in common: game, board, network, learner, budget.

    >>> held_fixed(pd.DataFrame({"game": ["2048"] * 2, "size": ["4x4"] * 2, "alpha": [0.1, 0.3]}), ["alpha"])
    '2048 on 4x4'
    >>> held_fixed(pd.DataFrame({"learner": ["tc"], "learner.td_lambda": [0.5], "episodes": [3000]}))
    'learner tc, lambda 0.5, episodes 3,000'
    """
    keys = [key for key in ("game", "size", *CAPTION_KEYS) if key in table and key not in but]
    values = {key: {*map(hashable, table[key])} for key in keys}
    fixed = {key: value for key, (value, *others) in values.items() if not others}
    board = " on ".join(value_text(key, fixed.pop(key)) for key in ("game", "size") if key in fixed)
    words = [f"{label(key)} {f'{value:,.12g}' if pd.api.types.is_number(value) else value_text(key, value)}"
             for key, usual in CAPTION_KEYS.items() if (value := fixed.get(key)) not in (None, usual)]  # fmt: skip
    return ", ".join(filter(None, [board, *words]))


def _failures(table: pd.DataFrame) -> list[str]:
    """What the crosses are, and which runs are not drawn."""
    failed, words = failed_in(table), []
    if len(failed):
        word = "diverged" if failed["error"].map(str).str.contains("diverged").all() else FAILED
        words.append(f"Crosses: {len(failed)} of {len(table)} runs {word} and are in no mean.")
    if refused := (table["status"] == FAILED).sum() - len(failed):
        words.append(f"{refused} more failed before {'its' if refused == 1 else 'their'} first game.")
    cut = table.loc[~table["status"].isin([FAILED, FINISHED]), "status"].value_counts()
    return [*words, *(f"{number} {status}: curve only." for status, number in cut.items())]
