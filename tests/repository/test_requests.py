"""Numbers of pages: what a request gives, and how pages are filled."""

import doctest

import numpy as np
import pytest

from experiments.tools import pages, requests
from experiments.tools.tables import TableError
from tdl.statistics.intervals import mean_interval

RUNS = """alpha,share,seed,moves,mean,mean_low,mean_high,reach_8,games
0.1,True,0,2000000,10000,9900,10100,0.10,1000
0.1,True,1,4000000,10600,10500,10700,0.20,1000
0.1,True,2,6000000,11400,11300,11500,0.30,1000
0.5,False,0,7000000,30210,30100,30320,0,1000
0.5,False,1,8123456,30450,30340,30560,0,1000
"""


@pytest.fixture
def page(tmp_path):
    """Write a page beside the runs; its text when filled."""
    (tmp_path / "runs.csv").write_text(RUNS)

    def fill(text):
        (tmp_path / "README.md").write_text(text)
        return pages.filled(tmp_path / "README.md")

    return fill


LOW, HIGH = (f"{round(bound, -1):,.0f}" for bound in mean_interval(np.array([10000.0, 10600, 11400])))


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        ("runs.csv: mean | alpha=0.1", "10,670"),
        ("runs.csv: mean interval | alpha=0.1", f"10,670 [{LOW}, {HIGH}]"),
        ("runs.csv: mean interval | alpha=0.5", "30,210; 30,450"),  # two runs have no interval
        ("runs.csv: mean interval | alpha=0.5 seed=1", "30,450 [30,340, 30,560]"),  # over its games
        ("runs.csv: mean interval", "10,000 to 30,450"),  # two clear groups
        ("runs.csv: mean each | seed=0,1 share=true", "10,000; 10,600"),
        ("runs.csv: moves/1e6 range | alpha=0.1", "2 to 6"),
        ("runs.csv: moves/1e6 max", "8.12"),
        ("runs.csv: moves/1e6:.1f sum | seed!=2", "21.1"),
        ("runs.csv: seed count | alpha=1e-1", "3"),
        ("runs.csv: reach_8:.0% | alpha=0.1", "20%"),
        ("runs.csv: reach_8 max", "30%"),
        ("runs.csv: -mean/1e3:.1f | alpha=0.1", "-10.7"),
        ("runs.csv: +mean min", "+10,000"),
    ],
)
def test_a_request_gives(page, request_, text):
    old = {"range": "1 to 2", "each": "1; 2", "interval": "? [?, ?]"}.get((request_ + "  ").split()[2], "?")
    assert page(f"It scores {old}<!--= {request_} -->.") == f"It scores {text}<!--= {request_} -->."


def test_forms_are_found_whatever_the_old_text_was(page):
    """Also where a line ends within a number, and between marks."""
    text = page("A **1\n  [2, 3]**<!--= runs.csv: mean interval | alpha=0.1 -->, 5; 6; 7<!--= runs.csv: mean each -->")
    assert text.startswith(f"A **10,670\n  [{LOW}, {HIGH}]**<")
    assert ", 10,000; 10,600; 11,400; 30,210; 30,450<" in text
    assert page(text) == text


def test_a_table_asks_by_its_headings_and_first_cells(page):
    table = """| Step | Mean<!--= runs.csv: mean interval --> | Seeds<!--= runs.csv: seed count --> | Moves |
|--|--|--|--|
| .1<!--= alpha=0.1 --> | ? | ? | ?<!--= runs.csv: moves/1e6 max alpha=0.1 --> |
| .5<!--= alpha=0.5 --> | **?** | none | |
"""
    text = page("Text.\n\n" + table)
    assert f"| 10,670 [{LOW}, {HIGH}] |" in text
    assert "| 3 | 6<!--= runs.csv: moves/1e6 max alpha=0.1 --> |" in text
    assert "| **30,210; 30,450** | none | |" in text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("?<!--= runs.csv: men -->", "runs.csv has no column men"),
        ("?<!--= nothing.csv: mean -->", r"nothing\.csv: no such file"),
        ("?<!--= runs.csv: mean | alpha=7 -->", "no row with alpha=7"),
        ("?<!--= runs.csv: mean | alhpa=0.1 -->", "no column alhpa"),
        ("?<!--= runs.csv: mean mode -->", "FORM one of mean, interval, each"),
        ("?<!--= runs.csv: mean | -->?<!--= mean -->", "no file or no column"),
        ("none<!--= runs.csv: mean -->", "no number before"),
    ],
)
def test_a_request_that_cannot_be_met_is_refused(page, text, message):
    with pytest.raises(TableError, match=message):
        page(text)


def test_numbers_are_rounded_to_what_the_interval_allows():
    told = doctest.testmod(requests)
    assert (told.attempted, told.failed) == (3, 0)
    numbers = [(288049, 41281), (-5.04, 3.0), (0.0123, np.nan), (0.9, np.nan), (1234, np.nan)]
    assert [requests.rounded(*number) for number in numbers] == ["288,000", "-5.0", "0.0123", "0.9", "1,234"]
