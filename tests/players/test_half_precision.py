"""Players with weights of half precision play and value as players with the same weights in float32, to the last bit.

Trusts `tests/network/test_halves.py` for the values of a network, and the kernels, which have reference
implementations, for what is made of them.
"""

import numpy as np
import pytest
from support.networks import twins
from support.shapes import RULES, each_rules, each_set, played_boards, small_tuples

from tdl.network.ntuple import NTupleNetwork
from tdl.network.stages import Stages
from tdl.players.batch_play import one_sampled_look_ahead
from tdl.players.player import Player
from tdl.search.options import PlacerOptions

STAGES = Stages((8, 64, 512), promotion=False)
WAYS = {
    "one ply": {},
    "arrays": {"engine": "array"},
    "two threads": {"threads": 2, "lanes": 3},
    "two plies": {"plies": 2},
    "three plies, arrays": {"plies": 3, "cutoff": 0.05, "engine": "array"},
    "adversary": {"placer": PlacerOptions("adversary")},
    "adversary that looks ahead": {"placer": PlacerOptions("adversary", depth=2, tile="chosen")},
    "searches against an adversary": {"plies": 2, "placer": PlacerOptions("adversary")},
}
VALUES = {
    "afterstates": {},
    "states": {"target": "state"},
    "states, directly": {"target": "state", "expectation": "direct"},
    "discounted": {"gamma": 0.9},
}


def players(rules, set_name="mixed", stages=None, **values):
    return [Player(network, **values) for network in twins(rules, small_tuples(rules)[set_name], stages=stages)]


def assert_same_games(pair, episodes=4, **how):
    for instructions in NTupleNetwork.instruction_sets():
        for player in pair:
            player.network.use_instructions(instructions)
        games = [player.evaluate(episodes, 1, **how) for player in pair]
        assert games[0].tobytes() == games[1].tobytes(), instructions
        assert games[0]["moves"].min() > 0


@each_rules
@pytest.mark.parametrize("values", VALUES.values(), ids=VALUES)
def test_games_of_every_rule(rules, values):
    assert_same_games(players(rules, **values))


@each_set
@pytest.mark.parametrize("rules", ["3x3", "2584-2x3"])
def test_games_of_every_set(rules, set_name):
    assert_same_games(players(RULES[rules], set_name))
    assert_same_games(players(RULES[rules], set_name, STAGES))


@pytest.mark.parametrize("values", VALUES.values(), ids=VALUES)
@pytest.mark.parametrize("how", WAYS.values(), ids=WAYS)
def test_games_of_every_way(how, values):
    assert_same_games(players(RULES["3x3"], **values), **how)
    for rules in ("2584-2x3", "3x3"):
        assert_same_games(players(RULES[rules], stages=STAGES, **values), **how)


def test_an_adversary_that_judges_by_another_network():
    for judge in players(RULES["3x3"], "even"):
        assert_same_games(players(RULES["3x3"]), placer=PlacerOptions("adversary"), evaluator=judge)


@pytest.mark.parametrize("rules", ["3x3", "5x5", "threes_law-4x4"])
@pytest.mark.parametrize("values", VALUES.values(), ids=VALUES)
def test_values_of_boards(rules, values):
    rules = RULES[rules]
    pair, boards = players(rules, **values), played_boards(rules, 4)
    answers = [
        [player.values_of(boards), [player.values(board, plies=2) for board in boards],
         [player.best(board) for board in boards]]
        for player in pair
    ]  # fmt: skip
    for half, whole in zip(*answers, strict=True):
        np.testing.assert_array_equal(half, whole)
    if rules.cells < 17:
        after = np.array([board for board in boards if pair[0].engine.empty(board)], np.uint64)
        np.testing.assert_array_equal(*(player.afterstate_values(after) for player in pair))
    games = [one_sampled_look_ahead(player).evaluate(2) for player in pair]
    assert games[0].tobytes() == games[1].tobytes()
