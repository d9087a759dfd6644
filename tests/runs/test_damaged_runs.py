"""A run whose files are damaged, or are those of another run, is refused by name and left as it is."""

import json
import os
import shutil

import pytest
from support.programs import EPISODES, checkpoint, files, go_on, inside, result, train

from tdl.config import run as run_config
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


def _cut_array(folder, array, meta):
    os.truncate(array, array.stat().st_size - 1)
    return array.name, "cut"


def _flip_array(folder, array, meta):
    _flip(array, -100)
    return array.name, "corrupt"


def _lose_array(folder, array, meta):
    array.unlink()
    return array.name, "No such file"


def _cut_meta(folder, array, meta):
    os.truncate(meta, meta.stat().st_size // 2)
    return meta.name, "cut"


def _flip_meta(folder, array, meta):
    _flip(meta, meta.read_bytes().index(b'"episode": %d' % EPISODES) + 12)
    return meta.name, "corrupt"


def _lose_meta(folder, array, meta):
    meta.unlink()
    return meta.name, "missing"


def _other_format(folder, array, meta):
    meta.write_text(json.dumps(json.loads(meta.read_text()) | {"format": "tdl-checkpoint-0"}))
    return meta.name, "format"


def _not_an_object(folder, array, meta):
    meta.write_text("[]")
    return meta.name, "not a checkpoint"


def _cut_episodes(folder, array, meta):
    os.truncate(folder / "episodes.npy", (folder / "episodes.npy").stat().st_size - 1)
    return "episodes.npy", "cut"


def _lose_episodes(folder, array, meta):
    (folder / "episodes.npy").unlink()
    return "episodes.npy", "cannot be read"


def _flip(path, place):
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)


DAMAGES = [_cut_array, _flip_array, _lose_array, _cut_meta, _flip_meta, _lose_meta, _other_format, _not_an_object,
           _cut_episodes, _lose_episodes]  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__.strip("_"))
def test_damage_is_refused_by_name(finished, damage):
    (array,) = (finished / "checkpoint").glob("*.npy")
    name, what = damage(finished, array, finished / "checkpoint" / "meta.json")
    before = files(finished)
    done = inside(f"resume={finished}", "episodes=90")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert name in line
    assert what in line
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
    mine = run_config.from_plain(checkpoint(finished)[0]["config"])
    with pytest.raises(CheckpointError, match="another network"):
        TrainingRun(mine, RunFolder(tmp_path / "foreign"), {}, foreign)
    its_own = run_config.from_plain(foreign["config"])
    other_rules = foreign | {"rules": foreign["rules"] | {"drop": [[1, 1.0]]}}
    with pytest.raises(CheckpointError, match="another rules"):
        TrainingRun(its_own, RunFolder(tmp_path / "foreign"), {}, other_rules)
