"""The design of an experiment: what its runs differ in, which key has the axis of a plot, which the colours."""

from __future__ import annotations

import textwrap
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from tdl.results.frames import ENDING, EVALUATED, SCORE, STOPPED, check_table, last_blocks
from tdl.storage.run_folder import FAILED, FINISHED
from tdl.storage.titles import NAMELESS, value_text

NO_FACTORS = {"run", "seed", "resume", "logger", STOPPED, *ENDING}  # columns that are no factor of an experiment
STEP_SIZES = ("alpha", "learner.alpha", "agent.learning_rate")  # whose axis is always logarithmic
LOG_FROM = 4  # other positive numbers have a logarithmic axis where the largest is at least this many times the least
CLOSEST = 0.05  # numbers nearer than this share of their axis are put at equal distances: their names would overlap
WRAPPED = 26  # the most letters in a line of the name of a value
PLAYERS = ("learner", "agent")  # keys that have the colours wherever they can
BUDGETS = {"budget.moves": "moves", "budget.seconds": "seconds"}  # what may limit runs; columns of blocks that go on


def differing(table: pd.DataFrame) -> list[str]:
    """The columns of `runs` or `load` in which its runs differ.

    A key that follows from the name of its group, as `tuples.cells` from `tuples`, is left out. A metric that a failed
    run lacks is no difference, nor is what evaluations of networks have and runs that train have not.

    >>> differing(pd.DataFrame({"alpha": [0.1, 0.5], "gamma": [1.0, 1.0], "seed": [0, 0]}))
    ['alpha']
    """
    check_table(table)
    evaluates = table[EVALUATED].notna() if EVALUATED in table else pd.Series(False, table.index)
    names = {name for _, part in table.groupby(evaluates) for name in _differing(part)}
    return [name for name in table.columns if name in names]


def _differing(table: pd.DataFrame) -> list[str]:
    """The same for runs of one kind, in sets of text: pandas would take tens of milliseconds for 150 columns."""
    texts = {str(name): _texts(table[name]) for name in table.columns}
    failed = table["status"] == FAILED if "status" in table else [False] * len(table)

    def differs(values: Sequence[str | None]) -> bool:
        played = {value for value, lost in zip(values, failed, strict=True) if not lost}
        return len(played) > 1 or len({*values} - {None}) > 1

    def follows_group(name: str) -> bool:
        group, _, key = name.partition(".")
        return bool(key) and group in texts and _follows(texts[name], texts[group])

    return [name for name, values in texts.items() if differs(values) and not follows_group(name)]


def _texts(column: pd.Series) -> list[str | None]:
    return [None if value is None or value != value else str(value) for value in column]


def _follows(values: Sequence[str | None], leaders: Sequence[str | None]) -> bool:
    """Whether there is one value for each leader, as a step size that goes with its learner."""
    return len({*zip(leaders, values, strict=True)}) == len({*leaders})


def factors(table: pd.DataFrame) -> list[str]:
    """The configuration keys among `differing`, without `seed`: the factors of a sweep.

    >>> factors(pd.DataFrame({"alpha": [0.1, 0.5], "seed": [0, 1], "moves": [9, 8], "eval_mean": [70.5, 80.0]}))
    ['alpha']
    """
    return [name for name in differing(table) if name not in NO_FACTORS and not name.startswith("eval_")]


def confounded_keys(table: pd.DataFrame) -> dict[str, str]:
    """Factors that follow from the choice of a group, with that, as each learner's own alpha from the learner.

    >>> confounded_keys(pd.DataFrame({"learner": ["td", "tc"], "alpha": [0.1, 1.0]}))
    {'alpha': 'learner'}
    """
    keys = factors(table)
    texts = {key: _texts(table[key]) for key in keys}
    groups = [key for key in keys if key in NAMELESS]
    return {key: group for key in keys if key not in groups for group in groups if _follows(texts[key], texts[group])}


def sweep_keys(table: pd.DataFrame) -> list[str]:
    """The factors of runs, `ordered`, without `confounded_keys`."""
    left_out = confounded_keys(table)
    return ordered(table, [key for key in factors(table) if key not in left_out])


def hashable(value: Any) -> Hashable:
    """A value of a table, with None for nan, which is not equal to itself."""
    return None if value is None or value != value else value


def with_scores(table: pd.DataFrame, blocks: pd.DataFrame) -> pd.DataFrame:
    """The runs that played, with the scores of those that finished: of the last block where there are no others."""
    after = SCORE in table and table[SCORE].notna().any()
    scores = (table[SCORE] if after else last_blocks(table, blocks)).where(table["status"] == FINISHED)
    began = scores.notna() | table.index.isin(failed_in(table).index)
    began |= table["run"].isin(blocks["run"] if len(blocks) else [])
    return table.assign(**{SCORE: scores.astype(float)})[began].reset_index(drop=True)


def failed_in(table: pd.DataFrame) -> pd.DataFrame:
    """The runs that began and failed, as those that diverged."""
    if "episodes" not in table or "status" not in table:
        return table[:0]
    return table[(table["status"] == FAILED) & table["episodes"].notna()]


def stops(table: pd.DataFrame) -> pd.Series:
    """Whether each run is of a setting that a race stopped."""
    return table[STOPPED].notna() if STOPPED in table else pd.Series(False, table.index)


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
    """The keys by their places in a plot: that of the axis, that of the colours, then the others.

    A step size is best on an axis, then a number; learners and agents have the colours.
    """

    def place(key: str) -> tuple[Any, ...]:
        return key not in STEP_SIZES, not is_number(table[key]), key in PLAYERS, -table[key].nunique()

    by_place = sorted(keys, key=place)
    return [*by_place[:1], *sorted(by_place[1:], key=lambda key: key not in PLAYERS)]


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


def value_words(column: pd.Series) -> dict[Hashable, str]:
    """The values of a key in their order, of categories in theirs, None last, for nan too; each with its text."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        values = column.cat.remove_unused_categories().cat.categories.tolist()
    else:
        numbers = column.dropna().unique().tolist()
        values = sorted(numbers, key=None if all(isinstance(value, int | float) for value in numbers) else str)
    values += [None] * bool(column.isna().any())
    return {value: textwrap.fill(value_text(str(column.name), value), WRAPPED) for value in values}


def setting_of(table: pd.DataFrame, keys: Sequence[str]) -> pd.Series:
    """The setting of each run: the values of the keys as one text; categories in the order of the values."""
    if not keys:
        return pd.Series(pd.Categorical([""] * len(table)), table.index)
    words = pd.DataFrame(index=table.index)
    for key in keys:
        names = value_words(table[key])
        texts = [names[hashable(value)] for value in table[key]]
        words[key] = pd.Categorical(texts, [*names.values()], ordered=True)
    settings, order = words.astype(str).agg(", ".join, axis=1), words.sort_values([*keys], kind="stable").index
    return pd.Series(pd.Categorical(settings, settings[order].unique()), table.index)


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
