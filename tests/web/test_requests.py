"""Who may ask the server, and how much: whatever else is sent is refused, and it keeps serving."""

import contextlib
import http.client
import json
import socket
import threading

import pytest
from support import PATIENCE
from support.programs import wait_until
from support.web_server import Client, serves, serving

from tdl.errors import ConfigError
from tdl.web.library import Library
from tdl.web.server import MAX_CONNECTIONS, Server, in_background
from tdl.web.site import MAX_BODIES, MAX_BODY, Site


def test_another_host_is_refused(client, server):
    for host in (
        "evil.example", "evil.example:{port}", "127.0.0.1", "localhost:1", "127.0.0.1.evil.example:{port}", "",
        "0.0.0.0:{port}", "user@127.0.0.1:{port}",
    ):  # fmt: skip
        for path in ("/", "/api/library"):
            status, reply = client.get(path, Host=host.format(port=server.port))
            assert (status, "Host: only http://127.0.0.1" in reply["error"]) == (421, True)
    assert serves(client)


def test_the_other_loopback_address_is_served(folder):
    site = Site(Library(folder), None, 1, 1.0)
    try:
        new = Server(site, "::1", 0)
    except ConfigError:
        pytest.skip("this machine has no ::1")
    with in_background(new) as server:
        connection = http.client.HTTPConnection("::1", server.port)
        connection.request("GET", "/api/start")
        assert connection.getresponse().status == 200
        connection.close()
    assert server.url == f"http://[::1]:{server.port}/"


def test_our_own_names_are_served(client, server):
    for name in ("127.0.0.1", "localhost", "LOCALHOST", "[::1]"):
        host = f"{name}:{server.port}"
        assert client.get("/api/start", Host=host, Origin=f"http://{host}")[0] == 200


def test_another_origin_is_refused(client, server):
    games = len(server.site.games)
    for origin in (
        "http://evil.example", "null", "https://127.0.0.1:{port}", "http://127.0.0.1", "file://",
        "http://127.0.0.1:{port}.evil.example",
    ):  # fmt: skip
        origin = origin.format(port=server.port)
        assert client.get("/api/start", Origin=origin)[0] == 403
        status, _, body = client.raw("POST", "/api/new", "{}", Origin=origin, Content_Type="application/json")
        assert (status, json.loads(body)) == (403, {"error": "Origin: pages of others are not answered"})
    assert len(server.site.games) == games


JSON = {"Content_Type": "application/json"}


@pytest.mark.parametrize(
    ("method", "path", "body", "headers", "status"),
    [
        ("GET", "/api/new", None, {}, 405),
        ("POST", "/", "{}", JSON, 405),
        ("PUT", "/api/new", "{}", JSON, 405),
        ("POST", "/api/new", "{}", {"Content_Type": "text/plain"}, 415),
        ("POST", "/api/new", "{}", {}, 415),
        ("POST", "/api/new", "{", JSON, 400),
        ("POST", "/api/new", '{"seed": NaN}', JSON, 400),
        ("POST", "/api/new", b"\xff\xfe\x00", JSON, 400),
        ("POST", "/api/new", "[" * 60_000, JSON, 400),
        ("POST", "/api/new", '{"seed":' + "9" * 60_000 + "}", JSON, 400),
        ("GET", "/api/start", "body", {}, 400),
        ("GET", "/api/start", None, {"X": "x" * 20_000}, 431),
        ("GET", "/" + "x" * 20_000, None, {}, 431),
        ("GET", "/api/start", None, {f"X{i}": "x" for i in range(150)}, 431),
    ],
)
def test_what_is_no_request_of_ours_is_refused_in_one_line(client, method, path, body, headers, status):
    got, _, answer = client.raw(method, path, body, **headers)
    assert got == status
    assert set(reply := json.loads(answer)) == {"error"}
    assert len(reply["error"]) < 400
    assert "\n" not in reply["error"] and "Traceback" not in reply["error"]  # noqa: PT018
    assert serves(client)


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        ("{post}|Content-Length: 99999999999", 413),  # before there is a body
        (f"{{post}}|Content-Length: {MAX_BODY + 1}", 413),
        ("{post}|Content-Length: -1", 400),
        ("{post}|Content-Length: 2|Content-Length: 3", 411),
        ("{post}|Transfer-Encoding: chunked", 411),
        ("{post}", 411),
        ("GET / HTTP/1.1|Host: {host}|Host: evil.example", 421),
        ("GET /", 421),
        ("GET / HTTP/9.9|Host: {host}", 505),
        ("GET http://[ HTTP/1.1|Host: {host}", 400),
        ("GET /api/start x" + "\x1b" * 5000 + " HTTP/1.1|Host: {host}", 400),
        ("GET /api/start HTTP/1.1|Host: {host}|Sec-Fetch-Site: cross-site", 403),
        ("GET /api/library HTTP/1.1|Host: {host}|Sec-Fetch-Site: same-site", 403),
        ("GET / HTTP/1.1|Host: {host}|Sec-Fetch-Site: cross-site", 200),  # a link to the page
        ("\x16\x03\x01 \x02", 400),
    ],
)  # fmt: skip
def test_raw_bytes_are_refused_and_the_connection_closed(server, client, lines, status):
    host = f"127.0.0.1:{server.port}"
    post = f"POST /api/new HTTP/1.1|Host: {host}|Content-Type: application/json"
    head = lines.format(host=host, post=post).replace("|", "\r\n") + "\r\n\r\n"
    answer = client.spoken(head.encode("latin-1"))
    assert f" {status} ".encode() in answer.split(b"\r\n")[0] or (status == 421 and b"Host: only" in answer)
    assert b"Traceback" not in answer
    assert len(answer) < 1500 or status == 200
    assert serves(client)


