"""The figure of a sweep: its panels, its text, and the files it is written to."""

import io
from itertools import product
from xml.etree import ElementTree

import pandas as pd
import pytest
from matplotlib.colors import to_hex

from tdl.results.figures import curve
from tdl.results.palette import BLUE, VERMILION
from tdl.results.style import write
from tdl.results.sweep_figure import sweep_figure, sweep_panels

FIXED = {
    "game": "2048",
    "size": "4x4",
    "agent": "ntuple",
    "evaluate.episodes": 200,
    "status": "finished",
    "episodes": 4.0,
}


def sweep(seeds=2, **keys):
    """Runs with all combinations of some values, and their blocks."""
    rows = [dict(zip([*keys, "seed"], values, strict=True)) for values in product(*keys.values(), range(seeds))]
    table = pd.DataFrame(rows).assign(run=[f"run{i}" for i in range(len(rows))], **FIXED)
    table["eval_mean"] = [100.0 + i for i in range(len(rows))]
    blocks = pd.concat(
        [table.drop(columns="eval_mean").assign(episode=e, mean=10.0 * e + table.index) for e in (2, 4)]
    )
    return table, blocks.sort_values(["run", "episode"], kind="stable", ignore_index=True)


def fail(table, blocks, chosen, error="learning diverged: ..."):
    table.loc[chosen, ["status", "error", "eval_mean"]] = ["failed", error, None]
    blocks["status"] = blocks["run"].map(table.set_index("run")["status"])
    return table, blocks


def panels(figure):
    """The axes of scores and those of curves."""
    axes = [axes for axes in figure.axes if axes.lines or axes.collections]
    of_curves = [one for one in axes if any(len(line.get_xdata()) == 2 and list(line.get_xdata()) == [2, 4]
                                            for line in one.lines)]  # fmt: skip
    return [one for one in axes if one not in of_curves], of_curves


def text(figure):
    return " ".join(figure.get_supxlabel().split())


def legend(figure):
    texts, lines = figure.legends[0].get_texts(), figure.legends[0].get_lines()
    return {text.get_text(): to_hex(line.get_color()) for text, line in zip(texts, lines, strict=True)}


def test_one_key_has_two_panels_in_the_same_colours():
    figure = sweep_figure(*sweep(alpha=[0.1, 0.3, 1.0]))
    (scores,), (curves,) = panels(figure)
    of_points = [to_hex(bar.lines[0].get_color()) for bar in scores.containers]
    of_lines = [to_hex(line.get_color()) for line in curves.lines]
    assert of_points == of_lines == list(legend(figure).values())
    assert len(set(of_lines)) == 3


def test_a_learner_has_its_colour_in_all_panels():
    figure = sweep_figure(*sweep(learner=["td", "tc"], alpha=[0.1, 0.3, 1.0]))
    scores, curves = panels(figure)
    assert (len(scores), len(curves)) == (1, 3)
    assert legend(figure) == {"tc": VERMILION.lower(), "td": BLUE.lower()}
    assert [axes.get_title() for axes in curves] == ["alpha 0.1", "alpha 0.3", "alpha 1"]
    for axes in (*scores, *curves):
        assert {to_hex(line.get_color()) for line in axes.lines} == set(legend(figure).values())


def test_further_keys_have_panels_of_their_own():
    figure = sweep_figure(*sweep(learner=["td", "tc"], alpha=[0.1, 1.0], tuples=["4x6", "8x6"]))
    scores, curves = panels(figure)
    assert [axes.get_title() for axes in scores] == ["tuples 4x6", "tuples 8x6"]
    assert [len(axes.containers) for axes in scores] == [4, 4]
    assert [len(axes.lines) for axes in curves] == [2] * 4
    assert [axes.get_title() for axes in curves] == ["alpha 0.1", "alpha 1", "", ""]
    assert [axes.get_ylabel().split("\n")[0] for axes in curves] == ["tuples 4x6", "", "tuples 8x6", ""]
    assert len({axes.get_ylim() for axes in scores}) == len({axes.get_ylim() for axes in curves}) == 1


def test_panels_are_told_in_the_order_of_the_axes():
    """Each with what its axes show: as many runs as faint dots, as many settings as lines."""
    table, blocks = sweep(learner=["td", "tc"], alpha=[0.1, 1.0], stored=[False, True])
    table = table[table["stored"] | (table["learner"] == "td")]
    given = table, blocks[blocks["run"].isin(table["run"])], ["alpha", "learner", "stored"]
    axes, (scores, curves) = sweep_figure(*given).axes, sweep_panels(*given)
    assert [each.get_title() for each in axes[:2]] == ["stored false", "stored true"]
    assert [len(rows) for rows in scores] == [len(each.collections[-1].get_offsets()) for each in axes[:2]] == [4, 8]
    lines = [len(each.lines) for each in axes[2:]]
    assert [rows["learner"].nunique() for rows in curves] == lines == [1, 1, 2, 2]


def test_too_many_panels_are_said_below():
    sizes = [f"{i}x6" for i in range(10)]
    figure = sweep_figure(*sweep(learner=["td", "tc"], alpha=[0.1, 1.0], tuples=sizes))
    scores, curves = panels(figure)
    assert (len(scores), len(curves)) == (9, 9)
    assert "Of 10 combinations of tuples the 9 best." in text(figure)
    assert "Learning curves: each learner at its best alpha." in text(figure)
    assert [len(axes.lines) for axes in curves] == [2] * 9


