"""Fixtures of all tests."""

from functools import cache

import pytest
from support.programs import train


@pytest.fixture(scope="session")
def small_run(tmp_path_factory):
    """The folders of finished small runs by the words of their commands, each made once: nobody may change them."""
    return cache(lambda *words: train(tmp_path_factory.mktemp("small") / "run", *words))
