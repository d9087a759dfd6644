"""`tdl status`: a sweep in a terminal of any width, and what is said of a folder that is none."""

import json
import os

import pytest
from support.swept_files import job, made_up

from tdl.cli.status import main
from tdl.storage.race_file import LEADS, WORSE, RaceRow, write_race
from tdl.storage.run_folder import lock_folder


@pytest.fixture
def outputs(tmp_path, monkeypatch):
    """The folder of outputs below the present one, with a sweep that runs and an older one."""
    monkeypatch.chdir(tmp_path)
    made_up(tmp_path / "outputs" / "old", "seed=0")
    os.utime(tmp_path / "outputs" / "old" / "multirun.yaml", (1e9, 1e9))
    jobs = {f"s{seed}": {"alpha": 0.1, "seed": seed, "mean": 100 + seed} for seed in range(3)}
    folder = made_up(tmp_path / "outputs" / "new", "alpha=0.1,0.5", "seed=range(0,3)", **jobs)
    running = job(folder / "running", 0.5, status="running", blocks=[1, 2, 3, 4, 5])
    os.utime(running / "blocks.csv", (1e9, 1e9))
    with lock_folder(running):
        yield tmp_path / "outputs"


def lines(capsys, *words):
    main([*words])
    return capsys.readouterr().out.splitlines()


def test_the_newest_sweep_as_a_table(outputs, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert lines(capsys) == [
        "outputs/new: running; 30 s left",
        "6 jobs: 3 finished, 1 running, 2 waiting",
        "",
        "              mean score  seeds",
        "alpha 0.1  101 [99, 103]    3/3  ended",
        "alpha 0.5                   0/3  running",
        "",
        "[############........]  60%  alpha 0.5, seed 0, 25 moves/s, 8 s left",
        "",
        "Mean 101 [99, 103], 3 runs.",
    ]
    monkeypatch.setenv("COLUMNS", "40")
    assert max(map(len, lines(capsys, "outputs/new"))) <= 40


def test_why_a_setting_stopped_is_said_to_its_end(tmp_path, capsys, monkeypatch):
    jobs = {name: {"alpha": alpha, "mean": 100} for name, alpha in (("a", 0.1), ("b", 0.5))}
    folder = made_up(tmp_path, "alpha=0.1,0.5", "seed=0,1", race=True, **jobs)
    write_race(folder, [RaceRow(1, 2, 1.0, name, name, 100.0, *about) for name, *about in (
        ("a", 0.0, 0.1, LEADS), ("b", 0.2, 0.1, WORSE))])  # fmt: skip
    for width in (1, 30, 60):
        monkeypatch.setenv("COLUMNS", str(width))
        shown = lines(capsys, str(folder))
        assert max(map(len, shown)) <= width
    assert shown[6:8] == [
        "alpha 0.5         100    1/2  stopped after 2 seeds: 20%",
        "                              behind, 10% were enough",
    ]


def test_all_that_is_known_for_programs(outputs, capsys):
    (line,) = lines(capsys, "--json", "outputs/new")
    assert json.loads(line)["jobs"]["all"] == 6


def test_it_watches_until_the_end(outputs, capsys):
    assert lines(capsys, "--watch", "outputs/old")[0] == "outputs/old: stopped; the same command goes on"


@pytest.mark.parametrize(("folder", "told"), [
    ("outputs", "outputs: no sweep (no multirun.yaml); sweeps below: new, old"),
    ("outputs/new/s0", "outputs/new/s0: no sweep (no multirun.yaml); a run, of which tdl report tells"),
    ("outputs/mew", "outputs/mew: no sweep (no such folder; did you mean 'new'?)"),
    ("one", "one: no sweep (no multirun.yaml); runs that were begun one by one, of which tdl report tells"),
])  # fmt: skip
def test_what_is_no_sweep(outputs, capsys, folder, told):
    job(outputs.parent / "one" / "a", 0.1)
    with pytest.raises(SystemExit, match="2"):
        main([folder])
    assert capsys.readouterr().err == f"tdl: {told}\n"


def test_where_there_is_no_sweep_at_all(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match="2"):
        main([])
    assert capsys.readouterr().err == "tdl: outputs: no sweep in it; tdl status FOLDER looks at another\n"
