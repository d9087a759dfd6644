"""Figures of the experiments: what index.yaml says of them, optimal play, and published figures where they belong."""

from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Text

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _tools(monkeypatch):
    monkeypatch.syspath_prepend(ROOT)


@pytest.fixture
def drawn(monkeypatch, tmp_path):
    """The figure of an experiment, from its rows, the texts of published.csv and peers.csv and its index entries."""

    def draw(rows, published="", entry="question: q", peers=""):
        from experiments.tools import figures

        (tmp_path / "one").mkdir()
        rows.to_csv(tmp_path / "one" / "results.csv", index=False)
        for name, text in {"published": published, "peers": peers}.items():
            if text:
                (tmp_path / "one" / f"{name}.csv").write_text(text)
        (tmp_path / "index.yaml").write_text(f"Chapter: {{one: {{{entry}}}}}")
        saved = []
        monkeypatch.setattr(figures, "save", lambda figure, path: saved.append(figure))
        figures.draw_results(tmp_path / "one" / "results.csv", tmp_path / "one" / "figure.png", tmp_path)
        return saved[0]

    return draw


def rows(*seeds, **keys):
    """Runs with all combinations of some values."""
    table = pd.DataFrame(list(product(*keys.values(), seeds)), columns=[*keys, "seed"])
    return table.assign(mean_1k=5.0, mean_2k=7.0 + table.index)


def stars(axes):
    """Places and colours of the stars."""
    lines = [line for line in axes.lines if line.get_marker() == "*"]
    return [(*np.ravel(line.get_xydata()).tolist(), to_hex(line.get_color())) for line in lines]


def test_published_scores_and_optimal_play_are_marked(drawn):
    table = rows(0, 1, alpha=[0.1, 0.5]).assign(expected=[10.0, 12, 30, 34], optimal=40.0)
    figure = drawn(table, "source,alpha,mean_2k,expected\nsome,0.5,6,32\n")
    scores, curves = figure.axes
    assert scores.get_ylabel() == "expected score"
    assert [text.get_text() for text in scores.texts] == ["optimal play"]
    colour = to_hex(figure.legends[0].get_lines()[1].get_color())
    assert stars(scores) == [(0.5, 32, colour)]
    assert stars(curves) == [(2000, 6, colour)]
    assert figure.get_supxlabel().endswith("Stars, left of means: published by some.")


def test_a_published_figure_is_in_the_panel_of_its_setting(drawn):
    """The keys of published.csv, and the setting that the index has for the source, choose one of several panels."""
    table = rows(0, 1, alpha=[0.1, 0.5], learner=["tc", "td"], stored=[False, True])
    table["greedy_mean"] = 100.0 + table.index
    figure = drawn(
        table,
        "source,alpha,learner,mean_2k,greedy_mean\nsome,0.5,td,6,900\nother,0.1,td,,105\n",
        "verdicts: [{source: some, setting: stored=true}]",
    )
    shown = [(axes.get_title(), axes.get_ylabel().split("\n")[0], stars(axes)) for axes in figure.axes]
    colour = to_hex(figure.legends[0].get_lines()[1].get_color())
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["tc", "td"]
    assert shown == [
        ("stored false", "mean score after training", []),
        ("stored true", "", [(0.5, 900, colour)]),  # that of `other` might be in either panel
        ("alpha 0.1", "stored false", []),
        ("alpha 0.5", "", []),
        ("", "stored true", []),
        ("", "", [(2000, 6, colour)]),
    ]
    assert len({axes.get_ylim() for axes in figure.axes[:2]}) == 1
    assert figure.axes[0].get_ylim()[1] > 900


def test_of_one_setting_a_published_score_is_a_line(drawn):
    table = rows(0, 1, alpha=[0.1]).assign(greedy_mean=[10.0, 12])
    figure = drawn(table, "source,alpha,greedy_mean\nsome,0.1,20\nother,0.7,30\n")
    lines = [line for line in figure.axes[0].lines if line.get_color() == "black"]
    assert [line.get_ydata()[0] for line in lines] == [20]  # the other's step was not run
    assert figure.get_supxlabel().endswith("Black lines: published by some.")
    assert figure.axes[0].get_ylim()[1] > 20


