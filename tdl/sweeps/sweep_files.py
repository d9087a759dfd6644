"""The files of a sweep, whoever runs it: its jobs, what its command plans, what its race decided. Nothing is run."""

import contextlib
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.errors import TdlError, file_text, naming, printable
from tdl.results.frames import row_of
from tdl.statistics.summary import parse_blocks
from tdl.storage.checkpoint import META
from tdl.storage.race_file import RACE, RaceRow, read_race
from tdl.storage.reading import open_file, read_notes
from tdl.storage.run_folder import BLOCKS, CHECKPOINT, FAILED, HYDRA, PASSING, RESULT, RUNNING, SWEEP, RunFolder
from tdl.sweeps.job import run_of
from tdl.sweeps.table import lost_row

MAX_JOBS = 20_000
"""Folders that are looked at."""

MAX_ROWS = 240
"""Blocks of a job that are kept."""

FIGURES = ("episode", "mean", "moves", "seconds", "moves_per_second")


@dataclass(frozen=True)
class Blocks:
    """Some blocks of a job, at even distances, and the last; `moves` and `seconds` are sums since its start."""

    episode: NDArray[np.float64]
    mean: NDArray[np.float64]
    moves: NDArray[np.float64]
    seconds: NDArray[np.float64]
    speed: float  # moves a second in the last block
    pace: float  # seconds of the last block
    changed: float  # when the last was written

    def is_fresh(self) -> bool:
        """Whether the next may still be written: no more than three of its kind, and a minute, have gone by."""
        return time.time() - self.changed < 60.0 + 3 * self.pace


@dataclass
class JobFiles:
    """What is known of a job that has a folder.

    Attributes
    ----------
    name, folder, run : of its folder; that of its run, which is another where it went on with one.
    row : as of `tdl.results.runs`; without a seed where nothing says what the job is.
    ends : how many episodes, moves and seconds it trains, as far as it is bounded.
    blocks : of its training; None where there are none.
    locked : whether a process works on it.
    plays : whether its agent can be loaded.
    """

    name: str
    folder: Path
    run: Path
    row: dict[str, Any]
    ends: dict[str, float] = field(default_factory=dict)
    blocks: Blocks | None = None
    locked: bool = False
    plays: bool = False


