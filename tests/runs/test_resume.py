"""A resumed run is the run it would have been, bit for bit; what cannot be resumed is refused by name.

Trusts the uninterrupted run as the measure. The runs are whole programs inside this process; only their curve, which
nothing here looks at, is left out.
"""

import itertools
import os
import shutil
import signal

import numpy as np
import pytest
from support.programs import (
    EPISODES,
    SMALL,
    checkpoint,
    ended,
    files,
    go_on,
    inside,
    learned,
    outcome,
    result,
    running,
    train,
    wait_until,
    written_at,
)
from support.sweeps import mark

import tdl
from tdl.errors import CheckpointError, ConfigError
from tdl.runs.episode_log import EpisodeLog
from tdl.runs.progress import Progress
from tdl.runs.resume import check_fits, refuse_used
from tdl.storage.checkpoint import read_meta
from tdl.storage.records import RECORD
from tdl.storage.run_folder import RunFolder, lock_folder


@pytest.fixture
def signal_after(monkeypatch):
    """Let this process get signals at the end of calls of a method: of the call of this number, and of some more."""

    def arrange(owner, name, call=1, number=signal.SIGINT, times=1):
        method, calls = getattr(owner, name), itertools.count(1)

        def counted(*args, **options):
            value = method(*args, **options)
            if call <= next(calls) < call + times:
                signal.raise_signal(number)
            return value

        monkeypatch.setattr(owner, name, counted)

    return arrange


@pytest.mark.parametrize(
    ("order", "lanes", "every"),
    [
        ("backward", 1, 20),
        ("forward", "auto", 20),
        ("backward", "auto", "null"),
        ("backward learner=tc learner.td_lambda=0.5", "auto", 20),
        ("forward learner=tc learner.initial_value=100", "auto", 20),
        ("delayed learner.td_lambda=0.5 learner.schedule=halving:15", "auto", 20),
        ("forward learner=otd_tc learner.fixed_share=0.5 learner.target=state", "auto", 20),
        ("backward learner.stages=[32,64] learner.start=carousel learner.epsilon=0.1", "auto", 20),
        ("backward learner=tc learner.stages=[8,64] learner.stage_downgrade=4 learner.promotion_share=.3", "auto", 20),
        ("backward game=2584 learner.stages=[34,89] learner.start=carousel engine=array", "auto", 20),
        ("forward placer=adversary placer.tile=chosen", "auto", 20),
        ("backward learner=tc replicas=3 round=5", "auto", 20),
        ("backward learner.stages=[32,64] learner.start=carousel replicas=2 round=10 threads=2", "auto", 20),
    ],
)
def test_stopped_run_goes_on_bit_for_bit(whole, signal_after, tmp_path, order, lanes, every):
    words = (*f"learner.order={order}".split(), f"lanes={lanes}")
    folder = tmp_path / "run"
    signal_after(EpisodeLog, "append", 3)
    stopped = inside(*SMALL, f"hydra.run.dir={folder}", f"episodes={EPISODES}", f"save.every={every}", *words)
    assert stopped.returncode == 130
    assert result(folder)["status"] == "interrupted"
    assert checkpoint(folder)[0]["episode"] == 30
    assert outcome(go_on(folder)) == outcome(whole(EPISODES, *words))
    assert result(folder)["status"] == "finished"


def test_replicas_stop_where_their_round_ends(whole, signal_after, tmp_path):
    words = ("replicas=3", "round=20", "learner=tc")
    signal_after(EpisodeLog, "append", 3)
    folder = tmp_path / "run"
    assert inside(*SMALL, f"hydra.run.dir={folder}", f"episodes={EPISODES}", *words).returncode == 130
    assert checkpoint(folder)[0]["episode"] == 40
    assert outcome(go_on(folder, "threads=3")) == outcome(whole(EPISODES, *words))


def test_resumed_many_times(whole, tmp_path):
    folder = train(tmp_path / "run", "episodes=10")
    for episodes in (20, 40, EPISODES):
        go_on(folder / "checkpoint", f"episodes={episodes}")
    assert outcome(folder) == outcome(whole(EPISODES))
    assert result(folder)["config"]["episodes"] == EPISODES


