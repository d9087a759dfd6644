"""A trainer that was saved goes on as if it had not been; what cannot be saved or read is refused.

Trusts trainers, and `tests/storage/test_saved_folder.py` for the folder.
"""

import shutil

import numpy as np
import pytest
from support.mutations import GONE, forged

import tdl
from tdl.errors import CheckpointError, ConfigError
from tdl.network.stages import Stages
from tdl.players.kinds import read_accumulators, read_agent
from tdl.players.player import Baseline
from tdl.search.options import PlacerOptions, SearchOptions
from tdl.training.options import PlayOptions

RULES = tdl.Rules(rows=3, cols=2)
CELLS = [[0, 1, 2], [3, 4]]

OPTIONS = {
    "TC": {"step": "coherent", "td_lambda": 0.5, "order": "delayed"},
    "states": {"target": "state", "gamma": 0.9},
    "stages": {"stages": Stages((16, 32), promotion=False), "start": "carousel"},
    "milestones": {"start": "milestone", "milestone": 12, "attempts": 2},
    "replicas": {"replicas": 3, "round": [(0, 10), (30, 20)]},
    "a schedule of pairs": {"schedule": {np.int64(25): np.float32(0.2), "90%": 0.1}, "episodes": 100},
    "a schedule in words": {"schedule": "halving:10", "fixed_share": 0.3, "episodes": 100},
    "a search": {"play": PlayOptions(seed=3, engine="array", search=SearchOptions(1, by_empty=((1, 2),)))},
    "an adversary": {"play": PlayOptions(lanes=2, placer=PlacerOptions("adversary", tile="chosen"))},
}


def trainer(stages=None, **options):
    return tdl.Trainer(tdl.NTupleNetwork(RULES, CELLS, stages=stages), **options)


def learned(trainer):
    return {name: array.tobytes() for name, array in trainer.arrays().items()}


@pytest.mark.parametrize("name", OPTIONS)
def test_a_loaded_trainer_goes_on_as_the_saved_one(tmp_path, name):
    begun = trainer(**OPTIONS[name])
    begun.spent = 0.95
    begun.train(30)
    begun.save(tmp_path / "saved")
    loaded = tdl.Trainer.load(str(tmp_path / "saved"))
    for one in (begun, loaded):
        assert (one.episode, one.spent, one.alpha) == (30, 0.95, begun.alpha)
    assert (loaded.learner, loaded.play_options) == (begun.learner, begun.play_options)
    assert (loaded.moves, learned(loaded)) == (begun.moves, learned(begun))
    assert loaded.train(30).tobytes() == begun.train(30).tobytes()
    assert (loaded.moves, learned(loaded)) == (begun.moves, learned(begun))


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("saved") / "trainer"
    begun = trainer(step="coherent", gamma=0.75, target="state", expectation="direct")
    begun.train(30)
    begun.save(folder)
    return folder


def test_what_it_learned_is_a_player_and_what_runs_begin_from(saved):
    player = tdl.load(saved)
    assert (player.gamma, player.target, player.expectation) == (0.75, "state", "direct")
    sums = read_accumulators(saved, read_agent(saved), len(player.network.weights))  # as `init` reads them
    assert sums[:, 1].any()


def test_what_cannot_be_saved_is_refused_before_anything_is_written(tmp_path):
    network = tdl.NTupleNetwork(RULES, CELLS)
    judged = PlayOptions(placer=PlacerOptions("adversary"), evaluator=tdl.Player(network))
    for options, line in (
        ({"schedule": lambda episode: 0.1}, "schedule: .* expected pairs as .* a function cannot be saved"),
        ({"play": judged}, r"evaluator: Player\(.* expected None where a trainer is saved"),
    ):
        with pytest.raises(ConfigError, match=line):
            tdl.Trainer(network, **options).save(tmp_path / "new")
    assert list(tmp_path.iterdir()) == []


WRONG = {
    "trainer": [7, {}, []],
    "trainer.schedule": [GONE, {"alpha": -1}, {"alpha": 0.1, "form": 7, "episodes": None}],
    "trainer.schedule.episodes": ["x", -1, [1]],
    "trainer.play.search": [GONE, {"plies": 2}],
    "trainer.play.threads": [0, 10**6],
    "trainer.replicas.replicas": [0, "x"],
    "trainer.spent": [GONE, "x", float("inf")],
    "learner.step": ["slow"],
    "network.tuples.cells": [[[0, 7]], 7, [[0, 1, 2, 3]]],
    "network.layout": ["another"],
    "rules.rows": [7, "x"],
    "moves": [-1, GONE],
    "episode": [-1],
}


@pytest.mark.parametrize("key", WRONG)
def test_wrong_entries_are_refused_by_name(saved, tmp_path, key):
    for number, value in enumerate(WRONG[key]):
        folder = forged(shutil.copytree(saved, tmp_path / str(number)), {key: value})
        with pytest.raises(CheckpointError, match=r"meta\.json: |weights-.*\.npy: holds") as refused:
            tdl.Trainer.load(folder)
        assert "\n" not in str(refused.value)


def test_other_folders_are_no_trainers(tmp_path):
    Baseline(RULES, "random").save(tmp_path / "player")
    with pytest.raises(CheckpointError, match=r"player: no trainer was saved here; tdl.load plays it"):
        tdl.Trainer.load(tmp_path / "player")
    with pytest.raises(CheckpointError, match="no checkpoint here"):
        tdl.Trainer.load(tmp_path)
    with pytest.raises(ConfigError, match="folder: None is not allowed; expected the name of a folder"):
        tdl.Trainer.load(None)
