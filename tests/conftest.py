"""Fixtures of all tests."""

import gc
import os
import shutil
import signal
from functools import cache

import pytest
from hypothesis import settings
from support.plain_device import COMPILER, PlainDevice
from support.programs import train

from tdl.cuda import device as machines
from tdl.errors import ConfigError
from tdl.game import merge_laws
from tdl.game.lines import tables_of

# The examples are the same each time, so that a test fails by a change alone; TDL_NEW_EXAMPLES=1 draws others.
# Sanitized builds are many times slower: no example has a deadline.
settings.register_profile("tdl", deadline=None, derandomize=not os.environ.get("TDL_NEW_EXAMPLES"))
settings.load_profile("tdl")


signal.signal(signal.SIGHUP, signal.SIG_DFL)  # programs of tests inherit it; `nohup make test` would have it ignored


def pytest_collection_finish():
    """What was imported and collected stays: it need not be searched for garbage again and again, nor be copied by the
    processes of sweeps.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _no_waits_for_the_disk():
    """Nothing need outlast a power cut of this machine: a small run would wait as long as it computes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda handle: None)
        yield


@pytest.fixture(scope="session")
def small_run(tmp_path_factory):
    """The folders of finished small runs by the words of their commands, each made once: nobody may change them."""
    return cache(lambda *words: train(tmp_path_factory.mktemp("small") / "run", *words))


@pytest.fixture(params=["plain", pytest.param("card", marks=pytest.mark.extra)])
def device(request, monkeypatch):
    """What `open_device` opens: plain C, then, with `-m extra`, a graphics card where there is one."""
    if request.param == "plain":
        if not shutil.which(COMPILER):
            pytest.skip("no C compiler")
        monkeypatch.setattr(machines, "open_device", PlainDevice)
        return PlainDevice()
    try:
        return machines.open_device()
    except ConfigError as error:
        pytest.skip(str(error))


@pytest.fixture(autouse=True)
def _games_as_they_were():
    """Games that a test registers are forgotten after it: others look at all that there are."""
    before = set(merge_laws.GAMES)
    yield
    for name in set(merge_laws.GAMES) - before:
        del merge_laws.GAMES[name]
    merge_laws._registered.intersection_update(merge_laws.GAMES)
    tables_of.cache_clear()
