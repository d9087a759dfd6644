"""What a run says at its end: how good it is, whether it has unlearned, where its files are, what to type next.

Trusts `evaluation_block`, which tests/statistics shows, and Hydra and the shell as readers of what can be pasted.
"""

import shlex
import shutil

import numpy as np
import pytest
from support.programs import SMALL, blocks_of, go_on, inside, result, train

from tdl.cli.evaluate import main as evaluate
from tdl.cli.python_runs import compose_run
from tdl.cli.run import main
from tdl.config.setup import Setup
from tdl.runs import final_summary
from tdl.runs.final_summary import PARTS, next_commands, objective, results_line, summary_text, unlearned, warning
from tdl.statistics.summary import evaluation_block
from tdl.storage.records import RECORD, save_records
from tdl.storage.run_folder import RunFolder
from tdl.sweeps.job import without_hydra

SHORT = (*SMALL, "episodes=20")


def test_games_after_training_are_the_answer(tmp_path):
    """Of a run that is resumed, too."""
    folder = train(tmp_path / "run", "episodes=20")
    done = inside(f"resume={folder}", "episodes=40")
    assert done.stdout.startswith(evaluation_block(result(folder)["evaluation"]) + f"results in {folder}: ")


def test_without_them_the_last_block_is_shown_as_what_it_is(tmp_path):
    done = inside(*SHORT, "evaluate.episodes=0", f"hydra.run.dir={tmp_path / 'run'}")
    games = np.load(tmp_path / "run" / "episodes.npy")[-10:]
    head, count, mean, *_ = done.stdout.splitlines()
    assert head == "no games without learning (evaluate.episodes=0); the last block of the training:"
    assert (count, mean.split()[:2]) == ("games    10", ["mean", f"{games['score'].mean():,.0f}"])
    assert "evaluation" not in result(tmp_path / "run")


def test_where_nothing_was_played_it_says_so(tmp_path):
    done = inside(*SMALL, "episodes=0", "evaluate.episodes=0", f"hydra.run.dir={tmp_path / 'run'}")
    assert done.stdout == (
        "nothing was played: 0 games are trained, and evaluate.episodes=0\n"
        f"results in {tmp_path / 'run'}: result.json\n"
    )
    assert result(tmp_path / "run")["weights"] == "none"


def test_a_solved_game_is_compared():
    exact = {"expected": 99.5, "optimal": 100.0, "gap": 0.5}
    text = summary_text({"evaluation": {"exact": exact}}, None)
    assert text == "expected 99.5, the best play 100: gap 0.5\n"


@pytest.mark.parametrize("name", ["run", "a b", "it's, (1)=2", "back\\slash", "~a,b", "seed=1"])
def test_the_next_command_can_be_pasted(small_run, tmp_path, monkeypatch, name):
    shutil.copytree(small_run("episodes=20"), tmp_path / name)
    monkeypatch.chdir(tmp_path)
    folder = RunFolder(tmp_path / name)
    text = next_commands(folder, result(folder.path))
    program, checkpoint, plies = shlex.split(text.splitlines()[1])[-3:]
    assert (program, plies) == ("evaluate", "evaluate.plies=2")
    out = f"hydra.run.dir={tmp_path / 'games'}"
    done = inside(checkpoint, plies, "evaluate.episodes=2", out, program=evaluate)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("kind", "plies", "weights", "commands"),
    [
        ("ntuple", 1, "kept", ["serve", "evaluate"]),
        ("ntuple", 2, "kept", ["serve"]),
        ("dqn", 1, "kept", ["serve", "evaluate"]),
        ("random", 1, "kept", ["serve"]),
        ("ntuple", 1, "deleted", []),
    ],
)
def test_only_what_is_there_to_do_is_proposed(kind, plies, weights, commands):
    config = {"agent": {"kind": kind}, "evaluate": {"plies": plies}, "game": {"name": "2048"}}
    text = next_commands(RunFolder("folder"), {"weights": weights, "config": config})
    assert [line.partition(" folder")[0].split()[-1] for line in text.splitlines()] == commands


def test_without_its_weights_a_run_is_finished_and_neither_goes_on_nor_plays(tmp_path):
    folder = train(tmp_path / "run", "episodes=20", "save.final=false", "save.every=10", "save.keep=2")
    content = result(folder)
    line = f"results in {folder}: blocks.csv, result.json, no weights (save.final)\n"
    assert (content["weights"], results_line(RunFolder(folder), content)) == ("deleted", line)
    assert not (folder / "checkpoint").exists()
    assert not (folder / "kept").exists()
    for words, program in (((f"resume={folder}", "episodes=40"), main), ((f"checkpoint={folder}",), evaluate)):
        done = inside(*words, program=program)
        assert done.returncode == 2
        (line,) = done.stderr.splitlines()
        assert "the run left no weights (save.final), so it can neither go on nor play" in line