def test_the_index_says_what_a_figure_shows(drawn):
    table = rows(0, 1, alpha=[0.1, 0.5]).assign(greedy_mean=9.0, moves_per_second=[1e6, 2e6, 3e6, 4e6])
    (axes,) = drawn(table, entry="scores: speed, curves: none").axes
    assert axes.get_ylabel() == "moves a second"
    assert sorted(bar.lines[0].get_ydata()[0] for bar in axes.containers) == [1.5e6, 3.5e6]


def test_scores_may_be_those_of_the_last_games_of_training(drawn):
    """So that published means of training can be marked beside them."""
    table = rows(0, 1, alpha=[0.1, 0.5]).assign(greedy_mean=9.0)
    figure = drawn(table, "source,alpha,mean_2k\nsome,0.5,6\n", "scores: training, curves: none")
    (axes,) = figure.axes
    assert axes.get_ylabel() == "mean score in training,\ngame 2,000"
    assert sorted(bar.lines[0].get_ydata()[0] for bar in axes.containers) == [7.5, 9.5]
    assert [star[:2] for star in stars(axes)] == [(0.5, 6)]


def test_scores_may_be_distances_from_optimal_play(drawn):
    table = rows(0, 1, alpha=[0.1, 0.5]).assign(expected=[30.0, 32, 39, 39], optimal=40.0)
    scores, curves = drawn(table, entry="scores: gap").axes
    assert (scores.get_yscale(), scores.get_ylabel()) == ("log", "optimum less expected score")
    assert sorted(bar.lines[0].get_ydata()[0] for bar in scores.containers) == [1, 9]
    assert [text.get_text() for text in curves.texts] == ["optimal play"]


def test_settings_with_names_have_a_row_each(drawn):
    """From above, as the index has them; one run with the bar of its games, and its curve dashed where others end."""
    table = rows(0, 1, learner=["td", "tc"], stored=[False, True]).assign(greedy_mean=[10.0, 12, 20, 30, 7, 7, 7, 7])
    table = table.assign(greedy_mean_low=table["greedy_mean"] - 3, greedy_mean_high=table["greedy_mean"] + 5)
    table = table[(table["stored"] != True) | (table["seed"] == 0)]  # noqa: E712
    table["mean_4k"] = [9.0, np.nan, 8, 9, 9, 9]
    entry = "rows: [{name: plain, setting: stored=false learner=td}, {name: other, setting: stored=true learner=td}]"
    figure = drawn(table, "source,learner,stored,mean_2k,greedy_mean\nsome,td,True,6,25\n", entry)
    scores, curves = figure.axes
    assert [text.get_text() for text in scores.get_yticklabels()] == ["plain", "other"]
    means = [(bar.lines[0].get_xdata()[0], bar.lines[0].get_ydata()[0]) for bar in scores.containers]
    assert means == [(11, 0), (20, 1)]
    assert scores.containers[1].lines[2][0].get_segments()[0][:, 0].tolist() == [17, 25]
    assert [star[:2] for star in stars(scores)] == [(25, 0.75)]
    assert [star[:2] for star in stars(curves)] == [(2000, 6)]
    dashed = [line.get_xdata().tolist() for line in curves.lines if line.get_linestyle() == "--"]
    assert dashed == [[2000, 4000], [1000, 2000, 4000]]  # a run of two that goes on, and a single one


def test_the_rows_of_the_index_are_settings_of_their_experiments():
    from experiments.tools.index import read_index, select
    from experiments.tools.tables import read_table

    for name, entry in ((name, entry) for chapter in read_index().values() for name, entry in chapter.items()):
        results = ROOT / "experiments" / name / "results.csv"
        if "rows" in entry:
            named = [select(read_table(results), row["setting"].split()).index for row in entry["rows"]]
            assert sorted(place for part in named for place in part) == list(range(len(read_table(results)))), name


