"""A browser, a server of two agents and a recorded game, and the page that it shows."""

import shutil

import pytest
from support.browser import NotHere, Watched, chromium
from support.programs import train
from support.web_server import serving

import tdl
from tdl.sessions import game_file
from tdl.sessions.session import Session


@pytest.fixture(scope="module")
def browser():
    try:
        return chromium()
    except NotHere as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    place = tmp_path_factory.mktemp("page")
    train(place / "agent", "episodes=200", "evaluate.episodes=5")
    train(place / "wide", "game=2584", "size=2x5", "tiles=p75_25", "tuples.board=2x5", "tuples.cells=[[0,1,2]]",
          "episodes=50", "evaluate.episodes=0")  # fmt: skip
    shutil.copytree(place / "agent", place / "broken")
    session = Session(tdl.Rules(), seed=4)
    while len(session.moves) < 60:
        session.move(session.legal[0])
    game_file.save(place / "game.jsonl", session.game())
    (place / "broken" / "checkpoint" / "meta.json").write_text("{")
    with serving(place, "agent", sessions=64) as made:
        yield made


@pytest.fixture
def page(browser, server):
    """The page with its first board; afterwards nothing may have complained, nor asked another address."""
    watched = Watched(viewport={"width": 1200, "height": 800})
    watched.page.goto(server.url)
    watched.page.wait_for_selector(".tile")
    watched.page.wait_for_selector(".entry")
    yield watched.page
    watched.close(server.url)
