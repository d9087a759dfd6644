"""Axes that hold runs against each other show the numbers of their frames."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import tdl.results
from tdl.results import plots
from tdl.results.design import is_upright, scale_of, with_scores
from tdl.results.style import BLUE, VERMILION
from tdl.statistics.intervals import mean_interval


@pytest.fixture
def axes():
    return Figure().subplots()


def table(**columns):
    """Runs with means 10, 20, 30 ... and what is needed of the other columns."""
    frame = pd.DataFrame(columns)
    frame["eval_mean"] = [10.0 * (i + 1) for i in range(len(frame))]
    return frame.assign(run=[f"run{i}" for i in range(len(frame))], status="finished", episodes=2.0)


SWEEP = {"alpha": [0.1] * 3 + [0.5] * 3, "seed": [0, 1, 2] * 2}
"""Two settings of three seeds: 10, 20, 30 and 40, 50, 60."""


def labels(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def ticks(axis):
    return [text.get_text() for text in axis.get_ticklabels()]


def means(axes):
    """The scores of the points that have an interval, from left to right."""
    points = [point for line in axes.lines if line.get_marker() == "o" for point in line.get_xydata()]
    return [y for _, y in sorted(map(tuple, points)) if not np.isnan(y)]


def bars(axes):
    """Low and high of each upright bar, from left to right."""
    upright = [line.get_xydata() for line in axes.lines if len(line.get_xdata()) == 2 and line.get_marker() != "o"]
    found = sorted((x, low, high) for (x, low), (other, high) in upright if x == other and not np.isnan(low))
    return [pytest.approx(bounds) for _, *bounds in found]


def dots(axes, *, faint):
    """The scores of single runs: those beside a mean, or those that stand for themselves."""
    parts = [
        part for part in axes.collections if part.get_label() != "_failed" and (part.get_alpha() == 0.35) == faint
    ]
    return sorted(y for part in parts for _, y in part.get_offsets())


def test_scores_against_step_sizes(axes):
    frame = table(**SWEEP)
    plots.draw_scores(axes, frame, ["alpha"])
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("step size alpha", "mean score after training")
    assert (axes.get_xscale(), ticks(axes.xaxis), list(axes.get_xticks())) == ("log", ["0.1", "0.5"], [0.1, 0.5])
    assert means(axes) == [20, 50]
    assert bars(axes) == tdl.results.means(frame, "alpha")[["low", "high"]].to_numpy().tolist()
    assert dots(axes, faint=True) == frame["eval_mean"].tolist()
    assert dots(axes, faint=False) == []
    assert axes.get_ylim()[0] == 0


@pytest.mark.parametrize("means_of_runs", [[10, 20], [10, 11, 30, 31, 32]], ids=["fewer than three", "two groups"])
def test_where_a_mean_would_mislead_each_run_stands_for_itself(axes, means_of_runs):
    frame = table(tuples=["4x6"] * len(means_of_runs)).assign(eval_mean=np.array(means_of_runs, float))
    plots.draw_scores(axes, frame, [])
    assert means(axes) == bars(axes) == dots(axes, faint=True) == []
    assert dots(axes, faint=False) == means_of_runs


@pytest.mark.parametrize(
    ("key", "values", "scale", "words"),
    [
        ("alpha", [0.3, 0.5], "log", ["0.3", "0.5"]),
        ("lanes", [1, 2, 8], "log", ["1", "2", "8"]),
        ("lanes", [1, 2, 3], "linear", ["1", "2", "3"]),
        ("learner.td_lambda", [0.0, 0.5, 0.9], "linear", ["0", "0.5", "0.9"]),
        ("gamma", [0.9, 0.99, 0.999, 1.0], "names", ["0.9", "0.99", "0.999", "1"]),  # they would overlap
        ("tuples", ["4x6", "8x6"], "names", ["4x6", "8x6"]),
        ("alpha", [10.0, 2.0, None], "names", ["2", "10", "null"]),  # as of an agent that has none
        ("checkpoint", ["/a/one", "/a/two/checkpoint"], "names", ["one", "two"]),
    ],
)
def test_an_axis_suits_its_values(axes, key, values, scale, words):
    frame = table(**{key: values})
    plots.draw_scores(axes, frame, [key])
    assert scale_of(key, frame[key]) == scale
    upright = is_upright(frame, [key])
    assert ticks(axes.xaxis if upright else axes.yaxis) == words
    joined = [line for line in axes.lines if line.get_linestyle() == "-" and np.isfinite(line.get_ydata()).any()]
    assert len(joined) == upright  # names are not joined


def test_three_keys_are_not_pooled(axes):
    values = {"alpha": [0.1, 0.1, 0.5, 0.5] * 2, "learner": ["td", "tc"] * 4, "tuples": ["4x6"] * 4 + ["8x6"] * 4}
    frame = table(**values, seed=[0] * 8)
    keys = plots.ordered(frame, ["tuples", "learner", "alpha"])
    assert keys == ["alpha", "learner", "tuples"]
    plots.draw_scores(axes, frame, keys)
    assert dots(axes, faint=False) == frame["eval_mean"].tolist()
    assert labels(axes) == ["tc, 4x6", "tc, 8x6", "td, 4x6", "td, 8x6"]


def test_failed_runs_are_crosses_at_zero(axes):
    frame = table(alpha=[0.1, 0.1, 0.5, 0.5, 1.0], seed=[0, 1, 0, 1, 0])
    frame.loc[[3, 4], ["status", "eval_mean"]] = ["failed", None]
    plots.draw_scores(axes, frame, ["alpha"])
    crosses = [point for part in axes.collections if part.get_label() == "_failed" for point in part.get_offsets()]
    assert sorted(map(tuple, crosses)) == [(pytest.approx(0.5), 0), (pytest.approx(1), 0)]
    assert dots(axes, faint=False) == [10, 20, 30]
    assert axes.get_ylim()[0] == 0


def test_scores_are_of_the_last_block_where_there_are_no_games_after_training():
    """And of finished runs only."""
    blocks = pd.DataFrame({"run": ["run0", "run0", "run1"], "mean": [1.0, 2.0, 3.0]})
    for frame, scores in ((table(seed=[0, 1]), [10, 20]), (table(seed=[0, 1]).assign(eval_mean=np.nan), [2, 3])):
        assert with_scores(frame, blocks)["eval_mean"].tolist() == scores
        cut = with_scores(frame.assign(status=["interrupted", "finished"]), blocks)
        assert cut["eval_mean"].isna().tolist() == [True, False]


def curves(settings, seeds=3):
    """Blocks of runs that score 10, 20, ... more than the episode."""
    rows = [
        (f"run{i:02}", seed, setting, episode, 10.0 * i + episode)
        for i, (setting, seed) in enumerate((s, k) for s in range(settings) for k in range(seeds))
        for episode in (1, 2)
    ]
    return pd.DataFrame(rows, columns=["run", "seed", "alpha", "episode", "mean"]).assign(status="finished")


def lines(axes):
    return [list(line.get_ydata()) for line in axes.lines if len(line.get_ydata())]


def band(axes, number):
    """Low and high of a band, at each episode."""
    points = axes.collections[number].get_paths()[0].vertices
    return [(min(ys), max(ys)) for ys in (points[points[:, 0] == episode, 1] for episode in (1, 2))]


def test_curves_of_settings_have_bands_over_seeds(axes):
    plots.draw_curves(axes, curves(2), ["alpha"])
    assert lines(axes) == [[11, 12], [41, 42]]
    assert band(axes, 1) == [pytest.approx(mean_interval(np.array([y, y + 10, y + 20]))) for y in (31.0, 32.0)]
    assert labels(axes) == ["0", "1"]
    assert axes.get_legend().get_title().get_text() == "step size alpha"
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("episodes of training", "mean score in training")


def test_curves_of_two_seeds_or_two_groups_are_single_lines(axes):
    plots.draw_curves(axes, curves(1, seeds=2), [])
    assert lines(axes) == [[1, 2], [11, 12]]
    groups = curves(1, seeds=5)
    groups["mean"] += 100.0 * (groups["seed"] > 1)
    plots.draw_curves(other := Figure().subplots(), groups, [])
    assert (len(lines(other)), len(other.collections)) == (5, 0)


@pytest.mark.parametrize(
    ("limit", "at"), [({}, [1, 2]), ({"budget.moves": 9}, [5, 10]), ({"budget.seconds": 2.0}, [0.5, 1.0])]
)
def test_curves_go_by_what_limits_the_runs(axes, limit, at):
    plots.draw_curves(axes, curves(1).assign(moves=5, seconds=0.5, **limit), [])
    assert axes.lines[0].get_xdata().tolist() == at
    assert axes.get_xlabel().partition(" ")[0] == (next(iter(limit)).partition(".")[2] if limit else "episodes")


def test_a_mean_is_of_all_runs_everywhere(axes):
    """By seconds the runs of a setting have blocks at different places, and end at different ones."""
    frame = curves(1).assign(seconds=[1.0, 1, 1, 3, 1, 2], **{"budget.seconds": 3.0})
    plots.draw_curves(axes, frame, [])
    assert axes.lines[0].get_xdata().tolist() == [1, 2]
    assert lines(axes) == [pytest.approx([11, 11 + (1 + 1 / 3 + 1 / 2) / 3])]


def test_a_failed_run_is_in_no_mean_and_its_curve_ends_with_a_cross(axes):
    frame = curves(1, seeds=4).assign(status=["finished"] * 6 + ["failed"] * 2)
    plots.draw_curves(axes, frame, [])
    assert lines(axes) == [[11, 12], [31, 32]]
    (cross,) = [part for part in axes.collections if part.get_label() == "_failed"]
    assert cross.get_offsets().tolist() == [[2, 32]]


def test_of_too_many_settings_the_best_of_each_colour_are_drawn_and_the_title_says_so(axes):
    frame = curves(20, seeds=1)
    plots.draw_curves(axes, frame, ["alpha"])
    assert axes.get_title() == "the 9 best of 20 settings"
    assert labels(axes) == [str(i) for i in range(11, 20)]
    frame["learner"] = ["td" if alpha % 2 else "tc" for alpha in frame["alpha"]]
    plots.draw_curves(other := Figure().subplots(), frame, ["alpha", "learner"])
    assert other.get_title() == "the 2 best of 20 settings, one for each learner"
    assert sorted(map(max, lines(other))) == [182, 192]


def test_where_colours_do_not_tell_settings_apart_dashes_do(axes):
    frame = curves(4).assign(learner=lambda f: ["td" if alpha % 2 else "tc" for alpha in f["alpha"]])
    plots.draw_curves(axes, frame.assign(alpha=frame["alpha"] // 2), ["alpha", "learner"])
    looks = {(to_hex(line.get_color()), line.get_linestyle()) for line in axes.lines if len(line.get_ydata())}
    assert {colour for colour, _ in looks} == {BLUE.lower(), VERMILION.lower()}
    assert len(looks) == 4
    assert labels(axes) == ["learner", "tc", "td", "step size alpha", "0", "1"]


def test_reach_rates(axes):
    frame = table(alpha=[0.1] * 3 + [0.5], seed=[0, 1, 2, 0], eval_reach_64=[1.0] * 4,
                  eval_reach_128=[0.25, 0.5, 0.75, 0.75], eval_reach_256=[0.0, 0.0, 0.75, 0.25],
                  eval_reach_512=[0.0] * 4)  # fmt: skip
    plots.draw_reach(axes, frame, ["alpha"])
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("tile", "games that reached the tile")
    assert ticks(axes.xaxis) == ["128", "256"]
    assert means(axes) == [0.5, 0.25]
    assert dots(axes, faint=False) == [0.25, 0.75]
    assert labels(axes) == ["0.1", "0.5"]


def test_distributions_are_boxes_the_best_above(axes):
    games = pd.DataFrame({"score": [30, 20, 20, 10, 60, 50, 50, 40], "alpha": [0.1] * 4 + [0.5] * 4})
    plots.draw_distributions(axes, games, ["alpha"])
    assert ticks(axes.yaxis) == ["0.5", "0.1"]
    low, high = axes.get_ylim()
    assert low > high  # so that the first is above
    means = [(*line.get_ydata(), *line.get_xdata()) for line in axes.lines if line.get_marker() == "o"]
    assert sorted(means) == [(0, 50), (1, 20)]
    assert (axes.get_xlabel(), axes.get_xlim()[0]) == ("score of a game", 0)
