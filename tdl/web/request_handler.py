"""One connection of the server: its requests are checked, bounded, and answered by the site."""

import http.client
import http.server
import json
import re
import socket
import traceback
from http import HTTPStatus
from io import BufferedIOBase
from typing import Any, NoReturn, Protocol
from urllib.parse import urlsplit

from tdl.errors import MAX_SHOWN, ConfigError, TdlError, file_text, one_line, printable
from tdl.web.errors import Refusal
from tdl.web.site import JSON, MAX_BODIES, MAX_BODY, Reply, Site, as_json

MAX_HEAD = 16 << 10
"""Bytes of a request's first line and headers."""

TIMEOUT = 10.0
"""Seconds that a connection may say nothing."""

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


class Serving(Protocol):
    """The server of a connection, see `tdl.web.server.Server`."""

    site: Site
    url: str
    hosts: set[str]
    origins: set[str]

    def note_work(self, request: socket.socket, at_work: bool) -> None:
        """Note that a connection is worked for, or waits for its client again."""


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
    server: Serving  # type: ignore[assignment]

    def handle_one_request(self) -> None:
        """Read a request, answer it; an end, a silence or too long a head closes the connection."""
        stream, self.close_connection = self.rfile, True
        head = _Head(stream)
        try:
            self.raw_requestline = head.readline(MAX_HEAD + 1)
            if not self.raw_requestline:
                return
            self.rfile = head  # type: ignore[assignment]
            parsed = self.parse_request()
            self.rfile = stream
            if parsed:
                self._answer()
        except http.client.HTTPException as error:
            self.send_error(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, str(error))
        except TimeoutError:
            return
        finally:
            self.rfile = stream
        self.wfile.flush()

    def handle_expect_100(self) -> bool:
        """Say nothing yet: `_body` asks for the body when the head has been checked."""
        return True

    def _answer(self) -> None:
        try:
            self._check_sender()
            reply = self._reply()
        except (Refusal, TdlError, OSError, MemoryError) as error:
            status = error.status if isinstance(error, Refusal) else HTTPStatus.BAD_REQUEST
            text = one_line(file_text(error) if isinstance(error, OSError) else str(error) or "out of memory")
            if isinstance(error, TimeoutError | ConnectionError):
                raise TimeoutError from error
            self._send(status, as_json({"error": text}))
        except Exception:
            traceback.print_exc()
            text = "a fault of the server; its terminal tells more"
            self._send(HTTPStatus.INTERNAL_SERVER_ERROR, as_json({"error": text}))
        else:
            self._send(HTTPStatus.OK, reply)

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
        """Refuse, and read nothing more of this connection."""
        self.close_connection = True
        raise Refusal(status, text)

    def _reply(self) -> Reply:
        try:
            target = urlsplit(self.path)
        except ValueError:  # as of http://[
            self._stop(HTTPStatus.BAD_REQUEST, "request: not an address")
        methods = self.server.site.methods(target.path)
        if not methods:
            self._stop(HTTPStatus.NOT_FOUND, "nothing is served there")
        if self.command not in methods:
            self._stop(HTTPStatus.METHOD_NOT_ALLOWED, f"{self.command}: expected {methods[0]}")
        body = self._body(MAX_BODIES.get(target.path, MAX_BODY))
        self.server.note_work(self.connection, True)
        try:
            if self.command == "GET":
                return self.server.site.get(target.path, target.query)
            return self.server.site.post(target.path, _parse(body))
        finally:
            self.server.note_work(self.connection, False)

    def _body(self, most: int) -> bytes:
        """The whole body of a request that may have one, at most so many bytes."""
        lengths = self.headers.get_all("Content-Length", [])
        if "Transfer-Encoding" in self.headers or len(lengths) > 1:
            self._stop(HTTPStatus.LENGTH_REQUIRED, "expected one Content-Length and no Transfer-Encoding")
        if lengths and not re.fullmatch("[0-9]{1,18}", lengths[0]):
            self._stop(HTTPStatus.BAD_REQUEST, "Content-Length: expected a number")
        length = int(lengths[0]) if lengths else 0
        if self.command == "GET":
            if length:
                self._stop(HTTPStatus.BAD_REQUEST, "GET: expected no body")
            return b""
        if self.headers.get_content_type() != JSON:
            self._stop(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"Content-Type: expected {JSON}")
        if not lengths:
            self._stop(HTTPStatus.LENGTH_REQUIRED, "expected a Content-Length")
        if length > most:
            self._stop(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"expected at most {most} bytes")
        if self.headers.get("Expect", "").lower() == "100-continue":
            self.send_response_only(HTTPStatus.CONTINUE)
            self.end_headers()
            self.wfile.flush()
        body = self.rfile.read(length)
        if len(body) < length:
            raise TimeoutError("the connection ended within a body")
        return body

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
        self.wfile.write(reply.body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer what the parser of heads refuses; it tells what it has read, which may be long."""
        self.close_connection, self.request_version = True, "HTTP/1.1"
        text = printable(message or HTTPStatus(code).phrase)
        text = text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 1]}…"
        self._send(HTTPStatus(code), as_json({"error": f"request: {text}"}))

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Log nothing."""

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: the terminal is for what its user should know."""


def _parse(body: bytes) -> dict[str, Any]:
    try:
        data = json.loads(body, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise ConfigError("request: not JSON") from None
    if not isinstance(data, dict):
        raise ConfigError("request: expected an object")
    return data


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)
