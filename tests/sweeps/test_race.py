"""Sweeps that race: which jobs are played, the same after a crash and with more seeds; and who cannot race."""

import re

import pandas as pd
from support.programs import SMALL, inside
from support.sweeps import SHORT, rows_of, sweep

from tdl.storage.race_file import RACE, read_race
from tdl.storage.run_folder import RunFolder
from tdl.sweeps.job import Plan
from tdl.sweeps.race import Race, RaceOptions, answer, names_of, write_looks
from tdl.sweeps.sweep_files import SweepFiles
from tdl.sweeps.sweep_state import state_of

RESULTS = {}  # by the folder of a run

WORDS = ("alpha=0.000001,0.5", "seed=0,1,2,3,4", "episodes=400", "evaluate.episodes=200", "race.on=true")


def played(folder):
    """The seeds of each step size that have a row."""
    rows = [(row["alpha"], int(row["seed"])) for row in rows_of(folder)]
    return {alpha: sorted(seed for other, seed in rows if other == alpha) for alpha, _ in rows}


def test_a_setting_that_is_worse_stops_and_the_same_command_plays_nothing_more(tmp_path):
    done = sweep(tmp_path, *WORDS)
    assert done.returncode == 0, done.stderr
    assert "Race: 1 of 2 settings stopped, alpha=0.5 is left; 2 runs were spared: 800 games, 0 s" in done.stdout
    assert re.search(r"after 4 seeds: \d+% behind, \d+% were enough", done.stdout)
    assert "race, at most 4/10  rounds 1 to 2 of 5, 2 settings left, " in done.stderr
    assert "Best: alpha 0.5, " in done.stdout
    assert " The race stopped all others." in done.stdout
    assert played(tmp_path) == {"1e-06": [0, 1, 2, 3], "0.5": [0, 1, 2, 3]}
    looks = pd.read_csv(tmp_path / "race.csv")
    assert looks["verdict"].tolist() == ["stays", "leads"] * 2 + ["worse", "leads"]
    assert looks["seeds"].tolist() == [2, 2, 3, 3, 4, 4]
    worse = looks.iloc[4]
    assert worse["behind"] > worse["margin"] > 0
    assert worse["setting"] == "alpha=1e-06"
    assert (tmp_path / worse["job"] / "result.json").exists()
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("result.json")}
    again = sweep(tmp_path, *WORDS)
    assert (again.returncode, again.stderr) == (0, "")
    assert again.stdout.partition("alpha")[2] == done.stdout.partition("alpha")[2]
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("result.json")} == before


def test_who_cannot_race(tmp_path):
    done = sweep(tmp_path / "a", *SHORT, "alpha=0.1,0.5", "race.on=true")
    assert done.returncode == 2
    assert "race.on: seeds are the rounds of a race; expected two or more, as seeds=10" in done.stderr
    done = sweep(tmp_path / "a", *SHORT, "seed=0,1", "race.on=true")
    assert (done.returncode, (tmp_path / "a").exists()) == (2, False)
    assert "race.on: a single setting has nobody to race with; expected a key with several values" in done.stderr
    done = sweep(tmp_path / "b", *SHORT, "seed=0,1", "race.on=true", "race.first=1")
    assert done.returncode == 2
    assert "race.first: 1 is not allowed; expected a whole number from 2 to 1000" in done.stderr
    done = inside(*SHORT, "race.on=true", f"out={tmp_path / 'c'}")
    assert (done.returncode, (tmp_path / "c").exists()) == (2, False)
    assert "race.on: settings race in a sweep: add -m (tdl sweep)" in done.stderr


def test_a_setting_that_diverges_is_no_failure_where_another_finishes(tmp_path):
    words = ("episodes=10", "seed=0,1", "race.on=true")
    done = sweep(tmp_path / "a", *words, "alpha=0.1,5")
    assert (done.returncode, done.stderr[-1:]) == (0, "\n"), done.stderr
    assert "Race: 1 of 2 settings stopped, alpha=0.1 is left" in done.stdout
    assert "are not finished" not in done.stderr
    done = sweep(tmp_path / "b", *words, "alpha=5,6")
    assert done.returncode == 1
    assert "4 of 4 jobs are not finished" in done.stderr


