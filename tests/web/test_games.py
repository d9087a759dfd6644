"""Games through the server are games of the program; what is no move, number or board of theirs is refused.

Trusts `Session`, `record_game` and the files of games.
"""

import json
import shutil
import threading

import numpy as np
import pytest
from support import PATIENCE
from support.mutations import forged
from support.programs import inside
from support.shapes import RULES
from support.web_server import Client, serves, serving

import tdl
from tdl.errors import ConfigError
from tdl.game.boards import pack, unpack
from tdl.game.engine import EVALUATION, Engine, Stream
from tdl.game.game_reference import move
from tdl.game.rules import ACTION_NAMES, GAMES
from tdl.search.options import SearchOptions
from tdl.sessions import game_file
from tdl.sessions.session import record_game
from tdl.web.games import slides
from tdl.web.served_agents import MAX_PLIES, ServedAgent
from tdl.web.site import SIZES


@pytest.mark.parametrize("plies", [1, 2])
def test_a_game_of_the_agent_is_that_of_an_evaluation(client, folder, tmp_path, plies):
    new = client.done("/api/new", checkpoint="first", seed=5, plies=plies)
    over = False
    while not over:
        over = client.done("/api/step", id=new["id"], count=200)["state"]["over"]
    status, headers, body = client.raw("GET", f"/api/game.jsonl?id={new['id']}")
    assert (status, headers["Content-Disposition"]) == (200, 'attachment; filename="game.jsonl"')
    (tmp_path / "game.jsonl").write_bytes(body)
    digest = json.loads((folder / "first" / "checkpoint" / "meta.json").read_text())["digest"]
    expected = record_game(tdl.load(folder / "first"), 5, 0, plies=plies, checkpoint=digest)
    assert game_file.load(tmp_path / "game.jsonl") == expected
    status, reply = client.post("/api/step", id=new["id"])
    assert (status, reply) == (400, {"error": "the game is over"})


def test_each_frame_is_the_board_after_a_move(client, folder):
    new = client.done("/api/new", checkpoint="first", seed=2)
    reply = client.done("/api/step", id=new["id"], count=20)
    game = record_game(tdl.load(folder / "first"), 2, 0)
    boards, engine = game.boards(), Engine(game.rules)
    for frame, board, moved, thought in zip(reply["frames"], boards[1:], game.moves, game.moves[1:], strict=False):
        assert frame["board"] == engine.array(board).tolist()
        assert frame["values"] == list(thought.values)
        assert frame["made"]["reward"] == moved.reward
        assert frame["made"]["drop"] == {"cell": moved.cell, "tile": game.rules.value(moved.tile)}
    assert {**reply["frames"][-1], "made": None} == {**reply["state"], "made": None}


def test_a_person_takes_over_and_takes_back(client):
    new = client.done("/api/new", checkpoint="first", seed=3)
    reply = client.done("/api/step", id=new["id"], count=4)["state"]
    moved = client.done("/api/move", id=new["id"], action=reply["legal"][0], version=reply["version"])["state"]
    assert (moved["moves"], moved["made"]["by"]) == (5, "person")
    status, error = client.post("/api/move", id=new["id"], action=moved["legal"][0], version=reply["version"])
    assert (status, error["error"]) == (409, "the board has changed meanwhile")
    back = client.done("/api/undo", id=new["id"], count=5)["state"]
    assert (back["board"], back["score"], back["moves"]) == (new["state"]["board"], 0, 0)
    assert client.done("/api/undo", id=new["id"])["state"]["moves"] == 0


def test_a_person_need_not_wait_for_a_search(client, monkeypatch):
    """A move is made while the agent searches; the agent then does not move on a board that is gone."""
    new = client.done("/api/new", checkpoint="first", seed=4, plies=3)
    asked, go_on, values = threading.Event(), threading.Event(), ServedAgent.values

    def slow(agent, board, search):
        if search.plies == 3:
            asked.set()
            assert go_on.wait(PATIENCE)
        return values(agent, board, search)

    monkeypatch.setattr(ServedAgent, "values", slow)
    answers = []
    agent = threading.Thread(target=lambda: answers.append(client.done("/api/step", id=new["id"])))
    agent.start()
    assert asked.wait(PATIENCE)
    moved = client.done("/api/move", id=new["id"], action=new["state"]["legal"][0])["state"]
    assert (moved["moves"], moved["values"]) == (1, None)
    go_on.set()
    agent.join()
    assert answers[0]["frames"] == []
    assert answers[0]["state"]["moves"] == 1
    assert client.done("/api/values", id=new["id"])["state"]["values"] != [None] * 4