def test_a_run_that_goes_on_may_be_told_to_keep_its_weights_or_not(tmp_path):
    folder = train(tmp_path / "run", "episodes=20", "save.every=10")
    go_on(folder, "episodes=30", "save.final=true")
    assert (folder / "checkpoint").exists()
    go_on(folder, "episodes=40", "save.final=false")
    assert not (folder / "checkpoint").exists()


def test_a_job_returns_how_good_it_is(small_run):
    folder = small_run("episodes=20")
    assert objective(RunFolder(folder)) == result(folder)["evaluation"]["mean"]
    folder = small_run("episodes=20", "evaluate.episodes=0")
    assert objective(RunFolder(folder)) == blocks_of(folder)["mean"].iloc[-1]
    assert objective(RunFolder(small_run("episodes=0", "evaluate.episodes=0"))) is None


def games(*scores, moves=10):
    """Games of as many moves each, of these scores."""
    records = np.zeros(len(scores), RECORD)
    records["episode"], records["score"], records["moves"] = np.arange(1, len(scores) + 1), scores, moves
    return records


def parts(*means):
    """Twenty parts of a hundred games each."""
    assert len(means) == PARTS
    return games(*np.repeat(means, 100))


FALLING = parts(*[100] * 9, 900, *[500] * 9, 449)
UNLEARNED = "unlearned: the mean score of the training fell from 900, up to episode 1,000, to 449"


@pytest.mark.parametrize(
    "records",
    [
        games(),
        parts(*range(PARTS)),
        parts(*[100] * 9, 900, *[100] * 9, 450),  # back at half of the best
        parts(*[0] * PARTS),
        games(*[900] * 99 * (PARTS - 1), *[100] * 99),  # too few games in each part
        games(5, moves=0),
    ],
    ids=["none", "rising", "half", "nothing", "few", "no moves"],
)
def test_a_training_that_has_not_unlearned(records):
    assert unlearned(records) == ""


def test_parts_have_as_many_moves_not_as_many_games():
    """Ten long games before a thousand short ones are most of the moves, but too few games to judge."""
    records = games(*[900] * 10, *[100] * 2000)
    records["moves"][:10] = 10_000
    assert unlearned(records) == ""
    long = games(*[900] * 1000, *[100] * 20_000)
    long["moves"][:1000] = 100
    assert unlearned(long).endswith("from 900, up to episode 150, to 100")


@pytest.mark.parametrize(
    ("kind", "start", "advice"),
    [
        ("ntuple", "empty", "; try learner.start=milestone, or a smaller alpha"),
        ("ntuple", "milestone", "; try a smaller alpha"),
        ("dqn", "empty", ""),
    ],
)
def test_what_to_try_where_it_has_unlearned(tmp_path, kind, start, advice):
    save_records(tmp_path / "episodes.npy", FALLING)
    config = {"agent": {"kind": kind}, "learner": {"start": start}}
    assert warning(RunFolder(tmp_path), {"config": config}) == f"{UNLEARNED}{advice}\n"


def test_a_run_that_unlearns_says_so(tmp_path):
    """Optimistic TD, then TC with a step of 1, on a solved board: from some 870 points to 200."""
    words = ("game=2584", "size=2x3", "tuples=2x3_full", "tuples.radix=14", "learner=otd_tc", "alpha=1", "block=1000",
             "learner.initial_value=1500", "episodes=20000")  # fmt: skip
    done = inside(*words, f"hydra.run.dir={tmp_path / 'run'}")
    assert done.stdout.count("\nunlearned: ") == 1, done.stderr


@pytest.mark.parametrize(
    ("words", "reached", "text"),
    [
        (("budget.seconds=100",), (100_000, 50.0), "episodes=100000 ended the run after 50 of 100 seconds"),
        (("budget.seconds=100", "budget.moves=1000"), (20, 1.0), "budget.moves=1000 ended the run after 1 of 100"),
        (("budget.seconds=100",), (80_000, 101.0), ""),
        ((), (100_000, 50.0), ""),
    ],
    ids=str,
)
def test_a_budget_of_time_that_is_not_used_is_told(words, reached, text):
    setup = Setup.of(without_hydra(compose_run(words)))
    line = final_summary.unused_budget(setup, *reached)
    assert line.startswith(text)
    assert bool(line) == bool(text)
