"""Faults of a file system, put one after the other into the calls by which this process changes a folder.

What is not written goes through `os` or `open`, which are the only ways that `tdl` knows; a death is a real one, of a
forked process, in which no code runs any more.
"""

import builtins
import contextlib
import errno
import io
import os
import warnings
from dataclasses import dataclass
from pathlib import Path

import pytest

DEAD = 137
"""Exit code of a process that a fault has killed."""

CALLS = ("fsync", "replace", "rename", "unlink", "remove", "rmdir", "mkdir", "link")
"""Functions of `os` that are counted, besides opening for writing, writing and truncating."""

NEED_ROOM = ("open", "write", "mkdir", "link", "fsync", "truncate")
"""What fails on a full disk; renaming and deleting do not."""

ERRORS = {"no space": errno.ENOSPC, "input/output": errno.EIO, "full": errno.ENOSPC}
"""Faults after which the process lives on: a call fails once, or from then on all that need room."""

DEATHS = ("death", "torn write", "power cut")
"""Of the process after a call; in the middle of a write; with the loss of all that was not synced."""


@dataclass(frozen=True)
class Fault:
    """What happens at one call, whose number counts from 0."""

    kind: str
    number: int


class FaultyFiles:
    """While this context is open calls that change files below `folder` are counted, and one meets the fault.

    Attributes
    ----------
    calls : name and path, from the folder on, of each call.
    """

    def __init__(self, folder: Path, fault: Fault | None = None) -> None:
        self.folder, self.fault = Path(folder), fault or Fault("none", 1 << 60)
        self.calls: list[tuple[str, str]] = []
        self._paths: dict[int, Path] = {}  # of open files and folders, by their handles
        self._synced: dict[int, bytes] = {}  # what a power cut leaves of a file, by its number on the disk
        self._unwritten = False  # a write was cut short
        self._patch = pytest.MonkeyPatch()

    def __enter__(self):
        for name in CALLS:
            self._patch.setattr(os, name, self._faulty(name, getattr(os, name)))
        self._real_open, self._open_handle = builtins.open, os.open
        self._patch.setattr(os, "open", self._opened_handle)
        self._patch.setattr(builtins, "open", self._opened)
        self._patch.setattr(io, "open", self._opened)  # as pathlib calls it
        return self

    def __exit__(self, *_):
        self._patch.undo()

    def called(self, name, path, do, half=None):
        """Do what was asked for, unless it is the one that fails; `half` does the first half of a write.

        As on a real disk, a write that fails writes a part first and says how much, and the next one has the error.
        """
        if self._unwritten:
            self._unwritten = False
            raise self._error(path)
        self.calls.append((name, os.path.relpath(path, self.folder)))
        kind, after = self.fault.kind, len(self.calls) - 1 - self.fault.number
        if not (after >= 0 and name in NEED_ROOM if kind == "full" else after == 0):
            return do()
        if kind in DEATHS:
            self._die(do, half)
        if half is None or after > 0:
            raise self._error(path)
        self._unwritten = True
        return half()

    def _die(self, do, half):
        with contextlib.suppress(OSError):  # as that a file to delete was not there
            if self.fault.kind != "torn write":
                do()
            elif half is not None:
                half()
        if self.fault.kind == "power cut":
            self._lose_what_is_not_synced()
        os._exit(DEAD)

    def _lose_what_is_not_synced(self):
        for around, _, names in os.walk(self.folder):
            for name in names:
                path = os.path.join(around, name)
                content = self._synced.get(os.stat(path).st_ino)
                if content is not None:
                    with self._real_open(path, "wb") as file:
                        file.write(content)

    def _error(self, path):
        number = ERRORS[self.fault.kind]
        return OSError(number, os.strerror(number), str(path))

    def _sync(self, path):
        """What is in this file now outlasts a power cut."""
        if os.path.isfile(path):
            with self._real_open(path, "rb") as file:
                self._synced[os.stat(path).st_ino] = file.read()

    def _path(self, what, dir_fd=None):
        """The path of a file that is named, or open; what is not known lies elsewhere."""
        if isinstance(what, int):
            return self._paths.get(what, Path("/"))
        return (Path.cwd() if dir_fd is None else self._path(dir_fd)) / os.fspath(what)

    def _faulty(self, name, real):
        def call(what, *more, **options):
            path = self._path(what, options.get("dir_fd"))
            if not path.is_relative_to(self.folder):
                return real(what, *more, **options)
            done = self.called(name, path, lambda: real(what, *more, **options))
            if name == "fsync":
                self._sync(path)
            return done

        return call

    def _opened_handle(self, what, flags, *more, dir_fd=None, **options):
        """Known by its handle, to be read."""
        path = self._path(what, dir_fd)
        writes = path.is_relative_to(self.folder) and flags & (os.O_WRONLY | os.O_RDWR)
        assert not writes, f"{path}: a write that is not counted"
        handle = self._open_handle(what, flags, *more, dir_fd=dir_fd, **options)
        self._paths[handle] = path
        return handle

    def _opened(self, what, mode="r", buffering=-1, encoding=None, errors=None, newline=None, *more, **options):
        path = self._path(what)
        if not path.is_relative_to(self.folder) or not set(mode) & set("wax+"):
            file = self._real_open(what, mode, buffering, encoding, errors, newline, *more, **options)
            self._paths[file.fileno()] = path
            return file
        raw = self._opened_to_write(path, mode.replace("b", "").replace("t", ""))
        file = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
        return file if "b" in mode else io.TextIOWrapper(file, encoding, errors, newline)

    def _opened_to_write(self, path, mode):
        """What a file held before this process is taken for synced; a new one is empty after a power cut."""
        is_new = not path.exists()
        if not is_new and os.stat(path).st_ino not in self._synced:
            self._sync(path)
        raw = self.called("open", path, lambda: FaultyFile(self, path, mode))
        if is_new:
            self._synced[os.stat(path).st_ino] = b""
        self._paths[raw.fileno()] = path
        return raw


class FaultyFile(io.FileIO):
    """A file whose writes are counted."""

    def __init__(self, faults, path, mode):
        super().__init__(path, mode)
        self.faults, self.path = faults, path

    def write(self, data):
        """Write all of it, or half and the fault."""
        data, real = bytes(data), super().write
        return self.faults.called("write", self.path, lambda: real(data), lambda: real(data[: len(data) // 2]))

    def truncate(self, size=None):
        """Cut the file."""
        real = super().truncate
        return self.faults.called("truncate", self.path, lambda: real(size))


def forked(work):
    """Begin `work` in a forked process, which exits with 0 unless something ends it before; its number."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads that this process may have
        child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException), contextlib.redirect_stderr(None), contextlib.redirect_stdout(None):
            os._exit(0 if work() in (None, (0, "")) else 2)
        os._exit(1)
    return child


def ended(child):
    """Wait for the end of a forked process; its exit code, or the negative number of the signal that killed it."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
