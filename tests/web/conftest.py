"""A folder with two runs, a server of it, and a client."""

import shutil

import pytest
from support.programs import train
from support.web_server import Client, serving


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder that is served, with two runs, and beside it one that is not."""
    place = tmp_path_factory.mktemp("serve")
    small = ("size=2x3", "tuples=2x3_full", "tuples.cells=[[0,1,2]]", "evaluate.episodes=0")
    train(place / "outputs" / "first", "episodes=100", "evaluate.episodes=5")
    train(place / "outputs" / "sweep" / "small", *small, "episodes=50")
    shutil.copytree(place / "outputs" / "sweep" / "small", place / "secret")
    return place / "outputs"


@pytest.fixture(scope="module")
def server(folder):
    with serving(folder, "first") as server:
        yield server


@pytest.fixture
def client(server):
    return Client(server)
