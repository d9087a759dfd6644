"""How figures look, their axes, and the files that they are written to."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from tdl.storage.atomic import new_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH = 7.0
"""Inches: two columns of a journal's page."""

FONT = 8.5
"""Points: still to be read where the figure is made as narrow as one column."""

DPI = 200

STYLE: dict[str, Any] = {
    "font.family": "sans-serif", "font.sans-serif": ["DejaVu Sans"], "font.size": FONT,
    "axes.titlesize": FONT + 0.5, "axes.labelsize": FONT, "xtick.labelsize": FONT - 0.5, "ytick.labelsize": FONT - 0.5,
    "legend.fontsize": FONT - 0.5, "legend.title_fontsize": FONT - 0.5, "legend.frameon": False,
    "figure.titlesize": FONT + 1,
    "axes.spines.top": False, "axes.spines.right": False, "axes.edgecolor": "#444444", "axes.linewidth": 0.8,
    "axes.grid": True, "grid.color": "#e2e2e2", "grid.linewidth": 0.6, "axes.axisbelow": True,
    "xtick.color": "#444444", "ytick.color": "#444444", "xtick.labelcolor": "black", "ytick.labelcolor": "black",
    "lines.linewidth": 1.4,
    "svg.fonttype": "none", "svg.hashsalt": "tdl",
    "text.parse_math": False,  # a name with two dollars is no formula
}  # fmt: skip


def _thousands(value: float, _: object = None) -> str:
    if value < 0:  # below 0 are marks, not scores
        return ""
    if value >= 1e6:
        return f"{value / 1e6:g}M"
    return f"{value / 1000:g}k" if abs(value) >= 1000 else f"{value:g}"


def _millions(value: float, _: object = None) -> str:
    return f"{value / 1e6:g}M" if abs(value) >= 1e5 else _thousands(value)


THOUSANDS, MILLIONS = FuncFormatter(_thousands), FuncFormatter(_millions)


def style() -> Any:
    """A context in which figures are drawn and written in `STYLE`, whatever the settings of matplotlib are."""
    return mpl.rc_context(STYLE)  # type: ignore[arg-type]


def new_figure(width: float, height: float) -> Figure:
    """An empty figure, in inches; what is drawn there belongs in the context of `style`."""
    figure = Figure(figsize=(width, height), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.06, h_pad=0.06)  # type: ignore[union-attr, call-arg]
    return figure


def write(figure: Figure, file: BinaryIO, kind: str) -> None:
    """Write a figure as `png` or `svg`, the same bytes each time; the text of an SVG is text."""
    with style():
        metadata: dict[str, Any] = {"Date": None} if kind == "svg" else {"Software": None}
        figure.savefig(file, format=kind, dpi=DPI, metadata=metadata)


def caption(figure: Figure, text: str) -> None:
    """Put a text under everything else, in lines as wide as the figure."""
    width = figure.get_size_inches()[0]
    lines = textwrap.wrap(text, int(width * 72 / (0.53 * (FONT - 1))), break_on_hyphens=False)
    figure.supxlabel("\n".join(lines), x=0.01, ha="left", fontsize=FONT - 1, color="#333333")


def from_zero(axes: Axes) -> None:
    """An axis of scores that begins at 0, in thousands."""
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(THOUSANDS)


def dress(axes: Axes) -> None:
    """A light grid and no frame, also where the axes were made without `style`."""
    axes.grid(visible=True, color=STYLE["grid.color"], linewidth=STYLE["grid.linewidth"])
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def save(figure: Figure, path: Path) -> None:
    """Write a figure to a file .png or .svg, in one step.

    Raises
    ------
    OSError : it could not be written; the file before is intact.
    """
    with new_file(path) as file:
        write(figure, file, path.suffix[1:])
