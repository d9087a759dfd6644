"""Makes results.csv, snapshots.csv and figure.png of a deep Q-learner, from its runs and the games of its snapshots.

    python -m experiments.tools.snapshots EXPERIMENT RUNS EVALUATIONS [into=FOLDER]
    python -m experiments.tools.snapshots EXPERIMENT     # gains and figure of the csv files that are there

RUNS has the runs, whose logged games become results.csv; EVALUATIONS has those of tdl.evaluate on their snapshots,
which become snapshots.csv.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import tdl.results
from experiments.tools import EXPERIMENTS, split_options, target_of
from experiments.tools.networks import network_seed
from tdl.results.palette import colours
from tdl.results.style import WIDTH, caption, dress, from_zero, new_figure, save, style
from tdl.statistics.intervals import mean_interval

GAMES = 20
STEP = 100
"""Games of an iteration, and iterations of a row of the published table."""

BESIDE = 9.0
"""Iterations by which points of one place stand apart."""

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


def draw(folder: Path) -> None:
    """Of results.csv, snapshots.csv and published.csv: logged games, and the snapshots' games by player."""
    logged, played = pd.read_csv(folder / "results.csv"), pd.read_csv(folder / "snapshots.csv")
    published = pd.read_csv(EXPERIMENTS / folder.name / "published.csv") if _is_published(folder) else None
    with style():
        figure = new_figure(WIDTH, 3.2)
        left, right = figure.subplots(1, 2, sharey=True)
        for (seed, part), colour in zip(logged.groupby("seed"), colours(range(9)).values(), strict=False):
            _means(left, part["iterations"] + BESIDE * (int(str(seed)) - 1), part, colour, f"seed {seed}")
        if published is not None:
            within = published[published["iterations"] <= logged["iterations"].max()]
            left.plot(within["iterations"], within["mean"], "k*", markersize=8, label="published")
        left.set(xlabel="iterations", title="greedy games logged in training")
        for place, (player, colour) in enumerate(colours(list(PLAYERS.values())).items()):
            part = played[played["player"] == player]
            if len(part):
                _means(
                    right, part["iterations"] + BESIDE * (place - 1) + 3.0 * part["seed"], part, colour, str(player)
                )
        right.set(xlabel="iterations", title="games of the snapshots")
        left.set_ylabel("mean score")
        for axes in (left, right):
            dress(axes)
            axes.set_xticks(_ticks(sorted(logged["iterations"].unique())))
            from_zero(axes)
            axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=4, handlelength=1.2, columnspacing=1)
        caption(
            figure,
            "Means with 95% intervals over games. Left: games logged in the 100 iterations before each point. Right: "
            f"1,000 games of the snapshot there, {_seeds(played)}.",
        )
    save(figure, folder / "figure.png")


def _ticks(iterations: list[int]) -> list[int]:
    """At most five of these, the last among them."""
    return iterations[:: -1 - (len(iterations) - 1) // 5]


def _seeds(played: pd.DataFrame) -> str:
    seeds = sorted(played["seed"].unique())
    side = "side by side: " if len(seeds) > 1 else ""
    return f"{side}seed{'s' * (len(seeds) > 1)} {', '.join(map(str, seeds))}"


def _is_published(folder: Path) -> bool:
    return (EXPERIMENTS / folder.name / "published.csv").exists()


def _means(axes: Any, places: pd.Series, part: pd.DataFrame, colour: str, label: str) -> None:
    """Means with the intervals that the file has for them."""
    bars = [part["mean"] - part["mean_low"], part["mean_high"] - part["mean"]]
    axes.errorbar(places, part["mean"], bars, color=colour, marker="o", markersize=4, capsize=2, linestyle="none",
                  elinewidth=1.1, label=label)  # fmt: skip


def main(experiment: str, *words: str) -> None:
    """Write results.csv, snapshots.csv and figure.png."""
    folders, options = split_options(words, "into")
    target = target_of(options, experiment)
    path = target / "snapshots.csv"
    if folders:
        runs, evaluations = folders
        logged_summary(logged_games(runs)).to_csv(target / "results.csv", index=False)
        snapshot_summary(snapshot_scores(evaluations)).to_csv(path, index=False)
    with_gains(pd.read_csv(path)).to_csv(path, index=False)
    draw(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