def test_curves_by_seconds_have_no_published_episodes(drawn):
    table = rows(0, 1, alpha=[0.1]).assign(seconds_1k=[3.0, 5], seconds_2k=[7.0, 9])
    curves = drawn(table, "source,alpha,mean_2k\nsome,0.1,6\n", "curves: seconds").axes[1]
    assert curves.get_xlabel() == "seconds of training"
    assert curves.lines[0].get_xdata().tolist() == [5, 7]
    assert curves.lines[0].get_ydata().tolist() == [5.5, 6.75]
    assert stars(curves) == []


def test_curves_by_seconds_are_of_all_runs_everywhere(drawn):
    """A run with fewer blocks in its time has a part in every mean."""
    table = rows(0, 1, alpha=[0.1]).assign(
        mean_1k=10.0, mean_2k=[20.0, 40], mean_4k=[np.nan, 70], seconds_1k=1.0, seconds_2k=[5.0, 3], seconds_4k=5.0
    )
    line = drawn(table, entry="curves: seconds").axes[1].lines[0]
    assert line.get_xdata().tolist() == [1, 3, 5]
    assert line.get_ydata().tolist() == [10, 27.5, 45]


def test_curves_by_moves_have_peers_at_their_moves(drawn):
    table = rows(0, 1, alpha=[0.1]).assign(moves_1k=[3e6, 5e6], moves_2k=[7e6, 9e6])
    peers = "program,alpha,seed,mean_2k,moves_2k\nP,0.1,0,6,2e6\nP,0.1,1,8,4e6\n"
    curves = drawn(table, "source,alpha,mean_2k\nsome,0.1,6\n", "curves: moves", peers).axes[1]
    assert curves.get_xlabel() == "moves of training"
    assert curves.lines[0].get_xdata().tolist() == [5e6, 7e6]
    assert [line.get_xdata()[0] for line in curves.lines if line.get_marker() == "D"] == [3e6]
    assert stars(curves) == []


def test_a_fast_setting_does_not_cut_the_seconds_of_a_slow_one(drawn):
    table = rows(0, 1, alpha=[0.1, 0.5]).assign(seconds_1k=1.0, seconds_2k=[5.0, 5, 9, 9])
    fast, slow = drawn(table, entry="curves: seconds").axes[1].lines[:2]
    assert [line.get_xdata().tolist() for line in (fast, slow)] == [[1, 5], [1, 9]]


def test_budgets_have_a_figure_of_their_own(monkeypatch, tmp_path):
    from experiments.tools import curve, figures

    (tmp_path / "one").mkdir()
    rows(0, alpha=[0.1]).to_csv(tmp_path / "one" / "results.csv", index=False)
    (tmp_path / "index.yaml").write_text("Chapter: {one: {question: q, curves: budgets}}")
    drawn = []
    monkeypatch.setattr(curve, "draw", drawn.append)
    figures.main(home=tmp_path)
    assert drawn == [tmp_path / "one"]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("curve: none", "one: curve is not allowed: question, result, time, published, peers, verdicts, rows, "),
        ("curves: no", "one: curves: False is not allowed: episodes, moves, seconds, none, budgets"),
        ("scores: moves_per_second", "one: scores: moves_per_second is not allowed: points, speed, training, gap"),
    ],
)
def test_an_index_with_what_none_may_have_is_refused(tmp_path, entry, message):
    from experiments.tools.index import read_index
    from experiments.tools.tables import TableError

    (tmp_path / "index.yaml").write_text(f"Chapter: {{one: {{{entry}}}}}")
    with pytest.raises(TableError, match=f"index.yaml: {message}"):
        read_index(tmp_path)


FIGURES = {
    "baselines": "title", "published_dqn": "title", "replicas": "title", "values": "title", "fib_learners": "title",
    "learners_seconds": "title", "variants": "title", "best_parts": "title", "curve": "title", "fib_best": "title",
    "tc5_8x6": "title_reach", "stability": "title_growth",
}  # fmt: skip
"""Experiments that draw a figure themselves, and which title it has in the index."""


