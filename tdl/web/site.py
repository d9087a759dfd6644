"""The site: the answer to each path, which is a file of the page, or JSON of the library and the games."""

import contextlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from importlib import resources
from inspect import signature
from typing import Any
from urllib.parse import parse_qsl

from tdl.base.checks import check_choice, check_true_or_false, check_whole
from tdl.config.files import group_file, group_names
from tdl.errors import ConfigError, nearest, printable, refuse
from tdl.game.boards import check_possible, read_board
from tdl.game.rules import ACTION_NAMES, GAMES, Rules, parse_size
from tdl.sessions import game_file
from tdl.sessions.pictures import tile_colours
from tdl.web.games import MAX_COUNT, OpenGame, OpenGames
from tdl.web.library import MAX_NAME, Library
from tdl.web.replayed_game import replay_json
from tdl.web.served_agents import ServedAgents
from tdl.web.served_sweeps import ServedSweeps

JSON = "application/json"

SCRIPTS = ("board", "charts", "dom", "input", "judge", "library", "new_game", "page", "replay", "requests", "turns",
           "values")  # fmt: skip

SWEEP_SCRIPTS = ("sweep", "sweep_charts")
"""Of the page of a sweep, which an exported page does not have."""

PAGE = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/sweep": ("sweep.html", "text/html; charset=utf-8"),
    **{f"/{name}.css": (f"{name}.css", "text/css; charset=utf-8") for name in ("page", "sweep")},
    "/icon.svg": ("icon.svg", "image/svg+xml"),
    **{f"/{name}.js": (f"{name}.js", "text/javascript; charset=utf-8") for name in (*SCRIPTS, *SWEEP_SCRIPTS)},
}
"""File and content type of each path; beside them /tiles.css has the colours of tiles."""

MAX_BODY = 64 << 10
"""Bytes of a request's body."""

MAX_BODIES = {"/api/replay": 8 << 20}
"""Of other paths: a game of 20,000 moves has some 6 MiB."""

LARGE = {*MAX_BODIES, "/api/game.jsonl"}
"""Paths whose requests or answers may be large: one at a time is in memory."""

USUAL_TILES = {"2048": "p90_10", "2584": "p75_25", "threes_law": "p50_50"}
"""The tile rule that a page offers first."""

SIZES = [f"{rows}x{cols}" for rows in range(2, 6) for cols in range(2, 6)]


@dataclass(frozen=True)
class Reply:
    """An answer: the body, its content type, and the name of a file to save it in."""

    body: bytes
    kind: str = JSON
    save_as: str | None = None


def as_json(data: Mapping[str, Any]) -> Reply:
    """The answer with these data."""
    return Reply(json.dumps(data, allow_nan=False, separators=(",", ":")).encode())


