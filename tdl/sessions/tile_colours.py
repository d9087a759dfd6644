"""Colours of tiles: one scale for all games, by the logarithm of the value."""

import math

EMPTY = "#cdc1b4"

BOARD = "#bbada0"
"""Between the cells."""

DARK, LIGHT = "#0b0806", "#ffffff"
"""Of numbers."""

STOPS = ("#f3ebdc", "#f0cf94", "#eea45c", "#e4713f", "#cc4141", "#a92e62", "#7a2a80", "#4c2a86", "#2b2a6b", "#16183f")
"""From value 1 to `TOP`: sand, amber, red, violet, night."""

TOP = 18.0
"""Logarithm to base 2 from which on tiles are equally dark: 2048 on 4x4 has none above 17."""


def tile_colours(value: int) -> tuple[str, str]:
    """Background and number of a tile, as "#rrggbb"; 0 is an empty cell.

    The number is dark or white, whichever has the larger contrast (WCAG 2.2, relative luminance).

    >>> tile_colours(2), tile_colours(131072)
    (('#f2ddb8', '#0b0806'), ('#202155', '#ffffff'))
    """
    if value < 1:
        return EMPTY, DARK
    place = min(math.log2(value) / TOP, 1.0) * (len(STOPS) - 1)
    at = min(int(place), len(STOPS) - 2)
    mixed = zip(rgb(STOPS[at]), rgb(STOPS[at + 1]), strict=True)
    background = "#" + "".join(f"{round(a + (b - a) * (place - at)):02x}" for a, b in mixed)
    return background, max(DARK, LIGHT, key=lambda number: contrast(background, number))


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours, 1 to 21 (WCAG 2.2, 1.4.3)."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def rgb(colour: str) -> tuple[int, int, int]:
    """The parts of "#rrggbb", 0 to 255."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _luminance(colour: str) -> float:
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (part / 255 for part in rgb(colour))
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
