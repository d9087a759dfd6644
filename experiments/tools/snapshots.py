"""Makes results.csv, snapshots.csv and figure.png of a deep Q-learner, from its runs and the games of its snapshots.

    python -m experiments.tools.snapshots EXPERIMENT RUNS EVALUATIONS [into=FOLDER]

RUNS has the runs, whose logged games become results.csv; EVALUATIONS has those of tdl.evaluate on their snapshots,
which become snapshots.csv.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import tdl.results
from experiments.tools import EXPERIMENTS, split_options
from experiments.tools.summary import network_seed
from tdl.results.palette import colours
from tdl.results.style import WIDTH, caption, dress, from_zero, new_figure, save, style
from tdl.statistics.intervals import mean_interval

GAMES = 20
STEP = 100
"""Games of an iteration, and iterations of a row of the published table."""

PLAYERS = {(1, "all"): "greedy", (2, "one"): "one drop", (2, "all"): "all drops"}
"""The name of a player by its plies and its drops."""

RESAMPLES = 10_000


def logged_games(runs: str) -> pd.DataFrame:
    """The greedy games logged in training; `iterations` is the end of the hundred that a game is of."""
    games = tdl.results.logged(runs)
    games["iterations"] = -(-(games["episode"] // GAMES) // STEP) * STEP
    return games


def logged_summary(games: pd.DataFrame) -> pd.DataFrame:
    """A row for each run and each 100 iterations: mean score with its 95% interval over games."""
    rows = []
    for (iterations, seed), part in games.groupby(["iterations", "seed"]):
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
    """Mean score of each snapshot and player with its interval, and its gain over greedy play."""
    greedy = table[table["player"] == "greedy"].set_index(["iterations", "seed"])["scores"]
    rows = []
    for row in table.to_dict("records"):
        scores = row.pop("scores")
        low, high = mean_interval(scores)
        row |= {"games": len(scores), "mean": scores.mean(), "mean_low": low, "mean_high": high, "max": scores.max()}
        if row["player"] != "greedy":
            row |= gain(scores, greedy[row["iterations"], row["seed"]])
        rows.append(row)
    shares = dict.fromkeys(("gain", "gain_low", "gain_high"), 4)
    means = dict.fromkeys(("mean", "mean_low", "mean_high"), 1)
    return pd.DataFrame(rows).round(shares | means)


def gain(ahead: np.ndarray, greedy: np.ndarray) -> dict[str, float]:
    """The share by which one mean is above another, with the 95% interval of resampled games."""
    random = np.random.default_rng(0)
    means = [[random.choice(scores, len(scores)).mean() for _ in range(RESAMPLES)] for scores in (ahead, greedy)]
    low, high = np.percentile(np.array(means[0]) / np.array(means[1]), [2.5, 97.5])
    return {"gain": ahead.mean() / greedy.mean() - 1, "gain_low": low - 1, "gain_high": high - 1}


def draw(folder: Path) -> None:
    """Of results.csv, snapshots.csv and published.csv: logged games, and the snapshots' games by player."""
    logged, played = pd.read_csv(folder / "results.csv"), pd.read_csv(folder / "snapshots.csv")
    published = pd.read_csv(EXPERIMENTS / folder.name / "published.csv") if _is_published(folder) else None
    with style():
        figure = new_figure(WIDTH, 3.2)
        left, right = figure.subplots(1, 2, sharey=True)
        for (seed, part), colour in zip(logged.groupby("seed"), colours(range(9)).values(), strict=False):
            _means(left, part["iterations"] + 2.0 * int(str(seed)), part, colour, f"seed {seed}")
        if published is not None:
            within = published[published["iterations"] <= logged["iterations"].max()]
            left.plot(within["iterations"], within["mean"], "k*", markersize=8, label="published")
        left.set(xlabel="iterations", title="greedy games logged in training")
        for place, (player, colour) in enumerate(colours(list(PLAYERS.values())).items()):
            part = played[played["player"] == player]
            if len(part):
                _means(right, part["iterations"] + 2.0 * (place - 1), part, colour, str(player))
        right.set(xlabel="iterations", title="games of the snapshots")
        left.set_ylabel("mean score")
        for axes in (left, right):
            dress(axes)
            axes.set_xticks(sorted(logged["iterations"].unique()))
            from_zero(axes)
            axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=3, handlelength=1.2, columnspacing=1)
        caption(
            figure, "Points are means over games of one seed's network, bars their 95% intervals over these games."
        )
    save(figure, folder / "figure.png")


def _is_published(folder: Path) -> bool:
    return (EXPERIMENTS / folder.name / "published.csv").exists()


def _means(axes: Any, places: pd.Series, part: pd.DataFrame, colour: str, label: str) -> None:
    """Means with the intervals that the file has for them."""
    bars = [part["mean"] - part["mean_low"], part["mean_high"] - part["mean"]]
    axes.errorbar(places, part["mean"], bars, color=colour, marker="o", markersize=4, capsize=2, linestyle="none",
                  elinewidth=1.1, label=label)  # fmt: skip


def main(experiment: str, *words: str) -> None:
    """Write results.csv, snapshots.csv and figure.png."""
    (runs, evaluations), options = split_options(words, "into")
    target = Path(options.get("into", EXPERIMENTS / experiment))
    games, table = logged_games(runs), snapshot_scores(evaluations)
    logged_summary(games).to_csv(target / "results.csv", index=False)
    snapshot_summary(table).to_csv(target / "snapshots.csv", index=False)
    draw(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
