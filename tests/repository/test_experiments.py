"""Every experiment's file runs, every page has commands that compose, and all tables are made of the csv files."""

import doctest
import re
import shlex
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser
from omegaconf import OmegaConf
from support.programs import inside, result, train

import tdl
from tdl.game.rules import Rules
from tdl.solver.solution import save, solve

ROOT = Path(__file__).parents[2]
FILES = sorted(path.stem for path in (ROOT / "conf" / "experiment").glob("*.yaml"))
FEW = ("episodes=4", "block=4", "evaluate.episodes=2", "budget.seconds=null", "budget.moves=null")
WITHOUT_FILE = {"best_searched", "late_stage", "plies", "solver_3x3"}
"""Pages of programs that learn nothing, or what others learn."""


@pytest.fixture(autouse=True)
def _tools(monkeypatch):
    monkeypatch.syspath_prepend(ROOT)


def swept(name):
    """Words for up to three runs: the first values that the file sweeps over, those in the middle, and the last."""
    config = OmegaConf.load(ROOT / "conf" / "experiment" / f"{name}.yaml")
    params = OmegaConf.select(config, "hydra.sweeper.params") or {}
    words = OverridesParser.create().parse_overrides([f"{key}={value}" for key, value in params.items()])
    columns = [[f"{word.key_or_group}={value}" for value in word.sweep_string_iterator()] for word in words]
    runs = [tuple(column[round(share * (len(column) - 1))] for column in columns) for share in (0, 0.5, 1)]
    return list(dict.fromkeys(runs))


@pytest.mark.parametrize("name", FILES)
def test_every_experiment_plays_a_few_games(name, tmp_path):
    """With tables of few symbols, since the large ones take a second each to be written."""
    if name == "published_dqn":
        pytest.importorskip("torch")
    smaller = [] if name in ("published_dqn", "baselines") else ["tuples.radix=6", "tuples.count_cap=1"]
    for i, words in enumerate(swept(name)):
        folder = tmp_path / str(i)
        done = inside(f"experiment={name}", *words, *FEW, *smaller, "hydra.mode=RUN", f"hydra.run.dir={folder}")
        if name == "stability" and "alpha=2" in words:  # is about steps that diverge
            assert "learning diverged" in done.stderr
            continue
        assert done.returncode == 0, done.stderr
        assert result(folder)["episodes"] == 4


@pytest.mark.parametrize("name", FILES)
def test_the_first_line_is_the_command(name):
    _, first, *_ = (ROOT / "conf" / "experiment" / f"{name}.yaml").read_text().splitlines()
    assert re.match(r"# tdl run (-m )?experiment=(\w+)", first)[2] == name


def pages():
    return {path.parent.name: path.read_text() for path in sorted((ROOT / "experiments").glob("*/README.md"))}


def test_every_file_has_a_page():
    assert set(pages()) - WITHOUT_FILE == set(FILES) - {"quick", "best"}


def test_commands_are_understood_in_both_forms():
    from experiments.tools import commands

    told = doctest.testmod(commands)
    assert (told.attempted, told.failed) == (1, 0)
    assert commands.as_module(words := ["python", "-m", "experiments.tools.collect", "one"]) == words


def first_run(words):
    """The words of a command after its program, for the first run of its sweep."""
    words = [word for word in words if word != "-m" and "range(" not in word]
    return [word.split(",")[0] if "[" not in word else word for word in words]


@pytest.mark.parametrize("name", sorted(pages()))
def test_a_page_has_commands_that_compose(name):
    from experiments.tools.commands import REDUCED, TOO_LARGE, commands, reduced

    originals = commands(name)
    assert any(f"experiment={name}" in words for words in originals) or name in WITHOUT_FILE
    for program, *words in (words[2:] for words in originals):
        module = import_module(program)
        if program.startswith("tdl.") and not any(word.startswith("resume=") for word in words):
            done = inside(*first_run(words), "--cfg", "job", program=module.main)
            assert done.returncode == 0, done.stderr
    smaller = [reduced(words) for words in originals]
    assert any(smaller) == (name != TOO_LARGE)
    assert all("outputs/" not in shlex.join(words).replace(REDUCED, "") for words in smaller if words)


