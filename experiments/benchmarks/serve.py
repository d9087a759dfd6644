"""The page: how soon its first board is there and how fast moves follow, of the server alone and in Chromium."""

import http.client
import json
import shutil
import statistics
import time
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

from experiments.benchmarks.harness import Row, main, per_second
from tdl.web.library import Library
from tdl.web.server import Server, in_background
from tdl.web.site import PAGE, Site

FAST, BATCH = 6, 15
"""The place of 60 moves a second on the slider of the page, and the moves that it then asks for at once."""


def measure(checkpoint: str, rounds: int = 5, seconds: float = 3.0) -> Iterator[Row]:
    """Milliseconds until the first board, moves per second, and the server's milliseconds for the values of 1 ply.

    The server of this process by itself; and as a page shows it, at 60 moves a second asked for, where there are
    Chromium and the extra `browser`.

    checkpoint: whose agent plays
    rounds: first boards
    seconds: of moves
    """
    site = Site(Library(Path(checkpoint).resolve()), ".", 100, 1.0)
    site.agents.get(".")  # refused here where there is none
    with in_background(Server(site, "127.0.0.1", 0)) as server:
        with closing(_Client("127.0.0.1", server.port)) as client:
            first = [_first_board(server) for _ in range(rounds)]
            values = _values(client)
            moves = per_second(partial(next, _moves(client)), seconds)
        figures = {"values, ms": statistics.median(values), "largest, ms": max(values)}
        yield {"side": "server", "first board, ms": first, "moves/s": moves, **figures}
        yield from in_chromium(server, rounds, seconds)


class _Client(http.client.HTTPConnection):
    """Asks a server on one connection."""

    def answer(self, method: str, path: str, **data: Any) -> bytes:
        self.request(method, path, json.dumps(data) if data else None, {"Content-Type": "application/json"})
        return self.getresponse().read()

    def post(self, path: str, **data: Any) -> Any:
        return json.loads(self.answer("POST", path, **data))

    def game(self, seed: int = 0) -> str:
        """The id of a new game."""
        return str(self.post("/api/new", checkpoint=".", seed=seed)["id"])


def _first_board(server: Server) -> float:
    """Milliseconds of all that a page requests until it shows a board."""
    start = time.perf_counter()
    with closing(_Client("127.0.0.1", server.port)) as client:
        for path in (*PAGE, "/api/start"):
            client.answer("GET", path)
        client.game()
    return 1000 * (time.perf_counter() - start)


def _values(client: _Client) -> list[float]:
    """The server's milliseconds for the values of each board, 200 of a game."""
    game, spent = client.game(), []
    for _ in range(200):
        client.post("/api/step", id=game, count=1)
        board = client.post("/api/values", id=game)["state"]["board"]
        spent.append(client.post("/api/judge", checkpoint=".", board=board)["ms"])
    return spent


def _moves(client: _Client) -> Iterator[int]:
    """Moves of each request, of one game after another."""
    for seed in count():
        game, over = client.game(seed), False
        while not over:
            reply = client.post("/api/step", id=game, count=BATCH)
            yield len(reply.get("frames", ()))
            over = "error" in reply


def in_chromium(server: Server, rounds: int, seconds: float) -> Iterator[Row]:
    """The same from navigation to the first board, and of the boards shown; nothing without a browser."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None or find_spec("playwright") is None:
        return
    from playwright.sync_api import sync_playwright

    first = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for _ in range(rounds):
            page = browser.new_page()
            page.goto(server.url)
            page.wait_for_selector(".tile")
            first.append(page.evaluate("performance.getEntriesByName('board')[0].startTime"))
        page.eval_on_selector("#speed", f"e => {{ e.value = {FAST} }}")
        page.click("#play")
        shown = per_second(lambda: _shown(page, seconds))
        browser.close()
    yield {"side": "Chromium", "first board, ms": first, "moves/s": shown}


def _shown(page: Any, seconds: float) -> int:
    """Moves that the page shows meanwhile."""
    before = int(page.text_content("#moves") or 0)
    time.sleep(seconds)
    return int((page.text_content("#moves") or "0").replace(",", "")) - before


if __name__ == "__main__":
    main(measure)
