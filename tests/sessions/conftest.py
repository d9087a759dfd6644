"""A player, its longest game, and that game's file."""

import pytest
from support.recorded_games import SHAPES, trained

from tdl.sessions.game_file import save
from tdl.sessions.session import record_game


@pytest.fixture(scope="module")
def player():
    return trained(*SHAPES["2x4"])


@pytest.fixture(scope="module")
def game(player):
    """The longest of a few games, of some forty moves."""
    return max((record_game(player, 5, episode) for episode in range(5)), key=lambda game: len(game.moves))


@pytest.fixture(scope="module")
def text(game, tmp_path_factory):
    """Its file."""
    path = tmp_path_factory.mktemp("game") / "game.jsonl"
    save(path, game)
    return path.read_text()
