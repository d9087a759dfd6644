"""The curve of a run, and the files of figures: the same each time, whatever matplotlib is set to."""

import io
import os
import re
import shutil
import subprocess
import sys
from xml.etree import ElementTree

import matplotlib.image
import pandas as pd
import pytest
from support.programs import SMALL, only_run, train

import tdl.results
from tdl.results.run_curve import curve, save_curve
from tdl.results.style import write
from tdl.results.sweep_figure import sweep_figure


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return train(tmp_path_factory.mktemp("run") / "run", "episodes=30", "alpha=0.3")


def drawn():
    """A figure with a line, names and an interval, and its caption."""
    table = pd.DataFrame({"tuples": ["a$b$c"] * 3, "seed": [0, 1, 2], "eval_mean": [1.0, 2, 3], "status": "finished"})
    table = table.assign(run=["x", "y", "z"], episodes=2.0)
    blocks = pd.concat([table.drop(columns="eval_mean").assign(episode=e, mean=float(e)) for e in (1, 2)])
    return sweep_figure(table, blocks.sort_values(["run", "episode"]), ["tuples"])


@pytest.mark.parametrize("blocks", [3, 1])
def test_curve_of_a_run(run, blocks):
    frame = tdl.results.load(run).head(blocks)
    figure = curve(frame)
    score, reach = figure.axes
    assert (score.get_xlabel(), score.get_ylabel()) == ("episodes of training", "score of a block of games")
    assert (reach.get_xlabel(), reach.get_ylabel()) == ("episodes of training", "games that reached the tile")
    assert [line.get_ydata().tolist() for line in score.lines] == [frame["max"].tolist(), frame["mean"].tolist()]
    assert frame["reach_64"].tolist() in [line.get_ydata().tolist() for line in reach.lines]
    assert figure.get_suptitle() == f"Mean score {frame['mean'].iloc[-1]:,.0f} in the last block of training"
    assert all(line.get_marker() == ("." if blocks == 1 else "None") for line in score.lines)


def test_curve_of_a_run_marks_the_games_after_training():
    frame = pd.DataFrame({"episode": [1, 2], "mean": [5.0, 6.0], "max": [9, 9], "reach_64": [0.5, 0.6], "seed": 0})
    run = {"eval_mean": 7.0, "eval_low": 6.5, "eval_high": 8.0, "eval_reach_64": 0.5, "evaluate.episodes": 100}
    figure = curve(frame, run)
    for axes, mean in zip(figure.axes, (7.0, 0.5), strict=True):
        (bar,) = axes.containers
        assert bar.lines[0].get_xydata().tolist() == [[pytest.approx(2.08), mean]]
    assert figure.axes[0].containers[0].lines[2][0].get_segments()[0][:, 1].tolist() == [6.5, 8.0]
    assert figure.get_suptitle() == "Mean score 7 [6, 8] in 100 games after training"


def test_curve_of_a_run_is_written_in_one_step(run, tmp_path):
    folder = shutil.copytree(run, tmp_path / "run")
    before = {path.name for path in folder.iterdir()}
    save_curve(folder)
    assert {path.name for path in folder.iterdir()} == before | {"curve.png"}
    height, width, _ = matplotlib.image.imread(folder / "curve.png").shape
    assert 400 <= height < width <= 4000
    assert b"2048 on 4x4, tuples custom, learner td, step size alpha 0.3" in (folder / "curve.png").read_bytes()


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_a_file_is_the_same_each_time_and_has_the_caption(kind):
    files = io.BytesIO(), io.BytesIO()
    for file in files:
        figure, caption = drawn()
        write(figure, file, kind, caption)
    data = files[0].getvalue()
    assert data == files[1].getvalue()
    assert caption.encode() in data.replace(b"\\", b"")
    if kind == "svg":  # its text is text, and a name with dollars no formula
        words = {element.text for element in ElementTree.fromstring(data).iter("{http://www.w3.org/2000/svg}text")}
        assert {"mean score after training", "a$b$c"} <= words
    if kind == "pdf":  # it has its fonts and no pixels
        assert b"/FontFile2" in data
        assert not re.search(rb"/Subtype\s*/Image|/CreationDate", data)


SETTINGS = "text.usetex: True\nbackend: qtagg\nfont.size: 40\nfigure.dpi: 20\nsvg.fonttype: path\nlines.linewidth: 9\n"
"""A matplotlibrc of somebody who writes with LaTeX, draws into windows, and has a taste of their own."""


DRAWING = """
import sys
from tdl.cli.report import main
main(sys.argv[1:])
from pathlib import Path
from tdl.results.run_curve import save_curve
save_curve(Path(sys.argv[1]))
"""


def figures_of(run, **settings):
    """The bytes of a curve and a report, as programs draw them."""
    environment = {key: value for key, value in os.environ.items() if key != "MPLBACKEND"} | settings
    subprocess.run([sys.executable, "-c", DRAWING, run], env=environment, check=True)
    page = re.findall("(?s)<svg.*?</svg>", (run / "report.html").read_text())
    return (run / "curve.png").read_bytes(), page


def test_settings_of_a_user_change_no_figure(run, tmp_path):
    (tmp_path / "matplotlibrc").write_text(SETTINGS)
    usual = figures_of(run)
    assert len(usual[1]) == 3
    for backend in ({"MPLBACKEND": "nonsense"}, {}):
        assert figures_of(run, MATPLOTLIBRC=str(tmp_path / "matplotlibrc"), **backend) == usual


WATCHED = """
import sys
from tdl.cli.run import main
try:
    main()
except SystemExit:
    print(sorted({"matplotlib", "seaborn", "scipy"} & set(sys.modules)))
"""


def test_a_run_does_not_wait_for_seaborn(tmp_path):
    command = [sys.executable, "-c", WATCHED, *SMALL, "episodes=10"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "['matplotlib']"
    assert (only_run(tmp_path) / "curve.png").exists()
