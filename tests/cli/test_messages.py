"""Every mistake on the command line ends in one line that says what to do, and leaves nothing behind.

One case for each kind of mistake; values that are refused are in tests/config/test_setup.py, other names for keys in
tests/base/test_synonyms.py, words of ours in test_words.py and test_folders.py. Exit code 2 is ours, 1 is Hydra's.
"""

import pytest
from hydra.errors import InstantiationException
from support.composing import composed_once
from support.programs import files, inside, program

from tdl.cli import convert, export
from tdl.cli.messages import explain
from tdl.cli.python_runs import compose_run
from tdl.errors import ConfigError

HUGE = str([[*range(7), last] for last in range(7, 16)]).replace(" ", "")  # a table for each of 8 images: 1,152 GiB

OF_HYDRA = [
    # words, what the line must say
    ("alhpa=0.1", ["alhpa: no such key", "did you mean 'alpha'"]),
    ("eval.games=1", ["eval.games: no such key; did you mean 'evaluate.episodes'?"]),
    ("learner.lambda=0.5", ["learner.lambda: no such key; did you mean 'learner.td_lambda'?"]),
    ("TC=true", ["TC: no such key; did you mean 'learner=tc'?"]),
    ("learner.order", ["learner.order: a word without a value; expected learner.order=VALUE"]),
    ("tuples=4x9", ["tuples=4x9: no such choice", "axe_box", "did you mean '4x6' or"]),
    ("game=pow2", ["game=pow2: no such choice", "; did you mean '2048'?"]),
    ("learner=dqn", ["learner=dqn: no such choice", "did you mean 'agent=dqn'?"]),
    ("alpha=abc", ["alpha: 'abc' is not allowed; expected a number"]),
    ("episodes=1.5e0", ["episodes: 1.5 is not allowed; expected a whole number"]),
    ("budget.seconds=5minutes", ["'5minutes' is not allowed; expected a number of seconds, or a time as 90s"]),
    ("size=null", ["size: None is not allowed; expected a value that is not null"]),
    ("tiles.drop=1", ["tiles.drop: 1 is not allowed; expected a list"]),
    ("tiles.drop={1:0.9,2:0.1}", ["tiles.drop={1:0.9,2:0.1}"]),
    ("save=3", ["save: 3 is not allowed; expected one of its choices, or values for its keys"]),
    ("size=4\xd74", ["size=4\xd74: the character '\xd7' (MULTIPLICATION SIGN, U+00D7) is not", "size=\"'VALUE'\""]),
    ("alpha=0.1;", ["alpha=0.1;: the character ';' (SEMICOLON, U+003B) is not allowed"]),
    ("alpha=[4", ["alpha=[4: cannot be read: "]),
    ("alpha=0.1,0.2", ["alpha=0.1,0.2: several values are a sweep: add -m (tdl sweep)", "alpha='[0.1,0.2]'"]),
]

WHOLE = [
    # words, exit code, what the line must say
    ("seed=range(0,5)", 1, ["seed=range(0,5): several values are a sweep: add -m"]),
    ("+save.evry=3", 2, ["save.evry: no such key", "did you mean 'every'?"]),
    ("alpha=-1", 2, ["alpha: -1.0 is not allowed", "above 0"]),
    (f"tuples.cells={HUGE} tuples.share=false", 2, ["tuples:", "GiB of memory", "are free"]),
    ("seed=" + "1" * 5000, 2, ["seed: ", "is not allowed; expected a number of at most 308 digits"]),
    ("tuples.cells=[[0," + "1" * 309 + "]]", 2, ["tuples.cells: ", "expected a number of at most 308 digits"]),
    ("tuples.cells=" + "[" * 33, 2, ["tuples.cells: ", "expected at most 32 lists within each other"]),
    ("resume=loop", 2, ["loop/result.json: Too many levels of symbolic links"]),
    ("out=occupied/run", 2, ["occupied/run", "Not a directory"]),
    (".", 2, [".: a folder; to go on with its run: resume=."]),
    ("race.of=true", 2, ["race.of: no such key", "did you mean 'race.on'"]),
    ("race.on=maybe", 2, ["race.on: 'maybe' is not allowed; expected true or false"]),
    ("race=true", 2, ["race=true: expected one of race.on, race.first, race.rungs"]),
    ("-m race.on=true,false", 1, ["race.on=true,false: it holds for all of the sweep; expected one value"]),
    ("resume=missing", 2, ["resume: missing/checkpoint", "no checkpoint here"]),
]