def test_the_tables_are_made_of_the_csv_files():
    from experiments.tools import pages

    assert pages.main("--check") == 0


def test_the_index_has_every_experiment():
    from experiments.tools import EXPERIMENTS, index

    assert sorted(index.names()) == sorted(pages())
    text = (EXPERIMENTS / "README.md").read_text()
    assert [f"<!-- index {chapter} -->" in text for chapter in index.read_index()] == [True] * len(index.read_index())


def test_the_results_are_an_index():
    text = (ROOT / "docs" / "results.md").read_text()
    assert len(text.split()) <= 900
    assert len(text.splitlines()) <= 90


def test_every_link_of_a_page_leads_somewhere():
    for page in [*(ROOT / "experiments").glob("*/README.md"), ROOT / "experiments" / "README.md"]:
        for target in re.findall(r"\]\(([^)#]+)", page.read_text()):
            assert "://" in target or (page.parent / target).exists(), f"{page}: {target}"


def test_collected_figures_are_those_of_the_runs(tmp_path):
    """Of a sweep, and of evaluations of its networks, whose seed and moves are those of the network's training."""
    from experiments.tools import collect

    for alpha in (0.1, 0.3):
        for seed in (3, 4):
            words = (f"alpha={alpha}", f"seed={seed}", "episodes=2000", "block=1000", "save.keep=1")
            train(tmp_path / "runs" / f"{alpha}_{seed}", *words)
    collect.main("one", str(tmp_path / "runs"), f"into={tmp_path / 'out'}")
    table = pd.read_csv(tmp_path / "out" / "results.csv")
    assert list(table.columns[:2]) == ["alpha", "seed"]
    assert list(table["seed"]) == [3, 4, 3, 4]
    assert (tmp_path / "out" / "figure.png").stat().st_size > 10_000
    blocks = tdl.results.load(tmp_path / "runs").query("alpha == 0.3 and seed == 4")
    row = table.query("alpha == 0.3 and seed == 4").iloc[0]
    assert row["mean_1k"] == pytest.approx(blocks["mean"].iloc[0], abs=0.051)
    assert row["mean_2k"] == pytest.approx(blocks["mean"].iloc[1], abs=0.051)
    games = tdl.results.episodes(tmp_path / "runs" / "0.3_4").query("1000 < episode <= 2000")["score"]
    half = 1.96 * games.std() / 1000**0.5
    assert row["mean_2k_high"] - row["mean_2k"] == pytest.approx(half, rel=1e-3)
    assert row["mean_2k"] - row["mean_2k_low"] == pytest.approx(half, rel=1e-3)
    assert row["reach_256_2k"] == pytest.approx(blocks["reach_256"].iloc[1])
    assert row["moves_2k"] == blocks["moves"].sum() == row["moves"]
    assert row["seconds_2k"] == pytest.approx(blocks["seconds"].sum(), abs=0.051)
    games = tdl.results.games(tmp_path / "runs" / "0.3_4")
    assert row["greedy_mean"] == pytest.approx(games["score"].mean(), abs=0.051)
    assert row["greedy_mean_low"] < row["greedy_mean"] < row["greedy_mean_high"]

    played = tmp_path / "played"
    words = (f"checkpoint={tmp_path / 'runs' / '0.1_4'}", "evaluate.episodes=20", f"hydra.run.dir={played}")
    assert inside(*words, program=__import__("tdl.evaluate", fromlist=["main"]).main).returncode == 0
    collect.main("two", str(played), str(tmp_path / "runs" / "0.1_4"), f"into={tmp_path / 'two'}", "by=evaluate.plies")
    both = pd.read_csv(tmp_path / "two" / "results.csv")
    assert list(both["seed"]) == [4, 4]
    assert set(both["moves"]) == {table.query("alpha == 0.1 and seed == 4")["moves"].iloc[0]}
    assert sorted(both["games"]) == [5, 20]
    words = (f"checkpoint={tmp_path / 'runs' / '0.1_3'}", *words[1:2], f"hydra.run.dir={tmp_path / 'more' / 'b'}")
    assert inside(*words, program=__import__("tdl.evaluate", fromlist=["main"]).main).returncode == 0
    collect.main("three", str(played), str(tmp_path / "more"), f"into={tmp_path / 'two'}")
    assert list(pd.read_csv(tmp_path / "two" / "results.csv").columns[:2]) == ["seed", "status"]  # one setting


