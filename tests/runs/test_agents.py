"""Agents other than an n-tuple network as runs: the same files, resumed and evaluated alike, in one table with them.

Trusts the games of agents without values (test_batch.py) and the deep Q-learner itself (tests/dqn).
"""

import json

import numpy as np
import pytest
from support.programs import UNDRAWN, checkpoint, files, go_on, inside, learned, result, train

import tdl.results
from tdl import Rules, load
from tdl.cli.evaluate import main as evaluate_main
from tdl.cli.games import main as games_main
from tdl.cli.run import main
from tdl.game.engine import TRAINING
from tdl.players.baselines import play_greedy, play_random
from tdl.players.batch_play import one_sampled_look_ahead, play_games
from tdl.players.kinds import KINDS, load_agent
from tdl.runs.agents import TRAINED
from tdl.statistics.summary import score_bands
from tdl.storage.checkpoint import read_meta

torch = pytest.importorskip("torch", reason="the extra dqn is not installed")

DQN = ("agent=dqn", "agent.network=dense", "agent.input=planes", "agent.width=8", "agent.learning_starts=200",
       "agent.newest=100", "agent.older=100", "agent.epochs=2", "agent.batch_size=50", "agent.buffer_size=1000",
       "agent.games=4", "size=3x3", "block=4", "evaluate.episodes=20")  # fmt: skip
"""A deep Q-learner that plays and learns an iteration of 4 games in some hundredths of a second."""

MODERN = ("agent=dqn_modern", "agent.width=8", "agent.learning_starts=100", "agent.buffer_size=1000",
          "agent.train_frequency=8", "agent.batch_size=16", "agent.games=4", "agent.target_network_frequency=20",
          "size=3x3", "block=10", "evaluate.episodes=20")  # fmt: skip


def run(folder, *words, program=UNDRAWN):
    """A run in `folder`; it must end well."""
    done = inside(f"hydra.run.dir={folder}", *words, program=program)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def deep(tmp_path_factory):
    """A run of the deep Q-learner of 40 games, with snapshots."""
    return run(tmp_path_factory.mktemp("deep") / "run", *DQN, "episodes=40", "save.every=8")


# agents without values


@pytest.mark.parametrize(("kind", "play"), [("random", play_random), ("greedy", play_greedy)])
def test_an_agent_without_values_plays_and_is_evaluated(tmp_path, kind, play):
    folder = run(tmp_path / "run", f"agent={kind}", "episodes=50", "block=20", "evaluate.episodes=30", "seed=4",
                 program=main)  # fmt: skip
    rules, again = Rules(), tmp_path / "again"
    assert (np.load(folder / "episodes.npy") == play(rules, 50, seed=4, role=TRAINING)).all()
    assert (np.load(folder / "evaluation.npy") == play(rules, 30, seed=4)).all()
    outcome = result(folder)
    assert outcome["names"] == {"game": "2048", "tiles": "p90_10", "agent": kind}
    assert outcome["evaluation"]["mean"] == play(rules, 30, seed=4)["score"].mean()
    assert (folder / "curve.png").exists()
    assert checkpoint(folder)[1] == {}
    run(again, f"checkpoint={folder}", "evaluate.episodes=30", "seed=4", program=evaluate_main)
    assert files(again)["evaluation.npy"] == files(folder)["evaluation.npy"]
    go_on(folder, "episodes=70")
    assert (np.load(folder / "episodes.npy") == play(rules, 70, seed=4, role=TRAINING)).all()


def test_every_kind_can_be_trained():
    assert TRAINED.keys() == KINDS.keys()


# the deep Q-learner


def test_a_deep_run_leaves_the_files_of_any_run(deep):
    outcome = result(deep)
    assert outcome["names"] == {"game": "2048", "tiles": "p80_20_two", "agent": "dqn"}
    assert outcome["status"] == "finished"
    assert "torch" in outcome["versions"]
    assert len(np.load(deep / "episodes.npy")) == 40
    logged = np.load(deep / "logged.npy")
    assert logged["episode"].tolist() == list(range(logged["episode"][0], 44, 4))
    assert tdl.results.logged(deep)["score"].tolist() == logged["score"].tolist()
    assert read_meta(deep / "checkpoint")["network"]["choices"]["width"] == 8
    assert len(list((deep / "kept").iterdir())) == 4  # of 8, 16, 24 and 32 games; that of 40 is the checkpoint


def test_its_scores_are_counted_in_bands(deep):
    games = np.load(deep / "evaluation.npy")
    expected = score_bands(games)
    assert [(int(low), n) for low, n in result(deep)["evaluation"]["score_bands"].items()] == expected
    frame = tdl.results.bands(deep)
    assert list(zip(frame["score"], frame["games"], strict=True)) == expected
    assert frame["share"].sum() == pytest.approx(1)
    assert tdl.results.bands(deep, 10**9)["games"].tolist() == [20]


@pytest.mark.parametrize("plies", [1, 2])
def test_its_games_move_by_move_are_those_of_its_evaluation(deep, tmp_path, plies):
    done = inside(str(deep), str(tmp_path / "a.npz"), "games=3", f"plies={plies}", "seed=5", program=games_main)
    assert done.returncode == 0, done.stderr
    with np.load(tmp_path / "a.npz") as arrays:
        assert arrays["scores"].tolist() == load_agent(deep).evaluate(3, seed=5, plies=plies)["score"].tolist()
        values = np.where(np.isnan(arrays["values"]), -np.inf, arrays["values"])
        assert (values.argmax(axis=1) == arrays["actions"]).all()


