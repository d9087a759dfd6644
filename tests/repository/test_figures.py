"""Figures of the experiments: what index.yaml says of them, their captions, and the figures of others."""

import re
from functools import partial
from itertools import product

import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import PathCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Text

from experiments.tools import drawing, figures
from experiments.tools.index import entry_of, folders, read_index
from experiments.tools.tables import interval, matching, read_table
from tdl.results.style import BLUE
from tdl.statistics.intervals import mean_interval

FIGURES = [(folder, file) for folder in folders().values() for file in figures.drawers(folder)]
NAMED = "rows: [{name: plain, setting: stored=false}, {name: other, setting: stored=true}]"


@pytest.fixture
def saved(monkeypatch):
    """The figures that are drawn, which are not written."""
    drawn = []
    for module in (figures, drawing):
        monkeypatch.setattr(module, "save", lambda figure, *_: drawn.append(figure))
    return drawn


@pytest.fixture
def drawn(saved, tmp_path):
    """Draws the figure of an experiment, of its rows, the texts of other files and its entry in the index."""

    def draw(rows, entry="", **others):
        (tmp_path / "one").mkdir()
        rows.to_csv(tmp_path / "one" / "results.csv", index=False)
        for name, text in others.items():
            (tmp_path / "one" / f"{name}.csv").write_text(text)
        (tmp_path / "index.yaml").write_text(f"one: {{{entry}}}")
        caption = figures.draw_results(tmp_path / "one", tmp_path)
        return saved[0].axes, caption

    return draw


def rows(*seeds, **keys):
    """Runs with all combinations of some values."""
    table = pd.DataFrame(list(product(*keys.values(), seeds)), columns=[*keys, "seed"])
    return table.assign(mean_1k=5.0, mean_2k=7.0 + table.index)


def marks(axes, marker="*"):
    """The places of figures of others."""
    return [tuple(np.ravel(line.get_xydata())) for line in axes.lines if line.get_marker() == marker]


@pytest.mark.parametrize(("folder", "file"), FIGURES, ids=lambda part: getattr(part, "name", part))
def test_a_figure_has_a_title_and_speaks_in_words_and_its_page_has_its_caption(saved, folder, file):
    """The title is the finding, in twelve words or fewer; a score begins at 0. Figures of sweeps may show keys."""
    draw = figures.drawers(folder)[file]
    caption, (figure,) = draw(folder), saved
    title = entry_of(folder.name)["title" if file == "figure.png" else f"title_{file.removesuffix('.png')}"].split()
    assert figure.get_suptitle().split() == title
    assert 2 < len(title) <= 12
    texts = [text.get_text() for text in figure.findobj(Text) if text.get_visible()]
    assert isinstance(draw, partial) or not [text for text in texts if "_" in text or "=" in text]
    assert all(axes.get_ylim()[0] == 0 for axes in figure.axes if axes.get_ylabel().startswith("mean score"))
    page = next(home / "README.md" for home in (folder, folder.parent) if (home / "README.md").exists())
    image = (folder / file).relative_to(page.parent)
    shown = re.search(rf"!\[[^]]*\]\({image}\)(.*?)<!-- end -->", page.read_text(), re.S)
    assert shown is None or shown[1] == f"\n\n<!-- caption {image} -->\n\n*{caption}*\n\n"


def test_published_scores_are_marked_in_the_colour_of_their_setting(drawn):
    table = rows(0, 1, learner=["td", "tc"]).assign(greedy_mean=[10.0, 12, 30, 34])
    axes, caption = drawn(table, published="source,learner,mean_2k,greedy_mean\nsome,td,6,32\n")
    assert [marks(each) for each in axes] == [[(32, 1)], [(2000, 6)]]  # the score beside tc, which is first
    stars = [line for each in axes for line in each.lines if line.get_marker() == "*"]
    assert {to_hex(line.get_color()) for line in stars} == {BLUE.lower()}
    assert caption.endswith("Stars: published by some.")


def test_a_published_figure_of_several_settings_is_not_marked(drawn):
    """The keys of published.csv, and the setting that the index has for the source, say of which it is."""
    table = rows(0, 1, alpha=[0.1, 0.5], learner=["tc", "td"]).assign(greedy_mean=100.0)
    published = "source,alpha,mean_2k,greedy_mean\nsome,0.5,6,110\nother,0.1,,105\n"
    axes, _ = drawn(table, "verdicts: [{source: some, setting: learner=td}]", published=published)
    assert [len(marks(each)) for each in axes] == [1, 1]


