"""What several processes carry and refuse, and how a process learns of the others; without MPI.

Training on several processes is tested in tests/runs/test_processes.py, which needs MPI.
"""

import sys

import pytest

from tdl.errors import ConfigError
from tdl.learning.options import LearnerOptions
from tdl.learning.rounds import ReplicaOptions
from tdl.training import ranks
from tdl.training.ranks import ALONE, MpiRanks, connect


class Communicator:
    """As much of one as it takes to begin."""

    def __init__(self, rank, size):
        self.rank, self.size = rank, size

    def Split_type(self, _):  # noqa: N802 - MPI's name
        return Communicator(0, 1)

    def Free(self):  # noqa: N802
        pass


class Mpi:
    COMM_TYPE_SHARED = 1


@pytest.fixture
def no_launcher(monkeypatch):
    for names in ranks.LAUNCHERS:
        for name in names:
            monkeypatch.delenv(name, raising=False)


def test_every_replica_is_carried_once():
    carried = [list(MpiRanks(Mpi, Communicator(rank, 4)).carried(12)) for rank in range(4)]
    assert carried == [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]
    assert list(ALONE.carried(3)) == [0, 1, 2]


@pytest.mark.parametrize(
    ("options", "learner", "threads", "telling"),
    [
        ({"replicas": 6}, {}, 1, "replicas: 6 is not allowed; expected a multiple of the number of processes, 4"),
        ({}, {}, 1, "replicas: 1 is not allowed"),
        ({"replicas": 8}, {}, 3, "threads: 3 is not allowed; expected at most the replicas of a process, 2"),
        ({"replicas": 4}, {"start": "carousel"}, 1, "learner.start: 'carousel' is not allowed"),
        ({}, {"batch_sum": "mean", "order": "delayed"}, 1, "learner.batch_sum: 'mean' is not allowed"),
    ],
)
def test_what_several_processes_cannot_carry(options, learner, threads, telling):
    several = MpiRanks(Mpi, Communicator(0, 4))
    with pytest.raises(ConfigError, match=telling):
        several.check(ReplicaOptions(**options), LearnerOptions(**learner), threads)
    several.check(ReplicaOptions(8), LearnerOptions(), 2)
    ALONE.check(ReplicaOptions(**options), LearnerOptions(**learner), threads)


def test_threads_that_mpirun_binds_to_few_cores_are_told_of(capsys, monkeypatch):
    monkeypatch.setattr(ranks.machine, "cores", lambda: 1)
    MpiRanks(Mpi, Communicator(1, 4)).check(ReplicaOptions(8), LearnerOptions(), 2)
    assert not capsys.readouterr().err
    MpiRanks(Mpi, Communicator(0, 4)).check(ReplicaOptions(8), LearnerOptions(), 2)
    assert "mpirun --bind-to none" in capsys.readouterr().err


def test_one_process_needs_no_mpi(no_launcher, monkeypatch):
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    assert connect() is ALONE
    monkeypatch.setenv("SLURM_STEP_NUM_TASKS", "1")
    assert connect() is ALONE


def test_mpi4py_that_is_missing_is_named(no_launcher, monkeypatch):
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    monkeypatch.setenv("OMPI_COMM_WORLD_SIZE", "4")
    monkeypatch.setenv("OMPI_COMM_WORLD_RANK", "0")
    with pytest.raises(ConfigError, match=r"4 processes need MPI: pip install 'tdl-ntuple\[mpi\]'"):
        connect()
