"""What the options of a search do: a time limit, plies by empty cells, a cut-off, opponents; wrong ones fail."""

import time
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from support.reference_runs import random_network
from support.shapes import P75_25, RULES, drawn

from tdl.errors import ConfigError, DivergenceError
from tdl.game.boards import pack
from tdl.game.rules import Rules
from tdl.network import allocation as memory
from tdl.network.ntuple import NTupleNetwork
from tdl.network.tuples import TupleSet
from tdl.players.player import Player
from tdl.search.expectimax import Expectimax
from tdl.search.options import MAX_PLIES, PlacerOptions, SearchOptions
from tdl.training.trainer import Trainer

WORST = PlacerOptions("adversary")


def test_the_time_limit(monkeypatch):
    network, _ = random_network(RULES["4x4"])
    board = pack(drawn("2 4 8 2/. 16 . 4/2 . 32 8/4 2 8 16", Rules()), Rules())
    depths = [Player(network).values(board, plies, table=0) for plies in (1, 2, 3, 4)]
    plenty = Player(network).values(board, 4, seconds=1e6)
    assert np.array_equal(plenty, depths[3])
    start = time.monotonic()
    hasty = Player(network).values(board, MAX_PLIES, seconds=0.05)
    assert time.monotonic() - start < 600  # unlimited it would take days
    assert not np.isnan(hasty).all()
    at_once = Player(network).values(board, MAX_PLIES, seconds=1e-9)
    assert any(np.array_equal(at_once, depth) for depth in depths[:2])


def test_plies_by_empty_cells():
    network, _ = random_network(RULES["3x3"])
    player = Player(network)
    for text, plies in (("2 4 8/4 8 2/. 2 4", 3), ("2 . 8/4 . 2/. 2 4", 2), ("2 . ./. . 2/. 2 4", 1)):
        board = pack(drawn(text, RULES["3x3"]), RULES["3x3"])
        values = player.values(board, 1, by_empty=((1, 3), (3, 2)))
        assert np.array_equal(values, player.values(board, plies), equal_nan=True)


def test_a_cut_off_of_one_is_one_ply_less():
    """Every drop is then followed by one move only."""
    network, _ = random_network(RULES["3x3"])
    board = pack(drawn("2 . 8/4 . 2/. 2 4", RULES["3x3"]), RULES["3x3"])
    two = Player(network).values(board, 2)
    assert np.array_equal(Player(network).values(board, 4, cutoff=1.0), two)
    depths = [Player(network).values(board, 4, cutoff=cutoff) for cutoff in (1.0, 0.1, 0.01, 0.0)]
    assert all(not np.array_equal(one, other) for one, other in pairwise(depths))


def test_an_adversary_is_met_with_an_adversary():
    """Against the worst placer it helps to expect it."""
    rules = replace(RULES["3x3"], drop=P75_25)
    network = NTupleNetwork(rules, TupleSet(((0, 1, 2), (3, 4, 5), (0, 1, 3, 4))))
    Trainer(network, alpha=0.1, seed=1, placer=WORST).train(2000)
    means = [
        Player(network).evaluate(400, seed=2, placer=WORST, search=SearchOptions(2, against=who))["score"].mean()
        for who in ("random", "placer")
    ]
    assert means[0] < means[1]


def test_training_by_search_learns():
    rules = RULES["3x3"]
    network = NTupleNetwork(rules, TupleSet(((0, 1, 2), (3, 4, 5), (0, 1, 3, 4))))
    trainer = Trainer(network, alpha=0.1, seed=1, search=SearchOptions(2))
    first, last = (trainer.train(1000)["score"] for _ in range(2))
    assert first[:50].mean() * 1.5 < last.mean()
    assert Player(network).evaluate(200, seed=2)["score"].mean() > first[:50].mean()


def test_values_beyond_all_bounds_stop_the_games():
    network, _ = random_network(RULES["2x3"])
    network.weights[:] = np.nan
    with pytest.raises(DivergenceError):
        Player(network).evaluate(1, search=SearchOptions(2))
    assert np.isnan(Player(network).values(pack([1, 0, 2, 0, 0, 3], RULES["2x3"]), 2)).all()


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"plies": 0}, "plies: 0 is not allowed; expected a whole number from 1 to 12"),
        ({"plies": 13}, "plies: 13 is not allowed; expected a whole number from 1 to 12"),
        ({"plies": True}, "plies: True is not allowed"),
        ({"cutoff": -0.1}, "cutoff: -0.1 is not allowed; expected a number from 0 to 1"),
        ({"table": "big"}, "table: 'big' is not allowed; expected auto or a number of MiB"),
        ({"table": -1}, "table: -1 is not allowed; expected a whole number from 0 to 65536"),
        ({"downgrade": "radx"}, "downgrade: 'radx' .* did you mean 'radix'"),
        ({"downgrade": 1}, "downgrade: 1 is not allowed; expected a whole number from 2 to 31"),
        ({"seconds": 0.0}, "seconds: 0.0 is not allowed; expected a number above 0"),
        ({"against": "nobody"}, "against: 'nobody' is not allowed; expected placer or random or adv"),
        ({"by_empty": ((3, 2), (2, 3))}, "by_empty: .* numbers of empty cells that rise"),
        ({"by_empty": ((3, 0),)}, "by_empty, plies: 0 is not allowed"),
        ({"by_empty": ((26, 2),)}, "by_empty, empty cells: 26 is not allowed"),
        ({"by_empty": (3, 2)}, "by_empty: .* a list of pairs"),
    ],
)
def test_wrong_choices(choices, message):
    with pytest.raises(ConfigError, match=f"^{message}"):
        SearchOptions(**choices)


def test_a_table_larger_than_the_memory_is_refused(monkeypatch):
    monkeypatch.setattr("tdl.search.expectimax.require_memory", lambda *a: memory.require_memory(a[0], 2**60, a[2]))
    network, _ = random_network(RULES["2x2"])
    with pytest.raises(ConfigError, match=r"search.table: the values of boards searched before need .* GiB"):
        Expectimax(network, SearchOptions(2, table=1))


def test_an_unknown_option_is_named():
    network, _ = random_network(RULES["2x2"])
    with pytest.raises(ConfigError, match="cutof: no such option; expected one of against, by_empty, cutoff"):
        Player(network).values(0x1021, 2, cutof=0.1)
