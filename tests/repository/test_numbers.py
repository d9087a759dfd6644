"""Numbers of pages and of csv files: requests, intervals, differences and their power, best steps, verdicts."""

import doctest

import numpy as np
import pandas as pd
import pytest

from experiments.tools import index, own_steps, pages, requests
from experiments.tools.contrasts import DIFFERENCE, PAIRED, WELCH, differences, filled_pairs, power
from experiments.tools.tables import TableError, errors_of, interval, read_table
from tdl.statistics.intervals import contrast_interval, contrast_p, mean_interval

SAMPLES = {"a": np.array([10.0, 12, 17]), "b": np.array([4.0, 5, 9]), "c": np.array([11.0, 14, 18])}

RUNS = """alpha,share,seed,moves,mean,mean_low,mean_high,reach_8,games
0.1,True,0,2000000,10000,9900,10100,0.10,1000
0.1,True,1,4000000,10600,10500,10700,0.20,1000
0.1,True,2,6000000,11400,11300,11500,0.30,1000
0.5,False,0,7000000,30210,30100,30320,0,1000
0.5,False,1,8123456,30450,30340,30560,0,1000
"""
BOUNDS = mean_interval(np.array([10000.0, 10600, 11400]))
LOW, HIGH = (f"{round(bound, -1):,.0f}" for bound in BOUNDS)


@pytest.fixture
def page(tmp_path):
    """Write a page beside the runs; its text when filled."""
    (tmp_path / "runs.csv").write_text(RUNS)

    def fill(text):
        (tmp_path / "README.md").write_text(text)
        return pages.filled(tmp_path / "README.md")

    return fill


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
        ("?<!--= runs.csv: mean mode -->", "FORM one of mean, interval, each"),
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


def runs(scores, half=np.nan):
    """Rows of runs with these scores, each of which is known to `half` by its games."""
    scores = np.array(scores, float)
    return pd.DataFrame({"greedy_mean": scores, "greedy_mean_low": scores - half, "greedy_mean_high": scores + half})


def test_differences_are_of_independent_runs_or_of_pairs():
    settings = {name: runs(scores) for name, scores in SAMPLES.items()}
    table = differences(settings, [("a", "b"), ("c", "a")], paired=[("c", "a")])
    first, second = table.to_dict("records")
    welch = contrast_interval([SAMPLES["a"], SAMPLES["b"]], [1, -1])
    assert [first[name] for name in DIFFERENCE] == np.round(welch, 1).tolist()
    assert (first["setting"], first["less"], first["interval"]) == ("a", "b", WELCH)
    assert [second[name] for name in DIFFERENCE[1:]] == np.round(mean_interval(np.array([1.0, 2, 1])), 1).tolist()
    assert second["interval"] == PAIRED
    assert np.isnan(second["p"])
    assert 0 < first["p"] < 0.1
    settings = {name: runs(scores, half=60) for name, scores in SAMPLES.items()}  # no seeds make means better known
    (row,) = differences(settings, [("a", "b")]).to_dict("records")
    assert row["difference_high"] - row["difference_low"] == pytest.approx(2 * 60 * np.sqrt(2 / 3), rel=0.01)
    assert row["p"] > 0.5


def test_the_power_of_three_seeds_is_that_of_simulated_experiments():
    """In four of five experiments with the difference `shown` the interval leaves out 0; so the corrected p's."""
    row = power([*SAMPLES.values()], 7)
    assert row["spread"] == pytest.approx(np.sqrt(np.mean([np.var(s, ddof=1) for s in SAMPLES.values()])), abs=0.06)
    draws = np.random.default_rng(1)
    ours, theirs = draws.normal(row["shown"], row["spread"], (2000, 3)), draws.normal(0, row["spread"], (2000, 3))
    shown = [contrast_interval(pair, [1, -1])[1] > 0 for pair in zip(ours, theirs, strict=True)]
    assert np.mean(shown) == pytest.approx(0.8, abs=0.03)
    ours += row["shown_corrected"] - row["shown"]
    shown = [7 * contrast_p(pair, [1, -1]) < 0.05 for pair in zip(ours, theirs, strict=True)]
    assert np.mean(shown) == pytest.approx(0.8, abs=0.03)


