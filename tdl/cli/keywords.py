"""Keywords of Python as words of a command line, which Hydra composes a configuration of."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import PurePath
from typing import Any

from tdl.base.checks import check_whole, without_numpy
from tdl.base.synonyms import OLD_KEYS, SYNONYMS, like
from tdl.cli.folders import PATHS
from tdl.cli.words import check_extent
from tdl.config.compose import quoted, takes_list, word_of
from tdl.config.files import GROUPS
from tdl.config.schema import RUN
from tdl.errors import ConfigError, refuse
from tdl.network.tuples import TupleSet, tuple_set

TYPES = {**dict.fromkeys(GROUPS, str), **{name: key.kind for name, key in RUN.keys.items()}}
"""All keys of a run with their types."""

KEYS = {key.replace(".", "_"): key for key in TYPES}
"""Keys by the keyword that stands for them: `learner_order` for `learner.order`."""


def words_of(keywords: Mapping[str, Any]) -> tuple[list[str], int]:
    """The words, groups first, and how many runs they ask for.

    Raises
    ------
    ConfigError : an unknown keyword, no value, or a value that no word can say.
    """
    words, runs = {}, 1
    for keyword, value in _with_cells(keywords).items():
        key = key_of(keyword)
        try:
            values = _values(key, value)
        except RecursionError:
            raise refuse(key, value, "a value") from None
        if not values:
            raise refuse(key, value, "at least one value")
        if key in words:
            raise ConfigError(f"{keyword}: {key} is given twice; expected one keyword, or a list of values")
        words[key] = f"{key}={','.join(values)}"
        runs *= len(values)
    return [words[key] for key in TYPES if key in words], runs


def seed_values(seeds: int | Iterable[int]) -> list[int]:
    """The seeds that a number of seeds stands for, from 0 on; those of a list as they are.

    Raises
    ------
    ConfigError : not a number of at least 1, nor whole numbers from 0 on.

    >>> seed_values(3), seed_values(range(5, 8))
    ([0, 1, 2], [5, 6, 7])
    """
    if not isinstance(seeds, Iterable) or isinstance(seeds, str):
        check_whole("seeds", seeds, 1)
        return list(range(seeds))
    values = list(seeds)
    for value in values:
        check_whole("seeds", value, 0)
    return values


def key_of(keyword: str) -> str:
    """The key that a keyword stands for: `learner_order`, or `learner.order` itself."""
    key = keyword if keyword in TYPES else KEYS.get(keyword)
    if key is None:
        dotted = keyword.replace("_", ".", 1)
        old = dotted in OLD_KEYS or dotted in SYNONYMS
        hint = like(dotted, [*TYPES, "out"]) if old else like(keyword, [*KEYS, "out", "seeds", "cores"])
        hint = hint.replace(".", "_")
        known = "its keywords are the keys that `tdl run --help` lists"
        raise ConfigError(f"{keyword}: no such keyword of tdl.train{hint}; {known}")
    return key


def _with_cells(keywords: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords with the single keys of a tuple set of one's own, a `TupleSet` or lists of cells."""
    tuples, rest = without_numpy(keywords.get("tuples")), {**keywords}
    are_lists = isinstance(tuples, list | tuple) and tuples and isinstance(tuples[0], list | tuple)
    if isinstance(tuples, TupleSet) or are_lists:
        del rest["tuples"]
        rest = {f"tuples_{name}": value for name, value in asdict(tuple_set(tuples)).items()} | rest
    return rest


def _values(key: str, value: Any) -> list[str]:
    """The values of a key as text: several where a list is not a value of its own."""
    value = without_numpy(value)
    several = isinstance(value, Iterable) and not isinstance(value, str | Mapping) and not takes_list(key, TYPES[key])
    return [_text(key, item) for item in (value if several else [value])]


def _text(key: str, value: Any) -> str:
    value = without_numpy(value)
    if key == "game" and type(value) is int:  # 2048
        value = str(value)
    if key in GROUPS and not isinstance(value, str):
        single = ", ".join(name for name, full in KEYS.items() if full.startswith(f"{key}."))
        raise refuse(key, value, "a name, or several" + (f"; single keys are {single}" if single else ""))
    if TYPES[key] in (int, int | None) and isinstance(value, float) and value.is_integer():
        value = int(value)
    if key in PATHS and isinstance(value, str | PurePath):
        return word_of(key, os.path.expanduser(value)).partition("=")[2]
    return _value(key, value)


def _value(key: str, value: Any) -> str:
    """A value in the grammar of Hydra."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        check_extent(key, value)
        return repr(value)
    if isinstance(value, str | PurePath):
        return quoted(str(value))
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{name}:{_value(key, item)}" for name, item in value.items()) + "}"
    if isinstance(value, Iterable):
        return "[" + ",".join(_value(key, item) for item in value) + "]"
    beside = "; tdl.Trainer takes functions, which no run can save" if callable(value) else ""
    raise refuse(key, value, f"a number, a text, None, or a list of these{beside}")
