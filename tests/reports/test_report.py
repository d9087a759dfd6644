"""The page about runs has what is in their files, all inside, and only what tells them apart.

Trusts `tdl.results.frames`, `comparison` and `answers`.
"""

import json
import os
import re
import shlex
import shutil
from urllib.parse import unquote

import pytest
from support.mutations import BOMB
from support.pages import Page, columns, tables_of, written
from support.programs import SMALL, go_on, inside, result, train

import tdl.evaluate
import tdl.results
from tdl.report import main
from tdl.statistics.intervals import interval_text, p_text

SECTIONS = ["Answer", "How it was made", "Settings", "Scores", "Learning curves", "Reach rates", "Score distributions",
            "Heat map", "Speed", "Runs", "Not finished"]  # fmt: skip

FIGURES = SECTIONS[3:9]


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    """Two step sizes, two tile rules, two seeds; and a step size that is far too large, with one seed."""
    folder = tmp_path_factory.mktemp("report") / "swept"
    words = ("-m", *SMALL, "episodes=30", "evaluate.episodes=20", f"hydra.sweep.dir={folder}")
    assert inside(*words, "alpha=9", "seed=1").returncode != 0
    assert inside(*words, "alpha=0.1,0.3", "tiles=p90_10,p80_20", "seed=range(0,2)").returncode == 0
    return folder


@pytest.fixture(scope="module")
def told(swept):
    """What is written of them."""
    return written(swept)


@pytest.fixture(scope="module")
def mixture(tmp_path_factory):
    """README's own order, in one folder: a run, and evaluations of it."""
    folder = tmp_path_factory.mktemp("report") / "mixture"
    train(folder / "run", "episodes=30", "evaluate.episodes=20")
    for plies in (1, 2):
        evaluate(folder / f"plies{plies}", f"checkpoint={folder / 'run'}", f"evaluate.plies={plies}")
    return folder


def evaluate(folder, *words):
    done = inside("evaluate.episodes=20", f"hydra.run.dir={folder}", *words, program=tdl.evaluate.main)
    assert done.returncode == 0, done.stderr


def titles(page):
    return Page(page).texts("h2")


def facts(page):
    found = Page(page)
    return dict(zip(found.texts("dt"), found.texts("dd"), strict=True))


def commands(page):
    return Page(page).texts("code")


def test_sections(told):
    page, tables = told
    assert titles(page) == SECTIONS
    assert re.findall("^## (.*)$", tables, re.M) == [title for title in SECTIONS if title not in FIGURES]
    assert facts(page)["Content"] == "9 runs: 8 finished, 1 failed"


def test_the_answer_comes_first(swept, told):
    page, tables = told
    runs = tdl.results.runs(swept)
    sentence = tdl.results.sentence(runs[runs["status"] == "finished"])
    assert sentence.startswith("Best: p")
    assert Page(page).texts("p")[0] == sentence
    assert Page(page).texts("li") == tdl.results.failures(runs)
    assert sentence in tables


def test_the_page_needs_nothing_else(swept, told):
    """Figures are inside; all that leads out are links to files of the runs, which are there."""
    page = Page(told[0])
    outside = [(tag, name, value) for tag, attributes, _ in page.elements for name, value in attributes.items()
               if name in ("src", "href", "xlink:href") and not value.startswith(("#", "data:"))]  # fmt: skip
    assert {(tag, name) for tag, name, _ in outside} == {("a", "href")}
    assert all((swept / unquote(value)).exists() for _, _, value in outside)
    assert len(outside) == 9 + 1  # nine runs, one of them in two tables; of curves no pictures were drawn
    assert "@import" not in told[0]
    assert not re.search(r"url\((?!#)", told[0])


def test_links_lead_to_runs_and_pictures_from_any_place(swept, tmp_path):
    run = next(path.parent for path in sorted(swept.glob("*/result.json")) if result(path.parent)["alpha"] == 0.1)
    picture = run / "curve.png"
    picture.write_bytes(b"")
    page, _ = written(swept, "--out", tmp_path / "a page.x")
    picture.unlink()
    links = {(tmp_path / unquote(attributes["href"])).resolve(): text for attributes, text in Page(page).all("a")}
    assert links[run] == run.name
    assert links[picture] == "curve"


