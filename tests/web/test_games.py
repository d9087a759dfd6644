"""Games through the server are games of the program; what is no move, number or board of theirs is refused.

Trusts `Session`, `record_game` and the files of games.
"""

import json
import threading

import numpy as np
import pytest
from support import PATIENCE
from support.programs import inside
from support.shapes import RULES
from support.web_server import Client, serves, serving

import tdl
from tdl.game.boards import pack, unpack
from tdl.game.engine import EVALUATION, Engine, Stream
from tdl.game.game_reference import move
from tdl.game.rules import GAMES
from tdl.sessions import game_file
from tdl.sessions.recorder import record_game
from tdl.web.agents import MAX_PLIES, ServedAgent
from tdl.web.animation import slides
from tdl.web.site import SIZES


@pytest.mark.parametrize("plies", [1, 2])
def test_a_game_of_the_agent_is_that_of_an_evaluation(client, folder, tmp_path, plies):
    made = client.done("/api/new", checkpoint="first", seed=5, plies=plies)
    over = False
    while not over:
        over = client.done("/api/step", id=made["id"], count=200)["state"]["over"]
    status, headers, body = client.raw("GET", f"/api/game.jsonl?id={made['id']}")
    assert (status, headers["Content-Disposition"]) == (200, 'attachment; filename="game.jsonl"')
    (tmp_path / "game.jsonl").write_bytes(body)
    digest = json.loads((folder / "first" / "checkpoint" / "meta.json").read_text())["digest"]
    expected = record_game(tdl.load(folder / "first"), 5, 0, plies=plies, checkpoint=digest)
    assert game_file.load(tmp_path / "game.jsonl") == expected
    status, told = client.post("/api/step", id=made["id"])
    assert (status, told) == (400, {"error": "the game is over"})


def test_each_frame_is_the_board_after_a_move(client, folder):
    made = client.done("/api/new", checkpoint="first", seed=2)
    told = client.done("/api/step", id=made["id"], count=20)
    game = record_game(tdl.load(folder / "first"), 2, 0)
    boards, engine = game.boards(), Engine(game.rules)
    for frame, board, moved, thought in zip(told["frames"], boards[1:], game.moves, game.moves[1:], strict=False):
        assert frame["board"] == engine.array(board).tolist()
        assert frame["values"] == list(thought.values)
        assert frame["made"]["reward"] == moved.reward
        assert frame["made"]["drop"] == {"cell": moved.cell, "tile": game.rules.value(moved.tile)}
    assert {**told["frames"][-1], "made": None} == {**told["state"], "made": None}


def test_a_person_takes_over_and_takes_back(client):
    made = client.done("/api/new", checkpoint="first", seed=3)
    told = client.done("/api/step", id=made["id"], count=4)["state"]
    moved = client.done("/api/move", id=made["id"], action=told["legal"][0], version=told["version"])["state"]
    assert (moved["moves"], moved["made"]["by"]) == (5, "person")
    status, error = client.post("/api/move", id=made["id"], action=moved["legal"][0], version=told["version"])
    assert (status, error["error"]) == (409, "the board has changed meanwhile")
    back = client.done("/api/undo", id=made["id"], count=5)["state"]
    assert (back["board"], back["score"], back["moves"]) == (made["state"]["board"], 0, 0)
    assert client.done("/api/undo", id=made["id"])["state"]["moves"] == 0


def test_a_person_need_not_wait_for_a_search(client, monkeypatch):
    """A move is made while the agent searches; the agent then does not move on a board that is gone."""
    made = client.done("/api/new", checkpoint="first", seed=4, plies=3)
    asked, go_on, values = threading.Event(), threading.Event(), ServedAgent.values

    def slow(agent, board, search):
        if search.plies == 3:
            asked.set()
            assert go_on.wait(PATIENCE)
        return values(agent, board, search)

    monkeypatch.setattr(ServedAgent, "values", slow)
    answers = []
    agent = threading.Thread(target=lambda: answers.append(client.done("/api/step", id=made["id"])))
    agent.start()
    assert asked.wait(PATIENCE)
    moved = client.done("/api/move", id=made["id"], action=made["state"]["legal"][0])["state"]
    assert (moved["moves"], moved["values"]) == (1, None)
    go_on.set()
    agent.join()
    assert answers[0]["frames"] == []
    assert answers[0]["state"]["moves"] == 1
    assert client.done("/api/values", id=made["id"])["state"]["values"] != [None] * 4


def test_every_game_and_board_can_be_played_by_hand(client):
    for number, size in enumerate(SIZES):
        game = list(GAMES)[number % len(GAMES)]
        made = client.done("/api/new", game=game, size=size, seed=1)
        board = made["state"]["board"]
        assert f"{len(board)}x{len(board[0])}" == size == made["rules"]["size"]
        assert made["rules"]["game"] == game
        told = client.done("/api/step", id=made["id"], count=5)
        assert 1 <= len(told["frames"]) <= 5


