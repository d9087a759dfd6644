"""The lines of a game's file: from values to JSON and back, with the type and range of every value checked.

The first line has `format`, `rules`, `start` (the first board), `seed`, `episode`, `plies`, `search` (how else the
player looked ahead), `checkpoint` (digest or null), `moves` (their number), `score` and `digest`, the SHA-256 of all
the rest. Each further line has `move` (its number, from 0), `board` (rows of tile values, before the move), `action`
(its name), `reward`, `values` (of up, right, down, left; null where illegal), `tile` (the value of the one that
dropped), `cell` (where), `score` (so far), `loss` where a deeper search is known, and `by` where a person chose the
move. Of a game that was given up the first line says `"complete": false`; of one whose first board is any, not one of
the start law, `"own_start": true`.

Boards are rows of tile values because a packed board does not survive a reader that keeps numbers as doubles: it may
have more than 53 bits; no tile value has more than 27.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, NoReturn, TypeVar

from tdl.base.checks import (
    built,
    check_fields,
    check_list,
    check_mapping,
    check_number,
    check_text,
    check_value,
    check_whole,
    checked,
    choice,
    flag,
    or_null,
    whole,
)
from tdl.errors import ConfigError, refuse
from tdl.game.engine import Engine
from tdl.game.rules import ACTION_NAMES, Rules
from tdl.search.options import SearchOptions
from tdl.sessions.recorded_game import Move, RecordedGame, check_start

FORMAT = "tdl-game-1"

USUAL = {"complete": True, "own_start": False, "loss": None, "by": "agent"}
"""Keys that a line has only where their value is another one."""

Rows = list[list[int]]

L = TypeVar("L", "Header", "Line")


def _check_rows(key: str, rows: Any) -> None:
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise refuse(key, rows, "rows of tile values")
    for row in rows:
        for cell in row:
            check_whole(key, cell, 0)


def _check_values(key: str, values: Any) -> None:
    check_list(key, values, or_null(partial(check_value, most=1e12)))
    if len(values) != len(ACTION_NAMES):
        raise refuse(key, values, "four numbers or nulls")


@dataclass(frozen=True)
class Header:
    """The keys of the first line; all are checked."""

    format: str = FORMAT
    rules: Mapping[str, Any] = checked(None, check_mapping)
    start: Rows = checked(None, _check_rows)
    seed: int = whole(0, least=0)
    episode: int = whole(0, least=0)
    plies: int = whole(1, least=1)
    search: Mapping[str, Any] = checked(None, check_mapping)
    checkpoint: str | None = checked(None, check_text, null=True)
    moves: int = whole(0, least=0)
    score: int = whole(0, least=0)
    digest: str = checked("", check_text)
    complete: bool = flag(True)
    own_start: bool = flag(False)

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True)
class Line:
    """The keys of the line of a move; all are checked."""

    move: int = whole(0, least=0)
    board: Rows = checked(None, _check_rows)
    action: str = choice(None, ACTION_NAMES)
    reward: int = whole(0, least=0)
    values: list[float | None] = checked(None, _check_values)
    tile: int = whole(0, least=0)
    cell: int = whole(0, least=0)
    score: int = whole(0, least=0)
    loss: float | None = checked(None, partial(check_number, least=0), null=True)
    by: str = choice("agent", ("agent", "person"))

    def __post_init__(self) -> None:
        check_fields(self)


def header_of(game: RecordedGame) -> Header:
    """The first line of a game, without its digest."""
    search = asdict(game.search)
    return Header(
        rules=game.rules.to_dict(),
        start=Engine(game.rules).array(game.start).tolist(),
        seed=game.seed,
        episode=game.episode,
        plies=search.pop("plies"),
        search=search,
        checkpoint=game.checkpoint,
        moves=len(game.moves),
        score=game.score,
        complete=game.complete,
        own_start=game.own_start,
    )


def line_of(number: int, move: Move, score: int, engine: Engine) -> Line:
    """The line of a move; `score` is that of the game after it."""
    return Line(
        move=number,
        board=engine.array(move.board).tolist(),
        action=ACTION_NAMES[move.action],
        reward=move.reward,
        values=list(move.values),
        tile=engine.rules.value(move.tile),
        cell=move.cell,
        score=score,
        loss=move.loss,
        by=move.by,
    )


def to_text(line: Header | Line) -> str:
    """A line as JSON, with its end."""
    return json.dumps(_keys(line), allow_nan=False) + "\n"


def digest_of(header: Header, lines: str) -> str:
    """The SHA-256 of a header, without the digest it may have, and all further lines."""
    rest = {key: value for key, value in _keys(header).items() if key != "digest"}
    return hashlib.sha256((json.dumps(rest, sort_keys=True) + lines).encode()).hexdigest()


def _keys(line: Header | Line) -> dict[str, Any]:
    return {key: value for key, value in vars(line).items() if key not in USUAL or value != USUAL[key]}


def parse(text: str, kind: type[L]) -> L:
    """A line of JSON, which must have the keys of its kind and no others."""
    try:
        values = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise ConfigError("cut or corrupt (not JSON)") from None
    if kind is Header and (not isinstance(values, dict) or values.get("format") != FORMAT):
        raise ConfigError(f"not of a game of this program (expected format {FORMAT!r})")
    return built(kind, "", values, optional=USUAL)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def game_of(header: Header, rules: Rules | None = None) -> RecordedGame:
    """The game of a first line, without its moves."""
    played = Rules.from_dict(header.rules)
    if rules is not None and played != rules:
        raise ConfigError(f"of other rules: {played.to_dict()}, not {rules.to_dict()}")
    start, search = Engine(played).board(header.start), {**header.search, "plies": header.plies}
    same = {name: getattr(header, name) for name in ("seed", "episode", "checkpoint", "complete", "own_start")}
    game = RecordedGame(played, start, (), built(SearchOptions, "search", search), **same)
    check_start(game)
    return game


def move_of(line: Line, engine: Engine) -> Move:
    """The move of a line; whether the rules allow it is not checked."""
    tiles = engine.rules.tiles
    if line.tile not in tiles:
        raise refuse("tile", line.tile, "a tile of the game")
    check_whole("cell", line.cell, 0, engine.rules.cells)
    return Move(
        board=engine.board(line.board),
        action=ACTION_NAMES.index(line.action),
        reward=line.reward,
        values=tuple(line.values),
        cell=line.cell,
        tile=1 + tiles.index(line.tile),
        loss=line.loss,
        by=line.by,
    )
