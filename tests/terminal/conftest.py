"""A trained agent, and tests that are coroutines."""

import asyncio
import inspect

import pytest
from support.programs import train

from tdl.players.kinds import load_agent, read_agent


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    """Run a test that is a coroutine."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True


@pytest.fixture(scope="package")
def run(tmp_path_factory):
    cells = ("size=2x3", "tuples.cells=[[0,1,2],[0,1,3,4]]")
    return train(tmp_path_factory.mktemp("play") / "run", *cells, "episodes=200", "evaluate.episodes=0")


@pytest.fixture(scope="package")
def agent(run):
    return load_agent(run)


@pytest.fixture(scope="module")
def meta(run):
    """Describes the agent's checkpoint."""
    return read_agent(run / "checkpoint")