def test_a_pair_has_its_difference_and_ratio(tmp_path):
    """Over the runs of all sources; two single runs by their games."""
    (tmp_path / "runs.csv").write_text(RUNS.replace("_low", "_from").replace("_high", "_to"))
    (tmp_path / "games.csv").write_text(RUNS)
    rows = [
        "a,runs.csv alpha=0.1 + runs.csv alpha=0.5 seed=0,runs.csv alpha=0.5,mean",
        "b,games.csv alpha=0.5 seed=1,games.csv alpha=0.5 seed=0,mean",
    ]
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("\n".join(["name,ours,theirs,figure", *rows]))
    pairs.write_text(text := filled_pairs(tmp_path))
    assert filled_pairs(tmp_path) == text
    table = pd.read_csv(pairs).set_index("name")
    ours, theirs = np.array([10000.0, 10600, 11400, 30210]), np.array([30210.0, 30450])
    assert table.loc["a", DIFFERENCE].tolist() == pytest.approx(contrast_interval([ours, theirs], [1, -1]), rel=1e-5)
    assert table.loc["a", "ratio"] == pytest.approx(ours.mean() / theirs.mean(), rel=1e-5)
    assert table.loc["a", "gain_low"] < table.loc["a", "gain"] < table.loc["a", "gain_high"]
    by_games = [240, 240 - 110 * 2**0.5, 240 + 110 * 2**0.5]
    assert table.loc["b", DIFFERENCE].tolist() == pytest.approx(by_games, rel=1e-4)
    missing = rows[0].replace("0.5 seed=0", "0.7")
    for wrong, message in {missing: "a: runs.csv: no row", f"{rows[1]}\n{rows[1]}": "two rows b"}.items():
        pairs.write_text(f"name,ours,theirs,figure\n{wrong}")
        with pytest.raises(TableError, match=message):
            filled_pairs(tmp_path)


def test_learners_are_judged_at_their_own_best_steps(tmp_path):
    """The best is that of the finished: one lucky run of a step at which others diverge does not count."""
    rows = [("td", 0.0, 0.1, 20), ("td", 0.0, 0.25, 40), ("td", 0.0, 1.0, 90), ("tc", 0.5, 1.0, 70)]
    columns = [*own_steps.LEARNER, "alpha", "greedy_mean"]
    tried = pd.DataFrame(rows, columns=columns).assign(episodes=9, moves=100, seconds=1.0, status="finished", seed=0)
    again = tried.assign(greedy_mean=tried["greedy_mean"] + 1, seed=1)
    again.loc[2, ["status", "greedy_mean"]] = "failed", None
    pd.concat([tried, again]).to_csv(tmp_path / "tuning.csv", index=False)
    judged = [("td", 0.0, 0.25, 43.0), ("td", 0.0, 0.25, 44.0), ("tc", 0.5, 1.0, 65.0), ("tc", 0.5, 1.0, 66.0)]
    pd.DataFrame(judged, columns=columns).to_csv(tmp_path / "results.csv", index=False)
    own_steps.compare(tmp_path)
    best, difference = (pd.read_csv(tmp_path / f"{name}.csv").iloc[-1] for name in ("best", "differences"))
    assert best[["learner", "alpha", "tried", "tried_runs", "tried_moves"]].tolist() == ["td", 0.25, 3, 6, 600]
    assert best[["tuned", "judged"]].tolist() == [40.5, 43.5]
    assert difference[["setting", "less", "difference"]].tolist() == ["TC(.5)", "TD(0)", 22]
    games = [("p90_10", "tc"), ("p90_10", "td"), ("p75_25", "tc")]
    assert own_steps.rivals(["tiles", "learner"], games) == [("p90_10 TC", "p90_10 TD")]  # no other game's
    blocks = pd.DataFrame({"run": [*"aab"], "episode": [10, 20, 10], "seconds": [1.0, 1, 3], "mean": [5.0, 9, 7]})
    (row,) = own_steps.curves(blocks.assign(learner="td"), ["learner"]).to_dict("records")
    assert (row["episode"], row["seconds"], row["mean"]) == (10, 2, 6)  # a curve ends with the shortest of its runs


