"""Axes that hold runs against each other show the numbers of their frames."""

import pandas as pd
import pytest
from matplotlib.figure import Figure

from tdl.results import plots
from tdl.results.figures import sweep_figure


@pytest.fixture
def axes():
    return Figure().subplots()


def table(**columns):
    """Runs with means 10, 20, 30 ... and what is needed of the other columns."""
    frame = pd.DataFrame(columns)
    frame["eval_mean"] = [10.0 * (i + 1) for i in range(len(frame))]
    return frame.assign(run=[f"run{i}" for i in range(len(frame))], moves_per_second=1e6, status="finished")


SWEEP = {"alpha": [0.1, 0.1, 0.5, 0.5] * 2, "seed": [0, 1] * 4, "tuples": ["4x6"] * 4 + ["8x6"] * 4}


def labels(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def test_scores_against_a_number(axes):
    frame = table(**SWEEP)
    plots.draw_scores(axes, frame, ["alpha", "tuples"])
    assert (axes.get_xlabel(), axes.get_xscale()) == ("alpha", "linear")
    lines = [list(line.get_ydata()) for line in axes.lines if len(line.get_xdata()) == 2]
    assert lines == [[15.0, 35.0], [55.0, 75.0]]  # means over seeds
    assert sorted(y for part in axes.collections[-1:] for _, y in part.get_offsets()) == frame["eval_mean"].tolist()
    assert labels(axes) == ["4x6", "8x6"]
    assert axes.get_ylim()[0] == 0


def test_numbers_far_apart_are_logarithmic(axes):
    plots.draw_scores(axes, table(alpha=[0.01, 0.1, 1.0], seed=[0, 0, 0]), ["alpha"])
    assert axes.get_xscale() == "log"


def test_scores_against_names_and_three_keys(axes):
    frame = table(**SWEEP | {"learner": ["td", "tc"] * 4, "seed": [0] * 8})
    plots.draw_scores(axes, frame, plots.ordered(frame, ["learner", "tuples", "alpha"]))
    assert axes.get_xlabel() == "alpha"  # the number
    assert {"4x6", "8x6", "td", "tc", "learner", "tuples"} == set(labels(axes))


def test_a_key_that_some_runs_lack_has_a_place_for_them(axes):
    """As the step size of an agent that has none."""
    frame = table(alpha=[10.0, 2.0, None], seed=[0, 0, 0])
    plots.draw_scores(axes, frame, ["alpha"])
    assert [text.get_text() for text in axes.get_xticklabels()] == ["2", "10", "null"]
    assert sorted(y for part in axes.collections[-1:] for _, y in part.get_offsets()) == [10.0, 20.0, 30.0]


def test_seeds_alone_are_dots(axes):
    plots.draw_scores(axes, table(seed=[5, 3]), [])
    assert axes.get_xlabel() == "seed"
    assert not [line for line in axes.lines if len(line.get_xdata())]


def test_paths_are_named_by_their_last_part(axes):
    plots.draw_scores(axes, table(checkpoint=["/a/one", "/a/two/checkpoint"], seed=[0, 0]), ["checkpoint"])
    assert [text.get_text() for text in axes.get_xticklabels()] == ["one", "two"]


def test_scores_of_the_last_block_where_there_are_no_games_after_training():
    blocks = pd.DataFrame({"run": ["run0", "run0", "run1"], "mean": [1.0, 2.0, 3.0]})
    frame = table(seed=[0, 1]).assign(eval_mean=float("nan"))
    assert plots.scored(frame, blocks)["eval_mean"].tolist() == [2.0, 3.0]
    assert plots.scored(table(seed=[0, 1]), blocks)["eval_mean"].tolist() == [10.0, 20.0]


def test_unfinished_runs_have_no_score():
    blocks = pd.DataFrame({"run": ["run0", "run1"], "mean": [1.0, 2.0]})
    for frame in (table(seed=[0, 1]), table(seed=[0, 1]).assign(eval_mean=float("nan"))):
        assert plots.scored(frame.assign(status=["interrupted", "finished"]), blocks)["run"].tolist() == ["run1"]


def curves(settings):
    rows = [
        (f"run{i}", seed, setting, episode, 10.0 * i + episode)
        for i, (setting, seed) in enumerate((s, k) for s in range(settings) for k in (0, 1))
        for episode in (1, 2)
    ]
    return pd.DataFrame(rows, columns=["run", "seed", "alpha", "episode", "mean"])  # fmt: skip


def test_curves_of_settings(axes):
    plots.draw_curves(axes, curves(2), ["alpha"])
    assert [list(line.get_ydata()) for line in axes.lines[:2]] == [[6.0, 7.0], [26.0, 27.0]]
    assert labels(axes) == ["0", "1"]
    assert axes.get_legend().get_title().get_text() == "alpha"


def test_many_settings_are_curves_of_the_first_two_keys(axes):
    frame = curves(20).assign(gamma=lambda f: f["alpha"] % 4, size=lambda f: f["alpha"] % 2)
    plots.draw_curves(axes, frame, ["alpha", "gamma", "size"])
    assert axes.get_legend() is None
    fewer = frame.assign(alpha=frame["alpha"] % 3, size=frame["alpha"])
    axes.clear()
    plots.draw_curves(axes, fewer, ["alpha", "gamma", "size"])
    assert len(labels(axes)) == 12
    assert plots.setting_of(fewer, ["alpha", "gamma", "size"]).nunique() == 20  # for tables


def test_reach_rates(axes):
    frame = table(alpha=[0.1, 0.5], seed=[0, 0], eval_reach_64=[1.0, 1.0], eval_reach_128=[0.5, 0.75],
                  eval_reach_256=[0.0, 0.25], eval_reach_512=[0.0, 0.0])  # fmt: skip
    plots.draw_reach(axes, frame, ["alpha"])
    assert [text.get_text() for text in axes.get_xticklabels()] == ["128", "256"]
    assert [list(line.get_ydata()) for line in axes.lines[:2]] == [[0.5, 0.0], [0.75, 0.25]]


def test_distributions_of_games(axes):
    games = pd.DataFrame({"score": [10, 20, 20, 30] * 2, "alpha": [0.1] * 4 + [0.5] * 4})
    plots.draw_distributions(axes, games, ["alpha"])
    assert labels(axes) == ["0.1", "0.5"]
    assert axes.get_xlabel() == "score of a game"


def test_heat_map(axes):
    plots.draw_heat(axes, table(**SWEEP), ["alpha", "tuples"])
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("alpha", "tuples")
    assert sorted(float(text.get_text()) for text in axes.texts) == [15.0, 35.0, 55.0, 75.0]


def test_heat_map_of_keys_without_a_value(axes):
    plots.draw_heat(axes, table(alpha=[0.1, 0.5] * 2, schedule=[None, None, "halving:5", "halving:5"]),
                    ["alpha", "schedule"])  # fmt: skip
    assert {text.get_text() for text in axes.get_yticklabels()} == {"null", "halving:5"}
    assert sorted(float(text.get_text()) for text in axes.texts) == [10.0, 20.0, 30.0, 40.0]


def test_speeds(axes):
    plots.draw_speed(axes, table(**SWEEP), ["tuples"])
    assert [text.get_text() for text in axes.get_yticklabels()] == ["4x6", "8x6"]


def test_figure_of_a_sweep():
    frame = table(alpha=[0, 0, 1, 1], seed=[0, 1, 0, 1])
    assert len(sweep_figure(frame, curves(2)).axes) == 2
    assert len(sweep_figure(frame, curves(2).query("episode == 1")).axes) == 1
    assert len(sweep_figure(frame, pd.DataFrame()).axes) == 1
    unfinished = frame.assign(status="interrupted")
    assert [axes.get_title() for axes in sweep_figure(unfinished, curves(2)).axes] == ["learning curves"]
    assert sweep_figure(unfinished, pd.DataFrame()) is None
