"""Tables of the experiments: means with intervals, published figures beside ours, verdicts, the index."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tdl.statistics.intervals import contrast_interval, mean_interval

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _tools(monkeypatch):
    monkeypatch.syspath_prepend(ROOT)


FRAME = pd.DataFrame(
    {"alpha": [0.1, 0.1, 0.5, 0.5], "seed": [0, 1, 0, 1], "mean_1k": [10.0, 12, 30, 34], "reach_8": [0.1, 0.2, 0, 0]}
)


def test_an_index_has_figures_of_a_setting(tmp_path):
    """A mean, a mean of another file, and the number of published figures inside."""
    from experiments.tools import index

    folder = tmp_path / "one"
    folder.mkdir()
    FRAME.to_csv(folder / "results.csv", index=False)
    FRAME.assign(mean_1k=2 * FRAME["mean_1k"]).to_csv(folder / "twice.csv", index=False)
    (folder / "published.csv").write_text("source,alpha,mean_1k,reach_8\nsome,0.1,11.5,0.9\nsome,0.5,100,0\n")
    (tmp_path / "index.yaml").write_text("""
Chapter:
  one:
    question: How much?
    result: "{mean_1k alpha=0.5} of {twice.csv:mean_1k alpha=0.5}, {reach_8 alpha=0.1}, {inside alpha=0.1}, {inside}"
    time: 1 min
    published:
      - {figure: mean_1k, source: some, setting: alpha=0.5}
""")
    assert index.index_rows("Chapter", tmp_path)[1:] == [
        ["[one](one/README.md)", "How much?", "32 of 64, 15.0%, 1 of 2, 2 of 4", "2", "1 min"]
    ]
    (row,) = index.published_rows(["Chapter"], tmp_path)[1:]
    assert row[1:4] == ["some", "mean_1k", "100"]
    assert row[-3:] == ["-68.0%", "137.5%", "1 of 2"]


def test_one_seed_is_not_judged(tmp_path):
    """Neither where the figure lies in its interval over games, nor elsewhere."""
    from experiments.tools import verdicts

    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "results.csv").write_text("seed,mean,mean_low,mean_high\n0,10,8,12\n")
    (tmp_path / "one" / "published.csv").write_text("source,mean\nsome,11\nsome,30\n")
    (tmp_path / "index.yaml").write_text("Chapter:\n  one:\n    verdicts:\n      - {source: some}\n")
    assert [row[-1] for row in verdicts.verdict_rows(tmp_path)[1:]] == [verdicts.ONE_SEED] * 2


def test_verdicts_on_published_figures(tmp_path):
    """Inside our interval, or only in that of a further run; explained, without a reason, of a setting not run."""
    from experiments.tools import verdicts

    (tmp_path / "one").mkdir()
    FRAME.to_csv(tmp_path / "one" / "results.csv", index=False)
    (tmp_path / "one" / "published.csv").write_text(
        "source,alpha,mean_1k,reach_8\nsome,0.1,11.5,0.9\nsome,0.5,100,0.3\nsome,0.7,1,\n"
    )
    (tmp_path / "index.yaml").write_text("""
Chapter:
  one:
    verdicts:
      - {source: some, explained: {mean_1k: "not {mean_1k alpha=0.1}"}}
