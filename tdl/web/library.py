"""The checkpoints and runs below the folder that is served; nothing outside of it is ever read.

What their files say may be anything that their checks let through: it is cut here to what a page can show.
"""

import contextlib
import os
import threading
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pandas as pd

from tdl.errors import CheckpointError, TdlError, naming
from tdl.players.kinds import checkpoint_folder, kind_of, read_agent
from tdl.results import frames as results
from tdl.results.titles import titles
from tdl.sessions import game_file
from tdl.sessions.recorded_game import RecordedGame
from tdl.statistics.block_table import BlockTable, blocks_of
from tdl.storage.checkpoint import META, Meta
from tdl.storage.reading import open_file
from tdl.storage.run_folder import BLOCKS, CHECKPOINT, RESULT
from tdl.web.errors import Refusal

MAX_ENTRIES = 500
"""Of a list; the newest are in it."""

MAX_FOLDERS = 20_000
"""Searched for a list."""

MAX_GAMES = 100
"""Of the list of recorded games; the newest are in it."""

MAX_POINTS = 120
"""Of a learning curve."""

MAX_NAME = 1000
"""Characters of a name."""

MAX_TEXT = 200
"""Characters of a value that is kept of a run."""

PATIENCE = 10.0
"""Seconds to wait until others have read: one request at a time reads runs, so that many need no more memory."""


