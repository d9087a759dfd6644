"""Files of games: what a program writes comes back, and what no game has is refused before memory is asked for."""

import os

import numpy as np
import pytest

from tdl.base import machine
from tdl.errors import CheckpointError
from tdl.storage.records import LIMITS, RECORD, load_records, save_records


@pytest.fixture
def path(tmp_path):
    save_records(tmp_path / "games.npy", np.ones(3, RECORD))
    return tmp_path / "games.npy"


def test_games_come_back(path):
    assert (load_records(path) == np.ones(3, RECORD)).all()


@pytest.mark.parametrize("name", LIMITS)
def test_what_no_game_has_is_refused(path, name):
    for number in (-1, LIMITS[name] + 1):
        records = np.ones(3, RECORD)
        if number > np.iinfo(records[name].dtype).max:
            continue
        records[name][1] = number
        save_records(path, records)
        with pytest.raises(CheckpointError, match=rf"games\.npy: {name}: {number} is not allowed"):
            load_records(path)


def test_a_file_with_a_hole_is_refused_where_it_does_not_fit(path, monkeypatch):
    rows = 10**9
    head = np.lib.format
    with path.open("wb") as file:
        head.write_array_header_1_0(file, {"descr": RECORD.descr, "fortran_order": False, "shape": (rows,)})
        size = file.tell() + rows * RECORD.itemsize
    os.truncate(path, size)
    monkeypatch.setattr(machine, "available_memory", lambda: 1 << 30)
    with pytest.raises(CheckpointError, match=r"1,000,000,000 rows need 22\.4 GiB of memory; 1\.0 GiB are free"):
        load_records(path)
