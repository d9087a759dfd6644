"""Pages are written plainly: short sentences, the words of statistics, small tables, numbers with their source.

`python -m experiments.tools.style` prints what is counted.
"""

from functools import cache
from pathlib import Path

import pytest

from experiments.tools import ROOT
from experiments.tools.pages import pages
from experiments.tools.style import style

SHOWS_PHRASES = {"docs/dev/style.md"}
MORE_ROWS = {"outputs/README.md": 12, "experiments/environments/README.md": 11}  # files of a run; what is wrong
LARGE = {"basic_learners", "stability", "replicas", "td_states",
         "published_dqn", "best_recipes", "curve", "best_searched"}  # fmt: skip
BUDGETS = {"README.md": 400, "docs/results.md": 700}
WORDS, SHARE = 45_000, 0.9
NAMES = [str(page.relative_to(ROOT)) for page in pages()]


@cache
def counted(name):
    """What is counted of a page."""
    return style(ROOT / name)


@pytest.mark.parametrize("name", NAMES)
def test_a_page_has_short_sentences_common_words_small_tables_and_keeps_its_budget(name):
    page, folder = counted(name), Path(name).parent
    assert [sentence for sentence in page.sentences if len(sentence.split()) > 40] == []
    assert page.mean <= 20
    assert name in SHOWS_PHRASES or page.phrases == []
    assert page.rows <= MORE_ROWS.get(name, 10)
    budget = 700 if folder.name in LARGE else 450 if folder.parent.name == "experiments" else 10_000
    assert page.words <= BUDGETS.get(name, budget)


def test_numbers_of_results_have_a_source():
    results = [name for name in NAMES if name.startswith("experiments/")] + ["docs/results.md", "docs/published.md"]
    sourced = sum(counted(name).sourced for name in results)
    bare = {name: counted(name).unsourced for name in results if counted(name).unsourced}
    assert sourced / (sourced + sum(map(len, bare.values()))) >= SHARE, bare


def test_all_pages_together_are_read_in_an_afternoon():
    assert sum(len((ROOT / name).read_text().split()) for name in NAMES) <= WORDS


def test_what_is_counted(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "# Title of 1,234\n\nTwo short sentences here. The mean goes by seed, 12,345<!--= a.csv: b --> or 54,321.\n\n"
        "    code 99,999\n\n| a<!--= a.csv: b --> | b<!--= a.csv: c --> |\n|--|--|\n| x<!--= k=1 --> | 22% |\n"
        "| y | 33% |\n\n"
        "- A budget of 10,000 games and 95% are no results.\n- TC(.5) and a step of .25 are settings.\n"
    )
    found = style(page)
    assert [len(sentence.split()) for sentence in found.sentences] == [4, 8, 11, 8]
    assert found.phrases == ["goes by"]
    assert (found.rows, found.sourced, found.unsourced) == (2, 2, ["54,321", "33%"])
