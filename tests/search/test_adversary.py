"""The adversary against its reference, that against its definition, and what it does to a player."""

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from support.reference_runs import assert_equals_reference, selfplay
from support.shapes import RULES, random_boards, small_tuples

from tdl.errors import ConfigError
from tdl.game.boards import drawn, pack
from tdl.game.engine import ENGINES
from tdl.game.game_reference import Stream
from tdl.network.network_reference import ReferenceNetwork
from tdl.network.ntuple import NTupleNetwork
from tdl.network.stages import Stages
from tdl.network.tuples import TupleSet
from tdl.players.player import Player
from tdl.search.adversary_reference import ReferenceAdversary
from tdl.search.options import PlacerOptions
from tdl.training.options import PlayOptions
from tdl.training.trainer import Trainer

WORST = PlacerOptions("adversary")
PLACERS = {
    "worst": WORST,
    "two ahead": PlacerOptions("adversary", depth=2),
    "chosen": PlacerOptions("adversary", tile="chosen"),
    "chosen, two ahead": PlacerOptions("adversary", depth=2, tile="chosen"),
    "first empty": PlacerOptions("adversary", first_empty=True),
}
LEARNERS = {
    "forward": {"order": "forward"},
    "backward": {"order": "backward", "step": "coherent"},
    "state": {"order": "forward", "target": "state"},
    "restart": {"order": "backward", "start": "restart", "restart_moves": 4},
    "milestone": {"order": "backward", "start": "milestone", "milestone": 12},
    "none": {"order": "none"},
}
each_placer = pytest.mark.parametrize("placer", PLACERS.values(), ids=PLACERS)
few_games = settings(max_examples=2, phases=(Phase.explicit, Phase.reuse, Phase.generate))


@each_placer
@pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)
@few_games
@given(
    seed=st.integers(0, 2**63 - 1),
    shape=st.sampled_from(["2x2", "2x3", "2584-2x2", "threes_law-3x2"]),
    kind=st.sampled_from(ENGINES),
    set_name=st.sampled_from(["mixed", "odd", "orders and counts"]),
)
def test_equal_the_reference(placer, learner, seed, shape, kind, set_name):
    options = {"alpha": 0.3, "gamma": 0.9, "seed": seed, "lanes": 2, "engine": kind, "placer": placer, **learner}
    assert_equals_reference(RULES[shape], small_tuples(RULES[shape])[set_name], episodes=2, **options)


@pytest.mark.parametrize("kind", ENGINES)
@pytest.mark.parametrize("shape", ["4x4", "2584-4x4-75-25", "5x5"])
def test_equal_the_reference_on_large_boards(shape, kind):
    options = {"order": "forward", "alpha": 0.3, "seed": 2, "lanes": 1, "engine": kind, "placer": WORST}
    assert_equals_reference(RULES[shape], TupleSet(((0, 1, 5),)), stages=Stages((8,)), episodes=1, **options)


def left(player, board):
    """What a board leaves the player, one move ahead."""
    values = player.values(board)
    return 0.0 if np.isnan(values).all() else np.nanmax(values)


def trained(rules=RULES["2x3"]):
    network = NTupleNetwork(rules, small_tuples(rules)["mixed"])
    Trainer(network, alpha=0.1, seed=3).train(300)
    return network


def test_the_twin_leaves_the_player_least():
    """Trusts `Player`: of all boards that a drop could have made, the one that was made leaves it least."""
    network = trained()
    rules, player = network.rules, Player(network)
    reference = ReferenceNetwork(rules, network.tuples)
    for number, table in enumerate(network.table(k) for k in range(len(network.lengths))):
        reference.tables[number] = dict(enumerate(table))
    adversary = ReferenceAdversary(WORST, reference)
    afterstates = [after for after in random_boards(rules, 200) if 0 in after]
    assert len(afterstates) > 20
    for episode, after in enumerate(afterstates):
        tile = drawn(Stream(1, 0, episode).next(), rules)
        made = adversary.place(after, Stream(1, 0, episode))
        could = [[*after[:cell], tile, *after[cell + 1 :]] for cell, each in enumerate(after) if not each]
        assert made == min(could, key=lambda board: left(player, pack(board, rules)))


def test_an_evaluator_of_its_own():
    """An evaluator with the player's own weights plays as none; another one plays otherwise."""
    network, other = trained(), trained()
    other.weights[:] = other.weights[::-1].copy()
    options = {"seed": 4, "order": "forward", "alpha": 0.2}
    own = NTupleNetwork(network.rules, network.tuples, weights=network.weights)
    records = Player(network).evaluate(100, placer=WORST, evaluator=Player(own))
    assert np.array_equal(records, Player(network).evaluate(100, placer=WORST))
    assert not np.array_equal(
        records["score"], Player(network).evaluate(100, placer=WORST, evaluator=Player(other))["score"]
    )
    play = selfplay(network, placer=WORST, evaluator=Player(other, target="state"), **options)
    before = other.weights.copy()
    play.play(0, 20)
    assert np.array_equal(other.weights, before)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "nobody"}, "kind: 'nobody' is not allowed; expected random or adversary"),
        ({"kind": "adversary", "depth": 0}, "depth: 0 is not allowed; expected a whole number from 1 to 4"),
        ({"depth": 2}, "depth: 2 is not allowed; expected 1 unless kind=adversary"),
        (
            {"kind": "adversary", "tile": "chosen", "first_empty": True},
            "tile: 'chosen' is not allowed; expected drawn where first_empty=true",
        ),
        (
            {"kind": "adversary", "depth": 2, "first_empty": True},
            "depth: 2 is not allowed; expected 1 where first_empty=true",
        ),
    ],
)
def test_wrong_choices(options, message):
    with pytest.raises(ConfigError, match=f"^{message}"):
        PlacerOptions(**options)


@pytest.mark.parametrize(
    ("placer", "message"),
    [
        (PlacerOptions(), "placer.network: 'one' is not allowed; expected null unless placer.kind=adversary"),
        (
            PlacerOptions("adversary", first_empty=True),
            "placer.network: 'one' is not allowed; expected null where placer.first_empty=true",
        ),
    ],
)
def test_a_judge_that_is_not_asked_is_refused(placer, message):
    with pytest.raises(ConfigError, match=f"^{message}"):
        PlayOptions(placer=placer, evaluator=Player(trained()))


def test_an_evaluator_of_another_board_is_refused():
    network, other = trained(), NTupleNetwork(RULES["2x2"], TupleSet(((0, 1),)))
    with pytest.raises(ConfigError, match=r"placer.network: 'a network of 2048 2x2' .*; expected one of 2048 2x3"):
        Player(network).evaluate(1, placer=WORST, evaluator=Player(other))