def test_every_game_and_board_can_be_played_by_hand(client):
    for number, size in enumerate(SIZES):
        game = list(GAMES)[number % len(GAMES)]
        new = client.done("/api/new", game=game, size=size, seed=1)
        board = new["state"]["board"]
        assert f"{len(board)}x{len(board[0])}" == size == new["rules"]["size"]
        assert new["rules"]["game"] == game
        reply = client.done("/api/step", id=new["id"], count=5)
        assert 1 <= len(reply["frames"]) <= 5


def test_depth_counts_from_now_on_and_is_bounded(client, server):
    new = client.done("/api/new", checkpoint="first", seed=6)
    shallow = client.done("/api/values", id=new["id"], plies=1)["state"]
    deep = client.done("/api/values", id=new["id"], plies=3)["state"]
    assert (shallow["plies"], deep["plies"]) == (1, 3)
    assert shallow["values"] != deep["values"]
    agent = server.site.agents.get("first")
    assert [agent.search(plies).seconds for plies in range(1, MAX_PLIES + 1)] == [None, None, *[PATIENCE] * 3]
    client.done("/api/step", id=new["id"])
    status, _, body = client.raw("GET", f"/api/game.jsonl?id={new['id']}")
    assert json.loads(body.splitlines()[0])["search"]["seconds"] == PATIENCE
    for plies in (0, MAX_PLIES + 1, 1.5, "3", True):
        status, reply = client.post("/api/values", id=new["id"], plies=plies)
        assert (status, "plies: " in reply["error"]) == (400, True)
    assert serves(client)


def test_a_deep_network_looks_2_plies_ahead(server, monkeypatch):
    """Three take it seconds, and it takes no limit of time."""
    folder, meta = server.site.library.checkpoint("first")
    monkeypatch.setattr("tdl.web.served_agents.agent_of", lambda folder, _: tdl.load(folder))
    agent = ServedAgent("deep", folder, meta | {"network": {"kind": "dqn"}}, 0.2)
    assert agent.search(2).plies == agent.max_plies == 2
    with pytest.raises(ConfigError, match="plies: 3 is not allowed"):
        agent.search(3)


def test_games_are_bounded_and_the_oldest_are_put_away(folder):
    with serving(folder, sessions=3) as server:
        client = Client(server)
        ids = [client.done("/api/new", size="2x2")["id"] for _ in range(3)]
        client.done("/api/values", id=ids[0])
        ids.append(client.done("/api/new", size="2x2")["id"])
        assert [client.post("/api/values", id=name)[0] for name in ids] == [200, 404, 200, 200]
        assert len(server.site.games) == 3


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES.keys())
def test_slides_lead_to_the_afterstate(rules):
    """A tile that slid stands where it went, alone as it was or merged with the other that went there."""
    engine, drops = Engine(rules), Stream(1, EVALUATION, 0)
    board = engine.start(drops)
    for turn in range(200):
        moves = engine.afterstates(board)
        if not moves:
            break
        action, after, _ = moves[turn % len(moves)]
        cells = unpack(board, rules)
        targets = {cell: [cell] for cell, tile in enumerate(cells) if tile}
        for start, _ in slides(board, action, rules):
            del targets[start]
        for start, target in slides(board, action, rules):
            targets.setdefault(target, []).append(start)
        new = [0] * rules.cells
        for target, starts in targets.items():
            tiles = [cells[start] for start in starts]
            new[target] = tiles[0] if len(tiles) == 1 else min(rules.merge(*tiles), rules.largest)
        assert pack(new, rules) == after
        assert move(cells, action, rules) is not None
        board = engine.place(after, drops)


