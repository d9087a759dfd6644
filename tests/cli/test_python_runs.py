"""`tdl.train`: runs of the command line, from Python.

Trusts the command line (tests/runs, tests/sweeps).
"""

import subprocess
import sys

import pytest
from hydra import compose, initialize_config_module
from hydra.core.hydra_config import HydraConfig
from support.composing import composed_once
from support.programs import files, outcome, result

import tdl
import tdl.results
from tdl.config.hydra_versions import BASE
from tdl.errors import ConfigError, DivergenceError
from tdl.results.origin import commands, starts_of

SMALL = {"tuples_cells": [[0, 1, 2, 3], [4, 5]], "block": 10, "evaluate_episodes": 5}
"""The small run of `support.programs`."""


@pytest.fixture(autouse=True)
def _composed_once(monkeypatch):
    composed_once(monkeypatch)


def test_one_run_is_that_of_the_command_line(small_run, tmp_path, capsys):
    table = tdl.train(**SMALL, episodes=30, seed=3, out=tmp_path / "run")
    assert outcome(tmp_path / "run") == outcome(small_run("episodes=30", "seed=3"))
    assert table["run"].tolist() == [str(tmp_path / "run")]
    assert table.loc[0, ["seed", "episodes", "status"]].tolist() == [3, 30, "finished"]
    assert table.loc[0, "eval_mean"] == result(tmp_path / "run")["evaluation"]["mean"]
    out, err = capsys.readouterr()
    assert out == ""
    assert "train 30/30" in err


def test_a_run_that_is_there_is_not_played_again(tmp_path):
    def run(**keywords):
        blocks = []
        tdl.train(**SMALL, out=tmp_path / "run", on_block=lambda block: blocks.append(block.episode), **keywords)
        return blocks

    assert run(episodes=20) == [10, 20]
    assert run(episodes=20) == []
    assert run(episodes=40) == [30, 40]
    before = files(tmp_path)
    with pytest.raises(ConfigError, match=r"out: .* holds a run of another configuration"):
        run(episodes=20, alpha=0.5)
    with pytest.raises(ConfigError, match=r"out: .* holds a single run; name another folder for several"):
        run(episodes=20, alpha=[0.5, 1])
    assert files(tmp_path) == before


def test_many_runs_are_a_sweep(tmp_path, capsys):
    table = tdl.train(**SMALL, episodes=20, alpha=[0.1, 0.3], seeds=2, out=tmp_path / "sweep", cores=2)
    assert table[["alpha", "seed"]].to_numpy().tolist() == [[0.1, 0], [0.1, 1], [0.3, 0], [0.3, 1]]
    assert set(table["status"]) == {"finished"}
    assert tdl.results.means(table, by="alpha")["runs"].tolist() == [2, 2]
    assert (tmp_path / "sweep" / "sweep.csv").exists()
    assert capsys.readouterr().out == ""

    more = tdl.train(**SMALL, episodes=20, alpha=0.3, seed=2, out=tmp_path / "sweep")  # one more of the same sweep
    assert more[["alpha", "seed"]].to_numpy().tolist() == [[0.3, 2]]
    assert len(tdl.results.runs(tmp_path / "sweep")) == 5


def test_of_many_runs_one_fails_alone(tmp_path, capsys):
    table = tdl.train(**SMALL, episodes=20, alpha=[0.1, 7], out=tmp_path)
    assert table["status"].tolist() == ["finished", "failed"]
    assert table.loc[1, "error"].startswith("learning diverged")
    with pytest.raises(DivergenceError):
        tdl.train(**SMALL, episodes=20, alpha=7, out=tmp_path / "alone")
    assert result(tmp_path / "alone")["status"] == "failed"


@pytest.mark.parametrize(
    ("keywords", "telling"),
    [
        ({"alpha": -1}, "alpha: -1.0 is not allowed; expected a number above 0"),
        ({"alpha": [-1, 0.1]}, "1 of 2 jobs is refused, so none was begun"),
        ({"tuples": "4x9"}, "tuples=4x9: no such choice; expected one of .*; did you mean '4x6'"),
        ({"tuples": ["4x7", "4x6"]}, "tuples=4x7: no such choice"),
        ({"episodes": "many"}, "episodes: 'many' is not allowed; expected a whole number"),
        ({"seeds": 2, "seed": 1}, "seeds: seed is given, too"),
        ({"cores": 0, "alpha": [0.1, 0.2]}, "cores: 0 is not allowed"),
    ],
)
def test_a_wrong_call_leaves_nothing(keywords, telling, tmp_path):
    with pytest.raises(ConfigError, match=telling) as caught:
        tdl.train(**{**SMALL, **keywords}, out=tmp_path / "run")
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "run").exists()


def test_what_on_block_raises_ends_the_run(tmp_path):
    def stop(block):
        if block.episode == 20:
            raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        tdl.train(**SMALL, episodes=40, out=tmp_path / "run", on_block=stop)
    assert {"status": "interrupted", "error": "enough", "episodes": 20}.items() <= result(tmp_path / "run").items()


def test_on_block_of_many_runs_is_called_where_they_run(tmp_path):
    def note(block):
        (block.folder / "noted").write_text(f"{block.episode} {block.mean}")

    table = tdl.train(**SMALL, episodes=20, seeds=2, out=tmp_path, on_block=note)
    last = tdl.results.load(table["run"]).groupby("run")["mean"].last()
    noted = {run: (tmp_path / run / "noted").read_text() for run in table["run"]}
    assert noted == {run: f"20 {mean}" for run, mean in last.items()}


def test_without_a_folder_each_call_has_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tables = [tdl.train(**SMALL, episodes=10, progress=False) for _ in range(2)]
    assert tables[0].loc[0, "run"] != tables[1].loc[0, "run"]
    assert len(tdl.results.runs()) == 2


def test_a_run_goes_on(tmp_path):
    table = tdl.train(**SMALL, episodes=10, out=tmp_path / "run")
    more = tdl.train(resume=table.loc[0, "run"], episodes=30)
    assert more.loc[0, ["run", "episodes"]].tolist() == [table.loc[0, "run"], 30]
    with pytest.raises(ConfigError, match="alpha: a resumed run keeps its configuration"):
        tdl.train(resume=table.loc[0, "run"], alpha=0.7)


def test_a_report_knows_the_command(tmp_path):
    tdl.train(**SMALL, episodes=10, out=tmp_path / "run")
    (line,) = commands([tmp_path / "run"], starts_of([tmp_path / "run"]))
    assert line.startswith("tdl run 'tuples.cells=[[0,1,2,3],[4,5]]' episodes=10 block=10")


def test_inside_another_program_nothing_is_shown_and_its_hydra_is_left_as_it_was(tmp_path, capsys):
    words = list(sys.argv)
    with initialize_config_module("tdl.conf", **BASE):
        before = HydraConfig.instance().cfg
        tdl.train(**SMALL, episodes=10, out=tmp_path / "run", progress=False)
        tdl.train(**SMALL, episodes=10, seeds=2, out=tmp_path / "runs", progress=False)
        assert HydraConfig.instance().cfg is before
        assert compose("run", ["alpha=0.7"]).alpha == 0.7
    assert sys.argv == words
    assert capsys.readouterr() == ("", "")


def test_tdl_itself_is_imported_without_what_few_need():
    names = ("pandas", "hydra", "matplotlib", "seaborn", "optuna", "tensorboardX", "wandb")
    code = f"import sys, tdl; print([name for name in {names} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
