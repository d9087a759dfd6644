"""How soon the page is there, and how fast an agent is shown on it: the server alone, and in Chromium where it is."""

from __future__ import annotations

import http.client
import json
import shutil
import statistics
import time
from pathlib import Path
from typing import Any

from tdl.checks import check_above_zero, check_whole
from tdl.runs import environment
from tdl.web.library import Library
from tdl.web.server import Server, in_background
from tdl.web.site import PAGE, Site

VALUES = 200
"""Boards whose values are asked for."""

BATCH = 15
"""Moves in a request, as the page asks for at 60 a second."""

FAST = 6
"""Place of 60 moves a second on the slider of the page."""


def measure(checkpoint: str, rounds: int, seconds: float) -> dict[str, Any]:
    """Figures of a server of this process.

    Returns
    -------
    `first_board` (seconds of all requests up to it), `values_ms` (the server's time for the values of 1 ply: median
    and largest), `moves_per_second` (asked for in batches); with Chromium and the extra `browser`, `browser`:
    `first_board` from the start of the navigation, `moves_per_second` as shown.

    Raises
    ------
    TdlError : no such checkpoint, or a number out of range.
    """
    check_whole("--rounds", rounds, 1)
    check_above_zero("--seconds", seconds)
    with in_background(_server(checkpoint)) as server:
        figures = {
            "first_board": [_first_board(server) for _ in range(rounds)],
            **_game(server, seconds),
            "browser": _browser(server, rounds, seconds),
        }
    return figures | environment.describe("")


def text(figures: dict[str, Any]) -> str:
    """For people."""
    median, largest = (figures["values_ms"][key] for key in ("median", "largest"))
    rows = [
        f"server: first board in {_ms(figures['first_board'])} ms; values of 1 ply in {median:.2f} ms "
        f"(at most {largest:.2f}); {figures['moves_per_second']:,.0f} moves/s",
    ]
    if shown := figures["browser"]:
        rows.append(
            f"Chromium: first board in {_ms(shown['first_board'])} ms; {shown['moves_per_second']:.1f} boards/s shown "
            "of 60 asked for"
        )
    return "\n".join([*rows, figures["cpu"]])


def _ms(seconds: list[float]) -> str:
    return f"{statistics.median(seconds) * 1000:.0f}"


def _server(checkpoint: str) -> Server:
    site = Site(Library(Path(checkpoint).resolve()), ".", 100, 1.0)
    site.agents.get(".")
    return Server(site, "127.0.0.1", 0)


class _Client:
    """Asks a server on one connection."""

    def __init__(self, server: Server) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", server.port)

    def get(self, path: str) -> bytes:
        self._connection.request("GET", path)
        return self._connection.getresponse().read()

    def post(self, path: str, **data: Any) -> Any:
        self._connection.request("POST", path, json.dumps(data), {"Content-Type": "application/json"})
        return json.loads(self._connection.getresponse().read())

    def close(self) -> None:
        self._connection.close()


def _first_board(server: Server) -> float:
    """Seconds of what a page asks for until it shows a board."""
    start, client = time.perf_counter(), _Client(server)
    for path in (*PAGE, "/api/start"):
        client.get(path)
    client.post("/api/new", checkpoint=".")
    client.close()
    return time.perf_counter() - start


def _game(server: Server, seconds: float) -> dict[str, Any]:
    client, seed = _Client(server), 0
    game = client.post("/api/new", checkpoint=".")["id"]
    asked = []
    for _ in range(VALUES):
        client.post("/api/move", id=game, action=client.post("/api/values", id=game)["state"]["best"])
        asked.append(client.post("/api/judge", id=game, board=_board(client, game))["ms"])
    start, moves = time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        told = client.post("/api/step", id=game, count=BATCH)
        moves += len(told.get("frames", ()))
        if "error" in told:  # the game is over
            seed += 1
            game = client.post("/api/new", checkpoint=".", seed=seed)["id"]
    rate = moves / (time.perf_counter() - start)
    client.close()
    return {"values_ms": {"median": statistics.median(asked), "largest": max(asked)}, "moves_per_second": rate}


def _board(client: _Client, game: str) -> Any:
    return client.post("/api/values", id=game)["state"]["board"]


def _browser(server: Server, rounds: int, seconds: float) -> dict[str, Any] | None:
    """The same as a page sees it; None without Chromium."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    try:
        from playwright.sync_api import sync_playwright  # an extra
    except ImportError:
        return None
    if path is None:
        return None
    first = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for _ in range(rounds):
            page = browser.new_page()
            page.goto(server.url)
            page.wait_for_selector(".tile")
            first.append(page.evaluate("performance.getEntriesByName('board')[0].startTime") / 1000)
        page.eval_on_selector("#speed", f"e => {{ e.value = {FAST} }}")
        page.click("#play")
        before, start = int(page.text_content("#moves") or 0), time.perf_counter()
        time.sleep(seconds)
        moves = int((page.text_content("#moves") or "0").replace(",", "")) - before
        rate = moves / (time.perf_counter() - start)
        browser.close()
    return {"first_board": first, "moves_per_second": rate}
