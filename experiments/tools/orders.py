"""Games by a fixed order of the four actions, beside the greedy games of snapshots: which of these are the same.

    python -m experiments.tools.orders EVALUATIONS into=FOLDER

EVALUATIONS has those of tdl.evaluate, whose rules, seed and number of games the orders play. Writes orders.csv, a row
for each order, also with a look-ahead over one drawn drop, and same.csv, a row for each snapshot with the order that
has the most of its scores.
"""

import json
import sys
from itertools import permutations
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import tdl.results
from experiments.tools import split_options
from experiments.tools.networks import network_seed
from experiments.tools.snapshots import GAMES
from tdl.agents.batch_moves import Moves, best_of, moves_of_boards
from tdl.agents.batch_play import Actions, play_games
from tdl.agents.lookahead import Values, one_sampled_look_ahead
from tdl.agents.player import BoardLike
from tdl.game.engine import Engine
from tdl.game.rules import Rules
from tdl.statistics.intervals import mean_interval

Scores = NDArray[np.int64]

ACTIONS = ("up", "right", "down", "left")


class FixedOrder:
    """The first legal action of an order, whatever the board is; its values are below 4, the least reward."""

    def __init__(self, rules: Rules, order: tuple[int, ...]) -> None:
        self.rules, self.engine = rules, Engine(rules)
        self._values = 3.0 - np.argsort(order)

    def q(self, moves: Moves) -> Values:
        """Values of the four actions on boards: float64 (n, 4), nan where illegal."""
        return np.where(moves.legal, self._values, np.nan)

    def values(self, board: BoardLike) -> Values:
        """The same of one board."""
        return self.q(moves_of_boards(self.engine, [self.engine.board(board)]))[0]

    def select_actions(self, moves: Moves) -> Actions:
        """The actions on boards that each have a legal one."""
        return best_of(self.q(moves))


def players(rules: Rules) -> dict[str, FixedOrder]:
    """A player for each order of the actions, by its name."""
    orders = permutations(range(len(ACTIONS)))
    return {" ".join(ACTIONS[action] for action in order): FixedOrder(rules, order) for order in orders}


def summary(scores: dict[str, Scores], ahead: dict[str, Scores]) -> pd.DataFrame:
    """A row for each order: mean scores with 95% intervals over games, of the order and of a look-ahead over it."""
    rows: list[dict[str, str | float]] = []
    for order in scores:
        row: dict[str, str | float] = {"order": order, "games": len(scores[order])}
        for name, of_order in {"mean": scores[order], "ahead": ahead[order]}.items():
            low, high = mean_interval(of_order)
            row |= {name: of_order.mean(), f"{name}_low": low, f"{name}_high": high}
        rows.append(row)
    return pd.DataFrame(rows).round(1).sort_values("mean", ascending=False)


def same_games(scores: dict[str, Scores], games: Scores) -> tuple[str, float]:
    """The order that has the most of these games' scores, game by game, and the share that it has."""
    shares = {order: float((of_order == games).mean()) for order, of_order in scores.items()}
    best = max(shares, key=lambda order: shares[order])
    return best, shares[best]


def main(evaluations: str, *words: str) -> None:
    """Write orders.csv and same.csv."""
    _, options = split_options(words, "into")
    runs = tdl.results.runs(evaluations)
    greedy = runs[(runs["status"] == "finished") & (runs["evaluate.plies"] == 1)]
    first = greedy.iloc[0]
    rules = Rules.from_dict(json.loads((Path(first["run"]) / "result.json").read_text())["rules"])
    games, seed = int(first["evaluate.episodes"]), int(first["seed"])
    scores = {order: play_games(player, games, seed)["score"] for order, player in players(rules).items()}
    ahead = {
        order: play_games(one_sampled_look_ahead(player), games, seed)["score"]
        for order, player in players(rules).items()
    }
    rows = []
    for run in greedy.to_dict("records"):
        order, share = same_games(scores, np.load(Path(run["run"]) / "evaluation.npy")["score"])
        row = {"seed": network_seed(run["checkpoint"]), "iterations": run["episodes"] // GAMES}
        rows.append(row | {"order": order, "same": round(share, 4)})
    summary(scores, ahead).to_csv(Path(options["into"]) / "orders.csv", index=False)
    pd.DataFrame(rows).sort_values(["seed", "iterations"]).to_csv(Path(options["into"]) / "same.csv", index=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
