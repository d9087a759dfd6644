"""The checkpoints and runs below the folder that is served; nothing outside of it is ever read.

What their files say may be anything that their checks let through: it is cut here to what a page can show.
"""

import contextlib
import functools
import os
import threading
from collections import defaultdict
from collections.abc import Iterator
from http import HTTPStatus
from itertools import islice
from pathlib import Path
from typing import Any

import pandas as pd

from tdl.errors import CheckpointError, TdlError, naming
from tdl.players.kinds import SMALL, checkpoint_folder, kind_of, read_agent
from tdl.results import frames as results
from tdl.results.labels import titles
from tdl.sessions import game_file
from tdl.sessions.recorded_game import RecordedGame
from tdl.statistics.summary import BlockTable, parse_blocks
from tdl.storage.checkpoint import META, Meta
from tdl.storage.reading import open_file
from tdl.storage.run_folder import BLOCKS, CHECKPOINT, RESULT, SWEEP

MAX_ENTRIES = 500
"""Of a list; the newest are in it."""

MAX_FOLDERS = 20_000
"""Searched for a list."""

MAX_GAMES = 1000
"""Of the list of recorded games; the newest are in it."""

MAX_POINTS = 120
"""Of a learning curve."""

MAX_NAME = 1000
"""Characters of a name."""

MAX_TEXT = 200
"""Characters of a value that is kept of a run."""

PATIENCE = 10.0
"""Seconds to wait for a turn."""


class Refusal(Exception):  # noqa: N818 - the server does as it should
    """A request that is refused, with a status of HTTP; the text goes to the client."""

    def __init__(self, status: HTTPStatus, text: str) -> None:
        super().__init__(text)
        self.status = status


@contextlib.contextmanager
def turn(lock: threading.Lock, busy: str) -> Iterator[None]:
    """While this context is open it is nobody else's turn; after `PATIENCE` the request is refused, as `busy` says."""
    if not lock.acquire(timeout=PATIENCE):
        raise Refusal(HTTPStatus.SERVICE_UNAVAILABLE, f"{busy}; ask again")
    try:
        yield
    finally:
        lock.release()