def test_clients_that_never_read_do_not_stop_it(server, client):
    """More answers than the system holds for them, on as many connections as there may be."""
    ask = f"GET /page.js HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode() * 100
    with contextlib.ExitStack() as stack:
        for _ in range(MAX_CONNECTIONS):
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE))
            connection.setblocking(False)
            with contextlib.suppress(BlockingIOError, ConnectionError):
                while connection.send(ask):
                    pass
        assert serves(client)
        assert threading.active_count() <= MAX_CONNECTIONS + 20
    assert serves(client)


def test_many_lists_at_once_are_made_one_after_the_other(server, client):
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(client.get("/api/library")[0])) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [200] * 20


def test_one_large_request_at_a_time_is_in_memory_and_others_need_not_wait(server, client, monkeypatch):
    """Those whose turn does not come are refused, and their bodies forgotten."""
    monkeypatch.setattr("tdl.web.library.PATIENCE", 0.01)
    body = json.dumps({"text": " " * (MAX_BODIES["/api/replay"] - 100)})
    with server.large:
        for _ in range(3):
            status, _, answer = client.raw("POST", "/api/replay", body, Content_Type="application/json")
            assert (status, json.loads(answer)) == (503, {"error": "other games are being read; ask again"})
        assert client.get("/api/game.jsonl?id=x")[0] == 503
        assert serves(client)
    assert client.raw("POST", "/api/replay", body, Content_Type="application/json")[0] == 400
    assert client.get("/api/game.jsonl?id=x")[0] == 404


def test_half_open_connections_do_not_stop_it(server, client):
    """200 that send nothing, half a head or half a body: 136 or more are dropped, and normal requests are answered."""
    head = f"POST /api/new HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Type: application/json\r\n"
    parts = [b"", b"GET / HT", head.encode(), f"{head}Content-Length: 100\r\n\r\n{{".encode()]
    threads = threading.active_count()
    connections = []
    try:
        for number in range(200):
            connections.append(socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE))
            connections[-1].sendall(parts[number % len(parts)])
        assert serves(client)
        assert serves(client)
        for connection in connections[: 200 - MAX_CONNECTIONS]:
            with contextlib.suppress(ConnectionResetError):  # what it sent was not read
                assert connection.recv(1) == b""
        wait_until(lambda: threading.active_count() - threads <= MAX_CONNECTIONS + 1)
    finally:
        for connection in connections:
            connection.close()
    assert serves(client)


@pytest.mark.parametrize("body", [
    r'{"checkpoint": "\ud800"}', r'{"\ud800": 1}', r'{"game": "\ud800"}', '{"size": "5x%s"}' % ("1" * 5000),
    '{"size": %s}' % ("[" * 960 + "]" * 960), b'{"game": "\xed\xa0\x80"}', '{"plies": "%s"}' % ("x" * 5000),
])  # fmt: skip
def test_half_characters_and_endless_values_are_refused_in_one_line(client, capfd, body):
    status, _, answer = client.raw("POST", "/api/new", body, Content_Type="application/json")
    assert (status, len(json.loads(answer)["error"]) < 400) == (400, True)
    assert capfd.readouterr().err == ""


class BrokenSite(Site):
    """A site with a fault of the program."""

    def get(self, path, query):
        raise ZeroDivisionError("inner matters")


def test_a_fault_is_told_without_its_traceback(folder, capsys):
    with serving(BrokenSite(Library(folder), "first", 8, 0.2)) as server:
        client = Client(server)
        status, reply = client.get("/api/start")
        assert (status, reply) == (500, {"error": "a fault of the server; its terminal tells more"})
        assert "inner matters" in capsys.readouterr().err
        assert serves(client)


def test_the_largest_body_is_read(client):
    body = b'{"seed": 1}'.ljust(MAX_BODY)
    assert client.raw("POST", "/api/new", body, Content_Type="application/json")[0] == 200
