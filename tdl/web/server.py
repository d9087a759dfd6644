"""The server: loopback only; connections and requests are checked and bounded, and nothing waits for ever."""

import contextlib
import http.client
import http.server
import ipaddress
import json
import re
import socket
import socketserver
import sys
import threading
import time
import traceback
from collections import OrderedDict
from collections.abc import Iterator
from http import HTTPStatus
from io import BufferedIOBase
from typing import Any, NoReturn
from urllib.parse import urlsplit

from tdl.errors import MAX_SHOWN, ConfigError, TdlError, file_text, one_line, printable, refuse
from tdl.web.library import Refusal, turn
from tdl.web.site import JSON, LARGE, MAX_BODIES, MAX_BODY, Reply, Site, as_json

MAX_CONNECTIONS = 64
"""At once, each with a thread. Another one takes the place of the one that has been waiting longest."""

MAX_HEAD = 16 << 10
"""Bytes of a request's first line and headers."""

TIMEOUT = 10.0
"""Seconds that a connection may say nothing."""

MOST_TIME = 60.0
"""Seconds that a body may take to come, or a large answer to go: meanwhile others wait for their turn."""

CHUNK = 64 << 10
"""Bytes of a body that are read at once, and of an answer that are sent with its head."""

ALWAYS = {
    "Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "object-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""Headers of every answer."""

OWN_SITES = ("same-origin", "none")
"""Where a browser may say that a question comes from: our page, or who sits before it. It sends no Origin with all."""


class _Head:
    """A stream whose lines, as long as they are headers, are bounded in sum."""

    def __init__(self, stream: BufferedIOBase) -> None:
        self._stream, self._left = stream, MAX_HEAD

    def readline(self, limit: int) -> bytes:
        line = self._stream.readline(min(limit, self._left + 1))
        self._left -= len(line)
        if self._left < 0:
            raise http.client.HTTPException(f"more than {MAX_HEAD} bytes")
        return line


class RequestHandler(http.server.BaseHTTPRequestHandler):
    """Answers the requests of one connection; errors as JSON with one line, `{"error": ...}`."""

    protocol_version = "HTTP/1.1"
    server_version, sys_version = "tdl", ""
    timeout = TIMEOUT
    wbufsize = -1  # head and body in one piece
    disable_nagle_algorithm = True
    server: "Server"

    def handle_one_request(self) -> None:
        """Read a request, answer it; an end, a silence or too long a head closes the connection."""
        stream, self.close_connection = self.rfile, True
        self.rfile = _Head(stream)  # type: ignore[assignment]
        try:
            self.raw_requestline = self.rfile.readline(MAX_HEAD + 1)
            parsed = bool(self.raw_requestline) and self.parse_request()
        except http.client.HTTPException as error:
            self.send_error(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, str(error))
            parsed = False
        finally:
            self.rfile = stream
        if parsed:
            self._answer()
        self.wfile.flush()

    def handle_expect_100(self) -> bool:
        """Ask for the body; what is refused is left unread."""
        super().handle_expect_100()
        self.wfile.flush()
        return True

    def _answer(self) -> None:
        with contextlib.ExitStack() as turns:
            self._send(*self._answered(turns))

    def _answered(self, turns: contextlib.ExitStack) -> tuple[HTTPStatus, Reply]:
        """The answer with its status; `turns` hold until it is sent."""
        try:
            self._check_sender()
            return HTTPStatus.OK, self._reply(turns)
        except (TimeoutError, ConnectionError):  # nobody waits for an answer
            raise
        except (Refusal, TdlError, OSError, MemoryError) as error:
            status = error.status if isinstance(error, Refusal) else HTTPStatus.BAD_REQUEST
            text = file_text(error) if isinstance(error, OSError) else str(error) or "out of memory"
            return status, as_json({"error": one_line(text)})
        except (UnicodeError, RecursionError):  # what a client says has half a character, or is nested too deeply
            return HTTPStatus.BAD_REQUEST, as_json({"error": "request: not a text, or nested too deeply"})
        except Exception:
            traceback.print_exc()
            text = "a fault of the server; its terminal tells more"
            return HTTPStatus.INTERNAL_SERVER_ERROR, as_json({"error": text})

    def _check_sender(self) -> None:
        """Refuse pages of others, also those whose names lead here."""
        hosts, origins = self.headers.get_all("Host", []), self.headers.get_all("Origin", [])
        if len(hosts) != 1 or hosts[0].lower() not in self.server.hosts:
            self._stop(HTTPStatus.MISDIRECTED_REQUEST, f"Host: only {self.server.url} is served")
        if len(origins) > 1 or not {origin.lower() for origin in origins} <= self.server.origins:
            self._stop(HTTPStatus.FORBIDDEN, "Origin: pages of others are not answered")
        if "/api/" in self.path and self.headers.get("Sec-Fetch-Site", "none") not in OWN_SITES:
            self._stop(HTTPStatus.FORBIDDEN, "Sec-Fetch-Site: pages of others are not answered")

    def _stop(self, status: HTTPStatus, text: str) -> NoReturn:
        """Refuse, and read no more of this connection."""
        self.close_connection = True
        raise Refusal(status, text)

    def _reply(self, turns: contextlib.ExitStack) -> Reply:
        try:
            target = urlsplit(self.path)
        except ValueError:  # as of http://[
            self._stop(HTTPStatus.BAD_REQUEST, "request: not an address")
        methods = self.server.site.methods(target.path)
        if not methods:
            self._stop(HTTPStatus.NOT_FOUND, "nothing is served there")
        if self.command not in methods:
            self._stop(HTTPStatus.METHOD_NOT_ALLOWED, f"{self.command}: expected {methods[0]}")
        length = self._length(MAX_BODIES.get(target.path, MAX_BODY))
        if target.path in LARGE:
            self._wait(turns, length)
        body = b"".join(self._parts(length))
        self.server.note_work(self.connection, True)
        try:
            if self.command == "GET":
                return self.server.site.get(target.path, target.query)
            return self.server.site.post(target.path, _parse(body))
        finally:
            self.server.note_work(self.connection, False)

    def _length(self, most: int) -> int:
        """The bytes of the body of a request that may have one, at most so many."""
        lengths = self.headers.get_all("Content-Length", [])
        if "Transfer-Encoding" in self.headers or len(lengths) > 1:
            self._stop(HTTPStatus.LENGTH_REQUIRED, "expected one Content-Length and no Transfer-Encoding")
        if lengths and not re.fullmatch("[0-9]{1,18}", lengths[0]):
            self._stop(HTTPStatus.BAD_REQUEST, "Content-Length: expected a number")
        length = int(lengths[0]) if lengths else 0
        if self.command == "GET":
            if length:
                self._stop(HTTPStatus.BAD_REQUEST, "GET: expected no body")
            return 0
        if self.headers.get_content_type() != JSON:
            self._stop(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"Content-Type: expected {JSON}")
        if not lengths:
            self._stop(HTTPStatus.LENGTH_REQUIRED, "expected a Content-Length")
        if length > most:
            self._stop(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"expected at most {most} bytes")
        return length

    def _wait(self, turns: contextlib.ExitStack, length: int) -> None:
        """Wait until no other large request is in memory; the body of one that is refused is read and forgotten."""
        try:
            turns.enter_context(turn(self.server.large, "other games are being read"))
        except Refusal:
            for _ in self._parts(length):
                pass
            raise

    def _parts(self, length: int) -> Iterator[bytes]:
        """The body, as it comes."""
        end = time.monotonic() + MOST_TIME
        while length:
            part = self.rfile.read1(min(length, CHUNK))
            if not part or time.monotonic() > end:
                raise TimeoutError("the connection ended within a body")
            length -= len(part)
            yield part

    def _send(self, status: HTTPStatus, reply: Reply) -> None:
        self.send_response(status)
        for name, value in ALWAYS.items():
            self.send_header(name, value)
        self.send_header("Content-Type", reply.kind)
        self.send_header("Content-Length", str(len(reply.body)))
        if reply.save_as is not None:
            self.send_header("Content-Disposition", f'attachment; filename="{reply.save_as}"')
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(reply.body[:CHUNK])
        self.wfile.flush()
        rest, end = memoryview(reply.body)[CHUNK:], time.monotonic() + MOST_TIME
        while rest:
            if time.monotonic() > end:
                raise TimeoutError("the client reads too slowly")
            rest = rest[self.connection.send(rest) :]

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer what the parser of heads refuses; it tells what it has read, which may be long."""
        self.close_connection, self.request_version = True, "HTTP/1.1"
        text = printable(message or HTTPStatus(code).phrase)
        text = text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 1]}…"
        self._send(HTTPStatus(code), as_json({"error": f"request: {text}"}))

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Log nothing: the terminal is for what its user should know."""


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _parse(body: bytes) -> dict[str, Any]:
    try:
        data = json.loads(body, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise ConfigError("request: not JSON") from None
    if not isinstance(data, dict):
        raise ConfigError("request: expected an object")
    return data


def check_loopback(key: str, host: object) -> None:
    """Refuse any address but this machine's own."""
    try:
        loopback = host == "localhost" or ipaddress.ip_address(str(host)).is_loopback
    except ValueError:
        loopback = False
    if not loopback:
        raise refuse(key, host, "127.0.0.1, ::1 or localhost: only this machine is served")


