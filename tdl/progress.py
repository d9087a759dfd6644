"""Progress on the screen: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from typing import Any

from tqdm import tqdm

LINE_SECONDS = 2.0
"""Least time between two plain lines."""


class Progress:
    """Shows episodes done, moves per second, the mean of the last block and the time left.

    Parameters
    ----------
    what : the first word of the bar or line, as "train".
    done, total : episodes at the start and at the end.
    """

    def __init__(self, what: str, done: int, total: int) -> None:
        self.what, self.done, self.total = what, done, total
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
                bar_format="{desc} {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} [{elapsed}<{remaining}{postfix}]",
            )

    def update(self, done: int, moves: int, mean: float | None = None) -> None:
        """Episodes done so far in all, moves since the start, mean score of the block that just ended."""
        self.done, self._moves = done, moves
        if mean is not None:
            self.mean = f"mean {mean:,.0f}"
        speed = f"{self._speed() / 1e6:.2f}M moves/s"
        if self._bar is not None:
            self._bar.set_postfix_str(", ".join(filter(None, [speed, self.mean])), refresh=False)
            self._bar.update(done - self._bar.n)
        elif mean is not None and (time.monotonic() - self._shown >= LINE_SECONDS or done >= self.total):
            self._shown = time.monotonic()
            print(f"{self.what} {done}/{self.total}  {speed}  {self.mean}  left {self._left()}", file=sys.stderr)

    def close(self) -> None:
        """End the bar."""
        if self._bar is not None:
            self._bar.close()

    def _speed(self) -> float:
        return self._moves / max(time.monotonic() - self._start, 1e-9)

    def _left(self) -> str:
        played = self.done - self._first
        seconds = (time.monotonic() - self._start) / played * (self.total - self.done) if played else 0.0
        return str(tqdm.format_interval(seconds))
