"""The standard streams of a program: there if they were closed, and no reader that goes away ends the work."""

from __future__ import annotations

import contextlib
import io
import os
import select
import signal
import sys
from collections.abc import Iterator
from typing import Any

from tdl.errors import one_line

NAMES = ("stdin", "stdout", "stderr")

_lost: dict[int, OSError] = {}
"""By the number of a stream why it takes nothing any more."""


class _Lasting(io.FileIO):
    """A stream that takes everything: what can no longer be written is lost, which `_lost` says."""

    def write(self, data: Any) -> int:
        try:
            while (written := super().write(data)) is None:  # a pipe that does not block is full
                select.select([], [self], [])
            return written
        except OSError as error:
            _lost.setdefault(self.fileno(), error)
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            return memoryview(data).nbytes


@contextlib.contextmanager
def guarded() -> Iterator[None]:
    """While this context is open a program works to its end, whoever reads what it prints.

    Where output was lost it then ends with an exit code above 0: that of SIGPIPE without a word if a reader has gone.
    """
    keep_going()
    try:
        yield
    except SystemExit as end:
        _end(end.code)
        raise
    _end(0)


def keep_going() -> None:
    """Let no print of this process raise: neither a closed stream nor a letter that its encoding lacks is an error.

    A closed input stays None, for whoever needs it to refuse.
    """
    for handle in range(3):
        try:
            os.fstat(handle)
        except OSError:
            # A closed stream would be the next file that is opened. An output takes nothing, so it is lost.
            os.set_inheritable(os.open(os.devnull, os.O_WRONLY if handle == 2 else os.O_RDONLY), True)
    for handle in (1, 2):
        name = NAMES[handle]
        if getattr(sys, name) is getattr(sys, f"__{name}__"):  # else somebody else's, as of a notebook
            setattr(sys, name, _lasting(getattr(sys, name), handle))
    if sys.stdin is sys.__stdin__ and isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")


def say(line: str) -> None:
    """Print a line beside the results, wherever that is possible."""
    with contextlib.suppress(OSError, RuntimeError):  # the latter in a handler of signals that interrupts a print
        if sys.stderr is not None:
            print(line, file=sys.stderr, flush=True)


@contextlib.contextmanager
def excused(what: str, hint: str) -> Iterator[None]:
    """While this context is open an error is no more than a line, but for those of files: all results are safe.

    A library that finds no memory may raise whatever it likes.
    """
    try:
        yield
    except OSError:
        raise
    except Exception as error:
        say(f"tdl: {what}: {one_line(str(error)) or type(error).__name__}; {hint}")


def reply(line: str) -> None:
    """Print a line at once, of a program that is asked line by line: it ends where nobody reads any more."""
    print(line, flush=True)
    if 1 in _lost:
        sys.exit()


def _lasting(stream: Any, handle: int) -> io.TextIOWrapper:
    raw, at_once = _Lasting(handle, "w", closefd=False), getattr(stream, "write_through", False)
    return io.TextIOWrapper(
        raw if at_once else io.BufferedWriter(raw),
        getattr(stream, "encoding", "utf-8"),
        "backslashreplace",
        line_buffering=handle == 2 or raw.isatty(),
        write_through=at_once,
    )


def _end(code: object) -> None:
    """Leave the program where it would end with 0 though output was lost."""
    for name in NAMES[1:]:
        getattr(sys, name).flush()
    if code or not _lost:
        return
    handle, error = min(_lost.items())
    if isinstance(error, BrokenPipeError):
        sys.exit(128 + signal.SIGPIPE)
    say(f"tdl: {NAMES[handle]} could not be written: {error.strerror}")
    sys.exit(2)
