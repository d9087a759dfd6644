"""Records of games: their type, and how they are written."""

import io
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tdl.base import machine
from tdl.base.checks import check_whole
from tdl.errors import ConfigError, naming, refuse
from tdl.storage.atomic import new_file
from tdl.storage.reading import open_file, read_array_head

RECORD = np.dtype([("episode", "<i8"), ("score", "<i8"), ("moves", "<i4"), ("max_tile", "<i4")])
"""One row of `episodes.npy` and `evaluation.npy`: number, total reward, moves, value of the largest tile."""

Records = NDArray[np.void]

MANY = 1 << 20
"""Games, for whose records memory is asked for: that takes longer than to play one."""

LIMITS = {"episode": 10**12, "score": 2**36, "moves": 2**31 - 1, "max_tile": 2**31 - 1}
"""What is beyond any game; a score of 2^36 takes a tile of 2^31."""


def check_episodes(episodes: object, least: int = 0, key: str = "episodes") -> None:
    """Refuse anything but a number of games for whose records there is memory."""
    check_whole(key, episodes, least)
    assert isinstance(episodes, int)
    if episodes > MANY:
        machine.require_memory(key, RECORD.itemsize * episodes, f"the records of {episodes:,} games")


def load_records(path: Path) -> Records:
    """The games of such a file, as many as its head says.

    Raises
    ------
    CheckpointError : it is cut, no file of games, or has what no game has; memory is asked for when the head is known
        to be right: a file with holes is larger than the room that it takes on the disk.
    OSError : missing, or not a file.
    """
    with open_file(path) as file, naming(path):
        dtype, shape = read_array_head(file)
        if dtype != RECORD or len(shape) != 1:
            raise ConfigError("not a file of games")
        (rows,) = shape
        need, free = rows * RECORD.itemsize, machine.available_memory()
        if need > free:
            raise ConfigError(f"{rows:,} rows need {need / 2**30:.1f} GiB of memory; {free / 2**30:.1f} GiB are free")
        records: Records = np.fromfile(file, RECORD, rows)  # not mapped: a run that goes on cuts its file
        if len(records) < rows:
            raise ConfigError("cut while it was read")
        _check_limits(records)
        return records


def _check_limits(records: Records) -> None:
    for name, most in LIMITS.items():
        if (wrong := records[name][(records[name] < 0) | (records[name] > most)]).size:
            raise refuse(name, int(wrong[0]), f"a number from 0 to {most}")


def save_records(path: Path, records: Records) -> None:
    """Write games to a `.npy` file, in one step."""
    buffer = io.BytesIO()  # NumPy itself would not say that a disk is full
    np.save(buffer, records, allow_pickle=False)
    with new_file(path) as file:
        file.write(buffer.getvalue())
