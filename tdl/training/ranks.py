"""The processes that carry the replicas of one training: this one alone, or those that MPI started together.

All call the same methods in the same order, but for the commands: the first process, rank 0, sends what comes next,
the others wait for it. Nothing is pickled. A process that waits sleeps in between, so that it burns no core and hears
signals.
"""

import contextlib
import json
import os
import re
import sys
import time
import traceback
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.base import machine
from tdl.base.distribution import install
from tdl.errors import ConfigError, DivergenceError, TdlError, refuse
from tdl.learning.options import LearnerOptions
from tdl.learning.rounds import ReplicaOptions

LAUNCHERS = (
    ("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"),  # Open MPI
    ("PMI_SIZE", "PMI_RANK"),  # MPICH and its kin, and srun with PMI
    ("SLURM_STEP_NUM_TASKS", "SLURM_PROCID"),  # srun
)
"""What launchers tell a process of all: their number, and which it is."""

BEGIN, TRAIN, END = 1, 2, 0
"""Commands: build a trainer, train so many episodes, and the end."""

COMMAND, TEXT = 1, 2
"""Tags of messages."""

PIECE = 1 << 26
"""Bytes that are broadcast at once."""

MESSAGE = np.dtype([("command", np.int64), ("number", np.int64), ("spent", np.float64)])
"""A command: which, the number of episodes or of bytes that follow, and the share of the run that is over."""

Array = NDArray[Any]


