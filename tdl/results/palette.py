"""Colours of figures: one for each learner, value and tile, the same in all, told apart by the colour-blind.

Of Okabe and Ito (2008), Color Universal Design; numbers, and more than eight names, have those of viridis.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence

import matplotlib as mpl

BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"
BLACK, GREY = "#000000", "#7F7F7F"

TILES = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, BLACK)
CYCLE = (*TILES, GREY)

PLAYERS: Mapping[Hashable, str] = {
    "td": BLUE, "tc": VERMILION, "otd_tc": GREEN, "delayed_tc": PURPLE, "state": ORANGE,
    "dqn": SKY, "dqn_modern": PURPLE, "greedy": BLACK, "random": GREY,
}  # fmt: skip
"""The colours of learners and agents."""

LIGHTEST = 0.85
"""Where viridis ends: lines in its yellow are hard to see on white."""


def colours(values: Sequence[Hashable], *, numbers: bool = False) -> dict[Hashable, str]:
    """A colour for each value of a key, whose values stand in order; players have their own in every figure.

    >>> colours(["tc", "td"]) == {"tc": VERMILION, "td": BLUE}
    True
    """
    if numbers or len(values) > len(CYCLE):
        scale = mpl.colormaps["viridis"]
        last = max(1, len(values) - 1)
        return {value: mpl.colors.to_hex(scale(LIGHTEST * i / last)) for i, value in enumerate(values)}
    if all(value in PLAYERS for value in values):
        return {value: PLAYERS[value] for value in values}
    return dict(zip(values, CYCLE, strict=False))


def tile_colour(tile: int) -> str:
    """The colour of a tile's line; of seven tiles in a row no two have the same.

    >>> tile_colour(1024) == tile_colour(2048), tile_colour(1597) == tile_colour(2584)
    (False, False)
    """
    return TILES[_rank(tile) % len(TILES)]


def _rank(tile: int) -> int:
    """The place of a tile among those of its game, from any start: powers of two, thrice these, Fibonacci numbers."""
    for base in (1, 3):
        power, rest = divmod(tile, base)
        if rest == 0 and power & (power - 1) == 0:
            return power.bit_length()
    return round(math.log(tile, (1 + math.sqrt(5)) / 2))
