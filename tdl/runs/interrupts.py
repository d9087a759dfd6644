"""Signals that ask a program to end: Ctrl-C and SIGTERM, a closed terminal, the warnings of a cluster.

The first asks to stop soon, as after the block; a second Ctrl-C or SIGTERM stops at once.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

from tdl.base import streams
from tdl.errors import Interrupted

URGENT = (signal.SIGINT, signal.SIGTERM)
WARNINGS = (signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGXCPU)
"""They may come several times, as SIGHUP does where a terminal is closed. Whoever has taken care of one keeps it:
`nohup` of SIGHUP, submitit of the one by which it has a job begin anew.
"""


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
            free = [number for number in WARNINGS if signal.getsignal(number) == signal.SIG_DFL]
            for number in (*URGENT, *free):
                self._before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def stop(self) -> None:
        """Raise `Interrupted` where a signal came."""
        if self.requested:
            raise Interrupted("stopped before all was done", 128 + self.requested)

    def _handle(self, number: int, _: FrameType | None) -> None:
        if self.requested and number in WARNINGS:
            return
        if self.requested in URGENT:
            raise KeyboardInterrupt
        self.requested = number
        streams.say(f"\ntdl: stopping {self.when}; once more to stop at once")


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
                streams.say(f"\ntdl: {line()}")

    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        os.close(writer)
        listener.join()
        os.close(reader)
