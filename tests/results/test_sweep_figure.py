"""The figure of a sweep: its panels, its title and caption."""

from itertools import product

import pandas as pd
from matplotlib.colors import to_hex

from tdl.results.style import BLUE, VERMILION
from tdl.results.sweep_figure import sweep_figure

FIXED = {"game": "2048", "size": "4x4", "agent": "ntuple", "evaluate.episodes": 200, "status": "finished",
         "episodes": 4.0}  # fmt: skip


def sweep(seeds=3, **keys):
    """Runs with all combinations of some values, of scores 100, 101, 102 ..., and their blocks."""
    rows = [dict(zip([*keys, "seed"], values, strict=True)) for values in product(*keys.values(), range(seeds))]
    table = pd.DataFrame(rows).assign(run=[f"run{i}" for i in range(len(rows))], **FIXED)
    table["eval_mean"] = [100.0 + i for i in range(len(rows))]
    blocks = pd.concat(
        [table.drop(columns="eval_mean").assign(episode=e, mean=10.0 * e + table.index) for e in (2, 4)]
    )
    return table, blocks.sort_values(["run", "episode"], kind="stable", ignore_index=True)


def fail(table, blocks, chosen, error="learning diverged: ..."):
    table["error"] = None
    table.loc[chosen, ["status", "error", "eval_mean"]] = ["failed", error, None]
    blocks["status"] = blocks["run"].map(table.set_index("run")["status"])
    return table, blocks


def legend(figure):
    (found,) = [axes.get_legend() for axes in figure.axes if axes.get_legend()]
    names = [text.get_text() for text in found.get_texts()]
    return found.get_title().get_text(), dict(zip(names, found.legend_handles, strict=True))


def title(figure):
    return figure.get_suptitle()


def test_one_key_has_two_panels_in_the_same_colours():
    figure, _ = sweep_figure(*sweep(tuples=["2x4", "4x5", "4x6"]))
    scores, curves = figure.axes
    assert (scores.get_xlabel(), scores.get_ylabel()) == ("mean score after training", "tuples")
    of_points = [to_hex(line.get_color()) for line in scores.lines if line.get_marker() == "o"]
    assert of_points == [to_hex(line.get_color()) for line in curves.lines if len(line.get_xdata())]
    assert len(set(of_points)) == 3
    assert not [axes for axes in figure.axes if axes.get_legend()]  # the axis has the names
    assert scores.get_xlim()[0] == curves.get_ylim()[0] == 0  # so that no panel makes noise look large


def test_a_learner_has_its_colour_in_all_panels():
    figure, _ = sweep_figure(*sweep(learner=["td", "tc"], alpha=[0.1, 0.3]))
    scores, curves = figure.axes
    name, handles = legend(figure)
    assert (scores.get_xlabel(), name) == ("step size alpha", "")  # the names of both keys stand in the legend
    assert [*handles] == ["learner", "tc", "td", "step size alpha", "0.1", "0.3"]
    assert {name: to_hex(handles[name].get_color()) for name in ("tc", "td")} == {
        "tc": VERMILION.lower(), "td": BLUE.lower()}  # fmt: skip
    for axes in (scores, curves):
        assert {to_hex(line.get_color()) for line in axes.lines if len(line.get_xdata())} == {
            VERMILION.lower(), BLUE.lower()}  # fmt: skip


def test_further_keys_have_rows_of_their_own_and_too_many_are_said_in_the_caption():
    figure, _ = sweep_figure(*sweep(learner=["td", "tc"], alpha=[0.1, 1.0], tuples=["4x6", "8x6"]))
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["tuples 4x6", "", "tuples 8x6", ""]
    assert [sum(len(part.get_offsets()) for part in axes.collections) for axes in figure.axes[::2]] == [12, 12]
    assert [len([line for line in axes.lines if len(line.get_xdata())]) for axes in figure.axes[1::2]] == [4, 4]
    for column in (figure.axes[::2], figure.axes[1::2]):
        assert len({(axes.get_xlim(), axes.get_ylim()) for axes in column}) == 1
        assert [bool(axes.get_xlabel()) for axes in column] == [False, True]
    sizes = [f"{i}x6" for i in range(10)]
    figure, caption = sweep_figure(*sweep(seeds=1, learner=["td", "tc"], alpha=[0.1, 1.0], tuples=sizes))
    assert len(figure.axes) == 12
    assert caption.endswith("Of 10 combinations of tuples the 6 best.")


