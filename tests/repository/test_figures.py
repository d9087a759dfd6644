"""Figures of the experiments: what index.yaml says of them, their captions, and the figures of others."""

import re
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import PathCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Text

from tdl.results.palette import BLUE

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _tools(monkeypatch):
    monkeypatch.syspath_prepend(ROOT)


@pytest.fixture
def drawn(monkeypatch, tmp_path):
    """The figure of an experiment and its caption, from its rows, the texts of other files and its index entries."""

    def draw(rows, published="", entry="", peers=""):
        from experiments.tools import figures

        (tmp_path / "one").mkdir()
        rows.to_csv(tmp_path / "one" / "results.csv", index=False)
        for name, text in {"published": published, "peers": peers}.items():
            if text:
                (tmp_path / "one" / f"{name}.csv").write_text(text)
        (tmp_path / "index.yaml").write_text(f"one: {{{entry}}}")
        saved = []
        monkeypatch.setattr(figures, "save", lambda figure, path, caption: saved.append(figure))
        return saved, figures.draw_results(tmp_path / "one", tmp_path)

    return lambda *given, **more: (lambda saved, caption: (*saved, caption))(*draw(*given, **more))


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


def test_a_figure_has_its_title_and_its_captions_stands_on_the_page(tmp_path, monkeypatch):
    from experiments.tools import figures

    folder = tmp_path / "one"
    folder.mkdir()
    rows(0, 1, 2, alpha=[0.1]).to_csv(folder / "results.csv", index=False)
    (folder / "figure.png").touch()
    image = "# A\n\n![scores](figure.png)\n\n"
    (folder / "README.md").write_text(f"{image}<!-- caption figure.png -->\n<!-- end -->\n\nB\n")
    (tmp_path / "index.yaml").write_text("one: {title: It learns, scores: training}")
    titles = []
    monkeypatch.setattr(figures, "save", lambda figure, path, caption: titles.append(figure.get_suptitle()))
    figures.main(home=tmp_path)
    assert titles == ["It learns"]
    page = (folder / "README.md").read_text()
    start, _, rest = page.partition("<!-- caption figure.png -->\n\n*")
    assert start == image
    assert rest.startswith("Seeds 3. Points and curves are means over seeds")
    assert rest.endswith("*\n\n<!-- end -->\n\nB\n")
    figures.main(home=tmp_path)
    assert (folder / "README.md").read_text() == page


def test_every_figure_has_a_title_and_a_caption():
    """The title in twelve words or fewer, the caption between its marks below the image."""
    from experiments.tools.index import entry_of

    for page in sorted((ROOT / "experiments").glob("*/README.md")):
        for image in re.findall(r"!\[.*?\]\((.*?)\)", page.read_text()):
            assert f"({image})\n\n<!-- caption {image} -->\n\n*" in page.read_text(), page
            figure = page.parent / image
            name = "title" if figure.stem == "figure" else f"title_{figure.stem}"
            assert 2 < len(entry_of(figure.parent.name)[name].split()) <= 12, page


def test_captions_on_pages_are_those_of_the_figures(monkeypatch):
    from experiments.tools import figures

    monkeypatch.setattr(figures, "save", lambda figure, path, caption: None)
    for folder in sorted(path.parent for path in (ROOT / "experiments").rglob("figure.png")):
        draw = figures._figures(folder, ROOT / "experiments")["figure.png"]
        if isinstance(draw, partial):  # no figure of its own, of which the test is below
            page = next(home / "README.md" for home in (folder, folder.parent) if (home / "README.md").exists())
            assert f"*{draw(folder)}*" in page.read_text(), folder


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


def test_the_index_says_what_a_figure_shows(drawn):
    table = rows(0, 1, alpha=[0.1, 0.5]).assign(greedy_mean=9.0, moves_per_second=[1e6, 2e6, 3e6, 4e6])
    figure, _ = drawn(table, entry="scores: moves_per_second, curves: none")
    assert [axes.get_ylabel() for axes in figure.axes] == ["moves per second of training"]
    assert scores(figure.axes[0]) == [1e6, 2e6, 3e6, 4e6]


def test_scores_may_be_those_of_the_last_games_of_training(drawn):
    """So that published means of training can be marked beside them."""
    table = rows(0, 1, alpha=[0.1, 0.5]).assign(greedy_mean=9.0)
    figure, _ = drawn(table, "source,alpha,mean_2k\nsome,0.5,6\n", "scores: training, curves: none")
    (axes,) = figure.axes
    assert axes.get_ylabel() == "mean score in training,\ngame 2,000"
    assert scores(axes) == [7, 8, 9, 10]
    assert [mark[:2] for mark in marks(axes)] == [(0.5, 6)]


