"""Checks of single values, with the one shape of message, and fields of options that carry their check."""

from __future__ import annotations

import dataclasses
import math
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, TypeGuard, TypeVar

import numpy as np

from tdl.errors import ConfigError, nearest, refuse, within

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

CHECK = "check"
"""Under this name the metadata of a field hold its check, a function of key and value."""

Check = Callable[[str, Any], None]

Options = TypeVar("Options", bound="DataclassInstance")

MAX_COUNT = 1 << 53
"""Of episodes, moves, updates, boards: more than any run has, and not near the end of 64 bits."""

MAX_NAME = 255
"""Characters of a file's name."""


def without_numpy(value: Any) -> Any:
    """Python's numbers and lists for those of NumPy, pandas and PyTorch, also within lists; any other value itself."""
    if type(value) in (int, float, str):  # most are: rows of a board in half the time
        return value
    try:
        return _without_numpy(value)
    except RecursionError:
        return value  # what lies as deep is no value of anything


def _without_numpy(value: Any) -> Any:
    if hasattr(value, "__array__"):
        return np.asarray(value).tolist()
    if type(value) in (list, tuple):
        return type(value)(map(_without_numpy, value))
    if type(value) is dict:
        return {key: _without_numpy(item) for key, item in value.items()}
    return value


def check_instance(key: str, value: object, kind: type, more: str = "") -> None:
    """Refuse anything but an object of a class; `more` says how one is made, or what else there is."""
    if not isinstance(value, kind):
        raise refuse(key, value, ", ".join(filter(None, (kind.__name__, more))))


def check_function(key: str, value: object, of: str) -> None:
    """Refuse anything but a function of what is said, and None."""
    if value is not None and not callable(value):
        raise refuse(key, value, f"a function of {of}, or None")