""")
    rows = verdicts.verdict_rows(tmp_path)[1:]
    assert [(*row[2:5], *row[6:]) for row in rows] == [
        ("alpha=0.1", "mean_1k", "11.5", "2", "200.1%", f"agrees, {verdicts.LITTLE}"),
        ("alpha=0.1", "reach_8", "90.0%", "2", "110.0 points", f"agrees, {verdicts.LITTLE}"),
        ("alpha=0.5", "mean_1k", "100", "2", "137.5%", "not 11"),
        ("alpha=0.5", "reach_8", "30.0%", "2", "0.0 points", "unexplained"),
        ("alpha=0.7", "mean_1k", "1", "", "", "not run"),
    ]
    assert {row[1] for row in rows} == {"[one](../experiments/one/README.md)"}


@pytest.mark.parametrize(
    ("result", "message"), [("{mean_2k}", "no column mean_2k"), ("{mean_1k alpha=7}", "no row with alpha=7")]
)
def test_an_index_with_a_wrong_figure_is_refused(tmp_path, result, message):
    from experiments.tools import index
    from experiments.tools.tables import TableError

    (tmp_path / "one").mkdir()
    FRAME.to_csv(tmp_path / "one" / "results.csv", index=False)
    (tmp_path / "index.yaml").write_text(f'C: {{one: {{question: q, result: "{result}", time: t}}}}\n')
    with pytest.raises(TableError, match=message):
        index.index_rows("C", tmp_path)


def test_a_table_has_means_with_intervals():
    from experiments.tools.tables import table

    _, high = mean_interval(np.array([10.0, 12]))
    head, first, second = table(FRAME, ["alpha"], ["runs", "mean_1k", "reach_8"])
    assert head == ["alpha", "runs", "mean_1k", "reach_8"]
    assert first == ["0.1", "2", f"11 [0, {high:.3g}]", "15.0% [0.0%, 78.5%]"]
    assert second[-1] == "0.0% [0.0%, 0.0%]"


def test_shares_are_known_no_better_than_by_their_games():
    """Equal shares of two runs: of 1,000 training games each, or of so many after training; Wilson's for none."""
    from experiments.tools.tables import compare, figure

    shares = pd.DataFrame({"reach_8_10k": [0.5, 0.5], "reach_16_10k": [0.0, 0.0], "reach_8": [0.5, 0.5]})
    assert figure(shares, "reach_8_10k") == "50.0% [47.8%, 52.2%]"
    assert figure(shares, "reach_16_10k") == "0.0% [0.0%, 0.1%]"
    assert figure(shares, "reach_8") == "50.0% [50.0%, 50.0%]"  # of how many games is not said
    assert figure(shares.assign(games=1000), "reach_8") == "50.0% [47.8%, 52.2%]"
    after = shares.assign(greedy_games=1000)
    assert figure(after, "reach_8") == "50.0% [47.8%, 52.2%]"
    assert compare(after, after, "reach_8")[-2] == "+0.0 [-3.1, +3.1] points"


def test_a_single_run_has_the_interval_of_its_games():
    from experiments.tools.tables import table

    one = pd.DataFrame({"seed": [0], "greedy_mean": [200.0], "greedy_mean_low": [150.0], "greedy_mean_high": [250.0]})
    assert table(one, ["seed"], ["greedy_mean"])[1] == ["0", "200 [150, 250]"]
    assert table(one.drop(columns="greedy_mean_low"), ["seed"], ["greedy_mean"])[1] == ["0", "200"]


def test_published_figures_stand_beside_ours():
    from experiments.tools.tables import beside

    published = pd.DataFrame({"source": ["R9", "R9", "R9"], "alpha": [0.1, 0.5, 0.7], "mean_1k": [11.5, 100, 5]})
    rows = beside(FRAME, published, ["alpha"], [])
    assert rows[0] == ["source", "alpha", "figure", "published", "ours"]
    assert rows[1][-1].endswith(", inside, 200.1% unseen")  # a mean of two runs, 11, with t of one degree of freedom
    assert rows[2][-1].endswith(", -68.0%")
    assert len(rows) == 3  # nothing of ours stands beside the third


def test_a_table_of_what_is_not_there_is_refused(tmp_path):
    from experiments.tools.pages import filled
    from experiments.tools.tables import TableError

    page = tmp_path / "README.md"
    FRAME.to_csv(tmp_path / "results.csv", index=False)
    for line, said in {
        "<!-- table results.csv: alpha | mean_2k -->": "mean_2k",
        "<!-- table nothing.csv: alpha | mean_1k -->": "nothing.csv",
        "<!-- tabel results.csv: alpha | mean_1k -->": "first or last line",
    }.items():
        page.write_text(f"# Title\n\n{line}\n<!-- end -->\n")
        with pytest.raises(TableError, match=said):
            filled(page)


