"""Makes results.csv, snapshots.csv and figure.png of a deep Q-learner, from its runs and the games of its snapshots.

    python -m experiments.published_dqn.analyse RUNS EVALUATIONS [into=FOLDER]
    python -m experiments.published_dqn.analyse     # gains and figure of the csv files that are there

RUNS has the runs, whose logged games become results.csv; EVALUATIONS has those of tdl.evaluate on their snapshots,
which become snapshots.csv.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import seaborn as sns

import tdl.results
from experiments.tools import split_options, target_of
from experiments.tools.drawing import BOUNDS, MEANS, in_words, panels, with_bounds
from experiments.tools.networks import network_seed
from tdl.results.palette import BLACK, CYCLE, GREY
from tdl.statistics.intervals import mean_interval

GAMES = 20
STEP = 100
"""Games of an iteration, and iterations of a row of the published table."""

PLAYERS = {(1, "all"): "greedy", (2, "one"): "one drop", (2, "all"): "all drops"}
"""The name of a player by its plies and its drops."""


def logged_games(runs: str) -> pd.DataFrame:
    """The greedy games logged in training; `iterations` is the end of the hundred that a game is of."""
    games = tdl.results.logged(runs)
    games["iterations"] = -(-(games["episode"] // GAMES) // STEP) * STEP
    return games


def logged_summary(games: pd.DataFrame) -> pd.DataFrame:
    """A row for each run and each 100 iterations: mean score with its 95% interval over games."""
    rows = []
    for (iterations, seed), part in games.groupby(["iterations", "seed"]):
        if part["episode"].max() < GAMES * iterations:  # a run that ended within this hundred
            continue
        low, high = mean_interval(part["score"].to_numpy())
        row = {"iterations": iterations, "seed": seed, "games": len(part), "mean": part["score"].mean()}
        rows.append(row | {"mean_low": low, "mean_high": high, "max": part["score"].max()})
    return pd.DataFrame(rows).round(1)


def snapshot_scores(evaluations: str) -> pd.DataFrame:
    """A row for each snapshot and player, with the array of its scores."""
    rows = []
    runs = tdl.results.runs(evaluations)
    for run in runs[runs["status"] == "finished"].to_dict("records"):
        row = {"seed": network_seed(run["checkpoint"]), "iterations": run["episodes"] // GAMES}
        row["player"] = PLAYERS[run["evaluate.plies"], run["evaluate.drops"]]
        rows.append(row | {"scores": np.load(Path(run["run"]) / "evaluation.npy")["score"]})
    return pd.DataFrame(rows).sort_values(["iterations", "seed", "player"])


def snapshot_summary(table: pd.DataFrame) -> pd.DataFrame:
    """Mean score of each snapshot and player with its interval."""
    rows = []
    for row in table.to_dict("records"):
        scores = row.pop("scores")
        low, high = mean_interval(scores)
        rows.append(
            row
            | {"games": len(scores), "mean": scores.mean(), "max": scores.max(), "mean_low": low, "mean_high": high}
        )
    return pd.DataFrame(rows).round(1)


def with_gains(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with the share by which a player's mean is above that of greedy play, and its 95% interval.

    Of the logarithm of a ratio of two means the variance is about the sum of their squared relative errors (the delta
    method: Casella and Berger (2002), Statistical Inference, section 5.5.4).
    """
    rows = rows.drop(columns=["gain", "gain_low", "gain_high"], errors="ignore")
    greedy = rows[rows["player"] == "greedy"].set_index(["iterations", "seed"])
    others = rows[rows["player"] != "greedy"]
    beside = greedy.loc[pd.MultiIndex.from_frame(others[["iterations", "seed"]])].set_index(others.index)
    ratio = others["mean"] / beside["mean"]
    half = sum(((part["mean_high"] - part["mean"]) / part["mean"]) ** 2 for part in (others, beside)) ** 0.5
    gains = {"gain": ratio - 1, "gain_low": ratio * np.exp(-half) - 1, "gain_high": ratio * np.exp(half) - 1}
    return rows.assign(**{name: column.round(4) for name, column in gains.items()})


def draw(folder: Path) -> str:
    """Games logged in training beside published ones, and games of snapshots, into figure.png; returns its caption."""
    logged, played = pd.read_csv(folder / "results.csv"), pd.read_csv(folder / "snapshots.csv")
    logged["line"] = "seed " + logged["seed"].astype(str)
    played["line"] = in_words(played["player"], folder) + ", seed " + played["seed"].astype(str)
    palette = dict(zip([*logged["line"].unique(), *played["line"].unique()], 2 * CYCLE, strict=False))
    looks = {"x": "iterations", "y": "mean", "hue": "line", "palette": palette, "native_scale": True}
    with panels(folder / "figure.png", 3.2, 1, 2, sharex=True, sharey=True) as (left, right):
        if (folder / "published.csv").exists():
            published = pd.read_csv(folder / "published.csv").query(f"iterations <= {logged['iterations'].max()}")
            left.plot(published["iterations"], published["mean"], "*", color=BLACK, label="published")
        if (folder / "orders.csv").exists():
            alike = pd.read_csv(folder / "orders.csv").set_index("player").loc["all alike"]
            right.axhline(alike["mean"], color=GREY, zorder=1, label="fixed order")
            right.axhline(alike["ahead"], color=GREY, zorder=1, linestyle="--", label="fixed order, look-ahead")
        for axes, rows in ((left, logged), (right, played)):
            dodge, rows = 0.3 * (rows["line"].nunique() > 1), with_bounds(rows, "mean", "mean_low", "mean_high")
            sns.pointplot(rows, **looks, **BOUNDS, **MEANS, dodge=dodge, ax=axes)
            axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2, columnspacing=1)
        left.set(title="greedy games in training", ylabel="mean score", ylim=(0, None))
        right.set(title="games of its snapshots")
    logs = "Points: means over games with 95% intervals. Left: greedy games logged in the 100 iterations before."
    return f"{logs} Right: {played['games'].max():,} games of each snapshot."


FIGURES = {"snapshots.csv": ("figure.png", draw)}
"""The csv file by which a figure is known, the figure, and what draws it."""


def main(*words: str) -> None:
    """Write results.csv, snapshots.csv and figure.png."""
    folders, options = split_options(words, "into")
    target = target_of(options, "published_dqn")
    path = target / "snapshots.csv"
    if folders:
        runs, evaluations = folders
        logged_summary(logged_games(runs)).to_csv(target / "results.csv", index=False)
        snapshot_summary(snapshot_scores(evaluations)).to_csv(path, index=False)
    with_gains(pd.read_csv(path)).to_csv(path, index=False)
    draw(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