def test_finished_run_is_left_alone(finished):
    before = files(finished)
    for words in ([], ["episodes=20", "save.every=10"]):
        done = inside(f"resume={finished}", *words)
        assert done.returncode == 0
        assert "is finished" in done.stdout
    assert files(finished) == before


def test_a_new_run_does_not_begin_where_one_is(finished):
    before = files(finished)
    done = inside(*SMALL, "episodes=10", "seed=9", f"hydra.run.dir={finished}")
    assert done.returncode == 2
    assert f"{finished} holds a run already; go on with resume={finished}" in done.stderr
    assert files(finished) == before


def test_a_new_run_does_not_begin_where_one_left_no_checkpoint(tmp_path):
    """As of a run that was killed before the first: there is nothing to go on with, and nobody is told to."""
    (tmp_path / "result.json").write_text("{}")
    with pytest.raises(ConfigError, match="holds a run already, without a checkpoint; name another"):
        refuse_used(RunFolder(tmp_path), {"seed": 1})


def test_the_same_command_begins_anew_what_was_killed_before_a_checkpoint(finished, whole):
    """With the same games; another command finds a run there."""
    shutil.rmtree(finished / "checkpoint")
    mark(finished, "running")
    before = files(finished)
    words = (*SMALL, f"hydra.run.dir={finished}")
    assert inside(*words, f"episodes={EPISODES + 10}").returncode == 2
    assert files(finished) == before
    assert inside(*words, f"episodes={EPISODES}").returncode == 0
    assert outcome(finished) == outcome(whole(EPISODES))


def test_one_process_at_a_time(finished):
    before = files(finished)
    with lock_folder(finished):
        done = inside(f"resume={finished}", "episodes=90")
    assert done.returncode == 2
    assert f"{finished}: another process is working in this folder" in done.stderr
    assert files(finished) == before