def test_tables_are_replaced_and_the_rest_stays(tmp_path):
    from experiments.tools.pages import filled

    page = tmp_path / "README.md"
    FRAME.to_csv(tmp_path / "results.csv", index=False)
    page.write_text("# Title\n\n<!-- table results.csv: alpha | runs -->\nold\n<!-- end -->\n\nafter\n")
    text = filled(page)
    assert text.startswith("# Title\n\n<!-- table")
    assert text.endswith("<!-- end -->\n\nafter\n")
    assert "| 0.1 | 2 |" in text
    assert "old" not in text
    page.write_text(text)
    assert filled(page) == text


def test_a_difference_of_two_settings_has_its_interval(tmp_path):
    """Over the runs of all files; two single runs have that of their games."""
    from experiments.tools.index import less_rows
    from experiments.tools.pages import filled
    from experiments.tools.tables import TableError

    pd.DataFrame({"alpha": [0.1, 0.1, 0.5, 0.7], "mean": [10.0, 14, 5, 9]}).to_csv(tmp_path / "one.csv")
    pd.DataFrame({"alpha": [0.1, 0.5, 0.5], "plies": [1, 1, 2], "mean": [18.0, 8, 99]}).to_csv(tmp_path / "more.csv")
    pair = "one.csv alpha=0.1 + more.csv alpha=0.1 plies=1 - one.csv alpha=0.5 + more.csv alpha=0.5 plies=1"
    _, row = less_rows(tmp_path, ["mean"], [pair])
    low, high = contrast_interval([np.array([10.0, 14, 18]), np.array([5.0, 8])], [1, -1])[1:]
    assert row[:2] == ["alpha=0.1 + alpha=0.1 plies=1", "3"]
    assert row[3:] == ["2", "mean", f"+7.5 [{low:+.1f}, {high:+.1f}]"]
    games = {"seed": [1, 2], "mean": [50.0, 40], "mean_low": [47.0, 36], "mean_high": [53.0, 44]}
    pd.DataFrame(games).to_csv(tmp_path / "games.csv")
    _, row = less_rows(tmp_path, ["mean"], ["games.csv seed=1 - games.csv seed=2"])
    assert row[-1] == "+10.0 [+5.0, +15.0]"
    _, first, second = less_rows(
        tmp_path,
        ["mean"],
        ["more.csv alpha=0.5 plies=2 - more.csv alpha=0.5 plies=1", "more.csv alpha=0.1 - one.csv alpha=0.1"],
    )
    assert first[:4] == ["alpha=0.5", "plies=2", "1", "plies=1"]  # what both have stands once
    assert second[:4] == ["", "alpha=0.1", "1", "alpha=0.1"]  # where nothing would be left, all stays
    _, third = less_rows(
        tmp_path, ["mean"], ["more.csv alpha=0.1 plies=1 + one.csv alpha=0.1 - more.csv alpha=0.1 plies=1"]
    )
    assert third[:2] == ["alpha=0.1 plies=1 + alpha=0.1", "3"]  # of one source of several, too
    with pytest.raises(TableError, match=r"no row with alpha=0\.9"):
        less_rows(tmp_path, ["mean"], ["one.csv alpha=0.9 - one.csv alpha=0.5"])
    with pytest.raises(TableError, match=r"one\.csv has no column alhpa"):
        less_rows(tmp_path, ["mean"], ["one.csv alhpa=0.1 - one.csv alpha=0.5"])
    page = tmp_path / "README.md"
    page.write_text("<!-- less mean: one.csv alpha=0.5 - one.csv alpha=0.7 -->\n<!-- end -->\n")
    assert "| alpha=0.5 | 1 | alpha=0.7 | 1 | mean | -4.0 |" in filled(page)  # nothing is known of the games


