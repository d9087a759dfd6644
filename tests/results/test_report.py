"""The page about runs has what is in their files, all inside, and only what tells them apart.

Trusts `tdl.results.frames`.
"""

import base64
import contextlib
import io
import json
import re
from pathlib import Path

import matplotlib.image
import pytest
from support.programs import SMALL, inside, result, train

import tdl.results
from tdl.report import main

SECTIONS = ["Runs", "Settings", "Against the best", "Scores", "Learning curves", "Reach rates", "Score distributions",
            "Heat map", "Speed", "Not finished"]  # fmt: skip


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    """Two step sizes, two tile rules, two seeds, and a failure."""
    folder = tmp_path_factory.mktemp("report") / "swept"
    words = ("-m", *SMALL, "episodes=30", "evaluate.episodes=20", f"hydra.sweep.dir={folder}")
    assert inside(*words, "alpha=0.1,0.3", "tiles=p90_10,p80_20", "seed=0,1").returncode == 0
    assert inside(*words, "alpha=-1").returncode == 2
    return folder


def written(folder, *words):
    """The page and the tables."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        main([str(folder), *words])
    page, tables = out.getvalue().split()
    return Path(page).read_text(), Path(tables).read_text()


@pytest.fixture(scope="module")
def told(swept):
    """What is written of them."""
    return written(swept)


def titles(page):
    return re.findall("<h2>(.*?)</h2>", page)


def test_sections(told):
    page, tables = told
    assert titles(page) == SECTIONS
    assert re.findall("^## (.*)$", tables, re.M) == ["Runs", "Settings", "Against the best", "Not finished"]
    assert "9 runs: 8 finished, 1 failed" in tables


def test_the_page_needs_nothing_else(told):
    page, _ = told
    sources = re.findall('(?:src|href)="([^"]*)"', page)
    assert len(sources) == 6
    for source in sources:
        head, _, data = source.partition(",")
        assert head == "data:image/png;base64"
        height, width, _ = matplotlib.image.imread(io.BytesIO(base64.b64decode(data))).shape
        assert 300 < height < width < 2000


def test_tables_have_the_means(swept, told):
    _, tables = told
    found = tdl.results.means(tdl.results.runs(swept).query("status == 'finished'"), ["alpha", "tiles"])
    for row in found.to_dict("records"):
        interval = f"{row['mean']:,.0f} [{row['low']:,.0f}, {row['high']:,.0f}]"
        assert f"| {row['alpha']} | {row['tiles']} | 2 | {interval} |" in tables


def test_only_keys_that_differ(told):
    page, tables = told
    assert "alpha: 0.1, 0.3" in page
    assert "p80_20" in page
    (settings,) = (line for line in tables.splitlines() if line.startswith("| alpha | tiles | runs |"))
    columns = settings.strip("| ").split(" | ")[5:]
    assert all(column.isdigit() for column in columns), columns  # tiles


def test_a_failure_is_told(told):
    page, tables = told
    assert "alpha: -1.0 is not allowed" in page
    assert "alpha: -1.0 is not allowed" in tables


def test_unfinished_and_lost_jobs_are_listed_and_in_no_mean(tmp_path):
    elsewhere = train(tmp_path / "elsewhere", "episodes=20")
    words = ("-m", *SMALL, "episodes=20", f"hydra.sweep.dir={tmp_path}/sweep")
    assert inside(*words, "seed=0,1,2,3").returncode == 0
    assert inside("-m", f"resume={elsewhere}", "episodes=30", f"hydra.sweep.dir={tmp_path}/sweep").returncode == 0
    jobs = {result(path.parent)["seed"]: path.parent for path in (tmp_path / "sweep").glob("*/result.json")}
    for seed, status in ((1, "interrupted"), (2, "running")):
        told = result(jobs[seed]) | {"status": status}
        (jobs[seed] / "result.json").write_text(json.dumps(told))
    (jobs[3] / "result.json").unlink()
    _, tables = written(tmp_path / "sweep")
    assert "5 runs: 2 finished, 2 cut off, 1 interrupted" in tables
    unfinished = tables.split("## Not finished")[1]
    assert f"| {jobs[1].name} | interrupted | 20 |" in unfinished
    assert f"| {jobs[2].name} | cut off |" in unfinished
    assert f"| {jobs[3].name} | cut off |" in unfinished
    for folder in (jobs[0], elsewhere):
        assert f"{result(folder)['evaluation']['mean']:,.0f}" in tables
    for folder in (jobs[1], jobs[2]):
        assert f"{result(folder)['evaluation']['mean']:,.0f}" not in tables


def test_one_run_alone(tmp_path):
    folder = train(tmp_path / "run", "episodes=20")
    page, tables = written(folder, "--out", str(tmp_path / "page"))
    assert (tmp_path / "page.html").exists()
    assert (tmp_path / "page.md").exists()
    assert "They differ in nothing but their seeds" in tables
    assert titles(page)[:2] == ["Runs", "Settings"]
    assert f"{result(folder)['evaluation']['mean']:,.0f}" in tables


def test_runs_without_games_after_training(tmp_path):
    """Their score is that of the last block."""
    folder = train(tmp_path / "run", "episodes=20", "evaluate.episodes=0")
    page, _ = written(folder)
    assert "Score distributions" not in titles(page)
    assert "Scores" in titles(page)


def test_no_run_played(tmp_path):
    (tmp_path / "result.json").write_text(
        json.dumps({"status": "failed", "error": "no", "names": {"game": "pow2"}, "config": {"seed": 1, "alpha": -1}})
    )
    page, _ = written(tmp_path)
    assert titles(page) == ["Runs", "Not finished"]


def test_nothing_there(tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        main([str(tmp_path)])
    assert ended.value.code == 2
    assert capsys.readouterr().err == f"tdl: {tmp_path}: no run in it (no result.json)\n"
