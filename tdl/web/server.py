"""The server: sockets and threads. Loopback only, a bounded number of connections, nothing waits for ever."""

import contextlib
import ipaddress
import socket
import socketserver
import threading
import traceback
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from tdl.errors import refuse
from tdl.web.request_handler import RequestHandler
from tdl.web.site import Site

MAX_CONNECTIONS = 64
"""At once, each with a thread. Another one takes the place of the one that has been waiting longest."""


def check_loopback(key: str, host: object) -> None:
    """Refuse any address but this machine's own."""
    try:
        loopback = host == "localhost" or ipaddress.ip_address(str(host)).is_loopback
    except ValueError:
        loopback = False
    if not loopback:
        raise refuse(key, host, "127.0.0.1, ::1 or localhost: only this machine is served")


class Server(socketserver.TCPServer):
    """Listens when it is made; `handle_request` takes one connection, or returns after `timeout` seconds.

    Parameters
    ----------
    site : answers the requests.
    host : a loopback address.
    port : 0: any that is free.
    """

    allow_reuse_address = True  # of connections that have ended a minute ago; not beside another server
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
        self._lock = threading.Lock()
        self._waiting: OrderedDict[socket.socket, None] = OrderedDict()  # for what a client sends, the longest first
        self._open: set[socket.socket] = set()

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection in a thread of its own."""
        if not self._admit(request):
            with contextlib.suppress(OSError):
                request.send(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            self.shutdown_request(request)
            return
        threading.Thread(target=self._serve, args=(request, client_address), daemon=True).start()

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

    def _serve(self, request: socket.socket, client_address: Any) -> None:
        try:
            self.finish_request(request, client_address)
        except OSError:  # the client has gone
            pass
        except Exception:
            traceback.print_exc()
        finally:
            with self._lock:
                self._open.discard(request)
                self._waiting.pop(request, None)
            self.shutdown_request(request)


@contextlib.contextmanager
def in_background(server: Server) -> Iterator[Server]:
    """While this context is open a server answers, in a thread; then it is closed."""
    stop = threading.Event()

    def serve() -> None:
        while not stop.is_set():
            server.handle_request()

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield server
    finally:
        stop.set()
        thread.join()
        server.server_close()
