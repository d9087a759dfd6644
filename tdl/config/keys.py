"""The keys of a schema by name, with the types and the checks of their values."""

import dataclasses
from collections.abc import Iterable
from typing import Any, NamedTuple, get_origin, get_type_hints

from tdl.base.checks import CHECK


class Key(NamedTuple):
    """The type of a key's value, and its check of `tdl.base.checks`; None: it has none of its own."""

    kind: Any
    check: Any


def keys_of(schema: type) -> dict[str, Key]:
    """The keys of a schema, those of its sections as `learner.order`."""
    assert dataclasses.is_dataclass(schema)
    keys: dict[str, Key] = {}
    hints = get_type_hints(schema)
    for field in dataclasses.fields(schema):
        section = hints[field.name]
        if dataclasses.is_dataclass(section) and isinstance(section, type):
            keys |= {f"{field.name}.{name}": key for name, key in keys_of(section).items()}
        else:
            keys[field.name] = Key(section, field.metadata.get(CHECK))
    return keys


def sections(keys: Iterable[str]) -> list[str]:
    """The sections of keys, each once."""
    return list(dict.fromkeys(key.partition(".")[0] for key in keys if "." in key))


MAY_BE_LISTS = ("round", "learner.schedule", "save.moves")
"""Keys whose value may be a list, or something else."""


def takes_list(key: str, kind: Any) -> bool:
    """Whether a value of the key may be a list, so that a list is one value and not several."""
    return get_origin(kind) is list or key in MAY_BE_LISTS