@pytest.mark.parametrize(
    ("path", "data", "telling"),
    [
        ("/api/new", {"game": ["2048"]}, "game: ['2048'] is not allowed"),
        ("/api/new", {"size": "9x9"}, "did you mean '5x5'?"),
        ("/api/new", {"size": "5x" + "1" * 5000}, "expected ROWSxCOLS from 2x2 to 5x5"),
        ("/api/new", {"size": 4}, "size: 4 is not allowed"),
        ("/api/new", {"tiles": "../../etc/passwd"}, "tiles: '../../etc/passwd' is not allowed"),
        ("/api/new", {"seed": "1"}, "seed: '1' is not allowed"),
        ("/api/new", {"seed": 2**63}, "seed: "),
        ("/api/new", {"plies": 2}, "expected 1 without an agent"),
        ("/api/new", {"sede": 1}, "sede: no such key; expected one of game, size, tiles, seed, checkpoint, plies"),
        ("/api/new", {"self": 1}, "self: no such key"),
        ("/api/new", {"checkpoint": 7}, "expected a name from the list"),
        ("/api/new", {"checkpoint": "first", "size": "5x5"}, "its agent plays 2048 on 4x4"),
        ("/api/new", {"checkpoint": "first", "tiles": "p50_50"}, "by its own tile rule only"),
        ("/api/move", {"action": "north"}, "action: 'north' is not allowed"),
        ("/api/move", {"action": 1}, "action: 1 is not allowed"),
        ("/api/move", {"action": "up", "version": -1}, "version: -1"),
        ("/api/step", {"count": 201}, "count: 201 is not allowed"),
        ("/api/undo", {"count": 1.5}, "count: 1.5 is not allowed"),
        ("/api/judge", {}, "board: None is not allowed; expected rows"),
        ("/api/judge", {"board": "2 4/8"}, "board row 1: [2, 4] is not allowed; expected 4 cells"),
        ("/api/judge", {"board": [[3, 2, 0, 0]] + [[0] * 4] * 3}, "board cell 0 (row 1, column 1): 3 is not allowed"),
        ("/api/judge", {"board": [[{}, 2, 0, 0]] + [[0] * 4] * 3}, "board cell 0 (row 1, column 1): {} is not"),
        ("/api/judge", {"board": [[1e400, 2, 0, 0]] + [[0] * 4] * 3}, "not JSON"),
        ("/api/new", {"board": [[64, 32, 0, 0]] + [[0] * 4] * 3}, "the last drop is missing"),
        ("/api/judge", {"board": "1100000000000000", "exponents": 1}, "exponents: 1 is not allowed"),
        ("/api/judge", {"board": "1100000000000000", "plies": 2}, "expected 1 without an agent"),
        ("/api/new", {"board": "2 4 x"}, "board: 3 cells; expected 16 cells in 4 rows of 4"),
        ("/api/new", {"board": "1100000000000000", "last_first": None}, "last_first: None is not allowed"),
    ],
)
def test_a_wrong_value_is_named(client, path, data, telling):
    if path not in ("/api/new", "/api/judge"):
        data |= {"id": client.done("/api/new", checkpoint="first")["id"]}
    status, reply = client.post(path, data)
    assert (status, telling in reply["error"]) == (400, True), reply


def test_an_unknown_game_is_told_of(client):
    assert client.get("/api/game?id=nothing")[0] == client.get("/api/game")[0] == 404
    for path in ("/api/move", "/api/step", "/api/undo", "/api/values"):
        for unknown in ("nothing", None, ["x"], "x" * 10_000):
            status, reply = client.post(path, id=unknown)
            assert (status, reply["error"][:21]) == (404, "game: not known here;")


def test_illegal_moves_are_refused(client):
    new = client.done("/api/new", game="2048", size="2x2", seed=1)
    state = new["state"]
    while len(state["legal"]) == 4:
        state = client.done("/api/move", id=new["id"], action=state["legal"][0])["state"]
    wrong = next(action for action in ACTION_NAMES if action not in state["legal"])
    status, reply = client.post("/api/move", id=new["id"], action=wrong)
    assert (status, "is not legal" in reply["error"]) == (400, True)