def test_settings_are_named_by_what_differs():
    assert names_of([("a=1", "b=2"), ("a=1", "b=3")]) == ["b=2", "b=3"]


def test_a_failed_setting_plays_no_more_and_the_others_go_on(tmp_path, monkeypatch):
    jobs = [[f"alpha={alpha}", f"seed={seed}"] for alpha in (1, 2, 3) for seed in (0, 1, 2)]
    scores = {0: 5.0, 1: 6.0, 3: 5.5, 4: 5.6, 6: 5.7}
    monkeypatch.setattr(Race, "_score", lambda race, number, share: scores.get(number, float("nan")))
    race = Race(jobs, [Plan(folder=tmp_path)] * 9, RaceOptions(True))
    assert race.due() == [7]
    race.note([7])  # which failed
    assert race.due() == [2, 5]
    scores |= {2: 5.0, 5: 5.1}
    race.note([2, 5])
    assert race.due() == []
    assert answer([race]) == (
        "Race: none of 3 settings stopped, alpha=1, alpha=2 are left; alpha=3 is left out, as a job failed."
    )


def test_what_is_ahead(tmp_path, monkeypatch):
    """Runs that are played, at most, and the part of a run that a job plays; with a rung that is less."""
    scores = {(0, 0.5): 5.0, (1, 0.5): 6.0, (2, 0.5): 5.2}
    monkeypatch.setattr(Race, "_score", lambda race, number, share: scores.get((number, share), float("nan")))
    jobs = [[f"alpha={alpha}", f"seed={seed}"] for alpha in (1, 2) for seed in (0, 1)]
    race = Race(jobs, [Plan(folder=tmp_path)] * 4, RaceOptions(True, rungs=[0.5, 1.0]))
    assert race.ahead() == (1.5, 4, 0.5, "round 2 of 2, 50% of the budget, 2 settings left")
    scores[3, 0.5] = 5.7
    race.note([3])
    assert race.ahead() == (2, 4, 0.5, "rounds 1 to 2 of 2, 2 settings left")


def test_what_was_spared_went_as_what_was_played(tmp_path, monkeypatch):
    scores = {0: 100.0, 1: 101.0, 2: 100.5, 5: 50.0, 6: 50.5}
    monkeypatch.setattr(Race, "_score", lambda race, number, share: scores.get(number, float("nan")))
    for number in scores:
        result = {"status": "finished", "episodes": 40, "seconds": 100.0, "evaluation": {"seconds": 20.0}}
        monkeypatch.setitem(RESULTS, tmp_path / str(number), result)
    monkeypatch.setattr(RunFolder, "result_if_whole", lambda run: RESULTS.get(run.path, {}))
    jobs = [[f"alpha={alpha}", f"seed={seed}"] for alpha in (1, 2) for seed in range(5)]
    race = Race(jobs, [Plan(folder=tmp_path / str(number)) for number in range(10)], RaceOptions(True))
    assert answer([race]) == (
        "Race: 1 of 2 settings stopped, alpha=1 is left; 5 runs were spared: 200 games, 10 min of one core."
    )


