"""The design of an experiment on paper: which runs a figure shows, which key has the axis, which the colours."""

from __future__ import annotations

import textwrap
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from tdl.results.comparison import SCORE, factors, follows, hashable
from tdl.results.frames import last_blocks
from tdl.results.palette import colours
from tdl.storage.run_folder import FAILED, FINISHED
from tdl.storage.titles import NAMELESS, value_text

STEP_SIZES = ("alpha", "learner.alpha", "agent.learning_rate")
"""Keys whose values are steps: their axis is always logarithmic."""

LOG_FROM = 4
"""Other positive numbers have a logarithmic axis where the largest is at least this many times the least."""

CLOSEST = 0.05
"""Numbers nearer to each other than this share of their axis are put at equal distances: their names would overlap."""

WRAPPED = 26
"""The most letters in a line of the name of a value."""

PLAYERS = ("learner", "agent")
"""Keys that have the colours wherever they can."""

BUDGETS = {"budget.moves": "moves", "budget.seconds": "seconds"}
"""Keys that limit runs in place of their episodes, and the columns of blocks that then go on."""


def with_scores(table: pd.DataFrame, blocks: pd.DataFrame) -> pd.DataFrame:
    """The runs that played, with the scores of those that finished: of the last block where there are no others."""
    after = SCORE in table and table[SCORE].notna().any()
    scores = (table[SCORE] if after else last_blocks(table, blocks)).where(table["status"] == FINISHED)
    begun = scores.notna() | table.index.isin(failed_in(table).index)
    begun |= table["run"].isin(blocks["run"] if len(blocks) else [])
    return table.assign(**{SCORE: scores.astype(float)})[begun].reset_index(drop=True)


def failed_in(table: pd.DataFrame) -> pd.DataFrame:
    """The runs that began and failed, as those that diverged."""
    if "episodes" not in table or "status" not in table:
        return table[:0]
    return table[(table["status"] == FAILED) & table["episodes"].notna()]


def with_progress(blocks: pd.DataFrame, along: str | None = None) -> tuple[pd.DataFrame, str]:
    """Blocks of `tdl.results.load` with what was played until their end as `at`; and what that counts.

    These are the episodes, moves or seconds, whichever ends the runs, or `along`; blocks may have `at`.
    """
    limits = (name for key, name in BUDGETS.items() if key in blocks and blocks[key].notna().all())
    along = along or next(limits, "episodes")
    if "at" not in blocks:
        at = blocks["episode"] if along == "episodes" else blocks.groupby("run")[along].cumsum()
        blocks = blocks.assign(at=at)
    return blocks, along


def ordered(table: pd.DataFrame, keys: Sequence[str]) -> list[str]:
    """The keys by their places in a figure: that of the axis, that of the colours, then the others.

    A step size is best on an axis, then a number; learners and agents have the colours.
    """

    def place(key: str) -> tuple[Any, ...]:
        return key not in STEP_SIZES, not is_number(table[key]), key in PLAYERS, -table[key].nunique()

    by_place = sorted(keys, key=place)
    return [*by_place[:1], *sorted(by_place[1:], key=lambda key: key not in PLAYERS)]


def swept(table: pd.DataFrame) -> list[str]:
    """The factors of runs, `ordered`, without `followers`."""
    left_out = followers(table)
    return ordered(table, [key for key in factors(table) if key not in left_out])


def followers(table: pd.DataFrame) -> dict[str, str]:
    """Factors that follow from the choice of a group, with that, as each learner's own alpha from the learner."""
    keys = factors(table)
    groups = [key for key in keys if key in NAMELESS]
    return {key: group for key in keys if key not in groups for group in groups if follows(table, key, group)}


def is_number(column: pd.Series) -> bool:
    """Whether all values are numbers, as an axis of numbers needs them."""
    kind = pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)
    return bool(kind and len(column) and column.notna().all())


def scale_of(key: str, column: pd.Series) -> str:
    """How the values of a key stand on an axis: `log` or `linear`, or as `names` at equal distances."""
    if not is_number(column):
        return "names"
    log = column.min() > 0 and (key in STEP_SIZES or column.max() >= LOG_FROM * column.min())
    places = np.unique(np.log(column.to_numpy(float)) if log else column.to_numpy(float))
    if len(places) > 1 and np.diff(places).min() < CLOSEST * np.ptp(places):
        return "names"
    return "log" if log else "linear"


def is_upright(table: pd.DataFrame, keys: Sequence[str]) -> bool:
    """Whether scores are on the vertical axis, as they are against numbers; names need the room of a line each."""
    return not keys or is_number(table[keys[0]])


def words_of(column: pd.Series) -> dict[Hashable, str]:
    """The values of a key in their order, of categories in theirs, None last, for nan too; each with its text."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        values = column.cat.remove_unused_categories().cat.categories.tolist()
    else:
        known = column.dropna().unique().tolist()
        values = sorted(known, key=None if all(isinstance(value, int | float) for value in known) else str)
    values += [None] * bool(column.isna().any())
    return {value: textwrap.fill(value_text(str(column.name), value), WRAPPED) for value in values}


def setting_of(table: pd.DataFrame, keys: Sequence[str]) -> pd.Series:
    """The setting of each run: the values of the keys as one text; categories in the order of the values."""
    words = pd.DataFrame({key: _in_words(table[key]) for key in keys}, table.index)
    texts = words.astype(str).agg(", ".join, axis=1) if keys else pd.Series("", table.index)
    order = words.sort_values([*keys], kind="stable").index if keys else table.index
    return pd.Series(pd.Categorical(texts, texts[order].unique()), table.index)


def _in_words(column: pd.Series) -> pd.Series:
    """The values of a key as text, categories in their order."""
    names = words_of(column)
    return pd.Series(pd.Categorical([names[hashable(value)] for value in column], list(names.values()), ordered=True),
                     column.index)  # fmt: skip


def placed(table: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """The rows with `setting`, the values of all keys, `colour`, those that have it, and `place`, that on the axis.

    The first key has the axis, the others the colours; alone it has both. Numbers are placed as such.
    """
    table = table.reset_index(drop=True)
    place = setting_of(table, keys[:1])
    if is_upright(table, keys) and keys:
        named = scale_of(keys[0], table[keys[0]]) == "names"
        place = (place.cat.codes if named else table[keys[0]]).astype(float)
    return table.assign(setting=setting_of(table, keys), colour=setting_of(table, keys[1:] or keys), place=place)


def palette_of(table: pd.DataFrame, keys: Sequence[str]) -> dict[str, str]:
    """The colour of each setting of the keys, by its name as of `setting_of`."""
    names = [str(name) for name in setting_of(table, keys).cat.categories]
    if len(keys) != 1:
        return dict(zip(names, colours(names).values(), strict=True))
    of_values = colours([*words_of(table[keys[0]])], numbers=is_number(table[keys[0]]))
    return dict(zip(names, of_values.values(), strict=True))
