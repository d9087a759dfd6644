"""The files of a run that grow with each block of games; on resume they are cut to the checkpoint."""

import csv
import io
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tdl.errors import ConfigError
from tdl.storage.atomic import new_file
from tdl.storage.reading import open_file, read_lines, reading
from tdl.storage.records import RECORD, Records, load_records, save_records
from tdl.storage.run_folder import RunFolder

MAX_BLOCK = 1 << 16
"""Bytes of a block in `blocks.csv` or `train.log`; see `tdl.runs.disk.BLOCK_BYTES` for what they have."""

_HEADER = 256  # bytes of the .npy header, padded, so that it can be patched when the file grows


class EpisodeLog:
    """`episodes.npy`, `blocks.csv`, `train.log`, and of some agents `logged.npy`: appends the results of each block.

    Parameters
    ----------
    folder : the run's folder; it must exist.
    episode : episodes to keep of what is there: 0 starts anew, the checkpoint's number continues.

    Raises
    ------
    CheckpointError : `episodes.npy` is missing, shorter than the checkpoint, or not of this program.
    OSError : the folder cannot be written.
    """

    def __init__(self, folder: RunFolder, episode: int) -> None:
        self.folder = folder
        if episode:
            _check_episodes(folder.episodes, episode)
            _make_own(folder.episodes)
        else:
            folder.episodes.unlink(missing_ok=True)
        self._episodes: io.BufferedRandom = folder.episodes.open("r+b" if episode else "x+b")
        self._rows = episode
        try:
            self._cut(episode)
        except BaseException:
            self.close()
            raise

    def _cut(self, episode: int) -> None:
        """Cut what is there to the first `episode` episodes."""
        self._patch_header()
        self._episodes.truncate(_HEADER + episode * RECORD.itemsize)
        _cut_lines(self.folder.blocks, episode, header=True)
        _cut_lines(self.folder.log, episode, header=False)
        self._logged = _read_logged(self.folder.logged, episode)
        if len(self._logged) or self.folder.logged.exists():
            save_records(self.folder.logged, self._logged)

    def append(self, records: Records, row: Mapping[str, Any], block: str, logged: Records) -> None:
        """Add one block: its records, its row of figures, its statistics block, and games played beside it."""
        self._episodes.seek(0, os.SEEK_END)
        self._episodes.write(records.tobytes())
        self._rows += len(records)
        self._patch_header()
        with self.folder.blocks.open("a", newline="") as file:
            writer = csv.DictWriter(file, list(row))
            if file.tell() == 0:
                writer.writeheader()
            writer.writerow(row)
        with self.folder.log.open("a") as file:
            file.write(block)
        if len(logged):  # some thousand games at most: the whole file is written anew
            self._logged = np.concatenate([self._logged, logged])
            save_records(self.folder.logged, self._logged)

    def sync(self) -> None:
        """Make what was appended outlast a power cut; to be called before a checkpoint that counts on it."""
        os.fsync(self._episodes.fileno())
        for path in (self.folder.blocks, self.folder.log):
            with path.open("rb") as file:
                os.fsync(file.fileno())

    def close(self) -> None:
        """Close the files; every block is in them already."""
        self._episodes.close()

    def _patch_header(self) -> None:
        text = repr({"descr": RECORD.descr, "fortran_order": False, "shape": (self._rows,)})
        magic = b"\x93NUMPY\x01\x00" + (_HEADER - 10).to_bytes(2, "little")
        self._episodes.seek(0)
        self._episodes.write(magic + text.encode().ljust(_HEADER - 11) + b"\n")
        self._episodes.flush()


def _read_logged(path: Path, episode: int) -> Records:
    """The games logged up to an episode."""
    if not episode or not path.exists():
        return np.zeros(0, RECORD)
    games = load_records(path)
    return games[games["episode"] <= episode]


def _check_episodes(path: Path, episode: int) -> None:
    with reading(path) as file:
        start, size = file.read(8), os.fstat(file.fileno()).st_size
        if start != b"\x93NUMPY\x01\x00" or size < _HEADER + episode * RECORD.itemsize:
            raise ConfigError(f"cut: it has not the {episode} episodes of the checkpoint")


def _make_own(path: Path) -> None:
    """Part a file from other names that it has, as in a copy by hard links: it is changed in its place."""
    if os.stat(path).st_nlink > 1:
        with open_file(path) as old, new_file(path) as file:
            shutil.copyfileobj(old, file)


def _cut_lines(path: Path, episode: int, *, header: bool) -> None:
    """Keep the blocks up to `episode`, line by line: the file may be a large one of somebody else."""
    with new_file(path) as file:
        for line in _kept_lines(path, episode, header=header) if episode and path.exists() else ():
            file.write(line)


def _kept_lines(path: Path, episode: int, *, header: bool) -> Iterator[bytes]:
    """The header and the blocks up to `episode`. A block's first line begins with its episode; what follows belongs
    to it.
    """
    with reading(path) as old:
        last, rest = 0, MAX_BLOCK
        for at, line in enumerate(read_lines(old)):
            number = re.match(rb"\d{1,18}(?=[,\t])", line)
            if number is not None:
                if int(number[0]) > episode:
                    return
                if int(number[0]) <= last:
                    raise ConfigError(f"corrupt: the block of episode {int(number[0])} comes after that of {last}")
                last, rest = int(number[0]), MAX_BLOCK
            elif not last and (at or not header):  # before the first block
                continue
            rest -= len(line)
            if rest < 0:
                raise ConfigError(f"corrupt: the block of episode {last} has more than {MAX_BLOCK:,} bytes")
            if line.endswith(b"\n"):
                yield line
