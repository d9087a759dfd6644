"""A job of a sweep in a process of its own. Forked, it starts in milliseconds, as all modules are there already."""

import contextlib
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from multiprocessing import connection, get_context, resource_tracker
from pathlib import Path
from typing import Any

from tdl.base import machine
from tdl.errors import file_text
from tdl.runs.interrupts import URGENT, WARNINGS
from tdl.runs.progress import report_to
from tdl.storage.run_folder import JOB_LOG, RunFolder
from tdl.sweeps.job import Outcome


class JobProcess:
    """Runs `work` in another process, whose prints go to `job.log` in `folder`.

    Where a process is not forked `work` is pickled. It gets SIGTERM when this process ends, however that happens.
    """

    def __init__(self, work: Callable[[], Outcome], folder: Path) -> None:
        forks = machine.start_method() == "fork"
        context = get_context("fork") if forks else get_context("spawn")
        if not forks:
            resource_tracker.ensure_running()  # at its start it would let through what is held back
        self.pipe, theirs = context.Pipe(duplex=False)
        self._share = context.RawValue("d", 0.0)
        _flush()  # or the process would write it once more
        self._process = context.Process(target=_child, args=(work, folder, theirs, self._share, os.getpid()))
        with _held_back():
            self._process.start()
        theirs.close()  # so that the end of the process is the end of the pipe

    @property
    def share(self) -> float:
        """The part of its work that is done, as far as it says."""
        return float(self._share.value)

    def outcome(self) -> Outcome:
        """How it ended; waits until it has."""
        try:
            outcome = self.pipe.recv()
        except EOFError:
            outcome = None
        self._process.join()
        if isinstance(outcome, Outcome):
            return outcome
        number = -(self._process.exitcode or 0)
        name = signal.Signals(number).name if number > 0 else "nothing"
        return Outcome(128 + number, f"killed by {name}", marked=False)

    def send(self, number: int) -> None:
        """Send a signal to the process."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._process.pid or 0, number)


def fault(error: BaseException) -> Outcome:
    """The outcome of a job that ended with an error nobody expected."""
    if isinstance(error, OSError):
        return Outcome(2, file_text(error), marked=False)
    return Outcome(1, (repr(error).splitlines() or [""])[0], marked=False)


def ended(jobs: list[JobProcess], seconds: float) -> list[JobProcess]:
    """The jobs that have ended; waits for one of them, for so many seconds at most, also where there is none."""
    ready = connection.wait([job.pipe for job in jobs], timeout=seconds)
    return [job for job in jobs if job.pipe in ready]


def _child(work: Callable[[], Outcome], folder: Path, pipe: connection.Connection, share: Any, parent: int) -> None:
    os.setpgid(0, 0)  # Ctrl-C reaches the sweep alone, which passes it on
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGTERM, *WARNINGS):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (*URGENT, *WARNINGS))
    machine.end_with(parent)

    def report(done: float) -> None:
        share.value = max(share.value, done)  # games after training begin at 0 again

    report_to(report)
    try:
        _redirect(folder)
        outcome = work()
    except BaseException as error:
        with contextlib.suppress(OSError):
            traceback.print_exc()
        outcome = fault(error)
    with contextlib.suppress(OSError):  # nobody listens any more, or a full disk
        pipe.send(outcome)
        _flush()
    os._exit(0)  # what is registered for the end of the sweep is not ours to do


@contextlib.contextmanager
def _held_back() -> Iterator[None]:
    """Hold back signals to stop: what reached a new process before it has its own handlers would be lost."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (*URGENT, *WARNINGS))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _redirect(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    RunFolder(folder).refuse_links()
    sys.stdout = sys.stderr = (folder / JOB_LOG).open("a", buffering=1, encoding="utf-8", errors="backslashreplace")
    for handle in (1, 2):
        os.dup2(sys.stdout.fileno(), handle)


def _flush() -> None:
    with contextlib.suppress(OSError):  # nobody reads them any more
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()
