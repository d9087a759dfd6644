"""A run that tests of runs stop, go on with and damage."""

import shutil

import pytest
from support.programs import EPISODES


@pytest.fixture
def whole(small_run):
    """Uninterrupted runs, each made once: `whole(episodes, overrides...)` is the folder of one."""
    return lambda episodes, *words: small_run(f"episodes={episodes}", *words)


@pytest.fixture
def finished(whole, tmp_path):
    """A finished run, to be damaged."""
    return shutil.copytree(whole(EPISODES), tmp_path / "finished")
