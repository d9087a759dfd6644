"""The server: games through it are games of the program, whatever else is sent is refused, and it keeps serving.

Trusts `Session`, `record_game` and the files of games.
"""

import contextlib
import http.client
import json
import os
import re
import shutil
import signal
import socket
import threading

import numpy as np
import pytest
from support.programs import ended, files, inside, running, train
from support.shapes import RULES
from support.web_server import Client, serving

import tdl
from tdl.errors import ConfigError
from tdl.game.engine import Engine, Stream
from tdl.game.packing import pack, unpack
from tdl.game.reference import move
from tdl.game.rules import GAMES
from tdl.game.streams import EVALUATION
from tdl.serve import main
from tdl.sessions import game_file
from tdl.sessions.recorded_game import record_game
from tdl.web.agents import MAX_PLIES, Agent
from tdl.web.animation import slides
from tdl.web.library import Library
from tdl.web.server import MAX_BODY, MAX_CONNECTIONS, Server, in_background
from tdl.web.site import PAGE, SIZES, Site


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder that is served, with two runs, and beside it one that is not."""
    place = tmp_path_factory.mktemp("serve")
    small = ("size=2x3", "tuples=2x3_full", "tuples.cells=[[0,1,2]]", "evaluate.episodes=0")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tdl.results.figures.save_curve", lambda folder: None)  # it takes most of the time
        train(place / "outputs" / "first", "episodes=100", "evaluate.episodes=5")
        train(place / "outputs" / "sweep" / "small", *small, "episodes=50")
    shutil.copytree(place / "outputs" / "sweep" / "small", place / "secret")
    return place / "outputs"


@pytest.fixture(scope="module")
def server(folder):
    with serving(folder, "first") as made:
        yield made


@pytest.fixture
def client(server):
    return Client(server)


def serves(client):
    """Whether a game can still be begun and played."""
    made = client.done("/api/new", checkpoint="first", seed=1)
    return len(client.done("/api/step", id=made["id"], count=3)["frames"]) == 3


# ---- games


@pytest.mark.parametrize("plies", [1, 2])
def test_a_game_of_the_agent_is_that_of_an_evaluation(client, folder, tmp_path, plies):
    made = client.done("/api/new", checkpoint="first", seed=5, plies=plies)
    over = False
    while not over:
        over = client.done("/api/step", id=made["id"], count=200)["state"]["over"]
    status, headers, body = client.raw("GET", f"/api/game.json?id={made['id']}")
    assert (status, headers["Content-Disposition"]) == (200, 'attachment; filename="game.json"')
    (tmp_path / "game.json").write_bytes(body)
    digest = json.loads((folder / "first" / "checkpoint" / "meta.json").read_text())["digest"]
    expected = record_game(tdl.load(folder / "first"), 5, 0, plies=plies, checkpoint=digest)
    assert game_file.load(tmp_path / "game.json") == expected
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
    asked, go_on, values = threading.Event(), threading.Event(), Agent.values

    def slow(agent, board, searching):
        if searching.plies == 3:
            asked.set()
            assert go_on.wait(30)
        return values(agent, board, searching)

    monkeypatch.setattr(Agent, "values", slow)
    answers = []
    agent = threading.Thread(target=lambda: answers.append(client.done("/api/step", id=made["id"])))
    agent.start()
    assert asked.wait(30)
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
    assert [agent.searching(plies).seconds for plies in range(1, MAX_PLIES + 1)] == [None, None, 0.2, 0.2, 0.2]
    client.done("/api/step", id=made["id"])
    status, _, body = client.raw("GET", f"/api/game.json?id={made['id']}")
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


# ---- what is read


def test_the_list_names_runs_and_checkpoints(client):
    status, told = client.get("/api/library")
    entries = {entry["name"]: entry for entry in told["entries"]}
    assert (status, set(entries)) == (200, {"first", "sweep/small"})
    first = entries["first"]
    assert (first["game"], first["size"], first["episodes"], first["kind"]) == ("pow2", "4x4", 100, "ntuple")
    assert first["checkpoint"] and first["curve"] and first["mean"] > 0  # noqa: PT018
    assert entries["sweep/small"]["size"] == "2x3"


def test_a_learning_curve_is_that_of_the_blocks(client, folder):
    status, told = client.get("/api/curve?run=first")
    blocks = np.genfromtxt(folder / "first" / "blocks.csv", delimiter=",", names=True)
    assert status == 200
    for key in ("episode", "mean", "max"):
        assert told[key] == pytest.approx(blocks[key].tolist())


def test_a_long_curve_is_thinned_to_its_ends(tmp_path):
    (tmp_path / "run").mkdir()
    rows = "".join(f"{1000 * i},{i},{i}\n" for i in range(1, 5001))
    (tmp_path / "run" / "blocks.csv").write_text("episode,mean,max\n" + rows)
    with serving(tmp_path) as server:
        _, told = Client(server).get("/api/curve?run=run")
    assert len(told["mean"]) <= 120
    assert (told["mean"][0], told["mean"][-1]) == (1, 5000)


def test_damaged_files_are_told_of_and_listed(folder, tmp_path):
    for name in ("first", "cut", "weights"):
        shutil.copytree(folder / "first", tmp_path / name)
    (tmp_path / "cut" / "checkpoint" / "meta.json").write_text('{"format": ')
    (tmp_path / "cut" / "result.json").write_text("{")
    (tmp_path / "cut" / "blocks.csv").write_text("nothing")
    (weights,) = (tmp_path / "weights" / "checkpoint").glob("weights*")
    weights.write_bytes(weights.read_bytes()[:-1])
    with serving(tmp_path) as server:
        client = Client(server)
        entries = {entry["name"]: entry for entry in client.get("/api/library")[1]["entries"]}
        assert "cut or corrupt" in entries["cut"]["error"]
        for name, telling in (("cut", "cut or corrupt"), ("weights", "cut: "), ("none", "no checkpoint here")):
            status, told = client.post("/api/new", checkpoint=name)
            assert (status, telling in told["error"]) == (400, True), told
        assert client.get("/api/curve?run=cut")[0] == 400
        assert client.get("/api/curve?run=none")[0] == 404
        assert serves(client)


OUTSIDE = [
    "../secret", "..", "../../etc", "/etc", "/", "first/../../secret", "first/checkpoint/../../../secret",
    "link", "inner/link", "loop", "first/\0", "a" * 5000,
]  # fmt: skip


@pytest.mark.parametrize("name", OUTSIDE, ids=lambda name: repr(name[:30]))
def test_nothing_outside_the_folder_is_read(folder, tmp_path, name):
    place = tmp_path / "outputs"
    shutil.copytree(folder, place)
    shutil.copytree(folder.parent / "secret", tmp_path / "secret")
    (place / "inner").mkdir()
    (place / "link").symlink_to(tmp_path / "secret")
    (place / "inner" / "link").symlink_to(tmp_path / "secret", target_is_directory=True)
    (place / "loop").symlink_to(place / "loop")
    with serving(place) as server:
        client = Client(server)
        answers = [client.post("/api/new", checkpoint=name)]
        if "\0" not in name:
            answers.append(client.get(f"/api/curve?run={name}"))
        for status, told in answers:
            assert status in (400, 403), told
            assert "secret/" not in told["error"].replace(name, "")
        assert {entry["name"] for entry in client.get("/api/library")[1]["entries"]} == {"first", "sweep/small"}
        assert serves(client)


def test_links_within_a_checkpoint_do_not_lead_out(folder, tmp_path):
    """Whole checkpoints but for the one file that lies elsewhere."""
    (weights,) = (folder / "first" / "checkpoint").glob("weights*")
    for name, file in (("meta", "checkpoint/meta.json"), ("weights", f"checkpoint/{weights.name}"),
                       ("inner", "checkpoint"), ("curve", "blocks.csv")):  # fmt: skip
        shutil.copytree(folder / "first", tmp_path / name)
        target = tmp_path / name / file
        shutil.rmtree(target) if target.is_dir() else target.unlink()
        target.symlink_to(folder / "first" / file)
    with serving(tmp_path) as server:
        client = Client(server)
        for name in ("meta", "weights", "inner"):
            status, told = client.post("/api/new", checkpoint=name)
            assert (status, "not below the folder" in told["error"]) == (403, True)
        assert client.get("/api/curve?run=curve")[0] == 403
        assert client.done("/api/new", checkpoint="curve")


NO_FILES = [
    "/../../etc/passwd", "/%2e%2e/etc/passwd", "/page/../server.py", "//etc/passwd", "/page.js/", "/api", "/api/",
    "/index.html", "/checkpoint/meta.json", "/outputs",
]  # fmt: skip


@pytest.mark.parametrize("path", NO_FILES)
def test_files_are_those_of_the_page_only(client, path):
    status, told = client.get(path)
    assert (status, told) == (404, {"error": "nothing is served there"})


def test_the_page_asks_nobody_else(client):
    for path, (_, kind) in PAGE.items():
        status, headers, body = client.raw("GET", path)
        assert (status, headers["Content-Type"]) == (200, kind)
        assert headers["Content-Security-Policy"].startswith("default-src 'self'; base-uri 'none'")
        assert headers["X-Content-Type-Options"] == "nosniff"
        outside = set(re.findall(rb"(?:https?:)?//[\w.-]+\.\w+[^\s\"']*", body)) - {b"http://www.w3.org/2000/svg"}
        assert not outside, path
        assert b"eval(" not in body


# ---- who may ask, and how much


FOREIGN = [
    "evil.example", "evil.example:{port}", "127.0.0.1", "localhost:1", "127.0.0.1.evil.example:{port}", "",
    "192.168.0.1:{port}", "0.0.0.0:{port}", "user@127.0.0.1:{port}",
]  # fmt: skip


@pytest.mark.parametrize("host", FOREIGN)
def test_another_host_is_refused(client, server, host):
    for path in ("/", "/api/start", "/api/library"):
        status, told = client.get(path, Host=host.format(port=server.port))
        assert (status, "Host: only http://127.0.0.1" in told["error"]) == (421, True)
    assert serves(client)


def test_the_other_loopback_address_is_served(folder):
    site = Site(Library(folder), None, 1, 1.0)
    try:
        made = Server(site, "::1", 0)
    except ConfigError:
        pytest.skip("this machine has no ::1")
    with in_background(made) as server:
        connection = http.client.HTTPConnection("::1", server.port)
        connection.request("GET", "/api/start")
        assert connection.getresponse().status == 200
        connection.close()
    assert server.url == f"http://[::1]:{server.port}/"


@pytest.mark.parametrize("host", ["127.0.0.1:{port}", "localhost:{port}", "LOCALHOST:{port}", "[::1]:{port}"])
def test_our_own_names_are_served(client, server, host):
    host = host.format(port=server.port)
    assert client.get("/api/start", Host=host, Origin=f"http://{host}")[0] == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1:{port}", "http://127.0.0.1", "file://",
                                    "http://localhost:1", "http://127.0.0.1:{port}.evil.example"])  # fmt: skip
def test_another_origin_is_refused(client, server, origin):
    origin, games = origin.format(port=server.port), len(server.site.games)
    assert client.get("/api/start", Origin=origin)[0] == 403
    status, _, body = client.raw("POST", "/api/new", "{}", Origin=origin, Content_Type="application/json")
    assert (status, json.loads(body)) == (403, {"error": "Origin: pages of others are not answered"})
    assert len(server.site.games) == games


@pytest.mark.parametrize(
    ("method", "path", "body", "headers", "status"),
    [
        ("GET", "/api/new", None, {}, 405),
        ("POST", "/", "{}", {"Content_Type": "application/json"}, 405),
        ("PUT", "/api/new", "{}", {"Content_Type": "application/json"}, 405),
        ("OPTIONS", "/api/new", None, {}, 405),
        ("POST", "/api/new", "{}", {"Content_Type": "text/plain"}, 415),
        ("POST", "/api/new", "{}", {"Content_Type": "application/x-www-form-urlencoded"}, 415),
        ("POST", "/api/new", "{}", {}, 415),
        ("POST", "/api/new", "{", {"Content_Type": "application/json"}, 400),
        ("POST", "/api/new", "[]", {"Content_Type": "application/json"}, 400),
        ("POST", "/api/new", '{"seed": NaN}', {"Content_Type": "application/json"}, 400),
        ("POST", "/api/new", b"\xff\xfe\x00", {"Content_Type": "application/json"}, 400),
        ("POST", "/api/new", "[" * 60_000, {"Content_Type": "application/json"}, 400),
        ("POST", "/api/new", '{"seed":' + "9" * 60_000 + "}", {"Content_Type": "application/json"}, 400),
        ("GET", "/api/start", "body", {}, 400),
        ("GET", "/api/start", None, {"X": "x" * 20_000}, 431),
        ("GET", "/" + "x" * 20_000, None, {}, 431),
        ("GET", "/api/start", None, {f"X{i}": "x" for i in range(150)}, 431),
    ],
)
def test_what_is_no_request_of_ours_is_refused_in_one_line(client, method, path, body, headers, status):
    got, _, answer = client.raw(method, path, body, **headers)
    assert got == status
    assert set(told := json.loads(answer)) == {"error"}
    assert "\n" not in told["error"] and "Traceback" not in told["error"]  # noqa: PT018
    assert serves(client)


def spoken(server, data):
    """What the server answers to these bytes before it closes the connection."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        while part := connection.recv(65536):
            answer += part
    return answer


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        ("{post}|Content-Length: 99999999999", 413),
        (f"{{post}}|Content-Length: {MAX_BODY + 1}", 413),
        ("{post}|Content-Length: -1", 400),
        ("{post}|Content-Length: 2|Content-Length: 3", 411),
        ("{post}|Transfer-Encoding: chunked", 411),
        ("{post}", 411),
        ("GET / HTTP/1.1|Host: {host}|Host: evil.example", 421),
        ("GET / HTTP/1.0", 421),
        ("GET /", 421),
        ("GET / HTTP/9.9|Host: {host}", 505),
        ("nonsense", 400),
        ("\x16\x03\x01 \x02", 400),
    ],
)  # fmt: skip
def test_raw_bytes_are_refused_and_the_connection_closed(server, client, lines, status):
    host = f"127.0.0.1:{server.port}"
    post = f"POST /api/new HTTP/1.1|Host: {host}|Content-Type: application/json"
    head = lines.format(host=host, post=post).replace("|", "\r\n") + "\r\n\r\n"
    answer = spoken(server, head.encode("latin-1"))
    assert f" {status} ".encode() in answer.split(b"\r\n")[0] or (status == 421 and b"Host: only" in answer)
    assert b"Traceback" not in answer
    assert serves(client)