@dataclass
class Site:
    """Answers requests, whatever the protocol.

    Parameters
    ----------
    library : the files that may be read.
    first : name of the checkpoint that a page shows first; None: none.
    sessions : limit of games at once.
    seconds : time limit of the search of a move.
    sweep : name of the sweep with which a page begins; None: it begins with a game.
    """

    library: Library
    first: str | None
    sessions: int
    seconds: float
    sweep: str | None = None
    agents: ServedAgents = field(init=False)
    games: OpenGames = field(init=False)
    sweeps: ServedSweeps = field(init=False)

    def __post_init__(self) -> None:
        self.agents, self.games = ServedAgents(self.library, self.seconds), OpenGames(self.sessions)
        self.sweeps = ServedSweeps(self.library)
        folder = resources.files("tdl.web") / "page"
        self._files = {path: Reply((folder / name).read_bytes(), kind) for path, (name, kind) in PAGE.items()}
        self._files["/tiles.css"] = Reply(tile_rules().encode(), "text/css; charset=utf-8")
        for tiles in group_names("tiles"):  # read now, not while a page waits
            _laws(tiles)
        self._gets: dict[str, Callable[[Mapping[str, str]], Reply]] = {
            "/api/start": lambda query: as_json(self._start()),
            "/api/library": lambda query: as_json(
                {"entries": self.library.entries(), "sweeps": self.library.sweeps()}
            ),
            "/api/sweep": lambda query: as_json(self.sweeps.get(query.get("sweep", self.sweep))),
            "/api/games": lambda query: as_json({"games": self.library.games()}),
            "/api/curve": lambda query: as_json(self.library.curve(query.get("run"))),
            "/api/game": lambda query: as_json(self._whole(self.games.get(query.get("id")))),
            "/api/game.jsonl": lambda query: self._saved(query.get("id")),
        }
        self._posts: dict[str, Callable[..., dict[str, Any]]] = {
            "/api/new": partial(self._asked, self._new),
            "/api/move": self._move,
            "/api/step": self._step,
            "/api/undo": self._undo,
            "/api/values": lambda id=None, plies=None: {"state": self.games.get(id).look(plies)},
            "/api/judge": partial(self._asked, self._judge),
            "/api/replay": self._replay,
        }

    def methods(self, path: str) -> tuple[str, ...]:
        """The methods of a path; none where nothing is served."""
        return ("POST",) if path in self._posts else ("GET",) if path in self._files or path in self._gets else ()

    def get(self, path: str, query: str) -> Reply:
        """Answer a GET of a path that has this method."""
        if path in self._files:
            return self._files[path]
        return self._gets[path](dict(parse_qsl(query)))

    def post(self, path: str, data: Mapping[str, Any]) -> Reply:
        """Answer a POST of a path that has this method."""
        start, work = time.perf_counter(), self._posts[path]
        names = list(signature(work).parameters)
        for name in data:
            if name not in names:
                raise ConfigError(f"{name}: no such key; expected one of {', '.join(names)}{nearest(name, names)}")
        answer = work(**data)
        return as_json(answer | {"ms": round((time.perf_counter() - start) * 1000, 3)})

    def _start(self) -> dict[str, Any]:
        """The choices of a page."""
        games = [{"name": name, "tiles": _usual_tiles(name), "words": _tiles_words(name)} for name in GAMES]
        return {"games": games, "sizes": SIZES, "checkpoint": self.first, "sweep": self.sweep}

    def _asked(
        self,
        answer: Callable[[OpenGame], dict[str, Any]],
        game: object = None,
        size: object = None,
        tiles: object = None,
        seed: Any = 0,
        checkpoint: object = None,
        plies: Any = 1,
        board: Any = None,
        exponents: Any = False,
        last_first: Any = False,
    ) -> dict[str, Any]:
        """The answer to a request for a game, which may begin with any board."""
        check_whole("seed", seed, 0)
        check_true_or_false("exponents", exponents)
        check_true_or_false("last_first", last_first)
        agent = None if checkpoint is None else self.agents.get(checkpoint)
        if agent is None:
            rules = named_rules(game or "2048", size or "4x4", tiles)
        else:
            rules = agent.rules
            _check_same(rules, game, size, tiles)
        start = None if board is None else read_board(board, rules, exponents=exponents, last_first=last_first)
        return answer(OpenGame(rules, agent, seed, plies, self.seconds, start))

    def _new(self, opened: OpenGame) -> dict[str, Any]:
        if opened.start is not None:
            check_possible(opened.start, opened.rules)
        self.games.add(opened)
        return self._whole(opened)

    def _whole(self, opened: OpenGame) -> dict[str, Any]:
        """A game with all that a page has to know of it."""
        agent = opened.agent
        return {
            "id": opened.id,
            "rules": rules_json(opened.rules),
            "checkpoint": None if agent is None else agent.name,
            "most_plies": 1 if agent is None else agent.max_plies,
            **opened.whole(),
        }

    def _move(self, id: object = None, action: object = None, version: Any = None) -> dict[str, Any]:
        opened = self.games.get(id)
        check_choice("action", action, ACTION_NAMES)
        if version is not None:
            check_whole("version", version, 0)
        return {"state": opened.move(str(action), version)}

    def _step(self, id: object = None, count: Any = 1) -> dict[str, Any]:
        opened = self.games.get(id)
        check_whole("count", count, 1, MAX_COUNT + 1)
        frames = opened.step(count)
        return {"frames": frames, "state": opened.state()}

    def _undo(self, id: object = None, count: Any = 1) -> dict[str, Any]:
        opened = self.games.get(id)
        check_whole("count", count, 1, MAX_COUNT + 1)
        return {"state": opened.undo(count)}

    def _judge(self, opened: OpenGame) -> dict[str, Any]:
        if opened.start is None:
            raise refuse("board", None, "rows of tile values, a text, or an int")
        return opened.judged() | {"checkpoint": None if opened.agent is None else opened.agent.name}

    def _replay(
        self, game: object = None, text: object = None, name: object = "game.jsonl", checkpoint: object = None
    ) -> dict[str, Any]:
        if (game is None) == (not isinstance(text, str)):
            raise ConfigError("game: expected the name of a recorded game, or the text of one")
        if game is not None:
            record = self.library.game(game)
        else:
            record = game_file.parsed(str(text), printable(str(name)[:MAX_NAME]))
        return replay_json(record, None if checkpoint is None else self.agents.get(checkpoint))

    def _saved(self, id: object) -> Reply:
        return Reply(game_file.text(self.games.get(id).game()).encode(), JSON, "game.jsonl")