@pytest.mark.parametrize(
    ("asked", "label", "found"),
    [
        ("points", "expected score after training", [30, 32, 39, 39]),
        ("gap", "optimum minus expected score", [1, 1, 8, 10]),
        ("training", "mean score in training,\ngame 2,000", [7, 8, 9, 10]),
    ],
)
def test_the_index_says_what_scores_are(drawn, asked, label, found):
    """Published means of training are marked beside those of ours alone."""
    table = rows(0, 1, alpha=[0.1, 0.5]).assign(expected=[30.0, 32, 39, 39], gap=[10.0, 8, 1, 1], greedy_mean=9.0)
    entry = f"scores: {asked}, curves: none"
    (axes,), _ = drawn(table, entry, published="source,alpha,mean_2k\nsome,0.5,6\n")
    dots = [part for part in axes.collections if isinstance(part, PathCollection)]
    assert sorted(y for part in dots for _, y in part.get_offsets() if y > 0) == found
    assert axes.get_ylabel() == label
    assert marks(axes) == ([(0.5, 6)] if asked == "training" else [])


def test_settings_with_names_have_a_row_each(drawn):
    """From above, as the index has them."""
    table = rows(0, 1, 2, stored=[True, False]).assign(greedy_mean=[10.0, 12, 14, 20, 22, 24])
    (axes, _), _ = drawn(table, NAMED, published="source,stored,greedy_mean\nsome,True,15\n")
    assert [text.get_text() for text in axes.get_yticklabels()] == ["plain", "other"]
    means = [point for line in axes.lines if line.get_marker() == "o" for point in line.get_xydata().tolist()]
    assert [point for point in means if not np.isnan(point).any()] == [[22, 0], [12, 1]]
    assert marks(axes) == [(15, 1)]


def test_the_rows_of_the_index_are_settings_of_their_experiments():
    for name, entry in read_index().items():
        table = read_table(folders()[name] / "results.csv") if "rows" in entry else pd.DataFrame()
        named = [matching(table, row["setting"].split()).index for row in entry.get("rows", [])]
        assert sorted(place for part in named for place in part) == list(range(len(table))), name


@pytest.mark.parametrize(("along", "places"), [("episodes", [1000, 2000]), ("moves", [3e6, 7e6]), ("seconds", [2, 4])])
def test_curves_are_drawn_along_what_the_index_says(drawn, along, places):
    """Others have their place by moves, too, where they say so, but none by seconds, which are of other machines.

    Other programs have the mean of their seeds with its interval.
    """
    table = rows(0, 1, 2, alpha=[0.1]).assign(moves_1k=3e6, moves_2k=7e6, seconds_1k=2.0, seconds_2k=4.0)
    peers = "program,alpha,seed,mean_2k,moves_2k\nP,0.1,0,6,2e6\nP,0.1,1,8,4e6\nP,0.7,1,99,4e6\n"
    entry, published = f"scores: training, curves: {along}", "source,alpha,mean_2k\nsome,0.1,6\n"
    (scores, curves), caption = drawn(table, entry, published=published, peers=peers)
    assert curves.get_xlabel() == f"{along} of training"
    assert curves.lines[0].get_xdata().tolist() == places
    assert marks(curves) == {"episodes": [(2000, 6)]}.get(along, [])
    assert marks(curves, "D") == {"episodes": [(2000, 7)], "moves": [(3e6, 7)]}.get(along, [])
    (bar,) = [bar for bar in scores.containers if bar.lines[0].get_marker() == "D"]
    assert bar.lines[2][0].get_segments()[0][:, 1] == pytest.approx(mean_interval(np.array([6.0, 8])))
    assert caption.endswith("Diamonds: means of P over its seeds, with 95% intervals.")


def test_bars_of_scores_are_the_intervals_of_the_tables():
    """Never narrower than the games of the runs make them: both runs here score alike."""
    table = pd.DataFrame({"name": [*"aabb"], "kind": [*"xxyy"], "greedy_mean": [50.0, 50, 70, 90]})
    table = table.assign(greedy_mean_low=table["greedy_mean"] - 3, greedy_mean_high=table["greedy_mean"] + 3)
    axes = Figure().subplots()
    drawing.draw_means(axes, table, "name", "kind")
    bars = [xs for line in axes.lines if len(xs := line.get_xdata()) and max(xs) > min(xs)]
    bounds = [interval(part, "greedy_mean")[1:] for _, part in table.groupby("name")]
    assert np.array([(min(bar), max(bar)) for bar in bars]) == pytest.approx(np.array(bounds))
