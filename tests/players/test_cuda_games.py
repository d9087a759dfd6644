"""Games on a GPU, whose kernels are compiled as plain C: the records, and all values, of the CPU, to the last bit."""

import ctypes

import numpy as np
import pytest
from support.networks import EXTRAS, SMALL, WOVEN, random_network, twins
from support.plain_device import PlainDevice, library, needs_compiler
from support.shapes import RULES, SHARE, played_boards, telling_boards

from tdl.cuda import device as machines
from tdl.cuda.kernel_text import row_table
from tdl.errors import ConfigError, DeviceError, DivergenceError
from tdl.game.boards import pack, unpack
from tdl.network.stages import Stages
from tdl.network.tuples import TupleSet
from tdl.players import cuda_games
from tdl.players.cuda_games import CALL, PROGRESS, text_of
from tdl.players.player import Baseline, Player
from tdl.search.options import PlacerOptions, SearchOptions
from tdl.training.options import Enough

NETWORKS = {
    "plain": ("4x4", WOVEN, None),
    "features": ("4x4", EXTRAS, None),
    "lowered stages": ("4x4", EXTRAS, Stages((32,), downgrade=4, share=0.9)),
    "stages by sum": ("4x4", SMALL, Stages((40, 80, 200), by="sum")),
    "radix 5": ("4x4", TupleSet(WOVEN.cells, radix=5), None),
    "2584": ("2584-4x4-75-25", SMALL, None),
    "2584, features": ("2584-4x4-75-25", EXTRAS, Stages((20,), downgrade=4)),
    "threes_law": ("threes_law-4x4", WOVEN, None),
    "80-20": ("4x4-80-20-two", SMALL, None),
}

VALUES = """
void values_of(const tdl_judge *call, const tdl_words *board, float *q)
{
    tdl_moves moves;
    tdl_find_moves(call, tdl_loaded(board), TDL_PLIES == 1, &moves);
    for (int action = 0; action < 4; action++) {
        q[action] = moves.legal[action] ? moves.q[action] : 0.0f / 0.0f;
#if TDL_PLIES > 1
        if (moves.legal[action]) {
            const tdl_board after = moves.after[action];
            float values[TDL_SPREAD];
            for (int i = 0; i < (TDL_PLIES == 2 ? 1 : tdl_marks(tdl_empty(after)) * (int)sizeof tdl_tiles); i++)
                values[i] = tdl_item_value(call, after, i);
            q[action] = (float)moves.reward[action] + call->gamma * tdl_looked(after, values);
        }
#endif
    }
}
"""


AFTER_DROP = """
void after_drop(tdl_words *board, int number)
{
    const tdl_board before = tdl_loaded(board);
    *board = tdl_stored(tdl_after_drop(before, tdl_marks(tdl_empty(before)), number));
}
"""


def player_of(which, gamma=1.0):
    """A `Player` of random values."""
    name, tuples, stages = NETWORKS[which]
    return Player(random_network(RULES[name], tuples, stages), gamma)


def assert_same_games(player, episodes, plies=1):
    """Play both ways, on the open device."""
    records = player.evaluate(episodes, seed=3, plies=plies, device="cuda")
    assert records.tolist() == player.evaluate(episodes, seed=3, plies=plies).tolist()
    return records


