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
    """What is written of them."""
    return written(swept)


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
    assert Page(page).texts("li") == tdl.results.failures(runs) == ["p90_10, alpha 9: 1 of 1 diverged; lower alpha"]
    assert sentence in tables


def test_the_page_needs_nothing_else(swept, told):
    """Figures are inside; all that leads out are links to files of the runs, which are there."""
    page = Page(told[0])
    outside = [(tag, name, value) for tag, attributes, _ in page.elements for name, value in attributes.items()
               if name in ("src", "href", "xlink:href") and not value.startswith(("#", "data:"))]  # fmt: skip
    assert {(tag, name) for tag, name, _ in outside} == {("a", "href")}
    assert all((swept / unquote(value)).exists() for _, _, value in outside)
    assert len(outside) == 9 + 1  # nine runs, one of them in two tables; of curves no pictures were drawn
    assert not re.search(r"@import|url\((?!#)", told[0])


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
    assert told[0].startswith('<!doctype html>\n<html lang="en">')
    assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in told[0]
    assert all(rule in page.texts("style")[0] for rule in ("prefers-color-scheme: dark", "@media print"))
    scrolling = [each for each, _ in page.all("div") if each.get("role") == "region"]
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
    assert [each["role"] for each in figures] == ["img"] * 3
    assert [texts[each["aria-labelledby"]] for each in figures] == FIGURES
    assert page.texts("figcaption") == [texts[each["aria-describedby"]] for each in figures]
    scores = texts[figures[0]["aria-describedby"]]
    found = tdl.results.means(tdl.results.runs(swept).query("status == 'finished'")).sort_values("mean")
    for word, row in (("lowest", found.iloc[0]), ("best", found.iloc[-1])):
        assert f"{word} {row['tiles']}, alpha {row['alpha']:g}, {row['mean']:,.0f} [" in scores
    assert scores.startswith("Mean score by step size alpha and tile rule: ")
    assert "up to episode 30 by step size alpha and tile rule: highest in the last block " in scores
    assert "Full dots and thin lines are single runs" in scores  # the caption of the sweep's own figure
    assert {"step size alpha", "p80_20", "0.3"} <= set(page.texts("text"))


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
    assert shown == [*expected, ("p90_10", "9", "0", "", "", "")]
    assert [text for (text,) in columns(settings, "not finished")] == ["", "", "", "", "1 of 1 diverged"]
    names = settings[0]
    assert all(name.isdigit() for name in names[7:-1]), names  # tiles of the game
    assert (names[:2], names[6], names[-1]) == (["tiles", "alpha"], "not finished", "moves/s")
    assert facts(told[0])["Varied"] == "tiles: p80_20, p90_10; alpha: 0.1, 0.3, 9"


def test_the_best_is_marked_and_the_method_named(told):
    page, tables = told
    (best,) = (text for attributes, text in Page(page).all("tr") if attributes.get("class") == "best")
    assert "best" in best
    (row,) = (line for line in tables.splitlines() if line.startswith("| **"))
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
    found = facts(told[0])
    results = [result(path.parent) for path in swept.glob("*/result.json")]
    assert found["Commit"].partition(",")[0] == str(results[0]["commit"])
    assert results[0]["cpu"] in found["Machine"]
    assert f"numpy {results[0]['versions']['numpy']}" in found["Versions"]
    assert found["Seeds"] == "0, 1"
    cells = "tuples.cells [[0, 1, 2, 3], [4, 5]]"
    for text in ("size 4x4", "learner td", "episodes 30", "evaluate.episodes 20", cells):
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
