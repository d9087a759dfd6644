"""Deep Q-networks as players, and their checkpoints: what does not fit is refused before a network is made."""

import copy
import pickle
import shutil
from dataclasses import replace

import numpy as np
import pytest
from support.deep_q import MODERN, PUBLISHED, SMALL, TINY, generator, torch
from support.mutations import GONE, forged
from support.shapes import played_boards

import tdl
from tdl.dqn.dqn_player import DQNPlayer, describe, load, player_of_weights
from tdl.dqn.dqn_trainer import DQNTrainer
from tdl.dqn.networks import new_network
from tdl.errors import CheckpointError, ConfigError
from tdl.game.rules import Rules
from tdl.players.batch_play import look_ahead, moves_of_boards, one_sampled_look_ahead, play_games
from tdl.players.kinds import WEIGHTS
from tdl.search.options import SearchOptions
from tdl.storage.checkpoint import write_checkpoint
from tdl.training.options import PlayOptions

WRONG = {
    "network.choices": [GONE, 7, []],
    "network.choices.network": ["chess", [], 7],
    "network.choices.width": [0, 16383, "x", 10**9],
    "network.choices.planes": [33],
    "network.choices.scale": [float("inf"), -1],
    "network.choices.gamma": [1e300, "x"],
    "network.choices.more": [1],
    "rules.rows": [5, "x"],
    "arrays.weights.shape": [[7], 7],
}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("deep") / "checkpoint"
    meta = {"episode": 0, "rules": TINY.to_dict(), "network": describe(SMALL), "learner": {"gamma": 1.0}}
    write_checkpoint(folder, meta, DQNTrainer(TINY, SMALL).state())
    return folder


@pytest.mark.parametrize("key", WRONG)
def test_wrong_entries_are_refused_by_name(saved, tmp_path, key):
    assert load(saved).gamma == SMALL.gamma
    for number, value in enumerate(WRONG[key]):
        folder = forged(shutil.copytree(saved, tmp_path / str(number)), {key: value})
        with pytest.raises(CheckpointError, match=r"meta\.json: |weights-.*\.npy: holds"):
            load(folder)


def test_saved_and_copied_players_value_as_it_does(tmp_path):
    options = replace(SMALL, gamma=0.5)
    player = DQNPlayer(new_network(options, TINY, generator()), TINY, 0.5)
    player.save(tmp_path / "saved")
    boards = played_boards(TINY, 5)
    for again in (load(tmp_path / "saved"), copy.deepcopy(player), pickle.loads(pickle.dumps(player))):
        assert again.gamma == 0.5
        assert again.values_of(boards).tobytes() == player.values_of(boards).tobytes()


def test_each_reader_names_the_other(saved, tmp_path):
    with pytest.raises(CheckpointError, match=r"network .* of kind dqn; tdl.dqn.dqn_player.load reads it$"):
        tdl.load(saved)
    folder = forged(shutil.copytree(saved, tmp_path / "random"), {"network": {"kind": "random"}})
    with pytest.raises(CheckpointError, match=r"not of a deep Q-network; tdl.load reads it$"):
        load(folder)


@pytest.mark.parametrize("values_of", ["actions", "afterstates"])
def test_a_player_says_nan_where_illegal_and_chooses_the_best(values_of):
    options = replace(MODERN, values_of=values_of, symmetries=False, width=8)
    network = new_network(options, Rules(), generator())
    torch.nn.init.normal_(network.last.weight, generator=generator(1))
    player = DQNPlayer(network, Rules())
    for board in played_boards(Rules(), 20):
        values = player.values(board)
        assert np.flatnonzero(~np.isnan(values)).tolist() == player.engine.legal(board)
        assert player.best(board) == np.nanargmax(values)
        if values_of == "afterstates":
            for action, after, reward in player.engine.afterstates(board):
                (tiles,) = moves_of_boards(player.engine, [after]).tiles
                alone = network(torch.from_numpy(tiles)[None]).item()
                assert values[action] == pytest.approx(reward + alone, rel=1e-5, abs=1e-3)
    lost = [[2, 4, 2, 4], [4, 2, 4, 2], [2, 4, 2, 4], [4, 2, 4, 2]]
    assert player.best(lost) is None


def test_a_player_of_saved_weights_plays_the_same():
    trainer = DQNTrainer(TINY, SMALL)
    trainer.train(20)
    again = player_of_weights(SMALL, TINY, trainer.state()[WEIGHTS])
    assert np.array_equal(play_games(again, 20), play_games(trainer.player, 20))
    with pytest.raises(CheckpointError, match=r"^weights: holds \(\d+,\) numbers, this network \(\d+,\)$"):
        player_of_weights(PUBLISHED, TINY, trainer.state()[WEIGHTS])


def test_a_look_ahead_plays_many_games_at_once():
    trainer = DQNTrainer(TINY, SMALL)
    trainer.train(20)
    records = play_games(one_sampled_look_ahead(trainer.player), 30)
    assert (records["score"] > 0).all()
    search = SearchOptions(2)
    deeper = trainer.player.evaluate(30, play=PlayOptions(search=search))
    assert deeper.tobytes() == play_games(look_ahead(trainer.player, 2), 30).tobytes() != records.tobytes()
    board = [[2, 0], [2, 4]]
    values = look_ahead(trainer.player, 2).values(board)
    assert np.array_equal(
        trainer.player.action_values(search)(trainer.player.engine.board(board)), values, equal_nan=True
    )
    with pytest.raises(ConfigError, match="only the number of plies can be chosen"):
        trainer.player.action_values(SearchOptions(2, cutoff=0.1))
