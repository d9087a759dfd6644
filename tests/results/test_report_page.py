"""What the page tells of folders that are no finished sweep: single runs, evaluations, failed and lost jobs."""

import json
from urllib.parse import unquote

import pytest
from support.pages import Page, columns, commands, facts, tables_of, titles, written
from support.programs import SMALL, blocks_of, go_on, inside, result, train

import tdl.cli.evaluate
import tdl.results
from tdl.cli.report import main
from tdl.statistics.intervals import interval_text


@pytest.fixture(scope="module")
def mixture(tmp_path_factory):
    """README's own order, in one folder: a run, and evaluations of it."""
    folder = tmp_path_factory.mktemp("report") / "mixture"
    train(folder / "run", "episodes=30", "evaluate.episodes=20")
    for plies in (1, 2):
        evaluate(folder / f"plies{plies}", f"checkpoint={folder / 'run'}", f"evaluate.plies={plies}")
    return folder


def evaluate(folder, *words):
    done = inside("evaluate.episodes=20", f"hydra.run.dir={folder}", *words, program=tdl.cli.evaluate.main)
    assert done.returncode == 0, done.stderr


def test_runs_that_were_started_one_by_one(tmp_path):
    """Combinations of values are one command; what stands alone is itself; in the order of time."""
    for alpha in (0.1, 0.2):
        for seed in (1, 2):
            train(tmp_path / f"{alpha}_{seed}", "episodes=10", f"alpha={alpha}", f"seed={seed}")
    go_on(tmp_path / "0.1_1", "episodes=20")
    train(tmp_path / "other", "learner=tc", "episodes=10")
    small = "'tuples.cells=[[0,1,2,3],[4,5]]' block=10 evaluate.episodes=5"
    assert commands(written(tmp_path)[0]) == [
        f"tdl run -m {small} episodes=10 alpha=0.1,0.2 seed=1,2",
        f"tdl run resume={tmp_path / '0.1_1'} episodes=20",
        f"tdl run {small} learner=tc episodes=10",
    ]


def test_run_evaluate_report(mixture):
    """The order of README's commands; with an evaluation among the runs there once was no report at all."""
    page, tables = written(mixture)
    assert facts(page)["Content"] == "1 run and 2 evaluations: 3 finished"
    found = tables_of(tables)
    assert columns(found["Settings"], "runs", "mean score") == [
        ("1", f"{result(mixture / 'run')['evaluation']['mean']:,.0f}")
    ]
    assert [name for (name,) in columns(found["Runs"], "folder")] == ["run"]
    figures = {name: result(mixture / name)["evaluation"] for name in ("plies1", "plies2")}
    expected = [
        (name, "run", "30", name[-1], "20", interval_text(each["mean"], *each["mean_ci95"]))
        for name, each in sorted(figures.items(), key=lambda item: -item[1]["mean"])
    ]
    shown = columns(found["Evaluations"], "evaluation", "checkpoint", "trained for", "plies", "games", "mean score")
    assert shown == expected
    assert f"Best evaluation: plies {expected[0][3]}, {expected[0][5]}, 20 games." in tables
    assert [line.split()[1] for line in commands(page)] == ["run", "evaluate"]
    assert commands(page)[1].endswith("evaluate.plies=1,2")
    assert titles(page)[-3:] == ["Evaluations", "Scores of evaluations", "Runs"]
    alone, _ = written(mixture / "plies1")
    assert titles(alone) == ["Answer", "How it was made", "Evaluations", "Scores of evaluations"]


@pytest.mark.parametrize("name", ['<b>&"x', "a|b", "[x](y)", "*_`~"])
def test_a_name_is_text(tmp_path, name):
    """In the page and in Markdown, whatever marks of theirs it has."""
    folder = tmp_path / name
    folder.mkdir()
    config = {"seed": 1, "alpha": -1}
    broken = {"status": "failed", "error": f"no {name}", "names": {"game": name}, "config": config}
    (folder / "result.json").write_text(json.dumps(broken))
    page, tables = written(tmp_path)
    read = Page(page)
    assert not read.all("b")
    assert name in read.texts("a")
    assert f"no {name}" in read.texts("td")
    assert {unquote(attributes["href"]) for attributes, _ in read.all("a")} == {name}
    assert columns(tables_of(tables)["Not finished"], "run", "error") == [(name, f"no {name}")]
    page, _ = written(folder)
    assert Page(page).texts("title") == [name]
    assert titles(page) == ["Answer", "How it was made", "Runs", "Not finished"]
    assert "No run has a score yet." in page


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
    (tmp_path / "sweep" / "12345678" / ".hydra").mkdir(parents=True)  # killed before Hydra could write there
    page, tables = written(tmp_path / "sweep")
    assert facts(page)["Content"] == "6 runs: 3 cut off, 2 finished, 1 interrupted"
    unfinished = columns(tables_of(tables)["Not finished"], "run", "status", "games")
    assert sorted(unfinished) == sorted([
        ("12345678", "cut off", ""), (jobs[1].name, "interrupted", "20"), (jobs[2].name, "cut off", "20"),
        (jobs[3].name, "cut off", ""),
    ])  # fmt: skip
    settings, listed = tables_of(tables)["Settings"], tables_of(tables)["Runs"]
    assert columns(settings, "runs") == [("2",)]
    scores = [result(folder)["evaluation"]["mean"] for folder in (jobs[0], elsewhere)]
    assert columns(settings, "mean score")[0][0].startswith(f"{sum(scores) / 2:,.0f} [")
    assert {f"{score:,.0f}" for score in scores} <= {score for (score,) in columns(listed, "mean score")}


@pytest.mark.parametrize("games", [0, 20])
def test_one_run_alone(tmp_path, games):
    """Without games after training its score is that of the last block."""
    folder = train(tmp_path / "run", "episodes=20", f"evaluate.episodes={games}")
    page, tables = written(folder, "--out", str(tmp_path / "page"))
    assert (tmp_path / "page.html").exists()
    assert (tmp_path / "page.md").exists()
    assert "Varied" not in facts(page)
    assert titles(page)[:4] == ["Answer", "How it was made", "Settings", "Scores and learning curves"]
    assert ("Score distributions" in titles(page)) == (games > 0)
    assert ("of the last block of games of the training" in page) == (games == 0)
    score = result(folder)["evaluation"]["mean"] if games else blocks_of(folder)["mean"].iloc[-1]
    assert tables_of(tables)["Settings"][1][:2] == ["1", f"{score:,.0f}"]


def test_nothing_there(tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        main([str(tmp_path)])
    assert ended.value.code == 2
    assert capsys.readouterr().err == f"tdl: {tmp_path}: no run in it (no result.json)\n"
