"""Going on with a folder that somebody else made: what its files say is refused by name, or is what a run would say.

Trusts a small run that is changed here, with digests that fit.
"""

import os
import shutil

import numpy as np
import pytest
from support.mutations import GONE, forged
from support.programs import checkpoint, files, inside, learned

from tdl.errors import CheckpointError, ConfigError
from tdl.runs.episode_log import EpisodeLog
from tdl.runs.resume import read_run
from tdl.storage.checkpoint import write_checkpoint
from tdl.storage.run_folder import FILES, FOLDERS, HYDRA, NOTES, RunFolder

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


@pytest.fixture
def whole(small_run):
    return small_run("episodes=40", "evaluate.episodes=0")


@pytest.mark.parametrize("key", WRONG)
def test_wrong_entries_are_refused_by_name(finished, key):
    forged(finished / "checkpoint", {key.rstrip("."): WRONG[key]})
    with pytest.raises(CheckpointError, match=rf"meta\.json: .*{key.split('.')[0]}"):
        read_run(RunFolder(finished))


@pytest.fixture
def outside(tmp_path):
    """A folder beside the run, with what nobody may touch."""
    folder = tmp_path / "outside"
    (folder / "kept").mkdir(parents=True)
    for name in ("file", "weights-0000000001.npy", ".lost.new", "kept/0000000001"):
        (folder / name).write_text("not the run's")
    return folder


def test_a_link_in_the_place_of_a_folder_of_the_run_is_refused(finished, outside):
    shutil.copytree(finished / "checkpoint", outside / "checkpoint")
    shutil.rmtree(finished / "checkpoint")
    (finished / "checkpoint").symlink_to(outside / "checkpoint")
    before = files(outside)
    done = inside(f"resume={finished}", "episodes=40")
    assert done.returncode == 2
    line = f"tdl: {finished}/checkpoint: a link, not a folder of the run's own; nothing is written there\n"
    assert done.stderr == line
    assert files(outside) == before


@pytest.mark.parametrize("name", [*FILES, *FOLDERS, *(f"{HYDRA}/{note}" for note in NOTES)])
def test_nothing_else_stands_in_the_place_of_a_file_or_folder(tmp_path, name):
    """Nor lets a pipe a program wait."""
    path = tmp_path / name
    for put, what in (
        (lambda: path.symlink_to(tmp_path.parent), "a link"),
        (lambda: path.symlink_to("missing"), "a link"),
        (lambda: os.mkfifo(path), "something else"),
    ):
        path.parent.mkdir(exist_ok=True)
        put()
        for new in (True, False):
            with pytest.raises(ConfigError, match=f"{name}: {what}, not a"):
                RunFolder(tmp_path).refuse_links(new=new)
        path.unlink()


@pytest.mark.parametrize("name", ["weights-0000000040.npy", ".weights.new", "meta.json.new", "weights-0000000007.npy"])
def test_links_beside_a_checkpoint_are_replaced_and_deleted_themselves(finished, outside, whole, name):
    (finished / "checkpoint" / name).symlink_to(outside / "file")
    (finished / ".run.new").symlink_to(outside)
    before = files(outside)
    done = inside(f"resume={finished}", "episodes=40")
    assert done.returncode == 0, done.stderr
    assert files(outside) == before
    assert learned(finished) == learned(whole)
    assert not (finished / ".run.new").is_symlink()


@pytest.mark.parametrize("keep", [1, 2, 3])
def test_links_among_older_checkpoints_are_deleted_themselves(finished, outside, keep):
    (finished / "kept").mkdir()
    for name in ("0000000001", "0000000020", ".0000000020.new", ".0000000001.old.new"):
        (finished / "kept" / name).symlink_to(outside)
    before = files(outside)
    done = inside(f"resume={finished}", "episodes=40", f"save.keep={keep}")
    assert done.returncode == 0, done.stderr
    assert files(outside) == before


def test_a_file_with_another_name_elsewhere_is_parted_from_it(finished, outside, whole):
    os.link(finished / "episodes.npy", outside / "episodes.npy")
    before = files(outside)
    assert inside(f"resume={finished}", "episodes=40").returncode == 0
    assert files(outside) == before
    assert learned(finished) == learned(whole)


def test_no_checkpoint_is_written_through_a_link(tmp_path, outside):
    (tmp_path / "checkpoint").symlink_to(outside)
    before = files(outside)
    with pytest.raises(CheckpointError, match="checkpoint: a link"):
        write_checkpoint(tmp_path / "checkpoint", {"episode": 2}, {"weights": np.zeros(3, np.float32)})
    assert files(outside) == before