def test_the_page_is_for_every_reader(told):
    page = Page(told[0])
    assert told[0].startswith("<!doctype html>")
    assert page.all("html")[0][0]["lang"] == "en"
    assert {"name": "viewport", "content": "width=device-width, initial-scale=1"} in [
        each for each, _ in page.all("meta")
    ]
    (style,) = page.texts("style")
    assert "prefers-color-scheme: dark" in style
    assert "@media print" in style
    scrolling = [each for each, _ in page.all("div") if each.get("class") == "scroll" and each.get("role") == "region"]
    assert len(scrolling) == len(page.all("table"))
    assert all(each["aria-label"] and each["tabindex"] == "0" for each in scrolling)
    assert all(each["scope"] == "col" for each, _ in page.all("th"))


def test_ids_are_unique_and_references_lead_to_them(told):
    page = Page(told[0])
    ids = page.ids()
    assert len(ids) == len(set(ids)) > 100
    used = [name for _, attributes, _ in page.elements for key, value in attributes.items()
            for name in ([value[1:]] if key.endswith("href") and value.startswith("#") else
                         value.split() if key in ("aria-labelledby", "aria-describedby") else
                         re.findall(r"url\(#([^)]*)\)", value or ""))]  # fmt: skip
    assert len(used) > 20
    assert set(used) <= set(ids)


def test_figures_say_what_is_seen(swept, told):
    page = Page(told[0])
    figures = [attributes for attributes, _ in page.all("svg")]
    texts = {attributes["id"]: text for tag in ("title", "desc") for attributes, text in page.all(tag) if attributes}
    assert [each["role"] for each in figures] == ["img"] * 6
    assert [texts[each["aria-labelledby"]] for each in figures] == FIGURES
    assert page.texts("figcaption") == [texts[each["aria-describedby"]] for each in figures]
    scores = texts[figures[0]["aria-describedby"]]
    found = tdl.results.means(tdl.results.runs(swept).query("status == 'finished'")).sort_values("mean")
    for word, row in (("lowest", found.iloc[0]), ("best", found.iloc[-1])):
        assert f"{word} {row['tiles']}, alpha {row['alpha']:g}, {row['mean']:,.0f} [" in scores
    assert scores.startswith("Mean score by alpha and tiles: ")


def test_text_in_figures_is_text(told):
    assert {"alpha", "p80_20", "0.3"} <= set(Page(told[0]).texts("text"))


def test_the_same_runs_give_the_same_page(swept, told):
    assert written(swept) == told


def test_tables_have_the_means(swept, told):
    settings = tables_of(told[1])["Settings"]
    found = tdl.results.against_best(tdl.results.runs(swept).query("status == 'finished'"), ["tiles", "alpha"])
    expected = [
        (row["tiles"], f"{row['alpha']:g}", "2", f"{row['mean']:,.0f} [{row['low']:,.0f}, {row['high']:,.0f}]",
         f"{row['difference']:,.0f} [{row['difference_low']:,.0f}, {row['difference_high']:,.0f}]",
         f"{'yes' if row['differs'] else 'no'}, {p_text(row['p'])}")
        for row in found.to_dict("records")
    ]  # fmt: skip
    expected[0] = (*expected[0][:4], "best", "")
    shown = columns(settings, "tiles", "alpha", "runs", "mean score", "below the best", "differs")
    assert shown[:4] == expected


def test_the_method_is_named(told):
    for text in told:
        for name in ("Student's t", "Welch's", "Holm's correction for all 6 pairs"):
            assert name in text.replace("&#39;", "'")


def test_the_best_is_marked(told):
    page, tables = told
    (best,) = (text for attributes, text in Page(page).all("tr") if attributes.get("class") == "best")
    assert "best" in best
    (row,) = (line for line in tables.splitlines() if line.startswith("| **"))
    assert "**best**" in row


