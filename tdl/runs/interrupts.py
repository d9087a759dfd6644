"""Interrupts, Ctrl-C and SIGTERM: the first asks to stop soon, as after the block, the second stops at once."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any


class Interrupts:
    """While this context is open, `requested` holds the number of the signal that came, or 0.

    The line that is printed says `when` the work will stop.
    """

    def __init__(self, when: str = "at the end of this block") -> None:
        self.when = when
        self.requested = 0
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _handle(self, number: int, _: FrameType | None) -> None:
        if self.requested:
            raise KeyboardInterrupt
        self.requested = number
        print(f"\ntdl: stopping {self.when}; once more to stop at once", file=sys.stderr)


@contextlib.contextmanager
def said_at_once(number: int, line: Callable[[], str]) -> Iterator[None]:
    """While this context is open a signal of this number has a line printed when it comes.

    Handlers wait until compiled code returns, and whoever sent the signal may kill this process before. The signal
    needs a handler all the same.
    """
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)

    def listen() -> None:
        while numbers := os.read(reader, 16):
            if number in numbers:
                print(f"\ntdl: {line()}", file=sys.stderr, flush=True)

    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        os.close(writer)
        listener.join()
        os.close(reader)
