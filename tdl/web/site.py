"""What the server answers: the page's files, the library, and games, as JSON."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from inspect import signature
from typing import Any
from urllib.parse import parse_qsl

from tdl.checks import check_choice, check_whole
from tdl.config.files import group_file, group_names
from tdl.errors import ConfigError, nearest
from tdl.game.engine import Engine
from tdl.game.rules import ACTION_NAMES, GAMES, Rules, parse_size
from tdl.game.validity import check_possible
from tdl.sessions import game_file
from tdl.sessions.tile_colours import tile_colours
from tdl.web.agents import MAX_PLIES, Agent, Agents
from tdl.web.games import MAX_COUNT, Games, OpenGame, valued
from tdl.web.library import Library

JSON = "application/json"

PAGE = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/page.css": ("page.css", "text/css; charset=utf-8"),
    "/board.js": ("board.js", "text/javascript; charset=utf-8"),
    "/charts.js": ("charts.js", "text/javascript; charset=utf-8"),
    "/library.js": ("library.js", "text/javascript; charset=utf-8"),
    "/page.js": ("page.js", "text/javascript; charset=utf-8"),
    "/icon.svg": ("icon.svg", "image/svg+xml"),
}
"""All files there are, and what they are; beside them /tiles.css has the colours of tiles."""

USUAL_TILES = {"pow2": "p90_10", "fib": "p75_25", "threes_law": "p50_50"}
"""The tile rule that a page offers first."""

SIZES = [f"{rows}x{cols}" for rows in range(2, 6) for cols in range(2, 6)]


@dataclass(frozen=True)
class Reply:
    """What goes back: the body, what it is, and the name to save it by."""

    body: bytes
    kind: str = JSON
    save_as: str | None = None


def as_json(data: Mapping[str, Any]) -> Reply:
    """The same as JSON."""
    return Reply(json.dumps(data, allow_nan=False, separators=(",", ":")).encode())


@dataclass
class Site:
    """All that is served.

    Parameters
    ----------
    library : what may be read.
    first : name of the checkpoint that a page shows first; None: none.
    sessions : most games at once.
    seconds : most time of a search of one move.
    """

    library: Library
    first: str | None
    sessions: int
    seconds: float
    agents: Agents = field(init=False)
    games: Games = field(init=False)

    def __post_init__(self) -> None:
        self.agents, self.games = Agents(self.library, self.seconds), Games(self.sessions)
        folder = resources.files("tdl.web") / "page"
        self._files = {path: Reply((folder / name).read_bytes(), kind) for path, (name, kind) in PAGE.items()}
        self._files["/tiles.css"] = Reply(_tile_rules().encode(), "text/css; charset=utf-8")
        for tiles in group_names("tiles"):  # read now, not while a page waits
            _laws(tiles)
        self._gets: dict[str, Callable[[Mapping[str, str]], Reply]] = {
            "/api/start": lambda asked: as_json(self._start()),
            "/api/library": lambda asked: as_json({"entries": self.library.entries()}),
            "/api/curve": lambda asked: as_json(self.library.curve(asked.get("run"))),
            "/api/game.json": self._saved,
        }
        self._posts: dict[str, Callable[..., dict[str, Any]]] = {
            "/api/new": self._new,
            "/api/move": self._move,
            "/api/step": self._step,
            "/api/undo": self._undo,
            "/api/values": self._values,
            "/api/judge": self._judge,
        }

    def methods(self, path: str) -> tuple[str, ...]:
        """By which methods a path can be asked for; none where there is nothing."""
        return ("POST",) if path in self._posts else ("GET",) if path in self._files or path in self._gets else ()

    def get(self, path: str, query: str) -> Reply:
        """Answer a GET of a path that can be.

        Raises
        ------
        Refusal, TdlError : what was asked for is not there, or not allowed.
        """
        if path in self._files:
            return self._files[path]
        return self._gets[path](dict(parse_qsl(query)))

    def post(self, path: str, data: Mapping[str, Any]) -> Reply:
        """Answer a POST of a path that can be.

        Raises
        ------
        Refusal, TdlError : what was asked for is not there, or not allowed.
        """
        start, work = time.perf_counter(), self._posts[path]
        names = list(signature(work).parameters)
        for name in data:
            if name not in names:
                raise ConfigError(f"{name}: no such key; expected one of {', '.join(names)}{nearest(name, names)}")
        told = work(**data)
        return as_json(told | {"ms": round((time.perf_counter() - start) * 1000, 3)})

    def _start(self) -> dict[str, Any]:
        """What a page can choose from."""
        return {
            "games": {name: USUAL_TILES[name] for name in GAMES},
            "sizes": SIZES,
            "tiles": group_names("tiles"),
            "plies": MAX_PLIES,
            "seconds": self.seconds,
            "folder": self.library.folder.name or "/",
            "checkpoint": self.first,
        }

    def _new(
        self,
        game: object = None,
        size: object = None,
        tiles: object = None,
        seed: Any = 0,
        checkpoint: object = None,
        plies: Any = 1,
    ) -> dict[str, Any]:
        check_whole("seed", seed, 0)
        agent = None if checkpoint is None else self.agents.get(checkpoint)
        rules = named_rules(game or "pow2", size or "4x4", tiles) if agent is None else agent.rules
        if agent is not None:
            _check_same(agent, game, size, tiles)
        opened = OpenGame(rules, agent, seed, plies, self.seconds)
        self.games.add(opened)
        return {"id": opened.id, "rules": _told(rules), **_agent(agent), "seed": seed, "state": opened.view()}

    def _move(self, id: object = None, action: object = None, version: object = None) -> dict[str, Any]:
        opened = self.games.get(id)
        if not isinstance(action, str):
            raise ConfigError(f"action: {action!r} is not allowed; expected one of {', '.join(ACTION_NAMES)}")
        check_choice("action", action, ACTION_NAMES)
        if version is not None:
            check_whole("version", version, 0)
        return {"state": opened.move(action, version)}  # type: ignore[arg-type]

    def _step(self, id: object = None, count: Any = 1) -> dict[str, Any]:
        opened = self.games.get(id)
        check_whole("count", count, 1, MAX_COUNT + 1)
        frames = opened.step(count)
        return {"frames": frames, "state": opened.view()}

    def _undo(self, id: object = None, count: Any = 1) -> dict[str, Any]:
        opened = self.games.get(id)
        check_whole("count", count, 1, MAX_COUNT + 1)
        return {"state": opened.undo(count)}

    def _values(self, id: object = None, plies: Any = None) -> dict[str, Any]:
        return {"state": self.games.get(id).look(plies)}

    def _judge(self, id: object = None, board: Any = None) -> dict[str, Any]:
        opened = self.games.get(id)
        return valued(opened.judged(given_board(board, opened.engine)))

    def _saved(self, asked: Mapping[str, str]) -> Reply:
        return Reply(game_file.text(self.games.get(asked.get("id")).game()).encode(), JSON, "game.json")


@cache
def _laws(tiles: str) -> tuple[tuple[tuple[int, float], ...], tuple[int | str, ...]]:
    """The drop law and the start law of a name."""
    laws = group_file("tiles", tiles)
    return tuple((index, share) for index, share in laws["drop"]), tuple(laws["start"])


def named_rules(game: object, size: object, tiles: object) -> Rules:
    """The rules that names stand for.

    Raises
    ------
    ConfigError : there is nothing of such a name.
    """
    rows, cols = parse_size(size)
    check_choice("game", game, list(GAMES))
    return Rules(str(game), rows, cols, *_laws(str(USUAL_TILES[str(game)] if tiles is None else tiles)))


def given_board(rows: object, engine: Engine) -> int:
    """A board that somebody sends, packed.

    Raises
    ------
    ConfigError : it is none, or none that a game can come to.
    """
    if not isinstance(rows, list):
        raise ConfigError(f"board: expected {engine.rules.rows} rows of {engine.rules.cols} tile values")
    board = engine.board(rows)
    check_possible(board, engine.rules)
    return board


def _check_same(agent: Agent, game: object, size: object, tiles: object) -> None:
    """Refuse another game than the agent's, where one is named."""
    own = agent.rules
    wanted = named_rules(game or own.game, size or f"{own.rows}x{own.cols}", tiles)
    if wanted != (own if tiles is not None else replace(own, drop=wanted.drop, start=wanted.start)):
        raise ConfigError(f"checkpoint: its agent plays {own.game} on {own.rows}x{own.cols} by its own tile rule only")


def _told(rules: Rules) -> dict[str, Any]:
    fitting = [name for name in group_names("tiles") if _laws(name) == (rules.drop, rules.start)]
    return {
        "game": rules.game,
        "size": f"{rules.rows}x{rules.cols}",
        "rows": rules.rows,
        "cols": rules.cols,
        "tiles": fitting[0] if fitting else None,
    }


def _agent(agent: Agent | None) -> dict[str, Any]:
    return {"checkpoint": agent and agent.name, "most_plies": agent.most_plies if agent is not None else 1}


def _tile_rules() -> str:
    """The colours of the tiles of all games, as a style sheet."""
    values = sorted({value for game in GAMES for value in Rules(game, 5, 5).tiles})
    rules = ((value, *tile_colours(value)) for value in values)
    return "\n".join(f".v{value} span {{ background: {behind}; color: {number}; }}" for value, behind, number in rules)