@pytest.mark.parametrize(("words", "telling"), OF_HYDRA, ids=[words for words, _ in OF_HYDRA])
def test_what_hydra_refuses(monkeypatch, words, telling):
    composed_once(monkeypatch)
    with pytest.raises(ConfigError) as caught:
        compose_run(words.split())
    code, line = explain(caught.value.__cause__, False)
    assert (code, line) == (1, str(caught.value))
    assert "\n" not in line
    assert not [part for part in telling if part not in line], line


@pytest.mark.parametrize(
    ("word", "telling"),
    [
        ("alpha=0.1\r", r"alpha=0.1\r: the character '\r' (CARRIAGE RETURN, U+000D) is not allowed"),
        ("alpha=0.1\n", r"alpha=0.1\n: the character '\n' (LINE FEED, U+000A) is not allowed"),
        ("alpha=0.1\xa0", r"alpha=0.1\xa0: the character '\xa0' (NO-BREAK SPACE, U+00A0) is not allowed"),
        ("alpha = 0.1", "alpha = 0.1: the character ' ' (SPACE, U+0020) is not allowed"),
    ],
)
def test_characters_that_nobody_sees_are_named(monkeypatch, word, telling):
    composed_once(monkeypatch)
    with pytest.raises(ConfigError) as caught:
        compose_run([word])
    assert str(caught.value) == f"{telling}; did you mean 'alpha=0.1'?"


@pytest.mark.parametrize(("words", "code", "telling"), WHOLE, ids=[words[:40] for words, _, _ in WHOLE])
def test_one_line_and_nothing_left(tmp_path, monkeypatch, words, code, telling):
    """Of the program that begins at `main`, the first as a whole process."""
    (tmp_path / "occupied").write_text("a file where a folder is wanted\n")
    (tmp_path / "loop").symlink_to("loop")
    before = files(tmp_path)
    line = ["episodes=2", "evaluate.episodes=0", *words.split()]  # quick, should it be let through
    monkeypatch.chdir(tmp_path)
    done = program(tmp_path, *line) if words == WHOLE[0][0] else inside(*line)
    assert done.returncode == code, done.stderr
    (message,) = done.stderr.splitlines()
    assert message.startswith("tdl: ")
    assert not [part for part in telling if part not in message], message
    assert "Traceback" not in done.stdout
    assert files(tmp_path) == before
    assert not list(tmp_path.rglob(".hydra"))


def of_launcher(plugin):
    target = f"hydra_plugins.hydra_{plugin}_launcher.x.Y"
    return InstantiationException(f"Error locating target '{target}'; full_key: hydra.launcher")


@pytest.mark.parametrize(
    ("error", "choice", "extra"),
    [
        (of_launcher("joblib"), "hydra/launcher=joblib", "joblib"),
        (of_launcher("submitit"), "hydra/launcher=submitit_slurm", "slurm"),
    ],
)
def test_a_missing_plugin_is_named_with_its_extra(error, choice, extra):
    code, line = explain(error, False)
    assert code == 1
    assert line.startswith(f"{choice}: ")
    assert line.endswith(f"pip install 'tdl-ntuple[{extra}]'")


@pytest.mark.parametrize(
    ("command", "words", "line"),
    [
        (export.main, ["a", "b", "--format=webb"], "--format: invalid choice: 'webb'"),
        (convert.main, [], "the following arguments are required: IN, OUT; tdl convert --help says what it takes"),
    ],
)
def test_wrong_words_of_a_command_without_keys_are_one_line(command, words, line):
    done = inside(*words, program=command)
    assert done.returncode == 2
    assert done.stderr.startswith(f"tdl: {line}")
    assert len(done.stderr.splitlines()) == 1
