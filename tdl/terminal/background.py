"""The background of the terminal, which it is asked for, by the sequence of xterm (OSC 11) that most of them know."""

import contextlib
import os
import re
import select
import sys
import time
from collections.abc import Iterator

from tdl.sessions.pictures import contrast

QUESTION = b"\x1b]11;?\x1b\\\x1b[c"
"""What is the background, and what are you? Every terminal answers the second: nobody waits for the first in vain."""

SECONDS = 1.0
"""To wait for the answer, which may come from far away."""


def is_light() -> bool:
    """Whether the background of the terminal is light; False where it does not say."""
    with contextlib.suppress(ImportError, OSError, ValueError, AttributeError), _unbuffered() as keyboard:
        if select.select([keyboard], [], [], 0)[0]:  # keys that were pressed before are not lost
            return False
        os.write(sys.__stderr__.fileno(), QUESTION)  # type: ignore[union-attr]
        answer, end = b"", time.monotonic() + SECONDS
        while not re.search(rb"\x1b\[\?[\d;]*c", answer):
            if not select.select([keyboard], [], [], max(0.0, end - time.monotonic()))[0]:
                break
            answer += os.read(keyboard, 1024)
        return light_in(answer)
    return False


def light_in(answer: bytes) -> bool:
    """Whether the background in an answer is light."""
    match = re.search(rb"\]11;rgba?:([0-9a-f]{2})[0-9a-f]*/([0-9a-f]{2})[0-9a-f]*/([0-9a-f]{2})", answer, re.I)
    if match is None:
        return False
    colour = "#" + b"".join(match.groups()).decode()
    return contrast(colour, "#000000") > contrast(colour, "#ffffff")


@contextlib.contextmanager
def _unbuffered() -> Iterator[int]:
    """The keyboard, while this context is open without lines and echo."""
    import termios  # not on Windows

    keyboard = sys.__stdin__.fileno()  # type: ignore[union-attr]
    before = termios.tcgetattr(keyboard)
    now = list(before)
    now[3] &= ~(termios.ICANON | termios.ECHO)
    termios.tcsetattr(keyboard, termios.TCSANOW, now)
    try:
        yield keyboard
    finally:
        termios.tcsetattr(keyboard, termios.TCSANOW, before)
