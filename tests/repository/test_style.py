"""Pages are written plainly: short sentences, the words of statistics, small tables, numbers with their source.

`python -m experiments.tools.style` prints what is counted.
"""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _tools(monkeypatch):
    monkeypatch.syspath_prepend(ROOT)


def pages():
    """Every page, by its path in the repository."""
    homes = ("*.md", "docs/**/*.md", "experiments/**/*.md", "outputs/*.md")
    return sorted(str(page.relative_to(ROOT)) for home in homes for page in ROOT.glob(home))


SHOWS_PHRASES = {"docs/dev/style.md"}
MORE_ROWS = {
    "experiments/README.md": 12,  # the index
    "outputs/README.md": 12,  # the files of a run
}
LARGE = {
    "basic_learners",
    "stability",
    "replicas",
    "td_states",
    "published_dqn",
    "best_recipes",
    "curve",
    "best_searched",
}
BUDGETS = {"README.md": 400, "docs/results.md": 700}
WORDS, SHARE = 45_000, 0.9


@pytest.fixture(params=pages())
def counted(request, monkeypatch):
    """The name of a page and what is counted of it."""
    from experiments.tools.style import style

    return request.param, style(ROOT / request.param)


def test_sentences_are_short(counted):
    _, style = counted
    assert [sentence for sentence in style.sentences if len(sentence.split()) > 40] == []
    assert style.mean <= 20


def test_words_are_those_of_statistics(counted):
    name, style = counted
    assert name in SHOWS_PHRASES or style.phrases == []


def test_tables_are_small(counted):
    name, style = counted
    assert style.rows <= MORE_ROWS.get(name, 10)


def test_a_page_keeps_its_budget(counted):
    name, style = counted
    page = Path(name)
    usual = 800 if page.parent.name in LARGE else 450
    assert style.words <= BUDGETS.get(
        name, usual if page.parts[0] == "experiments" and len(page.parts) > 2 else 10_000
    )


def test_numbers_of_results_have_a_source():
    from experiments.tools.style import style

    names = [
        name for name in pages() if name.startswith("experiments/") or name in ("docs/results.md", "docs/published.md")
    ]
    found = {name: style(ROOT / name) for name in names}
    sourced, bare = (
        sum(counts) for counts in zip(*((s.sourced, len(s.unsourced)) for s in found.values()), strict=True)
    )
    assert sourced / (sourced + bare) >= SHARE, {name: s.unsourced for name, s in found.items() if s.unsourced}


def test_all_pages_together_are_read_in_an_afternoon():
    assert sum(len((ROOT / name).read_text().split()) for name in pages()) <= WORDS


def test_what_is_counted(tmp_path):
    from experiments.tools.style import style

    page = tmp_path / "page.md"
    page.write_text(
        "# Title of 1,234\n\nTwo short sentences here. The mean goes by seed, 12,345<!--= a.csv: b --> or 54,321.\n\n"
        "    code 99,999\n\n| a<!--= a.csv: b --> | b<!--= a.csv: c --> |\n|--|--|\n| x<!--= k=1 --> | 22% |\n"
        "| y | 33% |\n\n"
        "- A budget of 10,000 games and 95% are no results.\n- TC(.5) and a step of .25 are settings.\n"
    )
    counted = style(page)
    assert [len(sentence.split()) for sentence in counted.sentences] == [4, 8, 11, 8]
    assert counted.phrases == ["goes by"]
    assert (counted.rows, counted.sourced, counted.unsourced) == (2, 2, ["54,321", "33%"])