def test_a_tile_that_a_run_never_made_has_the_rate_zero():
    """Its blocks.csv has no column of it, where that of another run has one."""
    from experiments.tools.summary import summary

    same = {"episodes": 1000, "moves": 10, "seconds": 1.0, "moves_per_second": 10.0}
    runs = pd.DataFrame({"run": ["a", "b", "c"], "seed": [0, 1, 2], "status": "finished", **same})
    blocks = pd.DataFrame({"run": ["a", "b"], "episode": 1000, "mean": 9.0, "max": 9, "moves": 10, "seconds": 1.0})
    table = summary(runs, blocks.assign(reach_64=[0.5, np.nan]), [])
    assert list(table["reach_64_1k"][:2]) == [0.5, 0.0]
    assert np.isnan(table["reach_64_1k"][2])  # no block of it is known


def test_rates_of_games_never_played_are_not_zero(tmp_path):
    from experiments.tools import collect

    words = ("episodes=2000", "block=1000", "alpha=0.1")
    train(tmp_path / "runs" / "played", *words, "evaluate.episodes=50")
    train(tmp_path / "runs" / "never", *words, "evaluate.episodes=0", "seed=1")
    collect.main("one", str(tmp_path / "runs"), f"into={tmp_path}", "by=alpha")
    table = pd.read_csv(tmp_path / "results.csv")
    rates = table[[name for name in table if re.fullmatch(r"reach_\d+(_low|_high)?", name)]]
    assert rates.shape[1] > 3
    assert rates.iloc[0].notna().all()
    assert rates.iloc[1].isna().all()


def test_values_beside_what_they_estimate(tmp_path):
    """Runs on 2x2 in the place of both, those that play and those that are solved."""
    from experiments.tools import value_errors

    save(tmp_path / "solved", solve(Rules(rows=2, cols=2)))
    words = ("size=2x2", "tuples.cells=[[0,1,2,3]]", "episodes=300", f"evaluate.solution={tmp_path / 'solved'}")
    for start in (0, 50):
        for seed in (3, 4):
            more = (f"learner.initial_value={start}", f"seed={seed}", "evaluate.episodes=50")
            train(tmp_path / "runs" / f"{start}_{seed}", *words, *more)
    out, runs = tmp_path / "out", str(tmp_path / "runs")
    value_errors.main("one", runs, runs, f"into={out}", "games=50")
    results, solved = (pd.read_csv(out / f"{name}.csv") for name in ("results", "solved"))
    assert (len(results), len(solved)) == (4, 4)
    assert results["start_value"].sum() == pytest.approx(
        (results["start_earned"] + results["start_bias"]).sum(), abs=0.5
    )
    games = tdl.results.games(tmp_path / "runs" / "0_3")
    assert results["greedy_mean"].iloc[0] == pytest.approx(games["score"].mean(), abs=0.051)
    exact = result(tmp_path / "runs" / "50_4")["evaluation"]["exact"]
    told = solved.query("seed == 4 and `learner.initial_value` == 50").iloc[0]
    assert (told["gap"], told["bias"]) == pytest.approx((exact["gap"], exact["value_bias"]), abs=0.001)
    assert told["gap"] == pytest.approx(told["moves"] * told["regret"], abs=0.05)
    assert (out / "figure.png").stat().st_size > 10_000


