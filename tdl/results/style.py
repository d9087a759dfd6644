"""How plots look: colours, fonts, and the files that they are written to, whatever matplotlib is set to.

A learner, a value and a tile have the same colour in all plots, told apart by the colour-blind: those of Okabe and Ito
(2008), Color Universal Design; numbers, and more than eight names, have those of viridis.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Hashable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, BinaryIO

import matplotlib as mpl
import matplotlib.style
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, FuncFormatter

from tdl.storage.atomic import new_file

for _name in ("fontTools", "matplotlib"):  # they tell of each table of a font, and of each axis of names
    if logging.getLogger(_name).level == logging.NOTSET:  # else somebody wants to hear it
        logging.getLogger(_name).setLevel(logging.WARNING)

WIDTH = 7.0  # inches: two columns of a journal's page
FONT = 8.5  # points: still to be read where the figure is made as narrow as one column
STYLE: dict[str, Any] = {
    "font.size": FONT, "axes.titlesize": FONT, "axes.titlelocation": "left", "axes.labelsize": FONT,
    "xtick.labelsize": FONT - 0.5, "ytick.labelsize": FONT - 0.5,
    "legend.fontsize": FONT - 0.5, "legend.title_fontsize": FONT - 0.5, "legend.frameon": False,
    "figure.titlesize": FONT + 1, "figure.titleweight": "bold",
    "axes.spines.top": False, "axes.spines.right": False, "axes.edgecolor": "#444444",
    "axes.grid": True, "grid.color": "#e2e2e2", "grid.linewidth": 0.6, "axes.axisbelow": True,
    "xtick.color": "#444444", "ytick.color": "#444444", "xtick.labelcolor": "black", "ytick.labelcolor": "black",
    "lines.linewidth": 1.4,
    "svg.fonttype": "none", "svg.hashsalt": "tdl",
    "pdf.fonttype": 42,  # whole letters, as journals ask for
    "text.parse_math": False,  # a name with two dollars is no formula
}  # fmt: skip

DATES = {"png": "Software", "svg": "Date", "pdf": "CreationDate"}  # left out: a figure has the same bytes each time

THOUSANDS = FuncFormatter(lambda value, _=None: EngFormatter(sep="")(value) if abs(value) >= 1000 else f"{value:g}")
"""Numbers of an axis as 500, 20k and 1.5M."""

BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"
BLACK, GREY = "#000000", "#7F7F7F"
TILES = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, BLACK)
CYCLE = (*TILES, GREY)
PLAYERS: Mapping[Hashable, str] = {  # learners and agents
    "td": BLUE, "tc": VERMILION, "otd_tc": GREEN, "delayed_tc": PURPLE, "state": ORANGE,
    "dqn": SKY, "dqn_modern": PURPLE, "greedy": BLACK, "random": GREY,
}  # fmt: skip
LIGHTEST = 0.85  # where viridis ends: lines in its yellow are hard to see on white


def style() -> AbstractContextManager[None]:
    """A context in which figures are drawn and written in `STYLE`, whatever the settings of matplotlib are."""
    return matplotlib.style.context(["default", STYLE])


def new_figure(width: float, height: float) -> Figure:
    """An empty figure, in inches; what is drawn there belongs in the context of `style`."""
    figure = Figure(figsize=(width, height), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.06, h_pad=0.06)  # type: ignore[union-attr, call-arg]
    return figure


def write(figure: Figure, file: BinaryIO, kind: str, caption: str = "") -> None:
    """Write a figure as `png`, `svg` or `pdf`, the same bytes each time; the text of an SVG is text.

    A caption is in the file, too, as the description of the picture.
    """
    with style():
        metadata: dict[str, Any] = {DATES[kind]: None, "Subject" if kind == "pdf" else "Description": caption}
        figure.savefig(file, format=kind, dpi=200, metadata=metadata)


def save(figure: Figure, path: Path, caption: str = "") -> None:
    """Write a figure to a file .png, .svg or .pdf, in one step.

    Raises
    ------
    OSError : it could not be written; the file before is intact.
    """
    with new_file(path) as file:
        write(figure, file, path.suffix[1:], caption)


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
    rank = round(math.log(tile, (1 + math.sqrt(5)) / 2))  # among Fibonacci numbers
    for base in (1, 3):  # among those that are doubled from it
        power, rest = divmod(tile, base)
        if rest == 0 and power.bit_count() == 1:
            rank = power.bit_length()
    return TILES[rank % len(TILES)]
