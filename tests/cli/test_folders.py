"""Words that are folders, and where results go: what Hydra reads of them."""

from pathlib import Path

import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser
from hypothesis import given
from hypothesis import strategies as st
from support.programs import inside

from tdl.cli.evaluate import SCHEMA as EVALUATE
from tdl.cli.folders import PATHS, with_output, with_paths
from tdl.cli.folders import with_keys as with_keys_of
from tdl.cli.keywords import words_of
from tdl.config.compose import quoted, word_of
from tdl.config.schema import RUN
from tdl.errors import ConfigError

NAMES = [
    *("Drive (1)/a", "a[b]c", "[ab]", "a,b", "a#b;c&d!e", 'it\'s "q"', "back\\slash", "trail\\", "\\\\", "$HOME a$b"),
    *("a{b}", "übung/日本", "-dash", "+plus", " lead", "a:b|c*?<d>`", "123", "1e5", ".5", "true", "Null", "nan"),
    *("per%d@x", "a=b", "outputs/a", "..", "tab\there", "glob(*)", "choice(a,b)", "'a'"),
]
"""Of folders, as people have them."""


def read(word):
    """What Hydra makes of a word."""
    return OverridesParser.create().parse_override(word).value()


def with_keys(program, words, *, sweep):
    return with_keys_of(program, words, RUN if program == "run" else EVALUATE, sweep=sweep)