def test_verdicts_on_published_figures(tmp_path):
    """Inside our interval or that of one more run; explained, or not; a setting not run; one seed is not judged."""
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "results.csv").write_text(RUNS + "0.9,True,0,1,5,4,6,0,1000\n")
    (tmp_path / "one" / "published.csv").write_text(
        "source,alpha,mean,reach_8\nsome,0.1,11000,0.9\nsome,0.5,100,0.3\nsome,0.7,1,\nsome,0.9,5,\n"
    )
    (tmp_path / "index.yaml").write_text('one:\n  verdicts: [{source: some, explained: {mean: "fewer games"}}]\n')
    (tmp_path / "published.csv").write_text(index.published_text(tmp_path))
    table = pd.read_csv(tmp_path / "published.csv")
    assert table[["verdict", "reason"]].fillna("").to_numpy().tolist() == [
        ["agrees", ""], ["differs", "unexplained"], ["differs", "fewer games"], ["differs", "unexplained"],
        ["not run", ""], ["not judged", "one seed of ours"],
    ]  # fmt: skip
    assert table["margin"].iloc[0] == pytest.approx(BOUNDS[1] - BOUNDS[0], rel=1e-3)  # the root of 3 runs + 1
    assert set(table["experiment"]) == {"one"}


def test_a_mean_is_known_no_better_than_by_the_games_of_its_runs():
    """Shares: of 1,000 training games, or so many after training; Wilson's for none. Scores: by their bounds."""
    frame = pd.DataFrame({"reach_8_10k": [0.5, 0.5], "reach_16_10k": [0.0, 0.0], "reach_8": [0.5, 0.5]})
    assert interval(frame, "reach_8_10k") == pytest.approx((0.5, 0.478, 0.522), abs=5e-4)
    assert interval(frame, "reach_16_10k") == pytest.approx((0, 0, 0.001), abs=5e-4)
    assert interval(frame, "reach_8") == (0.5, 0.5, 0.5)  # of how many games is not said
    for games in ("games", "greedy_games"):
        assert interval(frame.assign(**{games: 1000}), "reach_8") == pytest.approx((0.5, 0.478, 0.522), abs=5e-4)
    scores = [1000, 1001, 1002]
    assert interval(runs(scores), "greedy_mean") == pytest.approx((1001, 998.5, 1003.5), abs=0.05)
    assert interval(runs(scores, half=60), "greedy_mean") == pytest.approx((1001, 966.4, 1035.6), abs=0.05)
    frame = pd.DataFrame({"seconds": [1.0, 3], "reach_8": [0.9, 1.0], "gain": [0.1, -0.1], "bias": [-300, -302]})
    bounds = [bound for name in frame for bound in interval(frame, name)[1:]]  # none that cannot be
    assert bounds == pytest.approx([0, 14.706, 0.31469, 1, -1.2706, 1.2706, -313.7, -288.3], rel=1e-3)


def test_training_games_whose_spread_is_not_kept_have_that_of_the_games_after_it():
    """In shares of the mean: three runs of 1,000 known to 60 each, so those of 500 to 30, but one has its own."""
    frame = pd.DataFrame({"greedy_mean": 1000.0, "mean_10k": [500.0, 500.5, 501]})
    known = frame.assign(greedy_mean_low=940.0, greedy_mean_high=1060.0)
    own = known.assign(mean_10k_low=[500 - 1.96, np.nan, np.nan], mean_10k_high=[500 + 1.96, np.nan, np.nan])
    assert errors_of(own, "mean_10k") == pytest.approx([1, 15.32, 15.34], abs=0.01)
    some = known.assign(greedy_mean=[1000.0, np.nan, np.nan], greedy_mean_low=[940.0, np.nan, np.nan])
    assert errors_of(some, "mean_10k") == pytest.approx([15.31, 15.32, 15.34], abs=0.01)  # like the one that has games
    assert errors_of(own, "max_10k") == pytest.approx([np.nan] * 3, nan_ok=True)


def test_older_rows_get_the_spread_of_newer_ones(tmp_path):
    """In shares of their mean; where no row has one, none gets one."""
    head = "seed,mean_1k,mean_1k_low,mean_1k_high\n0,100,,\n"
    (tmp_path / "a.csv").write_text(head + "1,200,190,210\n2,50,45,55\n3,,,\n")
    table, share = read_table(tmp_path / "a.csv"), ((0.05**2 + 0.1**2) / 2) ** 0.5
    assert table["mean_1k_high"].tolist()[:3] == pytest.approx([100 * (1 + share), 210, 55])
    assert table["mean_1k_low"].isna().tolist() == [False, False, False, True]
    (tmp_path / "b.csv").write_text(head)
    assert read_table(tmp_path / "b.csv")["mean_1k_low"].isna().all()