@needs_compiler
@pytest.mark.parametrize("which", NETWORKS)
@pytest.mark.parametrize(("plies", "boards"), [(1, 200 // SHARE), (2, 40 // SHARE), (3, 8 // SHARE)])
def test_values(which, plies, boards):
    """One ply reads no board after a drop; three read what games come to rarely."""
    player = player_of(which, gamma=0.9)
    rules, arrays = player.rules, [player.network.weights, row_table(player.engine.tables), np.zeros(1, PROGRESS)]
    call = np.zeros((), CALL)
    call["gamma"], call["share"] = player.gamma, player.network.stages.share
    for name, array in zip(("weights", "rows", "progress"), arrays, strict=True):
        call[name] = array.ctypes.data
    values_of = library(text_of(player.network, player.engine.tables, plies) + VALUES).values_of
    for board in [*played_boards(rules, boards), *(pack(tiles, rules) for tiles in telling_boards(rules, boards))]:
        words, q = np.array([board & 2**64 - 1, board >> 64], np.uint64), np.zeros(4, np.float32)
        values_of(*(ctypes.c_void_p(array.ctypes.data) for array in (call, words, q)))
        assert np.array_equal(q, player.values(board, plies), equal_nan=True)


@needs_compiler
@pytest.mark.parametrize("which", ["plain", "2584"])
def test_drops_are_in_the_order_of_a_mean(which):
    """Few sums depend on it."""
    player = player_of(which)
    after_drop = library(text_of(player.network, player.engine.tables, 2) + AFTER_DROP).after_drop
    for board in played_boards(player.rules, 20):
        expected = [
            board | tile << player.rules.bits * cell
            for tile, _ in player.rules.drop
            for cell, content in enumerate(unpack(board, player.rules))
            if not content
        ]
        for number, after in enumerate(expected):
            words = np.array([board & 2**64 - 1, board >> 64], np.uint64)
            after_drop(ctypes.c_void_p(words.ctypes.data), number)
            assert int(words[1]) << 64 | int(words[0]) == after


@pytest.mark.usefixtures("device")
@pytest.mark.parametrize("which", NETWORKS)
def test_greedy_games(which):
    assert_same_games(player_of(which), 40 // SHARE)


@pytest.mark.usefixtures("device")
@pytest.mark.parametrize("which", ["plain", "lowered stages", "2584, features", "threes_law"])
@pytest.mark.parametrize(("plies", "episodes"), [(2, 8), (3, 1)])
def test_games_that_look_ahead(which, plies, episodes):
    assert_same_games(player_of(which, gamma=0.9), episodes, plies)


@pytest.mark.usefixtures("device")
@pytest.mark.parametrize("plies", [1, 2])
def test_a_place_takes_game_after_game(monkeypatch, plies):
    monkeypatch.setattr(cuda_games, "PLACES", 3)
    monkeypatch.setattr(cuda_games, "LOOKERS", 7)
    monkeypatch.setitem(cuda_games.TURNS, plies, 50)
    assert_same_games(player_of("plain"), 20, plies)


@pytest.mark.usefixtures("device")
def test_weights_of_16_bits():
    rules = RULES["4x4"]
    half, whole = twins(rules, WOVEN)
    assert assert_same_games(Player(half), 10).tolist() == assert_same_games(Player(whole), 10).tolist()


@pytest.mark.usefixtures("device")
@pytest.mark.parametrize("plies", [1, 2])
@pytest.mark.parametrize("weight", [np.nan, 1e9])
def test_divergence(plies, weight):
    player = player_of("plain")
    player.network.weights[:] = weight
    for device in "cpu", "cuda":
        with pytest.raises(DivergenceError, match="learning diverged"):
            player.evaluate(3, plies=plies, device=device)


@pytest.mark.usefixtures("device")
@pytest.mark.parametrize("weight", [np.nan, 1e10])
def test_one_weight_that_is_beyond_all_bounds(weight):
    """A greedy game may avoid it; a look ahead refuses it wherever it is met."""
    player = player_of("plain")
    last = player.engine.board([[0, 0, 0, 2], [4, 8, 2, 4], [8, 16, 4, 2], [16, 32, 8, 4]])
    player.network.weights[player.network.entries(last)[0]] = -weight
    assert_same_games(player, 3)
    for device in "cpu", "cuda":
        with pytest.raises(DivergenceError, match="learning diverged"):
            player.evaluate(3, plies=2, device=device)


@pytest.mark.usefixtures("device")
def test_progress_and_an_early_end(monkeypatch):
    monkeypatch.setattr(cuda_games, "PLACES", 3)
    monkeypatch.setitem(cuda_games.TURNS, 1, 50)
    player, calls = player_of("plain"), []

    def on_progress(finished, moves):
        calls.append((finished, moves))
        if finished >= 5:
            raise Enough

    records = player.evaluate(20, seed=3, on_progress=on_progress, device="cuda")
    assert calls == sorted(calls)
    assert len(records) < 20
    assert records.tolist() == player.evaluate(20, seed=3)[: len(records)].tolist()


@pytest.mark.usefixtures("device")
def test_no_game():
    assert len(assert_same_games(player_of("plain"), 0)) == 0


@needs_compiler
@pytest.mark.parametrize(
    ("device", "error", "message"),
    [
        ({"memory": 1 << 10}, ConfigError, "the network and its games need .* GiB are free; process 4711"),
        ({"launches": 3}, DeviceError, "does no more work"),
    ],
)
def test_a_card_that_is_full_or_lost(monkeypatch, device, error, message):
    monkeypatch.setattr(machines, "open_device", lambda: PlainDevice(**device))
    monkeypatch.setitem(cuda_games.TURNS, 1, 50)
    with pytest.raises(error, match=message):
        player_of("plain").evaluate(50, device="cuda")


REFUSED = {
    "plies: 4 is not allowed; expected at most 3": {"search": SearchOptions(4)},
    "search.cutoff: 0.1 is not allowed; expected 0": {"search": SearchOptions(2, cutoff=0.1)},
    "search.by_empty": {"search": SearchOptions(by_empty=((3, 2),))},
    "search.downgrade: 10 is not allowed; expected null": {"search": SearchOptions(downgrade=10)},
    "search.seconds": {"search": SearchOptions(2, seconds=1.0)},
    "search.against": {"search": SearchOptions(2, against="adversary")},
    "placer.kind": {"placer": PlacerOptions("adversary")},
}


@pytest.mark.parametrize(("message", "options"), REFUSED.items(), ids=REFUSED)
def test_what_is_refused(message, options):
    with pytest.raises(ConfigError, match=message):
        player_of("plain").evaluate(3, device="cuda", **options)


@pytest.mark.parametrize(
    ("player", "message"),
    [
        (Player(random_network(RULES["4x4"], SMALL), target="state"), "target: .state. is not allowed"),
        (Baseline(RULES["4x4"], "random"), "device: 'cuda' is not allowed; expected cpu unless an n-tuple"),
        (Player(random_network(RULES["3x3"], TupleSet(((0, 1),)))), "a board of 3x3"),
        (Player(random_network(RULES["4x4"], TupleSet(SMALL.cells, share=False))), "tuples.share=true"),
    ],
)
def test_players_that_are_refused(player, message):
    with pytest.raises(ConfigError, match=message):
        player.evaluate(3, device="cuda")


@pytest.mark.extra
@pytest.mark.parametrize("which", ["plain", "lowered stages", "2584, features"])
def test_nvidia_compiles_the_kernels(monkeypatch, tmp_path, which):
    """Which needs no card."""
    cupy = pytest.importorskip("cupy")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    player = player_of(which)
    for plies, name in (1, b"tdl_greedy"), (2, b"tdl_move"), (3, b"tdl_look"):
        text = text_of(player.network, player.engine.tables, plies)
        assert name in machines.compiled(cupy, text, "sm_90")
