"""How figures look, and the files that they are written to: whatever matplotlib is set to, drawn without a window."""

from __future__ import annotations

import logging
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, BinaryIO

import matplotlib.style
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, FuncFormatter

from tdl.storage.atomic import new_file

for _name in ("fontTools", "matplotlib"):  # they tell of each table of a font, and of each axis of names
    logging.getLogger(_name).setLevel(logging.WARNING)

WIDTH = 7.0
"""Inches: two columns of a journal's page."""

FONT = 8.5
"""Points: still to be read where the figure is made as narrow as one column."""

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

DATES = {"png": "Software", "svg": "Date", "pdf": "CreationDate"}
"""What formats say of time or program, left out: a figure has the same bytes each time."""


THOUSANDS = FuncFormatter(lambda value, _=None: EngFormatter(sep="")(value) if abs(value) >= 1000 else f"{value:g}")
"""Numbers of an axis as 500, 20k and 1.5M."""


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
