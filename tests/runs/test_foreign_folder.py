"""Going on with a folder that somebody else made: what its files say is refused by name, or is what a run would say.

Trusts a small run that is changed here, with digests that fit.
"""

import shutil

import pytest
from support.forged import GONE, forged
from support.programs import files, inside

WRONG = {
    "config.gamma": "x",
    "config.alpha": 1e300,
    "config.threads": GONE,
    "config.threads.": 10**9,
    "config.size": "9x9",
    "config.game": [],
    "config.game.name": "chess",
    "config.tiles.drop": [[1]],
    "config.tuples.cells": [[0, 99]],
    "config.learner.schedule": {"a": {}},
    "config.evaluate.solution": "${oc.env:HOME}",
    "config.save": None,
    "config.block": 0,
    "config.resume": "???",
    "config.more": 1,
    "config": [],
    "names": GONE,
    "moves": -1,
    "seconds": float("nan"),
}


@pytest.fixture
def finished(small_run, tmp_path):
    return shutil.copytree(small_run("episodes=20", "evaluate.episodes=0"), tmp_path / "run")


@pytest.mark.parametrize("key", WRONG)
def test_wrong_entries_are_refused_by_name(finished, key):
    forged(finished / "checkpoint", {key.rstrip("."): WRONG[key]})
    before = files(finished)
    done = inside(f"resume={finished}", "episodes=40")
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("tdl: ")
    assert "meta.json: " in line
    assert key.split(".")[0] in line
    assert files(finished) == before
