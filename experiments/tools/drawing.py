"""What the figures that experiments draw for themselves have in common: their frame, names and intervals."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.ticker import LogFormatter, ScalarFormatter

from experiments.tools.index import entry_of
from experiments.tools.tables import interval
from tdl.results.style import CYCLE, THOUSANDS, WIDTH, new_figure, save, style
from tdl.statistics.intervals import mean_interval

# How seaborn shows means without a line (pointplot), with 95% intervals as bars (lineplot), and rows of `with_bounds`.
MEANS: dict[str, Any] = {"linestyle": "none", "linewidth": 1, "markersize": 4, "capsize": 0.1}
BARS: dict[str, Any] = {"errorbar": mean_interval, "err_style": "bars", "err_kws": {"capsize": 2}, "markersize": 5}
BOUNDS: dict[str, Any] = {"estimator": "median", "errorbar": ("pi", 100)}


@contextmanager
def panels(path: Path, height: float, *shape: int, **options: Any) -> Iterator[Any]:
    """The axes of a figure, saved in the end, below the experiment's `title` of index.yaml, or `title_NAME`."""
    name = "title" if path.stem == "figure" else f"title_{path.stem}"
    with style():
        sns.set_palette(CYCLE)
        figure = new_figure(WIDTH, height)
        figure.suptitle(entry_of(path.parent.name).get(name, ""), x=0.01, ha="left", weight="bold")
        yield figure.subplots(*shape, **options)
        for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
            if isinstance(axis.get_major_formatter(), ScalarFormatter | LogFormatter):
                axis.set_major_formatter(THOUSANDS)
        save(figure, path)


def in_words(column: pd.Series, folder: Path) -> pd.Series:
    """A column with the names that index.yaml has for its values."""
    names = entry_of(folder.name).get("names", {})
    return column.map(lambda value: names.get(value, value))


def with_bounds(rows: pd.DataFrame, mean: str, low: str, high: str) -> pd.DataFrame:
    """Each row three times: with its mean, and with both ends of its interval in the place of the mean."""
    return pd.concat([rows.assign(**{mean: rows[name]}) for name in (mean, low, high)], ignore_index=True)


def draw_means(axes: Axes, rows: pd.DataFrame, y: str, hue: str, dodge: float = 0, **options: Any) -> None:
    """Mean scores after training over the runs of each setting, with the intervals of our tables, and each run."""
    options |= {"x": "greedy_mean", "y": y, "hue": hue, "ax": axes}
    bars = {"errorbar": lambda scores: interval(rows.loc[scores.index], "greedy_mean")[1:]}
    sns.pointplot(rows, dodge=dodge, **bars, **MEANS, **options)
    sns.stripplot(rows, dodge=dodge > 0, alpha=0.4, size=3, jitter=False, legend=False, **options)
    axes.set(xlabel="mean score after training", ylabel="")
