"""What a run is called beside others: the values in which they differ, as words.

>>> title({"learner": "tc", "alpha": 1.0, "seed": 2}), folder_title({"learner": "tc", "alpha": 1.0, "seed": 2})
('tc, alpha 1, seed 2', 'tc-alpha1-seed2')
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Any

from tdl.errors import printable
from tdl.storage.run_folder import CHECKPOINT

NAMELESS = ("game", "size", "tiles", "tuples", "learner", "placer", "agent")
"""Keys whose values say what they are of. They come first, in this order; the seed is last."""

MAX_WORD = 40
"""Characters of one value with its name in a title: the cells of tuples would fill the line."""

MAX_FOLDER = 100
"""Characters of a folder's title."""


def title(values: Mapping[str, Any], keys: Iterable[str] = ()) -> str:
    """The title for people.

    Parameters
    ----------
    values : of the keys in which the runs differ; nested ones as `evaluate.plies`.
    keys : all keys there are: one is called by its last part where that is no other's, too.
    """
    return ", ".join(_short(f"{name} {text}".lstrip()) for name, text in _words(values, keys))


def folder_title(values: Mapping[str, Any], keys: Iterable[str] = ()) -> str:
    """The same as part of a folder's name, of characters that neither a shell nor Hydra takes for its own."""
    words = [_plain(f"{name}{text}" if re.match(r"[\d.]", text) else f"{name}-{text}")
             for name, text in _words(values, keys)]  # fmt: skip
    if len("-".join(words)) > MAX_FOLDER:
        words = [word[: max(1, MAX_FOLDER // len(words) - 1)] for word in words]
    return "-".join(filter(None, words))[:MAX_FOLDER].strip("-.")


def flat(config: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """The values of nested dictionaries by their keys.

    >>> flat({"seed": 1, "tuples": {"radix": 16, "cells": [[0, 1]]}})
    {'seed': 1, 'tuples.radix': 16, 'tuples.cells': [[0, 1]]}
    """
    values: dict[str, Any] = {}
    for key, value in config.items():
        values |= flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key: value}
    return values


def value_text(key: str, value: Any) -> str:
    """A value of a configuration as people read it: a number as short as it is, a path's end."""
    if value is None or value != value:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else f"{value:.10g}"
    if _is_path(value):
        path = PurePath(value)
        return printable(path.parent.name if path.name == CHECKPOINT else path.name)
    return printable(str(value))


def short_name(key: str, keys: Iterable[str]) -> str:
    """The last part of a key where no other of the keys has the same, else all of it.

    >>> short_name("evaluate.plies", ["alpha", "evaluate.plies"])
    'plies'
    """
    return key if any(_last(other) == _last(key) for other in {*keys} - {key}) else _last(key)


def _words(values: Mapping[str, Any], keys: Iterable[str]) -> list[tuple[str, str]]:
    """The name, empty where the value is enough, and the value of each key, in their order."""
    known = {*keys, *values}
    named = {
        key: "" if key in NAMELESS or _is_path(value) else short_name(key, known) for key, value in values.items()
    }
    ordered = sorted(values, key=lambda key: (key == "seed", key not in NAMELESS, _rank(key)))
    return [(named[key], value_text(key, values[key])) for key in ordered]


def _short(word: str) -> str:
    return word if len(word) <= MAX_WORD else f"{word[: MAX_WORD - 1]}…"


def _rank(key: str) -> int:
    return NAMELESS.index(key) if key in NAMELESS else 0  # sorting is stable: others stay as they are given


def _last(key: str) -> str:
    return key.rpartition(".")[2]


def _is_path(value: Any) -> bool:
    return isinstance(value, str) and "/" in value and not value.startswith("[")  # a list is text in tables


def _plain(word: str) -> str:
    return re.sub(r"[^\w.]+", "-", word, flags=re.ASCII).strip("-.")
