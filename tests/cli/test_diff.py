"""What differs between two runs, as a table; against the files of the runs."""

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from support.programs import inside, result

from tdl.cli.diff import main
from tdl.statistics.intervals import contrast_interval, interval_text

SHORT = ("episodes=20", "evaluate.episodes=20")


def diff(*folders):
    """The program with these folders: what it prints, the words of each line apart."""
    done = inside(*folders, program=main)
    assert done.returncode in (None, 0), done.stderr
    return done.stdout, [re.split(r"  +", line.strip()) for line in done.stdout.splitlines()]


def test_keys_figures_and_the_gap(small_run):
    one, other = small_run(*SHORT), small_run(*SHORT, "learner=tc", "seed=3")
    text, rows = diff(one, other)
    assert rows[0][-2:] == [str(one), str(other)]  # their own names are the same
    keys = {"learner": ["td", "tc"], "alpha": ["0.1", "1"], "learner.step": ["fixed", "coherent"], "seed": ["0", "3"]}
    assert {row[0]: row[1:] for row in rows if row[0] in keys} == keys
    assert rows.index(["configuration"]) < rows.index(["seed", "0", "3"]) < rows.index(["results"])
    assert not {"learner.alpha", "status", "episodes", "gamma", "commit", "cpu"} & {row[0] for row in rows}  # the same
    (mean,) = [row for row in rows if row[0] == "mean"]
    means = [f"{result(folder)['evaluation']['mean']:,.0f}" for folder in (one, other)]
    assert [text.split()[0] for text in mean[1:]] == means
    scores = [np.load(Path(folder) / "evaluation.npy")["score"] for folder in (other, one)]
    assert interval_text(*contrast_interval(scores, [1, -1])) in text.splitlines()[-1]


def test_a_tile_that_one_never_reached_has_a_share_of_0(small_run, tmp_path):
    folders = [tmp_path / name for name in "ab"]
    for folder, reach in zip(folders, ({"64": 1.0}, {"64": 1.0, "128": 0.25}), strict=True):
        folder.mkdir()
        told = result(small_run(*SHORT))
        told["evaluation"]["reach"] = {tile: {"rate": rate, "ci95": [0, 1]} for tile, rate in reach.items()}
        (folder / "result.json").write_text(json.dumps(told | {"commit": folder.name}))
    _, rows = diff(*folders)
    assert ["reach 128", "0.0%", "25.0%"] in rows
    assert ["commit", "a", "b"] in rows
    assert not [row for row in rows if row[0] == "reach 64"]
    assert len(rows[1:]) == 1 + 1 + 1 + 1 + 1 + 1  # three parts: all keys the same, the tile, the commit
    assert re.fullmatch(r"the same, in all \d+ keys", rows[2][0])


@pytest.mark.parametrize(("folder", "hint"), [("", "; it has several runs below"), ("nowhere", "no run in it")])
def test_a_folder_without_a_run_is_refused(small_run, tmp_path, folder, hint):
    run = small_run(*SHORT)
    (tmp_path / "job").symlink_to(run)
    done = inside(run, tmp_path / folder, program=main)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert hint in line


def test_what_somebody_wrote_is_shown_as_text(small_run, tmp_path):
    """Also on a terminal, which would take it for commands; and games are read as ever."""
    one, other = small_run(*SHORT), shutil.copytree(small_run(*SHORT), tmp_path / "a\x1b[2Jb")
    told = result(other)
    told["config"]["engine"] = "\x1b]0;title\x07"
    told |= {"status": "failed", "error": "a\nb\x1b[31m"}
    (other / "result.json").write_text(json.dumps(told))
    text, _ = diff(one, other)
    assert all(line.isprintable() for line in text.splitlines())
    assert r"\x1b]0;title\x07" in text
    np.save(other / "evaluation.npy", np.zeros(3, [("score", "U5")]))
    done = inside(one, other, program=main)
    assert (done.returncode, "evaluation.npy: not a file of games" in done.stderr) == (2, True)