def test_scores_may_be_distances_from_optimal_play(drawn):
    table = rows(0, 1, alpha=[0.1, 0.5]).assign(expected=[30.0, 32, 39, 39], gap=[10.0, 8, 1, 1])
    figure, _ = drawn(table, entry="scores: gap")
    assert figure.axes[0].get_ylabel() == "optimum minus expected score"
    assert scores(figure.axes[0]) == [1, 1, 8, 10]


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
    from experiments.tools.index import folders, read_index
    from experiments.tools.tables import matching, read_table

    for name, entry in read_index().items():
        if "rows" in entry:
            table = read_table(folders()[name] / "results.csv")
            named = [matching(table, row["setting"].split()).index for row in entry["rows"]]
            assert sorted(place for part in named for place in part) == list(range(len(table))), name


@pytest.mark.parametrize(("along", "places"), [("episodes", [1000, 2000]), ("moves", [3e6, 7e6]), ("seconds", [2, 4])])
def test_curves_go_by_what_the_index_says(drawn, along, places):
    """Others have their place by moves, too, where they say so, but none by seconds, which are of other machines."""
    table = rows(0, 1, 2, alpha=[0.1]).assign(moves_1k=3e6, moves_2k=7e6, seconds_1k=2.0, seconds_2k=4.0)
    peers = "program,alpha,seed,mean_2k,moves_2k\nP,0.1,0,6,2e6\nP,0.1,1,8,4e6\n"
    figure, _ = drawn(table, "source,alpha,mean_2k\nsome,0.1,6\n", f"scores: training, curves: {along}", peers)
    curves = figure.axes[1]
    assert curves.get_xlabel() == f"{along} of training"
    assert curves.lines[0].get_xdata().tolist() == places
    assert [mark[:2] for mark in marks(curves)] == {"episodes": [(2000, 6)]}.get(along, [])
    assert [mark[:2] for mark in marks(curves, "D")] == {"episodes": [(2000, 7)], "moves": [(3e6, 7)]}.get(along, [])


def test_budgets_have_a_figure_of_their_own(monkeypatch, tmp_path):
    from experiments.tools import curve, figures

    (tmp_path / "one").mkdir()
    rows(0, alpha=[0.1]).to_csv(tmp_path / "one" / "results.csv", index=False)
    (tmp_path / "index.yaml").write_text("one: {curves: budgets}")
    drawn = []
    monkeypatch.setattr(curve, "draw", drawn.append)
    figures.main(home=tmp_path)
    assert drawn == [tmp_path / "one"]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("curve: none", "one: curve is not allowed: title, title_growth, title_reach, names, rows, axis, "),
        ("curves: no", "one: curves: False is not allowed: episodes, moves, seconds, none, budgets"),
        ("scores: speed", "one: scores: speed is not allowed: points, moves_per_second, training, gap"),
    ],
)
def test_an_index_with_what_none_may_have_is_refused(tmp_path, entry, message):
    from experiments.tools.index import read_index
    from experiments.tools.tables import TableError

    (tmp_path / "index.yaml").write_text(f"one: {{{entry}}}")
    with pytest.raises(TableError, match=f"index.yaml: {message}"):
        read_index(tmp_path)


FIGURES = {
    "baselines": "figure", "published_dqn": "figure", "replicas": "figure", "values": "figure",
    "fib_learners": "figure", "learners_seconds": "figure", "variants": "figure", "best_parts": "figure",
    "curve": "figure", "fib_best": "figure", "tc5_8x6": "reach", "stability": "growth",
}  # fmt: skip
"""Experiments that draw a figure themselves, and its name."""


@pytest.fixture
def own_figure(monkeypatch):
    """The figure that an experiment draws itself of the files of a folder, and its caption."""
    from experiments.tools import drawing, figures

    def draw(folder, name="figure"):
        saved = []
        monkeypatch.setattr(drawing, "save", lambda figure, path: saved.append(figure))
        home = ROOT / "experiments" if folder.is_relative_to(ROOT) else folder.parent
        caption = figures._figures(folder, home)[f"{name}.png"](folder)
        return saved[0], caption

    return draw


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_of_its_own_has_a_title_and_speaks_in_words(own_figure, name):
    from experiments.tools.index import entry_of, folders

    folder = folders()[name]
    figure, caption = own_figure(folder, FIGURES[name])
    assert figure.get_suptitle() == entry_of(name)["title" if FIGURES[name] == "figure" else f"title_{FIGURES[name]}"]
    assert len(figure.get_suptitle().split()) <= 12
    assert 10 < len(caption.split()) <= 40
    if (folder / f"{FIGURES[name]}.png").exists():  # a page shows it
        page = next(home / "README.md" for home in (folder, folder.parent) if (home / "README.md").exists())
        assert f"*{caption}*" in page.read_text()
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
    (tmp_path / "index.yaml").write_text("one: {curves: budgets}")
    right = own_figure(tmp_path / "one")[0].axes[1]
    (bars,) = right.containers
    assert np.nanmin(bars.lines[0].get_ydata()) == np.nanmax(bars.lines[0].get_ydata()) == 101
    assert right.collections[0].get_offsets()[:, 1].tolist() == [100, 101, 102, 1000, 1001]
