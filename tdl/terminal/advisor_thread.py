"""A thread that asks an advisor beside the screen: one search at a time, the newest question next."""

import threading
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tdl.players.kinds import ActionValues


@dataclass(frozen=True, eq=False)
class Question:
    """A board whose action values are wanted."""

    board: int
    action_values: ActionValues


OnAnswer = Callable[[Question, "NDArray[np.float64] | Exception"], None]


class AdvisorThread:
    """A thread that answers questions, one after the other: a search cannot be given up.

    Nobody waits for the thread: a search may take minutes, and the program ends without it.

    Parameters
    ----------
    on_answer : called in the thread with each question and its answer: values, or the exception.
    """

    def __init__(self, on_answer: OnAnswer) -> None:
        self._on_answer, self._ended, self._changed = on_answer, False, threading.Condition()
        self._next: Question | None = None
        threading.Thread(target=self._run, daemon=True, name="agent").start()

    def ask(self, question: Question) -> None:
        """Ask this next; a question that still waits is dropped."""
        with self._changed:
            self._next = question
            self._changed.notify()

    def close(self) -> None:
        """Answer nothing more."""
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
                answer = question.action_values(question.board)
            except Exception as error:  # the screen says what is wrong
                answer = error
            self._on_answer(question, answer)