def test_the_text_says_what_was_held_fixed_and_how():
    figure = sweep_figure(*sweep(seeds=3, alpha=[0.1, 0.3]))
    assert text(figure) == (
        "Held fixed: 2048 on 4x4; 4 episodes of training and 200 games after it in each run; n = 3 seeds. Points are "
        "means over seeds, bars their 95% intervals (Student's t), faint dots single runs; bands likewise at each "
        "block."
    )
    assert "one run each, so no intervals over seeds" in text(sweep_figure(*sweep(seeds=1, alpha=[0.1, 0.3])))


def test_curves_of_more_seeds_than_the_scores_are_said_below():
    table, blocks = sweep(seeds=2, alpha=[0.1, 0.3])
    table.loc[table["seed"] == 1, "eval_mean"] = None
    bands = "Bands: 95% intervals where curves are of several seeds (Student's t)."
    assert f"one run each, so no intervals over seeds. {bands}" in text(sweep_figure(table, blocks))
    assert "Bands" not in text(sweep_figure(*sweep(seeds=1, alpha=[0.1, 0.3])))


def test_a_key_that_follows_from_the_learner_is_said_below():
    table, blocks = sweep(learner=["td", "tc"])
    step = {"td": 0.1, "tc": 1.0}
    figure = sweep_figure(
        table.assign(alpha=table["learner"].map(step)), blocks.assign(alpha=blocks["learner"].map(step))
    )
    assert panels(figure)[0][0].get_xlabel() == "learner"
    assert "alpha goes with learner (td, alpha 0.1; tc, alpha 1)." in text(figure)


def test_what_diverged_is_marked_and_counted():
    table, blocks = sweep(learner=["td", "tc"], alpha=[0.1, 1.0])
    chosen = (table["learner"] == "td") & (table["alpha"] == 1.0)
    figure = sweep_figure(*fail(table, blocks, chosen))
    (scores,), curves = panels(figure)
    crosses = [line for line in scores.lines if line.get_gid() == "failed"]
    assert [to_hex(line.get_color()) for line in crosses] == [BLUE.lower()]
    assert [sum(line.get_gid() == "failed" for line in axes.lines) for axes in curves] == [0, 2]
    assert "diverged" in legend(figure)
    assert "Crosses: 2 of 8 runs diverged; they are in no mean." in text(figure)


def test_a_single_run_has_the_interval_of_its_games():
    table, blocks = sweep(seeds=1, alpha=[0.1, 0.3])
    table = table.assign(eval_low=table["eval_mean"] - 2, eval_high=table["eval_mean"] + 3)
    figure = sweep_figure(table, blocks)
    bars = [bar.lines[2][0].get_segments()[0][:, 1].tolist() for bar in panels(figure)[0][0].containers]
    assert bars == table[["eval_low", "eval_high"]].to_numpy().tolist()
    assert "no intervals over seeds. Bars: 95% intervals over games." in text(figure)


def test_jobs_that_never_began_are_counted_and_stretch_no_axis():
    table, blocks = sweep(alpha=[0.1, 0.3])
    refused = pd.DataFrame(
        {"run": ["no"], "alpha": [-1.0], "seed": [0], "status": ["failed"], "error": ["alpha: ..."]}
    )
    figure = sweep_figure(pd.concat([table, refused], ignore_index=True), blocks)
    assert list(panels(figure)[0][0].get_xticks()) == [0.1, 0.3]
    assert "1 more failed before its first game." in text(figure)


def test_panels_there_is_nothing_for_are_left_out():
    table, blocks = sweep(alpha=[0.1, 0.3])
    assert [len(axes) for axes in panels(sweep_figure(table, blocks))] == [1, 1]
    assert len(sweep_figure(table, blocks.query("episode == 2")).axes) == 1
    assert len(sweep_figure(table, pd.DataFrame()).axes) == 1
    unfinished = table.assign(status="interrupted")
    assert [len(axes) for axes in panels(sweep_figure(unfinished, blocks))] == [0, 1]
    assert sweep_figure(unfinished, pd.DataFrame()) is None


@pytest.mark.parametrize("keys", [{}, {"tuples": ["a", "b"]}, {"learner": ["td", "tc"], "gamma": [0.9, 1.0]}])
def test_an_svg_is_the_same_each_time_with_its_text_as_text(keys):
    drawn = []
    for _ in range(2):
        file = io.BytesIO()
        write(sweep_figure(*sweep(**keys)), file, "svg")
        drawn.append(file.getvalue())
    assert drawn[0] == drawn[1]
    words = [element.text for element in ElementTree.fromstring(drawn[0]).iter("{http://www.w3.org/2000/svg}text")]
    assert "mean score after training" in words


def test_the_curve_of_a_run_marks_the_games_after_training():
    frame = pd.DataFrame({"episode": [1, 2], "mean": [5.0, 6.0], "max": [9, 9], "reach_64": [0.5, 0.6], "seed": 0})
    run = {"eval_mean": 7.0, "eval_low": 6.5, "eval_high": 8.0, "eval_reach_64": 0.5, "evaluate.episodes": 100}
    score, reached = curve(frame, run).axes
    for axes, mean in ((score, 7.0), (reached, 0.5)):
        (bar,) = axes.containers
        assert bar.lines[0].get_xydata().tolist() == [[pytest.approx(2.08), mean]]
    assert score.containers[0].lines[2][0].get_segments()[0][:, 1].tolist() == [6.5, 8.0]
    assert "100 games without learning" in " ".join(curve(frame, run).get_supxlabel().split())
    assert not curve(frame).axes[0].containers
