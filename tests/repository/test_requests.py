"""Numbers of pages: what a request gives, how pages are filled, pairs of runs, verdicts on published figures."""

import doctest
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tdl.statistics.intervals import contrast_interval, mean_interval

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _tools(monkeypatch):
    monkeypatch.syspath_prepend(ROOT)


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
    from experiments.tools.pages import filled

    (tmp_path / "runs.csv").write_text(RUNS)

    def fill(text):
        (tmp_path / "README.md").write_text(text)
        return filled(tmp_path / "README.md")

    return fill


BOUNDS = mean_interval(np.array([10000.0, 10600, 11400]))
LOW, HIGH = (f"{round(bound, -1):,.0f}" for bound in BOUNDS)


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
    text = page("A **1\n  [2, 3]**<!--= runs.csv: mean interval | alpha=0.1 -->, B 5; 6; 7<!--= runs.csv: mean each -->")
    assert text.startswith(f"A **10,670\n  [{LOW}, {HIGH}]**<")
    assert "B 10,000; 10,600; 11,400; 30,210; 30,450<" in text
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
    from experiments.tools.tables import TableError

    with pytest.raises(TableError, match=message):
        page(text)


@pytest.mark.parametrize(
    ("value", "half", "share", "text"),
    [
        (222735, 12895, False, "222,700"),
        (288049, 41281, False, "288,000"),
        (421987765, np.nan, False, "422,000,000"),
        (0.0123, np.nan, False, "0.0123"),
        (0.9, np.nan, False, "0.9"),
        (1234, np.nan, False, "1,234"),
        (0.512, 0.08, True, "51.2%"),
        (-5.04, 3.0, False, "-5.0"),
    ],
)
def test_numbers_are_rounded_to_what_the_interval_allows(value, half, share, text):
    from experiments.tools.requests import rounded

    assert rounded(value, half, share) == text


def test_examples_of_docstrings():
    from experiments.tools import requests

    told = doctest.testmod(requests)
    assert told.attempted >= 2
    assert not told.failed


def test_a_pair_has_its_difference_and_ratio(tmp_path):
    """Over the runs of all sources; two single runs by their games; a setting's own intervals set the least width."""
    from experiments.tools.pairs import filled_pairs
    from experiments.tools.tables import TableError

    (tmp_path / "runs.csv").write_text(RUNS.replace("_low", "_from").replace("_high", "_to"))
    (tmp_path / "games.csv").write_text(RUNS)
    rows = [
        "a,runs.csv alpha=0.1 + runs.csv alpha=0.5 seed=0,runs.csv alpha=0.5,mean",
        "b,games.csv alpha=0.5 seed=1,games.csv alpha=0.5 seed=0,mean",
    ]
    (tmp_path / "pairs.csv").write_text("\n".join(["name,ours,theirs,figure", *rows]))
    (tmp_path / "pairs.csv").write_text(text := filled_pairs(tmp_path))
    assert filled_pairs(tmp_path) == text
    table = pd.read_csv(tmp_path / "pairs.csv").set_index("name")
    ours, theirs = np.array([10000.0, 10600, 11400, 30210]), np.array([30210.0, 30450])
    bounds = ["difference", "difference_low", "difference_high"]
    assert table.loc["a", bounds].tolist() == pytest.approx(contrast_interval([ours, theirs], [1, -1]), rel=1e-5)
    assert table.loc["a", "ratio"] == pytest.approx(ours.mean() / theirs.mean(), rel=1e-5)
    assert table.loc["a", "gain_low"] < table.loc["a", "gain"] < table.loc["a", "gain_high"]
    assert table.loc["b", bounds].tolist() == pytest.approx([240, 240 - 110 * 2**0.5, 240 + 110 * 2**0.5], rel=1e-4)
    for wrong, message in {
        rows[0].replace("0.5 seed=0", "0.9"): "a: runs.csv: no row",
        rows[1] + "\n" + rows[1]: "two",
    }.items():
        (tmp_path / "pairs.csv").write_text("name,ours,theirs,figure\n" + wrong)
        with pytest.raises(TableError, match=message):
            filled_pairs(tmp_path)


