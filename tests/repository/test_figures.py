"""Figures of the experiments: what index.yaml says of them, their captions, and the figures of others."""

import re
from functools import partial
from itertools import product

import numpy as np
import pandas as pd
import pytest
import seaborn as sns
from matplotlib.collections import PathCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Text

from experiments.tools import curve, drawing, figures
from experiments.tools.index import entry_of, folders, read_index
from experiments.tools.tables import TableError, interval, matching, read_table
from tdl.results.palette import BLUE
from tdl.statistics.intervals import mean_interval

FIGURES = [(folder, file) for folder in folders().values() for file in figures.drawers(folder)]


@pytest.fixture
def saved(monkeypatch):
    """The figures that are drawn, which are not written."""
    drawn = []
    for module in (figures, drawing):
        monkeypatch.setattr(module, "save", lambda figure, *_: drawn.append(figure))
    return drawn


@pytest.fixture
def drawn(saved, tmp_path):
    """Draws the figure of an experiment, of its rows, the texts of other files and its index entries."""

    def draw(rows, published="", entry="", peers=""):
        (tmp_path / "one").mkdir()
        rows.to_csv(tmp_path / "one" / "results.csv", index=False)
        for name, text in {"published": published, "peers": peers}.items():
            if text:
                (tmp_path / "one" / f"{name}.csv").write_text(text)
        (tmp_path / "index.yaml").write_text(f"one: {{{entry}}}")
        caption = figures.draw_results(tmp_path / "one", tmp_path)
        return saved[0], caption

    return draw


def rows(*seeds, **keys):
    """Runs with all combinations of some values."""
    table = pd.DataFrame(list(product(*keys.values(), seeds)), columns=[*keys, "seed"])
    return table.assign(mean_1k=5.0, mean_2k=7.0 + table.index)


def marks(axes, marker="*"):
    """Places and colours of the figures of others."""
    lines = [line for line in axes.lines if line.get_marker() == marker]
    return [(*np.ravel(line.get_xydata()).tolist(), to_hex(line.get_color())) for line in lines]


def scores(axes):
    """The scores of single runs that are drawn."""
    dots = [part for part in axes.collections if isinstance(part, PathCollection) and part.get_label() != "_failed"]
    return sorted(y for part in dots for _, y in part.get_offsets())


@pytest.mark.parametrize(("folder", "file"), FIGURES, ids=lambda part: getattr(part, "name", part))
def test_a_figure_has_a_title_and_speaks_in_words_and_its_page_has_its_caption(saved, folder, file):
    """The title is the finding, in twelve words or fewer; a score begins at 0."""
    draw = figures.drawers(folder)[file]
    caption, (figure,) = draw(folder), saved
    name = "title" if file == "figure.png" else f"title_{file.removesuffix('.png')}"
    title = entry_of(folder.name)[name].split()
    assert figure.get_suptitle().split() == title
    assert 2 < len(title) <= 12
    assert len(caption.split()) > 10
    texts = [text.get_text() for text in figure.findobj(Text) if text.get_visible()]
    keys = [text for text in texts if "_" in text or "=" in text]
    assert keys == [] or isinstance(draw, partial)  # of a sweep, which may show them
    assert all(axes.get_ylim()[0] == 0 for axes in figure.axes if axes.get_ylabel().startswith("mean score"))
    page = next(home / "README.md" for home in (folder, folder.parent) if (home / "README.md").exists())
    image = str((folder / file).relative_to(page.parent))
    if re.search(rf"!\[[^]]*\]\({image}\)", page.read_text()):
        assert f"]({image})\n\n<!-- caption {image} -->\n\n*{caption}*\n" in page.read_text()


def test_a_caption_is_written_into_the_page(tmp_path, saved):
    folder = tmp_path / "one"
    folder.mkdir()
    rows(0, 1, 2, alpha=[0.1]).to_csv(folder / "results.csv", index=False)
    (folder / "figure.png").touch()
    page, begin = folder / "README.md", "# A\n\n![scores](figure.png)\n\n<!-- caption figure.png -->\n"
    page.write_text(f"{begin}<!-- end -->\n\nB\n")
    (tmp_path / "index.yaml").write_text("one: {title: It learns, scores: training}")
    for _ in range(2):  # the second time nothing changes
        figures.main(home=tmp_path)
        assert page.read_text().startswith(f"{begin}\n*Seeds 3. Points and curves are means over seeds")
        assert page.read_text().endswith("*\n\n<!-- end -->\n\nB\n")
        assert page.read_text().count("Seeds 3.") == 1