def test_what_a_setting_was_spared_that_stopped_at_a_rung(tmp_path, monkeypatch):
    """It paused later than that, at the end of a block: after 30 of 100 games."""
    scores = {0: 100.0, 1: 101.0, 2: 10.0, 3: 10.1}
    monkeypatch.setattr(Race, "_score", lambda race, number, share: scores.get(number, float("nan")))
    for number in scores:
        status, games = ("finished", 100) if number < 2 else ("paused", 30)
        monkeypatch.setitem(RESULTS, tmp_path / str(number), {"status": status, "episodes": games, "seconds": games})
    monkeypatch.setattr(RunFolder, "result_if_whole", lambda run: RESULTS.get(run.path, {}))
    jobs = [[f"alpha={alpha}", f"seed={seed}"] for alpha in (1, 2) for seed in range(2)]
    plans = [Plan(folder=tmp_path / str(number), games=100) for number in range(4)]
    race = Race(jobs, plans, RaceOptions(True, rungs=[0.1, 1.0]))
    assert answer([race]) == (
        "Race: 1 of 2 settings stopped, alpha=1 is left; 2 runs were spared: 140 games, 2.3 min of one core."
    )


def test_a_preset_may_race_and_the_command_line_wins(tmp_path, monkeypatch):
    (tmp_path / "mine" / "experiment").mkdir(parents=True)
    lines = ["# @package _global_", "hydra:", "  mode: MULTIRUN", "  sweeper:", "    params:", "      alpha: 0.1,0.2",
             "      seed: range(0,2)", "      race.on: true", "      race.first: 3"]  # fmt: skip
    (tmp_path / "mine" / "experiment" / "races.yaml").write_text("\n".join(lines))
    monkeypatch.chdir(tmp_path)
    words = (*SMALL, *SHORT, "--config-dir", "mine", "experiment=races")
    done = inside(*words, "race.first=2", "out=on")
    assert done.returncode == 0, done.stderr
    assert {row.seeds for row in read_race(tmp_path / "on")} == {2}
    assert inside(*words, "race.on=false", "out=off").returncode == 0
    assert not (tmp_path / "off" / RACE).exists()
    done = inside(*words, "race.first=1", "out=bad")
    assert (done.returncode, (tmp_path / "bad").exists()) == (2, False)


def test_a_race_over_a_grid_plays_nothing_and_goes_on_with_more_settings(tmp_path):
    """Those of another command in the folder stay in the table of looks."""
    words = ("episodes=100", "evaluate.episodes=20", "seed=0,1,2")
    assert sweep(tmp_path, *words, "alpha=0.001,0.3").returncode == 0
    grid = {path: path.stat().st_mtime_ns for path in tmp_path.glob("*/result.json")}
    done = sweep(tmp_path, *words, "alpha=0.001,0.3", "race.on=true")
    assert done.stdout.startswith("6 jobs, already done; nothing to play")
    assert done.stderr == ""
    before = read_race(tmp_path)
    assert state_of(SweepFiles(tmp_path))["race"]["looks"] == 2  # of the command that was given last
    assert sweep(tmp_path, *words, "alpha=0.001,0.3").returncode == 0
    assert state_of(SweepFiles(tmp_path))["race"] is None
    assert sweep(tmp_path, *words, "alpha=0.3,0.4", "race.on=true").returncode == 0
    assert grid.items() <= {path: path.stat().st_mtime_ns for path in tmp_path.glob("*/result.json")}.items()
    rows = read_race(tmp_path)
    of_others = [row for row in before if row.setting == "alpha=0.001"]
    assert [row for row in rows if row.setting == "alpha=0.001"] == of_others
    assert {row.setting for row in rows} == {"alpha=0.001", "alpha=0.3", "alpha=0.4"}


def test_where_all_diverge_each_is_in_the_table_of_looks(tmp_path, monkeypatch):
    monkeypatch.setattr(Race, "_score", lambda *_: float("-inf"))
    jobs = [[f"alpha={alpha}", f"seed={seed}"] for alpha in (1, 2) for seed in range(3)]
    race = Race(jobs, [Plan(folder=tmp_path / str(number)) for number in range(6)], RaceOptions(True))
    write_looks(tmp_path, [race])
    assert [(row.setting, row.behind, row.verdict) for row in read_race(tmp_path)] == [
        ("alpha=1", 1, "diverged"), ("alpha=2", 1, "diverged"),
    ]  # fmt: skip
