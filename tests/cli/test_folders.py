"""Words that are folders, and where results go: what Hydra reads of them."""

from pathlib import Path

import pytest

from tdl.cli.folders import with_homes, with_keys, with_output
from tdl.errors import ConfigError


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


def test_the_home_is_read_where_a_shell_leaves_it():
    home = Path.home()
    assert with_homes(["checkpoint=~/a", "+resume=~/b", "alpha=~/c"]) == [
        f"checkpoint={home}/a", f"+resume={home}/b", "alpha=~/c"
    ]  # fmt: skip