def test_a_failed_setting_is_in_the_table_by_name(told):
    settings = tables_of(told[1])["Settings"]
    last = columns(settings, "tiles", "alpha", "runs", "mean score", "not finished")[-1]
    assert last == ("p90_10", "9", "0", "", "1 of 1 diverged")
    assert "p90_10, alpha 9: 1 of 1 diverged; lower alpha" in told[1]


def test_only_keys_that_differ(told):
    assert facts(told[0])["Varied"] == "tiles: p80_20, p90_10; alpha: 0.1, 0.3, 9"
    names = tables_of(told[1])["Settings"][0]
    assert names[:6] == ["tiles", "alpha", "runs", "mean score", "below the best", "differs"]
    assert (names[6], names[-1]) == ("not finished", "moves/s")
    assert all(name.isdigit() for name in names[7:-1]), names  # tiles of the game


def test_a_failure_is_told(told):
    page, tables = told
    for text in (page, tables):
        assert "learning diverged: a value left" in text
    assert len(tables_of(tables)["Not finished"]) == 2


def test_where_it_comes_from(swept, told):
    found = facts(told[0])
    results = [result(path.parent) for path in swept.glob("*/result.json")]
    assert found["Commit"].partition(",")[0] == str(results[0]["commit"])
    assert results[0]["cpu"] in found["Machine"]
    assert f"numpy {results[0]['versions']['numpy']}" in found["Versions"]
    assert found["Seeds"] == "0, 1"
    for text in (
        "size 4x4",
        "learner td",
        "episodes 30",
        "evaluate.episodes 20",
        "tuples.cells [[0, 1, 2, 3], [4, 5]]",
    ):
        assert text in found["Held fixed"]
    assert "alpha" not in found["Held fixed"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d \S+( to .*)?", found["Ended"])


def test_the_commands_make_the_same_runs_again(swept, told, tmp_path):
    """Those of two sweeps in one folder, of which Hydra left a description of the last alone."""
    lines = commands(told[0])
    assert len(lines) == 2
    assert "alpha=9 seed=1" in lines[0]
    assert "'seed=range(0,2)'" in lines[1]
    for number, line in enumerate(lines):
        name, program, *words = shlex.split(line)
        assert (name, program) == ("tdl", "run")
        place = "hydra.sweep.dir" if "-m" in words else "hydra.run.dir"
        inside(*words, f"{place}={tmp_path / str(number)}")
    again = {result(path.parent)["config_hash"] for path in tmp_path.rglob("result.json")}
    assert again == {result(path.parent)["config_hash"] for path in swept.glob("*/result.json")}


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
    ids = Page(page).ids()
    assert len(ids) == len(set(ids))


def test_evaluations_alone(mixture, tmp_path):
    words = ("evaluate.episodes=5", f"hydra.sweep.dir={tmp_path}", f"checkpoint={mixture / 'run'}")
    assert inside("-m", *words, "evaluate.plies=1,2", program=tdl.evaluate.main).returncode == 0
    page, tables = written(tmp_path)
    assert titles(page) == ["Answer", "How it was made", "Evaluations", "Scores of evaluations"]
    assert facts(page)["Varied"] == "evaluate.plies: 1, 2"
    assert commands(page)[0].endswith("evaluate.plies=1,2")
    assert len(tables_of(tables)["Evaluations"]) == 3


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
    assert Page(written(folder)[0]).texts("title") == [name]


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
    page, tables = written(tmp_path / "sweep")
    assert facts(page)["Content"] == "5 runs: 2 finished, 2 cut off, 1 interrupted"
    unfinished = columns(tables_of(tables)["Not finished"], "run", "status", "games")
    assert sorted(unfinished) == sorted([
        (jobs[1].name, "interrupted", "20"), (jobs[2].name, "cut off", "20"), (jobs[3].name, "cut off", "")
    ])  # fmt: skip
    settings, listed = tables_of(tables)["Settings"], tables_of(tables)["Runs"]
    assert columns(settings, "runs") == [("2",)]
    scores = [result(folder)["evaluation"]["mean"] for folder in (jobs[0], elsewhere)]
    assert columns(settings, "mean score")[0][0].startswith(f"{sum(scores) / 2:,.0f} [")
    assert {f"{score:,.0f}" for score in scores} <= {score for (score,) in columns(listed, "mean score")}


def test_a_job_without_anything(tmp_path):
    """It was killed before Hydra could write its configuration."""
    words = ("-m", *SMALL, "episodes=20", "seed=0,1", f"hydra.sweep.dir={tmp_path}")
    assert inside(*words).returncode == 0
    lost = tmp_path / "12345678"
    (lost / ".hydra").mkdir(parents=True)
    page, tables = written(tmp_path)
    assert facts(page)["Content"] == "3 runs: 2 finished, 1 cut off"
    assert columns(tables_of(tables)["Settings"], "runs") == [("2",)]
    assert columns(tables_of(tables)["Not finished"], "run", "status") == [("12345678", "cut off")]
    assert len(commands(page)) == 1


def test_one_run_alone(tmp_path):
    folder = train(tmp_path / "run", "episodes=20")
    page, tables = written(folder, "--out", str(tmp_path / "page"))
    assert (tmp_path / "page.html").exists()
    assert (tmp_path / "page.md").exists()
    assert "Varied" not in facts(page)
    assert titles(page)[:3] == ["Answer", "How it was made", "Settings"]
    assert f"{result(folder)['evaluation']['mean']:,.0f}" in tables
    assert "best" not in tables_of(tables)["Settings"][1]


def test_runs_without_games_after_training(tmp_path):
    """Their score is that of the last block."""
    words = ("-m", *SMALL, "episodes=20", "evaluate.episodes=0", "seed=0,1")
    assert inside(*words, f"hydra.sweep.dir={tmp_path}").returncode == 0
    page, _ = written(tmp_path)
    assert "Score distributions" not in titles(page)
    assert "Scores" in titles(page)
    assert "of the last block of games of the training" in page


def test_no_run_played(tmp_path):
    (tmp_path / "result.json").write_text(
        json.dumps({"status": "failed", "error": "no", "names": {"game": "pow2"}, "config": {"seed": 1, "alpha": -1}})
    )
    page, _ = written(tmp_path)
    assert titles(page) == ["Answer", "How it was made", "Runs", "Not finished"]
    assert "No run has a score yet." in page


def test_nothing_there(tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        main([str(tmp_path)])
    assert ended.value.code == 2
    assert capsys.readouterr().err == f"tdl: {tmp_path}: no run in it (no result.json)\n"


def test_a_folder_of_somebody_else(swept, tmp_path):
    """The page is written to no link, notes are not computed, and what is shown of them is text."""
    folder = shutil.copytree(swept, tmp_path / "swept")
    (tmp_path / "mine").write_text("mine")
    (folder / "report.html").unlink(missing_ok=True)
    (folder / "report.html").symlink_to(tmp_path / "mine")
    one, other, third, *_ = sorted(folder.glob("*_*"))
    path = one / ".hydra" / "hydra.yaml"
    path.write_text(f"{BOMB}{path.read_text()}")
    (other / "result.json").unlink()
    path = other / ".hydra" / "config.yaml"
    path.write_text(path.read_text().replace("size: 4x4", "size: ${oc.env:HOME}"))
    (third / "elsewhere").write_text("a\0b")
    told = result(third)
    told["config"] |= {"size": "<script>$\\frac$\x1b[2J", "engine": "a|b"}
    (third / "result.json").write_text(json.dumps(told))
    page, tables = written(folder)
    assert (tmp_path / "mine").read_text() == "mine"
    assert os.environ["HOME"] not in page.replace(str(tmp_path), "")
    assert not Page(page).all("script")
    assert r"<script>$\frac$\x1b[2J" in " ".join(Page(page).texts("td"))
    assert all(line.isprintable() for line in tables.splitlines())
