"""Checks of single values, with the one shape of message, and fields of options that carry their check."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeGuard

from tdl.errors import nearest, refuse

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

CHECK = "check"
"""Under this name the metadata of a field hold its check, a function of key and value."""


def check_whole(key: str, value: object, least: int, below: int = 2**63) -> None:
    """Refuse anything but a whole number from `least` on."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value < below:
        limit = f"from {least} to {below - 1}" if below < 2**63 else f"of at least {least}"
        raise refuse(key, value, f"a whole number {limit}")


def check_above_zero(key: str, value: object, most: float = math.inf) -> None:
    """Refuse anything but a finite number above 0 and at most `most`."""
    if not _is_number(value) or not 0 < value <= most or not math.isfinite(value):
        limit = f" and at most {most:g}" if math.isfinite(most) else ""
        raise refuse(key, value, f"a number above 0{limit}")


def check_share(key: str, value: object) -> None:
    """Refuse anything but a number from 0 to 1."""
    if not _is_number(value) or not 0 <= value <= 1:
        raise refuse(key, value, "a number from 0 to 1")


def check_true_or_false(key: str, value: object) -> None:
    """Refuse anything but true and false."""
    if not isinstance(value, bool):
        raise refuse(key, value, "true or false")


def check_choice(key: str, value: object, choices: Sequence[str]) -> None:
    """Refuse anything but one of a few names."""
    if value not in choices:
        raise refuse(key, value, f"{' or '.join(choices)}{nearest(str(value), choices)}")


def check_value(key: str, value: object, most: float = 1e8) -> None:
    """Refuse anything but a number of points that a value of the network may have."""
    if not _is_number(value) or not -most <= value <= most:
        raise refuse(key, value, f"a number from {-most:,.0f} to {most:,.0f}")


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def checked(default: Any, check: Callable[[str, Any], None], *, null: bool = False) -> Any:
    """A field of a dataclass with its default and the check of its values; with `null` None is a value, too."""
    return dataclasses.field(default=default, metadata={CHECK: _unless_none(check) if null else check})


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


def check_fields(options: DataclassInstance, prefix: str = "", *, at_top: Collection[str] = ()) -> None:
    """Check each field of `options` that carries a check, in the order of the fields, and those of nested options.

    Parameters
    ----------
    prefix : of the keys in messages.
    at_top : fields whose keys have no prefix.
    """
    for each in dataclasses.fields(options):
        value = getattr(options, each.name)
        key = each.name if each.name in at_top else prefix + each.name
        if CHECK in each.metadata:
            each.metadata[CHECK](key, value)
        elif dataclasses.is_dataclass(value) and not isinstance(value, type):
            check_fields(value, f"{key}.")


def _unless_none(check: Callable[[str, Any], None]) -> Callable[[str, Any], None]:
    return lambda key, value: None if value is None else check(key, value)