def test_depth_counts_from_now_on_and_is_bounded(client, server):
    made = client.done("/api/new", checkpoint="first", seed=6)
    shallow = client.done("/api/values", id=made["id"], plies=1)["state"]
    deep = client.done("/api/values", id=made["id"], plies=3)["state"]
    assert (shallow["plies"], deep["plies"]) == (1, 3)
    assert shallow["values"] != deep["values"]
    agent = server.site.agents.get("first")
    assert [agent.search(plies).seconds for plies in range(1, MAX_PLIES + 1)] == [None, None, 0.2, 0.2, 0.2]
    client.done("/api/step", id=made["id"])
    status, _, body = client.raw("GET", f"/api/game.jsonl?id={made['id']}")
    assert json.loads(body.splitlines()[0])["search"]["seconds"] == 0.2
    for plies in (0, MAX_PLIES + 1, 1.5, "3", True, 10**30):
        status, told = client.post("/api/values", id=made["id"], plies=plies)
        assert (status, "plies: " in told["error"]) == (400, True)
    assert serves(client)


def test_games_are_bounded_and_the_oldest_are_put_away(folder):
    with serving(folder, sessions=3) as server:
        client = Client(server)
        ids = [client.done("/api/new", size="2x2")["id"] for _ in range(3)]
        client.done("/api/values", id=ids[0])
        ids.append(client.done("/api/new", size="2x2")["id"])
        assert [client.post("/api/values", id=each)[0] for each in ids] == [200, 404, 200, 200]
        for _ in range(50):
            client.done("/api/new", size="2x2")
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
        made = [0] * rules.cells
        for target, starts in targets.items():
            tiles = [cells[start] for start in starts]
            made[target] = tiles[0] if len(tiles) == 1 else min(rules.merge(*tiles), rules.largest)
        assert pack(made, rules) == after
        assert move(cells, action, rules) is not None
        board = engine.place(after, drops)


@pytest.mark.parametrize(
    ("path", "data", "telling"),
    [
        ("/api/new", {"game": "chess"}, "game: 'chess' is not allowed"),
        ("/api/new", {"game": ["2048"]}, "game: ['2048'] is not allowed"),
        ("/api/new", {"size": "9x9"}, "did you mean '5x5'?"),
        ("/api/new", {"size": 4}, "size: 4 is not allowed"),
        ("/api/new", {"tiles": "../../etc/passwd"}, "tiles: '../../etc/passwd' is not allowed"),
        ("/api/new", {"seed": -1}, "seed: -1 is not allowed"),
        ("/api/new", {"seed": "1"}, "seed: '1' is not allowed"),
        ("/api/new", {"seed": 1e300}, "seed: 1e+300 is not allowed"),
        ("/api/new", {"seed": 2**63}, "seed: "),
        ("/api/new", {"plies": 2}, "expected 1 without an agent"),
        ("/api/new", {"sede": 1}, "sede: no such key; expected one of game, size, tiles, seed, checkpoint, plies"),
        ("/api/new", {"self": 1}, "self: no such key"),
        ("/api/new", {"checkpoint": 7}, "expected a name from the list"),
        ("/api/new", {"checkpoint": "first", "size": "5x5"}, "its agent plays 2048 on 4x4"),
        ("/api/new", {"checkpoint": "first", "tiles": "p50_50"}, "by its own tile rule only"),
        ("/api/move", {"id": "{id}", "action": "north"}, "action: 'north' is not allowed"),
        ("/api/move", {"id": "{id}", "action": 1}, "action: 1 is not allowed"),
        ("/api/move", {"id": "{id}"}, "action: None is not allowed"),
        ("/api/move", {"id": "{id}", "action": "up", "version": -1}, "version: -1"),
        ("/api/step", {"id": "{id}", "count": 201}, "count: 201 is not allowed"),
        ("/api/step", {"id": "{id}", "count": 0}, "count: 0 is not allowed"),
        ("/api/undo", {"id": "{id}", "count": 1.5}, "count: 1.5 is not allowed"),
    ],
)  # fmt: skip
def test_a_wrong_value_is_named(client, path, data, telling):
    made = client.done("/api/new", checkpoint="first")["id"]
    status, told = client.post(path, {key: made if value == "{id}" else value for key, value in data.items()})
    assert (status, telling in told["error"]) == (400, True), told


