"""Locks of folders: one process at a time works in a run's folder."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from pathlib import Path

from tdl.errors import BusyError

PATIENCE = 0.2
"""Seconds to wait for a lock: who looks whether there is one (`is_held`) has it for an instant."""


class RunLock:
    """While this context is open no other process can open it for `folder`; the system frees it however we end.

    The lock is on the folder itself, so that no file is left behind. Where another process holds it: `BusyError`.
    """

    def __init__(self, folder: Path, patience: float = PATIENCE) -> None:
        self.folder, self.patience = folder, patience

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
        end = time.monotonic() + self.patience
        while True:
            try:
                return fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= end:
                    raise BusyError(f"{self.folder}: another process is working in this folder") from None
            time.sleep(0.01)

    def __exit__(self, *_: object) -> None:
        os.close(self._handle)


def is_held(folder: Path) -> bool:
    """Whether a process works in a folder."""
    try:
        with RunLock(folder, patience=0.0):
            return False
    except BusyError:
        return True
    except OSError:
        return False