def test_published_scores_are_marked_in_the_colour_of_their_setting(drawn):
    table = rows(0, 1, learner=["td", "tc"]).assign(greedy_mean=[10.0, 12, 30, 34])
    figure, caption = drawn(table, "source,learner,mean_2k,greedy_mean\nsome,td,6,32\n")
    of_scores, curves = figure.axes
    assert marks(of_scores) == [(32, 1, BLUE.lower())]  # beside tc, which is first
    assert marks(curves) == [(2000, 6, BLUE.lower())]
    assert caption.endswith("Stars: published by some.")


def test_a_published_figure_of_several_settings_is_not_marked(drawn):
    """The keys of published.csv, and the setting that the index has for the source, say of which it is."""
    table = rows(0, 1, alpha=[0.1, 0.5], learner=["tc", "td"]).assign(greedy_mean=100.0)
    published = "source,alpha,mean_2k,greedy_mean\nsome,0.5,6,110\nother,0.1,,105\n"
    figure, caption = drawn(table, published, "verdicts: [{source: some, setting: learner=td}]")
    assert [len(marks(axes)) for axes in figure.axes] == [1, 1]
    assert caption.endswith("Stars: published by some.")


@pytest.mark.parametrize(
    ("asked", "label", "found"),
    [
        ("points", "expected score after training", [30, 32, 39, 39]),
        ("gap", "optimum minus expected score", [1, 1, 8, 10]),
        ("moves_per_second", "moves per second of training", [1e6, 2e6, 3e6, 4e6]),
        ("training", "mean score in training,\ngame 2,000", [7, 8, 9, 10]),
    ],
)
def test_the_index_says_what_scores_are(drawn, asked, label, found):
    """Published means of training are marked beside those of ours alone."""
    table = rows(0, 1, alpha=[0.1, 0.5]).assign(expected=[30.0, 32, 39, 39], gap=[10.0, 8, 1, 1], greedy_mean=9.0)
    table = table.assign(moves_per_second=[1e6, 2e6, 3e6, 4e6])
    figure, _ = drawn(table, "source,alpha,mean_2k\nsome,0.5,6\n", f"scores: {asked}, curves: none")
    (axes,) = figure.axes
    assert (axes.get_ylabel(), scores(axes)) == (label, found)
    assert [mark[:2] for mark in marks(axes)] == ([(0.5, 6)] if asked == "training" else [])


NAMED = "rows: [{name: plain, setting: stored=false}, {name: other, setting: stored=true}]"


def test_settings_with_names_have_a_row_each(drawn):
    """From above, as the index has them."""
    table = rows(0, 1, 2, stored=[True, False]).assign(greedy_mean=[10.0, 12, 14, 20, 22, 24])
    figure, _ = drawn(table, "source,stored,greedy_mean\nsome,True,15\n", NAMED)
    axes = figure.axes[0]
    assert [text.get_text() for text in axes.get_yticklabels()] == ["plain", "other"]
    means = [point for line in axes.lines if line.get_marker() == "o" for point in line.get_xydata().tolist()]
    assert [point for point in means if not np.isnan(point).any()] == [[22, 0], [12, 1]]
    assert [mark[:2] for mark in marks(axes)] == [(15, 1)]


def test_settings_with_names_have_colours_along_an_axis(drawn):
    table = rows(0, alpha=[0.1, 0.5], stored=[True, False]).assign(greedy_mean=[10.0, 12, 14, 16])
    figure, _ = drawn(table, entry=f"axis: alpha, curves: none, {NAMED}")
    (axes,) = figure.axes
    assert (axes.get_xlabel(), axes.get_xticks().tolist()) == ("step size alpha", [0.1, 0.5])
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["plain", "other"]


def test_the_rows_of_the_index_are_settings_of_their_experiments():
    for name, entry in read_index().items():
        table = read_table(folders()[name] / "results.csv") if "rows" in entry else pd.DataFrame()
        named = [matching(table, row["setting"].split()).index for row in entry.get("rows", [])]
        assert sorted(place for part in named for place in part) == list(range(len(table))), name