@pytest.mark.parametrize("unknown", ["nothing", "", None, 7, ["x"], {"x": 1}, "x" * 10_000])
def test_an_unknown_game_is_told_of(client, unknown):
    for path in ("/api/move", "/api/step", "/api/undo", "/api/values", "/api/judge"):
        status, told = client.post(path, id=unknown, **({"action": "up"} if path == "/api/move" else {}))
        assert (status, told["error"][:21]) == (404, "game: not known here;")


def test_illegal_moves_are_refused(client):
    made = client.done("/api/new", game="2048", size="2x2", seed=1)
    state = made["state"]
    while len(state["legal"]) == 4:
        state = client.done("/api/move", id=made["id"], action=state["legal"][0])["state"]
    wrong = next(action for action in ("up", "right", "down", "left") if action not in state["legal"])
    status, told = client.post("/api/move", id=made["id"], action=wrong)
    assert (status, "is not legal" in told["error"]) == (400, True)


@pytest.mark.parametrize(
    ("board", "telling"),
    [
        (None, "4 rows of 4"),
        ("2 2", "4 rows of 4"),
        ({"a": 1}, "4 rows of 4"),
        ([], "4 rows of 4"),
        ([[2, 2], [2, 2]], "board: [[2, 2], [2, 2]] is not allowed; expected 4 rows of 4 tile values"),
        ([[2] * 4] * 3, "4 rows of 4"),
        ([[2] * 4] * 3 + [[2]], "4 rows of 4 tile values"),
        ([[[2]] * 4] * 4, "board cell 0: [2] is not allowed"),
        ([[3, 2, 0, 0]] + [[0] * 4] * 3, "board cell 0: 3 is not allowed"),
        ([[-2, 2, 0, 0]] + [[0] * 4] * 3, "board cell 0: -2"),
        ([[2.5, 2, 0, 0]] + [[0] * 4] * 3, "board cell 0: 2.5"),
        ([["2", 2, 0, 0]] + [[0] * 4] * 3, "board cell 0"),
        ([[None, 2, 0, 0]] + [[0] * 4] * 3, "board cell 0"),
        ([[{}, 2, 0, 0]] + [[0] * 4] * 3, "board cell 0: {} is not allowed"),
        ([[1e400, 2, 0, 0]] + [[0] * 4] * 3, "not JSON"),
        ([[10**40, 2, 0, 0]] + [[0] * 4] * 3, "board cell 0"),
        ([[65536, 2, 0, 0]] + [[0] * 4] * 3, "board cell 0: 65536"),
        ([[0] * 4] * 4, "0 tiles"),
        ([[64, 32, 0, 0]] + [[0] * 4] * 3, "the last drop is missing"),
        ([[32768] * 4] * 3 + [[2] * 4], "too few cells"),
    ],
)  # fmt: skip
def test_a_board_that_cannot_exist_is_refused(client, board, telling):
    made = client.done("/api/new", checkpoint="first")["id"]
    status, told = client.post("/api/judge", id=made, board=board)
    assert (status, telling in told["error"]) == (400, True), told
    assert serves(client)


def test_a_board_is_judged(client, folder):
    made = client.done("/api/new", checkpoint="first")["id"]
    rows = [[2, 2, 0, 0], [4, 0, 0, 0], [0] * 4, [0] * 4]
    values = tdl.load(folder / "first").values(rows)
    told = client.done("/api/judge", id=made, board=rows)["values"]
    assert [np.nan if each is None else each for each in told] == pytest.approx(values.tolist(), nan_ok=True)
    assert client.done("/api/values", id=made)["state"]["moves"] == 0


def test_a_deep_network_is_asked_as_well(tmp_path):
    pytest.importorskip("torch", reason="the extra dqn is not installed")
    shape = ("size=2x3", "tiles=p90_10", "agent.width=8", "agent.games=4", "agent.learning_starts=8")
    counts = ("episodes=4", "block=4", "evaluate.episodes=0")
    done = inside("agent=dqn_modern", *shape, *counts, f"hydra.run.dir={tmp_path / 'deep'}")
    assert done.returncode == 0, done.stderr
    with serving(tmp_path) as server:
        client = Client(server)
        made = client.done("/api/new", checkpoint="deep", plies=2)
        assert made["most_plies"] == 2
        assert client.done("/api/step", id=made["id"], count=3)["frames"]
        assert client.post("/api/values", id=made["id"], plies=3)[0] == 400


def test_an_agent_without_values_is_told_of(tmp_path):
    done = inside("agent=greedy", "episodes=2", "evaluate.episodes=0", f"hydra.run.dir={tmp_path / 'greedy'}")
    assert done.returncode == 0, done.stderr
    with serving(tmp_path) as server:
        status, told = Client(server).post("/api/new", checkpoint="greedy")
    assert (status, "kind greedy" in told["error"]) == (400, True)
