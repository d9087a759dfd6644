"""A folder that is saved from Python: what it replaces, what it refuses, and what is left where it cannot be written.

Trusts `read_meta` and `read_array`.
"""

import contextlib
import itertools
import os
from functools import partial

import numpy as np
import pytest
from support.faults import Fault, FaultyFiles, ended, forked

from tdl.errors import BusyError, CheckpointError, ConfigError
from tdl.storage import saved_folder
from tdl.storage.checkpoint import read_array, read_meta, write_checkpoint
from tdl.storage.run_folder import lock_folder
from tdl.storage.saved_folder import SAVED, save


def save_number(folder, number, kind="player"):
    save(folder, {"episode": 0, SAVED: kind}, {"weights": np.full(3, number)})


def number_in(folder):
    return read_array(folder, read_meta(folder), "weights")[0]


def test_a_folder_is_made_and_its_like_is_replaced(tmp_path):
    for number in range(3):
        save_number(str(tmp_path / "new" / "saved"), number)
        assert number_in(tmp_path / "new" / "saved") == number
        assert len(os.listdir(tmp_path / "new" / "saved")) == 2
    assert os.listdir(tmp_path / "new") == ["saved"]
    (tmp_path / "empty").mkdir()
    save_number(tmp_path / "empty", 4)
    assert number_in(tmp_path / "empty") == 4


def test_what_lies_beside_it_stays(tmp_path):
    """As in a run, where older checkpoints are in `kept`."""
    (tmp_path / "kept" / "1998").mkdir(parents=True)
    (tmp_path / "data.npy").touch()
    for number in range(2):
        save_number(tmp_path / "saved", number)
    assert sorted(os.listdir(tmp_path)) == ["data.npy", "kept", "saved"]
    assert os.listdir(tmp_path / "kept") == ["1998"]


OTHERS = {
    "files": (lambda path: (path / "data.npy").touch(), "holds data.npy, no player that was saved before; name"),
    "a checkpoint of a run": (lambda path: write_checkpoint(path, {"episode": 3}, {}), "holds another checkpoint, no"),
    "a trainer": (lambda path: save_number(path, 1, "trainer"), "holds another checkpoint, no player"),
    "a damaged one": (lambda path: (path / "meta.json").touch(), "meta.json: cut or corrupt"),
    "a file": (lambda path: path.rmdir() or path.touch(), "a file, no folder; name another"),
    "a link": (lambda path: path.rmdir() or path.symlink_to(path.parent), "a link, no folder; name another"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_anything_else_is_refused_and_stays(tmp_path, name):
    make, line = OTHERS[name]
    (path := tmp_path / "other").mkdir()
    make(path)
    before = sorted(map(str, tmp_path.rglob("*")))
    with pytest.raises((ConfigError, CheckpointError), match=f"other.*{line}"):
        save_number(path, 2)
    assert sorted(map(str, tmp_path.rglob("*"))) == before


def test_who_saves_into_a_folder_is_waited_for(tmp_path, monkeypatch):
    save_number(tmp_path / "saved", 1)
    monkeypatch.setattr(saved_folder, "PATIENCE", 0.0)
    with lock_folder(tmp_path / "saved"), pytest.raises(BusyError, match="saved: another process is working in this"):
        save_number(tmp_path / "saved", 2)
    assert number_in(tmp_path / "saved") == 1


@pytest.mark.parametrize("folder", [3, "tdl:small"])
def test_what_is_no_name_of_a_folder_is_refused(folder):
    with pytest.raises(ConfigError, match=f"folder: {folder!r} is not allowed; expected the name of a folder"):
        save_number(folder, 0)


def save_with_fault(path, around, fault):
    with FaultyFiles(around, fault), contextlib.suppress(CheckpointError):
        save_number(path, 2)


@pytest.mark.parametrize("begun", [False, True], ids=["a new folder", "one that was saved before"])
def test_whatever_fails_one_whole_checkpoint_is_there_and_saving_again_works(tmp_path, begun):
    def folder(name):
        if begun:
            save_number(tmp_path / name / "saved", 1)
        (tmp_path / name).mkdir(exist_ok=True)
        return tmp_path / name / "saved"

    with FaultyFiles(tmp_path) as files:
        save_number(folder("whole"), 2)
    for kind, number in itertools.product(("no space", "full", "death"), range(len(files.calls))):
        path = folder(f"{kind}{number}")
        ended(forked(partial(save_with_fault, path, tmp_path, Fault(kind, number))))
        assert number_in(path) in (1, 2) if begun else not path.exists() or number_in(path) == 2
        save_number(path, 3)
        assert number_in(path) == 3
        assert len(os.listdir(path)) == 2
        assert {*os.listdir(path.parent)} <= {"saved", ".saved.new"}  # the latter of a dead process, and empty