@pytest.fixture
def own_figure(monkeypatch):
    """The figure that an experiment draws itself of the files of a folder, and its caption."""
    from experiments.tools import drawing, figures, reach_rates, stability

    def draw(folder):
        saved = []
        monkeypatch.setattr(drawing, "save", lambda figure, path: saved.append(figure))
        draws = {"tc5_8x6": reach_rates.draw, "stability": stability.draw}
        caption = (draws.get(folder.name) or figures._own(folder, folder.parent))(folder)
        return saved[0], caption

    return draw


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_of_its_own_has_a_title_and_speaks_in_words(own_figure, name):
    from experiments.tools.index import entry_of

    figure, caption = own_figure(ROOT / "experiments" / name)
    assert figure.get_suptitle() == entry_of(name)[FIGURES[name]]
    assert len(figure.get_suptitle().split()) <= 12
    assert 10 < len(caption.split()) <= 40
    texts = [text.get_text() for text in figure.findobj(Text) if text.get_visible()]
    assert [text for text in texts if "_" in text or "=" in text] == []
    scores = [axes for axes in figure.axes if axes.get_ylabel().startswith("mean score")]
    assert all(axes.get_ylim()[0] == 0 for axes in scores)


def test_bars_of_scores_are_the_intervals_of_the_tables():
    """Never narrower than the games of the runs make them: both runs here score alike."""
    from experiments.tools.drawing import draw_means
    from experiments.tools.tables import interval

    table = pd.DataFrame({"name": [*"aabb"], "kind": [*"xxyy"], "greedy_mean": [50.0, 50, 70, 90]})
    table = table.assign(greedy_mean_low=table["greedy_mean"] - 3, greedy_mean_high=table["greedy_mean"] + 3)
    axes = Figure().subplots()
    draw_means(axes, table, "name", "kind")
    bars = [xs for line in axes.lines if len(xs := line.get_xdata()) and max(xs) > min(xs)]
    bounds = [interval(part, "greedy_mean")[1:] for _, part in table.groupby("name")]
    assert np.array([(min(bar), max(bar)) for bar in bars]) == pytest.approx(np.array(bounds))


def test_bounds_of_a_file_are_drawn_as_they_are():
    import seaborn as sns

    from experiments.tools.drawing import BOUNDS, with_bounds

    table = pd.DataFrame({"x": [1, 2], "y": [5.0, 7], "low": [1.0, 6], "high": [6.0, 11]})
    table = with_bounds(table, "y", "low", "high")
    axes = Figure().subplots()
    sns.lineplot(table, x="x", y="y", **BOUNDS, err_style="bars", ax=axes)
    (bars,) = axes.containers
    assert axes.lines[0].get_ydata().tolist() == [5, 7]
    assert [segment[:, 1].tolist() for segment in bars.lines[2][0].get_segments()] == [[1, 6], [6, 11]]


def test_two_networks_are_points_without_a_mean_and_bar(own_figure, tmp_path):
    columns = ["tuples", "start", "budget", "seed", "moves", "plies", "greedy_mean", "reach_32768"]
    table = [
        ("8x6", "empty", budget, seed, budget + seed, 1, float(budget + seed), 0.0)
        for budget, seeds in ((100, 3), (1000, 2))
        for seed in range(seeds)
    ]
    (tmp_path / "one").mkdir()
    pd.DataFrame(table, columns=columns).to_csv(tmp_path / "one" / "results.csv", index=False)
    (tmp_path / "index.yaml").write_text("Chapter: {one: {question: q, curves: budgets}}")
    right = own_figure(tmp_path / "one")[0].axes[1]
    (bars,) = right.containers
    assert np.nanmin(bars.lines[0].get_ydata()) == np.nanmax(bars.lines[0].get_ydata()) == 101
    assert right.collections[0].get_offsets()[:, 1].tolist() == [100, 101, 102, 1000, 1001]
