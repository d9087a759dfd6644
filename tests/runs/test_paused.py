"""A run that its sweep pauses and lets go on is the run that it would have been, bit for bit.

Trusts the undisturbed run as the measure.
"""

import numpy as np
import pytest
from support.programs import EPISODES, SMALL, files, go_on, outcome, result

from tdl.cli.python_runs import compose_run
from tdl.cli.run import job, plan
from tdl.runs.final_summary import objective_at
from tdl.runs.resume import delete_paused_weights
from tdl.storage.run_folder import RunFolder
from tdl.sweeps.job import JobContext, without_hydra


def play(folder, *words, pause_at=1.0):
    """A job of a sweep, as far as the sweep wants it."""
    folder.mkdir(exist_ok=True)
    cfg = without_hydra(compose_run([*SMALL, f"episodes={EPISODES}", *words]))
    job(cfg, JobContext(folder, words, in_sweep=True, pause_at=pause_at), figures=False)
    return folder


@pytest.mark.parametrize(
    "words",
    [
        "learner=td",
        "learner=tc learner.td_lambda=0.5 learner.initial_value=5000",
        "learner=otd_tc learner.fixed_share=0.5 learner.schedule=halving:15",
        "learner.schedule=linear episodes=100000 budget.moves=6000",
        "learner=tc replicas=3 round=5",
        "save.every=20 save.keep=3 evaluate.average=3",
    ],
)
def test_paused_run_goes_on_bit_for_bit(tmp_path, words):
    folder, whole = tmp_path / "paused", play(tmp_path / "whole", *words.split())
    for share in (0.1, 0.3, 0.3):  # at the last nothing is left to play
        play(folder, *words.split(), pause_at=share)
        assert result(folder)["status"] == "paused"
        assert {"evaluation", "weights", "error"}.isdisjoint(result(folder))
        assert not (folder / "evaluation.npy").exists()
    assert 0 < result(folder)["episodes"] < result(whole)["episodes"]
    play(folder, *words.split())
    assert result(folder)["status"] == "finished"
    assert outcome(folder) == outcome(whole)


def test_a_paused_run_can_be_resumed_by_hand_and_is_not_done(tmp_path):
    folder = play(tmp_path / "paused", pause_at=0.5)
    assert result(folder)["episodes"] == EPISODES // 2
    cfg = without_hydra(compose_run([*SMALL, f"episodes={EPISODES}"]))
    assert not plan(cfg, JobContext(folder)).done
    go_on(folder)
    assert outcome(folder) == outcome(play(tmp_path / "whole"))
    assert plan(cfg, JobContext(folder), figures=False).done


def test_its_weights_are_deleted_and_it_can_begin_anew(tmp_path):
    folder = play(tmp_path / "paused", pause_at=0.5)
    delete_paused_weights(RunFolder(folder))
    assert (result(folder)["status"], result(folder)["weights"]) == ("paused", "deleted")
    assert not (folder / "checkpoint").exists()
    whole = play(tmp_path / "whole")
    before = files(whole)
    delete_paused_weights(RunFolder(whole))
    assert files(whole) == before
    assert outcome(play(folder)) == outcome(whole)


@pytest.mark.parametrize(
    ("share", "moves", "score"),
    [(0.1, None, 100), (0.11, None, 200), (1.0, None, 1000), (0.2, 400, 200), (0.3, 200, 300), (0.1, 5, 100)],
)
def test_the_score_at_a_share_is_that_of_the_blocks_until_there(tmp_path, share, moves, score):
    """Of ten blocks of ten games and 20 moves each."""
    rows = [f"{10 * block},{100 * block},900,20" for block in range(1, 11)]
    (tmp_path / "blocks.csv").write_text("\n".join(["episode,mean,max,moves", *rows, ""]))
    folder = RunFolder(tmp_path)
    folder.write_result({"config": {}, "episodes": 100})
    assert objective_at(folder, share, 100, moves) == score


def test_the_score_is_of_the_last_tenth_of_the_games_and_of_none_without_a_checkpoint(tmp_path):
    folder, games = RunFolder(tmp_path), np.array([2, 95, 98, 100])
    assert objective_at(folder, 0.5, 100, None) is None
    rows = [f"{episode},{mean},900,1" for episode, mean in zip(games, (5, 7, 10, 20), strict=True)]
    (tmp_path / "blocks.csv").write_text("\n".join(["episode,mean,max,moves", *rows, ""]))
    folder.write_result({"config": {}, "episodes": 98})
    assert objective_at(folder, 0.99, 100, None) is None
    folder.write_result({"config": {}, "episodes": 100})
    assert objective_at(folder, 0.99, 100, None) == (93 * 7 + 3 * 10 + 2 * 20) / 98