class Server(socketserver.ThreadingTCPServer):
    """Listens when it is made; `handle_request` takes one connection, or returns after `timeout` seconds.

    Parameters
    ----------
    site : answers the requests.
    host : a loopback address.
    port : 0: any that is free.
    """

    allow_reuse_address = True  # of connections that have ended a minute ago; not beside another server
    daemon_threads = True
    request_queue_size = 256
    timeout = 0.1

    def __init__(self, site: Site, host: str, port: int) -> None:
        check_loopback("host", host)
        host = "127.0.0.1" if host == "localhost" else host
        self.site = site
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            super().__init__((host, port), RequestHandler)
        except OSError as error:
            raise refuse("port", port, f"a port that can be listened at ({error.strerror}); 0 takes any") from error
        self.port: int = self.server_address[1]
        shown = f"[{host}]" if ":" in host else host
        self.url = f"http://{shown}:{self.port}/"
        names = {shown, "localhost", "127.0.0.1", "[::1]"}
        self.hosts = {f"{name}:{self.port}" for name in names} | (names if self.port == 80 else set())
        self.origins = {f"http://{name}" for name in self.hosts}
        self.large = threading.Lock()
        self._lock = threading.Lock()
        self._waiting: OrderedDict[socket.socket, None] = OrderedDict()  # for what a client sends, the longest first
        self._open: set[socket.socket] = set()

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection in a thread of its own."""
        if self._admit(request):
            super().process_request(request, client_address)
            return
        with contextlib.suppress(OSError):
            request.send(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        self.shutdown_request(request)

    def _admit(self, request: socket.socket) -> bool:
        """Make room for a connection; whether there is any."""
        with self._lock:
            if len(self._open) >= MAX_CONNECTIONS:
                if not self._waiting:
                    return False
                oldest, _ = self._waiting.popitem(last=False)
                self._open.discard(oldest)
                with contextlib.suppress(OSError):
                    oldest.shutdown(socket.SHUT_RDWR)  # its thread finds the end, and closes it
            self._open.add(request)
            self._waiting[request] = None
            return True

    def note_work(self, request: socket.socket, at_work: bool) -> None:
        """Note that a connection is worked for, or waits for its client again."""
        with self._lock:
            self._waiting.pop(request, None)
            if not at_work and request in self._open:
                self._waiting[request] = None

    def shutdown_request(self, request: Any) -> None:
        """Close a connection."""
        with self._lock:
            self._open.discard(request)
            self._waiting.pop(request, None)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Tell of a fault; that a client has gone is none."""
        if not isinstance(sys.exception(), OSError):
            traceback.print_exc()


@contextlib.contextmanager
def in_background(server: Server) -> Iterator[Server]:
    """While this context is open a server answers, in a thread; then it is closed."""
    with server:
        thread = threading.Thread(target=server.serve_forever, args=[0.01])
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