@pytest.mark.parametrize("words", [DQN, MODERN])
def test_a_deep_run_goes_on_bit_for_bit(tmp_path, words):
    whole = run(tmp_path / "whole", *words, "episodes=40", "seed=2")
    parts = run(tmp_path / "parts", *words, "episodes=20", "seed=2", "evaluate.episodes=0")
    go_on(parts, "episodes=40", "evaluate.episodes=20")
    assert learned(parts) == learned(whole)
    assert files(parts)["evaluation.npy"] == files(whole)["evaluation.npy"]
    assert np.isfinite(checkpoint(whole)[1]["weights"]).all()
    if words is DQN:
        assert files(parts)["logged.npy"] == files(whole)["logged.npy"]


def test_games_logged_after_the_checkpoint_are_cut(tmp_path):
    folder = run(tmp_path / "run", *DQN, "episodes=40")
    logged = np.load(folder / "logged.npy")
    more = np.concatenate([logged, logged[-1:]])
    more["episode"][-1] = 44
    np.save(folder / "logged.npy", more)
    go_on(folder, "episodes=44")
    again = np.load(folder / "logged.npy")
    assert (again[:-1] == logged).all()
    assert again["episode"][-1] == 44


def test_a_snapshot_is_evaluated_ahead_and_not(deep, tmp_path):
    """Greedy, over one drawn drop, and over all drops; the first as at the end of the run."""
    means = {}
    for name, words in {
        "greedy": (),
        "one": ("evaluate.plies=2", "evaluate.drops=one"),
        "all": ("evaluate.plies=2",),
    }.items():
        run(tmp_path / name, f"checkpoint={deep}", "evaluate.episodes=20", *words, program=evaluate_main)
        means[name] = np.load(tmp_path / name / "evaluation.npy")["score"].mean()
    assert files(tmp_path / "greedy")["evaluation.npy"] == files(deep)["evaluation.npy"]
    assert "torch" in result(tmp_path / "greedy")["versions"]
    games = play_games(one_sampled_look_ahead(load_agent(deep), 0), 20, 0)
    assert means["one"] == games["score"].mean()
    assert len(set(means.values())) == 3
    kept = next((deep / "kept").iterdir())
    run(tmp_path / "kept", f"checkpoint={kept}", "evaluate.episodes=5", program=evaluate_main)


def test_a_run_looks_ahead_in_its_final_games(tmp_path):
    folder = run(tmp_path / "run", *DQN, "episodes=12", "evaluate.plies=2", "evaluate.drops=one", "seed=3")
    ahead = play_games(one_sampled_look_ahead(load_agent(folder), 3), 20, 3)
    assert (np.load(folder / "evaluation.npy") == ahead).all()


# an n-tuple network, one drop ahead


def test_a_table_looks_over_one_drop(tmp_path):
    folder = train(tmp_path / "run", "episodes=300", "evaluate.plies=2", "evaluate.drops=one", "seed=5")
    ahead = play_games(one_sampled_look_ahead(load(folder), 5), 5, 5)
    assert (np.load(folder / "evaluation.npy") == ahead).all()
    assert ahead["score"].mean() != load(folder).evaluate(5, seed=5)["score"].mean()


# what is refused


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("search.cutoff=0.1",),
            "search.cutoff: 0.1 would change nothing with an agent of kind dqn; leave search",
        ),
        (("evaluate.record=1",), "evaluate.record: 1 is not allowed; expected 0 with an agent of kind dqn"),
        (("placer=adversary",), "placer.kind: 'adversary' is not allowed; expected random with an agent of kind dqn"),
        (("evaluate.drops=one",), "evaluate.drops: 'one' is not allowed; expected all unless evaluate.plies=2"),
        (("checkpoint=[{deep},{deep}]",), "is not allowed; expected one with an agent of kind dqn"),
    ],
)
def test_an_evaluation_refuses_them_too(deep, tmp_path, words, message):
    words = [word.format(deep=deep) for word in words]
    done = inside(f"checkpoint={deep}", *words, f"hydra.run.dir={tmp_path}/run", program=evaluate_main)
    assert done.returncode == 2
    assert message in done.stderr


def test_a_kind_that_there_is_not_is_refused(tmp_path):
    done = inside("agent.kind=rndom", f"hydra.run.dir={tmp_path}/run")
    assert done.returncode == 2
    assert "agent.kind: 'rndom' is not allowed; expected ntuple or dqn or random or greedy" in done.stderr


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is such a device")
def test_a_device_that_is_not_there_is_refused(tmp_path):
    done = inside(*DQN, "device=cuda", f"hydra.run.dir={tmp_path}/run")
    assert done.returncode == 2
    assert done.stderr == "tdl: device: 'cuda' is not allowed; expected cpu: PyTorch finds no CUDA device here\n"


def test_agents_stand_in_one_table(tmp_path):
    words = ("-m", "episodes=10", "evaluate.episodes=10", f"hydra.sweep.dir={tmp_path}")
    assert inside(*words, "agent=random,greedy").returncode == 0
    train(tmp_path / "table", "episodes=10", "evaluate.episodes=10")
    frame = tdl.results.runs(tmp_path)
    assert sorted(frame["agent"]) == ["greedy", "ntuple", "random"]
    assert frame["eval_mean"].notna().all()
    assert frame.set_index("agent").loc["random", "learner"] is np.nan


def test_an_older_run_is_of_an_n_tuple_network(tmp_path):
    folder = train(tmp_path / "run", "episodes=10")
    path = folder / "result.json"
    outcome = json.loads(path.read_text())
    del outcome["names"]["agent"], outcome["config"]["agent"]
    path.write_text(json.dumps(outcome))
    assert tdl.results.runs(folder)["agent"].tolist() == ["ntuple"]
