"""Signals that ask a program to end: which, and what a second one does."""

import signal

import pytest

from tdl.runs.interrupts import URGENT, WARNINGS, Interrupts


@pytest.mark.parametrize("number", [*URGENT, *WARNINGS])
def test_a_signal_asks_to_stop(number):
    before = signal.getsignal(number)
    with Interrupts() as interrupts:
        signal.raise_signal(number)
        assert interrupts.requested == number
    assert signal.getsignal(number) == before


@pytest.mark.parametrize("number", WARNINGS)
def test_a_warning_may_come_twice(number):
    """As SIGHUP of a terminal that is closed, and SIGXCPU each second; then Ctrl-C asks, and asks once more."""
    with Interrupts() as interrupts:
        for _ in range(3):
            signal.raise_signal(number)
        signal.raise_signal(signal.SIGTERM)
        assert interrupts.requested == signal.SIGTERM
        signal.raise_signal(number)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("number", WARNINGS)
@pytest.mark.parametrize("handler", [signal.SIG_IGN, lambda *_: None])
def test_a_warning_that_somebody_took_care_of(number, handler):
    """As `nohup` of SIGHUP, and submitit of the signal by which a job begins anew."""
    before = signal.signal(number, handler)
    try:
        with Interrupts() as interrupts:
            signal.raise_signal(number)
            assert interrupts.requested == 0
    finally:
        signal.signal(number, before)
