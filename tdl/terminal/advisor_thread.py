"""An agent that thinks beside the screen: one thread, one search at a time, the newest question next."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tdl.sessions.recorded_game import ActionValues


@dataclass(frozen=True, eq=False)
class Question:
    """What an agent is asked.

    Attributes
    ----------
    board : packed.
    think : the agent, as far ahead as it is to look.
    """

    board: int
    think: ActionValues


Tell = Callable[[Question, "NDArray[np.float64] | Exception"], None]


class Asking:
    """A thread that asks agents. A search cannot be given up, so a question waits until the one before is answered.

    Nobody waits for the thread: a search may take minutes, and the program ends without it.

    Parameters
    ----------
    tell : called in the thread with each question and its answer: values, or what is wrong.
    """

    def __init__(self, tell: Tell) -> None:
        self._tell, self._ended, self._changed = tell, False, threading.Condition()
        self._next: Question | None = None
        threading.Thread(target=self._run, daemon=True, name="agent").start()

    def ask(self, question: Question) -> None:
        """Ask this next; a question that still waits is dropped."""
        with self._changed:
            self._next = question
            self._changed.notify()

    def close(self) -> None:
        """Ask nothing more."""
        with self._changed:
            self._ended = True
            self._changed.notify()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._ended or self._next is not None)
                question, self._next = self._next, None
                if self._ended or question is None:
                    return
            answer: NDArray[np.float64] | Exception
            try:
                answer = question.think(question.board)
            except Exception as error:  # it is for the screen to say what is wrong
                answer = error
            self._tell(question, answer)