@pytest.mark.parametrize("name", ["", "checkpoint"])
def test_jobs_of_a_sweep_do_not_follow_links(tmp_path, outside, name):
    words = ("-m", "experiment=quick", "episodes=10", "block=10", "evaluate.episodes=0", "seed=0,1",
             f"hydra.sweep.dir={tmp_path / 'sweep'}")  # fmt: skip
    assert inside(*words).returncode == 0
    job = sorted((tmp_path / "sweep").glob("seed0_*"))[0]
    (job / "result.json").unlink()  # so that it goes on
    link = job / name if name else job
    shutil.copytree(link, outside, dirs_exist_ok=True)
    shutil.rmtree(link)
    link.symlink_to(outside)
    before = files(outside)
    done = inside(*words)
    assert done.returncode
    assert "a link, not a folder" in done.stderr
    assert files(outside) == before


def test_a_new_run_does_not_follow_links_either(tmp_path, outside):
    """Hydra writes its notes before the run begins."""
    run = tmp_path / "new"
    (run / ".hydra").mkdir(parents=True)
    (run / ".hydra" / "hydra.yaml").symlink_to(outside / "missing")
    before = files(outside)
    done = inside("experiment=quick", "episodes=10", f"hydra.run.dir={run}")
    assert done.returncode == 2
    line = f"tdl: {run}/.hydra/hydra.yaml: a link, not a file of the run's own; nothing is written there\n"
    assert done.stderr == line
    assert files(outside) == before


def test_notes_of_a_new_run_do_not_change_a_file_with_another_name(tmp_path, outside):
    (tmp_path / "new" / ".hydra").mkdir(parents=True)
    os.link(outside / "file", tmp_path / "new" / ".hydra" / "config.yaml")
    before = files(outside)
    done = inside("experiment=quick", "episodes=10", f"hydra.run.dir={tmp_path / 'new'}")
    assert (done.returncode, "config.yaml: a link" in done.stderr) == (2, True)
    assert files(outside) == before


def test_a_copy_by_hard_links_goes_on(finished, tmp_path, whole):
    """As `cp -al` makes one, notes and all."""
    copy = shutil.copytree(finished, tmp_path / "copy", copy_function=os.link)
    before = files(finished)
    done = inside(f"resume={copy}", "episodes=40")
    assert done.returncode == 0, done.stderr
    assert learned(copy) == learned(whole)
    assert files(finished) == before


@pytest.mark.parametrize("name", ["blocks.csv", "train.log"])
@pytest.mark.parametrize(
    ("more", "telling"),
    [("9" * 20_000, "a line of more than"), ("20,1\n10,2\n", "comes after that of 20"),
     ("20,1\n" + "x\n" * 40_000, "more than 65,536 bytes")],
)  # fmt: skip
def test_tables_that_no_run_has_left_are_refused(finished, name, more, telling):
    path = finished / name
    path.write_text(path.read_text().splitlines(keepends=True)[0] * (name == "blocks.csv") + more.replace(",", "\t"))
    content = path.read_bytes()
    with pytest.raises(CheckpointError, match=f"{name}: .*{telling}"):
        EpisodeLog(RunFolder(finished), 20)
    assert path.read_bytes() == content


@pytest.mark.parametrize("name", ["blocks.csv", "train.log"])
def test_the_rest_of_a_huge_table_is_not_read(finished, whole, name):
    """What lies behind the checkpoint may be anything: here a hole of 10 GB."""
    with (finished / name).open("a") as file:
        file.write("30,1\n".replace(",", "," if name == "blocks.csv" else "\t"))
    os.truncate(finished / name, 10 << 30)
    assert inside(f"resume={finished}", "episodes=40").returncode == 0
    assert learned(finished) == learned(whole)
    assert (finished / name).stat().st_size < 10_000


def test_an_array_that_is_missing_in_the_description_is_named(finished):
    meta, _ = checkpoint(finished)
    forged(finished / "checkpoint", {"arrays": {"sums": meta["arrays"]["weights"]}})
    done = inside(f"resume={finished}", "episodes=40")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "meta.json: arrays.weights: missing" in done.stderr


CAROUSEL = ("episodes=20", "evaluate.episodes=0", "learner.stages=[16,64]", "learner.start=carousel")


@pytest.mark.parametrize(
    ("engine", "name", "number"),
    [("bits", "entered_counts", -1), ("array", "entered_counts", -1), ("array", "entered", 2**64 - 1),
     ("bits", "entered_counts", 2**63 - 1), ("bits", "entered", 0x1111111111111111)],
)  # fmt: skip
def test_boards_that_kernels_would_trust_are_checked(small_run, tmp_path, engine, name, number):
    """A negative count, as the largest has next, is an index before the boards; a tile beyond the game's is one beyond
    its tables; a board without an empty cell has no place for the next tile.
    """
    folder = shutil.copytree(small_run(*CAROUSEL, f"engine={engine}", "game=threes_law"), tmp_path / "run")
    meta, arrays = checkpoint(folder)
    arrays[name] = np.array(arrays[name])
    arrays[name].reshape(-1)[0] = number
    write_checkpoint(folder / "checkpoint", meta, arrays)
    done = inside(f"resume={folder}", "episodes=40")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert f"{name}: " in done.stderr
