"""Progress on the screen: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from typing import Any

from tqdm import tqdm

LINE_SECONDS = 2.0
"""Least time between two plain lines."""

PHASE_SECONDS = 10.0
"""The same of phases, which are fewer and longer, and of games within a block."""


class Progress:
    """Shows episodes done, moves per second, the mean of the last block and the time left.

    Parameters
    ----------
    what : the first word of the bar or line, as "train".
    done, total : episodes at the start and at the end.
    """

    def __init__(self, what: str, done: int, total: int) -> None:
        self.what, self.done, self.total, self._most = what, done, total, total
        self.mean = ""
        self._first = done
        self._start = self._shown = time.monotonic()
        self._moves = 0
        self._bar: tqdm[Any] | None = None
        if sys.stderr.isatty() and total > done:
            self._bar = tqdm(
                total=total,
                initial=done,
                desc=what,
                unit="ep",
                dynamic_ncols=True,
                miniters=0,  # the speed is news also while no game ends, as in a deep search
                smoothing=0,  # the mean so far: several games may end at once after a long time without any
                bar_format="{desc} {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} [{elapsed}<{remaining}{postfix}]",
            )

    def update(self, done: int, moves: int, mean: float | None = None, share: float = 0.0) -> None:
        """Show how far it is.

        Parameters
        ----------
        done : episodes so far in all.
        moves : since the start.
        mean : score of the block that just ended.
        share : of a budget that is used up, if there is one: the episodes at the end are then guessed from it.
        """
        self.done, self._moves = done, moves
        if share:
            self.total = min(self._most, max(done, round(done / share)))
        if mean is not None:
            self.mean = f"mean {mean:,.0f}"
        speed = f"{tqdm.format_sizeof(self._speed())} moves/s"
        if self._bar is not None:
            self._bar.total = self.total
            self._bar.set_postfix_str(", ".join(filter(None, [speed, self.mean])), refresh=False)
            self._bar.update(done - self._bar.n)
        elif self._due(PHASE_SECONDS if mean is None else LINE_SECONDS) or (mean is not None and done >= self.total):
            self._shown = time.monotonic()
            said = [f"{self.what} {done}/{self.total}", speed, self.mean, f"left {self._left()}"]
            print("  ".join(filter(None, said)), file=sys.stderr)

    def close(self) -> None:
        """End the bar."""
        if self._bar is not None:
            self._bar.close()

    def _due(self, seconds: float) -> bool:
        return time.monotonic() - self._shown >= seconds

    def _speed(self) -> float:
        return self._moves / max(time.monotonic() - self._start, 1e-9)

    def _left(self) -> str:
        played = self.done - self._first
        if not played:
            return "?"
        return str(tqdm.format_interval((time.monotonic() - self._start) / played * (self.total - self.done)))


class Phases:
    """Shows phases of work on boards: how many are done, how fast, and where their number is known the time left.

    Plain lines come only of phases that take longer than `PHASE_SECONDS`.
    """

    def __init__(self) -> None:
        self._what = ""
        self._bar: tqdm[Any] | None = None
        self._start = self._shown = time.monotonic()

    def report(self, what: str, done: int, total: int | None) -> None:
        """Boards done so far in the phase `what`, and of how many; None: nobody knows."""
        if what != self._what:
            self.close()
            self._what, self._start = what, time.monotonic()
            self._shown = self._start
            if sys.stderr.isatty():
                self._bar = tqdm(total=total, desc=what, unit=" boards", unit_scale=True, dynamic_ncols=True)
        if self._bar is not None:
            self._bar.update(done - self._bar.n)
        elif time.monotonic() - self._shown >= PHASE_SECONDS:
            self._shown = time.monotonic()
            seconds = self._shown - self._start
            speed = f"{done / seconds / 1e6:.2f}M boards/s"
            if total is None:
                print(f"{what} {done}  {speed}", file=sys.stderr)
            else:
                left = tqdm.format_interval(seconds / done * (total - done))
                print(f"{what} {done}/{total}  {speed}  left {left}", file=sys.stderr)

    def close(self) -> None:
        """End the bar."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None


class Jobs:
    """Shows the jobs of a sweep: how many ended, failed and run, and the time left; plain lines for each that ends."""

    def __init__(self, total: int) -> None:
        self.total, self.done, self.failed = total, 0, 0
        self._start = time.monotonic()
        self._bar: tqdm[Any] | None = None
        if sys.stderr.isatty():
            self._bar = tqdm(
                total=total,
                desc="sweep",
                dynamic_ncols=True,
                bar_format="{desc} {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} [{elapsed}<{remaining}{postfix}]",
            )

    def running(self, jobs: int) -> None:
        """So many run now."""
        if self._bar is not None:
            failed = f", {self.failed} failed" if self.failed else ""
            self._bar.set_postfix_str(f"{jobs} running{failed}")

    def ended(self, name: str, code: int) -> None:
        """A job ended, with this exit code."""
        self.done, self.failed = self.done + 1, self.failed + bool(code)
        if self._bar is not None:
            self._bar.update(1)
            return
        left = tqdm.format_interval((time.monotonic() - self._start) / self.done * (self.total - self.done))
        print(f"sweep {self.done}/{self.total}  {name}  left {left}", file=sys.stderr)

    def say(self, line: str) -> None:
        """Print a line above the bar."""
        if self._bar is not None:
            self._bar.write(line, file=sys.stderr)
        else:
            print(line, file=sys.stderr)

    def close(self) -> None:
        """End the bar."""
        if self._bar is not None:
            self._bar.close()
