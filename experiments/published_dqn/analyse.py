"""Makes the csv files and the figure of a deep Q-learner, from its runs and the games of its snapshots.

    python -m experiments.published_dqn.analyse RUNS EVALUATIONS [into=FOLDER]

RUNS has the runs, whose logged games become results.csv; EVALUATIONS has those of `tdl evaluate` on their snapshots,
which become snapshots.csv. The games of the greedy ones, all of one seed and number, are played by players, too, whose
values do not depend on the board: one for each order of the four actions, and one that values all actions alike, also
with a look-ahead over one drawn drop. orders.csv has a row for each of them, same.csv one for each snapshot, with the
player that has most of its games.
"""

import sys
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import seaborn as sns
from numpy.typing import NDArray

import tdl.results
from experiments.tools import arguments, write
from experiments.tools.drawing import BOUNDS, MEANS, in_words, panels, with_bounds
from experiments.tools.runs import network_seed
from tdl.game.engine import Engine
from tdl.game.rules import ACTION_NAMES, Rules
from tdl.players.batch_play import BatchPlayer, Moves, one_sampled_look_ahead, play_games
from tdl.players.kinds import Values
from tdl.results.style import BLACK, CYCLE, GREY
from tdl.statistics.intervals import mean_interval
from tdl.storage.result_file import RESULT, read_result

GAMES, STEP = 20, 100  # games of an iteration; iterations of a row of the published table
PLAYERS = {(1, "all"): "greedy", (2, "one"): "one drop", (2, "all"): "all drops"}  # by plies and drops
ALIKE = "all alike"  # the player that values all actions alike; of equals the first is taken, as by a deep Q-network
CHANCE = 0.01  # share of games that the best of these players has by chance


def mean_of(name: str, scores: NDArray[Any]) -> dict[str, float]:
    """The mean score of games with its 95% interval over them."""
    low, high = mean_interval(scores)
    return {name: float(scores.mean()), f"{name}_low": low, f"{name}_high": high}


