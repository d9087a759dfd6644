"""From the runs of the deep Q-learner and the evaluations of its snapshots to csv files and a figure.

    python experiments/r4_dqn/table.py RUNS EVALUATIONS

RUNS has the runs of experiment=r4_dqn, EVALUATIONS those of tdl.evaluate on their snapshots. Writes results.csv (the
logged games), snapshots.csv and figure.png.
"""

import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("agg")

import numpy as np
import pandas as pd
import seaborn as sns

import tdl.results
from tdl.statistics.intervals import mean_interval

HERE = Path(__file__).parent
GAMES = 20
STEP = 100
"""Games of an iteration, and iterations of a row of the published table."""

HOW = {(1, "all"): "greedy", (2, "one"): "one drop", (2, "all"): "all drops"}
SAMPLES = 10_000


def logged(runs: str) -> pd.DataFrame:
    """The logged games of every 100 iterations: a row for each run."""
    games = tdl.results.logged(runs)
    games["iterations"] = -(-(games["episode"] // GAMES) // STEP) * STEP
    rows = []
    for (iterations, seed), part in games.groupby(["iterations", "seed"]):
        low, high = mean_interval(part["score"].to_numpy())
        row = {"iterations": iterations, "seed": seed, "games": len(part), "mean": part["score"].mean()}
        rows.append(row | {"mean_low": low, "mean_high": high, "max": part["score"].max()})
    table = pd.DataFrame(rows).round(1)
    table.to_csv(HERE / "results.csv", index=False)
    return games


def gain(ahead: np.ndarray, greedy: np.ndarray) -> dict[str, float]:
    """By how much one mean is above another, with the 95% interval of resampled games."""
    random = np.random.default_rng(0)
    means = [[random.choice(each, len(each)).mean() for _ in range(SAMPLES)] for each in (ahead, greedy)]
    low, high = np.percentile(np.array(means[0]) / np.array(means[1]), [2.5, 97.5])
    return {"gain": ahead.mean() / greedy.mean() - 1, "gain_low": low - 1, "gain_high": high - 1}


def snapshots(evaluations: str) -> pd.DataFrame:
    """The games of each snapshot, greedy and looking ahead."""
    rows = []
    played = tdl.results.runs(evaluations)
    for run in played[played["status"] == "finished"].to_dict("records"):
        scores = np.load(Path(run["run"]) / "evaluation.npy")["score"]
        how = HOW[run["evaluate.plies"], run["evaluate.drops"]]
        of = next(each for each in Path(run["checkpoint"], "x").parents if (each / "result.json").exists())
        seed = tdl.results.runs(of)["seed"][0]
        rows.append({"seed": seed, "iterations": run["episodes"] // GAMES, "player": how, "scores": scores})
    table = pd.DataFrame(rows).sort_values(["iterations", "seed", "player"])
    greedy = table[table["player"] == "greedy"].set_index(["iterations", "seed"])["scores"]
    figures = []
    for row in table.to_dict("records"):
        scores = row.pop("scores")
        low, high = mean_interval(scores)
        row |= {"games": len(scores), "mean": scores.mean(), "mean_low": low, "mean_high": high, "max": scores.max()}
        if row["player"] != "greedy":
            row |= gain(scores, greedy[row["iterations"], row["seed"]])
        figures.append(row)
    shares = dict.fromkeys(("gain", "gain_low", "gain_high"), 4)
    means = dict.fromkeys(("mean", "mean_low", "mean_high"), 1)
    pd.DataFrame(figures).round(shares | means).to_csv(HERE / "snapshots.csv", index=False)
    return table


def draw(games: pd.DataFrame, table: pd.DataFrame) -> None:
    """Logged games and published means against iterations; bands of the scores of the last snapshot."""
    sns.set_theme(style="whitegrid")
    figure = mpl.figure.Figure(figsize=(11, 4.5), layout="constrained")
    curve, bands = figure.subplots(1, 2)
    middle = games["iterations"] - STEP / 2 + 6 * games["seed"]  # side by side
    shown = games.assign(middle=middle, seed=games["seed"].astype(str))
    sns.lineplot(shown, x="middle", y="score", hue="seed", errorbar=("ci", 95), err_style="bars", marker="o", seed=0,
                 ax=curve)  # fmt: skip
    published = pd.read_csv(HERE / "published.csv")
    published = published[published["iterations"] <= games["iterations"].max()]
    curve.plot(published["iterations"] - STEP / 2, published["mean"], "k*", ms=12, label="published")
    curve.set(xlabel="iterations", ylabel="score of the logged greedy games", ylim=(0, None))
    curve.legend(title="seed")

    last = table[table["iterations"] == table["iterations"].max()]
    scores = last.explode("scores").astype({"scores": int})
    sns.histplot(scores, x="scores", hue="player", hue_order=list(HOW.values()), binwidth=1000, binrange=(0, 8000),
                 stat="percent", common_norm=False, multiple="dodge", shrink=0.8, ax=bands)  # fmt: skip
    bands.set(xlabel="score, in bands of 1,000", ylabel="games (%)")
    bands.set_title(f"{last['iterations'].iloc[0]} iterations, seed {last['seed'].iloc[0]}", fontsize="medium")
    figure.savefig(HERE / "figure.png", dpi=110)


if __name__ == "__main__":
    draw(logged(sys.argv[1]), snapshots(sys.argv[2]))
