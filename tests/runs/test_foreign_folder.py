"""Going on with a folder that somebody else made: what its files say is refused by name, or is what a run would say.

Trusts a small run that is changed here, with digests that fit.
"""

import os
import shutil

import numpy as np
import pytest
from support.mutations import GONE, forged
from support.programs import checkpoint, files, inside, learned

from tdl.config.setup import Setup
from tdl.errors import CheckpointError, ConfigError
from tdl.runs.agents import build_agent
from tdl.runs.resolvers import reserved
from tdl.runs.resume import read_run
from tdl.storage.checkpoint import write_checkpoint
from tdl.storage.run_folder import FILES, FOLDERS, HYDRA, NOTES, RunFolder

WRONG = {
    "config.gamma": "x",
    "config.game": [],
    "config.tuples.cells": [[0, 99]],
    "config.evaluate.solution": "${oc.env:HOME}",
    "config.save": None,
    "config.more": 1,
    "config": [],
    "names": GONE,
    "moves": -1,
    "seconds": float("nan"),
}


@pytest.fixture
def finished(small_run, tmp_path):
    return shutil.copytree(small_run("episodes=20", "evaluate.episodes=0"), tmp_path / "run")


@pytest.fixture
def whole(small_run):
    return small_run("episodes=40", "evaluate.episodes=0")


@pytest.mark.parametrize("key", WRONG)
def test_wrong_entries_are_refused_by_name(finished, key):
    forged(finished / "checkpoint", {key: WRONG[key]})
    with pytest.raises(CheckpointError, match=rf"meta\.json: .*{key.split('.')[0]}"):
        read_run(RunFolder(finished))


def test_an_array_that_is_missing_in_the_description_is_named(finished):
    meta, _ = checkpoint(finished)
    forged(finished / "checkpoint", {"arrays": {"sums": meta["arrays"]["weights"]}})
    with pytest.raises(CheckpointError, match=r"meta\.json: arrays\.weights: missing"):
        build_agent(Setup.of(meta["config"]), 20).restore(finished / "checkpoint", read_run(RunFolder(finished)))


def test_boards_that_kernels_would_trust_are_checked(small_run, tmp_path):
    """Those of the carousel, as tests/learning/test_state.py shows."""
    words = ("episodes=20", "evaluate.episodes=0", "learner.stages=[16,64]", "learner.start=carousel")
    folder = shutil.copytree(small_run(*words), tmp_path / "run")
    meta, arrays = checkpoint(folder)
    write_checkpoint(
        folder / "checkpoint", meta, arrays | {"entered_counts": np.full_like(arrays["entered_counts"], -1)}
    )
    done = inside(f"resume={folder}", "episodes=40")
    assert (done.returncode, done.stderr.count("\n"), "entered_counts: -1" in done.stderr) == (2, 1, True)


@pytest.fixture
def outside(tmp_path):
    """A folder beside the run, with what nobody may touch."""
    folder = tmp_path / "outside"
    (folder / "kept").mkdir(parents=True)
    for name in ("file", "weights-0000000001.npy", ".lost.new", "kept/0000000001"):
        (folder / name).write_text("not the run's")
    return folder


@pytest.mark.parametrize("name", [*FILES, *FOLDERS, *(f"{HYDRA}/{note}" for note in NOTES)])
def test_nothing_else_stands_in_the_place_of_a_file_or_folder(tmp_path, name):
    """Nor lets a pipe a program wait."""
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    for put, what in (
        (lambda: path.symlink_to(tmp_path.parent), "a link"),
        (lambda: path.symlink_to("missing"), "a link"),
        (lambda: os.mkfifo(path), "something else"),
    ):
        put()
        for new in (True, False):
            with pytest.raises(ConfigError, match=f"{name}: {what}, not a"):
                RunFolder(tmp_path).refuse_links(new=new)
        path.unlink()


def test_a_run_does_not_go_on_through_a_link(finished, outside):
    shutil.move(finished / "checkpoint", outside / "checkpoint")
    (finished / "checkpoint").symlink_to(outside / "checkpoint")
    before = files(outside)
    done = inside(f"resume={finished}", "episodes=40")
    line = f"tdl: {finished}/checkpoint: a link, not a folder of the run's own; nothing is written there\n"
    assert (done.returncode, done.stderr, files(outside)) == (2, line, before)


@pytest.mark.parametrize(
    ("note", "link"),
    [("hydra.yaml", lambda path, outside: path.symlink_to(outside / "missing")),
     ("config.yaml", lambda path, outside: os.link(outside / "file", path))],
    ids=["link", "other name"],
)  # fmt: skip
def test_the_notes_of_a_new_run_are_not_written_elsewhere(tmp_path, outside, note, link):
    """Hydra writes them before the run begins."""
    run = tmp_path / "new"
    (run / HYDRA).mkdir(parents=True)
    link(run / HYDRA / note, outside)
    before = files(outside)
    done = inside("experiment=quick", "episodes=10", f"hydra.run.dir={run}")
    line = f"tdl: {run}/.hydra/{note}: a link, not a file of the run's own; nothing is written there\n"
    assert (done.returncode, done.stderr, files(outside)) == (2, line, before)


@pytest.mark.parametrize("name", ["", "checkpoint"])
def test_jobs_of_a_sweep_do_not_follow_links(tmp_path, outside, name):
    link = tmp_path / "sweep" / "seed0_11111111" / name
    link.parent.mkdir(parents=True)
    link.symlink_to(outside)
    with pytest.raises(ConfigError, match="a link, not a folder"):
        reserved(tmp_path / "sweep", "seed0", "11111111")


@pytest.mark.parametrize("keep", [1, 3])
def test_links_beside_and_among_checkpoints_are_replaced_and_deleted_themselves(finished, outside, whole, keep):
    for name in ("weights-0000000040.npy", ".weights.new", "meta.json.new", "weights-0000000007.npy"):
        (finished / "checkpoint" / name).symlink_to(outside / "file")
    (finished / "kept").mkdir()
    for name in ("0000000001", "0000000020", ".0000000020.new", ".0000000001.old.new"):
        (finished / "kept" / name).symlink_to(outside)
    (finished / ".run.new").symlink_to(outside)
    before = files(outside)
    done = inside(f"resume={finished}", "episodes=40", f"save.keep={keep}")
    assert done.returncode == 0, done.stderr
    assert files(outside) == before
    assert learned(finished) == learned(whole)
    assert not (finished / ".run.new").is_symlink()


def test_no_checkpoint_is_written_through_a_link(tmp_path, outside):
    (tmp_path / "checkpoint").symlink_to(outside)
    before = files(outside)
    with pytest.raises(CheckpointError, match="checkpoint: a link"):
        write_checkpoint(tmp_path / "checkpoint", {"episode": 2}, {"weights": np.zeros(3, np.float32)})
    assert files(outside) == before


def test_a_copy_by_hard_links_goes_on(finished, tmp_path, whole):
    """As `cp -al` makes one, notes and all."""
    copy = shutil.copytree(finished, tmp_path / "copy", copy_function=os.link)
    before = files(finished)
    done = inside(f"resume={copy}", "episodes=40")
    assert done.returncode == 0, done.stderr
    assert learned(copy) == learned(whole)
    assert files(finished) == before