def test_stopped_in_the_last_block_is_still_evaluated(whole, signal_after, tmp_path):
    folder = tmp_path / "run"
    signal_after(EpisodeLog, "append", EPISODES // 10, signal.SIGTERM)
    assert inside(*SMALL, f"hydra.run.dir={folder}", f"episodes={EPISODES}").returncode == 143
    go_on(folder)
    assert result(folder)["status"] == "finished"
    assert outcome(folder) == outcome(whole(EPISODES))


def test_stopped_while_evaluating_is_evaluated_again(whole, signal_after, tmp_path):
    """The training is saved by then."""
    folder = tmp_path / "run"
    signal_after(tdl.Player, "evaluate", number=signal.SIGTERM)
    done = inside(*SMALL, f"hydra.run.dir={folder}", f"episodes={EPISODES}")
    assert (done.returncode, result(folder)["status"]) == (143, "interrupted")
    assert not (folder / "evaluation.npy").exists()
    go_on(folder)
    assert result(folder)["status"] == "finished"
    assert outcome(folder) == outcome(whole(EPISODES))


def test_signal_before_the_first_block(whole, signal_after, tmp_path):
    """Nothing is played yet, but the run goes on as any other: it is a checkpoint of episode 0."""
    folder = tmp_path / "run"
    signal_after(EpisodeLog, "__init__")
    done = inside(*SMALL, f"episodes={EPISODES}", f"hydra.run.dir={folder}")
    assert done.returncode == 130
    assert f"stopped at episode 0; go on with resume={folder}" in done.stderr.splitlines()[-1]
    played, continued = done.stdout.splitlines()
    assert played.startswith("next: ")
    assert (played.split()[-2:], continued.split()[-2:]) == (["serve", str(folder)], ["run", f"resume={folder}"])
    assert outcome(go_on(folder)) == outcome(whole(EPISODES))


def test_second_signal_stops_at_once(signal_after, tmp_path):
    """In the middle of one block of hours: the first Ctrl-C would wait for its end."""
    folder = tmp_path / "run"
    signal_after(Progress, "update", times=2)
    done = inside(*SMALL, "episodes=100000000", "block=100000000", f"hydra.run.dir={folder}")
    assert done.returncode == 130
    assert done.stderr == "\ntdl: stopping at the end of this block; once more to stop at once\ntdl: interrupted\n"
    assert result(folder)["status"] == "interrupted"


def test_signal_to_a_process(whole, tmp_path):
    folder = tmp_path / "run"
    with running(tmp_path, *SMALL, "episodes=100000000", "save.every=50", f"hydra.run.dir={folder}") as process:
        wait_until(lambda: written_at(folder), process)
        process.send_signal(signal.SIGTERM)
        done = ended(process)
    assert (done.returncode, "Traceback" in done.stderr) == (143, False)
    assert f"go on with resume={folder}" in done.stderr.splitlines()[-1]
    assert result(folder)["status"] == "interrupted"
    assert result(folder)["episodes"] == checkpoint(folder)[0]["episode"] == len(np.load(folder / "episodes.npy"))


@pytest.mark.parametrize(
    ("override", "key"),
    [
        ("alpha=0.2", "alpha"),
        ("learner.order=forward", "learner"),
        ("experiment=quick", "tuples"),
    ],
)
def test_another_configuration_is_refused(finished, override, key):
    before = files(finished)
    done = inside(f"resume={finished}", "episodes=90", *override.split())
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert override.split("=")[0] in line
    assert f"its {key} is" in line
    assert "may change" in line
    assert files(finished) == before


def test_the_same_configuration_may_be_repeated(finished, whole):
    go_on(finished, *SMALL, "seed=0", "learner=td", "tiles=p90_10", "episodes=90")
    assert outcome(finished) == outcome(whole(90))


def test_evaluating_does_not_change_training():
    def played(between):
        network = tdl.NTupleNetwork(tdl.Rules(), tdl.TupleSet(((0, 1, 2, 3), (4, 5))))
        trainer = tdl.Trainer(network, alpha=0.1, seed=3)
        records = []
        for _ in range(4):
            records.append(trainer.train(10))
            between(network)
        return network.weights.tobytes(), np.concatenate(records).tobytes()

    assert played(lambda network: tdl.Player(network).evaluate(7, seed=3)) == played(lambda network: None)


def test_evaluation_is_repeatable_and_its_own(finished, tmp_path):
    player = tdl.load(finished)
    again = player.evaluate(5, seed=0)
    assert again.tobytes() == np.load(finished / "evaluation.npy").tobytes()
    train(tmp_path / "more", f"episodes={EPISODES}", "evaluate.episodes=8")
    assert learned(tmp_path / "more") == learned(finished)
    assert np.load(tmp_path / "more" / "evaluation.npy")[:5].tobytes() == again.tobytes()


def test_budget_of_moves_ends_at_a_block_and_can_be_raised(whole, tmp_path):
    moves = np.load(whole(EPISODES) / "episodes.npy")["moves"].reshape(-1, 10).sum(axis=1).cumsum()
    budget = int(moves[1]) + 1  # one move more than two blocks: the third is still played
    folder = train(tmp_path / "run", f"episodes={EPISODES}", f"budget.moves={budget}")
    assert checkpoint(folder)[0]["episode"] == 30
    assert result(folder)["moves"] == moves[2]
    assert result(folder)["status"] == "finished"
    assert "is finished" in inside(f"resume={folder}").stdout
    go_on(folder, f"budget.moves={moves[3]}")  # used up to the move: no further block
    assert checkpoint(folder)[0]["episode"] == 40
    go_on(folder, "budget.moves=null")
    assert outcome(folder) == outcome(whole(EPISODES))


def test_budget_of_seconds_ends_the_run_after_a_block(whole, tmp_path):
    folder = train(tmp_path / "run", "episodes=100000000", "budget.seconds=1e-9")
    assert checkpoint(folder)[0]["episode"] == 10
    assert outcome(folder) == outcome(whole(10))


def test_older_checkpoints_stay_when_asked(whole, tmp_path):
    folder = train(tmp_path / "run", f"episodes={EPISODES}", "save.every=10", "save.keep=3")
    assert outcome(folder) == outcome(whole(EPISODES))  # saving does not change the training
    assert sorted(path.name for path in (folder / "kept").iterdir()) == ["0000000040", "0000000050"]
    for episode in (40, 50):
        player = tdl.load(folder / "kept" / f"{episode:010d}")
        assert player.network.weights.tobytes() == checkpoint(whole(episode))[1]["weights"].tobytes()
    go_on(folder, "episodes=70", "save.keep=1")
    assert not list((folder / "kept").iterdir())


def test_checkpoints_stay_at_numbers_of_moves(whole, tmp_path):
    """At the first block that reaches them, also where several are reached at once, or one by the last block."""
    moves = [int(row) for row in np.cumsum(np.load(whole(EPISODES) / "episodes.npy")["moves"])[9::10]]
    marks = [1, moves[0], moves[2] - 1, moves[3] + 1]
    words = f"save.moves={marks}".replace(" ", "")
    folder = train(tmp_path / "run", f"episodes={EPISODES}", words, "save.seconds=0.001")
    names = [f"{episode:010d}" for episode in (10, 30, 50)]
    assert sorted(path.name for path in (folder / "kept").iterdir()) == names
    for episode in (10, 30, 50):
        player = tdl.load(folder / "kept" / f"{episode:010d}")
        assert player.network.weights.tobytes() == checkpoint(whole(episode))[1]["weights"].tobytes()
    go_on(folder, f"episodes={EPISODES + 20}")
    assert sorted(path.name for path in (folder / "kept").iterdir()) == names


def test_what_is_longer_than_the_checkpoint_is_cut(whole, tmp_path):
    """As after a crash: the blocks of the longer run are there, the checkpoint of the shorter one, half a line too."""
    folder = shutil.copytree(whole(90), tmp_path / "run")
    shutil.rmtree(folder / "checkpoint")
    shutil.copytree(whole(EPISODES) / "checkpoint", folder / "checkpoint")
    with (folder / "blocks.csv").open("a") as blocks, (folder / "train.log").open("a") as log:
        blocks.write("70,12")
        log.write("70\tmea")
    with (folder / "episodes.npy").open("ab") as episodes:
        episodes.write(b"\xff" * (RECORD.itemsize + 5))
    assert outcome(go_on(folder, "episodes=90")) == outcome(whole(90))


def test_lost_tables_do_not_hinder(finished, whole):
    """Only `episodes.npy` and the checkpoint are needed; the tables then begin where the run goes on."""
    (finished / "blocks.csv").unlink()
    (finished / "train.log").unlink()
    go_on(finished, "episodes=90")
    assert learned(finished) == learned(whole(90))
    assert outcome(finished)["blocks"] == outcome(whole(90))["blocks"][-3:]


def test_a_run_that_is_shorter_than_its_checkpoint_is_refused(finished):
    """Found when the run has begun: `result.json` tells of it."""
    for damage in (lambda path: os.truncate(path, path.stat().st_size - 1), os.unlink):
        damage(finished / "episodes.npy")
        before = files(finished / "checkpoint")
        done = inside(f"resume={finished}", "episodes=90")
        assert (done.returncode, done.stderr.count("\n"), "episodes.npy: c" in done.stderr) == (2, 1, True)
        assert (result(finished)["status"], files(finished / "checkpoint")) == ("failed", before)


def test_a_damaged_checkpoint_is_refused_and_left_as_it_is(finished):
    path = finished / "checkpoint" / f"weights-{EPISODES:010}.npy"
    path.write_bytes(path.read_bytes()[:-4] + b"\xff" * 4)
    before = files(finished)
    done = inside(f"resume={finished}", "episodes=90")
    assert (done.returncode, files(finished)) == (2, before)
    assert f"{path.name}: corrupt" in done.stderr


def test_a_checkpoint_does_not_fit_another_network_or_other_rules(whole):
    folder = whole(EPISODES)
    meta = read_meta(folder / "checkpoint")
    check_fits(meta, meta["network"], meta["rules"], folder)
    for network, rules, message in (({}, meta["rules"], "another network"), (meta["network"], {}, "another rules")):
        with pytest.raises(CheckpointError, match=message):
            check_fits(meta, network, rules, folder)


def test_a_foreign_checkpoint_goes_on_as_what_it_is(finished, tmp_path):
    foreign = train(tmp_path / "foreign", "tuples.cells=[[0,1,4]]", f"episodes={EPISODES}")
    shutil.rmtree(finished / "checkpoint")
    shutil.copytree(foreign / "checkpoint", finished / "checkpoint")
    assert learned(go_on(finished, "episodes=90"))["weights"] == learned(go_on(foreign, "episodes=90"))["weights"]
    assert result(finished)["config"]["tuples"]["cells"] == [[0, 1, 4]]
