"""The sweeps below the folder that is served, each as it is now."""

import threading
import time
from collections import OrderedDict
from http import HTTPStatus
from pathlib import Path
from typing import Any

from tdl.sweeps.sweep_files import SweepFiles
from tdl.sweeps.sweep_state import state_of
from tdl.web.library import Library, Refusal, turn

MAX_SWEEPS = 2
"""Of which what was read is kept."""

FRESH = 1.0
"""Seconds for which an answer is given again."""


class ServedSweeps:
    """The sweeps of a library; one is read at a time, and what has not changed is not read again."""

    def __init__(self, library: Library) -> None:
        self.library, self._lock = library, threading.Lock()
        self._kept: OrderedDict[Path, tuple[SweepFiles, float, dict[str, Any]]] = OrderedDict()

    def get(self, name: object) -> dict[str, Any]:
        """The state of the sweep of this name."""
        if name is None:
            raise Refusal(HTTPStatus.NOT_FOUND, "sweep: expected the name of one below this folder")
        folder = self.library.path(name)
        with turn(self._lock, "other sweeps are being read"):
            files, asked, state = self._kept.pop(folder, (SweepFiles(folder, self.library.folder), 0.0, {}))
            if not state or time.monotonic() - asked > FRESH:
                try:
                    state = state_of(files)
                except (FileNotFoundError, NotADirectoryError):
                    raise Refusal(HTTPStatus.NOT_FOUND, f"{name}: no sweep") from None
                asked = time.monotonic()
            self._kept[folder] = files, asked, state
            while len(self._kept) > MAX_SWEEPS:
                self._kept.popitem(last=False)
        below = self.library.name(folder)
        return state | {"folder": below, "prefix": "" if below == "." else f"{below}/"}