def test_an_interval_is_no_narrower_than_the_games_make_it():
    """Three runs lie close together by chance; their games tell each to 60 points: the mean to 60 / sqrt(3)."""
    from experiments.tools.tables import figure

    frame = pd.DataFrame({"greedy_mean": [1000.0, 1001, 1002]})
    assert figure(frame, "greedy_mean") == "1,001 [999, 1,003]"
    bounds = {f"greedy_mean_{side}": frame["greedy_mean"] + sign * 60 for side, sign in (("low", -1), ("high", 1))}
    assert figure(frame.assign(**bounds), "greedy_mean") == "1,001 [966, 1,036]"


def test_training_games_whose_spread_is_not_kept_have_that_of_the_games_after_it():
    """In points of the mean: three runs of 1,000 known to 60 each, so those of 500 to 30, but one that has its own."""
    from experiments.tools.tables import errors_of, figure

    frame = pd.DataFrame({"greedy_mean": 1000.0, "mean_10k": [500.0, 500.5, 501]})
    assert figure(frame, "mean_10k") == "500 [499, 502]"
    known = frame.assign(greedy_mean_low=940.0, greedy_mean_high=1060.0)
    assert figure(known, "mean_10k") == "500 [483, 518]"
    own = known.assign(mean_10k_low=[500 - 1.96, np.nan, np.nan], mean_10k_high=[500 + 1.96, np.nan, np.nan])
    assert errors_of(own, "mean_10k") == pytest.approx([1, 15.32, 15.34], abs=0.01)
    some = known.assign(greedy_mean=[1000.0, np.nan, np.nan], greedy_mean_low=[940.0, np.nan, np.nan])
    assert errors_of(some, "mean_10k") == pytest.approx([15.31, 15.32, 15.34], abs=0.01)  # like the one that has games
    assert errors_of(own, "max_10k") == pytest.approx([np.nan] * 3, nan_ok=True)


def test_an_interval_has_no_bounds_that_cannot_be():
    from experiments.tools.tables import figure

    frame = pd.DataFrame({"seconds": [1.0, 3], "reach_8": [0.9, 1.0], "gain": [0.1, -0.1]})
    assert [figure(frame, name).split("[")[1] for name in frame] == ["0, 14.7]", "31.5%, 100.0%]", "-127.1%, 127.1%]"]


def test_an_interval_of_figures_below_zero_holds_its_mean():
    from experiments.tools.tables import figure

    frame = pd.DataFrame({"value_bias": [1.0, 3], "start_bias": [-300, -302], "new_name": [-300, -302]})
    assert [figure(frame, name) for name in frame] == ["2 [-10.7, 14.7]", "-301 [-314, -288]", "-301 [-314, -288]"]


def test_older_rows_get_the_spread_of_newer_ones(tmp_path):
    """In shares of their mean; where no row has one, none gets one."""
    from experiments.tools.tables import read_table

    (tmp_path / "a.csv").write_text(
        "seed,mean_1k,mean_1k_low,mean_1k_high\n0,100,,\n1,200,190,210\n2,50,45,55\n3,,,\n"
    )
    table = read_table(tmp_path / "a.csv")
    share = ((0.05**2 + 0.1**2) / 2) ** 0.5
    assert table["mean_1k_high"].tolist()[:3] == pytest.approx([100 * (1 + share), 210, 55])
    assert table["mean_1k_low"].tolist()[:3] == pytest.approx([100 * (1 - share), 190, 45])
    assert table["mean_1k_low"].isna().tolist() == [False, False, False, True]
    (tmp_path / "b.csv").write_text("seed,mean_1k,mean_1k_low,mean_1k_high\n0,100,,\n")
    assert read_table(tmp_path / "b.csv")["mean_1k_low"].isna().all()