def test_verdicts_on_published_figures(tmp_path):
    """Inside our interval or that of one more run; explained, or not; a setting not run; one seed is not judged."""
    from experiments.tools import published

    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "results.csv").write_text(RUNS + "0.9,True,0,1,5,4,6,0,1000\n")
    (tmp_path / "one" / "published.csv").write_text(
        "source,alpha,mean,reach_8\nsome,0.1,11000,0.9\nsome,0.5,100,0.3\nsome,0.7,1,\nsome,0.9,5,\n"
    )
    (tmp_path / "index.yaml").write_text('one:\n  verdicts: [{source: some, explained: {mean: "fewer games"}}]\n')
    (tmp_path / "published.csv").write_text(published.published_text(tmp_path))
    table = pd.read_csv(tmp_path / "published.csv")
    assert table[["verdict", "reason"]].fillna("").to_numpy().tolist() == [
        ["agrees", ""], ["differs", "unexplained"], ["differs", "fewer games"], ["differs", "unexplained"],
        ["not run", ""], ["not judged", published.ONE_SEED],
    ]  # fmt: skip
    assert table["margin"].iloc[0] == pytest.approx(BOUNDS[1] - BOUNDS[0], rel=1e-3)  # the root of 3 runs + 1
    assert set(table["experiment"]) == {"one"}


def test_shares_are_known_no_better_than_by_their_games():
    """Equal shares of two runs: of 1,000 training games each, or of so many after training; Wilson's for none."""
    from experiments.tools.tables import interval

    shares = pd.DataFrame({"reach_8_10k": [0.5, 0.5], "reach_16_10k": [0.0, 0.0], "reach_8": [0.5, 0.5]})
    assert interval(shares, "reach_8_10k") == pytest.approx((0.5, 0.478, 0.522), abs=5e-4)
    assert interval(shares, "reach_16_10k") == pytest.approx((0, 0, 0.001), abs=5e-4)
    assert interval(shares, "reach_8") == (0.5, 0.5, 0.5)  # of how many games is not said
    for games in ("games", "greedy_games"):
        assert interval(shares.assign(**{games: 1000}), "reach_8") == pytest.approx((0.5, 0.478, 0.522), abs=5e-4)


def test_an_interval_is_no_narrower_than_the_games_make_it():
    """Three runs lie close together by chance; each is known to 60 points by its games: the mean to 60 / sqrt(3)."""
    from experiments.tools.tables import interval

    frame = pd.DataFrame({"greedy_mean": [1000.0, 1001, 1002]})
    bounds = {f"greedy_mean_{side}": frame["greedy_mean"] + sign * 60 for side, sign in (("low", -1), ("high", 1))}
    assert interval(frame, "greedy_mean") == pytest.approx((1001, 998.5, 1003.5), abs=0.05)
    assert interval(frame.assign(**bounds), "greedy_mean") == pytest.approx((1001, 966.4, 1035.6), abs=0.05)


def test_training_games_whose_spread_is_not_kept_have_that_of_the_games_after_it():
    """In shares of the mean: three runs of 1,000 known to 60 each, so those of 500 to 30, but one has its own."""
    from experiments.tools.tables import errors_of

    frame = pd.DataFrame({"greedy_mean": 1000.0, "mean_10k": [500.0, 500.5, 501]})
    known = frame.assign(greedy_mean_low=940.0, greedy_mean_high=1060.0)
    own = known.assign(mean_10k_low=[500 - 1.96, np.nan, np.nan], mean_10k_high=[500 + 1.96, np.nan, np.nan])
    assert errors_of(own, "mean_10k") == pytest.approx([1, 15.32, 15.34], abs=0.01)
    some = known.assign(greedy_mean=[1000.0, np.nan, np.nan], greedy_mean_low=[940.0, np.nan, np.nan])
    assert errors_of(some, "mean_10k") == pytest.approx([15.31, 15.32, 15.34], abs=0.01)  # like the one that has games
    assert errors_of(own, "max_10k") == pytest.approx([np.nan] * 3, nan_ok=True)


def test_an_interval_has_no_bounds_that_cannot_be():
    from experiments.tools.tables import interval

    frame = pd.DataFrame({"seconds": [1.0, 3], "reach_8": [0.9, 1.0], "gain": [0.1, -0.1], "bias": [-300, -302]})
    bounds = [bound for name in frame for bound in interval(frame, name)[1:]]
    assert bounds == pytest.approx([0, 14.706, 0.31469, 1, -1.2706, 1.2706, -313.7, -288.3], rel=1e-3)


def test_older_rows_get_the_spread_of_newer_ones(tmp_path):
    """In shares of their mean; where no row has one, none gets one."""
    from experiments.tools.tables import read_table

    head = "seed,mean_1k,mean_1k_low,mean_1k_high\n0,100,,\n"
    (tmp_path / "a.csv").write_text(head + "1,200,190,210\n2,50,45,55\n3,,,\n")
    table, share = read_table(tmp_path / "a.csv"), ((0.05**2 + 0.1**2) / 2) ** 0.5
    assert table["mean_1k_high"].tolist()[:3] == pytest.approx([100 * (1 + share), 210, 55])
    assert table["mean_1k_low"].isna().tolist() == [False, False, False, True]
    (tmp_path / "b.csv").write_text(head)
    assert read_table(tmp_path / "b.csv")["mean_1k_low"].isna().all()
