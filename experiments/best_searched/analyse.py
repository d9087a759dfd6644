"""The figure of the networks that search: their scores by plies, and what lowered tiles change.

Of results.csv, milestones.csv and, of two billion moves, twin.csv.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import seaborn as sns

from experiments.tools.curve import MAKES
from experiments.tools.drawing import panels
from tdl.results.style import BLUE, GREY, VERMILION

RECIPES = {"8x6": "plain TC(.5)", "8x6_count_redundant": "restart"}  # in results.csv; the others are of milestone
NETWORK, PLAYED = ["recipe", "seed", "moves"], ["evaluate.plies", "search.downgrade"]
SCORES = ["greedy_mean", "greedy_mean_low", "greedy_mean_high", "reach_32768"]
COLOURS = {"makes 32768": VERMILION, "does not": BLUE}
LIMITS = {13: "above 8192", 14: "above 16384"}  # values of `search.downgrade`


def rows_of(folder: Path) -> pd.DataFrame:
    """The games of each network, by plies and limit; those of the last file where two have them."""
    own, late, twin = (pd.read_csv(folder / f"{name}.csv") for name in ("results", "milestones", "twin"))
    twin = twin[twin["start"] == "milestone"].rename(columns={"plies": PLAYED[0], "downgrade": PLAYED[1]})
    rows = pd.concat([own.assign(recipe=own["tuples"].map(RECIPES)), late, twin]).fillna({"recipe": "milestone"})
    rows = rows[[*NETWORK, *PLAYED, *SCORES]].drop_duplicates([*NETWORK, *PLAYED], keep="last")
    names = rows[NETWORK].itertuples(index=False)
    rows["row"] = [f"{recipe}, seed {seed}, {moves / 1e9:.2g} G" for recipe, seed, moves in names]
    made = rows["reach_32768"].where(rows["search.downgrade"].isna()).groupby(rows["row"]).transform("max")
    rows["network"], rows["budget"] = np.where(made >= MAKES, *COLOURS), rows["moves"] // 1e8
    return rows.sort_values(["network", "recipe", "budget", "seed"], ascending=[True, False, True, True])


def draw(folder: Path) -> str:
    """Scores by plies, and what lowering changes, into figure.png; returns its caption."""
    rows = rows_of(folder)
    seen = rows[rows["search.downgrade"].isna()].rename(columns={"evaluate.plies": "plies"})
    styles: dict[str, Any] = {"y": "row", "hue": "network", "palette": COLOURS, "s": 30}
    line: dict[str, Any] = {"color": GREY, "linewidth": 0.7}
    with panels(folder / "figure.png", 4.4, 1, 2, sharey=True, width_ratios=(3, 2)) as (left, right):
        sns.lineplot(seen, x="greedy_mean", y="row", units="row", estimator=None, **line, ax=left)
        sns.scatterplot(seen, x="greedy_mean", style="plies", **styles, ax=left)
        for limit, marker in zip(LIMITS, "oX", strict=True):
            changes = lowered(rows, limit)
            right.errorbar(changes["change"], changes["row"], xerr=changes["half"], fmt="none", **line)
            sns.scatterplot(changes, x="change", **styles, marker=marker, legend=False, ax=right)
            right.scatter([], [], marker=marker, color=GREY, label=LIMITS[limit])
        left.set(xlim=(0, None), xlabel="mean score", ylabel="", title="no tile lowered")
        right.axvline(0, color=GREY, linewidth=1)
        right.legend(title="tiles lowered", loc="upper left")
        right.set(xlabel="change of the mean score", title="large tiles lowered, 2 or 3 plies")
    return "Each row is a network (G: billion moves). Right: 95% intervals over games."


def lowered(rows: pd.DataFrame, limit: int) -> pd.DataFrame:
    """What lowering changes with several plies: a row for each network and depth, with half its interval."""
    low = rows[(rows["search.downgrade"] == limit) & (rows["evaluate.plies"] > 1)]
    keys, ends = ["row", "network", "evaluate.plies"], ("", "_less")
    both = low.merge(rows[rows["search.downgrade"].isna()], on=keys, suffixes=ends)
    halves = [(both[f"greedy_mean_high{end}"] - both[f"greedy_mean_low{end}"]) / 2 for end in ends]
    return both.assign(change=both["greedy_mean"] - both["greedy_mean_less"], half=np.hypot(halves[0], halves[1]))


FIGURES = {"milestones.csv": ("figure.png", draw)}
