"""Interrupts, Ctrl-C and SIGTERM: the first asks to stop soon, as after the block, the second stops at once."""

from __future__ import annotations

import signal
import sys
import threading
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
