"""Averaged checkpoints: the mean of the weights, whose values are the means of the members' values."""

import json

import numpy as np
import pytest
from support.programs import train

import tdl
from tdl.errors import CheckpointError, ConfigError


def trained(folder, *words):
    return train(folder, "episodes=40", *words)


@pytest.fixture(scope="module")
def members(tmp_path_factory):
    root = tmp_path_factory.mktemp("members")
    return [trained(root / str(seed), f"seed={seed}") for seed in range(3)]


BOARDS = [int(board) for board in np.random.default_rng(0).integers(0, 2**60, 50)]


def test_the_values_are_the_means_of_the_members(members):
    mean, players = tdl.average(members), [tdl.load(folder) for folder in members]
    for board in BOARDS:
        values = [player.value(board) for player in players]
        assert mean.value(board) == pytest.approx(np.mean(values), rel=1e-5, abs=1e-4)
    assert len({players[0].value(board) for board in BOARDS}) > 1
    alone = tdl.average(members[:1])
    assert np.array_equal(alone.network.weights, players[0].network.weights)


@pytest.mark.parametrize("words", [(), ("learner.stage_downgrade=4", "learner.promotion_share=0.3")])
def test_entries_that_a_member_never_moved_count_as_those_of_the_stage_before(tmp_path, words):
    stages = ("learner.stages=[32,64]", *words)
    folders = [trained(tmp_path / str(seed), f"seed={seed}", *stages) for seed in range(2)]
    mean, players = tdl.average(folders), [tdl.load(folder) for folder in folders]
    late = [board & ~0xF | 6 for board in BOARDS]  # each with a 64
    for board in late:
        assert mean.value(board) == pytest.approx(np.mean([p.value(board) for p in players]), rel=1e-5, abs=1e-4)
    weights = [player.network.weights for player in players]
    assert np.array_equal(np.isnan(mean.network.weights), np.isnan(weights).all(axis=0))
    assert 0 < np.isnan(mean.network.weights).sum() < np.isnan(weights[0]).sum()


def test_the_final_games_of_a_run_are_played_with_the_mean(tmp_path):
    run = trained(tmp_path / "run", "save.every=10", "save.keep=3", "evaluate.average=3")
    kept = sorted((run / "kept").iterdir())
    mean = tdl.average([run, *kept])
    assert len(kept) == 2
    assert json.loads((run / "result.json").read_text())["evaluation"]["checkpoints"] == 3
    games = mean.evaluate(5, seed=0)
    assert games.tobytes() == np.load(run / "evaluation.npy").tobytes()
    single = tdl.load(run).evaluate(5, seed=0)
    assert games.tobytes() != single.tobytes()


def test_checkpoints_by_the_clock_do_not_stay_beside_those_by_episodes(tmp_path):
    """Else the mean would depend on how fast the machine is. A multiple is met though blocks do not fit."""
    words = ("save.every=20", "save.keep=3", "evaluate.average=3", "episodes=90", "block=15")
    still, hasty = (trained(tmp_path / name, *words, f"save.seconds={seconds}")
                    for name, seconds in (("still", "null"), ("hasty", "1e-9")))  # fmt: skip
    for run in (still, hasty):
        assert sorted(each.name for each in (run / "kept").iterdir()) == ["0000000045", "0000000060"]
    assert (still / "evaluation.npy").read_bytes() == (hasty / "evaluation.npy").read_bytes()


@pytest.mark.parametrize("other", ["tiles=p80_20", "learner.stages=[64]", "learner.target=state", "gamma=0.5"])
def test_networks_must_be_alike(members, tmp_path, other):
    with pytest.raises(CheckpointError, match=r"other: of another network than .*; a mean needs networks alike"):
        tdl.average([members[0], trained(tmp_path / "other", other)])


def test_there_must_be_one():
    with pytest.raises(ConfigError, match=r"checkpoints: \[\] is not allowed; expected a list of at least one folder"):
        tdl.average([])