def test_the_title_is_the_finding_or_the_question():
    table, blocks = sweep(tuples=["4x6", "8x6"])
    assert title(sweep_figure(table, blocks)[0]) == "8x6 scores most: 104 [102, 106]"
    assert title(sweep_figure(table.assign(eval_mean=[1, 2, 3] * 2), blocks)[0]) == "Which tuples?"
    assert title(sweep_figure(*sweep())[0]) == "Mean score 101 [99, 103]"


def test_the_caption_says_what_was_held_fixed_and_how():
    figure, caption = sweep_figure(*sweep(alpha=[0.1, 0.3]))
    assert caption == (
        "2048 on 4x4, episodes 4, games after training 200, 3 seeds. Points and curves are means over seeds with 95% "
        "intervals (Student's t), faint dots single runs."
    )
    assert not figure.texts[1:]  # it is no part of the picture, but for the title
    single = sweep_figure(*sweep(seeds=1, alpha=[0.1, 0.3]))[1]
    assert single == "2048 on 4x4, episodes 4, games after training 200, 1 seed."
    two = sweep_figure(*sweep(seeds=2, alpha=[0.1, 0.3]))[1]
    assert "Full dots and thin lines are single runs: of fewer than three seeds" in two


def test_a_key_that_follows_from_the_learner_is_said_in_the_caption():
    step = {"td": 0.1, "tc": 1.0}
    table, blocks = (frame.assign(alpha=frame["learner"].map(step)) for frame in sweep(learner=["td", "tc"]))
    figure, caption = sweep_figure(table, blocks)
    assert figure.axes[0].get_ylabel() == "learner"
    assert "Step size alpha goes with learner (td, alpha 0.1; tc, alpha 1)." in caption


def test_what_diverged_is_marked_and_counted():
    table, blocks = sweep(learner=["td", "tc"], alpha=[0.1, 1.0])
    chosen = (table["learner"] == "td") & (table["alpha"] == 1.0)
    figure, caption = sweep_figure(*fail(table, blocks, chosen))
    for axes in figure.axes:
        crosses = [part for part in axes.collections if part.get_label() == "_failed" and len(part.get_offsets())]
        assert {to_hex(colour) for part in crosses for colour in part.get_facecolors()} == {BLUE.lower()}
        assert sum(len(part.get_offsets()) for part in crosses) == 3
    assert "Crosses: 3 of 12 runs diverged and are in no mean." in caption


def test_jobs_that_never_began_are_counted_and_stretch_no_axis():
    table, blocks = sweep(alpha=[0.1, 0.3])
    refused = {"run": ["no"], "alpha": [-1.0], "seed": [0], "status": ["failed"], "error": ["alpha: ..."]}
    figure, caption = sweep_figure(pd.concat([table, pd.DataFrame(refused)], ignore_index=True), blocks)
    assert list(figure.axes[0].get_xticks()) == [0.1, 0.3]
    assert caption.endswith("1 more failed before its first game.")


def test_panels_there_is_nothing_for_are_left_out():
    table, blocks = sweep(alpha=[0.1, 0.3])
    assert len(sweep_figure(table, blocks)[0].axes) == 2
    assert len(sweep_figure(table, blocks.query("episode == 2"))[0].axes) == 1
    assert len(sweep_figure(table, pd.DataFrame())[0].axes) == 1
    last = sweep_figure(table.drop(columns="eval_mean"), blocks)[0].axes[0]
    assert last.get_ylabel() == "mean score of the last block"
    cut = {"status": "interrupted"}
    figure, caption = sweep_figure(table.assign(**cut), blocks.assign(**cut))
    assert [axes.get_xlabel() for axes in figure.axes] == ["episodes of training"]
    assert caption.endswith("6 interrupted: curve only.")
    assert sweep_figure(table.assign(**cut), pd.DataFrame()) is None


def test_settings_that_a_race_stopped_have_triangles_and_no_interval():
    table, blocks = sweep(alpha=[0.1, 0.2, 0.5])
    table["stopped"] = [None] * 6 + ["after 3 seeds: diverged"] * 3
    figure, caption = sweep_figure(table, blocks)
    scores, curves = figure.axes
    assert "Triangles and thin lines are runs of settings that a race stopped: their means are too low." in caption
    assert "fewer than three seeds" not in caption
    assert len([line for line in scores.lines if line.get_marker() == "o" and len(line.get_xdata())]) == 2
    assert len(curves.collections) == 2  # bands
