"""Makes results.csv, snapshots.csv and figure.png of a deep Q-learner, from its runs and the games of its snapshots.

    python -m experiments.tools.snapshots EXPERIMENT RUNS EVALUATIONS [into=FOLDER]

RUNS has the runs, whose logged games become results.csv; EVALUATIONS has those of tdl.evaluate on their snapshots,
which become snapshots.csv.
"""

import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("agg")

import numpy as np
import pandas as pd
import seaborn as sns

import tdl.results
from experiments.tools import EXPERIMENTS, split_options
from experiments.tools.summary import network_seed
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


def draw(games: pd.DataFrame, table: pd.DataFrame, published: pd.DataFrame, path: Path) -> None:
    """Logged games and published means against iterations; scores of the last snapshot in bands of 1,000."""
    sns.set_theme(style="whitegrid")
    figure = mpl.figure.Figure(figsize=(11, 4.5), layout="constrained")
    curve, bands = figure.subplots(1, 2)
    middle = games["iterations"] - STEP / 2 + 6 * games["seed"]  # seeds side by side
    shown = games.assign(middle=middle, seed=games["seed"].astype(str))
    sns.lineplot(shown, x="middle", y="score", hue="seed", errorbar=("ci", 95), err_style="bars", marker="o", seed=0,
                 ax=curve)  # fmt: skip
    published = published[published["iterations"] <= games["iterations"].max()]
    curve.plot(published["iterations"] - STEP / 2, published["mean"], "k*", ms=12, label="published")
    curve.set(xlabel="iterations", ylabel="score of the logged greedy games", ylim=(0, None))
    curve.legend(title="seed")

    last = table[table["iterations"] == table["iterations"].max()]
    scores = last.explode("scores").astype({"scores": int})
    sns.histplot(scores, x="scores", hue="player", hue_order=list(PLAYERS.values()), binwidth=1000,
                 binrange=(0, 8000), stat="percent", common_norm=False, multiple="dodge", shrink=0.8,
                 ax=bands)  # fmt: skip
    bands.set(xlabel="score, in bands of 1,000", ylabel="games (%)")
    bands.set_title(f"{last['iterations'].iloc[0]} iterations, seed {last['seed'].iloc[0]}", fontsize="medium")
    figure.savefig(path, dpi=110)


def main(experiment: str, *words: str) -> None:
    """Write results.csv, snapshots.csv and figure.png."""
    (runs, evaluations), options = split_options(words, "into")
    target = Path(options.get("into", EXPERIMENTS / experiment))
    games, table = logged_games(runs), snapshot_scores(evaluations)
    logged_summary(games).to_csv(target / "results.csv", index=False)
    snapshot_summary(table).to_csv(target / "snapshots.csv", index=False)
    draw(games, table, pd.read_csv(EXPERIMENTS / experiment / "published.csv"), target / "figure.png")


if __name__ == "__main__":
    main(*sys.argv[1:])
