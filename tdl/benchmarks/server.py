"""The page: how soon its first board is there and how fast moves follow, of the server alone against in Chromium."""

import http.client
import json
import shutil
import statistics
import time
from argparse import ArgumentParser, Namespace
from contextlib import closing
from pathlib import Path
from typing import Any

from tdl.benchmarks.registry import Report
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


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--checkpoint", required=True, metavar="PATH", help="whose agent plays")
    parser.add_argument("--rounds", type=int, default=5, help="first boards (5)")
    parser.add_argument("--seconds", type=float, default=3.0, help="of moves (3)")


def measure(options: Namespace) -> Report:
    """The server of this process by itself, and in Chromium where that and the extra `browser` are installed."""
    check_whole("--rounds", options.rounds, 1)
    check_above_zero("--seconds", options.seconds)
    with in_background(server_of(options.checkpoint)) as server:
        figures = server_figures(server, options.rounds, options.seconds)
        figures["browser"] = browser_figures(server, options.rounds, options.seconds)
    figures |= environment.describe("")
    return Report(figures, text(figures))


def text(figures: dict[str, Any]) -> str:
    """The figures for people."""
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


def server_of(checkpoint: str) -> Server:
    """A server of this process that shows the agent of a checkpoint; `TdlError` where there is none."""
    site = Site(Library(Path(checkpoint).resolve()), ".", 100, 1.0)
    site.agents.get(".")
    return Server(site, "127.0.0.1", 0)


class _Client(http.client.HTTPConnection):
    """Asks a server on one connection."""

    def get(self, path: str) -> bytes:
        self.request("GET", path)
        return self.getresponse().read()

    def post(self, path: str, **data: Any) -> Any:
        self.request("POST", path, json.dumps(data), {"Content-Type": "application/json"})
        return json.loads(self.getresponse().read())

    def game(self, **options: Any) -> str:
        """The id of a new game."""
        return str(self.post("/api/new", checkpoint=".", **options)["id"])

    def state(self, game: str) -> Any:
        """A game with the values of its board."""
        return self.post("/api/values", id=game)["state"]


def server_figures(server: Server, rounds: int, seconds: float, values: int = VALUES) -> dict[str, Any]:
    """What a client measures; `values_ms` is the server's time for the values of 1 ply."""
    with closing(_Client("127.0.0.1", server.port)) as client:
        return {
            "first_board": [_first_board(server) for _ in range(rounds)],
            "values_ms": _values(client, values),
            "moves_per_second": _moves_per_second(client, seconds),
        }


def _first_board(server: Server) -> float:
    """Seconds of all that a page requests until it shows a board."""
    start = time.perf_counter()
    with closing(_Client("127.0.0.1", server.port)) as client:
        for path in (*PAGE, "/api/start"):
            client.get(path)
        client.game()
    return time.perf_counter() - start


def _values(client: _Client, boards: int) -> dict[str, float]:
    """The server's milliseconds for the values of the boards of a game."""
    game, spent = client.game(), []
    for _ in range(boards):
        client.post("/api/step", id=game, count=1)
        spent.append(client.post("/api/judge", id=game, board=client.state(game)["board"])["ms"])
    return {"median": statistics.median(spent), "largest": max(spent)}


def _moves_per_second(client: _Client, seconds: float) -> float:
    """Moves of one game after another."""
    seed, moves, game = 0, 0, client.game()
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        reply = client.post("/api/step", id=game, count=BATCH)
        moves += len(reply.get("frames", ()))
        if "error" in reply:  # the game is over
            seed += 1
            game = client.game(seed=seed)
    return moves / (time.perf_counter() - start)


def browser_figures(server: Server, rounds: int, seconds: float) -> dict[str, Any] | None:
    """Seconds from navigation to `first_board` and the `moves_per_second` shown, in Chromium; None without it."""
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
