"""Old names and those of other programs are answered with ours; files that commit 1c2f22c wrote are read.

`tests/data/old_names.tar.gz` has two finished runs, an evaluation with a recorded game, and a solution.
"""

import doctest
import json
import tarfile
from pathlib import Path

import pytest
from support.programs import inside

import tdl
from tdl.base import synonyms
from tdl.base.synonyms import choice_hint, like
from tdl.cli import evaluate
from tdl.config.files import group_names
from tdl.config.schema import RUN
from tdl.players.kinds import read_agent
from tdl.sessions.game_file import load as load_game
from tdl.solver.solution import load as load_solution

OLD = Path(__file__).parents[1] / "data" / "old_names.tar.gz"


@pytest.fixture
def old(tmp_path):
    with tarfile.open(OLD) as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path


def test_examples():
    told = doctest.testmod(synonyms)
    assert (told.attempted, told.failed) == (5, 0)


def test_old_names_are_answered_with_the_new():
    """The new ones are keys and choices, and the old ones are not."""
    known = RUN.keys
    assert not {*synonyms.OLD_KEYS} & {*known}
    for old, new in synonyms.OLD_KEYS.items():
        assert new in known
        assert like(old, known) == f"; did you mean {new!r}?"
    for group, choices in synonyms.OLD_CHOICES.items():
        assert not {*choices} & {*group_names(group)}
        for old, new in choices.items():
            assert new in group_names(group)
            assert choice_hint(group, old, group_names(group)) == f"; did you mean {new!r}?"


@pytest.mark.parametrize(
    ("name", "known", "hint"),
    [
        ("LR", ["alpha"], "; did you mean 'alpha'?"),
        ("learning-rate", ["alpha"], "; did you mean 'alpha'?"),
        ("lambda", ["learner.order", "learner.td_lambda"], "; did you mean 'learner.td_lambda'?"),
        ("tc", ["learner"], "; did you mean 'learner=tc'?"),
        ("Alpha", ["alpha", "gamma"], "; did you mean 'alpha'?"),
        ("gama", ["alpha", "gamma"], "; did you mean 'gamma'?"),
        ("output", ["alpha", "gamma"], ""),
    ],
)
def test_the_name_that_is_meant(name, known, hint):
    assert like(name, known) == hint


@pytest.mark.parametrize("name", ["run", "dqn"])
def test_an_old_run_goes_on_and_has_new_names_then(old, name):
    if name == "dqn":
        pytest.importorskip("torch", exc_type=ImportError)
    assert inside(f"resume={old / name}", "episodes=150").returncode == 0
    for path in ("checkpoint/meta.json", "result.json"):
        record = json.loads((old / name / path).read_text())
        assert synonyms.with_new_names(record) == record
    assert read_agent(old / name / "checkpoint")["episode"] == 150


def test_options_of_an_old_deep_q_learner(old):
    network = read_agent(old / "dqn" / "checkpoint")["network"]["choices"]
    names = ("buffer_size", "learning_starts", "batch_size", "train_frequency", "learning_rate", "optimizer")
    assert [network[name] for name in names] == [40, 8, 4, 8, 0.002, "rmsprop"]
    assert (network["target_network_frequency"], network["epsilon_start"]) == (20, 0.05)
    assert "device" not in network


def test_tables_have_new_names(old):
    table = tdl.results.runs([old / "run", old / "evaluation", old / "dqn"])
    assert table["game"].tolist() == ["2584", "2584", "2048"]
    assert table["device"].tolist()[::2] == ["cpu", "cpu"]  # as new runs have it: they are one setting
    assert table["agent.learning_rate"].tolist()[2] == 0.002
    assert "agent.rate" not in table


def test_old_networks_games_and_solutions_are_read(old):
    player = tdl.load(old / "run")
    assert player.network.rules.game == "2584"
    done = inside(f"checkpoint={old / 'run'}", "evaluate.episodes=5", f"out={old / 'again'}", program=evaluate.main)
    assert done.returncode == 0
    assert (old / "again" / "evaluation.npy").read_bytes() == (old / "evaluation" / "evaluation.npy").read_bytes()
    game = load_game(old / "evaluation" / "game.jsonl")
    assert game.rules.game == "2584"
    assert load_solution(old / "solved").rules.game == "2048"