def check_whole(key: str, value: object, least: int, below: int = 2**63) -> None:
    """Refuse anything but a whole number from `least` on."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value < below:
        too_large = isinstance(value, int) and value >= below
        limit = f"from {least} to {below - 1}" if too_large or below != 2**63 else f"of at least {least}"
        raise refuse(key, value, f"a whole number {limit}")


def check_above_zero(key: str, value: object, most: float = math.inf) -> None:
    """Refuse anything but a finite number above 0 and at most `most`."""
    if not is_finite(value) or not 0 < value <= most:
        limit = f" and at most {most:g}" if math.isfinite(most) else ""
        raise refuse(key, value, f"a number above 0{limit}")


def check_share(key: str, value: object) -> None:
    """Refuse anything but a number from 0 to 1."""
    if not is_number(value) or not 0 <= value <= 1:
        raise refuse(key, value, "a number from 0 to 1")


def check_true_or_false(key: str, value: object) -> None:
    """Refuse anything but true and false."""
    if not isinstance(value, bool):
        raise refuse(key, value, "true or false")


def check_choice(key: str, value: object, choices: Sequence[str]) -> None:
    """Refuse anything but one of a few names."""
    if not isinstance(value, str) or value not in choices:
        raise refuse(key, value, f"{' or '.join(choices)}{nearest(str(value), choices)}")


def check_value(key: str, value: object, most: float = 1e8) -> None:
    """Refuse anything but a number of points that a value of the network may have."""
    if not is_number(value) or not -most <= value <= most:
        raise refuse(key, value, f"a number from {-most:,.0f} to {most:,.0f}")


def check_number(key: str, value: object, least: float = -math.inf) -> None:
    """Refuse anything but a finite number of at least `least`."""
    if not is_finite(value) or value < least:
        limit = f" of at least {least:g}" if math.isfinite(least) else ""
        raise refuse(key, value, f"a finite number{limit}")


def check_text(key: str, value: object) -> None:
    """Refuse anything but one line of text that can be printed."""
    if not isinstance(value, str) or not value.isprintable():
        raise refuse(key, value, "a line of text")


def check_file_name(key: str, value: object) -> None:
    """Refuse anything but the name of a file, without a folder."""
    check_text(key, value)
    if not value or value in (".", "..") or "/" in str(value) or len(str(value)) > MAX_NAME:
        raise refuse(key, value, "the name of a file in this folder")


def check_list(key: str, value: object, check: Check) -> None:
    """Refuse anything but a list of values that `check` lets through."""
    if not isinstance(value, list):
        raise refuse(key, value, "a list")
    for number, item in enumerate(value):
        check(f"{key}[{number}]", item)


def check_object(key: str, value: object, entries: Mapping[str, Check], *, optional: Collection[str] = ()) -> None:
    """Refuse anything but a mapping that has these entries, each of them checked; it may have others, too.

    Parameters
    ----------
    key : in messages; empty for the whole of a file.
    optional : entries that may be missing.
    """
    check_mapping(key, value)
    assert isinstance(value, Mapping)
    for name, check in entries.items():
        if name in value:
            check(_below(key, name), value[name])
        elif name not in optional:
            raise ConfigError(f"{_below(key, name)}: missing")


def check_mapping(key: str, value: object, check: Check | None = None) -> None:
    """Refuse anything but names with values, each of which `check` lets through."""
    if not isinstance(value, dict | Mapping):  # a dict first: it takes a tenth of the time
        raise refuse(key or "content", value, "names with values")
    if check is None:
        return
    for name in value:
        check_text(key, name)
        check(_below(key, name), value[name])


def built(cls: type[Options], key: str, value: object, *, optional: Collection[str] = ()) -> Options:
    """Options made of a mapping that has values for their fields, and no others; the options check the values.

    `optional` are fields that have their default where the mapping has none.
    """
    names = [field.name for field in dataclasses.fields(cls)]
    check_object(key, value, dict.fromkeys(names, _anything), optional=optional)
    assert isinstance(value, Mapping)
    for name in value:
        if name not in names:
            raise ConfigError(f"{_below(key, name)}: no such key; expected one of {', '.join(names)}")
    with within(key, names) if key else nullcontext():
        return cls(**value)


def or_null(check: Check) -> Check:
    """The check that lets None through, too."""
    return lambda key, value: None if value is None else check(key, value)


def _below(key: str, name: str) -> str:
    return f"{key}.{name}" if key else name


def _anything(key: str, value: object) -> None:
    """Let every value through."""


def is_number(value: object) -> TypeGuard[float]:
    """Whether this is a number, which true and false are not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_finite(value: object) -> TypeGuard[float]:
    """Whether this is a number that a float can hold."""
    return is_number(value) and abs(value) <= sys.float_info.max


def checked(default: Any, check: Check, *, null: bool = False) -> Any:
    """A field of a dataclass with its default and the check of its values; with `null` None is a value, too."""
    return dataclasses.field(default=default, metadata={CHECK: or_null(check) if null else check})


def whole(default: Any, *, least: int, most: int = 2**63 - 1, null: bool = False) -> Any:
    """A field that is a whole number from `least` to `most`."""
    return checked(default, partial(check_whole, least=least, below=most + 1), null=null)


def above_zero(default: Any, *, most: float = math.inf, null: bool = False) -> Any:
    """A field that is a finite number above 0 and at most `most`."""
    return checked(default, partial(check_above_zero, most=most), null=null)


def share(default: Any) -> Any:
    """A field that is a number from 0 to 1."""
    return checked(default, check_share)


def choice(default: Any, choices: Sequence[str], *, null: bool = False) -> Any:
    """A field that is one of a few names."""
    return checked(default, partial(check_choice, choices=choices), null=null)


def flag(default: Any) -> Any:
    """A field that is true or false."""
    return checked(default, check_true_or_false)


def check_fields(options: DataclassInstance, prefix: str = "") -> None:
    """Check each field of `options` that carries a check, in the order of the fields.

    `prefix` is that of the keys in messages.
    """
    for field in dataclasses.fields(options):
        if CHECK in field.metadata:
            field.metadata[CHECK](prefix + field.name, getattr(options, field.name))