class Ranks:
    """One process that carries all replicas.

    Attributes
    ----------
    rank : of this process, from 0.
    size : how many there are.
    here : how many of them on this machine.
    sent, received : bytes of arrays that this process has exchanged with others.
    agreed : whether the last error is one that all processes know of.
    """

    rank, size, here = 0, 1, 1
    sent, received = 0, 0
    agreed = False

    def carried(self, replicas: int) -> range:
        """The replicas of this process."""
        return range(replicas * self.rank // self.size, replicas * (self.rank + 1) // self.size)

    def check(self, options: ReplicaOptions, learner: LearnerOptions, threads: int) -> None:
        """Refuse what several processes cannot carry."""

    def gather(self, array: Array) -> list[Array]:
        """What each process gives, in their order; arrays of one type and width, which may differ in length."""
        return [array]

    def broadcast(self, array: Array) -> None:
        """Overwrite it with that of rank 0."""

    def sync_error(self, error: TdlError | None) -> None:
        """Wait for all, and raise the first error that one of them has, in every process."""
        if error is not None:
            raise error

    def begin(self, config: dict[str, Any], episode: int) -> None:
        """Have the others build the trainer of a configuration, whose next episode is this one."""

    @contextlib.contextmanager
    def training(self, episodes: int, spent: float) -> Iterator[None]:
        """Have the others train so many episodes, while this process does, when this share of the run is over."""
        yield

    @contextlib.contextmanager
    def leading(self) -> Iterator[None]:
        """Have the others end when this context closes, however it does."""
        yield


ALONE = Ranks()


class MpiRanks(Ranks):
    """The processes of an MPI communicator, which carry equal numbers of replicas."""

    def __init__(self, mpi: Any, comm: Any) -> None:
        self._mpi, self._comm = mpi, comm
        self.rank, self.size = comm.rank, comm.size
        near = comm.Split_type(mpi.COMM_TYPE_SHARED)
        self.here = near.size
        near.Free()
        self._busy = False

    def check(self, options: ReplicaOptions, learner: LearnerOptions, threads: int) -> None:
        if learner.batched:
            raise refuse("learner.batch_sum", learner.batch_sum, "none with several processes: they share replicas")
        if options.replicas % self.size:
            raise refuse("replicas", options.replicas, f"a multiple of the number of processes, {self.size}")
        if threads > options.replicas // self.size:
            raise refuse("threads", threads, f"at most the replicas of a process, {options.replicas // self.size}")
        if learner.start == "carousel":
            expected = "another start with several processes: they do not share the carousel's boards"
            raise refuse("learner.start", learner.start, expected)
        if self.rank == 0 and threads > (cores := machine.cores()):
            line = f"a process may use {cores} of the cores; mpirun --bind-to none gives it all"
            print(f"tdl: threads={threads}: {line}", file=sys.stderr)

    def gather(self, array: Array) -> list[Array]:
        counts = np.empty(self.size, np.int64)
        self._wait(self._comm.Iallgather(np.array([len(array)], np.int64), counts))
        result: Array = np.empty((int(counts.sum()), *array.shape[1:]), array.dtype)
        with self._row_of(array) as row:
            sending = [_bytes(array), len(array), row]
            self._wait(self._comm.Iallgatherv(sending, [_bytes(result), counts, _starts(counts), row]))
        self.sent += array.nbytes * (self.size - 1)
        self.received += result.nbytes - array.nbytes
        return np.split(result, counts.cumsum()[:-1])

    def exchange(self, numbers: Array) -> Array:
        """Row r goes to rank r, and row r of the result comes from it; int64, shape (processes, n) of the same n."""
        result = np.empty_like(numbers)
        self._wait(self._comm.Ialltoall(np.ascontiguousarray(numbers), result))
        return result

    def exchange_rows(self, rows: Array, sending: Array, receiving: Array) -> list[Array]:
        """The first `sending[0]` rows go to rank 0, the next to rank 1, and so on; those that came, by rank."""
        result: Array = np.empty((int(receiving.sum()), *rows.shape[1:]), rows.dtype)
        with self._row_of(rows) as row:
            send = [_bytes(rows), sending, _starts(sending), row]
            self._wait(self._comm.Ialltoallv(send, [_bytes(result), receiving, _starts(receiving), row]))
        self.sent += rows.nbytes
        self.received += result.nbytes
        return np.split(result, receiving.cumsum()[:-1])

    def broadcast(self, array: Array) -> None:
        self._barrier()
        for first in range(0, array.nbytes, PIECE):
            self._wait(self._comm.Ibcast(_bytes(array)[first : first + PIECE], root=0))

    def sync_error(self, error: TdlError | None) -> None:
        self._barrier()
        text = "" if error is None else json.dumps([isinstance(error, DivergenceError), str(error)])
        for rank, message in enumerate(self.gather(np.frombuffer(text.encode(), np.uint8))):
            if len(message):
                self.agreed = True
                diverged, line = json.loads(message.tobytes())
                kind = DivergenceError if diverged else TdlError
                raise error if error is not None and rank == self.rank else kind(line)

    def begin(self, config: dict[str, Any], episode: int) -> None:
        text = json.dumps({"config": config, "episode": episode}).encode()
        self._send(BEGIN, len(text))
        for rank in range(1, self.size):
            self._comm.Send(np.frombuffer(text, np.uint8), dest=rank, tag=TEXT)

    @contextlib.contextmanager
    def training(self, episodes: int, spent: float) -> Iterator[None]:
        self._send(TRAIN, episodes, spent)
        self._busy, self.agreed = True, False
        yield
        self._busy = False

    @contextlib.contextmanager
    def leading(self) -> Iterator[None]:
        try:
            yield
        except BaseException as error:
            if self._busy and not self.agreed:  # the others wait for what will not come
                if not isinstance(error, SystemExit):
                    traceback.print_exception(error)
                code = getattr(error, "code", 1)
                self.abort(code if isinstance(code, int) else 1)
            raise
        finally:
            self._send(END, 0)

    def abort(self, code: int) -> None:
        """End all processes now, with this exit code."""
        sys.stdout.flush()
        sys.stderr.flush()
        self._comm.Abort(code)

    def receive(self) -> tuple[int, Any]:
        """Wait for the next command: which, and the configuration and episode to begin with, or how many episodes to
        train, and the share of the run that is over.
        """
        while not self._comm.Iprobe(source=0, tag=COMMAND):
            time.sleep(0.002)
        message = np.empty((), MESSAGE)
        self._comm.Recv(_bytes(message), source=0, tag=COMMAND)
        command, number, spent = message.item()
        if command != BEGIN:
            return command, (number, spent)
        text = np.empty(number, np.uint8)
        self._comm.Recv(text, source=0, tag=TEXT)
        return command, json.loads(text.tobytes())

    def _send(self, command: int, number: int, spent: float = 0.0) -> None:
        message = np.array((command, number, spent), MESSAGE)
        for rank in range(1, self.size):
            self._comm.Send(_bytes(message), dest=rank, tag=COMMAND)

    @contextlib.contextmanager
    def _row_of(self, array: Array) -> Iterator[Any]:
        """The type of a row, so that numbers of rows, and not of bytes, have to be below 2^31."""
        size = array.dtype.itemsize * int(np.prod(array.shape[1:]))
        row = self._mpi.BYTE.Create_contiguous(size).Commit()
        try:
            yield row
        finally:
            row.Free()

    def _barrier(self) -> None:
        """Wait for all: longer than for the arrays that follow, so more of it is slept."""
        self._wait(self._comm.Ibarrier(), pause=0.001)

    def _wait(self, request: Any, pause: float = 0.0) -> None:
        while not request.Test():
            time.sleep(pause)


def _bytes(array: Array) -> NDArray[np.uint8]:
    return array.reshape(-1).view(np.uint8)


def _starts(counts: Array) -> Array:
    return counts.cumsum() - counts


def connect() -> Ranks:
    """The processes that a launcher (mpirun, srun) started together with this one; without a launcher, this one.

    MPI is not touched where there is one process.

    Raises
    ------
    ConfigError : mpi4py is missing, or is of another MPI than the launcher.
    """
    size, rank = 1, 0
    for size_name, rank_name in LAUNCHERS:
        if re.fullmatch("[0-9]{1,9}", os.environ.get(size_name, "")):
            size, rank = int(os.environ[size_name]), int(os.environ.get(rank_name, "0"))
            break
    if size <= 1:
        return ALONE
    try:
        import mpi4py

        mpi4py.rc.thread_level = "funneled"
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:
        raise _refused(rank, f"{size} processes need MPI: {install('mpi')} ({error})") from error
    if size != MPI.COMM_WORLD.size:
        line = f"the launcher started {size} processes, mpi4py's MPI knows of {MPI.COMM_WORLD.size}: they are of two"
        kind = MPI.Get_library_version().split(",")[0]
        raise _refused(rank, f"{line} kinds; mpi4py found {kind}: start with its mpirun, or with srun --mpi=pmix")
    return MpiRanks(MPI, MPI.COMM_WORLD)


def _refused(rank: int, line: str) -> ConfigError:
    """An error that most often all processes have: where one line is enough the end of the first ends the others."""
    if rank > 0:
        time.sleep(2)
    return ConfigError(f"mpi: {line}")
