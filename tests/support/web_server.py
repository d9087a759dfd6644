"""A server of the page for tests: in a thread of this process, with a client that speaks plain HTTP."""

import contextlib
import http.client
import io
import json
import re
import socket

from support import PATIENCE
from tdl.web.library import Library
from tdl.web.server import Server, in_background
from tdl.web.site import Site


def serving(folder, first=None, sessions=8, seconds=PATIENCE):
    """A server of a folder, or of a site, on a free port, while this context is open."""
    site = folder if isinstance(folder, Site) else Site(Library(folder), first, sessions, seconds)
    return in_background(Server(site, "127.0.0.1", 0))


class Client:
    """Asks a server, on one connection for each question."""

    def __init__(self, server):
        self.server = server

    def raw(self, method, path, body=None, **headers):
        """Status, headers and body of the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def get(self, path, **headers):
        """Status and what the JSON says."""
        status, _, body = self.raw("GET", path, **headers)
        return status, json.loads(body)

    def post(self, path, data=None, /, **keys):
        """The same of a POST."""
        body = json.dumps(keys if data is None else data)
        status, _, answer = self.raw("POST", path, body, Content_Type="application/json")
        return status, json.loads(answer)

    def spoken(self, data):
        """What the server answers to these bytes before it closes the connection."""
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=PATIENCE) as connection:
            answer = b""
            with contextlib.suppress(ConnectionError):  # it may have read enough
                connection.sendall(data)
                connection.shutdown(socket.SHUT_WR)
            with contextlib.suppress(ConnectionError):
                while part := connection.recv(65536):
                    answer += part
        return answer

    def done(self, path, **keys):
        """What the answer to a POST says that must go well."""
        status, told = self.post(path, **keys)
        assert status == 200, told
        return told


def answers_of(data):
    """The answers among some bytes, in their order: status, headers and body of each that is whole."""
    answers = []
    while b"\r\n\r\n" in data:
        head, _, data = data.partition(b"\r\n\r\n")
        line, _, rest = head.partition(b"\r\n")
        known = re.fullmatch(rb"HTTP/1\.1 (\d{3}) [\w -]+", line)
        assert known, line
        if known[1] == b"100":
            continue
        headers = http.client.parse_headers(io.BytesIO(rest + b"\r\n\r\n"))
        length = int(headers.get("Content-Length"))
        if len(data) >= length:
            answers.append((int(known[1]), headers, data[:length]))
        data = data[length:]
    return answers


def serves(client):
    """Whether a game can still be begun and played."""
    made = client.done("/api/new", checkpoint="first", seed=1)
    return len(client.done("/api/step", id=made["id"], count=3)["frames"]) == 3
