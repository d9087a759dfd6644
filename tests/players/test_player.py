"""Loading a trained network and asking it for moves; what the Python interface refuses.

Trusts the engine's moves and the network's value, which have reference implementations.
"""

import math

import numpy as np
import pytest
from support.programs import SMALL, checkpoint, train

import tdl
from tdl.base import machine
from tdl.errors import CheckpointError, ConfigError
from tdl.game.engine import EVALUATION
from tdl.learning.options import LearnerOptions
from tdl.learning.schedule import Schedule
from tdl.network.stages import Stages
from tdl.players.kinds import load_agent
from tdl.players.player import Baseline
from tdl.players.policy import Policy
from tdl.search.options import SearchOptions
from tdl.storage.checkpoint import read_meta
from tdl.storage.records import RECORD
from tdl.training.options import PlayOptions

CELLS = ((0, 1, 2, 3), (4, 5))

BOARDS = {
    "start": [[0, 2, 0, 0], [0, 0, 0, 0], [0, 0, 0, 4], [0, 0, 0, 0]],
    "merges": [[2, 2, 4, 4], [8, 8, 8, 8], [0, 0, 2, 2], [16, 0, 0, 16]],
    "one way": [[2, 4, 8, 0], [4, 2, 4, 0], [2, 4, 2, 0], [4, 2, 4, 0]],
    "last merge": [[2, 4, 8, 16], [4, 8, 16, 32], [8, 16, 32, 128], [16, 32, 64, 64]],
    "over": [[2, 4, 2, 4], [4, 2, 4, 2], [2, 4, 2, 4], [4, 2, 4, 2]],
}
LEGAL = {"start": [0, 1, 2, 3], "merges": [0, 1, 2, 3], "one way": [1], "last merge": [1, 3], "over": []}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A short run with two older checkpoints, and gamma other than 1."""
    words = ("episodes=60", "gamma=0.75", "save.every=20", "save.keep=3")
    return train(tmp_path_factory.mktemp("player") / "run", *words)


@pytest.fixture
def player(folder):
    return tdl.load(folder)


def network(**more):
    return tdl.NTupleNetwork(tdl.Rules(), tdl.TupleSet(CELLS), **more)


def test_load_finds_the_checkpoint(folder):
    weights = checkpoint(folder)[1]["weights"]
    for place in (folder, str(folder), folder / "checkpoint"):
        player = tdl.load(place)
        assert player.network.weights.tobytes() == weights.tobytes()
        assert player.network.tuples.cells == CELLS
        assert player.network.rules == tdl.Rules()
        assert player.gamma == 0.75
    older = tdl.load(folder / "kept" / "0000000020")
    assert older.network.weights.tobytes() != weights.tobytes()


def test_a_saved_player_is_what_it_was(tmp_path, folder):
    """Of a run it keeps what it is: no configuration, with which a run could go on."""
    stages = tdl.NTupleNetwork(tdl.Rules(rows=3, cols=4), CELLS, stages=Stages((16,), by="sum"), initial_value=7)
    players = tdl.load(folder), tdl.Player(stages, 0.5, "state", "direct"), tdl.average([folder, folder])
    for number, player in enumerate(players):
        player.save(tmp_path / str(number))
        again = tdl.load(str(tmp_path / str(number)))
        assert (again.rules, again.network.describe()) == (player.rules, player.network.describe())
        assert (again.gamma, again.target, again.expectation) == (player.gamma, player.target, player.expectation)
        assert again.network.weights.tobytes() == player.network.weights.tobytes()
        assert not {"config", "names", "seconds"} & read_meta(tmp_path / str(number)).keys()
    again.save(tmp_path / "2")  # into the file that its weights are mapped from
    assert tdl.load(tmp_path / "2").network.weights.tobytes() == player.network.weights.tobytes()


def test_a_saved_baseline_plays_the_same_games(tmp_path):
    for kind in ("random", "greedy"):
        baseline = Baseline(tdl.Rules(rows=2, cols=3), kind)
        baseline.save(tmp_path / kind)
        assert load_agent(tmp_path / kind).evaluate(5, seed=2).tobytes() == baseline.evaluate(5, seed=2).tobytes()


def test_a_function_cannot_be_saved(tmp_path):
    with pytest.raises(ConfigError, match="save: a Policy has no network to save"):
        Policy(max, tdl.Rules()).save(tmp_path / "policy")
    assert not list(tmp_path.iterdir())


def test_load_says_what_is_missing(tmp_path):
    with pytest.raises(CheckpointError, match="no checkpoint here"):
        tdl.load(tmp_path)
    with pytest.raises(CheckpointError, match="nowhere"):
        tdl.load(tmp_path / "nowhere")


@pytest.mark.parametrize("name", BOARDS)
def test_values_are_reward_and_value_of_the_afterstate_and_the_first_of_the_largest_is_best(player, name):
    values, best = player.values(BOARDS[name]), player.best(BOARDS[name])
    assert (values.shape, values.dtype) == ((4,), np.float64)
    assert np.flatnonzero(~np.isnan(values)).tolist() == LEGAL[name]
    for action in LEGAL[name]:
        after, reward = player.engine.move(BOARDS[name], action)
        expected = np.float32(reward) + np.float32(0.75) * np.float32(player.value(after))  # float32, as in play
        assert values[action] == expected
    assert best == (values.tolist().index(np.nanmax(values)) if LEGAL[name] else None)


def test_first_of_equals():
    """An untrained network knows rewards only: up and down merge the same tiles, right and left none."""
    fresh = tdl.Player(network())
    board = [[2, 0, 0, 0], [2, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]
    assert fresh.values(board)[[0, 2]].tolist() == [4, 4]
    assert fresh.best(board) == 0
    assert fresh.best([[0, 0, 0, 0], [2, 2, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]) == 1


@pytest.mark.parametrize("name", BOARDS)
def test_boards_as_numbers_lists_and_arrays(player, name):
    board = BOARDS[name]
    packed = sum(int(math.log2(value)) << 4 * cell for cell, value in enumerate(np.ravel(board)) if value)
    assert player.value(packed) == player.value(board) == player.value(np.array(board))
    for same in (board, np.array(board), np.array(board, np.uint16), np.uint64(packed)):
        np.testing.assert_array_equal(player.values(same), player.values(packed))
        assert player.best(same) == player.best(packed)
    assert player.engine.array(packed).tolist() == board


EMPTY_ROWS = [[0] * 4] * 3


@pytest.mark.parametrize(
    "board",
    [-1, 1 << 64, 1.5, "board", True, [1, 2, 3], [[2, 4], [2, 4]], [[3, 0, 0, 0], *EMPTY_ROWS],
     [[65536, 0, 0, 0], *EMPTY_ROWS], [[-2, 0, 0, 0], *EMPTY_ROWS]],
    ids=repr,
)  # fmt: skip
def test_what_is_no_board(player, board):
    for ask in (player.value, player.values, player.best):
        with pytest.raises(ConfigError, match="board"):
            ask(board)


def test_loaded_weights_play_and_a_copy_of_them_learns(player):
    with pytest.raises(ConfigError, match="read-only"):
        tdl.Trainer(player.network, alpha=0.1)
    with pytest.raises(ValueError, match="read-only"):
        player.network.set_table(0, np.zeros(16**4))
    before = player.network.weights.tobytes()
    assert len(player.evaluate(3)) == 3
    assert player.network.weights.tobytes() == before
    copy = network(weights=player.network.weights.copy())
    tdl.Trainer(copy, alpha=0.1).train(5)
    assert copy.weights.tobytes() != before


@pytest.mark.parametrize("key", ["alpha", "gamma", "order", "seed", "episode", "lanes"])
def test_trainer_refuses(key):
    wrong = {
        "alpha": (-1.0, 0.0, math.nan, math.inf),
        "gamma": (2.0, -0.1, math.nan),
        "order": ("none",),
        "seed": (-1, 1 << 64),
        "episode": (-1,),
        "lanes": (0, 65, "many", 1.5, True),
    }
    for value in wrong[key]:
        with pytest.raises(ConfigError, match=f"^{key}: "):
            tdl.Trainer(network(), **{"alpha": 0.1, key: value})


@pytest.mark.parametrize(
    ("keywords", "telling"),
    [
        ({"episodes": -1}, "episodes: -1"),
        ({"threads": 0}, "threads: 0"),
        ({"thread": 2}, "thread: no such option; .*; did you mean 'threads'"),
        ({"alpha": 0.1}, "alpha: no such option"),
        ({"depth": 2}, r"depth: no such option; expected .*; did you mean 'plies'\?"),
    ],
    ids=str,
)
def test_evaluate_refuses(keywords, telling):
    with pytest.raises(ConfigError, match=telling):
        tdl.Player(network()).evaluate(**{"episodes": 1, **keywords})


def test_a_discount_may_be_numpys():
    assert type(tdl.Player(network(), np.float32(0.5)).gamma) is float


@pytest.mark.parametrize("gamma", [2.0, math.nan])
def test_a_player_refuses_a_discount(gamma):
    with pytest.raises(ConfigError, match="gamma"):
        tdl.Player(network(), gamma)


def test_options_are_taken_whole_or_by_name():
    """Keywords replace fields of the objects; either way the same is learned and played."""
    learner, play = LearnerOptions(order="forward", gamma=0.5), PlayOptions(seed=3, lanes=2)
    trainers = [
        tdl.Trainer(network(), learner=learner, schedule=Schedule(0.2, form="linear", episodes=20), play=play),
        tdl.Trainer(network(), alpha=0.2, schedule="linear", episodes=20, order="forward", gamma=0.5, seed=3, lanes=2),
        tdl.Trainer(network(), alpha=0.2, form="linear", learner=learner, episodes=20, play=PlayOptions(3), lanes=2),
    ]
    for trainer in trainers:
        trainer.train(20)
    assert len({trainer.network.weights.tobytes() for trainer in trainers}) == 1
    assert {(trainer.learner, trainer.schedule, trainer.play_options) for trainer in trainers} == {
        (learner, Schedule(0.2, "linear", 20), play)
    }
    player = tdl.Player(network(), 0.5)
    expected = player.evaluate(3, 4, lanes=1).tobytes()
    assert player.evaluate(3, play=PlayOptions(4)).tobytes() == expected == player.evaluate(3, seed=4).tobytes()


def test_no_games():
    trainer = tdl.Trainer(network(), alpha=0.1)
    for records in (trainer.train(0), tdl.Player(network()).evaluate(0)):
        assert (records.shape, records.dtype) == ((0,), RECORD)
    assert (trainer.episode, trainer.moves) == (0, 0)
    assert math.isnan(trainer.mean_abs_error)


def test_trainer_counts():
    trainer = tdl.Trainer(network(), alpha=0.1, episode=30)
    first, second = trainer.train(10), trainer.train(5)
    assert np.concatenate([first, second])["episode"].tolist() == list(range(30, 45))
    assert trainer.episode == 45
    assert trainer.moves == first["moves"].sum() + second["moves"].sum()
    assert trainer.mean_abs_error > 0


def test_the_order_of_blocks_does_not_matter_with_one_lane():
    """One lane plays game after game: where the blocks end then changes nothing at all."""

    def learned(*blocks):
        net = network()
        trainer = tdl.Trainer(net, alpha=0.1, lanes=1, seed=5)
        return np.concatenate([trainer.train(block) for block in blocks]).tobytes(), net.weights.tobytes()

    assert learned(30) == learned(10, 10, 10) == learned(1, 29)


@pytest.mark.parametrize(
    "how", [{"lanes": 2}, {"lanes": 64}, {"lanes": "auto"}, {"threads": 3, "lanes": 7}, {"engine": "array"}], ids=str
)
def test_evaluation_does_not_depend_on_how_games_are_played(player, how):
    assert player.evaluate(9, **how).tobytes() == player.evaluate(9, lanes=1).tobytes()


@pytest.mark.parametrize("threads", [2, 3])
def test_games_that_look_ahead_do_not_depend_on_threads(player, threads):
    ahead = player.evaluate(7, plies=2)
    assert ahead.tobytes() == player.evaluate(7, plies=2, threads=threads).tobytes()
    assert ahead["score"].mean() > player.evaluate(7)["score"].mean()


def test_evaluation_plays_as_the_player_chooses(player):
    """The compiled loop against one that asks the player for every move."""
    for record in player.evaluate(5, seed=11):
        drops = tdl.Stream(11, EVALUATION, int(record["episode"]))
        board, score, moves = player.engine.start(drops), 0, 0
        while (action := player.best(board)) is not None:
            board, reward = player.engine.move(board, action)
            board, score, moves = player.engine.place(board, drops), score + reward, moves + 1
        assert (record["score"], record["moves"], record["max_tile"]) == (score, moves, player.engine.max_tile(board))


def test_run_folder_learns_what_its_configuration_says(folder):
    """The program against the Python interface."""
    net = network()
    trainer = tdl.Trainer(net, alpha=0.1, gamma=0.75, seed=0)
    records = np.concatenate([trainer.train(10) for _ in range(6)])
    assert SMALL[1] == "block=10"
    assert records.tobytes() == np.load(folder / "episodes.npy").tobytes()
    assert net.weights.tobytes() == checkpoint(folder)[1]["weights"].tobytes()


def test_sums_that_do_not_fit_are_refused(monkeypatch):
    network = tdl.NTupleNetwork(tdl.Rules(), tdl.TupleSet(((0, 1, 2),)))
    monkeypatch.setattr(machine, "available_memory", lambda: 8 * 4096 - 1)
    with pytest.raises(ConfigError, match=r"step: the 8,192 numbers of step=coherent need 0\.0 GiB of memory"):
        tdl.Trainer(network, alpha=1.0, step="coherent")
    tdl.Trainer(network, alpha=1.0)


def test_games_are_searched_by_keywords_too():
    player = tdl.Player(tdl.NTupleNetwork(tdl.Rules(rows=2, cols=3), [[0, 1, 2]]))
    by_keyword, by_options = player.evaluate(5, seed=3, plies=2), player.evaluate(5, seed=3, search=SearchOptions(2))
    assert by_keyword.tolist() == by_options.tolist() != player.evaluate(5, seed=3).tolist()
