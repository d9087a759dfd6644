"""Sweeps that race: which jobs are played, the same after a crash and with more seeds; and who cannot race."""

import pandas as pd
from support.programs import inside
from support.sweeps import SHORT, rows_of, sweep

from tdl.sweeps.race import Race, RaceOptions, names_of

WORDS = ("alpha=0.000001,0.5", "seed=0,1,2,3,4", "episodes=400", "evaluate.episodes=200", "race.on=true")


def played(folder):
    """The seeds of each step size that have a row."""
    rows = [(row["alpha"], int(row["seed"])) for row in rows_of(folder)]
    return {alpha: sorted(seed for other, seed in rows if other == alpha) for alpha, _ in rows}


def test_a_setting_that_is_worse_stops_and_the_same_command_plays_nothing_more(tmp_path):
    done = sweep(tmp_path, *WORDS)
    assert done.returncode == 0, done.stderr
    assert "race: stopped: alpha=1e-06 after 4 seeds; 8 of 10 runs counted" in done.stdout
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
    assert (again.returncode, "8 of 10 runs counted" in again.stdout) == (0, True)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("result.json")} == before


def test_who_cannot_race(tmp_path):
    done = sweep(tmp_path / "a", *SHORT, "alpha=0.1,0.5", "race.on=true")
    assert done.returncode == 2
    assert "race.on: seeds are the rounds of a race; expected two or more, as seeds=10" in done.stderr
    done = sweep(tmp_path / "b", *SHORT, "seed=0,1", "race.on=true", "race.first=1")
    assert done.returncode == 2
    assert "race.first: 1 is not allowed; expected a whole number from 2 to 1000" in done.stderr
    done = inside(*SHORT, "race.on=true", f"out={tmp_path / 'c'}")
    assert (done.returncode, (tmp_path / "c").exists()) == (2, False)
    assert "race.on: settings race in a sweep: add -m (tdl sweep)" in done.stderr


def test_settings_are_named_by_what_differs():
    assert names_of([("a=1", "b=2"), ("a=1", "b=3")]) == ["b=2", "b=3"]


def test_a_failed_setting_plays_no_more_and_the_others_go_on(tmp_path, monkeypatch):
    jobs = [[f"alpha={alpha}", f"seed={seed}"] for alpha in (1, 2, 3) for seed in (0, 1, 2)]
    scores = {0: 5.0, 1: 6.0, 3: 5.5, 4: 5.6, 6: 5.7}
    monkeypatch.setattr(Race, "_score", lambda race, number: scores.get(number, float("nan")))
    race = Race(jobs, [tmp_path] * 9, RaceOptions(True))
    assert race.due() == [7]
    race.note([7])  # which failed
    assert race.due() == [2, 5]
    scores |= {2: 5.0, 5: 5.1}
    race.note([2, 5])
    assert race.due() == []
    assert race.text() == "race: no setting stopped; alpha=3 left out, as a job failed; 6 of 9 runs counted"
