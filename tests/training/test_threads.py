"""Threads that work together, and what happens where one of them cannot begin."""

import threading

import pytest

from tdl.errors import ConfigError
from tdl.training.threads import share_work, together


def test_a_thread_that_cannot_be_started_ends_the_others(monkeypatch):
    """As where there is no memory for its stack; none is left working on."""
    real, started = threading.Thread.start, []

    def start(thread):
        if started:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        real(thread)

    monkeypatch.setattr(threading.Thread, "start", start)

    def forever():
        while True:
            yield

    with pytest.raises(ConfigError, match="threads: not all could be started: can't start new thread"):
        together([forever() for _ in range(3)])
    assert not started[0].is_alive()


def test_results_are_in_the_order_of_the_tasks():
    assert share_work([lambda n=n: n for n in range(20)], 3) == list(range(20))
