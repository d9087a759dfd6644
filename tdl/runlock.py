"""One process at a time in a run's folder."""

from __future__ import annotations

import contextlib
import fcntl
import os
from pathlib import Path

from tdl.errors import BusyError


class RunLock:
    """While this context is open no other process can open it for `folder`; the system frees it however we end.

    The lock is on the folder itself, so that no file is left behind.

    Raises
    ------
    BusyError : another process holds it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __enter__(self) -> RunLock:
        self._handle = os.open(self.folder, os.O_RDONLY)
        try:
            with contextlib.suppress(OSError):  # a file system without locks: nothing is worse than before
                self._lock()
        except BaseException:
            os.close(self._handle)
            raise
        return self

    def _lock(self) -> None:
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BusyError(f"{self.folder}: another process is working in this folder") from None

    def __exit__(self, *_: object) -> None:
        os.close(self._handle)
