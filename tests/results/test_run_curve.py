"""The curve of a run, drawn by matplotlib alone, whatever that is set to."""

import os
import re
import shutil
import subprocess
import sys

import pandas as pd
import pytest
from support.programs import SMALL, only_run, train

import tdl.results
from tdl.results.run_curve import curve, save_curve


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return train(tmp_path_factory.mktemp("run") / "run", "episodes=30", "alpha=0.3")


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
    assert b"2048 on 4x4, tuples custom, learner td, step size alpha 0.3" in (folder / "curve.png").read_bytes()


SETTINGS = "text.usetex: True\nbackend: qtagg\nfont.size: 40\nfigure.dpi: 20\nsvg.fonttype: path\nlines.linewidth: 9\n"
"""A matplotlibrc of somebody who writes with LaTeX, draws into windows, and has a taste of their own."""

DRAWING = """
import sys
from pathlib import Path
from tdl.cli.report import main
main(sys.argv[1:])
from tdl.results.run_curve import save_curve
save_curve(Path(sys.argv[1]))
"""


def test_settings_of_a_user_change_no_figure(run, tmp_path):
    (tmp_path / "matplotlibrc").write_text(SETTINGS)
    settings = {"MPLBACKEND": "nonsense", "MATPLOTLIBRC": str(tmp_path / "matplotlibrc")}
    drawn = []
    for environment in ({"MPLBACKEND": "agg"}, settings):
        subprocess.run([sys.executable, "-c", DRAWING, run], env=os.environ | environment, check=True)
        page = re.findall("(?s)<svg.*?</svg>", (run / "report.html").read_text())
        drawn.append(((run / "curve.png").read_bytes(), page))
    assert len(drawn[0][1]) == 3
    assert drawn[0] == drawn[1]


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
