"""Sections of a configuration, derived from the options that they configure, and options made of a section."""

from __future__ import annotations

import dataclasses
import inspect
import types
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, Union, get_args, get_origin, get_type_hints

from omegaconf import MISSING

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Section = TypeVar("Section")

Options = TypeVar("Options", bound="DataclassInstance")


def section(
    *without: str, optional: Collection[str] = (), null: bool = False
) -> Callable[[type[Section]], type[Section]]:
    """Make a class the type of a section: a dataclass with the fields of its bases and its own, for OmegaConf.

    The bases are frozen dataclasses of options. They lend their fields and checks, but no methods and no defaults:
    OmegaConf makes read-only what is frozen, knows neither unions nor tuples of tuples, and values are in `conf`.

    Parameters
    ----------
    without : fields of the bases whose keys stand elsewhere.
    optional : fields that have their default here as well, because a file of the group may leave them out.
    null : all fields of the bases may be null, and are where nothing is said; their checks are left out.
    """

    def made(cls: type[Section]) -> type[Section]:
        hints = get_type_hints(cls)
        fields: dict[str, tuple[str, Any, Any]] = {}
        for base in (base for base in cls.__bases__ if dataclasses.is_dataclass(base)):
            for each in dataclasses.fields(base):
                if each.name in without:
                    continue
                kind = _known_type(hints[each.name])
                if null:
                    fields[each.name] = each.name, kind | None, None
                else:
                    default = each.default if each.name in optional else MISSING
                    fields[each.name] = each.name, kind, _field(default, each.metadata)
        for name in inspect.get_annotations(cls):
            fields[name] = name, hints[name], getattr(cls, name)
        names = {"__doc__": cls.__doc__, "__qualname__": cls.__qualname__}
        result = dataclasses.make_dataclass(cls.__name__, fields.values(), namespace=names)
        result.__module__ = cls.__module__  # from Python 3.12 on `make_dataclass` would say this one
        return result

    return made


def _known_type(hint: Any) -> Any:
    """The type of a field as OmegaConf knows it."""
    if get_origin(hint) is tuple:
        return list[Any]
    several = [each for each in get_args(hint) if each is not type(None)][1:]
    return Any if several and get_origin(hint) in (Union, types.UnionType) else hint


def _field(default: Any, metadata: Mapping[Any, Any]) -> Any:
    """A field with a default; in the place of a tuple a list, as OmegaConf has it."""
    if isinstance(default, tuple):
        return dataclasses.field(default_factory=lambda: list(default), metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


def key_of(options: type[DataclassInstance], name: str) -> Any:
    """A field for a key that stands outside any section: with the check of the option it configures."""
    (option,) = (each for each in dataclasses.fields(options) if each.name == name)
    return _field(MISSING, option.metadata)


def options_of(cls: type[Options], section: object, **more: Any) -> Options:
    """The options that a section configures; `more` are those whose keys stand elsewhere."""
    names = [each.name for each in dataclasses.fields(cls) if each.name not in more]
    return cls(**{name: getattr(section, name) for name in names}, **more)
