"""Uniformly random legal play has the mean scores that it is known to have: rules, drops and starts all together.

Trusts means and standard errors of 20,000 random games, which were not measured with this program.
"""

import numpy as np
import pytest
from support.shapes import RULES

from tdl import Rules
from tdl.game.engine import TRAINING
from tdl.players.baselines import play_random

GAMES = 20_000

MEANS = [
    # rules, mean score, its standard error
    ("2048 .9/.1", RULES["4x4"], 1098.4, 3.8),
    ("2048 .8/.2, two 2s", RULES["4x4-80-20-two"], 1015.6, 3.6),
    ("2584 .9/.1", Rules("2584"), 1979.8, 7.7),
    ("2584 .75/.25 of 1 and 3", RULES["2584-4x4-75-25"], 478.4, 2.5),
]


def random_games(rules):
    """Records of games in which every move is a random one."""
    return play_random(rules, GAMES, seed=5, role=TRAINING)


def standard_error(numbers):
    return numbers.std(ddof=1) / len(numbers) ** 0.5


@pytest.mark.parametrize(("rules", "mean", "error"), [each[1:] for each in MEANS], ids=[each[0] for each in MEANS])
def test_mean_score(rules, mean, error):
    scores = random_games(rules)["score"]
    assert abs(scores.mean() - mean) < 3 * np.hypot(error, standard_error(scores))
    assert standard_error(scores) == pytest.approx(error, rel=0.1)  # the games are as unlike each other


def test_mean_number_of_moves():
    moves = random_games(RULES["4x4"])["moves"]
    assert abs(moves.mean() - 118.7) < 3 * 2**0.5 * standard_error(moves)
