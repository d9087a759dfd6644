"""What a run says at its end, and whether it leaves its weights.

Trusts `evaluation_block`, which tests/statistics shows, and Hydra and the shell as readers of what can be pasted.
"""

import shlex

import numpy as np
import pytest
from support.programs import SMALL, blocks_of, go_on, inside, result, train

from tdl.cli.evaluate import main as evaluate
from tdl.cli.run import main
from tdl.config.setup import Setup
from tdl.runs.disk import checkpoint_bytes
from tdl.runs.final_summary import objective
from tdl.statistics.summary import evaluation_block
from tdl.storage.run_folder import RunFolder

SHORT = (*SMALL, "episodes=20")


def said(folder, *words, program=main):
    """What a run in this folder prints on standard output."""
    done = inside(*SHORT, f"hydra.run.dir={folder}", *words, program=program)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_without_games_after_it_the_last_block_is_shown_as_what_it_is(tmp_path):
    text = said(tmp_path / "run", "evaluate.episodes=0")
    games = np.load(tmp_path / "run" / "episodes.npy")[-10:]
    head, count, mean, *_ = text.splitlines()
    assert head == "no games without learning (evaluate.episodes=0); the last block of the training:"
    assert (count, mean.split()[:2]) == ("games    10", ["mean", f"{games['score'].mean():,.0f}"])
    assert "evaluation" not in result(tmp_path / "run")


def test_where_nothing_was_played_it_says_so(tmp_path):
    assert said(tmp_path / "run", "episodes=0", "evaluate.episodes=0") == (
        "nothing was played: 0 games are trained, and evaluate.episodes=0\n"
        f"results in {tmp_path / 'run'}: result.json\n"
    )


def test_without_training_the_games_are_the_answer_and_there_is_nothing_to_go_on_with(tmp_path):
    block, _, rest = said(tmp_path / "run", "episodes=0").partition("results in ")
    assert block == evaluation_block(result(tmp_path / "run")["evaluation"])
    assert rest == f"{tmp_path / 'run'}: result.json\n"
    assert result(tmp_path / "run")["weights"] == "none"


def test_a_run_that_diverged_has_no_answer(tmp_path):
    done = inside(*SHORT, "alpha=5", f"hydra.run.dir={tmp_path / 'run'}")
    assert (done.returncode, done.stdout) == (1, "")
    assert "weights" not in result(tmp_path / "run")


def test_a_resumed_run_ends_with_its_answer_too(tmp_path):
    folder = train(tmp_path / "run", *SHORT)
    done = inside(f"resume={folder}", "episodes=40")
    assert done.stdout.startswith(evaluation_block(result(folder)["evaluation"]) + f"results in {folder}: ")


@pytest.mark.parametrize("name", ["run", "a b", "it's, (1)=2"])
def test_the_next_command_can_be_pasted(tmp_path, name):
    quoted = str(tmp_path / name).replace("'", "\\'")
    text = said(f"'{quoted}'")
    tdl, program, *words = shlex.split(text.partition("next: ")[2].splitlines()[0])
    assert [tdl, program, words[-1]] == ["tdl", "evaluate", "evaluate.plies=2"]
    done = inside(*words, "evaluate.episodes=2", f"hydra.run.dir={tmp_path / 'games'}", program=evaluate)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("words", "commands"),
    [
        (("evaluate.plies=2",), ["serve"]),
        (("agent=random",), ["serve"]),
        (("save.final=false",), []),
    ],
    ids=lambda words: " ".join(words),
)
def test_only_what_is_there_to_do_is_proposed(tmp_path, words, commands):
    own = SMALL[1:] if "agent=random" in words else SMALL
    done = inside(*own, "episodes=20", *words, f"hydra.run.dir={tmp_path / 'run'}")
    assert done.returncode == 0, done.stderr
    assert [line.split()[-2] for line in done.stdout.splitlines() if " tdl " in line] == commands


def test_without_its_weights_a_run_is_finished_and_neither_goes_on_nor_plays(tmp_path):
    folder = tmp_path / "run"
    text = said(folder, "save.final=false", "save.every=10", "save.keep=2")
    assert text.splitlines()[-1] == (
        f"results in {folder}: curve.png, blocks.csv, result.json, no weights (save.final)"
    )
    assert result(folder)["weights"] == "deleted"
    assert not (folder / "checkpoint").exists()
    assert not (folder / "kept").exists()
    for words, program in (((f"resume={folder}", "episodes=40"), main), ((f"checkpoint={folder}",), evaluate)):
        done = inside(*words, program=program)
        assert done.returncode == 2
        (line,) = done.stderr.splitlines()
        assert "the run left no weights (save.final), so it can neither go on nor play" in line


def test_it_goes_on_while_it_is_not_finished(tmp_path):
    """And may be told to keep its weights after all."""
    folder = train(tmp_path / "run", *SHORT, "save.every=10")
    go_on(folder, "episodes=40", "save.final=false")
    assert not (folder / "checkpoint").exists()
    kept = train(tmp_path / "kept", *SHORT)
    go_on(kept, "episodes=40", "save.final=true")
    assert (kept / "checkpoint").exists()


@pytest.mark.parametrize("value", ["never", "1", "null"])
def test_final_is_true_false_or_auto(tmp_path, value):
    done = inside(*SHORT, f"save.final={value}", f"hydra.run.dir={tmp_path / 'run'}")
    assert done.returncode == 2
    assert "save.final:" in done.stderr
    assert "expected true, false or auto" in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("learner=tc",),
        ("learner=state",),
        ("learner=tc", "learner.stages=[64,128]"),
        ("tuples=2x4", "tuples.radix=8"),
        ("tuples.orders=[[[0,1,2],[4,5,6]]]", "tuples.counts=[[0],[1,2]]", "learner=state"),
        ("game=2584", "size=2x3", "tuples=2x3_full"),
    ],
    ids=" ".join,
)
def test_the_size_of_a_checkpoint_is_known_beforehand(tmp_path, words):
    own = SMALL[1:] if any(word.startswith("tuples=") for word in words) else SMALL
    done = inside(*own, "episodes=10", "evaluate.episodes=0", *words, f"hydra.run.dir={tmp_path / 'run'}")
    assert done.returncode == 0, done.stderr
    arrays = sum(path.stat().st_size for path in (tmp_path / "run" / "checkpoint").glob("*.npy"))
    told = checkpoint_bytes(Setup.of(result(tmp_path / "run")["config"]))
    assert told <= arrays < told + 1024


def test_a_job_returns_how_good_it_is(small_run):
    folder = small_run("episodes=20")
    assert objective(RunFolder(folder)) == result(folder)["evaluation"]["mean"]
    folder = small_run("episodes=20", "evaluate.episodes=0")
    assert objective(RunFolder(folder)) == blocks_of(folder)["mean"].iloc[-1]
    assert objective(RunFolder(small_run("episodes=0", "evaluate.episodes=0"))) is None
