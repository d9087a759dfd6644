"""Sweeps that tests begin with."""

import shutil

import pytest
from support.sweeps import SHORT, sweep


@pytest.fixture(scope="session")
def _two(tmp_path_factory):
    folder = tmp_path_factory.mktemp("two") / "sweep"
    done = sweep(folder, *SHORT, "seed=0,1")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def two(_two, tmp_path):
    """A finished sweep of `SHORT` runs with the seeds 0 and 1, to be changed."""
    return shutil.copytree(_two, tmp_path / "two")
