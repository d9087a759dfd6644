"""Games of players whose values do not depend on the board, beside the greedy games of snapshots: which are the same.

    python -m experiments.published_dqn.orders EVALUATIONS [into=FOLDER]

EVALUATIONS has those of tdl.evaluate, of one game, seed and number of games, which the players play, too: one for each
order of the four actions, and one that values all actions alike, also with a look-ahead over one drawn drop. Writes
orders.csv, a row for each player, and same.csv, a row for each snapshot with the player that has most of its games.
"""

import sys
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import tdl.results
from experiments.published_dqn.analyse import GAMES, mean_of
from experiments.tools import arguments, write
from experiments.tools.summary import network_seed
from tdl.agents.batch_moves import Moves, best_of
from tdl.agents.batch_play import Actions, play_games
from tdl.agents.lookahead import Values, one_sampled_look_ahead
from tdl.game.engine import Engine
from tdl.game.rules import ACTION_NAMES, Rules
from tdl.storage.result_file import RESULT, read_result

Games = NDArray[np.void]
ALIKE = "all alike"  # the player that values all actions alike; of equals the first is taken, as by a deep Q-network
CHANCE = 0.01  # share of games that the best of these players has by chance


class Constant:
    """Values of the four actions that are the same on every board, but nan where illegal."""

    def __init__(self, rules: Rules, values: Sequence[float]) -> None:
        self.rules, self.engine, self._values = rules, Engine(rules), np.array(values, float)

    def q(self, moves: Moves) -> Values:
        return np.where(moves.legal, self._values, np.nan)

    def select_actions(self, moves: Moves) -> Actions:
        return best_of(self.q(moves))


def players(rules: Rules) -> dict[str, Constant]:
    """A player for each order of the actions by its name, and the one that values all alike."""
    values = {" ".join(order): [-order.index(name) for name in ACTION_NAMES] for order in permutations(ACTION_NAMES)}
    values = {ALIKE: [1] * len(ACTION_NAMES)} | values
    return {name: Constant(rules, of_actions) for name, of_actions in values.items()}


def summary(played: dict[str, Games], ahead: dict[str, Games]) -> pd.DataFrame:
    """A row for each player: mean score with its 95% interval over games, and that of a look-ahead over it."""
    rows = []
    for player, games in played.items():
        looked = mean_of("ahead", ahead[player]["score"]) if player in ahead else {}
        rows.append({"player": player, "games": len(games)} | mean_of("mean", games["score"]) | looked)
    return pd.DataFrame(rows).round(1).sort_values("mean", ascending=False)


def same_games(played: dict[str, Games], games: Games) -> tuple[str, float]:
    """The player that has the most of these games, by score, moves and largest tile, and the share that it has."""
    shares = {player: float((of_player == games).mean()) for player, of_player in played.items()}
    best = max(shares, key=lambda player: shares[player])
    return best, shares[best]


def main(evaluations: str, *words: str) -> None:
    _, target, _ = arguments("published_dqn", words)
    runs = tdl.results.runs(evaluations)
    greedy = runs[(runs["status"] == "finished") & (runs["evaluate.plies"] == 1)].to_dict("records")
    ((episodes, seed),) = {(run["evaluate.episodes"], run["seed"]) for run in greedy}
    of_rules = players(Rules.from_dict(read_result(Path(greedy[0]["run"]) / RESULT)["rules"]))
    played = {name: play_games(player, episodes, seed) for name, player in of_rules.items()}
    ahead = {ALIKE: play_games(one_sampled_look_ahead(of_rules[ALIKE]), episodes, seed)}
    rows = []
    for run in greedy:
        player, share = same_games(played, np.load(Path(run["run"]) / "evaluation.npy"))
        row = {"seed": network_seed(run["checkpoint"]), "iterations": run["episodes"] // GAMES}
        rows.append(row | {"player": player if share > CHANCE else None, "same": round(share, 4)})
    write(target, orders=summary(played, ahead), same=pd.DataFrame(rows).sort_values(["seed", "iterations"]))


if __name__ == "__main__":
    main(*sys.argv[1:])
