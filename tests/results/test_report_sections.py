"""The page about a sweep has what is in its files, all inside, and only what tells its runs apart.

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
from support.pages import Page, columns, commands, facts, tables_of, titles, written
from support.programs import SMALL, inside, result

import tdl.results
from tdl.statistics.intervals import p_text

SECTIONS = ["Answer", "How it was made", "Settings", "Scores and learning curves", "Reach rates",
            "Score distributions", "Runs", "Not finished"]  # fmt: skip

FIGURES = SECTIONS[3:6]


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
    """The page and the Markdown beside it."""
    return written(swept)


@pytest.fixture(scope="module")
def finished(swept):
    return tdl.results.runs(swept).query("status == 'finished'")


def test_the_answer_comes_first(swept, told, finished):
    html, markdown = told
    assert titles(html) == SECTIONS
    assert re.findall("^## (.*)$", markdown, re.M) == [title for title in SECTIONS if title not in FIGURES]
    assert facts(html)["Content"] == "9 runs: 8 finished, 1 failed"
    sentence = tdl.results.sentence(finished)
    assert sentence.startswith("Best: p")
    assert Page(html).texts("p")[0] == sentence
    assert sentence in markdown
    failures = tdl.results.failures(tdl.results.runs(swept))
    assert Page(html).texts("li") == failures == ["p90_10, alpha 9: 1 of 1 diverged; lower alpha"]


def test_the_page_needs_nothing_else(swept, told):
    """Figures are inside; all that leads out are links to files of the runs, which are there."""
    page = Page(told[0])
    outside = [(tag, name, value) for tag, attributes, _ in page.elements for name, value in attributes.items()
               if name in ("src", "href", "xlink:href") and not value.startswith(("#", "data:"))]  # fmt: skip
    assert {(tag, name) for tag, name, _ in outside} == {("a", "href")}
    assert all((swept / unquote(value)).exists() for _, _, value in outside)
    assert len(outside) == 9 + 1  # nine runs, one of them in two tables; of curves no pictures were drawn
    assert not re.search(r"@import|url\((?!#)", told[0])


def test_links_lead_to_runs_and_pictures_from_any_place(swept, told, tmp_path):
    """The figures are the same each time."""
    run = next(path.parent for path in sorted(swept.glob("*/result.json")) if result(path.parent)["alpha"] == 0.1)
    picture = run / "curve.png"
    picture.write_bytes(b"")
    page, _ = written(swept, "--out", tmp_path / "a page.x")
    picture.unlink()
    links = {(tmp_path / unquote(attributes["href"])).resolve(): text for attributes, text in Page(page).all("a")}
    assert links[run] == run.name
    assert links[picture] == "curve"
    first, again = (re.findall("(?s)<svg.*?</svg>", text) for text in (told[0], page))
    assert first == again


def test_the_page_is_for_every_reader(told):
    page = Page(told[0])
    assert told[0].startswith('<!doctype html>\n<html lang="en">')
    assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in told[0]
    assert all(rule in page.texts("style")[0] for rule in ("prefers-color-scheme: dark", "@media print"))
    scrolling = [attributes for attributes, _ in page.all("div") if attributes.get("role") == "region"]
    assert len(scrolling) == len(page.all("table"))
    assert all(attributes["aria-label"] and attributes["tabindex"] == "0" for attributes in scrolling)
    assert all(attributes["scope"] == "col" for attributes, _ in page.all("th"))


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


def test_figures_say_what_is_seen(told, finished):
    page = Page(told[0])
    figures = [attributes for attributes, _ in page.all("svg")]
    texts = {attributes["id"]: text for tag in ("title", "desc") for attributes, text in page.all(tag) if attributes}
    assert [attributes["role"] for attributes in figures] == ["img"] * 3
    assert [texts[attributes["aria-labelledby"]] for attributes in figures] == FIGURES
    assert page.texts("figcaption") == [texts[attributes["aria-describedby"]] for attributes in figures]
    scores = texts[figures[0]["aria-describedby"]]
    means = tdl.results.means(finished).sort_values("mean")
    for word, row in (("lowest", means.iloc[0]), ("best", means.iloc[-1])):
        assert f"{word} {row['tiles']}, alpha {row['alpha']:g}, {row['mean']:,.0f} [" in scores
    assert scores.startswith("Mean score by step size alpha and tile rule: ")
    assert "up to episode 30 by step size alpha and tile rule: highest in the last block " in scores
    assert "Full dots and thin lines are single runs" in scores  # the caption of the sweep's own figure
    assert {"step size alpha", "p80_20", "0.3"} <= set(page.texts("text"))


def test_settings_have_the_means_and_the_best_is_marked(told, finished):
    settings = tables_of(told[1])["Settings"]
    expected = [
        (row["tiles"], f"{row['alpha']:g}", "2", f"{row['mean']:,.0f} [{row['low']:,.0f}, {row['high']:,.0f}]",
         f"{row['difference']:,.0f} [{row['difference_low']:,.0f}, {row['difference_high']:,.0f}]",
         f"{'yes' if row['differs'] else 'no'}, {p_text(row['p'])}")
        for row in tdl.results.against_best(finished, ["tiles", "alpha"]).to_dict("records")
    ]  # fmt: skip
    expected[0] = (*expected[0][:4], "best", "")
    shown = columns(settings, "tiles", "alpha", "runs", "mean score", "below the best", "differs")
    assert shown == [*expected, ("p90_10", "9", "0", "", "", "")]
    assert [text for (text,) in columns(settings, "not finished")] == ["", "", "", "", "1 of 1 diverged"]
    names = settings[0]
    assert all(name.isdigit() for name in names[7:-1]), names  # tiles of the game
    assert (names[:2], names[6], names[-1]) == (["tiles", "alpha"], "not finished", "moves/s")
    (best,) = (text for attributes, text in Page(told[0]).all("tr") if attributes.get("class") == "best")
    (row,) = (line for line in told[1].splitlines() if line.startswith("| **"))
    assert "best" in best
    assert "**best**" in row
    for text in told:
        for words in (
            "Student's t",
            "Welch's",
            "Holm's correction for all 6 pairs",
            "learning diverged: a value left",
        ):
            assert words in text.replace("&#39;", "'")


def test_where_it_comes_from(swept, told):
    shown = facts(told[0])
    run = result(next(swept.glob("*/result.json")).parent)
    assert shown["Commit"].partition(",")[0] == str(run["commit"])
    assert run["cpu"] in shown["Machine"]
    assert f"numpy {run['versions']['numpy']}" in shown["Versions"]
    assert (shown["Varied"], shown["Seeds"]) == ("tiles: p80_20, p90_10; alpha: 0.1, 0.3, 9", "0, 1")
    cells = "tuples.cells [[0, 1, 2, 3], [4, 5]]"
    for text in ("size 4x4", "learner td", "episodes 30", "evaluate.episodes 20", cells):
        assert text in shown["Held fixed"]
    assert "alpha" not in shown["Held fixed"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d \S+( to .*)?", shown["Ended"])


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


def test_a_folder_of_somebody_else(swept, tmp_path, monkeypatch):
    """The page is written to no link, notes are not computed, and what is shown of them is text."""
    folder = shutil.copytree(swept, tmp_path / "swept")
    (tmp_path / "mine").write_text("mine")
    (folder / "report.html").unlink(missing_ok=True)
    (folder / "report.html").symlink_to(tmp_path / "mine")
    bomb, computed, third, *_ = sorted(folder.glob("*_*"))
    path = bomb / ".hydra" / "hydra.yaml"
    path.write_text(f"{BOMB}{path.read_text()}")
    (computed / "result.json").unlink()
    path = computed / ".hydra" / "config.yaml"
    monkeypatch.setenv("TDL_SECRET", "unseen")
    notes = path.read_text().replace("size: 4x4", "size: ${oc.env:HOME}")
    path.write_text(notes.replace("gamma: 1.0", "gamma: ${oc.env:TDL_SECRET}"))
    (third / "elsewhere").write_text("a\0b")
    forged = result(third)
    forged["config"] |= {"size": "<script>$\\frac$\x1b[2J", "engine": "a|b"}
    (third / "result.json").write_text(json.dumps(forged))
    page, tables = written(folder)
    assert (tmp_path / "mine").read_text() == "mine"
    assert os.environ["HOME"] not in page.replace(str(tmp_path), "")
    assert "unseen" not in page
    assert not Page(page).all("script")
    assert r"<script>$\frac$\x1b[2J" in " ".join(Page(page).texts("td"))
    assert all(line.isprintable() for line in tables.splitlines())
