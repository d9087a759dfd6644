"""The files of a run that grow with each block of games; on resume they are cut to the checkpoint."""

import csv
import io
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from tdl.errors import ConfigError, naming, shown
from tdl.statistics.summary import parse_lines
from tdl.storage.atomic import new_file
from tdl.storage.reading import open_file, read_lines, reading
from tdl.storage.records import RECORD, Records, load_records, save_records
from tdl.storage.run_folder import RunFolder

_MAGIC = b"\x93NUMPY\x01\x00"
_HEADER = 256  # bytes of the .npy header, padded, so that it can be patched when the file grows


class EpisodeLog:
    """`episodes.npy`, `blocks.csv`, `train.log`, and of some agents `logged.npy`: appends the results of each block.

    Parameters
    ----------
    folder : the run's folder; it must exist.
    episode : episodes to keep of what is there: 0 starts anew, the checkpoint's number continues.
    columns : those that `blocks.csv` has to have; none: any that a run has.

    Raises
    ------
    CheckpointError : `episodes.npy` is missing, shorter than the checkpoint, or not of this program; or `blocks.csv`
        is not.
    OSError : the folder cannot be written.
    """

    def __init__(self, folder: RunFolder, episode: int, columns: Sequence[str] = ()) -> None:
        self.folder = folder
        self._rows, self._logged = episode, np.zeros(0, RECORD)
        if episode:
            _check_blocks(folder.blocks, episode, columns)
            _prepare_episodes(folder.episodes, episode)
        else:
            folder.episodes.unlink(missing_ok=True)
        self._episodes: io.BufferedRandom = folder.episodes.open("r+b" if episode else "x+b")
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
        if self.folder.logged.exists():
            if episode:
                games = load_records(self.folder.logged)
                self._logged = games[games["episode"] <= episode]
            save_records(self.folder.logged, self._logged)

    def append(self, records: Records, row: Mapping[str, Any], block: str, logged: Records) -> None:
        """Add one block: its records, its row of figures, its statistics block, and games played beside it."""
        self._episodes.seek(0, os.SEEK_END)
        self._episodes.write(records.tobytes())
        self._rows += len(records)
        self._patch_header()
        with self.folder.blocks.open("a", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(row))
            if file.tell() == 0:
                writer.writeheader()
            writer.writerow(row)
        with self.folder.log.open("a", encoding="utf-8") as file:
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
        self._episodes.seek(0)
        self._episodes.write(_MAGIC + (_HEADER - 10).to_bytes(2, "little") + text.encode().ljust(_HEADER - 11) + b"\n")
        self._episodes.flush()


def _check_blocks(path: Path, episode: int, columns: Sequence[str]) -> None:
    """Refuse a file under whose lines those of this run would not stand; one that is missing or empty begins anew."""
    lines = _kept_lines(path, episode, header=True) if path.exists() else iter(())
    with naming(path):
        if (head := next(lines, None)) is not None:
            there = [*parse_lines(chain([head], lines))]
            if columns and there != [*columns]:
                raise ConfigError(f"columns of another run: {shown(','.join(there))}")


def _prepare_episodes(path: Path, episode: int) -> None:
    """Refuse a file that is too short, and part it from other names, as in a copy by hard links: it will change."""
    with reading(path) as file:
        entry = os.fstat(file.fileno())
        if file.read(len(_MAGIC)) != _MAGIC or entry.st_size < _HEADER + episode * RECORD.itemsize:
            raise ConfigError(f"cut: it has not the {episode} episodes of the checkpoint")
    if entry.st_nlink > 1:
        with open_file(path) as file, new_file(path) as copy:
            shutil.copyfileobj(file, copy)


def _cut_lines(path: Path, episode: int, *, header: bool) -> None:
    """Keep the blocks up to `episode`, line by line: the file may be a large one of somebody else."""
    with new_file(path) as file:
        for line in _kept_lines(path, episode, header=header) if episode and path.exists() else ():
            file.write(line)


def _kept_lines(path: Path, episode: int, *, header: bool) -> Iterator[bytes]:
    """The header and the blocks up to `episode`: lines that begin with their episode, and those after them."""
    with reading(path) as old:
        last = 0
        for at, line in enumerate(read_lines(old)):
            number = re.match(rb"\d{1,18}(?=[,\t])", line)
            if number is not None:
                if int(number[0]) > episode:
                    return
                if int(number[0]) <= last:
                    raise ConfigError(f"corrupt: the block of episode {int(number[0])} comes after that of {last}")
                last = int(number[0])
            is_of_block = last or (header and not at)
            if is_of_block and line.endswith(b"\n"):
                yield line
