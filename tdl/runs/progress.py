"""Progress on the screen: a bar on a terminal and in a notebook, plain lines elsewhere."""

from __future__ import annotations

import contextlib
import importlib
import sys
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

from tqdm import tqdm

from tdl.base import streams

_hidden: ContextVar[bool] = ContextVar("hidden", default=False)

MOST_SECONDS, PART = 60.0, 0.02
"""Between two plain lines of long work: this part of the time so far, and at most so many seconds."""

_report: Callable[[float], None] | None = None


def report_to(report: Callable[[float], None]) -> None:
    """Let whatever this process does be told to somebody else, too, as the share of the work that is done."""
    global _report
    _report = report


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
    total : how much there is to do, as a number of episodes; None: nobody knows, unless the share of a budget tells.
    unit : of what the speed is shown in, as "moves"; empty: no speed.
    done : how much is done at the start.
    share : of a budget that is used up at the start.
    """

    def __init__(self, what: str, total: float | None, unit: str = "", done: float = 0, share: float = 0.0) -> None:
        self.what, self.total, self.unit, self.done = what, total, unit, done
        self.note = ""
        self._first, self._most, self._part, self._spent = done, total, 0.0, share
        self._first_share = self._share()
        self._start = self._shown = time.monotonic()
        self._amount: float = 0
        self._bar: tqdm[Any] | None = None
        self._silent = _hidden.get()
        bar_class = None if self._silent else _bar_class()
        if bar_class is not None and (total is None or total > done):
            self._bar = bar_class(
                total=total,
                initial=done,
                desc=what,
                dynamic_ncols=True,
                miniters=0,  # the speed is news also while no game ends, as in a deep search
                smoothing=0,  # the mean so far: several games may end at once after a long time without any
                bar_format=self._layout(),
            )

    def update(
        self,
        done: float,
        amount: float | None = None,
        note: str = "",
        *,
        share: float = 0.0,
        part: float = 0.0,
        every: float | None = None,
    ) -> None:
        """Show how far it is.

        Parameters
        ----------
        done : how much is done in all.
        amount : what the speed counts, since the start; None: what was done since then.
        note : what else to show, until there is another.
        share : of a budget that is used up, if there is one: the total is then guessed from it.
        part : of what is not done yet, as of jobs that run.
        every : least seconds between two plain lines; None: 2 with a note, as the mean of a block, and a note
            at the end is always shown; 10 without. Of long work they are rarer.
        """
        self.done, self._amount, self._part = done, done - self._first if amount is None else amount, part
        self._spent = share
        if share:
            total = max(done, round(done / share))
            self.total = total if self._most is None else min(self._most, total)
        if every is None:
            every = 10.0 if not note else 0.0 if done == self.total else 2.0
        self.note = note or self.note
        now = time.monotonic()
        if self._bar is not None:
            self._bar.total, self._bar.bar_format = self.total, self._layout()
            self._bar.set_postfix_str(", ".join(filter(None, [self.note, self._speed()])), refresh=False)
            self._bar.update(done + part - self._bar.n)
        elif not self._silent and now - self._shown >= (
            every and max(every, min(MOST_SECONDS, PART * (now - self._start)))
        ):
            self._shown = now
            left = "" if self.total is None else f"left {self._left()}"
            counts = f"{self.what} {self._counts()}"
            streams.say("  ".join(filter(None, [counts, self._speed(), self.note, left])))
        if _report is not None:
            _report(self._share())

    def expect(self, total: float) -> None:
        """Take another total, as of a race in which settings have stopped."""
        self.total = self._most = total

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

    def _counts(self) -> str:
        return f"{self.done:.12g}" + ("" if self.total is None else f"/{self.total:.12g}")

    def _share(self) -> float:
        """The part of the work that is done."""
        return min(1.0, max(self._spent, (self.done + self._part) / self._most if self._most else 0.0))

    def _layout(self) -> str:
        """The bar, for `tqdm`."""
        if self.total is None:
            return f"{{desc}} {self._counts()} [{{elapsed}}{{postfix}}]"
        counts = "" if self._spent else f"{self._counts()} "  # of a budget they are guessed, and a line is short
        return f"{{desc}} {{percentage:3.0f}}%|{{bar}}| {counts}[{{elapsed}}<{self._left()}{{postfix}}]"

    def _speed(self) -> str:
        if not self.unit:
            return ""
        return f"{tqdm.format_sizeof(self._amount / max(time.monotonic() - self._start, 1e-9))} {self.unit}/s"

    def _left(self) -> str:
        share = self._share()
        if share <= self._first_share:
            return "?"
        seconds = (time.monotonic() - self._start) / (share - self._first_share)
        return tqdm.format_interval(seconds * (1 - share))
