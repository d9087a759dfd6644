"""Words of a command line, before Hydra reads them."""

import json

import pytest
from support.programs import inside, train
from support.sweeps import SHORT

from tdl.cli.evaluate import SCHEMA
from tdl.cli.solve import main as solve
from tdl.cli.words import (
    hydra_values,
    hydra_words,
    split_flags,
    with_one_budget,
    with_quoted_numbers,
    with_seconds,
    with_seeds,
    with_whole_numbers,
)
from tdl.config.schema import RUN
from tdl.errors import ConfigError


@pytest.mark.parametrize(
    ("word", "read"),
    [
        ("game=2048", "game='2048'"),
        ("game=2048,2584,threes_law", "game='2048','2584',threes_law"),
        ("game=choice(2584, 2048)", "game=choice('2584', '2048')"),
        ("game='2048'", "game='2048'"),
        ("tuples=4x6,2048", "tuples=4x6,'2048'"),
        ("game.name=2048", "game.name=2048"),
        ("seed=2048", "seed=2048"),
        ("hydra.run.dir=game=2048", "hydra.run.dir=game=2048"),
    ],
)
def test_choices_that_are_numbers_are_quoted(word, read):
    assert with_quoted_numbers([word]) == [read]


def test_a_game_has_one_name_everywhere(tmp_path):
    result = json.loads((train(tmp_path / "run", *SHORT, "game=2048") / "result.json").read_text())
    assert (result["names"]["game"], result["config"]["game"]) == ("2048", {"name": "2048"})
    assert inside("game=2584", "size=2x2", f"hydra.run.dir={tmp_path / 'solved'}", program=solve).returncode == 0
    (meta,) = (tmp_path / "solved").rglob("meta.json")
    assert json.loads(meta.read_text())["rules"]["game"] == "2584"


@pytest.mark.parametrize(
    ("word", "read"),
    [
        ("budget.seconds=5min", "budget.seconds=300"),
        ("budget.seconds=90s,5m,1.5h,2d", "budget.seconds=90,300,5400,172800"),
        ("seconds='1h'", "seconds=3600"),
        ("budget.seconds=1min30", "budget.seconds=1min30"),
        ("budget.seconds=1e3", "budget.seconds=1e3"),
        ("out=5min", "out=5min"),
    ],
)
def test_times_are_read_in_seconds(word, read):
    assert with_seconds([word]) == [read]


@pytest.mark.parametrize(
    ("word", "read"),
    [
        ("episodes=1e4", "episodes=10000"),
        ("episodes=1e3,2.5e3", "episodes=1000,2500"),
        ("+episodes=choice(1E3,10)", "+episodes=choice(1000,10)"),
        ("evaluate.episodes=1e+2", "evaluate.episodes=100"),
        ("save.every=1e4", "save.every=10000"),
        ("seed=range(0,1e1)", "seed=range(0,10)"),
        ("episodes=1.5e0", "episodes=1.5e0"),
        ("episodes=1e-1", "episodes=1e-1"),
        ("alpha=1e4", "alpha=1e4"),
        ("learner.initial_value=1e4", "learner.initial_value=1e4"),
    ],
)
def test_whole_numbers(word, read):
    assert with_whole_numbers([word], RUN) == [read]


def test_whole_numbers_of_other_programs():
    assert with_whole_numbers(["evaluate.episodes=1e4", "episodes=1e4"], SCHEMA) == [
        "evaluate.episodes=10000", "episodes=1e4"
    ]  # fmt: skip


def test_seeds():
    assert with_seeds(["seeds=5"], sweep=True) == ["seed=range(0,5)"]
    assert with_seeds(["seeds=1"], sweep=False) == ["seed=0"]


@pytest.mark.parametrize(
    ("words", "telling"),
    [
        (["seeds=2"], "seeds=2: 2 seeds are 2 runs: add -m"),
        (["seeds=1,2"], "seeds: '1,2' is not allowed; .*did you mean 'seed=1,2'"),
        (["seeds=1", "seed=3"], "seeds=1: the seeds are given already"),
    ],
)
def test_seeds_that_make_no_sense(words, telling):
    with pytest.raises(ConfigError, match=telling):
        with_seeds(words, sweep=False)


@pytest.mark.parametrize(
    ("line", "flags", "words"),
    [
        (["a=1", "-m", "b=2"], ["-m"], ["a=1", "b=2"]),
        (["a=1", "--cfg", "job", "b=2"], ["--cfg", "job"], ["a=1", "b=2"]),
        (["a=1", "--config-dir=conf", "b=2", "--", "c"], ["--config-dir=conf"], ["a=1", "b=2", "c"]),
        (["a=1", "--info"], ["--info=all"], ["a=1"]),
        (["a=1", "--info", "config"], ["--info=config"], ["a=1"]),
        (["-cd", "run", "run"], ["-cd", "run"], ["run"]),
        ([], [], []),
    ],
)
def test_flags_stand_anywhere(line, flags, words):
    read = split_flags(line)
    assert (read.flags, read.words) == (flags, words)


