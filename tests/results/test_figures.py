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
from support.programs import SMALL, only_run, program, train

import tdl.results
from tdl.results.figures import curve, save_curve
from tdl.results.style import save, write
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


@pytest.mark.parametrize(("limit", "at"), [({"budget.moves": 9}, [4, 8]), ({"budget.seconds": 2.0}, [0.5, 1.0])])
def test_curve_of_a_run_goes_by_what_limits_it(limit, at):
    frame = pd.DataFrame(
        {"run": "a", "episode": [1, 2], "mean": [5.0, 6.0], "max": [9, 9], "moves": 4, "seconds": 0.5}
    )
    (score, _) = curve(frame.assign(**limit)).axes
    assert score.lines[0].get_xdata().tolist() == at
    assert score.get_xlabel() == f"{next(iter(limit)).partition('.')[2]} of training"


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
    assert files[0].getvalue() == files[1].getvalue()
    assert caption.encode() in files[0].getvalue().replace(b"\\", b"")


def test_the_text_of_an_svg_is_text(tmp_path):
    """A name with dollars is no formula."""
    save(drawn()[0], tmp_path / "a.svg")
    tree = ElementTree.parse(tmp_path / "a.svg")
    words = {element.text for element in tree.iter("{http://www.w3.org/2000/svg}text")}
    assert {"mean score after training", "a$b$c"} <= words


def test_a_pdf_has_its_fonts_and_no_pixels(tmp_path):
    save(drawn()[0], tmp_path / "a.pdf")
    data = (tmp_path / "a.pdf").read_bytes()
    assert b"/FontFile2" in data
    assert not re.search(rb"/Subtype\s*/Image|/CreationDate", data)


SETTINGS = "text.usetex: True\nbackend: qtagg\nfont.size: 40\nfigure.dpi: 20\nsvg.fonttype: path\nlines.linewidth: 9\n"
"""A matplotlibrc of somebody who writes with LaTeX, draws into windows, and has a taste of their own."""


def figures_of(place, **settings):
    """The bytes of all figures of a sweep and its report, as programs draw them."""
    environment = {key: value for key, value in os.environ.items() if key != "MPLBACKEND"} | settings
    words = (*SMALL, "episodes=20", "alpha=0.1,0.3", "hydra.launcher.cores=1")
    done = [program(place.parent, "-m", *words, f"hydra.sweep.dir={place}", env=environment),
            program(place.parent, place, module="tdl.report", env=environment)]  # fmt: skip
    assert [each.returncode for each in done] == [0, 0], done
    paths = [path for path in (*place.glob("sweep.*"), *place.glob("*/curve.png")) if path.suffix != ".csv"]
    page = re.findall("(?s)<svg.*?</svg>", (place / "report.html").read_text())
    return {str(path.relative_to(place)): path.read_bytes() for path in paths} | {"page": page}


@pytest.fixture(scope="module")
def usual(tmp_path_factory):
    return figures_of(tmp_path_factory.mktemp("usual") / "sweep")


@pytest.mark.parametrize("backend", [{"MPLBACKEND": "nonsense"}, {"MPLBACKEND": "qtagg"}, {}])
def test_settings_of_a_user_change_no_figure(usual, tmp_path, backend):
    (tmp_path / "matplotlibrc").write_text(SETTINGS)
    assert len(usual) == 8  # the sweep in three formats, its caption, a LaTeX table, two curves, and the page
    assert figures_of(tmp_path / "sweep", MATPLOTLIBRC=str(tmp_path / "matplotlibrc"), **backend) == usual


WATCHED = """
import sys
from tdl.run import main
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