@pytest.mark.parametrize(("along", "places"), [("episodes", [1000, 2000]), ("moves", [3e6, 7e6]), ("seconds", [2, 4])])
def test_curves_go_by_what_the_index_says(drawn, along, places):
    """Others have their place by moves, too, where they say so, but none by seconds, which are of other machines.

    Other programs have the mean of their seeds with its interval.
    """
    table = rows(0, 1, 2, alpha=[0.1]).assign(moves_1k=3e6, moves_2k=7e6, seconds_1k=2.0, seconds_2k=4.0)
    peers = "program,alpha,seed,mean_2k,moves_2k\nP,0.1,0,6,2e6\nP,0.1,1,8,4e6\nP,0.7,1,99,4e6\n"
    figure, caption = drawn(table, "source,alpha,mean_2k\nsome,0.1,6\n", f"scores: training, curves: {along}", peers)
    of_scores, curves = figure.axes
    assert curves.get_xlabel() == f"{along} of training"
    assert curves.lines[0].get_xdata().tolist() == places
    assert [mark[:2] for mark in marks(curves)] == {"episodes": [(2000, 6)]}.get(along, [])
    assert [mark[:2] for mark in marks(curves, "D")] == {"episodes": [(2000, 7)], "moves": [(3e6, 7)]}.get(along, [])
    (bar,) = [bar for bar in of_scores.containers if bar.lines[0].get_marker() == "D"]
    assert bar.lines[2][0].get_segments()[0][:, 1] == pytest.approx(mean_interval(np.array([6.0, 8])))
    assert caption.endswith("Diamonds: means of P over its seeds, with 95% intervals.")


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("curve: none", "one: curve is not allowed: title, title_growth, title_reach, names, rows, axis, "),
        ("curves: no", "one: curves: False is not allowed: episodes, moves, seconds, none, budgets"),
    ],
)
def test_an_index_with_what_none_may_have_is_refused(tmp_path, entry, message):
    (tmp_path / "index.yaml").write_text(f"one: {{{entry}}}")
    with pytest.raises(TableError, match=f"index.yaml: {message}"):
        read_index(tmp_path)


def test_bars_of_scores_are_the_intervals_of_the_tables():
    """Never narrower than the games of the runs make them: both runs here score alike."""
    table = pd.DataFrame({"name": [*"aabb"], "kind": [*"xxyy"], "greedy_mean": [50.0, 50, 70, 90]})
    table = table.assign(greedy_mean_low=table["greedy_mean"] - 3, greedy_mean_high=table["greedy_mean"] + 3)
    axes = Figure().subplots()
    drawing.draw_means(axes, table, "name", "kind")
    bars = [xs for line in axes.lines if len(xs := line.get_xdata()) and max(xs) > min(xs)]
    bounds = [interval(part, "greedy_mean")[1:] for _, part in table.groupby("name")]
    assert np.array([(min(bar), max(bar)) for bar in bars]) == pytest.approx(np.array(bounds))


def test_bounds_of_a_file_are_drawn_as_they_are():
    table = pd.DataFrame({"x": [1, 2], "y": [5.0, 7], "low": [1.0, 6], "high": [6.0, 11]})
    axes = Figure().subplots()
    table = drawing.with_bounds(table, "y", "low", "high")
    sns.lineplot(table, x="x", y="y", **drawing.BOUNDS, err_style="bars", ax=axes)
    (bars,) = axes.containers
    assert axes.lines[0].get_ydata().tolist() == [5, 7]
    assert [segment[:, 1].tolist() for segment in bars.lines[2][0].get_segments()] == [[1, 6], [6, 11]]


def test_two_networks_are_points_without_a_mean_and_bar(saved, tmp_path):
    columns = [*curve.NETWORK, "moves", "plies", "greedy_mean", "reach_32768"]
    runs = [(100, 0), (100, 1), (100, 2), (1000, 0), (1000, 1)]
    table = [("8x6", "empty", moves, seed, moves + seed, 1, float(moves + seed), 0.0) for moves, seed in runs]
    pd.DataFrame(table, columns=columns).to_csv(tmp_path / "results.csv", index=False)
    curve.draw(tmp_path)
    right = saved[0].axes[1]
    (bars,) = right.containers
    assert np.nanmin(bars.lines[0].get_ydata()) == np.nanmax(bars.lines[0].get_ydata()) == 101
    assert right.collections[0].get_offsets()[:, 1].tolist() == [100, 101, 102, 1000, 1001]