@pytest.mark.parametrize(
    "board",
    [[[4, 2, 0, 0], [2, 0, 0, 0], [0] * 4, [0] * 4], "4 2 . . / 2 . . . / . . . . / . . . .", "2100100000000000"],
)
@pytest.mark.parametrize("plies", [1, 3])
def test_a_board_is_judged_in_any_notation_and_no_game_is_kept(client, server, folder, board, plies):
    games, player = len(server.site.games), tdl.load(folder / "first")
    rows = [[4, 2, 0, 0], [2, 0, 0, 0], [0] * 4, [0] * 4]
    values = player.action_values(SearchOptions(plies))(player.engine.board(rows))
    reply = client.done("/api/judge", checkpoint="first", board=board, plies=plies)
    assert (reply["board"], reply["best"]) == (rows, ACTION_NAMES[np.nanargmax(values)])
    assert np.array([*reply["values"].values()], float) == pytest.approx(values, nan_ok=True)
    assert np.array([*reply["losses"].values()], float) == pytest.approx(np.nanmax(values) - values, nan_ok=True)
    assert (reply["checkpoint"], reply["plies"]) == ("first", plies)
    assert len(server.site.games) == games


def test_without_an_agent_a_board_is_judged_by_rewards_also_where_the_game_is_over(client):
    assert client.done("/api/judge", board="8 8 / 2 4", size="2x2")["values"] == {
        "up": None, "right": 16, "down": None, "left": 16
    }  # fmt: skip
    over = client.done("/api/judge", board="8 4 / 2 8", size="2x2")
    assert (over["best"], set(over["values"].values()), set(over["losses"].values())) == (None, {None}, {None})


def test_a_game_goes_on_from_a_board(client, tmp_path):
    """Its file can be read, and its first board is told, so that it can be begun again."""
    rows = [[4, 8, 0, 0], [2, 0, 0, 0], [0] * 4, [0] * 4]
    new = client.done("/api/new", checkpoint="first", board="2300100000000000", seed=3)
    assert new["board"] == new["state"]["board"] == rows
    state = client.done("/api/step", id=new["id"], count=3)["state"]
    (tmp_path / "game.jsonl").write_bytes(client.raw("GET", f"/api/game.jsonl?id={new['id']}")[2])
    game = game_file.load(tmp_path / "game.jsonl")
    assert (game.own_start, game.score, len(game.moves)) == (True, state["score"], 3)
    assert client.done("/api/undo", id=new["id"], count=9)["state"]["board"] == rows


def test_a_page_that_is_loaded_again_gets_its_game(client):
    new = client.done("/api/new", checkpoint="first", seed=7, plies=2)
    frames = client.done("/api/step", id=new["id"], count=30)["frames"]
    again = client.get(f"/api/game?id={new['id']}")[1]
    assert again["scores"] == [0] + [frame["score"] for frame in frames]
    assert again["state"]["moves"] == len(frames) == 30
    same = ("id", "rules", "checkpoint", "most_plies", "seed", "board")
    assert [again[key] for key in same] == [new[key] for key in same]
    assert (again["state"]["plies"], again["board"]) == (2, None)


def test_an_agent_without_values_is_told_of(folder, tmp_path):
    place = shutil.copytree(folder / "first", tmp_path / "greedy")
    forged(place / "checkpoint", {"network": {"kind": "greedy"}})
    with serving(tmp_path) as server:
        status, told = Client(server).post("/api/new", checkpoint="greedy")
    assert (status, "kind greedy" in told["error"]) == (400, True)


def test_a_request_begins_no_move_after_its_time(folder):
    with serving(folder, "first", seconds=1e-9) as server:
        new = Client(server).done("/api/new", seed=1)
        assert len(Client(server).done("/api/step", id=new["id"], count=9)["frames"]) == 1


def test_a_deep_network_is_served(tmp_path):
    pytest.importorskip("torch", reason="the extra dqn is not installed")
    words = ("agent=dqn_modern", "size=2x3", "tiles=p90_10", "episodes=4", "block=4", "agent.width=8", "agent.games=4",
             "agent.learning_starts=8", "evaluate.episodes=0", f"hydra.run.dir={tmp_path / 'deep'}")  # fmt: skip
    assert inside(*words).returncode == 0
    with serving(tmp_path) as server:
        new = Client(server).done("/api/new", checkpoint="deep", plies=2)
        frames = Client(server).done("/api/step", id=new["id"], count=3)["frames"]
        assert (new["most_plies"], len(frames) > 0) == (2, True)