def test_huge_bodies_are_not_read(server, client):
    """Their sender is answered before the body is there; 20 in a row."""
    head = f"POST /api/new HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Type: application/json\r\n"
    refused = 0
    for _ in range(20):
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
            connection.sendall(f"{head}Content-Length: {1 << 40}\r\n\r\n".encode())
            refused += connection.recv(100).startswith(b"HTTP/1.1 413 ")
    assert refused == 20
    assert client.raw("POST", "/api/new", b'{"seed": 1}'.ljust(MAX_BODY), Content_Type="application/json")[0] == 200


def test_half_open_connections_do_not_stop_it(server, client):
    """200 that send nothing, half a head or half a body: 136 or more are dropped, and normal requests are answered."""
    head = f"POST /api/new HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Type: application/json\r\n"
    parts = [b"", b"GET / HT", head.encode(), f"{head}Content-Length: 100\r\n\r\n{{".encode()]
    threads = threading.active_count()
    connections = []
    try:
        for number in range(200):
            connections.append(socket.create_connection(("127.0.0.1", server.port), timeout=30))
            connections[-1].sendall(parts[number % len(parts)])
        assert serves(client)
        assert serves(client)
        for connection in connections[: 200 - MAX_CONNECTIONS]:
            with contextlib.suppress(ConnectionResetError):  # what it sent was not read
                assert connection.recv(1) == b""
        assert threading.active_count() - threads <= MAX_CONNECTIONS + 1
    finally:
        for connection in connections:
            connection.close()
    assert serves(client)