@pytest.fixture
def runs(small_run, tmp_path, monkeypatch):
    """A folder with a run in `outputs`, and one elsewhere."""
    monkeypatch.chdir(tmp_path)
    for name in ("outputs", "elsewhere"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a").symlink_to(small_run("episodes=10"))


@pytest.mark.parametrize(
    ("program", "words", "read"),
    [
        ("evaluate", ["outputs/a", "seed=1"], ["checkpoint=outputs/a", "seed=1"]),
        ("evaluate", ["seed=1", "a b"], ["checkpoint='a b'", "seed=1"]),
        ("match", ["outputs/a"], ["checkpoint=outputs/a"]),
        ("solve", ["solved", "query=boards"], ["solution=solved", "query=boards"]),
        ("play", ["outputs/a"], ["checkpoint=outputs/a"]),
        ("play", ["outputs/a/game.jsonl"], ["replay=outputs/a/game.jsonl"]),
        ("play", ["outputs/a/game.json"], ["replay=outputs/a/game.json"]),
        ("serve", ["outputs"], ["folder=outputs"]),
        ("serve", ["outputs/missing"], ["folder=outputs/missing"]),
        ("run", ["learner.order", "missing"], ["learner.order", "missing"]),
        ("evaluate", ["~placer", "+seed=1"], ["~placer", "+seed=1"]),
    ],
)
def test_a_folder_without_its_key(runs, program, words, read):
    assert with_keys(program, words, sweep=False) == read


def test_a_run_elsewhere_is_served_from_there(runs):
    outside = Path("elsewhere/a")
    outside.unlink()
    outside.mkdir()
    (outside / "result.json").write_text("{}")
    assert with_keys("serve", ["elsewhere/a"], sweep=False) == ["checkpoint=elsewhere/a", "folder=elsewhere"]
    assert with_keys("serve", ["tdl:small"], sweep=False) == ["checkpoint='tdl:small'"]
    assert with_keys("serve", ["elsewhere/a", "folder=."], sweep=False) == ["checkpoint=elsewhere/a", "folder=."]


def test_several_folders_are_a_sweep():
    assert with_keys("evaluate", ["a", "b c", "seed=1"], sweep=True) == ["checkpoint=a,'b c'", "seed=1"]
    with pytest.raises(ConfigError, match=r"a b: one folder is taken; -m plays with one after the other"):
        with_keys("evaluate", ["a", "b"], sweep=False)
    with pytest.raises(ConfigError, match=r"a: checkpoint is given already"):
        with_keys("evaluate", ["a", "checkpoint=b"], sweep=False)


@pytest.mark.parametrize(
    ("words", "sweep", "read"),
    [
        (["out=a"], False, ["hydra.run.dir=a"]),
        (["out=a"], True, ["hydra.sweep.dir=a"]),
        (["out=~/a"], True, [f"hydra.sweep.dir={Path.home()}/a"]),
        (["out=a b"], False, ["hydra.run.dir='a b'"]),
        (["out='a b'"], False, ["hydra.run.dir='a b'"]),
        (["out=${game.name}"], False, ["hydra.run.dir=${game.name}"]),
        (["name=first"], False, ["hydra.run.dir=outputs/first"]),
        (["name=a", "experiment=fib"], False,
         ["hydra.run.dir=outputs/a", "hydra.sweep.dir=outputs/a", "experiment=fib"]),
    ],
)  # fmt: skip
def test_where_results_go(words, sweep, read):
    assert with_output("run", words, sweep=sweep) == read


@pytest.mark.parametrize(
    ("words", "telling"),
    [
        (["name=a/b"], "name: 'a/b' is not allowed; .*out=FOLDER"),
        (["out=a", "name=b"], "out=a name=b: one of them says where the results go"),
        (["out=a", "resume=b"], "out=a: a resumed run stays in its folder"),
        (["out="], "out: '' is not allowed; expected a folder"),
    ],
)
def test_results_that_cannot_go_there(words, telling):
    with pytest.raises(ConfigError, match=telling):
        with_output("run", words, sweep=False)


def test_programs_that_leave_nothing_have_no_such_word():
    assert with_output("play", ["out=a"], sweep=False) == ["out=a"]


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0")))
def test_what_is_quoted_is_read_letter_by_letter(text):
    assert read(f"a={quoted(text)}") == text


@pytest.mark.parametrize("name", NAMES)
def test_a_path_is_taken_letter_by_letter(tmp_path, monkeypatch, name):
    """For every key that is a path, there or not; on the command line, where results go, and in Python."""
    monkeypatch.chdir(tmp_path)
    (word,) = with_paths([f"init={tmp_path}/{name}"], sweep=False)
    assert read(word) == f"{tmp_path}/{name}"
    assert read(words_of({"init": name})[0][0]) == read(word_of("", name)) == name
    (tmp_path / name).mkdir(parents=True, exist_ok=True)
    for key in PATHS:
        (word,) = with_paths([f"+{key}={name}"], sweep=True)
        assert (word[0], read(word[1:])) == ("+", name)
    assert read(with_output("run", [f"out={name}"], sweep=True)[0]) == name
    assert with_keys("evaluate", [f"./{name}"], sweep=False) == [word_of("checkpoint", Path(name))]


@pytest.mark.parametrize(
    ("word", "sweep", "values"),
    [
        ("init=a b,c=d", True, ["a b", "c=d"]),
        ("init=a b,c=d", False, "a b,c=d"),
        ("init=null,a b", True, [None, "a b"]),
        ("init='a,b',c", True, ["a,b", "c"]),
        ("init='a b'", False, "a b"),
        ("checkpoint=[a,b (1)]", False, ["a", "b (1)"]),
        ("checkpoint=['a,b',c]", False, ["a,b", "c"]),
        ("init=here,there", True, "here,there"),  # a folder of that name is there
        ("checkpoint=[here]", False, "[here]"),
        ("resume=null", False, None),
    ],
)
def test_lists_and_choices_of_paths(tmp_path, monkeypatch, word, sweep, values):
    """A path that is there wins; else commas part the values of a sweep, as in Hydra's grammar."""
    monkeypatch.chdir(tmp_path)
    for name in ("here,there", "[here]"):
        (tmp_path / name).mkdir()
    (word,) = with_paths([word], sweep=sweep)
    override = OverridesParser.create().parse_override(word)
    if override.is_sweep_override():
        assert [read(f"a={value}") for value in override.sweep_string_iterator()] == values
    else:
        assert override.value() == values


def test_a_folder_may_look_like_a_key(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("runs/a=b", "seed=1"):
        (tmp_path / name).mkdir(parents=True)
    assert with_keys("evaluate", ["runs/a=b", "seed=1"], sweep=False) == ["checkpoint='runs/a=b'", "seed=1"]
    assert with_keys("evaluate", ["./seed=1", "~placer"], sweep=False) == ["checkpoint='seed=1'", "~placer"]


def test_a_path_that_hydra_would_compute_is_refused(tmp_path, monkeypatch):
    (tmp_path / "a${b}").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match=r"^resume: 'a\$\{b\}' is not allowed; expected a path without \$\{"):
        with_paths(["resume=a${b}"], sweep=False)
    with pytest.raises(ConfigError, match=r"^init: "):
        words_of({"init": "${game.name}"})
    monkeypatch.chdir(tmp_path / "a${b}")
    assert inside("episodes=0", "evaluate.episodes=1").stderr.startswith("tdl: the current folder: ")
    assert not [*Path().iterdir()]


def test_the_home_is_read_where_a_shell_leaves_it():
    home = Path.home()
    words = ["checkpoint=~/a", "+resume=~/b", "alpha=~/c", "init=~nobody_of_that_name/d"]
    assert with_paths(words, sweep=False) == [
        f"checkpoint={home}/a", f"+resume={home}/b", "alpha=~/c", "init='~nobody_of_that_name/d'"
    ]  # fmt: skip
