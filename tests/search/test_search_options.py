"""What the options of a search do: a time limit, plies by empty cells, a cut-off, opponents; wrong ones fail."""

import time
from itertools import pairwise

import numpy as np
import pytest
from support.reference_runs import random_network
from support.shapes import RULES, drawn

from tdl.base import machine
from tdl.errors import ConfigError, DivergenceError
from tdl.game.boards import pack
from tdl.game.rules import Rules
from tdl.players.player import Player
from tdl.search.expectimax import Expectimax
from tdl.search.options import MAX_PLIES, SearchOptions


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
        ({"table": "big"}, "table: 'big' is not allowed; expected auto or a number of MiB"),
        ({"downgrade": "radx"}, "downgrade: 'radx' .* did you mean 'radix'"),
        ({"seconds": 0.0}, "seconds: 0.0 is not allowed; expected a number above 0"),
        ({"against": "nobody"}, "against: 'nobody' is not allowed; expected placer or random or adv"),
        ({"by_empty": ((3, 2), (2, 3))}, "by_empty: .* numbers of empty cells that rise"),
        ({"by_empty": ((3, 0),)}, "by_empty, plies: 0 is not allowed"),
    ],
)
def test_wrong_choices(choices, message):
    with pytest.raises(ConfigError, match=f"^{message}"):
        SearchOptions(**choices)


def test_a_table_larger_than_the_memory_is_refused(monkeypatch):
    real = machine.require_memory
    monkeypatch.setattr("tdl.search.expectimax.require_memory", lambda key, _, what: real(key, 2**60, what))
    network, _ = random_network(RULES["2x2"])
    with pytest.raises(ConfigError, match=r"search.table: the values of boards searched before need .* GiB"):
        Expectimax(network, SearchOptions(2, table=1))