class Library:
    """The entries of a folder; the name of each is its path below the folder, `.` for the folder itself."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self._known: dict[Path, tuple[float, dict[str, Any], dict[str, Any]]] = {}
        self._lock = threading.Lock()

    def path(self, name: object) -> Path:
        """The path of an entry."""
        if not isinstance(name, str) or not 0 < len(name) <= MAX_NAME or "\0" in name:
            raise Refusal(HTTPStatus.BAD_REQUEST, "checkpoint: expected a name from the list of this folder")
        return self.inside(self.folder / name, name)

    def inside(self, path: Path, name: str) -> Path:
        """The path with all links followed."""
        try:
            real = path.resolve()
        except (OSError, RuntimeError):  # a loop of links
            real = Path("/")
        if not real.is_relative_to(self.folder):
            raise Refusal(HTTPStatus.FORBIDDEN, f"{name}: not below the folder that is served")
        return real

    def name(self, path: Path) -> str:
        """The name of a path below the folder."""
        return path.relative_to(self.folder).as_posix()

    def checkpoint(self, name: object) -> tuple[Path, Meta]:
        """The folder of a checkpoint by its name or that of its run, and its description."""
        folder = self.inside(checkpoint_folder(self.path(name)), str(name))
        self.inside(folder / META, f"{name}/{META}")
        meta = read_agent(folder)
        for array in meta["arrays"].values():
            self.inside(folder / array["file"], f"{name}/{array['file']}")
        return folder, meta

    def entries(self) -> list[dict[str, Any]]:
        """All runs and checkpoints, the newest first."""
        with self._turn():
            found = {folder: known for folder, _ in self._folders() if (known := self._entry(folder)) is not None}
            for folder in {*self._known} - {*found}:
                del self._known[folder]
            newest = sorted(found.values(), key=lambda each: (-each[0]["changed"], each[0]["name"]))[:MAX_ENTRIES]
            return [entry | {"title": title} for (entry, _), title in zip(newest, _titles(newest), strict=True)]

    @contextlib.contextmanager
    def _turn(self) -> Iterator[None]:
        """While this context is open no other request reads runs."""
        if not self._lock.acquire(timeout=PATIENCE):
            raise Refusal(HTTPStatus.SERVICE_UNAVAILABLE, "other requests are being answered; ask again")
        try:
            yield
        finally:
            self._lock.release()

    def games(self) -> list[dict[str, Any]]:
        """The recorded games, the newest first."""
        with self._turn():
            paths = [
                folder / name
                for folder, names in self._folders()
                for name in names
                if name.endswith(game_file.ENDINGS) and name not in (RESULT, META)
            ]
            known = []
            for path in sorted(paths, key=_changed, reverse=True)[: 3 * MAX_GAMES]:
                try:
                    rules, score = game_file.rules_and_score(self.inside(path, path.name))
                except (TdlError, Refusal):  # no game, or a link that leads out
                    continue
                known.append(
                    {"name": self.name(path), "called": rules.name, "score": score, "changed": _changed(path)}
                )
            return known[:MAX_GAMES]

    def game(self, name: object) -> RecordedGame:
        """A recorded game by its name."""
        return game_file.load(self.path(name))

    def _folders(self) -> Iterator[tuple[Path, list[str]]]:
        """The folder and those below, with their files; links are not followed, and checkpoints are part of runs."""
        for number, (folder, below, names) in enumerate(os.walk(self.folder)):
            if number == MAX_FOLDERS:
                return
            yield Path(folder), names
            below[:] = sorted(name for name in below if not name.startswith(".") and name != CHECKPOINT)

    def _entry(self, folder: Path) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """The entry of a folder, and the row of its result; None where there is nothing to show."""
        meta = checkpoint_folder(folder) / META
        files = [path for path in (meta, folder / RESULT, folder / BLOCKS) if path.is_file()]
        if not {meta, folder / BLOCKS} & set(files):
            return None
        try:
            for path in files:
                self.inside(path, path.name)
            changed = max(path.stat().st_mtime for path in files)
            if self._known.get(folder, (None,))[0] != changed:
                row = _row_of(folder / RESULT) if folder / RESULT in files else {}
                self._known[folder] = changed, self._describe(folder, files, changed, row), row
        except (OSError, Refusal):  # deleted meanwhile, or a link that leads out
            return None
        return self._known[folder][1:]

    def _describe(self, folder: Path, files: list[Path], changed: float, row: dict[str, Any]) -> dict[str, Any]:
        entry: dict[str, Any] = {
            "name": self.name(folder),
            "changed": changed,
            "checkpoint": files[0].name == META,
            "curve": folder / BLOCKS in files,
        }
        if row:
            entry |= _of_row(row)
        if files[0].name == META:
            entry |= _of_meta(files[0].parent)
        return entry

    def curve(self, name: object) -> dict[str, list[float]]:
        """The learning curve of a run: `episode`, `mean` and `max` of some of its blocks."""
        path = self.inside(self.path(name) / BLOCKS, f"{name}/{BLOCKS}")
        try:
            with self._turn(), open_file(path) as file, naming(f"{name}/{BLOCKS}", TdlError):
                return _some(blocks_of(file))
        except FileNotFoundError:
            raise Refusal(HTTPStatus.NOT_FOUND, f"{name}: no learning curve ({BLOCKS} is missing)") from None
        except OSError as error:
            raise TdlError(f"{name}/{BLOCKS}: cut or corrupt: {error}") from error


def _some(table: BlockTable) -> dict[str, list[float]]:
    """Some rows at even distances, and the last."""
    length = len(table["episode"])
    step = -(-max(length - 1, 1) // (MAX_POINTS - 2))
    rows = sorted({*range(0, length, step), length - 1} - {-1})
    return {key: table[key][rows].astype(float).tolist() for key in ("episode", "mean", "max")}


def _changed(path: Path) -> float:
    """When a file was written; 0 where it is gone meanwhile."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _titles(entries: list[tuple[dict[str, Any], dict[str, Any]]]) -> list[str]:
    """The title of each entry: what runs of one folder differ in."""
    folders: dict[str, list[int]] = {}
    for number, (entry, _) in enumerate(entries):
        folders.setdefault(entry["name"].rpartition("/")[0], []).append(number)
    texts = [""] * len(entries)
    for numbers in folders.values():
        rows = [{"run": entries[number][0]["name"].rpartition("/")[2], **entries[number][1]} for number in numbers]
        for number, text in zip(numbers, titles(pd.DataFrame(rows, dtype=object)), strict=True):
            texts[number] = text
    return texts


def _row_of(path: Path) -> dict[str, Any]:
    """The row of a run's result; empty where it cannot be read."""
    try:
        row = results.row_of(path.parent.name, results.read(path))
        return {key: str(value)[:MAX_TEXT] if isinstance(value, str) else value for key, value in row.items()}
    except (TdlError, OSError):
        return {}


def _of_row(row: dict[str, Any]) -> dict[str, Any]:
    """The part of an entry from the row of its result."""
    entry = {"kind": row.get("agent")} | {key: row.get(key) for key in ("game", "size", "tiles", "status", "episodes")}
    entry = {key: value for key, value in entry.items() if isinstance(value, str | int)}  # others it may have, too
    mean = row.get("eval_mean")
    return entry | {"mean": float(mean)} if isinstance(mean, int | float) and mean == mean else entry


def _of_meta(folder: Path) -> dict[str, Any]:
    """The part of an entry from a checkpoint's description, or what is wrong with it."""
    try:
        meta = read_agent(folder)
        laws = meta["rules"]
        size = f"{laws['rows']}x{laws['cols']}"
        return {"kind": kind_of(meta).name, "game": laws["game"], "size": size, "episodes": meta["episode"]}
    except CheckpointError as error:
        return {"error": str(error)}
