"""The design of an experiment on paper: which key has the axis, which the colours, which panels of their own."""

from __future__ import annotations

import textwrap
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tdl.results.comparison import factors, follows, plain
from tdl.results.palette import DASHES, MARKERS, colours
from tdl.storage.titles import NAMELESS, value_text

STEP_SIZES = ("alpha", "learner.alpha", "agent.learning_rate")
"""Keys whose values are steps: their axis is always logarithmic."""

LOG_FROM = 4
"""Other positive numbers have a logarithmic axis where the largest is at least this many times the least."""

CLOSEST = 0.05
"""Numbers nearer to each other than this share of their axis are put at equal distances: their names would overlap."""

WRAPPED = 22
"""The most letters in a line of a title, or of the name of a value."""

PLAYERS = ("learner", "agent")
"""Keys that have the colours wherever they can."""


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


def followers(table: pd.DataFrame, keys: Sequence[str] | None = None) -> dict[str, str]:
    """Factors that follow from another, with that one: from a group, as each learner's own alpha, or one to one."""
    keys = factors(table) if keys is None else keys
    groups, found = [key for key in keys if key in NAMELESS], {}
    others = [key for key in keys if key not in NAMELESS]
    for key in others:
        one_to_one = [name for name in others[: others.index(key)] if name not in found and follows(table, name, key)]
        leaders = [name for name in (*groups, *one_to_one) if follows(table, key, name)]
        if leaders:
            found[key] = leaders[0]
    return found


def is_number(column: pd.Series) -> bool:
    """Whether all values are numbers, as an axis of numbers needs them."""
    kind = pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)
    return bool(kind and len(column) and column.notna().all())


def values_of(column: pd.Series) -> list[Hashable]:
    """The values of a key in their order; None last, for nan too."""
    known = column.dropna().unique().tolist()
    numbers = all(isinstance(value, int | float) for value in known)
    values = sorted(known, key=None if numbers else str)
    return [*values, None] if column.isna().any() else values


def names_of(values: Sequence[Hashable]) -> list[str]:
    """Values as text; of paths the folder's name, where these differ."""
    texts = [value_text("game", value) for value in values]  # no other key has values that are names of games
    if texts and all("/" in text for text in texts):
        paths = [Path(text).parent if Path(text).name == "checkpoint" else Path(text) for text in texts]
        if len({path.name for path in paths}) == len(texts):
            return [path.name for path in paths]
    return texts


def setting_of(table: pd.DataFrame, keys: Sequence[str]) -> pd.Series:
    """The setting of each run: the values of the keys as one text; categories in the order of the values."""
    texts, order = pd.Series("", index=table.index, dtype=object), np.zeros((len(keys), len(table)), int)
    for row, key in enumerate(keys):
        values = values_of(table[key])
        names, at = dict(zip(values, names_of(values), strict=True)), {value: i for i, value in enumerate(values)}
        column = [plain(value) for value in table[key]]
        texts = texts + (", " if row else "") + [names[value] for value in column]
        order[row] = [at[value] for value in column]
    by_order = np.lexsort(order[::-1]) if len(keys) else np.arange(len(table))
    return pd.Series(pd.Categorical(texts, list(dict.fromkeys(texts.iloc[by_order]))), index=table.index)


@dataclass(frozen=True)
class Scale:
    """An axis with the values of one key: where they stand, and their names.

    Attributes
    ----------
    kind : `log` or `linear` with values at their place; `names` at equal distances, where order means nothing;
        `ranks` likewise, of numbers.
    values : those of the key, in order.
    """

    kind: str
    values: tuple[Hashable, ...]

    @classmethod
    def of(cls, key: str, column: pd.Series) -> Scale:
        """The scale that suits the values of a key."""
        values = tuple(values_of(column))
        if not is_number(column):
            return cls("names", values)
        numbers = np.array(values, float)
        positive = numbers.min() > 0
        log = positive and (key in STEP_SIZES or numbers[-1] >= LOG_FROM * numbers[0])
        places = np.log(numbers) if log else numbers
        if len(values) > 1 and np.diff(places).min() < CLOSEST * (places[-1] - places[0]):
            return cls("ranks", values)
        return cls("log" if log else "linear", values)

    @cached_property
    def places(self) -> NDArray[np.float64]:
        """The values on a straight line."""
        if self.kind == "log":
            return np.asarray(np.log(np.array(self.values, float)))
        return np.array(self.values, float) if self.kind == "linear" else np.arange(len(self.values), dtype=float)

    @property
    def labels(self) -> list[str]:
        """The names of the values, long ones on several lines."""
        return [textwrap.fill(name, WRAPPED) for name in names_of(self.values)]

    @property
    def gap(self) -> float:
        """The least distance of two values on that line."""
        return float(np.diff(self.places).min()) if len(self.values) > 1 else 1.0

    def at(self, value: Any, aside: float = 0.0) -> float:
        """Where a value stands, in data coordinates, `aside` by a share of the least distance."""
        place = float(self.places[self.values.index(plain(value))])
        if self.kind == "log":
            return float(value * np.exp(aside * self.gap))
        return place + aside * self.gap

    def set_on(self, axes: Any) -> None:
        """Ticks exactly at the values."""
        if self.kind == "log":
            axes.set_xscale("log")
        axes.set_xticks([self.at(value) for value in self.values], self.labels)
        axes.minorticks_off()
        low, high = self.places[0] - 0.6 * self.gap, self.places[-1] + 0.6 * self.gap
        axes.set_xlim(*(np.exp([low, high]) if self.kind == "log" else (low, high)))
        if self.kind == "names":
            axes.grid(visible=False, axis="x")


class Looks:
    """What settings look like: the colour by one key, marker and dashes by others.

    Attributes
    ----------
    key : the key that has the colours: the second, or the only one; None where runs differ in nothing.
    values : its values, in order.
    shapes : the number of markers and dashes.
    """

    def __init__(self, table: pd.DataFrame, keys: Sequence[str], shaped: Sequence[str] = ()) -> None:
        self.key = colour_key(keys)
        self.values = values_of(table[self.key]) if self.key else [None]
        numbers = self.key is not None and is_number(table[self.key])
        self._colours = colours(self.values, numbers=numbers)
        self._shaped = list(shaped)
        rows = table[self._shaped].drop_duplicates() if self._shaped else table[:0]
        if self._shaped:
            rows = rows.loc[setting_of(rows, self._shaped).sort_values(kind="stable").index]
        self._shapes = {tuple(map(plain, values)): i for i, values in enumerate(rows.to_numpy(object))}
        self.shapes = max(1, len(self._shapes))

    def colour(self, value: Any) -> str:
        """The colour of a value of the key."""
        return self._colours[plain(value)]

    def of(self, row: Any) -> dict[str, Any]:
        """Colour, marker and dashes of a setting, given a row with its keys."""
        shape = self._shapes.get(tuple(plain(row[key]) for key in self._shaped if key in row), 0)
        return {
            "color": self.colour(row[self.key] if self.key else None),
            "marker": MARKERS[shape % len(MARKERS)],
            "linestyle": DASHES[shape % len(DASHES)],
        }


def colour_key(keys: Sequence[str]) -> str | None:
    """Of `ordered` keys the one that has the colours: the second, or the only one."""
    return keys[1] if len(keys) > 1 else keys[0] if keys else None