@pytest.mark.parametrize(
    ("flags", "telling"),
    [
        (("--alpha=0.1",), "--alpha=0.1: no such flag; keys have no dashes: alpha=0.1"),
        (("--plies",), "--plies: no such flag; keys have no dashes: plies=VALUE"),
        (("--evaluate.plies",), "--evaluate.plies: no such flag; keys have no dashes: evaluate.plies=VALUE"),
        (("--multi-run",), "--multi-run: no such flag; .*did you mean '--multirun'"),
        (("--config-dir",), "--config-dir.*expected one argument"),
        (("-m", "--cfg", "job"), "--cfg: of one job; leave out -m"),
        (("--info", "--multirun"), "--info: of one job; leave out -m"),
        (("--resolve",), "--resolve: only beside --cfg"),
        (("--experimental-rerun=x.pickle",), "--experimental-rerun: no such flag; choices of your own"),
        (("-cp", "theirs"), "--config-path: no such flag"),
        (("-cn=theirs",), "--config-name: no such flag"),
    ],
)
def test_unknown_flags_and_those_that_exclude_each_other(flags, telling):
    with pytest.raises(ConfigError, match=telling):
        split_flags(["seed=1", *flags])


@pytest.mark.parametrize(
    ("words", "telling"),
    [
        (["alpha=0.1,0.2", "alpha=0.3"], "alpha=0.1,0.2 alpha=0.3: alpha is given twice"),
        (["learner=td", "+learner=tc"], r"learner=td \+learner=tc: learner is given twice"),
        (["out=a", "hydra.sweep.dir=b"], "hydra.sweep.dir is given twice"),
        (["tuples=[[0,1]]", "tuples.cells=[[0,2]]"], "tuples.cells is given twice"),
        (["alpha", "=", "0.1"], "alpha = 0.1: a key and its value are one word; did you mean 'alpha=0.1'"),
        (["alpha=", "0.1"], "alpha= 0.1: .*did you mean 'alpha=0.1'"),
        (["alpha", "=0.1", "seed=1"], "alpha =0.1: .*did you mean 'alpha=0.1'"),
        (["hydra.job.chdir=true"], "hydra.job.chdir: 'true' is not allowed"),
        (["+hydra.output_subdir=null"], "hydra.output_subdir: 'null' is not allowed"),
        (["+hydra.searchpath=[theirs]"], r"hydra.searchpath: '\[theirs\]' is not allowed"),
        (["~hydra.callbacks.sweep"], "hydra.callbacks.sweep: '' is not allowed"),
    ],
)
def test_words_that_would_have_no_effect_or_another(words, telling):
    with pytest.raises(ConfigError, match=telling):
        hydra_words("run", words, RUN, sweep=True)


def test_a_group_and_its_keys_are_no_repetition():
    words = ["learner=tc", "learner.alpha=1", "~placer", "placer=random", "hydra.job.chdir=false", "tuples=4x6"]
    assert hydra_words("run", words, RUN, sweep=False) == words


def test_a_sweep_by_its_mode_is_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert inside(*SHORT, "hydra.mode=MULTIRUN", "seeds=2", "out=both").returncode == 0
    assert len([*(tmp_path / "both").glob("*/result.json")]) == 2


def test_cells_of_ones_own_are_a_key():
    assert hydra_values(["tuples=[[0,1],[2,3]]", "tuples=4x6"], RUN) == [
        "tuples.cells=[[0,1],[2,3]]",
        "tuples=4x6",
    ]


@pytest.mark.parametrize(
    "word",
    ["out=" + "1" * 255, "alpha=0." + "1" * 400, "out=a" + "1" * 400, "seed=" + "1" * 308, "size=5x" + "1" * 400],
)
def test_words_with_many_digits_that_are_no_long_number_stay(word):
    assert hydra_values([word], RUN) == [word]


@pytest.mark.parametrize("word", ["seed={}", "seed=1,{}", "seed=range(0,{})", "tuples.cells=[[0,{}]]", "alpha={}"])
def test_a_long_number_is_refused_by_its_key(word):
    with pytest.raises(ConfigError, match=r"^[\w.]+: .* is not allowed; expected a number of at most 308 digits"):
        hydra_values([word.format("1" * 309)], RUN)


@pytest.mark.parametrize(
    ("words", "added"),
    [
        (["experiment=best", "budget.seconds=10h"], ["budget.moves=null"]),
        (["experiment=best", "budget.moves=1e10"], ["budget.seconds=null"]),
        (["experiment=best", "budget.seconds=10h", "budget.moves=1e9"], []),
        (["experiment=best", "budget.seconds=null"], []),
        (["tuples=4x6", "budget.seconds=10h"], []),
        (["resume=outputs/a", "budget.seconds=10h"], []),
        (["experiment=best"], []),
    ],
    ids=str,
)
def test_a_budget_of_an_experiment_gives_way_to_one_that_is_given(words, added):
    assert with_one_budget(words) == [*words, *added]