@cache
def _laws(tiles: str) -> tuple[tuple[tuple[int, float], ...], tuple[int | str, ...]]:
    """The drop law and the start law of a name."""
    laws = group_file("tiles", tiles)
    return tuple((index, share) for index, share in laws["drop"]), tuple(laws["start"])


@cache
def _tiles_words(game: str) -> dict[str, str]:
    """The tile rules in words, by name; without those that the game does not have."""
    words = {}
    for name in group_names("tiles"):
        with contextlib.suppress(ConfigError):
            words[name] = Rules(game, 4, 4, *_laws(name)).tiles_text
    return words


def _usual_tiles(game: str) -> str:
    """The tile rule of a game where nothing is said."""
    return USUAL_TILES.get(game, "p90_10")


def named_rules(game: object, size: object, tiles: object) -> Rules:
    """The rules of a game, a size and a tile rule."""
    rows, cols = parse_size(size)
    check_choice("game", game, list(GAMES))
    return Rules(str(game), rows, cols, *_laws(_usual_tiles(str(game)) if tiles is None else str(tiles)))


def _check_same(rules: Rules, game: object, size: object, tiles: object) -> None:
    """Refuse another game than the agent's, where one is named."""
    wanted = named_rules(game or rules.game, size or f"{rules.rows}x{rules.cols}", tiles)
    if tiles is None:
        wanted = replace(wanted, drop=rules.drop, start=rules.start)
    if wanted != rules:
        board = f"{rules.game} on {rules.rows}x{rules.cols}"
        raise ConfigError(f"checkpoint: its agent plays {board} by its own tile rule only")


def rules_json(rules: Rules) -> dict[str, Any]:
    """Rules as a page gets them; `tiles` is the name of their tile rule, null where it has none."""
    fitting = [name for name in group_names("tiles") if _laws(name) == (rules.drop, rules.start)]
    return {
        "game": rules.game,
        "size": f"{rules.rows}x{rules.cols}",
        "rows": rules.rows,
        "cols": rules.cols,
        "tiles": fitting[0] if fitting else None,
        "drops": rules.tiles_text,
    }


def tile_rules() -> str:
    """The colours of the tiles of all games, as a style sheet."""
    values = sorted({value for game in GAMES for value in Rules(game, 5, 5).tiles})
    rules = ((value, *tile_colours(value)) for value in values)
    return "\n".join(f".v{value} span {{ background: {behind}; color: {number}; }}" for value, behind, number in rules)
