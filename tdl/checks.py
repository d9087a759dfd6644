"""Checks of single values, with the one shape of message."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeGuard

from tdl.errors import nearest, refuse


def check_whole(key: str, value: object, least: int, below: int = 2**63) -> None:
    """Refuse anything but a whole number from `least` on.

    Raises
    ------
    ConfigError : names `key`, the value and what is allowed.
    """
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
