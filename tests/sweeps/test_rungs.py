"""Sweeps whose settings are judged at shares of their budget: who pauses, whose weights go, what a crash changes.

Trusts that a paused run goes on as if nothing had happened, which tests/runs/test_paused.py shows.
"""

import math

import pandas as pd
import pytest
from support.programs import SMALL, inside, result
from support.sweeps import folder_of, sweep

from tdl.errors import ConfigError
from tdl.sweeps.job import Plan
from tdl.sweeps.race import Race, RaceOptions

WORDS = ("alpha=0.000001,0.1", "seed=0,1,2,3,4", "episodes=1000", "block=50", "evaluate.episodes=20",
         "save.final=false", "race.on=true", "race.first=5", "hydra/launcher=basic")  # fmt: skip
RUNGS = "race.rungs=[0.1,0.3,1]"


def looks(folder):
    return pd.read_csv(folder / "race.csv")


def statuses(folder, alpha, seeds=5):
    return {result(folder_of(folder, alpha=alpha, seed=seed))["status"] for seed in range(seeds)}


def killed_at_a_rung(monkeypatch, folder, *words):
    """A sweep that ends when all its jobs have paused at the first rung."""

    def note(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Race, "note", note)
        assert sweep(folder, *words).returncode == 130


def test_a_rung_stops_what_is_far_behind_and_a_crash_changes_nothing(tmp_path, monkeypatch):
    done = sweep(tmp_path / "a", *WORDS, RUNGS)
    assert done.returncode == 0, done.stderr
    assert looks(tmp_path / "a")["share"].tolist() == [0.1, 0.1, 1.0]
    assert looks(tmp_path / "a")["verdict"].tolist() == ["worse", "leads", "leads"]
    assert (statuses(tmp_path / "a", 1e-6), statuses(tmp_path / "a", 0.1)) == ({"paused"}, {"finished"})
    assert "alpha 1e-06: 5 of 5 paused after 100 games; stopped after 5 seeds to 10% of the budget: " in done.stdout
    assert not [*(tmp_path / "a").glob("*/checkpoint")]
    killed_at_a_rung(monkeypatch, tmp_path / "b", *WORDS, RUNGS)
    assert {*statuses(tmp_path / "b", 1e-6), *statuses(tmp_path / "b", 0.1)} == {"paused"}
    assert len([*(tmp_path / "b").glob("*/checkpoint")]) == 10
    assert sweep(tmp_path / "b", *WORDS, RUNGS).returncode == 0
    assert (tmp_path / "b" / "race.csv").read_bytes() == (tmp_path / "a" / "race.csv").read_bytes()
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("result.json")}
    assert sweep(tmp_path / "a", *WORDS, RUNGS).returncode == 0
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("result.json")} == before
    words = [word for word in WORDS if not word.startswith("race.")]
    assert sweep(tmp_path / "a", *words).returncode == 0  # without a race the others go on, too
    assert statuses(tmp_path / "a", 1e-6) == {"finished"}


def test_weights_stay_where_they_are_asked_for(tmp_path):
    assert sweep(tmp_path, *WORDS, RUNGS, "save.final=true").returncode == 0
    assert len([*tmp_path.glob("*/checkpoint")]) == 10
    assert statuses(tmp_path, 1e-6) == {"paused"}


@pytest.mark.parametrize(
    "rungs", [[], [0.3, 0.1, 1], [0.1, 0.3], [0, 1], [0.1, 2], [-0.1, 1], ["a", 1], 0.1, [0.5, 0.5, 1]]
)
def test_rungs_that_are_refused(rungs):
    with pytest.raises(ConfigError, match=r"^race.rungs: .* rising shares of the budget that end with 1"):
        RaceOptions(on=True, rungs=rungs)


def test_rungs_without_a_race_are_refused(tmp_path):
    for words in (("-m", "seeds=2"), ()):
        done = inside(*SMALL, RUNGS, *words, f"out={tmp_path / 'a'}")
        assert (done.returncode, (tmp_path / "a").exists()) == (2, False)
        assert "race.rungs: [0.1, 0.3, 1] is not allowed; expected [1] without race.on=true" in done.stderr


def test_rungs_of_a_budget_of_time_are_refused():
    jobs = [["seed=0"], ["seed=1"]]
    with pytest.raises(ConfigError, match=r"race.rungs: shares of a budget of time differ from run to run"):
        Race(jobs, [Plan(seconds=5.0)] * 2, RaceOptions(True, rungs=(0.5, 1)))


def test_scores_at_rungs_are_those_of_the_files(tmp_path):
    """Before a rung a divergence is the score, after it what was played until there."""
    rows = [f"{block},{block},9,1" for block in range(1, 6)]
    for name, error in (("a", "learning diverged: a"), ("b", "no room")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "blocks.csv").write_text("\n".join(["episode,mean,max,moves", *rows, ""]))
        text = f'{{"config": {{}}, "status": "failed", "error": "{error}", "episodes": 5}}'
        (tmp_path / name / "result.json").write_text(text)
    plans = [Plan(folder=tmp_path / name, games=10) for name in "ab"]
    race = Race([["seed=0"], ["seed=1"]], plans, RaceOptions(True, rungs=(0.5, 0.6, 1)))
    assert race.scores[:, 0, 0].tolist() == [5, -math.inf, -math.inf]
    assert race.scores[0, 0, 1] == 5
    assert all(math.isnan(score) for score in race.scores[1:, 0, 1])
    assert (race.due(), race.share) == ([1], 1)  # a single setting is judged nowhere before


@pytest.mark.extra
@pytest.mark.parametrize("launcher", ["joblib", "submitit_local"])
def test_other_launchers_pause_and_go_on(tmp_path, monkeypatch, launcher):
    pytest.importorskip(f"hydra_plugins.hydra_{launcher.partition('_')[0]}_launcher", reason="an extra is missing")
    words = ("alpha=0.1,0.5", "episodes=40", "seed=0,1", "race.on=true", RUNGS, f"hydra/launcher={launcher}")
    killed_at_a_rung(monkeypatch, tmp_path, *words)
    assert statuses(tmp_path, 0.1, seeds=2) == statuses(tmp_path, 0.5, seeds=2) == {"paused"}
    done = sweep(tmp_path, *words)
    assert done.returncode == 0, done.stderr
    assert statuses(tmp_path, 0.1, seeds=2) == statuses(tmp_path, 0.5, seeds=2) == {"finished"}
