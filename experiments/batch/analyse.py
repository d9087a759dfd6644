"""Draws figure.png of results.csv: scores by moves, for games in step and for one game after the other."""

from pathlib import Path

import pandas as pd
import seaborn as sns

from experiments.tools.drawing import BARS, panels
from tdl.results.style import colours

MOVED_BY = {"none": "each error", "mean": "the mean of errors", "capped": "their capped sum"}


def draw(folder: Path) -> str:
    """The figure; returns its caption."""
    rows = pd.read_csv(folder / "results.csv").query("alpha == 1 and `learner.order` == 'delayed'")
    rows = rows[rows["budget.moves"] != 80_000_000]
    games = rows["lanes"].replace("auto", 1).astype(int)  # of a learner without a batch
    rows["games at once"], rows["an entry moves by"] = (
        games.map("{:,}".format),
        rows["learner.batch_sum"].map(MOVED_BY),
    )
    order = [f"{number:,}" for number in sorted(games.unique())]
    styles = {"hue": "games at once", "hue_order": order, "palette": [*colours(order, numbers=True).values()]}
    styles |= {"style": "an entry moves by", "style_order": [*MOVED_BY.values()], "markers": True}
    with panels(folder / "figure.png", 3.8, 1, 2, sharey=True) as axes:
        for axis, (tuples, part) in zip(axes, rows.groupby("tuples"), strict=True):
            legend = axis is axes[0] and "full"
            sns.lineplot(part, x="budget.moves", y="greedy_mean", **styles, **BARS, legend=legend, ax=axis)
            axis.set(title=tuples, xscale="log", xlabel="training moves", ylabel="mean score after training")
        axes[0].set_ylim(0)
    return f"Means over {rows['seed'].nunique()} seeds with 95% intervals (Student's t); TC(.5) with step 1."


FIGURES = {"results.csv": ("figure.png", draw)}
