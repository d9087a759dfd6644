"""An experiment's figure.png: learning curves and scores of its runs, or the scores of its results.csv alone."""

from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("agg")

import pandas as pd
import seaborn as sns

from tdl.results.plots import draw_curves, draw_scores, scored

MAX_INSIDE = 5
"""The most lines of a legend that stands inside the axes."""


def draw_runs(runs: pd.DataFrame, blocks: pd.DataFrame, keys: list[str], path: Path) -> None:
    """Learning curves, and the scores of the games after training."""
    sns.set_theme(style="whitegrid")
    panels: list[tuple[Any, pd.DataFrame]] = []
    if len(blocks) and blocks["episode"].nunique() > 1:
        panels.append((draw_curves, blocks))
    scores = scored(runs, blocks)
    if len(scores):
        panels.append((draw_scores, scores))
    figure = mpl.figure.Figure(figsize=(7 * len(panels), 4.5), layout="constrained")
    for axes, (draw, frame) in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
        draw(axes, frame, keys)
        if (legend := axes.get_legend()) and len(legend.get_texts()) > MAX_INSIDE:
            sns.move_legend(axes, "upper left", bbox_to_anchor=(1, 1))
    figure.savefig(path, dpi=110)


def draw_results(results: Path, path: Path) -> None:
    """Scores of the rows of a results.csv: a line of dots for each setting, with the interval of their mean."""
    table = pd.read_csv(results)
    keys = list(table.columns[: list(table.columns).index("seed")])
    score = next(name for name in table.columns[::-1] if name in ("greedy_mean", "expected") or name[:5] == "mean_")
    table["setting"] = table[keys].astype(str).agg(", ".join, axis=1)
    sns.set_theme(style="whitegrid")
    figure = mpl.figure.Figure(figsize=(7, 1.5 + 0.4 * table["setting"].nunique()), layout="constrained")
    axes = figure.subplots()
    sns.pointplot(table, x=score, y="setting", errorbar=("ci", 95), seed=0, linestyle="none", color=".6", ax=axes)
    sns.stripplot(table, x=score, y="setting", hue="setting", legend=False, ax=axes)
    axes.set(ylabel=", ".join(keys), xlim=(0, None))
    figure.savefig(path, dpi=110)
