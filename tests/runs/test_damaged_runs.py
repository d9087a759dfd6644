"""A run whose files are damaged, or are those of another run, is refused by name and left as it is."""

import os
import shutil

import pytest
from support.programs import EPISODES, checkpoint, files, go_on, inside, result, train

from tdl.config.setup import Setup
from tdl.errors import CheckpointError
from tdl.runs.training import TrainingRun
from tdl.storage.checkpoint import write_checkpoint
from tdl.storage.run_folder import RunFolder

OTHER_TUPLES = "tuples.cells=[[0,1,4]]"


@pytest.mark.parametrize("words", [(), ("size=4x4", "engine=bits")])
def test_a_run_without_a_key_of_this_version_is_refused(finished, words):
    meta, arrays = checkpoint(finished)
    del meta["config"]["size"], meta["config"]["engine"], meta["config"]["tuples"]["board"]
    write_checkpoint(finished / "checkpoint", meta, arrays)
    before = files(finished)
    done = inside(f"resume={finished}", *words, "episodes=90")
    assert (done.returncode, files(finished)) == (2, before)
    path = finished / "checkpoint" / "meta.json"
    assert done.stderr == f"tdl: {path}: config.size: missing; a configuration of this version has it\n"


def _flip(path, place):
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)


def _cut(path):
    os.truncate(path, path.stat().st_size - 1)


META, ARRAY = "checkpoint/meta.json", f"checkpoint/weights-{EPISODES:010}.npy"

DAMAGES = [
    (ARRAY, _cut, "cut"),
    (ARRAY, lambda path: _flip(path, -100), "corrupt"),
    (ARRAY, os.unlink, "No such file"),
    (META, _cut, "cut"),
    (META, lambda path: _flip(path, path.read_bytes().index(b'"episode": ') + 12), "corrupt"),
    (META, os.unlink, "missing"),
    (META, lambda path: path.write_text("[]"), "not a checkpoint of this program (expected format"),
    ("episodes.npy", _cut, "cut"),
    ("episodes.npy", os.unlink, "cannot be read"),
]


@pytest.mark.parametrize(("name", "damage", "telling"), DAMAGES)
def test_damage_is_refused_by_name(finished, name, damage, telling):
    damage(finished / name)
    before = files(finished)
    done = inside(f"resume={finished}", "episodes=90")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert name.rpartition("/")[2] in line
    assert telling in line
    after = files(finished)
    if name == "episodes.npy":  # found when the run has begun: `result.json` tells of it
        assert result(finished)["status"] == "failed"
        before.pop("result.json"), after.pop("result.json")
    assert after == before


def test_a_foreign_checkpoint_goes_on_as_what_it_is(finished, tmp_path, whole):
    """The checkpoint holds its own configuration, and that one counts, wherever the folder lies."""
    foreign = train(tmp_path / "foreign", OTHER_TUPLES, f"episodes={EPISODES}")
    shutil.rmtree(finished / "checkpoint")
    shutil.copytree(foreign / "checkpoint", finished / "checkpoint")
    go_on(finished, "episodes=90")
    go_on(foreign, "episodes=90")
    assert checkpoint(finished)[1]["weights"].tobytes() == checkpoint(foreign)[1]["weights"].tobytes()
    assert result(finished)["config"]["tuples"]["cells"] == [[0, 1, 4]]


def test_a_foreign_checkpoint_does_not_fit_another_network(finished, tmp_path):
    foreign = checkpoint(train(tmp_path / "foreign", OTHER_TUPLES, f"episodes={EPISODES}"))[0]
    mine = Setup.of(checkpoint(finished)[0]["config"])
    with pytest.raises(CheckpointError, match="another network"):
        TrainingRun(mine, RunFolder(tmp_path / "foreign"), {}, foreign)
    its_own = Setup.of(foreign["config"])
    other_rules = foreign | {"rules": foreign["rules"] | {"drop": [[1, 1.0]]}}
    with pytest.raises(CheckpointError, match="another rules"):
        TrainingRun(its_own, RunFolder(tmp_path / "foreign"), {}, other_rules)