class SweepFiles:
    """Reads the files of a sweep again and again; those that have not changed since are not read.

    Parameters
    ----------
    folder : of the sweep.
    root : no file outside of this folder is read; None: any to which links lead.

    Attributes
    ----------
    wrong : what could not be read at the last look, for people.
    """

    def __init__(self, folder: Path, root: Path | None = None) -> None:
        self.folder, self.root = folder, root
        self._known: dict[Path, tuple[tuple[int, int], Any]] = {}
        self._seen: dict[Path, tuple[tuple[int, int], Any]] = {}
        self.wrong: list[str] = []

    def look(self) -> tuple[dict[str, Any], list[JobFiles], list[RaceRow]]:
        """Hydra's notes of the sweep, its jobs by name, and the rows of its race.

        Raises
        ------
        TdlError, OSError : of the notes; it is no sweep, or a damaged one.
        """
        self.wrong, self._seen = [], {}
        with naming(self.folder / SWEEP, TdlError):
            notes = self._read(self.folder / SWEEP, read_notes)
        paths = sorted(path.parent for path in islice(self.folder.glob(f"*/{HYDRA}"), MAX_JOBS))
        jobs = [self._job(path) for path in paths]
        rows = self._tried(self.folder / RACE, lambda path: read_race(path.parent)) or []
        self._known = self._seen
        return notes, jobs, rows

    @property
    def changed(self) -> float:
        """When a file was written last, of those that were there at the last look."""
        return max((version[0] for version, _ in self._known.values()), default=0) / 1e9

    def _read(self, path: Path, read: Callable[[Path], Any]) -> Any:
        """What `read` made of a file, as it is now."""
        status = os.stat(path)
        version = status.st_mtime_ns, status.st_size
        known = self._known.get(path)
        if known is None or known[0] != version:
            self._check_inside(path)
            known = version, read(path)
        self._seen[path] = known
        return known[1]

    def _tried(self, path: Path, read: Callable[[Path], Any]) -> Any:
        """The same; None where the file is missing or damaged, which is noted."""
        try:
            return self._read(path, read)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (TdlError, OSError) as error:
            self._note(error)
        return None

    def _note(self, error: TdlError | OSError) -> str:
        """Note what is wrong, with names of files below the folder."""
        text = file_text(error) if isinstance(error, OSError) else str(error)
        self.wrong.append(printable(text.replace(f"{self.folder}/", "")))
        return self.wrong[-1]

    def _check_inside(self, path: Path) -> None:
        if self.root is not None and not Path(os.path.realpath(path)).is_relative_to(self.root):
            raise TdlError(f"{path.parent.name}/{path.name}: a link that leads out of the folder")

    def _job(self, folder: Path) -> JobFiles:
        run = run_of(folder)
        row, ends = self._row(folder, run)
        job = JobFiles(folder.name, folder, run, row, ends)
        with contextlib.suppress(TdlError):
            self._check_inside(run)
            job.locked = row["status"] != "finished" and RunFolder(run).is_locked()
            job.plays = (run / CHECKPOINT / META).is_file()
        job.blocks = self._tried(run / BLOCKS, _blocks)
        return job

    def _row(self, folder: Path, run: Path) -> tuple[dict[str, Any], dict[str, float]]:
        """The row of a job and the ends of its training; where it left no result, what Hydra noted of it."""
        try:
            known: tuple[dict[str, Any], dict[str, float]] = self._read(run / RESULT, partial(_result, run))
            return known
        except (TdlError, OSError) as error:
            damaged = isinstance(error, TdlError) or error.errno in PASSING
            status = {"status": FAILED, "error": self._note(error)} if damaged else {"status": RUNNING, "error": None}
        row = self._tried(folder / HYDRA / "config.yaml", lambda _: lost_row(folder, None))
        return (row or row_of(str(folder), {"names": {}, "config": {}})) | status, {}

    def words(self, job: JobFiles) -> list[str]:
        """The words of the command line of a job; none where Hydra's note of them is missing or damaged."""
        notes = self._tried(job.folder / HYDRA / "hydra.yaml", read_notes) or {}
        return texts_at(notes, "hydra", "overrides", "task")


def texts_at(notes: Mapping[str, Any], *names: str) -> list[str]:
    """The texts of the list at this place of Hydra's notes."""
    values = value_at(notes, *names)
    return [value for value in values if isinstance(value, str)] if isinstance(values, list) else []


def value_at(notes: Mapping[str, Any], *names: str) -> Any:
    """What stands at this place of Hydra's notes; None where nothing does."""
    value: Any = notes
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _result(run: Path, path: Path) -> tuple[dict[str, Any], dict[str, float]]:
    """The row of a run, and the ends of its training by what they count."""
    result = RunFolder(run).read_result()
    config = result["config"]
    places = {"episode": ("episodes",), "moves": ("budget", "moves"), "seconds": ("budget", "seconds")}
    ends = {name: value_at(config, *place) for name, place in places.items()}
    return row_of(str(run), result), {name: float(end) for name, end in ends.items() if is_positive(end)}


def is_positive(value: object) -> bool:
    """Whether a value is a number above 0."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < float("inf")


def _blocks(path: Path) -> Blocks | None:
    with open_file(path) as file, naming(path, TdlError):
        table = parse_blocks(file, FIGURES)
        changed = os.fstat(file.fileno()).st_mtime
    columns = {name: table[name].astype(float) for name in FIGURES if name in table}
    if len(columns) < len(FIGURES) or not len(columns["mean"]):
        return None
    last = {name: float(column[-1]) for name, column in columns.items()}
    columns |= {name: np.cumsum(columns[name]) for name in ("moves", "seconds")}
    last_row = len(columns["mean"]) - 1
    rows = np.linspace(0, last_row, min(MAX_ROWS, last_row + 1)).astype(int)
    episode, mean, moves, seconds = (columns[name][rows] for name in ("episode", "mean", "moves", "seconds"))
    return Blocks(episode, mean, moves, seconds, last["moves_per_second"], last["seconds"], changed)
