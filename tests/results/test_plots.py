"""Axes that hold runs against each other show the numbers of their frames."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from tdl.results import plots
from tdl.results.palette import colours, tile_colour
from tdl.statistics.intervals import mean_interval


@pytest.fixture
def axes():
    return Figure().subplots()


def table(**columns):
    """Runs with means 10, 20, 30 ... and what is needed of the other columns."""
    frame = pd.DataFrame(columns)
    frame["eval_mean"] = [10.0 * (i + 1) for i in range(len(frame))]
    runs = [f"run{i}" for i in range(len(frame))]
    return frame.assign(run=runs, moves_per_second=1e6, status="finished", episodes=2.0)


SWEEP = {"alpha": [0.1, 0.1, 0.5, 0.5] * 2, "seed": [0, 1] * 4, "tuples": ["4x6"] * 4 + ["8x6"] * 4}


def labels(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def ticks(axes):
    return [text.get_text() for text in axes.get_xticklabels()]


def dots(axes):
    """The scores of the single runs that are drawn."""
    return sorted(y for part in axes.collections[-1:] for _, y in part.get_offsets())


def bars(axes):
    """Mean, low and high of each point, from left to right."""
    found = []
    for bar in axes.containers:
        (x, mean), (segment,) = (
            bar.lines[0].get_xydata()[0],
            bar.lines[2][0].get_segments() or [np.full((2, 2), np.nan)],
        )
        found.append((x, mean, segment[0][1], segment[1][1]))
    return [pytest.approx(row[1:], nan_ok=True) for row in sorted(found)]


def test_scores_against_step_sizes(axes):
    frame = table(**SWEEP)
    plots.draw_scores(axes, frame, ["alpha", "tuples"])
    assert (axes.get_xlabel(), axes.get_xscale()) == ("alpha", "log")
    assert (ticks(axes), list(axes.get_xticks()), list(axes.get_xticks(minor=True))) == (
        ["0.1", "0.5"],
        [0.1, 0.5],
        [],
    )
    assert bars(axes) == [(y + 5, *np.clip(mean_interval(np.array([y, y + 10.0])), 0, None)) for y in (10, 50, 30, 70)]
    assert [list(line.get_ydata()) for line in axes.lines if line.get_alpha()] == [[15.0, 35.0], [55.0, 75.0]]
    assert dots(axes) == frame["eval_mean"].tolist()
    assert labels(axes) == ["4x6", "8x6"]
    assert axes.get_ylim()[0] == 0


def test_a_single_seed_has_no_bar(axes):
    plots.draw_scores(axes, table(alpha=[0.1, 0.3], seed=[0, 0]), ["alpha"])
    assert [bar.has_yerr for bar in axes.containers] == [False, False]


@pytest.mark.parametrize(
    ("key", "values", "scale", "spread"),
    [
        ("alpha", [0.3, 0.5], "log", True),
        ("lanes", [1, 2, 8], "log", True),
        ("lanes", [1, 2, 3], "linear", True),
        ("learner.td_lambda", [0.0, 0.5, 0.9], "linear", True),
        ("gamma", [0.9, 0.99, 0.999, 1.0], "linear", False),  # their names would overlap
        ("tuples", ["4x6", "8x6"], "linear", False),
    ],
)
def test_an_axis_suits_its_values(axes, key, values, scale, spread):
    plots.draw_scores(axes, table(**{key: values}, seed=[0] * len(values)), [key])
    assert axes.get_xscale() == scale
    assert list(axes.get_xticks()) == (pytest.approx(values) if spread else list(range(len(values))))
    assert ticks(axes) == [f"{value:g}" if isinstance(value, float) else str(value) for value in values]


def test_names_are_not_joined_by_lines(axes):
    plots.draw_scores(axes, table(tuples=["4x6", "8x6"], seed=[0, 0]), ["tuples"])
    assert all(len(line.get_xdata()) == 1 for line in axes.lines)


def test_three_keys_are_not_pooled(axes):
    frame = table(**SWEEP | {"learner": ["td", "tc"] * 4, "seed": [0] * 8})
    keys = plots.ordered(frame, ["tuples", "learner", "alpha"])
    assert keys == ["alpha", "learner", "tuples"]
    plots.draw_scores(axes, frame, keys)
    assert len(axes.containers) == 8
    assert labels(axes) == ["tc, 4x6", "tc, 8x6", "td, 4x6", "td, 8x6"]


def test_failed_runs_are_marked_below_all_scores(axes):
    frame = table(alpha=[0.1, 0.1, 0.5, 0.5, 1.0], seed=[0, 1, 0, 1, 0])
    frame.loc[[3, 4], ["status", "eval_mean"]] = ["failed", None]
    plots.draw_scores(axes, frame, ["alpha"])
    crosses = [line for line in axes.lines if line.get_gid() == "failed"]
    assert sorted(line.get_xdata()[0] for line in crosses) == pytest.approx([0.5, 1.0])
    assert [text.get_text() for text in axes.texts] == ["1 of 2"]
    assert axes.get_ylim()[0] < 0
    assert dots(axes) == [10.0, 20.0, 30.0]


def test_a_key_that_some_runs_lack_has_a_place_for_them(axes):
    """As the step size of an agent that has none."""
    plots.draw_scores(axes, table(alpha=[10.0, 2.0, None], seed=[0, 0, 0]), ["alpha"])
    assert ticks(axes) == ["2", "10", "null"]
    assert dots(axes) == [10.0, 20.0, 30.0]


def test_seeds_alone_are_dots_with_the_interval_of_their_mean(axes):
    plots.draw_scores(axes, table(seed=[5, 3]), [])
    assert (axes.get_xlabel(), ticks(axes)) == ("seed", ["3", "5"])
    assert [line.get_ydata()[0] for line in axes.lines] == [15.0]
    _, high = mean_interval(np.array([10.0, 20.0]))
    assert (axes.patches[0].get_y(), axes.patches[0].get_height()) == pytest.approx((0, high))  # no score is below 0


def test_paths_are_named_by_their_last_part(axes):
    plots.draw_scores(axes, table(checkpoint=["/a/one", "/a/two/checkpoint"], seed=[0, 0]), ["checkpoint"])
    assert ticks(axes) == ["one", "two"]


def test_a_mean_of_several_runs_does_not_get_the_interval_of_one(axes):
    """Of runs that differ in a key that is not drawn: one run for each of its values has no interval over seeds."""
    frame = table(alpha=[0.1, 0.5, 0.5], learner=["td", "td", "tc"], seed=[0, 0, 0])
    frame = frame.assign(eval_low=frame["eval_mean"] - 2, eval_high=frame["eval_mean"] + 3)
    plots.draw_scores(axes, frame, ["alpha"])
    assert [bar.lines[0].get_ydata()[0] for bar in axes.containers] == [10, 25]
    assert [len(bar.lines[2]) for bar in axes.containers] == [1, 0]


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
    return pd.DataFrame(rows, columns=["run", "seed", "alpha", "episode", "mean"])


def band(axes, number):
    """Low and high of a band, at each episode."""
    points = axes.collections[number].get_paths()[0].vertices
    return [(min(ys), max(ys)) for ys in (points[points[:, 0] == episode, 1] for episode in (1, 2))]


def test_curves_of_settings_have_bands_over_seeds(axes):
    plots.draw_curves(axes, curves(2), ["alpha"])
    assert [list(line.get_ydata()) for line in axes.lines[:2]] == [[6.0, 7.0], [26.0, 27.0]]
    assert band(axes, 1) == [pytest.approx(mean_interval(np.array([y, y + 10.0]))) for y in (21.0, 22.0)]
    assert labels(axes) == ["0", "1"]
    assert axes.get_legend().get_title().get_text() == "alpha"


def test_a_failed_run_is_in_no_mean_and_its_curve_ends_with_a_cross(axes):
    frame = curves(1).assign(status=["finished"] * 2 + ["failed"] * 2)
    plots.draw_curves(axes, frame, ["alpha"])
    mean, failed, cross = axes.lines
    assert (list(mean.get_ydata()), list(failed.get_ydata())) == ([1.0, 2.0], [11.0, 12.0])
    assert (cross.get_gid(), list(cross.get_ydata())) == ("failed", [12.0])


def test_of_too_many_settings_the_best_are_drawn_and_the_title_says_so(axes):
    frame = curves(20).assign(gamma=lambda f: f["alpha"] % 4)
    plots.draw_curves(axes, frame, ["alpha", "gamma"])
    assert axes.get_title() == "the 12 best of 20 settings"
    assert labels(axes) == [f"{i}, {i % 4}" for i in range(8, 20)]


def test_reach_rates(axes):
    frame = table(alpha=[0.1, 0.1, 0.5], seed=[0, 1, 0], eval_reach_64=[1.0] * 3, eval_reach_128=[0.25, 0.5, 0.75],
                  eval_reach_256=[0.0, 0.0, 0.25], eval_reach_512=[0.0] * 3)  # fmt: skip
    plots.draw_reach(axes, frame, ["alpha"])
    assert ticks(axes) == ["128", "256"]
    assert [list(bar.lines[0].get_ydata()) for bar in axes.containers] == [[0.375, 0.0], [0.75, 0.25]]
    (low, high), _ = (segment[:, 1] for segment in axes.containers[0].lines[2][0].get_segments())
    assert (low, high) == (0.0, 1.0)  # the interval of two seeds, cut at what a share can be


def test_distributions_are_boxes_side_by_side(axes):
    games = pd.DataFrame({"score": [30, 20, 20, 10, 60, 50, 50, 40], "alpha": [0.1] * 4 + [0.5] * 4})
    plots.draw_distributions(axes, games, ["alpha"])
    assert [text.get_text() for text in axes.get_yticklabels()] == ["0.1", "0.5"]  # the best above
    assert len(axes.patches) == 2
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


def test_heat_map_of_three_keys_pools_none(axes):
    frame = table(**SWEEP | {"learner": ["td", "tc"] * 4, "seed": [0] * 8})
    plots.draw_heat(axes, frame, ["alpha", "learner", "tuples"])
    assert sorted(float(text.get_text()) for text in axes.texts) == frame["eval_mean"].tolist()


def test_speeds(axes):
    plots.draw_speed(axes, table(**SWEEP), ["tuples"])
    assert [text.get_text() for text in axes.get_yticklabels()] == ["4x6", "8x6"]


def test_a_learner_has_one_colour_whatever_it_is_compared_with():
    assert colours(["tc", "td"])["td"] == colours(["otd_tc", "tc", "td"])["td"] == colours(["td"])["td"]


@pytest.mark.parametrize("tiles", [[2**i for i in range(5, 12)], [21, 34, 55, 89, 144, 233, 377], [6, 12, 24, 48]])
def test_tiles_in_a_row_have_different_colours(tiles):
    assert len({tile_colour(tile) for tile in tiles}) == len(tiles)