def logged(games: pd.DataFrame) -> pd.DataFrame:
    """The rows of results.csv, of greedy games logged in training: one for each run and each 100 iterations."""
    rows = []
    hundreds = (-(-(games["episode"] // GAMES) // STEP) * STEP).rename("iterations")
    for (iterations, seed), part in games.groupby([hundreds, "seed"]):
        if part["episode"].max() == GAMES * iterations:  # else the run ended within this hundred
            row = {"iterations": iterations, "seed": seed, "games": len(part)}
            rows.append(row | mean_of("mean", part["score"].to_numpy()) | {"max": part["score"].max()})
    return pd.DataFrame(rows).round(1)


def snapshots(runs: pd.DataFrame) -> pd.DataFrame:
    """The rows of snapshots.csv, of evaluations: one for each snapshot and player."""
    rows = []
    for run in runs[runs["status"] == "finished"].to_dict("records"):
        scores = np.load(Path(run["run"]) / "evaluation.npy")["score"]
        row = {"seed": network_seed(run["checkpoint"]), "iterations": run["episodes"] // GAMES}
        row |= {"player": PLAYERS[run["evaluate.plies"], run["evaluate.drops"]], "games": len(scores)}
        means = mean_of("mean", scores)
        rows.append(row | {"mean": means["mean"], "max": scores.max()} | means)
    return with_gains(pd.DataFrame(rows).sort_values(["iterations", "seed", "player"]).round(1))


def with_gains(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with the share by which a player's mean is above that of greedy play, and its 95% interval.

    Of the logarithm of a ratio of two means the variance is about the sum of their squared relative errors (the delta
    method: Casella and Berger (2002), Statistical Inference, section 5.5.4).
    """
    greedy = rows[rows["player"] == "greedy"].set_index(["iterations", "seed"])
    others = rows[rows["player"] != "greedy"]
    beside = greedy.loc[pd.MultiIndex.from_frame(others[["iterations", "seed"]])].set_index(others.index)
    ratio = others["mean"] / beside["mean"]
    half = sum(((part["mean_high"] - part["mean"]) / part["mean"]) ** 2 for part in (others, beside)) ** 0.5
    gains = {"gain": ratio - 1, "gain_low": ratio * np.exp(-half) - 1, "gain_high": ratio * np.exp(half) - 1}
    return rows.assign(**{name: column.round(4) for name, column in gains.items()})


class Constant(BatchPlayer):
    """Values of the four actions that are the same on every board, but nan where illegal."""

    def __init__(self, rules: Rules, values: Sequence[float]) -> None:
        self.engine, self._values = Engine(rules), np.array(values, float)

    def q(self, moves: Moves) -> Values:
        return np.where(moves.legal, self._values, np.nan)


def players(rules: Rules) -> dict[str, Constant]:
    """A player for each order of the actions by its name, and the one that values all alike."""
    values = {" ".join(order): [-order.index(name) for name in ACTION_NAMES] for order in permutations(ACTION_NAMES)}
    values = {ALIKE: [1] * len(ACTION_NAMES)} | values
    return {name: Constant(rules, of_actions) for name, of_actions in values.items()}


def fixed_orders(runs: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows of orders.csv and of same.csv, of evaluations."""
    greedy = runs[(runs["status"] == "finished") & (runs["evaluate.plies"] == 1)].to_dict("records")
    ((games, seed),) = {(run["evaluate.episodes"], run["seed"]) for run in greedy}
    of_rules = players(Rules.from_dict(read_result(Path(greedy[0]["run"]) / RESULT)["rules"]))
    played = {name: play_games(player, games, seed) for name, player in of_rules.items()}
    ahead = mean_of("ahead", play_games(one_sampled_look_ahead(of_rules[ALIKE]), games, seed)["score"])
    orders = [
        {"player": name, "games": games} | mean_of("mean", played[name]["score"]) | (ahead if name == ALIKE else {})
        for name in played
    ]
    same = []
    for run in greedy:
        of_run = np.load(Path(run["run"]) / "evaluation.npy")  # score, moves and largest tile of each game
        shares = {name: float((of_player == of_run).mean()) for name, of_player in played.items()}
        best = max(shares, key=lambda name: shares[name])
        row = {"seed": network_seed(run["checkpoint"]), "iterations": run["episodes"] // GAMES}
        same.append(row | {"player": best if shares[best] > CHANCE else None, "same": round(shares[best], 4)})
    table = pd.DataFrame(orders).round(1).sort_values("mean", ascending=False)
    return table, pd.DataFrame(same).sort_values(["seed", "iterations"])


def draw(folder: Path) -> str:
    """Games logged in training beside published ones, and games of snapshots, into figure.png; returns its caption."""
    logs, played = pd.read_csv(folder / "results.csv"), pd.read_csv(folder / "snapshots.csv")
    logs["line"] = "seed " + logs["seed"].astype(str)
    played["line"] = in_words(played["player"], folder) + ", seed " + played["seed"].astype(str)
    palette = dict(zip([*logs["line"].unique(), *played["line"].unique()], 2 * CYCLE, strict=False))
    styles = {"x": "iterations", "y": "mean", "hue": "line", "palette": palette, "native_scale": True}
    with panels(folder / "figure.png", 3.2, 1, 2, sharex=True, sharey=True) as (left, right):
        if (folder / "published.csv").exists():
            published = pd.read_csv(folder / "published.csv").query(f"iterations <= {logs['iterations'].max()}")
            left.plot(published["iterations"], published["mean"], "*", color=BLACK, label="published")
        if (folder / "orders.csv").exists():
            alike = pd.read_csv(folder / "orders.csv").set_index("player").loc["all alike"]
            right.axhline(alike["mean"], color=GREY, zorder=1, label="fixed order")
            right.axhline(alike["ahead"], color=GREY, zorder=1, linestyle="--", label="fixed order, look-ahead")
        for axes, rows in ((left, logs), (right, played)):
            dodge, rows = 0.3 * (rows["line"].nunique() > 1), with_bounds(rows, "mean", "mean_low", "mean_high")
            sns.pointplot(rows, **styles, **BOUNDS, **MEANS, dodge=dodge, ax=axes)
            axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2, columnspacing=1)
        left.set(title="greedy games in training", ylabel="mean score", ylim=(0, None))
        right.set(title="games of its snapshots")
    points = "Points: means over games with 95% intervals. Left: greedy games logged in the 100 iterations before."
    return f"{points} Right: {played['games'].max():,} games of each snapshot."


FIGURES = {"snapshots.csv": ("figure.png", draw)}


def main(*words: str) -> None:
    (folder, evaluations), target, _ = arguments("published_dqn", words)
    runs = tdl.results.runs(evaluations)
    orders, same = fixed_orders(runs)
    write(target, results=logged(tdl.results.logged(folder)), snapshots=snapshots(runs), orders=orders, same=same)
    draw(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