def test_a_fault_is_told_without_its_traceback(client, monkeypatch, capsys):
    def broken(*_):
        raise ZeroDivisionError("inner matters")

    monkeypatch.setattr("tdl.web.site.named_rules", broken)
    status, told = client.post("/api/new", game="pow2")
    assert (status, told) == (500, {"error": "a fault of the server; its terminal tells more"})
    assert "inner matters" in capsys.readouterr().err
    monkeypatch.undo()
    assert serves(client)


# ---- wrong values


@pytest.mark.parametrize(
    ("path", "data", "telling"),
    [
        ("/api/new", {"game": "chess"}, "game: 'chess' is not allowed"),
        ("/api/new", {"game": ["pow2"]}, "game: ['pow2'] is not allowed"),
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
        ("/api/new", {"checkpoint": "first", "size": "5x5"}, "its agent plays pow2 on 4x4"),
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
    made = client.done("/api/new", game="pow2", size="2x2", seed=1)
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
        ([], "board shape"),
        ([[2, 2], [2, 2]], "board shape: (2, 2) is not allowed"),
        ([[2] * 4] * 3, "board shape"),
        ([[2] * 4] * 3 + [[2]], "4 rows of 4 tile values"),
        ([[[2]] * 4] * 4, "board shape"),
        ([[3, 2, 0, 0]] + [[0] * 4] * 3, "board cell 0: 3 is not allowed"),
        ([[-2, 2, 0, 0]] + [[0] * 4] * 3, "board cell 0: -2"),
        ([[2.5, 2, 0, 0]] + [[0] * 4] * 3, "board cell 0: 2.5"),
        ([["2", 2, 0, 0]] + [[0] * 4] * 3, "board cell 0"),
        ([[None, 2, 0, 0]] + [[0] * 4] * 3, "board cell 0"),
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


# ---- the program


def test_the_program_serves_until_a_signal_and_leaves_nothing(tmp_path, folder):
    shutil.copytree(folder, tmp_path / "outputs")
    before = sorted(tmp_path.rglob("*"))
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        with running(tmp_path, "checkpoint=outputs/first", "port=0", module="tdl.serve") as process:
            line = process.stdout.readline()
            port = re.fullmatch(r"serving outputs at http://127\.0\.0\.1:(\d+)/  \(Ctrl-C ends it\)\n", line)[1]
            if number == signal.SIGINT:
                busy = inside(f"folder={tmp_path / 'outputs'}", f"port={port}", program=main)
                assert busy.returncode == 2
                assert re.fullmatch(rf"tdl: port: {port} is not allowed; expected .*0 takes any\n", busy.stderr)
            process.send_signal(number)
            done = ended(process)
        assert done.returncode == code
        assert done.stderr.splitlines()[-1] == "tdl: stopped"
        assert "Traceback" not in done.stderr
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("words", "code", "telling"),
    [
        ("host=0.0.0.0", 2, ["host: '0.0.0.0' is not allowed", "only this machine is served"]),
        ("host=example.com", 2, ["host: 'example.com' is not allowed"]),
        ("host=192.168.1.1", 2, ["host: '192.168.1.1' is not allowed"]),
        ("port=70000", 2, ["port: 70000 is not allowed", "from 0 to 65535"]),
        ("port=-1", 2, ["port: -1 is not allowed"]),
        ("sessions=0", 2, ["sessions: 0 is not allowed", "from 1 to 1000"]),
        ("seconds=0", 2, ["seconds: 0.0 is not allowed", "above 0 and at most 60"]),
        ("seconds=nan", 2, ["seconds: nan is not allowed"]),
        ("folder=missing", 2, ["folder: 'missing' is not allowed", "a folder that is there"]),
        ("checkpoint=outputs/missing", 2, ["outputs/missing: no checkpoint here"]),
        ("checkpoint=elsewhere/run", 2, ["checkpoint: 'elsewhere/run' is not allowed", "below folder, outputs"]),
        ("checkpoint=outputs/link", 2, ["checkpoint: 'outputs/link' is not allowed"]),
        ("+prot=1", 2, ["prot: no such key", "did you mean 'port'"]),
        ("open=7x", 1, ["open=7x"]),
        ("-m sessions=1,2", 2, ["-m: a server is no sweep"]),
    ],
)  # fmt: skip
def test_a_wrong_command_line_ends_in_one_line(tmp_path, monkeypatch, words, code, telling):
    (tmp_path / "outputs").mkdir()
    (tmp_path / "elsewhere").mkdir()
    os.symlink(tmp_path / "elsewhere", tmp_path / "outputs" / "link")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tdl.serve.serve", lambda *_: pytest.fail("it serves"))
    done = inside(*words.split(), *["port=0"] * ("port" not in words), program=main)
    assert done.returncode == code, done.stderr
    (line,) = done.stderr.splitlines()[-1:]
    assert not [part for part in telling if part not in line], line
    assert not files(tmp_path)


def test_a_deep_network_is_asked_as_well(tmp_path):
    pytest.importorskip("torch", reason="the extra dqn is not installed")
    shape = ("size=2x3", "tiles=p90_10", "agent.width=8", "agent.games=4", "agent.least=8")
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