class Library:
    """The entries of a folder; the name of each is its path below the folder, `.` for the folder itself.

    The network in the package is one of them, `tdl:small`.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self._turn = functools.partial(turn, threading.Lock(), "other requests are being answered")
        """While this context is open no other request reads runs, so that many need no more memory."""

    def path(self, name: object) -> Path:
        """The path of an entry."""
        if name == SMALL:
            return checkpoint_folder(name)
        if not isinstance(name, str) or not 0 < len(name) <= MAX_NAME or "\0" in name:
            raise Refusal(HTTPStatus.BAD_REQUEST, "checkpoint: expected a name from the list of this folder")
        return self.inside(self.folder / name, name)

    def inside(self, path: Path, name: str) -> Path:
        """The path with all links followed."""
        try:
            real = path.resolve()
        except (OSError, RuntimeError):  # a loop of links
            real = Path("/")
        if not real.is_relative_to(self.folder) and not real.is_relative_to(checkpoint_folder(SMALL)):
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
        """The newest runs and checkpoints, each with a title of what those of its folder differ in.

        Those that can play come first, the highest score on top; the network in the package is the last of all.
        """
        with self._turn():
            known = [entry for folder, _ in self._folders() if (entry := self._entry(folder)) is not None]
            newest = sorted(known, key=lambda entry: (-entry["changed"], entry["name"]))[:MAX_ENTRIES]
            folders = defaultdict(list)
            for entry in newest:
                folders[entry["name"].rpartition("/")[0]].append(entry)
            for entries in folders.values():
                rows = [{"run": entry["name"].rpartition("/")[2], **entry.pop("row")} for entry in entries]
                for entry, title in zip(entries, titles(pd.DataFrame(rows, dtype=object)), strict=True):
                    entry["title"] = title
            newest.sort(key=lambda entry: (not entry["plays"], -entry.get("mean", entry.get("block", 0))))
            return [*newest, _small()]

    def sweeps(self) -> list[str]:
        """The names of the sweeps, the newest first."""
        with self._turn():
            paths = [folder / SWEEP for folder, names in self._folders() if SWEEP in names]
        return [self.name(path.parent) for path in sorted(paths, key=_changed, reverse=True)[:MAX_ENTRIES]]

    def games(self) -> list[dict[str, Any]]:
        """The newest recorded games: by folder and seed, the newest on top, and there by number."""
        sets = defaultdict(list)
        with self._turn():
            for game in islice(self._newest_games(), MAX_GAMES):
                sets[game["folder"], game["seed"]].append(game)
        return [game for games in sets.values() for game in sorted(games, key=lambda game: game["episode"])]

    def _newest_games(self) -> Iterator[dict[str, Any]]:
        """What the list says of recorded games, the newest first."""
        paths = [
            folder / name
            for folder, names in self._folders()
            for name in names
            if name.endswith(game_file.ENDINGS) and name not in (RESULT, META)
        ]
        for path in sorted(paths, key=_changed, reverse=True)[: 3 * MAX_GAMES]:
            with contextlib.suppress(TdlError, Refusal):  # no game, or a link that leads out
                head = _head_of(self.inside(path, path.name), _changed(path))
                yield {"name": self.name(path), "folder": self.name(path.parent), **head}

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

    def _entry(self, folder: Path) -> dict[str, Any] | None:
        """The entry of a folder, with the row of its result; None where there is nothing to show."""
        if (folder / SWEEP).is_file():  # its runs are entries
            return None
        meta, result, blocks = checkpoint_folder(folder) / META, folder / RESULT, folder / BLOCKS
        files = [path for path in (meta, result, blocks) if path.is_file()]
        if meta not in files and blocks not in files:
            return None
        try:
            for path in files:
                self.inside(path, path.name)
            changed = max(path.stat().st_mtime for path in files)
        except (OSError, Refusal):  # deleted meanwhile, or a link that leads out
            return None
        row = _row_of(result, changed) if result in files else {}
        entry = {
            "name": self.name(folder),
            "changed": changed,
            "checkpoint": meta in files,
            "curve": blocks in files,
            **_figures_of(row),
            **(_description_of(meta.parent, changed) if meta in files else {}),
            "row": row,
        }
        entry["plays"] = meta in files and "error" not in entry
        if entry["plays"] and "mean" not in entry and blocks in files:
            entry |= _best_block(blocks, changed)
        return entry

    def curve(self, name: object) -> dict[str, list[float]]:
        """The learning curve of a run: `episode`, `mean` and `max` of some of its blocks."""
        path = self.inside(self.path(name) / BLOCKS, f"{name}/{BLOCKS}")
        try:
            with self._turn(), open_file(path) as file, naming(f"{name}/{BLOCKS}", TdlError):
                return _some(parse_blocks(file))
        except FileNotFoundError:
            raise Refusal(HTTPStatus.NOT_FOUND, f"{name}: no learning curve ({BLOCKS} is missing)") from None
        except OSError as error:
            raise TdlError(f"{name}/{BLOCKS}: cut or corrupt: {error}") from error


def _small() -> dict[str, Any]:
    """The entry of the network in the package."""
    about = {"name": SMALL, "title": SMALL, "plays": True, "checkpoint": True, "curve": False, "changed": 0.0}
    return about | _description_of(checkpoint_folder(SMALL), 0.0)


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


@functools.lru_cache(2 * MAX_ENTRIES)
def _row_of(path: Path, changed: float) -> dict[str, Any]:
    """The row of a run's result as it was `changed` last; empty where it cannot be read."""
    try:
        row = results.row_of(path.parent.name, results.read(path))
        return {key: str(value)[:MAX_TEXT] if isinstance(value, str) else value for key, value in row.items()}
    except (TdlError, OSError):
        return {}


@functools.lru_cache(2 * MAX_ENTRIES)
def _best_block(path: Path, changed: float) -> dict[str, float]:
    """The highest mean score of a run's blocks as they were `changed` last, as `block`; empty where there is none."""
    with contextlib.suppress(TdlError, OSError, ValueError), open_file(path) as file:
        return {"block": float(parse_blocks(file)["mean"].max())}
    return {}


@functools.lru_cache(4 * MAX_GAMES)
def _head_of(path: Path, changed: float) -> dict[str, Any]:
    """What the list says of a recorded game as it was `changed` last."""
    game, score = game_file.head(path)
    about = {name: getattr(game, name) for name in ("seed", "episode", "own_start")}
    return {"called": game.rules.name, "score": score, **about}


def _figures_of(row: dict[str, Any]) -> dict[str, Any]:
    """The part of an entry from the row of its result."""
    entry = {"kind": row.get("agent")} | {key: row.get(key) for key in ("game", "size", "tiles", "status", "episodes")}
    entry = {key: value for key, value in entry.items() if isinstance(value, str | int)}  # others it may have, too
    mean = row.get("eval_mean")
    return entry | {"mean": float(mean)} if isinstance(mean, int | float) and mean == mean else entry


@functools.lru_cache(2 * MAX_ENTRIES)
def _description_of(folder: Path, changed: float) -> dict[str, Any]:
    """The part of an entry from a checkpoint as it was `changed` last, or what is wrong with it."""
    try:
        meta = read_agent(folder)
        laws = meta["rules"]
        size = f"{laws['rows']}x{laws['cols']}"
        return {"kind": kind_of(meta).name, "game": laws["game"], "size": size, "episodes": meta["episode"]}
    except CheckpointError as error:
        return {"error": str(error)}
