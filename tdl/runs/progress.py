"""Progress on the screen: a bar on a terminal and in a notebook, plain lines elsewhere."""

from __future__ import annotations

import contextlib
import importlib
import sys
import time
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

from tqdm import tqdm

from tdl.base import streams

_hidden: ContextVar[bool] = ContextVar("hidden", default=False)


@contextlib.contextmanager
def hidden() -> Iterator[None]:
    """While this context is open nothing is shown but lines that are said."""
    token = _hidden.set(True)
    try:
        yield
    finally:
        _hidden.reset(token)


def _bar_class() -> type[tqdm[Any]] | None:
    """The kind of bar that can be shown here."""
    if type(sys.stderr).__module__.partition(".")[0] == "ipykernel":  # a notebook, but not a job forked from it
        with contextlib.suppress(ImportError):
            importlib.import_module("ipywidgets")
            bar: type[tqdm[Any]] = importlib.import_module("tqdm.notebook").tqdm
            return bar
        return tqdm
    return tqdm if sys.stderr is not None and sys.stderr.isatty() else None


class Progress:
    """Shows how much of some work is done, how fast it goes on, a note, and the time left.

    Parameters
    ----------
    what : the first word of the bar or line, as "train".
    total : how much there is to do, as a number of episodes; None: nobody knows.
    unit : of what the speed is shown in, as "moves"; empty: no speed.
    done : how much is done at the start.
    """

    def __init__(self, what: str, total: int | None, unit: str = "", done: int = 0) -> None:
        self.what, self.total, self.unit, self.done = what, total, unit, done
        self.note = ""
        self._first, self._most = done, total
        self._start = self._shown = time.monotonic()
        self._amount = 0
        self._bar: tqdm[Any] | None = None
        self._silent = _hidden.get()
        bar_class = None if self._silent else _bar_class()
        if bar_class is not None and (total is None or total > done):
            of_total = "{percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} [{elapsed}<{remaining}"
            self._bar = bar_class(
                total=total,
                initial=done,
                desc=what,
                dynamic_ncols=True,
                miniters=0,  # the speed is news also while no game ends, as in a deep search
                smoothing=0,  # the mean so far: several games may end at once after a long time without any
                bar_format="{desc} " + ("{n_fmt} [{elapsed}" if total is None else of_total) + "{postfix}]",
            )

    def update(
        self, done: int, amount: int | None = None, note: str = "", *, share: float = 0.0, every: float | None = None
    ) -> None:
        """Show how far it is.

        Parameters
        ----------
        done : how much is done in all.
        amount : what the speed counts, since the start; None: what was done since then.
        note : what else to show, until there is another.
        share : of a budget that is used up, if there is one: the total is then guessed from it.
        every : least seconds between two plain lines; None: 2 with a note, as the mean of a block, and a note
            at the end is always shown; 10 without.
        """
        self.done, self._amount = done, done - self._first if amount is None else amount
        if share and self._most is not None:
            self.total = min(self._most, max(done, round(done / share)))
        if every is None:
            every = 10.0 if not note else 0.0 if done == self.total else 2.0
        self.note = note or self.note
        if self._bar is not None:
            self._bar.total = self.total
            self._bar.set_postfix_str(", ".join(filter(None, [self._speed(), self.note])), refresh=False)
            self._bar.update(done - self._bar.n)
        elif not self._silent and time.monotonic() - self._shown >= every:
            self._shown = time.monotonic()
            done_text = f"{self.what} {done}" + ("" if self.total is None else f"/{self.total}")
            streams.say("  ".join(filter(None, [done_text, self._speed(), self.note, self._left()])))

    def show(self, note: str) -> None:
        """Show a note on the bar; no plain line."""
        if self._bar is not None:
            self._bar.set_postfix_str(note)

    def say(self, line: str) -> None:
        """Print a line above the bar."""
        if self._bar is not None:
            self._bar.write(line, file=sys.stderr)
        else:
            streams.say(line)

    def close(self) -> None:
        """End the bar."""
        if self._bar is not None:
            self._bar.close()

    def _speed(self) -> str:
        if not self.unit:
            return ""
        return f"{tqdm.format_sizeof(self._amount / max(time.monotonic() - self._start, 1e-9))} {self.unit}/s"

    def _left(self) -> str:
        if self.total is None:
            return ""
        if self.done == self._first:
            return "left ?"
        seconds = (time.monotonic() - self._start) / (self.done - self._first)
        return f"left {tqdm.format_interval(seconds * (self.total - self.done))}"
