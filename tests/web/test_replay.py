"""Recorded games for the page: the list, whole games, and what their moves lost.

Trusts `record_game`, `mistakes` and the files of games.
"""

import dataclasses
import json
import os

import pytest
from support.web_server import Client, serving

import tdl
from tdl.game.engine import Engine
from tdl.game.rules import ACTION_NAMES
from tdl.sessions import game_file
from tdl.sessions.mistakes import mistakes, with_losses
from tdl.sessions.session import Session, record_game
from tdl.web.library import MAX_GAMES, Library
from tdl.web.site import MAX_BODIES


@pytest.fixture(scope="module")
def player(folder):
    return tdl.load(folder / "first")


@pytest.fixture(scope="module")
def game(player):
    """By the agent of the folder."""
    return record_game(player, 5, 0, checkpoint="some digest")


@pytest.fixture(scope="module")
def by_hand(player):
    """By a person, of whom the agent knows nothing: always the first legal move, given up after 30."""
    session = Session(player.network.rules, seed=3)
    for _ in range(30):
        session.move(session.legal[0])
    return session.game()


@pytest.fixture(scope="module")
def server(game, by_hand, tmp_path_factory):
    place = tmp_path_factory.mktemp("replay")
    (place / "games").mkdir()
    game_file.save(place / "games" / "by_hand.json", by_hand)
    game_file.save(place / "game.jsonl", game)
    (place / "result.json").write_text("{}")
    (place / "games" / "cut.jsonl").write_text("{")
    for age, name in enumerate(("game.jsonl", "games/by_hand.json")):
        os.utime(place / name, (1e9 - age, 1e9 - age))
    with serving(place) as server:
        yield server


def test_the_list_has_the_games_of_both_names(client, game, by_hand):
    status, reply = client.get("/api/games")
    same = {"called": "2048 4x4", "episode": 0, "own_start": False}
    assert status == 200
    assert reply["games"] == [
        {"name": "game.jsonl", "folder": ".", "seed": 5, "score": game.score, **same},
        {"name": "games/by_hand.json", "folder": "games", "seed": 3, "score": by_hand.score, **same},
    ]


def test_games_of_an_evaluation_are_in_their_order(tmp_path, by_hand):
    for number in (2, 0, 1):
        game_file.save(tmp_path / f"{2 - number}.jsonl", dataclasses.replace(by_hand, episode=number))
    assert [game["episode"] for game in Library(tmp_path).games()] == [0, 1, 2]


def test_the_list_is_bounded(tmp_path, by_hand):
    for number in range(MAX_GAMES + 5):
        (tmp_path / f"{number}.jsonl").write_text(game_file.text(dataclasses.replace(by_hand, moves=())))
    assert len(Library(tmp_path).games()) == MAX_GAMES


def test_a_whole_game(client, game):
    reply = client.done("/api/replay", game="game.jsonl")
    engine = Engine(game.rules)
    assert reply["boards"] == [engine.array(board).tolist() for board in game.boards()]
    assert [move["action"] for move in reply["made"]] == [ACTION_NAMES[move.action] for move in game.moves]
    assert sum(move["reward"] for move in reply["made"]) == game.score
    assert (reply["title"], reply["seed"], reply["episode"], reply["complete"]) == ("2048 on 4x4", 5, 0, True)
    assert reply["values"] == [list(move.values) for move in game.moves]
    assert reply["by"] == "the values of the record"
    assert set(reply["losses"]) == {0}  # it moved as its values say


def test_a_game_that_was_judged_has_the_losses_of_the_record(client, game, player):
    losses = mistakes(game, player, plies=2)["loss"]
    reply = client.done("/api/replay", text=game_file.text(with_losses(game, mistakes(game, player, plies=2))))
    assert reply["losses"] == losses.tolist()
    assert (reply["by"], reply["best"]) == ("the deeper search of the record", None)


def test_a_persons_game_is_judged_by_the_agent(folder, by_hand, player):
    with serving(folder, "first") as server:
        client = Client(server)
        reply = client.done("/api/replay", text=game_file.text(by_hand), checkpoint="first")
        alone = client.done("/api/replay", text=game_file.text(by_hand))
        other = client.done("/api/replay", text=game_file.text(by_hand), checkpoint="sweep/small")
    rows = mistakes(by_hand, player, plies=1)
    assert reply["losses"] == pytest.approx(rows["loss"].tolist())
    assert max(reply["losses"]) > 0
    assert reply["best"] == [ACTION_NAMES[best] for best in rows["best"]]
    assert reply["by"] == "first, 1 ply"
    assert (alone["by"], alone["losses"], alone["best"]) == (None, None, None)
    assert other["by"] is None  # it plays on another board
    assert not reply["complete"]


def test_a_game_without_moves(client, by_hand):
    empty = dataclasses.replace(by_hand, moves=(), checkpoint="some digest")
    reply = client.done("/api/replay", text=game_file.text(empty))
    assert (len(reply["boards"]), reply["made"], reply["losses"]) == (1, [], [])


@pytest.mark.parametrize(
    ("data", "telling"),
    [
        ({}, "game: expected the name of a recorded game, or the text of one"),
        ({"game": "game.jsonl", "text": ""}, "game: expected the name"),
        ({"game": "result.json"}, "line 1: cut"),
        ({"game": "missing.jsonl"}, "missing.jsonl: cannot be read"),
        ({"text": "{}\n", "name": "of mine.jsonl"}, "of mine.jsonl: line 1: not of a game of this program"),
        ({"text": "{}", "name": "a\nb"}, "a\\nb: line 1: cut"),
        ({"text": "", "name": ["a"]}, "line 1: cut"),
    ],
)
def test_what_is_no_game_is_refused(client, data, telling):
    status, reply = client.post("/api/replay", data)
    assert (status, telling in reply["error"]) == (400, True), reply


def test_nothing_outside_the_folder_is_read(client, tmp_path, by_hand):
    game_file.save(tmp_path / "game.jsonl", by_hand)
    for name in (str(tmp_path / "game.jsonl"), "../game.jsonl"):
        assert client.post("/api/replay", game=name)[0] == 403


def test_only_a_game_may_be_large(client):
    """The body of a game may have a few MiB; that of other requests not."""
    padding = " " * (1 << 20)
    reply = client.raw("POST", "/api/replay", json.dumps({"text": "{}\n" + padding}), Content_Type="application/json")
    assert (reply[0], b"cut" in reply[2]) == (400, True)
    for path, size in (("/api/judge", 1 << 20), ("/api/replay", MAX_BODIES["/api/replay"] + 1)):
        try:
            assert client.raw("POST", path, b" " * size, Content_Type="application/json")[0] == 413
        except (BrokenPipeError, ConnectionResetError):  # refused before all was sent
            continue
    assert client.get("/api/games")[0] == 200
