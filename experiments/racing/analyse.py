"""The figure of races: what simulated ones save, of races.csv, and which runs of results.csv a real one played."""

from pathlib import Path

import pandas as pd
import seaborn as sns

from experiments.tools.drawing import panels
from tdl.results.style import BLUE, GREY

KEYS = ["learner", "alpha"]
RACE, GRID = "by the race, too", "by the full grid alone"
PLAYED = {"palette": {RACE: BLUE, GRID: GREY}, "style": "played", "markers": {RACE: "s", GRID: "X"}, "s": 42}


def runs_of(folder: Path) -> pd.DataFrame:
    """The runs of the full grid, those of the best setting first, and whether the race played them."""
    rows, race = (pd.read_csv(folder / f"{name}.csv") for name in ("results", "race"))
    rows = rows.merge(race[[*KEYS, "seed"]].assign(played=RACE), how="left").fillna({"played": GRID})
    means = rows.groupby(KEYS)["greedy_mean"].transform("mean")
    scores = means.map(lambda mean: "diverges" if pd.isna(mean) else f"{mean / 1000:.1f}k")
    rows["setting"] = rows["learner"].str.upper() + ", step " + rows["alpha"].map("{:g}".format) + ": " + scores
    return rows.assign(mean=means).sort_values(["mean", "seed"], ascending=[False, True])


def draw(folder: Path) -> str:
    """Games saved by lead and spread, and the runs of the real race, into figure.png; returns its caption."""
    races = pd.read_csv(folder / "races.csv").query("method == 'race' and field == 'alike'")
    races = races.assign(spread=races["spread"].map("{:.0%}".format))
    with panels(folder / "figure.png", 3.2, 1, 2) as (left, right):
        sns.lineplot(races, x="effect", y="saved", hue="spread", style="settings", markers=True, ax=left)
        left.set(xlabel="lead of the best", ylabel="games saved", title="simulated, up to 20 seeds", ylim=(0, 1))
        for axis in (left.xaxis, left.yaxis):
            axis.set_major_formatter("{x:.0%}")
        sns.scatterplot(runs_of(folder), x="seed", y="setting", hue="played", **PLAYED, ax=right)
        right.set(xlabel="seed", ylabel="", title="a real sweep: mean scores, runs", xticks=range(10))
        right.legend(loc="upper center", bbox_to_anchor=(0.4, -0.2), ncols=2)
    return "Left: all others are as far behind; spread: standard deviation between seeds. Right: each mark is a run."


FIGURES = {"races.csv": ("figure.png", draw)}
