"""Fixtures of all tests."""

import gc
from functools import cache

import pytest
from support.programs import train


def pytest_collection_finish():
    """What was imported and collected stays: it need not be searched for garbage again and again, nor be copied by the
    processes of sweeps.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def small_run(tmp_path_factory):
    """The folders of finished small runs by the words of their commands, each made once: nobody may change them."""
    return cache(lambda *words: train(tmp_path_factory.mktemp("small") / "run", *words))