def test_gains_are_made_of_means():
    from experiments.tools.snapshots import with_gains

    rows = pd.DataFrame(
        {"seed": [0, 0], "iterations": [100, 100], "player": ["greedy", "one drop"], "mean": [100.0, 150.0],
         "mean_low": [97.0, 144.0], "mean_high": [103.0, 156.0]}
    )  # fmt: skip
    greedy, ahead = with_gains(with_gains(rows)).to_dict("records")
    assert np.isnan(greedy["gain"])
    assert ahead["gain"] == 0.5
    assert (ahead["gain_low"], ahead["gain_high"]) == pytest.approx(
        (1.5 * np.exp(-0.05) - 1, 1.5 * np.exp(0.05) - 1), abs=1e-4
    )


def test_a_table_is_made_without_the_run_that_is_too_large():
    from experiments.tools.commands import commands, reduced

    written = commands("fib_adversary_plies2")
    (unshared,) = [words for words in written if words[2] == "tdl.run" and "tuples.share=false" in words]
    assert reduced(unshared) is None
    (collected,) = [reduced(words) for words in written if "outputs/fib_unshared_plies2" in words]
    assert "outputs/reduced/fib_adversary_plies2_both" in collected
    assert not any("unshared" in word for word in collected)


def test_a_comment_behind_a_command_is_no_word_of_it():
    from experiments.tools.commands import commands, reduced

    *_, drawn = commands("fib_adversary_plies2")
    assert drawn == ["python", "-m", "experiments.tools.collect", "fib_adversary_plies2"]
    assert reduced(drawn) == [*drawn, "into=outputs/reduced/fib_adversary_plies2"]


def test_a_table_beside_the_results_has_a_folder_of_its_own():
    from experiments.tools.commands import commands, reduced

    collected = [words for words in map(reduced, commands("restart")) if words and words[2].endswith("collect")]
    folders = [[word for word in words if word.startswith("into=")] for words in collected]
    assert folders == [["into=outputs/reduced/restart"], ["into=outputs/reduced/restart_plain"]]


def test_the_reduced_version_of_one_run_is_one_run():
    """Several seeds are a sweep, which a command with hydra.mode=RUN is not."""
    from experiments.tools.commands import commands, reduced

    single = [words for words in map(reduced, commands("best_searched")) if words and "hydra.mode=RUN" in words]
    assert len(single) == 6
    seeds = [word for words in single for word in words if word.startswith("seed=")]
    assert seeds == 2 * ["seed=20", "seed=21", "seed=22"]


def test_the_reduced_version_changes_nothing_here():
    """A fiftieth of the games of the page, three seeds, everything below outputs/reduced."""
    from experiments.tools.commands import commands, reduced

    learn, _, _, collected, *_ = map(reduced, commands("td_states_alpha"))
    assert learn[-3:] == ["episodes=200", "evaluate.episodes=200", "seed=0,1,2"]
    assert "hydra.sweep.dir=outputs/reduced/td_states_alpha" in learn
    assert collected[3:5] == ["td_states_alpha", "outputs/reduced/td_states_alpha"]
    assert collected[-1] == "into=outputs/reduced/td_states_alpha"
    (learn, *_) = map(reduced, commands("learners_seconds"))
    assert "budget.seconds=2" in learn


def test_a_page_is_run_reduced_and_without_its_checkpoints(tmp_path, capsys):
    from experiments.tools import run_all

    home = tmp_path / "experiments"
    (home / "quick").mkdir(parents=True)
    page = home / "quick" / "README.md"
    page.write_text("# Title\n\n    tdl run experiment=quick hydra.run.dir=outputs/quick\n")
    assert run_all.main("quick", home=home) == 0
    folder = tmp_path / "outputs" / "reduced" / "quick"
    assert result(folder)["episodes"] == 100
    assert not (folder / "checkpoint").exists()
    page.write_text("# Title\n\n    python -m tdl.run experiment=quick tuples=2x hydra.run.dir=outputs/quick\n")
    assert run_all.main("quick", home=home) == 1
    assert "2x4" in capsys.readouterr().out  # the nearest name, from the run's own message


def test_an_unknown_option_is_refused():
    from experiments.tools import run_all

    with pytest.raises(SystemExit, match="--ful: --full or --keep"):
        run_all.main("--ful")
