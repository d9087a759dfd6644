"""The keys of a schema by name, with the types of their values."""

import dataclasses
from typing import Any, get_origin, get_type_hints


def key_types(schema: type) -> dict[str, Any]:
    """The keys of a schema, those of its sections as `learner.order`, with their types."""
    types: dict[str, Any] = {}
    hints = get_type_hints(schema)
    for field in dataclasses.fields(schema):
        section = field.default_factory
        if isinstance(section, type) and dataclasses.is_dataclass(section):
            types |= {f"{field.name}.{name}": kind for name, kind in key_types(section).items()}
        else:
            types[field.name] = hints[field.name]
    return types


MAY_BE_LISTS = ("round", "learner.schedule")
"""Keys whose value may be a list, or something else."""


def takes_list(key: str, kind: Any) -> bool:
    """Whether a value of the key may be a list, so that a list is one value and not several."""
    return get_origin(kind) is list or key in MAY_BE_LISTS
