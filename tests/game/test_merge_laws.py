"""Games of one's own: against those of tdl, described anew, and what is refused.

Trusts the merge laws of `GAMES`, which tests/game/test_rules.py shows.
"""

import itertools

import numpy as np
import pytest

import tdl
from tdl.errors import ConfigError
from tdl.game.merge_laws import GAMES


def fibonacci(a, b):
    """The merge law of 2584, of tile values."""
    values = tdl.Rules("2584").tiles
    near = abs(values.index(a) - values.index(b)) == 1
    return a + b if near or a == b == 1 else 0


@pytest.mark.parametrize(
    ("name", "size", "tiles", "merge"),
    [
        ("2048", (4, 4), 15, lambda a, b: a + b if a == b else 0),
        ("2048", (2, 5), 15, lambda a, b: a + b if a == b else 0),
        ("2584", (3, 3), 31, fibonacci),
    ],
)
def test_a_game_that_is_described_anew_is_played_alike(name, size, tiles, merge):
    values = tdl.Rules(name).tiles[:tiles]
    tdl.register_game("anew", values, merge)
    games = []
    for game in (name, "anew"):
        player = tdl.Player(tdl.NTupleNetwork(tdl.Rules(game, *size), tdl.TupleSet(((0, 1, 2),))))
        games.append(player.evaluate(episodes=20, seed=1).tolist())
    assert games[0] == games[1]
    one, anew = tdl.Rules(name, *size), tdl.Rules("anew", *size)
    assert (one.tiles, one.bits, one.radix) == (anew.tiles, anew.bits, anew.radix)
    for a, b in itertools.product(range(one.largest + 1), repeat=2):
        assert one.merge(a, b) == anew.merge(a, b)
        assert one.value(one.merge(a, b)) == anew.value(anew.merge(a, b))


def test_a_network_learns_it_and_its_checkpoint_says_which_it_was(tmp_path):
    words = ("pow3", [3**i for i in range(1, 11)], lambda a, b: 3 * a if a == b else 0)
    tdl.register_game(*words)
    tdl.register_game(*words)
    network = tdl.NTupleNetwork(tdl.Rules("pow3"), tdl.tuple_set("2x4"))
    games = tdl.Trainer(network, alpha=0.1, seed=1).train(50)
    assert set(games["max_tile"].tolist()) <= set(tdl.Rules("pow3").tiles)
    with pytest.raises(ConfigError, match="there is a game 'pow3' with other rules"):
        tdl.register_game("pow3", words[1], lambda a, b: 9 * a if a == b and a < 9 else 0)


def double(a, b):
    return 2 * a if a == b else 0


def test_values_may_be_those_of_numpy_whole_floats_and_none():
    tdl.register_game("loose", np.array([2, 4, 8]), lambda a, b: float(2 * a) if a == b else None)
    tdl.register_game("loose", [2.0, 4.0, 8.0], double)


@pytest.mark.parametrize(
    ("tiles", "merge", "message"),
    [
        (3, double, "tiles: 3 is not allowed; expected a list of tile values"),
        ("248", double, "tiles: '248' is not allowed; expected a list of tile values"),
        ([2.5, 4], double, "tiles: 2.5 is not allowed; expected a whole number"),
        (["two", 4], double, "tiles: 'two' is not allowed; expected a whole number"),
        ([2, 4], None, "merge: None is not allowed; expected a function of the values of two tiles"),
        ([2, 4], lambda a, b: a * 1.25, "merge: 2.5 is not allowed; expected a whole number"),
        ([2, 4], lambda a, b: "four", "merge: 'four' is not allowed; expected a whole number"),
        ([2, 4], lambda a, b: np.array([4, 4]), r"merge: \[4, 4\] is not allowed; expected a whole number"),
    ],
)
def test_what_is_no_number_of_a_tile(tiles, merge, message):
    with pytest.raises(ConfigError, match=message):
        tdl.register_game("wrong", tiles, merge)


@pytest.mark.parametrize(
    ("name", "tiles", "merge", "more", "telling"),
    [
        ("2048", [2, 4], double, {}, "there is a game '2048'"),
        ("Mine", [2, 4], double, {}, "name: 'Mine' is not allowed; expected lower-case letters"),
        ("mine", [4, 2], double, {}, "tiles: .* ascending"),
        ("mine", [2, 5, 8], double, {}, "merge: 4 is not allowed; expected a tile of mine, for 2 and 2, or 0"),
        ("mine", [2, 4], lambda a, b: 8 if a < b else 0, {}, "merge: 2 and 4 merge into 8, and 4 and 2 do not"),
        (
            "mine",
            [2, 4, 8],
            lambda a, b: 4 if a + b == 12 else 0,
            {},
            "merge: 4 is not allowed; expected a tile above",
        ),
        ("mine", [2, 4], lambda a, b: a + b + 8, {}, r"merge: \[12, 14, 16\] are above the last tile"),
        ("mine", [2, 2**30], lambda a, b: 0, {}, "tiles: 1073741824 is not allowed"),
        ("mine", [2, 4], double, {"radix": 4}, "radix: 4 is not allowed; expected 2 to 3"),
        ("fib", [2, 4], double, {}, "name: 'fib' is not allowed; expected another name than the old one of 2584"),
    ],
)
def test_what_is_no_game_is_refused(name, tiles, merge, more, telling):
    with pytest.raises(ConfigError, match=telling):
        tdl.register_game(name, tiles, merge, **more)
    assert "mine" not in GAMES
